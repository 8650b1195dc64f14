"""The robots: read once with Pinocchio, fixed joints merged, and written again as MJCF and URDF with the same inertias and
the shapes below, so that every engine gets the same machine. Meshes and self-collision are left out; friction 0.8.

Quadruped: ANYmal B, 18 degrees of freedom, spherical feet, servos of kp 40, kd 1 that hold the start.
UR5: base fixed, capsules on upper arm and forearm, spheres on the wrist, no torque. Both from PyPI's example-robot-data.
"""

from __future__ import annotations

import os
import re
import sysconfig

from .world import Foot, Robot, numbers

FRICTION = 0.8
SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenes")


def robot_folder() -> str:
    """Where example-robot-data keeps its robots."""
    return os.path.join(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data", "robots")


def humanoid(time_step: float) -> Robot:
    """MuJoCo's humanoid in its default pose, no controls. As MJCF only: what Drake reads of it is used, Bullet 3.2.7
    crashes on the file and DART 6.20 loses shapes."""
    with open(os.path.join(SCENES, "humanoid", "humanoid.xml"), encoding="utf-8") as file:
        text = re.sub(r'timestep="[^"]*"', f'timestep="{time_step}"', file.read(), count=1)
    return Robot(time_step, text, {}, {}, None, None, 1.0, [], {})


def quadruped(time_step: float) -> Robot:
    import numpy as np
    import pinocchio as pin

    path = os.path.join(robot_folder(), "anymal_b_simple_description", "robots", "anymal.urdf")
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    shapes, angles, feet = {}, {}, []
    for leg, side, end in (("LF", 1, 1), ("RF", -1, 1), ("LH", 1, -1), ("RH", -1, -1)):
        foot = model.frames[model.getFrameId(leg + "_FOOT")].placement * pin.SE3(np.eye(3), np.array([0, 0, 0.02325]))
        shapes[leg + "_KFE"] = [("sphere", (0.031,), foot.rotation, foot.translation)]
        feet.append(Foot(leg + "_KFE", tuple(foot.translation)))
        angles.update({leg + "_HAA": 0.03 * side, leg + "_HFE": 0.4 * end, leg + "_KFE": -0.8 * end})
    return make_robot(model, time_step, shapes, angles, 0.54, (40.0, 1.0), feet)


def ur5(time_step: float) -> Robot:
    import numpy as np
    import pinocchio as pin

    path = os.path.join(robot_folder(), "ur_description", "urdf", "ur5_robot.urdf")
    model = pin.buildModelFromUrdf(path)
    upright = np.eye(3)
    shapes = {
        "shoulder_lift_joint": [("capsule", (0.06, 0.425), upright, (0, 0, 0.2125))],
        "elbow_joint": [("capsule", (0.05, 0.392), upright, (0, 0, 0.196))],
        "wrist_1_joint": [("sphere", (0.045,), upright, (0, 0.09, 0))],
        "wrist_2_joint": [("sphere", (0.045,), upright, (0, 0, 0.09))],
        "wrist_3_joint": [("sphere", (0.04,), upright, (0, 0.06, 0))],
    }
    angles = dict(zip(list(model.names)[1:], (0.3, -1.0, 0.8, 0.3, 0.5, 0.0)))
    return make_robot(model, time_step, shapes, angles, None, None, [])


def make_robot(model, time_step, shapes, angles, height, servo, feet) -> Robot:
    mjcf = to_mjcf(model, time_step, shapes, angles, height, servo, feet)
    urdf = {engine: to_urdf(model, shapes, height is not None, engine) for engine in ("drake", "bullet", "dart")}
    return Robot(time_step, mjcf, urdf, angles, height, servo, FRICTION, feet, shapes)


def axis_of(model, joint: int) -> str:
    return {"X": "1 0 0", "Y": "0 1 0", "Z": "0 0 1"}[model.joints[joint].shortname()[-1]]


def quaternion(rotation) -> tuple:
    import pinocchio as pin

    q = pin.Quaternion(rotation)
    return q.w, q.x, q.y, q.z


def to_mjcf(model, time_step, shapes, angles, height, servo, feet) -> str:
    floating = height is not None
    children = {j: [k for k in range(1, model.njoints) if model.parents[k] == j] for j in range(model.njoints)}

    def geoms(name):
        text = ""
        for kind, size, rotation, offset in shapes.get(name, []):
            size = size if kind == "sphere" else (size[0], size[1] / 2)
            text += (
                f'<geom type="{kind}" size="{numbers(size)}" pos="{numbers(offset)}" quat="{numbers(quaternion(rotation))}" '
                f'condim="3" friction="{FRICTION} 0 0" contype="1" conaffinity="2"/>'
            )
        for foot in feet:
            if foot.link == name:
                text += f'<site name="foot_{name}" pos="{numbers(foot.offset)}"/>'
        return text

    def body(joint):
        name, placement, inertia = model.names[joint], model.jointPlacements[joint], model.inertias[joint]
        root = floating and joint == 1
        position = (0, 0, height) if root else placement.translation
        m = inertia.inertia
        moments = numbers((m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]))
        return (
            f'<body name="{name}" pos="{numbers(position)}" quat="{numbers(quaternion(placement.rotation))}">'
            + ("<freejoint/>" if root else f'<joint name="{name}" axis="{axis_of(model, joint)}"/>')
            + f'<inertial pos="{numbers(inertia.lever)}" mass="{inertia.mass:.17g}" fullinertia="{moments}"/>'
            + geoms(name)
            + "".join(body(k) for k in children[joint])
            + "</body>"
        )

    order = [model.names[j] for j in depth_first(children) if not (floating and j == 1)]
    base = f"0 0 {height} 1 0 0 0 " if floating else ""
    start = base + numbers(angles[name] for name in order)
    servos = ""
    if servo:
        servos = "".join(f'<position joint="{name}" kp="{servo[0]}" kv="{servo[1]}"/>' for name in order)
    control = f'ctrl="{numbers(angles[name] for name in order)}"' if servo else ""
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="true"/><option timestep="{time_step}"/><worldbody>'
        f'<geom type="plane" size="50 50 1" condim="3" friction="{FRICTION} 0 0" contype="2" conaffinity="1"/>'
        + "".join(body(k) for k in children[0])
        + f'</worldbody><actuator>{servos}</actuator><keyframe><key name="start" qpos="{start}" {control}/></keyframe></mujoco>'
    )


def depth_first(children, joint=0):
    for child in children[joint]:
        yield child
        yield from depth_first(children, child)


def to_urdf(model, shapes, floating, engine) -> str:
    import pinocchio as pin

    text = '<robot name="r" xmlns:drake="drake">' + ("" if floating else '<link name="root"/>')
    for joint in range(1, model.njoints):
        name, inertia, placement = model.names[joint], model.inertias[joint], model.jointPlacements[joint]
        m = inertia.inertia
        text += (
            f'<link name="{name}_l"><inertial><origin xyz="{numbers(inertia.lever)}"/><mass value="{inertia.mass:.17g}"/>'
            f'<inertia ixx="{m[0, 0]:.17g}" iyy="{m[1, 1]:.17g}" izz="{m[2, 2]:.17g}" ixy="{m[0, 1]:.17g}" '
            f'ixz="{m[0, 2]:.17g}" iyz="{m[1, 2]:.17g}"/></inertial>{collisions(shapes.get(name, []), engine)}</link>'
        )
        if floating and joint == 1:
            continue
        parent = model.names[model.parents[joint]] + "_l" if model.parents[joint] else "root"
        text += (
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}_l"/>'
            f'<origin xyz="{numbers(placement.translation)}" rpy="{numbers(pin.rpy.matrixToRpy(placement.rotation))}"/>'
            f'<axis xyz="{axis_of(model, joint)}"/></joint>'
        )
        if engine == "drake":
            text += (
                f'<transmission name="t{joint}" type="SimpleTransmission"><type>transmission_interface/SimpleTransmission'
                f'</type><joint name="{name}"/><actuator name="a{joint}"/></transmission>'
            )
    if engine == "drake":  # no self-collision
        members = "".join(f'<drake:member link="{name}_l"/>' for name in shapes)
        text += (
            f'<drake:collision_filter_group name="all">{members}<drake:ignored_collision_filter_group name="all"/>'
            "</drake:collision_filter_group>"
        )
    return text + "</robot>"


def collisions(shapes, engine) -> str:
    """DART is given its shapes by its own calls: its reader has no capsule."""
    import pinocchio as pin

    text = ""
    for kind, size, rotation, offset in shapes if engine != "dart" else []:
        prefix = "drake:" if engine == "drake" and kind == "capsule" else ""
        size = f'radius="{size[0]}"' + (f' length="{size[1]}"' if kind == "capsule" else "")
        friction = (
            f'<drake:proximity_properties><drake:mu_static value="{FRICTION}"/><drake:mu_dynamic value="{FRICTION}"/>'
            "</drake:proximity_properties>"
            if engine == "drake"
            else ""
        )
        text += (
            f'<collision><origin xyz="{numbers(offset)}" rpy="{numbers(pin.rpy.matrixToRpy(rotation))}"/>'
            f"<geometry><{prefix}{kind} {size}/></geometry>{friction}</collision>"
        )
    return text
