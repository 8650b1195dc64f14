"""Recordings from Python, and with h5py alone."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap

import h5py
import numpy as np
import pytest
import stiction
from worlds import box_on_plane, pendulum


def tumbling(steps=0):
    simulator = stiction.Simulator(box_on_plane(height=0.3), dt=2e-3)
    simulator.set_velocity([0.3, 0.1, 0, 2, 1, 0.5])
    simulator.step(steps)
    return simulator


def test_what_was_recorded_comes_back(tmp_path):
    simulator = tumbling()
    path = tmp_path / "run.h5"
    states, contacts = [], []
    with stiction.record(simulator, path, steps_per_block=16) as recording:
        for _ in range(200):
            simulator.step()
            recording.append()
            states.append(simulator.state)
            contacts.append(simulator.contacts())
        assert recording.num_steps == 200
    reader = stiction.Recording(path)
    assert len(reader) == reader.num_steps == 200
    assert np.array_equal(reader.times(), [s.time for s in states])
    assert np.array_equal(reader.positions(), [s.q for s in states])
    assert np.array_equal(reader.velocities(10, 20), [s.v for s in states[10:30]])
    assert reader.controls().shape == (200, 0)
    assert reader.step_numbers()[-1] == 200
    assert [len(reader.contacts(k)) for k in range(200)] == [len(c) for c in contacts]
    assert np.array_equal(reader.contacts(199)[0].impulse, contacts[199][0].impulse)
    assert reader.reports()[199].residuals.eps_nat == simulator.report.residuals.eps_nat
    assert reader.settings["time_step"] == 2e-3 and reader.settings["solver"] == "auto"
    assert reader.model.num_velocities == 6
    assert reader.saved_steps[0] == 0 and reader.saved_steps[-1] == 200
    assert reader.saved_state(160) == states[159]
    assert reader.stiction_version == stiction.__version__


def test_a_simulation_goes_on_with_the_same_bits(tmp_path):
    path = tmp_path / "run.h5"
    whole = tumbling(300)
    with stiction.record(tumbling(), path) as recording:
        recording.step(120)
    simulator = stiction.Recording(path).resume()
    with stiction.record(simulator, path, continue_at_end=True) as recording:
        report = recording.step(180)
        assert report.time == pytest.approx(0.6)
    assert simulator.state == whole.state
    assert stiction.Recording(path).num_steps == 300
    assert stiction.Recording(path).resume(120).time == pytest.approx(0.24)


def test_forces_act_on_after_resuming(tmp_path):
    path = tmp_path / "run.h5"

    def pushed():
        simulator = tumbling()
        simulator.set_joint_force([0.1, 0, 0, 0, 0, 0.2])
        simulator.add_external_force("box", (1, 0, 0), (0, 0, 0.3), torque=(0, 0.5, 0))
        return simulator

    whole = pushed()
    whole.step(80)
    with stiction.record(pushed(), path, steps_per_block=10) as recording:
        recording.step(40)
    simulator = stiction.Recording(path).resume()
    assert np.array_equal(simulator.joint_force, [0.1, 0, 0, 0, 0, 0.2])
    assert len(simulator.external_forces) == 1 and np.array_equal(simulator.external_forces[0].torque, (0, 0.5, 0))
    simulator.step(40)
    assert simulator.state == whole.state
    reader = stiction.Recording(path)
    assert np.array_equal(reader.joint_forces(3, 2), [[0.1, 0, 0, 0, 0, 0.2]] * 2)
    force = reader.external_forces(7)[0]
    assert force.body == 0 and np.array_equal(force.force, (1, 0, 0)) and np.array_equal(force.point, (0, 0, 0.3))
    with h5py.File(path) as f:
        assert f["joint_force"].shape == (41, 6) and np.all(f["joint_force"][:, 5] == 0.2)
        assert np.array_equal(f["external_begin"][:], np.arange(42))
        assert np.array_equal(f["external_forces"][40]["force"], (1, 0, 0))


# The three lines of docs/recordings.md.
def test_h5py_reads_it_in_three_lines(tmp_path):
    path = tmp_path / "run.h5"
    simulator = stiction.Simulator(pendulum(), dt=1e-3)
    simulator.set_control([0.5])
    recording = stiction.record(simulator, path, steps_per_block=10)
    recording.step(55)
    for closed in (False, True):
        if closed:
            recording.close()
        with h5py.File(path) as f:
            n = f["num_steps"][0]
            t, q, eps = f["time"][:n], f["q"][:n], f["report"][:n]["eps_nat"]
            assert n == (55 if closed else 50)
            assert t.shape == (n,) and q.shape == (n, 1) and eps.shape == (n,)
            assert np.array_equal(t, stiction.Recording(path).times())
            assert np.array_equal(q, stiction.Recording(path).positions())
            assert np.all(f["control"][:n] == 0.5)
            assert f.attrs["format"] in ("stiction recording", b"stiction recording")
            assert f.attrs["time_step"][0] == 1e-3
            assert f["settings"].attrs["baumgarte"][0] == 0.2


def test_h5py_reads_contacts(tmp_path):
    path = tmp_path / "run.h5"
    simulator = tumbling(100)
    with stiction.record(simulator, path) as recording:
        recording.step(20)
    with h5py.File(path) as f:
        begin = f["contact_begin"][:]
        last = f["contacts"][begin[19] : begin[20]]
        now = simulator.contacts()
        assert len(last) == len(now) > 0
        for stored, contact in zip(last, now):
            assert np.array_equal(stored["force"], contact.force)
            assert np.array_equal(stored["frame"], contact.frame)
            assert stored["regime"] == int(contact.regime.value)
        state = stiction.State.from_bytes(f["saved_states/bytes"][f["saved_states/begin"][-2] :].tobytes())
        assert state == simulator.state


def test_a_killed_process_leaves_a_readable_file(tmp_path):
    path = tmp_path / "run.h5"
    code = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
        import stiction
        from test_recording import tumbling
        recording = stiction.record(tumbling(), {str(path)!r}, steps_per_block=25)
        recording.step(90)
        print("recorded", flush=True)
        input()
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"recorded\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    reader = stiction.Recording(path)
    assert reader.num_steps == 75
    simulator = reader.resume()
    assert simulator.state == tumbling(75).state
    with stiction.record(simulator, path, continue_at_end=True) as recording:
        recording.step(25)
    assert np.array_equal(stiction.Recording(path).positions()[-1], tumbling(100).q)


def test_bad_input_is_refused(tmp_path):
    path = tmp_path / "run.h5"
    simulator = tumbling()
    with pytest.raises(TypeError, match="steps_per_blok"):
        stiction.record(simulator, path, steps_per_blok=3)
    with pytest.raises(ValueError, match="steps_per_block"):
        stiction.record(simulator, path, steps_per_block=0)
    with pytest.raises(ValueError, match="no such file"):
        stiction.Recording(path)
    path.write_bytes(b"not HDF5")
    with pytest.raises(ValueError, match="HDF5"):
        stiction.Recording(path)
    with h5py.File(path, "w") as f:
        f["q"] = [1.0]
    with pytest.raises(ValueError, match="not a Stiction recording"):
        stiction.Recording(path)
    with stiction.record(simulator, path) as recording:
        recording.step(5)
    with pytest.raises(RuntimeError, match="closed"):
        recording.append()
    with pytest.raises(ValueError, match="does not stand"):
        stiction.record(tumbling(), path, continue_at_end=True)
    with h5py.File(path, "r+") as f:
        f["num_steps"][0] = 6
    with pytest.raises(ValueError, match="num_steps"):
        stiction.Recording(path)


def test_where_a_recording_may_stand(tmp_path):
    simulator = tumbling()
    os.mkfifo(tmp_path / "pipe")
    for path, kind in (("/dev/null", "device"), (tmp_path / "pipe", "pipe"), (tmp_path, "folder")):
        with pytest.raises(ValueError, match=kind):
            stiction.record(simulator, path)
    (tmp_path / "link.h5").symlink_to("run.h5")
    with stiction.record(simulator, tmp_path / "link.h5") as recording:
        with pytest.raises(RuntimeError, match="another writer"):
            stiction.record(tumbling(), tmp_path / "run.h5")
        recording.step(5)
    assert (tmp_path / "link.h5").is_symlink()
    assert stiction.Recording(tmp_path / "run.h5").num_steps == 5
    assert sorted(os.listdir(tmp_path)) == ["link.h5", "pipe", "run.h5"]


def _append_in_child(recording, pipe):
    try:
        recording.step(1)
        pipe.send("it wrote")
    except RuntimeError as error:
        pipe.send(str(error))
    pipe.close()


def test_the_file_stays_the_parents(tmp_path):
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    with stiction.record(tumbling(), tmp_path / "run.h5") as recording:
        recording.step(5)
        child = context.Process(target=_append_in_child, args=(recording, there))
        child.start()
        assert here.poll(60), "the child hangs"
        assert "forked" in here.recv()
        child.join(60)
        recording.step(5)
    assert stiction.Recording(tmp_path / "run.h5").num_steps == 10
