"""load, load_models, and models of other programs."""

import numpy as np
import pytest
import stiction

BALL = """<robot name="ball"><link name="ball"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial><visual/>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
ARM = """<robot name="arm"><link name="base"><inertial><mass value="3"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0.001" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
<link name="lower"><inertial><origin xyz="0 0.1 0"/><mass value="1"/>
<inertia ixx="0.02" iyy="0.03" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tool"/>
<joint name="a" type="revolute"><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/><parent link="base"/>
<child link="upper"/><limit lower="-1" upper="2" effort="5" velocity="3"/><dynamics damping="0.5" friction="0.1"/></joint>
<joint name="b" type="prismatic"><origin xyz="0 0 0.4"/><axis xyz="0.6 0 0.8"/><parent link="upper"/><child link="lower"/>
<limit lower="-0.2" upper="0.2" effort="7" velocity="3"/></joint>
<joint name="f" type="fixed"><origin xyz="0 0 0.1"/><parent link="lower"/><child link="tool"/></joint></robot>"""


@pytest.fixture
def ball(tmp_path):
    path = tmp_path / "ball.urdf"
    path.write_text(BALL, encoding="utf-8")
    return path


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    return path


def test_load_with_options(ball):
    loaded = stiction.load(ball)
    assert loaded.model.num_velocities == 0
    assert [i.element for i in loaded.ignored] == ["<visual> in <link> 'ball'"]
    assert loaded.ignored[0].line == 2 and loaded.ignored[0].file == str(ball)
    floating = stiction.load(str(ball), base="floating", prefix="x_", position=(0, 0, 3), package_roots=[ball.parent])
    assert floating.model.frame_names == ["x_ball"] and floating.model.initial_position[2] == 3.0
    assert stiction.load(ball, base="floating", pose=stiction.Pose((1, 0, 0))).model.initial_position[0] == 1.0
    with pytest.raises(ValueError, match="floating"):
        stiction.load(ball, base="flying")
    with pytest.raises(TypeError, match="package_roots"):
        stiction.load(ball, bases="fixed")
    with pytest.raises(TypeError, match="list of folders"):
        stiction.load(ball, package_roots="/tmp")
    with pytest.raises(ValueError, match="no such file"):
        stiction.load(ball.parent / "none.urdf")


def test_load_models_makes_one_world(ball, arm):
    loaded = stiction.load_models([arm, (ball, dict(base="floating", position=(0, 0, 5))), (ball, dict(prefix="b_"))])
    assert loaded.model.num_velocities == 2 + 6
    assert {"ball", "b_ball", "tool"} <= set(loaded.model.frame_names)
    with pytest.raises(TypeError, match="a path and a dictionary"):
        stiction.load_models([(ball, 1)])


def test_from_mujoco_is_load_mjcf():
    mujoco = pytest.importorskip("mujoco")
    xml = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/><body name="b" pos="0 0 1">
    <freejoint/><geom name="g" size="0.1"/><body name="c" pos="0.1 0 0"><joint name="j" range="-1 1" limited="true"/>
    <geom name="h" type="capsule" size="0.05 0.1"/></body></body></worldbody>
    <actuator><motor joint="j" gear="3"/></actuator></mujoco>"""
    expected = stiction.load_mjcf_string(xml).model
    found = stiction.from_mujoco(mujoco.MjModel.from_xml_string(xml)).model
    assert str(found) == str(expected)
    q = np.array(expected.initial_position)
    assert np.array_equal(stiction.inertia_matrix(found, q), stiction.inertia_matrix(expected, q))
    assert found.actuators[0].gear == 3.0 and found.suggested_time_step == 0.002


def test_from_pinocchio_is_load(arm):
    pin = pytest.importorskip("pinocchio")
    theirs = pin.buildModelFromUrdf(str(arm))
    model = stiction.from_pinocchio(theirs, pin.buildGeomFromUrdf(theirs, str(arm), pin.GeometryType.COLLISION))
    expected = stiction.load(arm).model
    q, v = np.array([0.3, -0.1]), np.array([0.5, 0.7])
    assert np.allclose(stiction.inertia_matrix(model, q), stiction.inertia_matrix(expected, q), rtol=0, atol=1e-13)
    assert np.allclose(stiction.bias(model, q, v), stiction.bias(expected, q, v), rtol=0, atol=1e-12)
    assert model.joint_names == ["a", "b"] and "tool" in model.frame_names
    for ours, file in zip(model.dofs, expected.dofs):
        for field in ("lower", "upper", "effort_limit", "velocity_limit", "damping", "dry_friction"):
            assert getattr(ours, field) == getattr(file, field), field
    assert [a.force_upper for a in model.actuators] == [5.0, 7.0]
    assert len(model.shapes) == 1
    free = stiction.from_pinocchio(pin.buildModelFromUrdf(str(arm), pin.JointModelFreeFlyer()))
    assert free.num_velocities == 8
    sample = pin.buildSampleModelManipulator()
    assert stiction.from_pinocchio(sample).num_velocities == sample.nv
