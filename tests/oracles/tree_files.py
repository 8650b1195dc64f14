"""Mechanisms as text, shared by the exporters of foreign results, the C++ tests and the benchmarks.

A file lists gravity, bodies with their joints, then samples. One item per line:

    gravity x y z
    body NAME PARENT  px py pz  qx qy qz qw  mass  cx cy cz  ixx ixy ixz iyy iyz izz
    joint KIND NAME  px py pz  ax ay az  armature

PARENT is the number of an earlier body or -1; pose in the parent; inertia about the centre of mass. Joints belong to the
body above them and act in sequence; KIND is free, ball, revolute or prismatic; anchor and axis in the body's frame.

    sample
    q ...            joint by joint in the order of the file: free p (3) and quaternion (x y z w), ball quaternion, else one
    v ...            free: velocity of the origin in world axes, angular velocity in body axes; ball: in body axes
    bias ...         C(q, v) v - gravity
    mass_matrix ...  lower triangle by rows
    pose NAME px py pz  r11 r12 ... r33
    jacobian NAME ... 6 x nv by rows, (linear; angular), world axes, at the body's origin
"""

from dataclasses import dataclass, field

import numpy as np

POSITIONS = {"free": 7, "ball": 4, "revolute": 1, "prismatic": 1}
VELOCITIES = {"free": 6, "ball": 3, "revolute": 1, "prismatic": 1}


@dataclass
class Joint:
    kind: str
    name: str
    anchor: np.ndarray
    axis: np.ndarray
    armature: float = 0.0


@dataclass
class Body:
    name: str
    parent: int
    position: np.ndarray
    quaternion: np.ndarray  # x y z w
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # 3 x 3
    joints: list = field(default_factory=list)


@dataclass
class Mechanism:
    gravity: np.ndarray
    bodies: list = field(default_factory=list)

    def joints(self):
        return [joint for body in self.bodies for joint in body.joints]


def numbers(values):
    return " ".join(repr(float(x)) for x in np.asarray(values).ravel())


def write_mechanism(mechanism, out):
    out.write(f"gravity {numbers(mechanism.gravity)}\n")
    for body in mechanism.bodies:
        upper = body.inertia[np.triu_indices(3)]
        out.write(
            f"body {body.name} {body.parent} {numbers(body.position)} {numbers(body.quaternion)} "
            f"{numbers([body.mass])} {numbers(body.com)} {numbers(upper)}\n"
        )
        for joint in body.joints:
            out.write(
                f"joint {joint.kind} {joint.name} {numbers(joint.anchor)} {numbers(joint.axis)} "
                f"{numbers([joint.armature])}\n"
            )


def read_mechanism(path):
    mechanism = Mechanism(np.zeros(3))
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if not words or words[0] == "sample":
            break
        if words[0] == "gravity":
            mechanism.gravity = np.array(words[1:], float)
        elif words[0] == "body":
            x = np.array(words[3:], float)
            inertia = np.zeros((3, 3))
            inertia[np.triu_indices(3)] = x[11:17]
            inertia = inertia + np.triu(inertia, 1).T
            mechanism.bodies.append(Body(words[1], int(words[2]), x[:3], x[3:7], x[7], x[8:11], inertia))
        elif words[0] == "joint":
            x = np.array(words[3:], float)
            mechanism.bodies[-1].joints.append(Joint(words[1], words[2], x[:3], x[3:6], x[6]))
    return mechanism


def read_states(path):
    """(q, v) of every sample of a file."""
    lines = [line.split() for line in open(path, encoding="utf-8")]
    q = [np.array(words[1:], float) for words in lines if words[0] == "q"]
    v = [np.array(words[1:], float) for words in lines if words[0] == "v"]
    return list(zip(q, v))


def to_mjcf(mechanism, state=None):
    """The mechanism for MuJoCo. The inertia is given in full, limits and contacts are left out. A state (q, v) becomes a
    keyframe; it needs bodies in depth-first order."""
    children = {k: [] for k in range(-1, len(mechanism.bodies))}
    for k, body in enumerate(mechanism.bodies):
        children[body.parent].append(k)
    kinds = {"free": "free", "ball": "ball", "revolute": "hinge", "prismatic": "slide"}

    def element(k):
        body = mechanism.bodies[k]
        x, y, z, w = body.quaternion
        i = body.inertia
        text = f'<body name="{body.name}" pos="{numbers(body.position)}" quat="{numbers([w, x, y, z])}">\n'
        full = numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
        text += f'<inertial pos="{numbers(body.com)}" mass="{numbers([body.mass])}" fullinertia="{full}"/>\n'
        for joint in body.joints:
            text += f'<joint name="{joint.name}" type="{kinds[joint.kind]}"'
            if joint.kind != "free":
                text += f' pos="{numbers(joint.anchor)}" axis="{numbers(joint.axis)}"'
            text += f' armature="{numbers([joint.armature])}"/>\n'
        return text + "".join(element(c) for c in children[k]) + "</body>\n"

    keyframe = ""
    if state:
        q, at = state[0].copy(), 0
        for joint in mechanism.joints():
            at += POSITIONS[joint.kind]
            if joint.kind in ("free", "ball"):
                q[at - 4:at] = q[[at - 1, at - 4, at - 3, at - 2]]  # w x y z
        keyframe = f'<keyframe><key qpos="{numbers(q)}" qvel="{numbers(state[1])}"/></keyframe>\n'
    return (
        '<mujoco><compiler angle="radian" autolimits="true" balanceinertia="false" boundmass="0" boundinertia="0"/>\n'
        f'<option gravity="{numbers(mechanism.gravity)}" timestep="0.001"/>\n'
        "<worldbody>\n" + "".join(element(k) for k in children[-1]) + "</worldbody>\n" + keyframe + "</mujoco>\n"
    )
