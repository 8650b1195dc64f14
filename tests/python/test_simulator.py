"""Simulator, State, StepReport, contacts, failures."""

import _thread
import ast
import copy
import math
import multiprocessing
import pickle
import re
import signal
import sys
import threading

import numpy as np
import pytest

import stiction
from conftest import SCENES
from worlds import arm, box_on_plane, overlapping_boxes, pendulum


def test_a_box_falls_and_rests():
    model = box_on_plane(height=0.5)
    simulator = stiction.Simulator(model, dt=1e-3)
    report = simulator.step(100)
    assert report.num_contacts == 0 and report.certified
    assert math.isclose(simulator.q[2], 0.5 - 9.81e-6 * 100 * 101 / 2, rel_tol=1e-12)  # semi-implicit Euler
    report = simulator.step(900)
    assert report.num_contacts == 4 and report.converged and report.certified
    assert report.residuals.eps_nat <= 1e-9 and simulator.worst_residual <= 1e-9
    assert simulator.num_uncertified_steps == 0
    assert abs(simulator.q[2] - 0.1) < 1e-6 and np.abs(simulator.v).max() < 1e-6
    assert math.isclose(simulator.time, 1.0, rel_tol=1e-9) and simulator.state.step == 1000


def test_contacts_carry_the_weight():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    simulator.step(10)
    contacts = simulator.contacts()
    assert len(contacts) == simulator.report.num_contacts == 4
    model = simulator.model
    up = sum(c.force[2] * (1 if c.body_a == 0 else -1) for c in contacts)
    assert math.isclose(up, 8 * 9.81, rel_tol=1e-6)
    for c in contacts:
        assert {model.shapes[c.shape_a].name, model.shapes[c.shape_b].name} == {"ground", "box"}
        assert np.allclose(c.frame[:, 2], c.normal) and np.allclose(c.frame @ c.impulse / 1e-3, c.force)
        assert c.friction == 0.5 and abs(c.gap) < 1e-9 and abs(c.position[2]) < 1e-9
    arrays = simulator.contact_arrays()
    for name, values in arrays.items():
        expected = [int(c.regime.value) if name == "regime" else getattr(c, name) for c in contacts]
        assert np.array_equal(values, np.array(expected)), name
    assert arrays["frame"].shape == (4, 3, 3)


def test_contact_arrays_of_no_contact():
    simulator = stiction.Simulator(box_on_plane(height=5), dt=1e-3)
    simulator.step()
    assert simulator.contacts() == []
    assert simulator.contact_arrays()["position"].shape == (0, 3)


def test_report_reads_well():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    report = simulator.step()
    text = str(report)
    assert "certified" in text and "4 sticking" in text and "eps_nat" in text and text.count("\n") < 10
    assert "\n" not in repr(report)
    assert list(report.seconds) == [
        "kinematics", "collide", "sleep", "free_velocity", "reach", "free_motion", "rows", "warm_start", "islands",
        "problems", "solve", "servos", "judge", "account", "integrate", "remember", "look_ahead", "recheck", "certify",
        "sense", "accept",
    ]
    assert report.total_seconds > 0


def test_reports_are_of_their_step():
    simulator = stiction.Simulator(box_on_plane(height=1), dt=1e-3)
    reports = [simulator.step() for _ in range(3)]
    assert [round(1e3 * r.time) for r in reports] == [1, 2, 3]


def test_step_counts():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    simulator.step(0)
    assert simulator.time == 0
    simulator.step(n=3)
    assert simulator.state.step == 3
    with pytest.raises(ValueError, match="-1"):
        simulator.step(-1)


def test_state_is_a_copy():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    state = simulator.state
    with pytest.raises(ValueError, match="read-only"):
        state.q[2] = 5  # would not reach the simulator
    with pytest.raises(ValueError, match="read-only"):
        simulator.q[2] = 5
    state.q = [0, 0, 3, 0, 0, 0, 1]
    state.v = np.arange(6.0)
    assert simulator.q[2] == 0.1
    simulator.state = state
    assert simulator.q[2] == 3 and simulator.v[5] == 5
    kept = simulator.q
    simulator.step()
    assert kept[2] == 3 and simulator.q[2] != 3
    with pytest.raises(ValueError, match="q has 2 entries; 7 are wanted"):
        state.q = [1, 2]


@pytest.mark.parametrize("way", ["pickle", "bytes", "file", "copy", "deepcopy"])
def test_going_on_from_a_saved_state_gives_the_same_bits(way, tmp_path):
    model = box_on_plane(height=0.3, orientation=np.array([0.1, 0.2, 0.3, 0.9]) / np.linalg.norm([0.1, 0.2, 0.3, 0.9]))
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.step(300)
    state = simulator.state
    if way == "pickle":
        restored = pickle.loads(pickle.dumps(state))
    elif way == "bytes":
        restored = stiction.State.from_bytes(state.to_bytes())
    elif way == "file":
        state.save(tmp_path / "state")
        restored = stiction.State.load(tmp_path / "state")
    else:
        restored = getattr(copy, way)(state)
    assert restored == state and restored is not state
    other = stiction.Simulator(model, dt=1e-3)
    other.set_state(restored)
    simulator.step(300)
    other.step(300)
    assert other.state == simulator.state
    assert other.q.tobytes() == simulator.q.tobytes()


def test_damaged_bytes_are_refused(tmp_path):
    data = bytearray(stiction.Simulator(box_on_plane()).state.to_bytes())
    data[-3] ^= 1
    with pytest.raises(ValueError, match="checksum"):
        stiction.State.from_bytes(bytes(data))
    with pytest.raises(ValueError, match="cannot be opened"):
        stiction.State.load(tmp_path / "none")


def test_states_of_another_model_are_refused():
    with pytest.raises(ValueError, match="q has 1 entries"):
        stiction.Simulator(box_on_plane()).set_state(stiction.State.initial(pendulum()))


def test_reset_and_keyframes():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    start = simulator.state
    simulator.step(5)
    simulator.reset()
    assert simulator.state == start
    simulator.reset("high")
    assert simulator.q[2] == 2 and simulator.time == 0.5
    simulator.reset(0)
    assert simulator.q[2] == 2
    assert stiction.State.from_keyframe(simulator.model, "high") == simulator.state
    with pytest.raises(ValueError, match="'high'"):
        simulator.reset("low")
    with pytest.raises(ValueError, match="keyframe 4"):
        simulator.reset(4)


def test_control_and_joint_forces():
    simulator = stiction.Simulator(pendulum(length=1, mass=2), dt=1e-3)
    moment = 2.001
    simulator.set_control([0.5])
    simulator.step()
    assert math.isclose(simulator.v[0], 3.0 * 0.5 / moment * 1e-3, rel_tol=1e-9)  # gear 3, gravity is vertical
    assert np.allclose(simulator.actuator_force(), 1.5)
    assert np.allclose(simulator.actuator_forces(), 0.5)  # before gear
    simulator.reset()
    simulator.set_joint_force(np.array([2.0]))
    simulator.step()
    assert math.isclose(simulator.v[0], 2.0 / moment * 1e-3, rel_tol=1e-9)
    assert simulator.control.tolist() == [0]


def test_a_joint_holds_what_hangs_on_it():
    simulator = stiction.Simulator(pendulum(length=1, mass=2), dt=1e-3)
    simulator.add_external_force("bob", force=(0, 5, 0), point=(0, 0, -1))  # across the hinge
    simulator.step()
    force, torque = simulator.joint_wrench("bob")
    assert np.allclose(force, [0, -5, 2 * 9.81]) and np.allclose(torque, [-5, 0, 0])
    with pytest.raises(ValueError, match="9"):
        simulator.joint_wrench(9)


def test_external_forces():
    simulator = stiction.Simulator(box_on_plane(height=5), dt=1e-3)
    simulator.add_external_force("box", force=(8, 0, 8 * 9.81), point=(0, 0, 5))
    simulator.add_external_force(0, (0, 0, 0), (0, 0, 0), torque=(0, 0, 1))
    simulator.step()
    inertia = 8 * (0.2**2 + 0.2**2) / 12
    assert np.allclose(simulator.v, [1e-3, 0, 0, 0, 0, 1e-3 / inertia], atol=1e-15)
    simulator.clear_external_forces()
    simulator.step()
    assert np.allclose(simulator.v[:3], [1e-3, 0, -9.81e-3])
    with pytest.raises(ValueError, match="body 3"):
        simulator.add_external_force(3, (0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="'box'"):
        simulator.add_external_force("ball", (0, 0, 0), (0, 0, 0))


def test_poses():
    simulator = stiction.Simulator(arm(), dt=1e-3)
    assert np.allclose(simulator.body_pose("base").position, [0, 0, 1])
    assert np.allclose(simulator.body_pose(0).matrix, simulator.frame_pose("base").matrix)
    assert np.allclose(simulator.body_pose(-1).matrix, np.eye(4))
    assert np.allclose(simulator.frame_pose("upper").position, [0.2, 0, 1.1])
    tip = simulator.model.find_frame("tip")
    assert np.array_equal(simulator.frame_pose(tip).matrix, simulator.frame_pose("tip").matrix)
    with pytest.raises(ValueError, match="frame 77"):
        simulator.frame_pose(77)


def test_documented_defaults_are_the_defaults():
    documented = dict(re.findall(r"(\w+): \w+ = ([^,)]+)", stiction.Simulator.__init__.__doc__.split("->")[0]))
    settings = stiction.Simulator(box_on_plane()).settings
    del settings["time_step"]  # 0: what the model suggests
    assert {name: ast.literal_eval(documented[name]) for name in settings} == settings


def test_settings_by_name():
    model = box_on_plane()
    simulator = stiction.Simulator(
        model, time_step=2e-3, solver="ncp-gs", tolerance=1e-6, max_iterations=500, on_failure="raise", threads=2,
        baumgarte=0.1, slop=1e-5, margin=2e-3, broad_phase="pair_list", warm_start=False, restitution_threshold=0.1,
    )  # fmt: skip
    s = simulator.settings
    assert (s["solver"], s["tolerance"], s["baumgarte"], s["margin"], s["broad_phase"]) == ("ncp-gs", 1e-6, 0.1, 2e-3, "pair_list")
    assert simulator.time_step == s["time_step"] == 2e-3 and s["on_failure"] == "raise" and not s["warm_start"]
    assert stiction.Simulator(model, **s).settings == s
    assert stiction.Simulator(model).time_step == model.suggested_time_step


BAD_SETTINGS = {
    "unknown": (TypeError, "does not know 'timestep'; there are: time_step", dict(timestep=1e-3)),
    "solver": (ValueError, "ncp-newton", dict(solver="newton")),
    "time step": (ValueError, "time_step is -0.1", dict(dt=-0.1)),
    "nan": (ValueError, "tolerance is nan", dict(tolerance=math.nan)),
    "both": (TypeError, "the same setting", dict(dt=1e-3, time_step=1e-3)),
    "type": (TypeError, "threads is of type float", dict(threads=1.5)),
    "choice": (ValueError, "on_failure is 'stop'; there are: report raise", dict(on_failure="stop")),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_bad_settings_are_refused(case):
    kind, message, settings = BAD_SETTINGS[case]
    with pytest.raises(kind, match=message):
        stiction.Simulator(box_on_plane(), **settings)


@pytest.mark.parametrize("name", ["set_position", "set_velocity", "set_joint_force", "set_control"])
def test_bad_vectors_are_refused(name):
    simulator = stiction.Simulator(pendulum(), dt=1e-3)
    before = simulator.state
    for value, kind in (([1.0, 2.0], ValueError), ([math.nan], ValueError), ([[1.0]], ValueError), (["a"], TypeError)):
        with pytest.raises(kind):
            getattr(simulator, name)(value)
    for value in (np.ones(4)[::4], np.ones(1, np.float32), [1], (1.0,), np.ones(1, int)):  # all of these are vectors
        getattr(simulator, name)(value)
    simulator.set_state(before)


def test_a_failure_carries_its_report():
    # One sweep cannot solve four contacts of a spinning box to 1e-12.
    simulator = stiction.Simulator(
        box_on_plane(), dt=1e-3, solver="ncp-gs", tolerance=1e-12, max_iterations=1, on_failure="raise", warm_start=False
    )
    simulator.set_velocity([1, 0, -1, 3, 0, 5])
    before = simulator.state
    with pytest.raises(stiction.SolverFailure) as failure:
        simulator.step(100)
    assert issubclass(stiction.SolverFailure, RuntimeError)
    assert not failure.value.report.certified and failure.value.report.num_contacts > 0
    assert "ncp-gs" in str(failure.value)
    assert simulator.q.tobytes() == before.q.tobytes()
    assert simulator.num_uncertified_steps == 1


def test_the_same_bits_again_and_for_any_number_of_threads():
    def run(**settings):
        builder = stiction.ModelBuilder()
        builder.add_shape(stiction.Plane(), friction=0.6)
        for k in range(6):
            body = builder.add_body(name=f"box{k}", position=(0.5 * (k % 3), 0, 0.15 + 0.21 * (k // 3)))
            builder.add_shape(body, stiction.Box((0.1, 0.1, 0.1)), density=1000, friction=0.6)
        simulator = stiction.Simulator(builder.build(), dt=1e-3, **settings)
        simulator.step(200)
        return simulator.state

    first = run()
    assert run() == first
    assert run(threads=3).q.tobytes() == first.q.tobytes()


def test_two_simulators_in_two_threads_and_one_shared_by_two():
    model = box_on_plane(height=0.3)
    alone = stiction.Simulator(model, dt=1e-3)
    alone.step(400)
    simulators = [stiction.Simulator(model, dt=1e-3) for _ in range(2)]
    shared = stiction.Simulator(model, dt=1e-3)

    def work(own):
        for _ in range(200):
            own.step(2)
            shared.step()
            shared.contacts(), shared.q, shared.energy()

    threads = [threading.Thread(target=work, args=(simulator,)) for simulator in simulators]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for simulator in (*simulators, shared):
        assert simulator.state.step == 400
        assert simulator.q.tobytes() == alone.q.tobytes()


def test_the_gil_is_released():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    done = threading.Event()
    worker = threading.Thread(target=lambda: (simulator.step(20000), done.set()))
    worker.start()
    turns = 0
    while not done.is_set():
        turns += 1
    worker.join()
    assert turns > 0 and simulator.state.step == 20000


def test_ctrl_c_ends_a_long_run_between_steps():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    # Started in the background, Python inherits an ignored SIGINT and interrupt_main does nothing.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            simulator.step(10**7)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    steps = simulator.state.step
    assert steps > 0
    simulator.step()
    assert simulator.state.step == steps + 1


def test_ctrl_c_acts_inside_of_a_step():
    # Without limits one step takes far longer than any test may.
    simulator = stiction.Simulator(
        overlapping_boxes(150), dt=1e-2, tolerance=1e-15, acceptable_tolerance=0.0, max_iterations=10**6
    )
    state = simulator.state.to_bytes()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):
                state = simulator.state.to_bytes()
                simulator.step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, before)
    assert simulator.state.to_bytes() == state


def test_a_model_outlives_its_builder_and_a_simulator_its_model():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3)
    assert simulator.model.shape_names == ["ground", "box"]
    simulator.step(10)
    with pytest.raises(TypeError):
        stiction.Simulator(None)


def test_mjcf():
    if sys.version_info < (3, 11):
        pytest.skip("there is no wheel of MuJoCo for this Python")
    assert stiction.has_mjcf()
    loaded = stiction.load_mjcf(SCENES / "humanoid" / "humanoid.xml")
    assert loaded.model.num_velocities == 27 and loaded.ignored[0].reason
    simulator = stiction.Simulator(loaded.model)
    assert simulator.step(200).certified
    text = "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    assert stiction.load_mjcf_string(text).model.frame_names == ["b"]
    with pytest.raises(ValueError, match="nothing.xml"):
        stiction.load_mjcf("nothing.xml")


def test_solver_options_by_name():
    simulator = stiction.Simulator(box_on_plane(), dt=1e-3, solver="ncp-pgs")
    with pytest.raises(ValueError, match="no_such"):
        simulator.set_solver_option("no_such", 1)
    simulator.set_solver_option("max_iterations", 2)
    simulator.step(10)
    assert simulator.report.iterations <= 2


def _boxes(count=3):
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane())
    for k in range(count):
        box = stiction.Box((0.1, 0.1, 0.1))
        body = builder.add_body(name=f"box{k}", position=(k, 0, 0.1), inertia=stiction.Inertia.of(box, 1.0))
        builder.add_shape(body, box)
    return builder.build()


def test_set_state_wakes_sleepers():
    simulator = stiction.Simulator(_boxes(), dt=1e-3, sleeping=True, sleep_after=10)
    simulator.step(200)
    assert simulator.report.num_sleeping_bodies == 3
    state = simulator.state
    simulator.state = state  # as it is: they go on sleeping
    assert simulator.step().num_sleeping_bodies == 3
    state = stiction.State.from_bytes(simulator.state.to_bytes())
    q = np.array(state.q)
    q[2] += 0.5
    state.q = q
    simulator.state = state
    assert simulator.step().num_sleeping_bodies == 0
    simulator.step(50)
    assert simulator.state.q[2] < 0.6 - 1e-3  # it falls


def _step_in_child(simulator, pipe):
    simulator.step(50)
    pipe.send_bytes(bytes(simulator.state.to_bytes()))
    pipe.close()


def test_forked_children_go_on_with_threads():
    context = multiprocessing.get_context("fork")
    simulator = stiction.Simulator(_boxes(), dt=1e-3, threads=3)
    simulator.step(20)
    here, there = context.Pipe()
    child = context.Process(target=_step_in_child, args=(simulator, there))
    child.start()
    assert here.poll(60), "the child hangs"
    result = here.recv_bytes()
    child.join(60)
    assert child.exitcode == 0
    simulator.step(50)
    assert result == bytes(simulator.state.to_bytes())
