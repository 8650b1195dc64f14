"""What `save` writes, read by the programs that the formats belong to: MuJoCo and (where it is installed) Pinocchio."""

import numpy as np
import pytest
import stiction
from conftest import SCENES
from test_load import ARM
from test_robots import FOLDER

TOLERANCE = 1e-9
ROBOTS = [
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_reduced.urdf",
]
needs_robots = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")
needs_mjcf = pytest.mark.skipif(not stiction.has_mjcf(), reason="MuJoCo is not installed")


def rotation_error(a, b):
    return 1.0 - abs(np.dot(a, b))


def check_with_mujoco(model, path):
    mujoco = pytest.importorskip("mujoco")
    stiction.save(model, path)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    assert theirs.nv == model.num_velocities and theirs.nq == model.num_positions
    simulator = stiction.Simulator(model)
    q = np.array(model.initial_position)
    for joint in model.joints:
        at = joint.first_position
        if joint.num_positions == 1:
            q[at] += 0.1
        number = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, joint.name)
        assert number >= 0 and theirs.jnt_qposadr[number] == at, joint.name
        mine = q[at : at + joint.num_positions].copy()
        if joint.num_positions in (4, 7):  # (x, y, z, w) there, (w, x, y, z) here
            mine[-4:] = np.roll(mine[-4:], 1)
        data.qpos[at : at + joint.num_positions] = mine
    simulator.set_position(q)
    mujoco.mj_forward(theirs, data)
    assert theirs.body_mass.sum() == pytest.approx(sum(body.mass for body in model.bodies), rel=TOLERANCE)
    compared = 0
    for k in range(1, theirs.nbody):
        if theirs.body(k).name not in model.frame_names:
            continue
        pose = simulator.frame_pose(theirs.body(k).name)
        assert np.abs(data.xpos[k] - pose.position).max() < TOLERANCE, theirs.body(k).name
        assert rotation_error(np.roll(data.xquat[k], -1), pose.orientation) < TOLERANCE, theirs.body(k).name
        compared += 1
    assert compared > 0
    # The inertia matrix holds every mass, centre and moment that moves. Its columns are the forces of unit accelerations.
    matrix, gravity = np.zeros((theirs.nv, theirs.nv)), theirs.opt.gravity.copy()
    theirs.opt.gravity[:] = 0.0
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_SPRING
    for j in range(theirs.nv):
        data.qvel[:] = 0.0
        data.qacc[:] = 0.0
        data.qacc[j] = 1.0
        mujoco.mj_inverse(theirs, data)
        matrix[:, j] = data.qfrc_inverse
    ours = simulator.inertia_matrix()
    assert np.abs(matrix - ours).max() < TOLERANCE * np.abs(ours).max()
    assert gravity == pytest.approx(model.gravity)


@needs_mjcf
def test_mujoco_compiles_an_arm(tmp_path):
    check_with_mujoco(stiction.load_urdf_string(ARM).model, tmp_path / "arm.xml")


@needs_mjcf
@pytest.mark.parametrize("scene", ["quadruped.xml", "humanoid_stand.xml", "four_bar.xml", "pinch.xml"])
def test_mujoco_compiles_scenes(scene, tmp_path):
    check_with_mujoco(stiction.load(SCENES / scene).model, tmp_path / scene)


@needs_mjcf
@needs_robots
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_mujoco_compiles_robots(robot, base, tmp_path):
    check_with_mujoco(stiction.load(FOLDER / robot, base=base).model, tmp_path / "robot.xml")


def check_with_pinocchio(model, path):
    pin = pytest.importorskip("pinocchio")
    stiction.save(model, path)
    theirs = pin.buildModelFromUrdf(str(path))
    data = theirs.createData()
    assert theirs.nv == model.num_velocities
    simulator = stiction.Simulator(model)
    q, at, reordered = np.array(model.initial_position), pin.neutral(theirs), np.zeros(theirs.nv, dtype=int)
    for joint in model.joints:
        number = theirs.getJointId(joint.name)
        assert number < theirs.njoints and joint.num_positions == 1, joint.name
        q[joint.first_position] += 0.1
        value = q[joint.first_position]
        first = theirs.joints[number].idx_q
        at[first : first + theirs.joints[number].nq] = [value] if theirs.joints[number].nq == 1 else [np.cos(value), np.sin(value)]
        reordered[theirs.joints[number].idx_v] = joint.first_velocity
    simulator.set_position(q)
    pin.framesForwardKinematics(theirs, data, at)
    for name in model.frame_names:
        placement, pose = data.oMf[theirs.getFrameId(name)], simulator.frame_pose(name)
        assert np.abs(placement.translation - pose.position).max() < TOLERANCE, name
        assert np.abs(placement.rotation - pose.rotation).max() < TOLERANCE, name
    matrix = pin.crba(theirs, theirs.createData(), at)
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    ours = simulator.inertia_matrix()[np.ix_(reordered, reordered)]
    assert np.abs(matrix - ours).max() < TOLERANCE * np.abs(ours).max()


def test_pinocchio_reads_an_arm(tmp_path):
    check_with_pinocchio(stiction.load_urdf_string(ARM).model, tmp_path / "arm.urdf")


@needs_robots
@pytest.mark.parametrize("robot", ROBOTS)
def test_pinocchio_reads_robots(robot, tmp_path):
    check_with_pinocchio(stiction.load(FOLDER / robot).model, tmp_path / "robot.urdf")
