"""The contact problem of a step in Python: solved again, written, read; least impulses; relaxed friction; the stop on eps_abs."""

import math

import numpy as np
import pytest

import stiction
from worlds import box_on_plane


def sliding(**settings):
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3, **settings)
    v = np.zeros(6)
    v[:2] = 1.0, 0.3
    simulator.set_velocity(v)
    return simulator


def test_problem_is_what_was_solved():
    simulator = sliding()
    assert simulator.contact_problem().problem.num_constraints == 0
    with pytest.raises(ValueError, match="island 0 does not exist"):
        simulator.contact_problem(0)
    report = simulator.step(3)
    step = simulator.contact_problem()
    assert step.sources == ["contact"] * 4 and step.contacts == [0, 1, 2, 3] and len(set(map(tuple, step.id))) == 4
    assert stiction.judge(step.problem, step.impulse, time_step=1e-3).eps_nat == pytest.approx(report.residuals.eps_nat, abs=1e-12)
    arrays = simulator.contact_arrays()
    assert np.array_equal(arrays["impulse"].ravel(), step.impulse)
    assert np.allclose(arrays["law_velocity"].ravel(), step.problem.velocity(step.impulse), atol=1e-12)
    for name in ("ncp-gs", "ncp-admm"):
        solution = stiction.ContactSolution()
        assert stiction.make_solver(name, tolerance=1e-9).solve(step.problem, solution).converged
        assert np.allclose(step.problem.velocity(solution.impulse), step.problem.velocity(step.impulse), atol=1e-7)


def test_problem_goes_into_files(tmp_path):
    simulator = sliding()
    steps = []
    for _ in range(5):
        simulator.step()
        step = simulator.contact_problem()
        steps.append(stiction.SequenceStep(step.problem, step.id, step.impulse))
    stiction.write_sequence(tmp_path / "slide.h5", stiction.Sequence("slide", 1e-3, steps, "a box"))
    again = stiction.read_sequence(tmp_path / "slide.h5")
    assert len(again) == 5 and again.name == "slide" and again.time_step == 1e-3
    for before, now in zip(steps, again):
        assert np.allclose(before.problem.to_dense(), now.problem.to_dense(), atol=1e-12)
        assert np.array_equal(before.reference, now.reference) and before.id == now.id
    assert np.array_equal(stiction.carry_over(again[0], again[0].reference, again[1]), again[0].reference)
    stiction.write_fclib(tmp_path / "slide.hdf5", stiction.FclibProblem(steps[-1].problem, "slide"))
    stored = stiction.read_fclib(tmp_path / "slide.hdf5").problem
    assert np.allclose(stored.to_dense(), steps[-1].problem.to_dense(), atol=1e-12)
    with pytest.raises(ValueError, match="no steps"):
        stiction.write_sequence(tmp_path / "none.h5", stiction.Sequence("none", 1e-3, []))


def test_least_impulse_does_the_same_with_less():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3, solver="ncp-pgs")
    simulator.add_external_force("box", (10.0, 3.0, 0.0), (0, 0, 0.1))
    simulator.step(20)
    step = simulator.contact_problem()
    found = stiction.find_least_impulse(step.problem, step.impulse)
    assert found.converged and found.mismatch < 1e-9
    assert np.linalg.norm(found.impulse) < np.linalg.norm(step.impulse) - 1e-6
    assert stiction.judge(step.problem, found.impulse, time_step=1e-3).eps_nat < 1e-7
    assert np.linalg.norm(stiction.find_least_impulse(step.problem, found.impulse).internal) < 1e-8
    with pytest.raises(ValueError, match="entries but the problem has"):
        stiction.find_least_impulse(step.problem, [1.0])


def test_histories_through_the_simulator():
    simulator = sliding(solver="ncp-admm")
    simulator.set_solver_option("record_history", 1)
    simulator.step()
    history = simulator.solve_history()
    assert history and history[-1].residual < 1e-6
    assert simulator.solve_report().iterations == simulator.report.iterations
    automatic = sliding()
    automatic.step()
    assert sum(automatic.solve_report(0).stages.values()) >= 1


def test_tangential_compliance_is_a_relaxation():
    simulator = sliding(tangential_compliance=1e-7)
    report = simulator.step(5)
    assert report.num_relaxed_contacts == 4 and not report.is_rigid and "NOT Coulomb's law" in str(report)
    for bad in (-1.0, math.nan):
        with pytest.raises(ValueError, match="tangential_compliance"):
            sliding(tangential_compliance=bad)


def test_stop_on_eps_abs():
    for absolute in (1e-8, 1e-4):
        simulator = sliding(solver="ncp-pgs", absolute_tolerance=absolute)
        report = simulator.step(10)
        assert report.residuals.eps_abs <= absolute and report.law_certified
        assert stiction.Simulator(box_on_plane(), **simulator.settings).settings == simulator.settings
    with pytest.raises(ValueError, match="absolute_tolerance"):
        sliding(absolute_tolerance=-1.0)
