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

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


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


def test_readers_of_one_format(ball, tmp_path):
    other = tmp_path / "robot.txt"
    other.write_text(BALL, encoding="utf-8")
    assert stiction.load_urdf(other, base="floating").model.num_velocities == 6
    assert stiction.load_urdf_string(BALL, prefix="x_").model.frame_names == ["x_ball"]
    with pytest.raises(TypeError, match="load_urdf does not know 'bases'"):
        stiction.load_urdf(ball, bases="fixed")
    sdf = (
        "<sdf version='1.9'><model name='m'><link name='l'><collision name='c'><geometry><mesh><uri>{}</uri></mesh>"
        "</geometry></collision></link></model></sdf>"
    )
    with pytest.raises(ValueError, match="no.stl"):
        stiction.load_sdf_string(sdf.format("no.stl"), tmp_path)
    (tmp_path / "t.obj").write_text(TETRAHEDRON, encoding="utf-8")
    assert len(stiction.load_sdf_string(sdf.format("t.obj"), tmp_path).model.shapes) == 1
    (tmp_path / "m.sdf").write_text(sdf.format("t.obj"), encoding="utf-8")
    assert stiction.load_sdf(tmp_path / "m.sdf", base="fixed").model.num_velocities == 0
    with pytest.raises(ValueError, match="sdf"):
        stiction.load_sdf(ball)


@pytest.mark.skipif(not stiction.has_mjcf(), reason="MuJoCo is not installed")
def test_mjcf_has_the_options_of_load(tmp_path):
    xml = "<mujoco><worldbody><body name='b'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
    assert stiction.load_mjcf_string(xml, prefix="x_").model.frame_names == ["x_b"]
    path = tmp_path / "in" / "m.xml"
    path.parent.mkdir()
    path.write_text(xml, encoding="utf-8")
    assert stiction.load_mjcf(path, base="fixed").model.num_velocities == 0
    (tmp_path / "part.xml").write_text(xml, encoding="utf-8")
    path.write_text("<mujoco><include file='../part.xml'/></mujoco>", encoding="utf-8")
    assert stiction.load(path).model.num_velocities == 6
    with pytest.raises(ValueError, match="outside the folder"):
        stiction.load(path, sandbox=True)
    assert stiction.load(path, sandbox=True, package_roots=[tmp_path]).model.num_velocities == 6


@pytest.mark.parametrize("ending", ["urdf", "sdf", "xml"])
def test_a_saved_model_comes_back(arm, tmp_path, ending):
    if ending == "xml" and not stiction.has_mjcf():
        pytest.skip("MuJoCo is not installed")
    model = stiction.load(arm).model
    written = stiction.save(model, tmp_path / f"saved.{ending}")
    assert written.files[0] == str(tmp_path / f"saved.{ending}") and isinstance(written.lost, list)
    again = stiction.load(written.files[0]).model
    q, v = np.array([0.3, -0.1]), np.array([0.5, 0.7])
    assert again.joint_names == ["a", "b"]
    assert np.allclose(stiction.inertia_matrix(again, q), stiction.inertia_matrix(model, q), rtol=0, atol=1e-12)
    assert np.allclose(stiction.bias(again, q, v), stiction.bias(model, q, v), rtol=0, atol=1e-12)
    writer = {"urdf": stiction.write_urdf, "sdf": stiction.write_sdf, "xml": stiction.write_mjcf}[ending]
    assert writer(model, tmp_path / "saved").files == [str(tmp_path / "saved")]
    assert (tmp_path / "saved").read_text() == (tmp_path / f"saved.{ending}").read_text()


def test_what_cannot_be_saved_is_told(tmp_path):
    builder = stiction.ModelBuilder()
    body = builder.add_body(name="b", joint="revolute", stiffness=3.0, mass=1.0, com=(0, 0, 0.1), inertia=[1, 1, 1])
    builder.add_shape(body, stiction.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]))
    model = builder.build()
    written = stiction.save(model, tmp_path / "b.urdf")
    assert any("spring" in what or "stiffness" in what for what in written.lost), written.lost
    assert len(written.files) == 2 and written.files[1].endswith(".obj")
    assert "lost" in repr(written)
    with pytest.raises(ValueError, match="names no format"):
        stiction.save(model, tmp_path / "b.step")
    with pytest.raises(ValueError, match="cannot"):
        stiction.save(model, tmp_path / "b.urdf" / "b.sdf")


def test_a_mechanism_is_assembled():
    """Two bars of 1 m on hinges 1.2 m apart whose ends are joined: assembled they make a triangle."""
    builder = stiction.ModelBuilder()
    bars = []
    for k, x in enumerate((0.0, 1.2)):
        bar = builder.add_body(name=f"bar{k}", joint="revolute", axis=(0, 1, 0), position=(x, 0, 0), mass=1.0,
                               com=(0, 0, 0.5), inertia=[0.1, 0.1, 0.01])
        bars.append(bar)
    end = stiction.Pose((0, 0, 1))
    builder.add_loop(name="ends", kind="point", body_a=bars[0], pose_a=end, body_b=bars[1], pose_b=end)
    model = builder.build()
    assert stiction.assembly_error(model) == pytest.approx(1.2)
    found = stiction.assemble(model, tolerance=1e-10)
    assert found.converged and found.error <= 1e-10 and found.iterations > 0
    assert np.abs(found.q) == pytest.approx([np.arcsin(0.6)] * 2, abs=1e-6)
    assert stiction.assembly_error(model, found.q) == found.error
    ready = stiction.assembled(model)
    assert stiction.assembly_error(ready) <= 1e-7 and stiction.assembled(ready) is ready
    with pytest.raises(ValueError, match="q has 3"):
        stiction.assemble(model, [0, 0, 0])
    with pytest.raises(TypeError, match="tolerence"):
        stiction.assemble(model, tolerence=1)


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


def test_the_plugin_pid_is_read_without_its_library():
    """The package has MuJoCo's library alone; a MuJoCo that is imported afterwards has its own plugins still."""
    if not stiction.has_mjcf():
        pytest.skip("MuJoCo is not installed")
    xml = """<mujoco><extension><plugin plugin="mujoco.pid"/></extension><worldbody><body><joint name="j"/><geom size="0.1"/></body>
    </worldbody><actuator><plugin name="servo" joint="j" plugin="mujoco.pid"><config key="kp" value="20"/>
      <config key="kd" value="2"/></plugin></actuator></mujoco>"""
    loaded = stiction.load_mjcf_string(xml)
    (servo,) = loaded.model.actuators
    assert (servo.name, servo.kind, servo.kp, servo.kd) == ("servo", "position", 20, 2)
    assert not [i for i in loaded.ignored if "servo" in i.element or "plugin" in i.element]
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.5
    mujoco.mj_forward(model, data)
    assert data.actuator_force[0] == pytest.approx(10)


OF_EVERYTHING = """<mujoco><compiler angle="radian"/><option density="1.2" viscosity="1e-5" wind="1 2 3"/><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/><site name="top" pos="0.1 0.2 2"/><body name="marker" mocap="true"/>
    <body name="b" pos="0 0 1" gravcomp="0.5"><freejoint/><camera name="eye" pos="0.1 0 0" quat="1 0.2 0 0"/>
      <geom name="g" size="0.1" pos="0.01 0.02 0.03" quat="1 0.1 0.2 0.3" condim="4" priority="1" surfacevel="1 0 0 0 0 0"/>
      <site name="s" pos="0.1 0 0" quat="1 0.3 0 0"/>
      <body name="c" pos="0.1 0 0" quat="1 0.2 0 0"><joint name="j" axis="0 1 0.1" range="-1 1" limited="true" damping="0.2"
          stiffness="2" springref="0.1" armature="0.01" frictionloss="0.1" actuatorfrcrange="-9 9"/>
        <geom name="h" type="capsule" size="0.05 0.1"/><site name="t" pos="0 0 0.1"/>
        <body name="d" pos="0 0 0.3"><joint name="k"/><geom name="i" type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/></body></body></body>
    </worldbody>
  <contact><pair geom1="floor" geom2="h" condim="4" friction="0.5 0.5 0.01 0.001 0.001"/><exclude body1="b" body2="d"/></contact>
  <equality><joint joint1="j" joint2="k" polycoef="0 0.5 0.1 0 0"/></equality>
  <tendon><fixed name="f" range="-1 1" stiffness="3" damping="0.1" springlength="0.1 0.2" frictionloss="0.3" actuatorfrcrange="-5 5">
      <joint joint="j" coef="0.5"/><joint joint="k" coef="-0.3"/></fixed>
    <spatial name="w"><site site="top"/><site site="s"/><pulley divisor="2"/><site site="s"/><site site="t"/></spatial></tendon>
  <actuator><motor name="m" joint="j" gear="3" ctrlrange="-1 1" group="2"/><muscle name="u" tendon="w" lengthrange="0.2 0.9"/>
    <general name="p" joint="k" dyntype="filter" dynprm="0.1" actrange="-1 1" gainprm="3" biastype="affine" biasprm="0.1 -2 -0.3"
      forcerange="-4 4" armature="0.01" damping="0.02"/></actuator>
  <sensor><framepos name="where" objtype="site" objname="t" reftype="site" refname="top" noise="0.1" cutoff="9"/>
    <jointpos name="angle" joint="j"/></sensor>
  <keyframe><key name="start" time="0.5" qpos="0 0 1 1 0 0 0 0.1 0.2" qvel="1 0 0 0 0 0 0.1 0.2" act="0.2 0.3" ctrl="0.1 0.2 0.3"/></keyframe>
</mujoco>"""


def test_from_mujoco_compares_all_that_the_reader_takes():
    """Every field changed in memory alone, where MuJoCo's text does not have it: the difference is told by its name."""
    mujoco = pytest.importorskip("mujoco")
    from stiction import mujoco_text

    def fresh():
        return mujoco.MjModel.from_xml_string(OF_EVERYTHING)

    text = mujoco_text._without_files(mujoco_text._last_text(mujoco, model := fresh()), model)
    assert mujoco_text._difference(mujoco, text, model) == ""
    changed = 0
    for name in mujoco_text._FIELDS:
        model = fresh()
        values = getattr(model, name, None)
        if values is None or values.size == 0:
            continue
        last = values.reshape(len(values), -1)[-1:]  # the first geom is a plane, whose size is for the eye
        last[0, 0] = not last[0, 0] if values.dtype == bool else last[0, 0] + 1
        told = mujoco_text._difference(mujoco, text, model)
        assert told == f"{name} differs", (name, told)
        changed += 1
    assert changed >= len(mujoco_text._FIELDS) - 3
    for name in ("gravity", "density", "viscosity", "wind", "magnetic", "disableactuator", "disableflags"):
        model = fresh()
        setattr(model.opt, name, np.asarray(getattr(model.opt, name)) + 1)
        assert mujoco_text._difference(mujoco, text, model) == f"opt.{name} differs"
    for old, new, told in [
        ('name="f"', 'name="g"', "names of tendon elements differ"),
        ('name="angle"', 'name="ankle"', "names of sensor elements differ"),
        ('<jointpos name="angle" joint="j"/>', "", "nsensor is 2 there and 1 here"),
    ]:
        assert OF_EVERYTHING.count(old) == 1
        other = mujoco.MjModel.from_xml_string(OF_EVERYTHING.replace(old, new))
        assert mujoco_text._difference(mujoco, text, other) == told


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
