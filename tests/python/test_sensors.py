"""Sensors from Python: the builder, reading by name and at once, noise, delay, copies, edits, files."""

import copy
import pickle

import numpy as np
import pytest
import stiction

G = 9.81


def arm(**settings) -> stiction.Simulator:
    """An arm held by a stiff servo, with a tool of 0.5 kg that is fixed to it."""
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground")
    body = builder.add_body(name="arm", joint="revolute", joint_name="shoulder", axis=(0, 1, 0), position=(0, 0, 1), mass=2.0,
                            com=(0.5, 0, 0), inertia=[0.1, 0.1, 0.1])
    tool = builder.add_body(name="tool", parent=body, joint="fixed", position=(1, 0, 0), mass=0.5, inertia=[1e-3, 1e-3, 1e-3])
    builder.add_site("wrist", tool)
    builder.add_actuator(joint="shoulder", kind="position", name="servo", kp=1e9, kd=1e6)
    builder.add_sensor(name="angle", kind="joint_position", joint="shoulder", noise=1e-3)
    builder.add_sensor(name="load", kind="force", site="wrist")
    builder.add_sensor(name="moment", kind="torque", body=body)
    builder.add_sensor(name="height", kind="rangefinder", site="wrist", orientation=(1, 0, 0, 0))
    builder.add_sensor(name="touch", kind="touch", site="wrist", region=stiction.Box((0.1, 0.1, 0.1)))
    builder.add_sensor(name="late", kind="clock", delay=0.005)
    builder.add_sensor(name="seen", kind="frame_position", site="wrist", reference_body=body)
    return stiction.Simulator(builder.build(), dt=1e-3, **settings)


def test_values_by_name_and_at_once():
    simulator = arm()
    simulator.step(100)
    assert simulator.sensor("load").value == pytest.approx([0, 0, 0.5 * G], abs=1e-5)
    assert simulator.sensor("moment").value[1] == pytest.approx(-(2 * 0.5 + 0.5) * G, abs=1e-4)
    assert simulator.sensor("height").value == pytest.approx(1.0, abs=1e-6)
    assert isinstance(simulator.sensor("angle").value, float)
    assert simulator.sensor("seen").value == pytest.approx([1, 0, 0], abs=1e-12)
    model = simulator.model
    data = simulator.sensor_data()
    assert data.shape == (model.num_sensor_values,) == (13,)
    for sensor in model.sensors:
        part = data[sensor.first_value : sensor.first_value + sensor.num_values]
        assert np.array_equal(np.atleast_1d(simulator.sensor(sensor.name).value), part)
    assert model.sensor_names[0] == "angle" and model.sensors[model.find_sensor("load")].kind == "force"
    assert simulator.sensor("load").kind == "force" and "load" in repr(simulator.sensor("load"))
    assert "sensor 'load': force of 'wrist' values[1..3]" in str(model)


def test_noise_and_delay():
    quiet, noisy = arm(), arm(sensor_seed=3)
    assert quiet.sensor("late").value == 0.0
    quiet.step(20), noisy.step(20)
    assert quiet.sensor("late").value == pytest.approx(0.015)
    assert quiet.sensor("angle").value == quiet.q[0]
    assert 0 < abs(noisy.sensor("angle").value - noisy.q[0]) < 6e-3
    assert np.array_equal(quiet.q, noisy.q)
    for twin in (copy.copy(noisy), pickle.loads(pickle.dumps(noisy))):
        assert twin.sensor("angle").value == noisy.sensor("angle").value
        assert twin.sensor("late").value == noisy.sensor("late").value
    louder = noisy.model.edited(sensors={"angle": dict(noise=0.5, delay=0.1, cutoff=2.0)})
    sensor = louder.sensors[louder.find_sensor("angle")]
    assert (sensor.noise, sensor.delay, sensor.cutoff) == (0.5, 0.1, 2.0)


def test_bad_input():
    simulator = arm()
    with pytest.raises(ValueError, match="did you mean \"load\""):
        simulator.sensor("lod")
    builder = stiction.ModelBuilder()
    with pytest.raises(ValueError, match="needs a joint"):
        builder.add_sensor(name="s", kind="joint_position")
    with pytest.raises(ValueError, match="noise is -1"):
        builder.add_sensor(name="s", noise=-1)
    with pytest.raises(ValueError, match="thermometer"):
        builder.add_sensor(name="s", kind="thermometer")
    builder.add_sensor(name="s", kind="gyro", site="nowhere")
    with pytest.raises(ValueError, match="sensor 's': site is 'nowhere'"):
        builder.build()
    with pytest.raises(ValueError, match="sensor 'load': noise is -2"):
        simulator.model.edited(sensors={"load": dict(noise=-2)})


def test_the_list_of_a_file(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text("""<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/><site name="s"/>
        </body></worldbody><sensor><gyro name="gyro" site="s"/><jointpos name="angle" joint="j"/></sensor></mujoco>""")
    loaded = stiction.load(path)
    assert loaded.model.sensor_names == ["gyro", "angle"]
    simulator = stiction.Simulator(loaded.model, dt=1e-3)
    simulator.joint("j").velocity = 2.0
    assert simulator.sensor("gyro").value == pytest.approx([0, 2, 0])
    with pytest.raises(ValueError, match="nowhere"):
        path.write_text(path.read_text().replace('site="s"/><jointpos', 'site="nowhere"/><jointpos'))
        stiction.load(path)


def test_gains_on_request(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("""<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
        <ros2_control><joint name="j"><command_interface name="position"/></joint></ros2_control></robot>""")
    assert stiction.load(path).model.actuators[0].kind == "torque"
    servo = stiction.load(path, servo_kp=50, servo_kd=5).model.actuators[0]
    assert (servo.kind, servo.kp, servo.kd) == ("position", 50, 5)
    with pytest.raises(ValueError, match="servo_kp and servo_kd are -1"):
        stiction.load(path, servo_kp=-1)
