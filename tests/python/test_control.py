"""The walking controller: closed forms of its parts, and short walks of Solo-12 on the flat and on bumps."""

import builtins

import numpy as np
import pytest
import stiction
from stiction import control
from stiction.control import quadratic_program, solo12
from stiction.control.footholds import FootholdSettings, foothold, swing_path
from stiction.control.gait import Gait
from stiction.control.ground import GroundEstimate


def has_robot():
    try:
        return bool(solo12.urdf())
    except FileNotFoundError:
        return False


needs_proxsuite = pytest.mark.skipif(not quadratic_program.is_available(), reason="proxsuite is not installed (stiction[experiments])")
needs_robot = pytest.mark.skipif(not has_robot(), reason="example-robot-data is not installed")

FEET = np.array([[0.2, 0.15, 0], [0.2, -0.15, 0], [-0.2, 0.15, 0], [-0.2, -0.15, 0.0]])
HEIGHT = 0.24


# ---- gait


def test_trot_moves_diagonal_pairs_in_turn():
    gait = Gait.trot(0.32)
    assert gait.stance_time == gait.swing_time == pytest.approx(0.16)
    assert gait.stands(0.0).tolist() == gait.stands(0.159).tolist() == gait.stands(0.32).tolist() == [True, False, False, True]
    assert gait.stands(0.16).tolist() == gait.stands(0.319).tolist() == [False, True, True, False]
    assert np.allclose(gait.stance_phases(0.04), [0.25, 1, 1, 0.25])
    assert np.allclose(gait.swing_phases(0.04), [0, 0.25, 0.25, 0])
    assert Gait.standing().stands(0.123).all()


@pytest.mark.parametrize("gait", [Gait.trot(0.32), Gait(0.5, 0.7, (0.0, 0.25, 0.5, 0.75)), Gait.standing()])
def test_shares_are_what_a_fine_count_finds(gait):
    time, step, count = 0.0437, 0.05, 9
    fine = 4000
    times = time + step * (np.arange(count * fine) + 0.5) / fine
    counted = np.array([gait.stands(t) for t in times]).reshape(count, fine, 4).mean(axis=1)
    assert np.abs(gait.shares(time, step, count) - counted).max() < 1e-3


@pytest.mark.parametrize("bad", [dict(period=0.0), dict(period=np.nan), dict(duty=0.0), dict(duty=1.5), dict(offsets=(np.inf,))])
def test_gait_refuses(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Gait(**bad)


# ---- prediction


def at_rest():
    reference = np.zeros((10, 12))
    reference[:, 5] = HEIGHT
    state = control.BodyState(np.zeros(3), np.array([0, 0, HEIGHT]), np.zeros(3), np.zeros(3))
    return state, reference, np.tile(FEET, (10, 1, 1))


def body(**settings):
    return control.SingleRigidBody(2.5, np.diag([0.02, 0.05, 0.06]), control.PredictionSettings(**settings))


@needs_proxsuite
def test_standing_still_takes_a_quarter_of_the_weight_per_foot():
    state, reference, feet = at_rest()
    found = body().predict(state, np.eye(3), reference, feet, np.ones((10, 4)), np.eye(3), 0.5)
    assert np.abs(found.forces - [0, 0, 2.5 * 9.81 / 4]).max() < 1e-6
    assert np.abs(found.end - reference).max() < 1e-6


@needs_proxsuite
def test_prediction_is_the_integral_of_the_forces():
    """The closed form of the condensed program against Euler's steps, 2000 of them in each step of the prediction."""
    state = control.BodyState(np.array([0.0, 0.0, 0.4]), np.array([0.01, 0.02, 0.23]), np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.1, 0]))
    _, reference, feet = at_rest()
    turn = np.array([[np.cos(0.4), -np.sin(0.4), 0], [np.sin(0.4), np.cos(0.4), 0], [0, 0, 1]])
    shares = Gait.trot().shares(0.02, 0.032, 10)
    robot = body()
    found = robot.predict(state, turn, reference, feet, shares, np.eye(3), 0.5)
    inertia = turn @ robot.inertia @ turn.T
    x = np.concatenate([state.angles, state.position, state.angular, state.linear])
    fine, h = 2000, 0.032
    for k in range(10):
        f = found.forces[k] * shares[k][:, None]
        arms = feet[k] - state.position
        rate = np.concatenate([np.linalg.solve(inertia, np.cross(arms, f).sum(axis=0)), f.sum(axis=0) / robot.mass - [0, 0, 9.81]])
        for _ in range(fine):
            x[:3] += h / fine * turn.T @ x[6:9]
            x[3:6] += h / fine * x[9:]
            x[6:] += h / fine * rate
        assert np.abs(found.end[k] - x).max() < 2e-3 * (k + 1)


@needs_proxsuite
def test_forces_are_those_of_least_squares_where_nothing_binds():
    """One step, one force weight: the minimiser from a dense least-squares problem that the test builds itself."""
    state = control.BodyState(np.zeros(3), np.array([0.002, 0, HEIGHT]), np.zeros(3), np.array([0.01, -0.01, 0]))
    robot = body(steps=1, step=0.03)
    reference = np.array([[0, 0, 0, 0, 0, HEIGHT, 0, 0, 0, 0, 0, 0.0]])
    found = robot.predict(state, np.eye(3), reference, FEET[None], np.ones((1, 4)), np.eye(3), 5.0)
    h, centre = 0.03, state.position

    def end(f):
        angular = np.linalg.solve(robot.inertia, np.cross(FEET - centre, f).sum(axis=0))
        linear = f.sum(axis=0) / robot.mass - [0, 0, 9.81]
        place = state.position + h * state.linear + h * h / 2 * linear
        return np.concatenate([h * h / 2 * angular, place, h * angular, state.linear + h * linear])

    root = np.sqrt(robot.settings.weights)
    zero = end(np.zeros((4, 3)))
    columns = np.array([root * (end(e.reshape(4, 3)) - zero) for e in np.eye(12)]).T
    alpha = np.sqrt(robot.settings.force_weight)
    weight = np.tile([0, 0, robot.mass * 9.81 / 4], 4)
    stacked = np.vstack([columns, alpha * np.eye(12)])
    wanted = np.concatenate([root * (reference[0] - zero), alpha * weight])
    f = np.linalg.lstsq(stacked, wanted, rcond=None)[0]
    assert np.abs(found.forces[0].ravel() - f).max() < 1e-4


@needs_proxsuite
def test_forces_stay_in_the_pyramid():
    state, reference, feet = at_rest()
    reference[:, 9] = 5.0  # faster than friction allows
    found = body().predict(state, np.eye(3), reference, feet, Gait.trot().shares(0, 0.032, 10), np.eye(3), 0.2)
    forces = found.forces
    assert np.all(np.abs(forces[..., :2]).max(axis=-1) <= 0.2 * forces[..., 2] + 1e-4)
    assert np.abs(forces[..., 0] - 0.2 * forces[..., 2]).min() < 1e-3, "friction should be used up"
    assert np.all(forces[0, [1, 2]] == 0), "feet that swing exert nothing"


@needs_proxsuite
def test_quadratic_program_refuses():
    program = control.QuadraticProgram()
    one = np.eye(1)
    with pytest.raises(ValueError, match="g is not finite"):
        program.solve(one, np.array([np.nan]), one, np.zeros(1), np.ones(1))
    with pytest.raises(ValueError, match="row 0 wants at least 2"):
        program.solve(one, np.zeros(1), one, np.array([2.0]), np.ones(1))


def test_without_proxsuite_the_message_says_what_to_install(monkeypatch):
    original = builtins.__import__

    def no_proxsuite(name, *arguments, **keywords):
        if name.startswith("proxsuite"):
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", no_proxsuite)
    with pytest.raises(ImportError, match=r"stiction\[experiments\]"):
        control.QuadraticProgram()


@pytest.mark.parametrize(
    "bad", [dict(steps=0), dict(step=0.0), dict(weights=(1,) * 11), dict(force_weight=0.0), dict(smallest_force=9, largest_force=3)]
)
def test_prediction_settings_refuse(bad):
    with pytest.raises(ValueError, match="prediction"):
        control.PredictionSettings(**bad)


# ---- footholds, swings, ground


def test_foothold_at_the_commanded_velocity_is_under_the_hip_in_the_middle_of_the_stance():
    v, turn, left, stance = np.array([0.3, 0.1, 0.0]), 0.5, 0.08, 0.16
    p, hip, heading = np.array([1.0, 2.0, 0.24]), np.array([0.2, 0.15]), 0.3
    x = foothold(p, v, heading, hip, v, turn, left, stance)
    angle = heading + turn * (left + stance / 2)
    middle = p[:2] + v[:2] * (left + stance / 2)
    assert np.allclose(x, middle + [np.cos(angle) * 0.2 - np.sin(angle) * 0.15, np.sin(angle) * 0.2 + np.cos(angle) * 0.15])
    faster = foothold(p, v + [0.1, 0, 0], heading, hip, v, turn, 0.0, stance) - foothold(p, v, heading, hip, v, turn, 0.0, stance)
    assert np.allclose(faster, [0.1 * (stance / 2 + FootholdSettings().velocity_gain), 0])


def test_step_has_a_longest_length():
    x = foothold(np.zeros(3), np.array([50.0, 0, 0]), 0.0, np.zeros(2), np.zeros(3), 0.0, 0.0, 0.16)
    assert np.allclose(x, [FootholdSettings().longest_step, 0])


def test_swing_starts_and_ends_at_rest_and_clears_the_higher_end():
    start, end, T, c = np.array([0.0, 0.1, 0.0]), np.array([0.1, 0.1, 0.05]), 0.16, 0.06
    for phase, place in ((0.0, start), (1.0, end), (2.0, end)):
        x, v, _ = swing_path(start, end, phase, T, c)
        assert np.allclose(x, place) and np.allclose(v, 0)
    assert swing_path(start, end, 0.5, T, c)[0][2] == pytest.approx(0.05 + c)
    for s in (0.2, 0.5, 0.7):
        d = 1e-5
        x0, v0, _ = swing_path(start, end, s - d, T, c)
        _, v, a = swing_path(start, end, s, T, c)
        x1, v1, _ = swing_path(start, end, s + d, T, c)
        assert np.allclose((x1 - x0) / (2 * d * T), v, atol=1e-6)
        assert np.allclose((v1 - v0) / (2 * d * T), a, atol=1e-4)


def test_ground_is_the_plane_that_the_feet_stand_on():
    slope = np.array([0.1, -0.2])
    feet = FEET.copy()
    feet[:, 2] = 0.3 + feet[:, :2] @ slope
    ground = GroundEstimate(FEET, stiffness=0.0)
    for _ in range(3000):
        ground.update(feet, np.ones(4, bool), 1e-3)
    assert np.allclose(ground.slopes, slope, atol=1e-9)
    assert ground.height([0.7, -0.4]) == pytest.approx(0.3 + 0.07 + 0.08)
    n = ground.axes(0.5)[:, 2]
    assert np.allclose(n, np.array([-0.1, 0.2, 1]) / np.linalg.norm([-0.1, 0.2, 1]))
    assert np.allclose(ground.axes(0.5).T @ ground.axes(0.5), np.eye(3))


# ---- the robot


def test_without_the_robot_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("STICTION_ROBOTS", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="pip install --no-deps example-robot-data"):
        solo12.urdf()


@pytest.mark.parametrize("bad", [dict(roughness=-0.1), dict(roughness=np.nan), dict(wavelength=(0.01, 1.0)), dict(wavelength=(2.0, 1.0))])
def test_bumps_refuse(bad):
    with pytest.raises(ValueError, match="bumps"):
        solo12.bumps(0, **bad)


def test_bumps_have_their_roughness_and_a_flat_start():
    field = solo12.bumps(3, roughness=0.1)
    heights = np.asarray(field.heights)
    assert heights.max() - heights.min() == pytest.approx(0.1)
    assert abs(field.height_at(0.2, 0.1)) < 1e-12
    assert np.array_equal(heights, np.asarray(solo12.bumps(3, roughness=0.1).heights))
    assert not np.array_equal(heights, np.asarray(solo12.bumps(4, roughness=0.1).heights))


@needs_proxsuite
@needs_robot
def test_whole_body_torques_give_the_accelerations_that_were_asked():
    """M a + h = (0, τ) + Jᵀ f, with feet that accelerate as wanted and a base that does where the forces allow it."""
    simulator = stiction.Simulator(solo12.world(), dt=1e-3)
    simulator.reset("standing")
    random = np.random.default_rng(1)
    simulator.set_velocity(random.normal(size=18) * 0.2)
    walker = control.Walker(simulator)
    now = walker.sensing.measure()
    drifts = np.array([simulator.point_acceleration(np.zeros(18), b, x)[0] for b, x in zip(walker.sensing.bodies, now.feet)])
    feet, base = random.normal(size=(4, 3)), np.array([0.3, -0.2, 0.4, 0.5, -0.5, 0.2])
    settings = control.WholeBodySettings(force_weight=1e-12)
    whole = control.WholeBody(simulator, walker.sensing.legs, settings)
    torques, forces = whole.torques(now.jacobians, drifts, feet, base, np.zeros((4, 3)), np.ones(4, bool), np.eye(3), 50.0)
    total = torques + np.einsum("iab,ia->b", now.jacobians, forces)
    a = np.linalg.solve(simulator.inertia_matrix(), total - simulator.bias())
    assert np.abs(a[:6] - base).max() < 1e-4
    assert np.abs(np.einsum("iab,b->ia", now.jacobians, a) + drifts - feet).max() < 1e-8
    _, forces = whole.torques(now.jacobians, drifts, feet, base * 40, np.zeros((4, 3)), np.ones(4, bool), np.eye(3), 0.3)
    assert whole.num_programs == 1
    assert np.all(np.abs(forces[:, :2]).max(axis=1) <= 0.3 * forces[:, 2] + 1e-6)


def walk(model, seconds, friction, gait=None, **command):
    """The walker, and q by step."""
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.reset("standing")
    walker = control.Walker(simulator, gait=gait, settings=control.WalkerSettings(friction=friction))
    walker.command(**command)
    path = []
    for _ in range(int(round(seconds * 1000))):
        simulator.set_control(walker.control())
        simulator.step()
        path.append(simulator.q)
    return walker, np.array(path)


def heading(q):
    x, y, z, w = np.asarray(q)[..., 3:7].T
    return np.arctan2(2 * (x * y + z * w), 1 - 2 * (y * y + z * z))


@needs_proxsuite
@needs_robot
def test_stands():
    walker, path = walk(solo12.world(0.9), 0.5, 0.9, gait=Gait.standing())
    assert np.abs(path[-1] - path[0])[:3].max() < 5e-3
    weight = stiction.total_mass(walker.simulator.model) * 9.81
    assert walker.forces[:, 2].sum() == pytest.approx(weight, rel=1e-2)


@needs_proxsuite
@needs_robot
def test_walk_on_the_flat_holds_speed_and_heading():
    _, path = walk(solo12.world(0.9), 2.92, 0.9, vx=0.3)
    cycles = path[1000::320]
    speeds = np.diff(cycles[:, 0]) / 0.32
    assert abs(speeds.mean() - 0.3) < 0.05 * 0.3
    assert np.abs(path[:, 1]).max() < 0.02 and np.abs(heading(path)).max() < 0.05
    assert path[:, 2].min() > 0.8 * path[0, 2]


@needs_proxsuite
@needs_robot
def test_walk_turns_and_goes_sideways():
    walker, path = walk(solo12.world(0.9), 2.28, 0.9, vy=0.15, yaw_rate=0.5)
    turned = np.diff(heading(path[1000::320])) / 0.32
    assert abs(turned.mean() - 0.5) < 0.05
    there = path[-1, :2] - path[1000, :2]
    middle = 0.5 * (heading(path[-1]) + heading(path[1000]))
    left = -np.sin(middle) * there[0] + np.cos(middle) * there[1]
    assert abs(left / 1.279 - 0.15) < 0.02


@needs_proxsuite
@needs_robot
def test_walk_on_slippery_bumps_stays_on_its_path():
    _, path = walk(solo12.world(0.3, solo12.bumps(1)), 2.92, 0.3, vx=0.3)
    speeds = np.diff(path[1000::320, 0]) / 0.32
    assert abs(speeds.mean() - 0.3) < 0.05 * 0.3
    assert np.abs(path[:, 1]).max() < 0.05 and np.abs(heading(path)).max() < 0.15


@needs_proxsuite
@needs_robot
def test_walker_refuses():
    simulator = stiction.Simulator(solo12.world(), dt=1e-3)
    simulator.reset("standing")
    with pytest.raises(ValueError, match="not finite"):
        control.Walker(simulator).command(vx=np.nan)
    with pytest.raises(ValueError, match="friction"):
        control.WalkerSettings(friction=0.0)
    with pytest.raises(ValueError, match="friction"):
        control.WalkerSettings(friction=-1.0)
    with pytest.raises(ValueError, match="four"):
        control.Walker(simulator, gait=Gait(offsets=(0.0, 0.5)))
    with pytest.raises(ValueError, match="FL_FOOT|FL_HAA"):
        control.Walker(stiction.Simulator(stiction.load("scenes/quadruped.xml").model))
