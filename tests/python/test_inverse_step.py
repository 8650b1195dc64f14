"""Inverse dynamics with contact from Python; its mathematics is tested in C++."""

import importlib.util
import pathlib

import numpy as np
import pytest
import stiction
from test_robots import FOLDER
from worlds import box_on_plane, pendulum

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_a_resting_box_carries_itself():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    weight = 8 * 9.81
    result = stiction.inverse_step(simulator, np.zeros(6), method="least_squares")
    assert result.converged and result.status == "converged"
    assert result.unactuated_norm < 1e-9
    assert result.velocity_defect < 1e-12
    assert sum(result.impulse[2::3]) == pytest.approx(weight * 1e-3)
    assert np.allclose(result.constraint_impulse[:3], [0, 0, weight * 1e-3])
    asked = stiction.inverse_step(simulator, np.zeros(6), from_last_step=False)
    assert asked.unactuated_force[2] == pytest.approx(weight)
    assert asked.residuals.eps_abs <= 1e-6


def test_forces_fed_back_give_the_velocity():
    simulator = stiction.Simulator(pendulum(), dt=1e-3)
    result = stiction.inverse_step(simulator, [0.7])
    simulator.set_joint_force(result.joint_force)
    simulator.step()
    assert simulator.v[0] == pytest.approx(0.7, abs=1e-12)
    assert result.unactuated_norm == 0


def test_the_function_without_contact_is_still_there():
    model = pendulum()
    assert stiction.inverse_dynamics(model, [0.3], [0.0], [1.0]).shape == (1,)


def test_the_relaxation_diverges_when_sliding():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    simulator.set_velocity([1, 0, 0, 0, 0, 0])
    slide = [0.999, 0, 0, 0, 0, 0]
    assert stiction.inverse_step(simulator, slide).converged
    relaxed = stiction.inverse_step(simulator, slide, contact_model="ccp", max_iterations=20)
    assert relaxed.status == "unreachable" and not relaxed.converged
    assert len(relaxed.impulse_history) == 21
    assert relaxed.impulse_history[20] > 1e6


def test_bad_input_is_refused():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    with pytest.raises(ValueError, match="v_ref has 5"):
        stiction.inverse_step(simulator, np.zeros(5))
    with pytest.raises(TypeError, match="tolerence"):
        stiction.inverse_step(simulator, np.zeros(6), tolerence=1)
    with pytest.raises(ValueError):
        stiction.inverse_step(simulator, np.zeros(6), contact_model="lcp")
    with pytest.raises(ValueError, match="velocity 9"):
        stiction.inverse_step(simulator, np.zeros(6), unactuated=[9])


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


# Of the velocity, largest entry, m/s or rad/s. Residuals are quadratic in the direction of sliding, so a step knows the
# velocity of light feet that slide to the square root of its tolerance.
IDENTITY = {"UR5 sticking to the wall": 1e-9, "UR5 sliding along the wall": 1e-9, "Solo-12 standing": 1e-9, "Solo-12 sliding": 1e-4}


@pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize("tolerance", [1e-9, 1e-12])
def test_forward_after_inverse_is_the_identity_on_real_robots(tolerance):
    """UR5 and Solo-12 from their URDF files; rigid contact, tolerance 1e-6, at most two iterations."""
    example = load_example("inverse_dynamics_robots")
    for name, simulator, force in example.motions(FOLDER, tolerance=tolerance):
        found = example.measure(simulator, force, steps=60)
        assert found["failed"] == 0 and found["iterations"] <= 2 and found["eps_abs"] <= 1e-6, (name, found)
        assert found["error"] <= IDENTITY[name], (name, found)
        if "sliding" in name:
            assert found["sliding"] >= 60, (name, found)
        else:
            assert found["sliding"] == 0 and found["sticking"] >= 60, (name, found)


@pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")
def test_the_relaxation_diverges_when_real_robots_slide():
    example = load_example("inverse_dynamics_robots")
    for name, simulator, force in example.motions(FOLDER):
        result = example.growth(simulator, force, "ccp", 10)
        if "sliding" in name:
            assert result.status == "unreachable" and result.impulse_history[-1] > 1e6, name
            assert result.impulse_history[100] == pytest.approx(10 * result.impulse_history[10], rel=0.1), name
        else:
            assert result.converged, name


@pytest.mark.skipif(not stiction.has_mjcf(), reason="MuJoCo is not installed")
def test_the_example_runs(capsys):
    load_example("inverse_dynamics").main()
    text = capsys.readouterr().out
    assert "ncp: converged" in text and "ccp: unreachable" in text
