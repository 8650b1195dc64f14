"""Fitting: what is known comes back, what cannot be known is named, and what is wrong is refused."""

import gzip
import os

import numpy as np
import pytest
import stiction
from conftest import SCENES

pytest.importorskip("scipy")
from stiction.experiments import _tosses  # noqa: E402
from stiction.fit import (  # noqa: E402
    CenterOfMass, Compliance, CornerRounding, Custom, Damping, Friction, GravityDirection, GravitySize, Inertia, InertiaLogCholesky,
    JointArmature, JointDamping, JointFriction, Mass, Restitution, RollingFriction, RolloutResiduals, Rollouts, Score, ShapeSize,
    TorsionalFriction, Trajectory, add_rounded_box, angle_between, apply, cma_es, fit, fit_flight, folds, nelder_mead, pack, read_csv, read_recording,
    rows_in_flight, save_report, suspected_units, toss_error, upper_face,
)  # fmt: skip

from stiction.fit.report import overlay_model, overlay_page  # noqa: E402

MOMENT = np.array([[3e-3, 2e-4, -1e-4], [2e-4, 2.5e-3, 3e-4], [-1e-4, 3e-4, 4e-3]])


def box_world(friction=0.3, restitution=0.0, com=(0, 0, 0), mass=0.5):
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="board", friction=friction)
    body = builder.add_body(name="box", mass=mass, com=com, inertia=MOMENT)
    builder.add_shape(body, stiction.Box((0.05, 0.06, 0.04)), name="box", friction=friction, restitution=restitution)
    return builder.build()


def simulated(model, q, v, rows=30, name="one", forces=None, dt=0.01, substeps=10):
    """What a model does, as if it had been recorded."""
    begin = Trajectory(name, np.arange(rows) * dt, np.tile(q, (rows, 1)), np.tile(v, (rows, 1)), joint_forces=forces,
                       quaternions=(3,) if len(q) > 1 else ())  # fmt: skip
    positions, velocities = Rollouts(model, substeps=substeps).run_both(begin)
    return Trajectory(name, begin.times, positions, velocities, joint_forces=forces, quaternions=begin.quaternions)


def test_progress_is_told_and_changes_nothing(capsys):
    def objective(model):
        return (model.bodies[0].mass - 0.7) ** 2

    told = []
    quiet = fit(box_world(), [Mass("box", 0.5)], objective=objective, method="nelder_mead", max_runs=40)
    loud = fit(box_world(), [Mass("box", 0.5)], objective=objective, method="nelder_mead", max_runs=40,
               progress=lambda done, of: told.append((done, of)))  # fmt: skip
    assert capsys.readouterr().err == ""
    assert np.array_equal(quiet.z, loud.z) and quiet.history == loud.history
    assert told[0] == (0, 40) and told[-1] == (loud.runs, loud.runs) and len(told) > 5
    assert all(0 <= done < 40 for done, _ in told[:-1]) and told[:-1] == sorted(told[:-1])


def flights(count=6, rows=14, com=(1e-3, -2e-3, 5e-3), gravity=(0.1, -0.05, -9.7), noise=0.0, seed=0):
    """Tumbling bodies by closed form: a steady turn about a fixed axis, the centre of mass on its parabola."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(count):
        t = np.arange(rows) / 148
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        half = 0.5 * (rng.uniform(-1, 1) + rng.uniform(8, 15) * t)
        quaternion = np.hstack([np.sin(half)[:, None] * axis, np.cos(half)[:, None]])
        rotated = np.array([stiction.Pose((0, 0, 0), x) * np.asarray(com) for x in quaternion])
        p = rng.normal(size=3) + np.outer(t, rng.normal(size=3)) + 0.5 * np.outer(t * t, gravity) - rotated
        p += rng.normal(size=p.shape) * noise
        found.append(Trajectory(f"flight {k}", t, np.hstack([p, quaternion]), np.zeros((rows, 6))))
    return found


# ---- flight


def test_flight_gives_centre_of_mass_and_gravity():
    result = fit_flight(flights(), rows=14)
    assert result.com == pytest.approx([1e-3, -2e-3, 5e-3], abs=1e-10)
    assert result.gravity == pytest.approx([0.1, -0.05, -9.7], abs=1e-8)
    assert result.noise < 1e-12 and not result.warnings
    held = fit_flight(flights(gravity=(0, 0, -9.81)), rows=14, gravity=(0, 0, -9.81))
    assert held.com == pytest.approx([1e-3, -2e-3, 5e-3], abs=1e-10)
    assert np.all(held.gravity_error == 0)


def test_intervals_of_flights_cover_the_truth():
    truth = np.array([1e-3, -2e-3, 5e-3, 0.1, -0.05, -9.7])
    covered = np.zeros(6)
    for seed in range(200):
        result = fit_flight(flights(noise=5e-5, seed=seed), rows=14)
        low, high = result.interval().T
        covered += (low <= truth) & (truth <= high)
        if seed < 5:
            errors = np.concatenate([result.com_error, result.gravity_error])
            assert np.all(np.abs(np.concatenate([result.com, result.gravity]) - truth) < 4 * errors)
    assert np.all(covered >= 180), covered
    assert np.all(covered < 200), covered  # intervals that are too wide cover too


def test_flights_in_other_units_say_so():
    rows = flights()
    scale = np.array([1e3, 1e3, 1e3, 1, 1, 1, 1])
    millimetres = [Trajectory(t.name, t.times, t.positions * scale, t.velocities) for t in rows]
    warnings = fit_flight(millimetres, rows=14).warnings
    assert len(warnings) == 1 and "970" in warnings[0] and "millimetres" in warnings[0]
    assert "feet" in suspected_units(32.2) and suspected_units(9.6) is None
    assert "units" in suspected_units(5.0) and "milliseconds" in suspected_units(9.8e-6)


def test_flights_that_cannot_tell_are_refused():
    with pytest.raises(ValueError, match="no flight of 4 rows"):
        fit_flight(flights(), rows=3)
    with pytest.raises(ValueError, match="3 entries for 6"):
        fit_flight(flights(), rows=[5, 5, 5])
    level = np.tile([0, 0, 0, 1.0], (14, 1))
    still = [Trajectory("still", t.times, np.hstack([t.positions[:, :3], level]), t.velocities) for t in flights()]
    with pytest.raises(ValueError, match="turns too little"):
        fit_flight(still, rows=14)
    with pytest.raises(ValueError, match="it has 14"):
        fit_flight(flights(), rows=15)


def test_rows_in_flight_end_before_the_touch():
    model = box_world()
    fall = simulated(model, [0, 0, 0.14, 0, 0, 0, 1], np.zeros(6), rows=25)
    count = rows_in_flight(model, fall)
    assert 0 < count < 25 and fall.positions[count - 1, 2] - 0.04 > 2e-3 >= fall.positions[count, 2] - 0.04
    assert rows_in_flight(model, fall.first(5)) == 5


# ---- rollouts on synthetic data


def test_friction_and_restitution_come_back():
    truth = box_world(friction=0.23)
    slides = [simulated(truth, [0, 0, 0.04, 0, 0, 0, 1], [vx, 0.1, 0, 0, 0, w], name=str(vx)) for vx, w in ((0.7, 0.0), (0.5, 1.0))]
    result = fit(box_world(friction=0.5), [Friction(["board", "box"], 0.5)], RolloutResiduals(slides))
    assert result.converged and result.values["friction of board, box"] == pytest.approx(0.23, abs=1e-7)

    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="board")
    builder.add_shape(builder.add_body(name="ball", mass=0.2, inertia=[1e-4] * 3), stiction.Sphere(0.05), name="ball", restitution=0.4)
    ball = builder.build()
    drop = simulated(ball, [0, 0, 0.2, 0, 0, 0, 1], [0.3, 0, 0, 0, 0, 0])
    result = fit(ball, [Restitution("ball", 0.45)], RolloutResiduals([drop]))
    assert result.values["restitution of ball"] == pytest.approx(0.4, abs=1e-7)


def test_mass_centre_and_inertia_come_back_together():
    com = np.array([4e-3, -3e-3, 6e-3])
    truth = box_world(com=com, mass=0.37)
    rng = np.random.default_rng(1)
    start = np.array([0, 0, 3.0, 0, 0, 0, 1])
    pushes = rng.normal(size=(3, 20, 6)) * [1, 1, 1, 0.02, 0.02, 0.02]
    pushed = [simulated(truth, start, rng.normal(size=6), name=str(k), forces=pushes[k], rows=20) for k in range(3)]
    parameters = [Mass("box", 0.5), CenterOfMass("box"), InertiaLogCholesky("box", np.eye(3) * 3e-3)]
    result = fit(box_world(), parameters, RolloutResiduals(pushed), tolerance=1e-12)
    body = result.model.bodies[0]
    assert body.mass == pytest.approx(0.37, rel=1e-6)
    assert np.abs(body.com - com).max() < 1e-6
    assert np.abs(body.inertia - MOMENT).max() < 1e-6 * np.abs(MOMENT).max()
    assert not result.confidence.without_effect
    low, high = result.interval("com of box.x")
    assert low <= com[0] + 1e-7 and com[0] - 1e-7 <= high


def hinge(**joint):
    builder = stiction.ModelBuilder()
    arm = dict(mass=1.0, com=(0.2, 0, 0), inertia=[0.01] * 3)
    builder.add_body(name="arm", joint="revolute", joint_name="hinge", axis=(0, 1, 0), **arm, **joint)
    return builder.build()


def test_joint_friction_damping_and_armature_come_back():
    truth = hinge(dry_friction=0.11, damping=0.05, armature=0.02)
    swing = [simulated(truth, [0.3], [v], name=str(v), rows=40, forces=np.full((40, 1), 0.2)) for v in (2.0, -3.0)]
    parameters = [JointFriction("hinge", 0.05), JointDamping("hinge", 0.1), JointArmature("hinge", 0.05, upper=0.2)]
    result = fit(hinge(), parameters, RolloutResiduals(swing, piece_rows=12))
    assert result.values["dry_friction of hinge"] == pytest.approx(0.11, abs=1e-6)
    assert result.values["damping of hinge"] == pytest.approx(0.05, abs=1e-6)
    assert result.values["armature of hinge"] == pytest.approx(0.02, abs=1e-6)


def test_gravity_and_what_has_no_effect():
    truth = box_world().edited(gravity=(0.2, -0.1, -9.6))
    falls = [simulated(truth, [0, 0, 3, 0, 0, 0, 1], [0, 0, 0, 1, 2, 3])]
    lean = fit(box_world().edited(gravity=(0, 0, -np.linalg.norm(truth.gravity))), [GravityDirection()], RolloutResiduals(falls))
    assert lean.values["gravity"] == pytest.approx([0.2, -0.1], abs=1e-6)
    both = fit(truth, [GravitySize(), Friction(["board", "box"], 0.3), Mass("box", 0.4)], RolloutResiduals(falls))
    assert both.confidence.without_effect == ["friction of board, box", "mass of box"]
    assert any("no effect" in text and "mass" in text for text in both.warnings)
    assert "without effect" in str(both)
    moon = [simulated(box_world().edited(gravity=(0, 0, -1.62)), [0, 0, 3, 0, 0, 0, 1], np.zeros(6))]
    assert any("far from 9.8" in text for text in fit(box_world(), [GravitySize()], RolloutResiduals(moon)).warnings)


def test_a_lean_of_gravity_keeps_the_size_that_was_fitted():
    truth = box_world().edited(gravity=(0.2, -0.1, -1.6))
    falls = [simulated(truth, [0, 0, 3, 0, 0, 0, 1], [0, 0, 0, 1, 2, 3])]
    result = fit(box_world(), [GravitySize(1.5), GravityDirection()], RolloutResiduals(falls))
    assert result.model.gravity == pytest.approx(truth.gravity, abs=1e-6)


def test_what_trades_off_is_named():
    slide = [simulated(box_world(friction=0.2), [0, 0, 0.04, 0, 0, 0, 1], [0.7, 0, 0, 0, 0, 0])]
    result = fit(box_world(), [Friction("board", 0.3), Friction("box", 0.3)], RolloutResiduals(slide))
    mu_board, mu_box = (result.values[f"friction of {name}"] for name in ("board", "box"))
    assert np.sqrt(mu_board * mu_box) == pytest.approx(0.2, abs=1e-6)  # the product is known, the two are not
    assert result.confidence.trade_offs == [["friction of board", "friction of box"]]
    assert any("trade off" in text for text in result.warnings)


def noisy_repeats(count):
    """How often 95 % intervals of a hinge's damping and armature cover the truth."""
    truth = hinge(damping=0.05, armature=0.02)
    clean = simulated(truth, [0.3], [2.0], rows=40)
    covered = np.zeros(2)
    for seed in range(count):
        noise = np.random.default_rng(seed).normal(size=clean.positions.shape) * 1e-3
        noise[0] = 0.0
        noisy = Trajectory("noisy", clean.times, clean.positions + noise, clean.velocities, quaternions=())
        parameters = [JointDamping("hinge", 0.05), JointArmature("hinge", 0.02, upper=0.2)]
        result = fit(truth, parameters, RolloutResiduals([noisy]), tolerance=1e-8)
        for k, (label, value) in enumerate((("damping of hinge", 0.05), ("armature of hinge", 0.02))):
            low, high = result.interval(label)
            covered[k] += low <= value <= high
    return covered / count


def test_intervals_of_rollouts_cover_the_truth():
    count = 200 if os.environ.get("STICTION_LONG_TESTS") else 40
    covered = noisy_repeats(count)
    assert np.all(covered >= (0.9 if count == 200 else 0.85)), covered


@pytest.mark.skipif(not os.environ.get("STICTION_LONG_TESTS"), reason="set STICTION_LONG_TESTS to run it")
def test_processes_change_nothing():
    slide = [simulated(box_world(friction=0.2), [0, 0, 0.04, 0, 0, 0, 1], [0.7, 0, 0, 0, 0, 0])]
    one, two = (fit(box_world(), [Friction(["board", "box"], 0.5)], RolloutResiduals(slide), processes=n) for n in (1, 2))
    assert np.array_equal(one.z, two.z) and one.cost == two.cost


# ---- parameters


def test_log_cholesky_is_always_a_body():
    assert InertiaLogCholesky.to_moment(InertiaLogCholesky.of_moment(MOMENT)) == pytest.approx(MOMENT, rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(100):
        moments = np.linalg.eigvalsh(InertiaLogCholesky.to_moment(rng.normal(size=6) * 2))
        assert moments[0] > 0 and moments[2] <= moments[0] + moments[1]
    with pytest.raises(ValueError, match="triangle"):
        InertiaLogCholesky("box", [1.0, 1.0, 3.0])


def test_a_mass_takes_its_moment_along():
    heavier = apply(box_world(), [Mass("box", 0.5)], np.array([np.log(1.0)]))
    assert heavier.bodies[0].inertia == pytest.approx(2 * MOMENT) and heavier.bodies[0].mass == pytest.approx(1.0)
    own = apply(box_world(), [Mass("box", 0.5), Inertia("box", 2e-3)], np.log([1.0, 3e-3]))
    assert own.bodies[0].inertia == pytest.approx(3e-3 * np.eye(3))
    with pytest.raises(ValueError, match="lanky"):
        apply(box_world(), [Mass("lanky", 0.5)], np.zeros(1))


def test_shapes_take_sizes_and_rounded_corners():
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="board")
    body = builder.add_body(name="cube", mass=1.0, inertia=[1e-3] * 3)
    add_rounded_box(builder, body, (0.05, 0.06, 0.07), 0.004, name="cube", faces=True, friction=0.2)
    model = builder.build()
    rounded = apply(model, [CornerRounding("cube", (0.05, 0.06, 0.07), 0.01)], np.array([0.01]))
    corner = rounded.shapes[rounded.find_shape("cube_corner0")]
    assert corner.geometry.radius == 0.01 and np.allclose(corner.pose.position, [0.04, 0.05, 0.06])
    assert rounded.shapes[rounded.find_shape("cube")].mask == 0  # seen, not felt
    face = rounded.shapes[rounded.find_shape("cube_face4")]
    assert np.allclose(face.pose.position, [0, 0, 0.066])
    box = box_world()
    larger = apply(box, [ShapeSize("box")], np.array([np.log(1.5)]))
    assert np.allclose(larger.shapes[larger.find_shape("box")].geometry.half_size, [0.075, 0.09, 0.06])
    with pytest.raises(ValueError, match="Plane has no size"):
        apply(box, [ShapeSize("board")], np.zeros(1))
    simulator = stiction.Simulator(rounded, dt=1e-3)
    simulator.set_position([0, 0, 0.07, 0, 0, 0, 1])
    simulator.step(200)
    assert simulator.q[2] == pytest.approx(0.07, abs=1e-8)


def ball_world(radius, **material):
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="board", friction=0.8)
    body = builder.add_body(name="ball", mass=0.2, inertia=[2e-4] * 3)
    builder.add_shape(body, stiction.Sphere(radius), name="ball", friction=0.8, **material)
    return builder.build()


def test_size_compliance_and_damping_come_back():
    soft = dict(compliance=1e-3, damping=2)  # always in contact: what begins to touch has a kink there
    rolls = [simulated(ball_world(0.05, **soft), [0, 0, 0.048, 0, 0, 0, 1], [0.5, 0, 0, 0, 0, 0])]
    result = fit(ball_world(0.0503, **soft), [ShapeSize("ball")], RolloutResiduals(rolls), tolerance=1e-12)
    assert result.model.shapes[result.model.find_shape("ball")].geometry.radius == pytest.approx(0.05, rel=1e-6)

    drops = [simulated(ball_world(0.05, **soft), [0, 0, 0.047, 0, 0, 0, 1], [0.5, 0, 0, 0, 0, 0])]
    parameters = [Compliance("ball", 1.2e-3), Damping("ball", 1.5)]
    result = fit(ball_world(0.05), parameters, RolloutResiduals(drops), tolerance=1e-12)
    material = result.model.shapes[result.model.find_shape("ball")].material
    assert material.compliance == pytest.approx(1e-3, rel=1e-6) and material.damping == pytest.approx(2, rel=1e-6)


def test_torsional_and_rolling_friction_come_back():
    shapes = ["board", "ball"]
    truth = ball_world(0.05).edited(shapes={name: dict(torsional_friction=2e-3, rolling_friction=7e-4) for name in shapes})
    rolls = [simulated(truth, [0, 0, 0.05, 0, 0, 0, 1], [0.5, 0, 0, 0, 10, 8])]
    result = fit(ball_world(0.05), [TorsionalFriction(shapes), RollingFriction(shapes)], RolloutResiduals(rolls), tolerance=1e-12)
    assert result.values["torsional_friction of board, ball"] == pytest.approx(2e-3, abs=1e-8)
    assert result.values["rolling_friction of board, ball"] == pytest.approx(7e-4, abs=1e-8)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Friction("a", -0.1), "outside"),
        (lambda: Friction("a", float("nan")), "finite"),
        (lambda: Friction("a", 0.5, lower=1, upper=0.2), "lower must be less"),
        (lambda: Compliance("a", 1e-5, lower=0.0), "positive"),
        (lambda: CenterOfMass("a", (0, 0)), "3 entries"),
        (lambda: Restitution("a", "hard"), "numbers are wanted"),
        (lambda: fit(box_world(), [Friction("box", frozen=True)], lambda m: np.ones(3)), "every parameter is frozen"),
        (lambda: fit(box_world(), [Friction("box", name="x"), Mass("box", 1.0, name="x")], lambda m: np.ones(3)), "two parameters"),
        (lambda: fit(box_world(), [Friction("bax")], lambda m: np.ones(3)), "no shape 'bax'"),
        (lambda: fit(box_world(), [Friction("box")], lambda m: np.ones(3), method="newton"), "method is 'newton'"),
        (lambda: fit(box_world(), [Friction("box")]), "either residuals or an objective"),
        (lambda: fit(box_world(), [Friction("box")], objective=lambda m: 1.0), "least_squares needs residuals"),
        (lambda: fit(box_world(), [Custom("x", 0.0, -np.inf, 1.0, print)], lambda m: np.ones(3)), "no finite bounds"),
        (lambda: RolloutResiduals([]), "no trajectory"),
        (lambda: RolloutResiduals(flights(), cap=0.0), "cap is 0"),
        (lambda: RolloutResiduals(flights(), weights=[1, 2]), "weights"),
        (lambda: Rollouts(hinge()).run(flights()[0]), "7 positions and 6 velocities"),
        (lambda: list(folds([1, 2], 3)), "3 folds"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# ---- minimisers


@pytest.mark.parametrize("minimise", [nelder_mead, lambda v, x, **k: cma_es(v, x, seed=7, **k)])
def test_minimisers_find_a_valley_and_repeat_bit_for_bit(minimise):
    def valley(points):
        return [100 * ((3 * y - 1) - (3 * x - 1) ** 2) ** 2 + (1 - (3 * x - 1)) ** 2 for x, y in points]

    one, two = (minimise(valley, np.array([0.2, 0.6]), max_runs=1500, tolerance=1e-9) for _ in range(2))
    assert one.x == pytest.approx([2 / 3, 2 / 3], abs=1e-6)
    assert np.array_equal(one.x, two.x) and one.history == two.history
    edge = minimise(lambda points: [float(x[0] + (x[1] - 0.4) ** 2) for x in points], np.array([0.5, 0.5]), max_runs=600)
    assert edge.x == pytest.approx([0, 0.4], abs=1e-2)
    nowhere = minimise(lambda points: [float("nan") if x[0] > 0.9 else float(x[0] ** 2) for x in points], np.array([0.5]), max_runs=60)
    assert nowhere.x[0] < 0.05


def test_derivative_free_fit_finds_friction():
    slide = [simulated(box_world(friction=0.2), [0, 0, 0.04, 0, 0, 0, 1], [0.7, 0, 0, 0, 0, 0])]
    residuals = RolloutResiduals(slide)
    for method in ("nelder_mead", "cma_es"):
        how = dict(method=method, max_runs=160, seed=3)
        result, again = (fit(box_world(), [Friction(["board", "box"], 0.5)], residuals, **how) for _ in range(2))
        assert result.cost == again.cost and np.array_equal(result.z, again.z)
        assert result.values["friction of board, box"] == pytest.approx(0.2, abs=1e-4)


# ---- trajectories and measures

HEADER = "toss,k,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"


def table(tmp_path, lines, header=HEADER, name="tosses.csv"):
    path = tmp_path / name
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def line(toss, k, **changes):
    values = dict(toss=toss, k=k, t=k * 0.01, px=0.1, py=0.2, pz=0.3, qw=1, qx=0, qy=0, qz=0, vx=1, vy=2, vz=3, wx=4, wy=5, wz=6)
    return ",".join(str(x) for x in {**values, **changes}.values())


def test_tables_are_read(tmp_path):
    a, b = read_csv(table(tmp_path, [line("a", 0), line("a", 1), line("b", 0), line("b", 1), line("b", 2)]))
    assert (a.name, len(a), b.name, len(b)) == ("a", 2, "b", 3)
    assert a.positions[0] == pytest.approx([0.1, 0.2, 0.3, 0, 0, 0, 1]) and a.velocities[1] == pytest.approx([1, 2, 3, 4, 5, 6])
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "tosses.csv").read_bytes()))
    assert [t.name for t in read_csv(packed)] == ["a", "b"]
    packed.write_bytes(packed.read_bytes()[:40])
    with pytest.raises(ValueError, match="packed.csv.gz"):
        read_csv(packed)


@pytest.mark.parametrize(
    "lines, message",
    [
        ([line("a", 0), line("a", 1, py="nan")], r"line 3: py is 'nan'"),
        ([line("a", 0), line("a", 1, vx="")], r"line 3: vx is ''"),
        ([line("a", 0), line("a", 1) + ",9"], r"line 3: 17 fields, the header has 16"),
        ([line("a", 0), line("a", 1, qw=0.5)], r"from line 2 on: .*row 1 has length 0.5"),
        ([line("a", 0), line("a", 0)], "time must increase"),
        ([line("a", 0), line("a", 1), line("a", 2), line("a", 9)], "rows are missing"),
        ([line("a", 0)], "two or more"),
        ([], "no samples"),
    ],
)
def test_bad_tables_are_refused(tmp_path, lines, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_csv(table(tmp_path, lines))
    assert "tosses.csv" in str(caught.value)


def test_bad_headers_are_refused(tmp_path):
    for header, message in ((HEADER.replace("pz", "height"), "no column pz"), (HEADER + ",angle", "column angle"), ("", "no column")):
        with pytest.raises(ValueError, match=message):
            read_csv(table(tmp_path, [], header))


def test_recordings_are_read_alike(tmp_path):
    model = box_world()
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.set_position([0, 0, 0.2, 0, 0, 0, 1])
    with stiction.record(simulator, tmp_path / "fall.h5") as writer:
        writer.step(100)
    fall = read_recording(tmp_path / "fall.h5", every=10)
    assert len(fall) == 10 and fall.interval == pytest.approx(0.01) and fall.joint_forces is None
    again = Rollouts(model, substeps=10).run(fall)
    assert np.abs(again - fall.positions).max() < 1e-12
    with pytest.raises(ValueError, match="100 steps"):
        read_recording(tmp_path / "fall.h5", every=60)


def test_pieces_share_their_ends():
    whole = flights(count=1, rows=14)[0]
    pieces = whole.pieces(5)
    assert [len(p) for p in pieces] == [5, 5, 6]
    for a, b in zip(pieces, pieces[1:]):
        assert np.array_equal(a.positions[-1], b.positions[0])
    assert pieces[-1].times[-1] == whole.times[-1]
    with pytest.raises(ValueError, match="three or more"):
        whole.pieces(2)


def test_a_turned_throw_is_the_same_throw():
    model = box_world(com=(0, 0, 5e-3))
    toss = simulated(model, [0, 0, 0.15, 0, 0, 0, 1], [1, 0.4, 0, 3, -5, 2], rows=40)
    turned = toss.turned(0.7)
    assert turned.positions[5, :2] == pytest.approx([np.cos(0.7) * toss.positions[5, 0] - np.sin(0.7) * toss.positions[5, 1],
                                                     np.sin(0.7) * toss.positions[5, 0] + np.cos(0.7) * toss.positions[5, 1]])  # fmt: skip
    error = toss_error("x", turned.positions, Rollouts(model).run(turned), 0.1)
    assert error.position < 0.1 and error.rotation < 0.1 and error.face


def test_measures_of_known_motions():
    q = np.tile([0, 0, 0, 0, 0, 0, 1.0], (2, 1))
    moved = np.array([[0, 0, 0, 0, 0, 0, 1.0], [0.3, 0.4, 0, np.sin(0.5), 0, 0, np.cos(0.5)]])
    error = toss_error("x", q, moved, 2.0)
    assert error.position == pytest.approx(12.5) and error.rotation == pytest.approx(np.degrees(0.5)) and not error.face
    assert angle_between(q[:, 3:], -moved[:, 3:])[1] == pytest.approx(1.0)  # q and −q are one rotation
    assert upper_face(np.array([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])) == 2  # +y looks up
    assert upper_face(np.array([0, np.sqrt(0.5), 0, np.sqrt(0.5)])) == 1
    score = Score([error, toss_error("y", q, q, 2.0)])
    assert score.position == pytest.approx(6.25) and score.face == 50 and score.capped(12.5, 1e9) == pytest.approx(0.5, abs=1e-6)


def test_an_error_is_bent_where_it_is_capped():
    truth = box_world()
    near = simulated(truth, [0, 0, 3, 0, 0, 0, 1], np.zeros(6))
    other = truth.edited(gravity=(0, 0, -1.0))
    free, capped = RolloutResiduals([near])(other), RolloutResiduals([near], cap=0.1)(other)
    size = np.linalg.norm(free)
    assert np.linalg.norm(capped) == pytest.approx(0.1 * (1 + np.log(size / 0.1)))
    assert np.allclose(capped / np.linalg.norm(capped), free / size)
    assert np.array_equal(RolloutResiduals([near], cap=10 * size)(other), free)


# ---- real tosses


@pytest.fixture(scope="module")
def cube_tosses():
    return _tosses.read_cube(SCENES / "tosses" / "cube")


def test_flight_of_the_real_cube(cube_tosses):
    result = fit_flight([t.trajectory for t in cube_tosses], [t.touch for t in cube_tosses], least_rows=8)
    assert result.com[2] == pytest.approx(5.7e-3, abs=4e-4)
    assert np.linalg.norm(result.gravity) == pytest.approx(9.6, abs=0.1)


@pytest.mark.parametrize(
    "substeps, values, position, rotation, face",
    [
        (1, dict(friction=0.1765), 13.9, 16.9, 84),
        (10, dict(friction=0.176, compliance=1.2e-5, damping=64, inertia=0.00119, com=(2e-4, 1e-4, 5.9e-3)), 9.0, 8.2, 95),
    ],
)
def test_rows_of_the_real_cube_come_back(cube_tosses, substeps, values, position, rotation, face):
    found = _tosses.score(cube_tosses, Rollouts(_tosses.plain_cube(**values), substeps=substeps).run, _tosses.CUBE_WIDTH)
    assert found.position == pytest.approx(position, abs=0.2)
    assert found.rotation == pytest.approx(rotation, abs=0.3)
    assert found.face == pytest.approx(face, abs=1)


# ---- the report


def test_a_report_shows_both_motions(tmp_path):
    pytest.importorskip("matplotlib")
    truth = box_world(friction=0.2)
    slides = [simulated(truth, [0, 0, 0.04, 0, 0, 0, 1], [v, 0, 0, 0, 0, 0], name=f"slide {v}") for v in (0.5, 0.7)]
    result = fit(box_world(), [Friction(["board", "box"], 0.5), Mass("box", 0.5)], RolloutResiduals(slides))
    text = save_report(tmp_path / "fit.html", result, slides, title="A <box>").read_text()
    assert "A &lt;box&gt;" in text and "friction of board, box" in text and "slide 0.7" in text
    assert "no effect" in text and text.count("data:image/png") == 2 and "<iframe srcdoc=" in text
    both = overlay_model(result.model)
    assert both.num_positions == 14 and {s.name for s in both.shapes} >= {"recorded_box", "fitted_box"}
    with pytest.raises(ValueError, match="no trajectory"):
        overlay_page(result.model, [], tmp_path / "x.html")
    assert result.save(tmp_path / "fit.json").read_text().count('"name"') == 2


def test_overlaid_bodies_are_where_they_were(tmp_path):
    model = box_world()
    fall = simulated(model, [0, 0, 0.2, 0, 0, 0, 1], [0.3, 0, 0, 1, 2, 3])
    frames = []

    class Kept(stiction.Recording):
        def save_page(self, path, **options):
            frames.append(self.positions())

    import stiction.fit.report as report

    original, report.core.Recording = report.core.Recording, Kept
    try:
        overlay_page(model, [fall], tmp_path / "x.html", predicted=[fall.positions + [0.1, 0, 0, 0, 0, 0, 0]])
    finally:
        report.core.Recording = original
    assert np.array_equal(frames[0][: len(fall), 7:], fall.positions)
    assert frames[0][: len(fall), 0] == pytest.approx(fall.positions[:, 0] + 0.1, abs=1e-15)
