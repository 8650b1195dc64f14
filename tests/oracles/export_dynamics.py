#!/usr/bin/env python3
"""Writes what Pinocchio and MuJoCo say about mechanisms into tests/data/dynamics/*.txt (format: tree_files.py).

    export_dynamics.py [FOLDER]

Needs pin, mujoco, example-robot-data and numpy. The C++ test foreign_results_test.cpp reads the files, so building and
testing need none of them.
"""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from tree_files import POSITIONS, VELOCITIES, Body, Joint, Mechanism, numbers, to_mjcf, write_mechanism

ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "panda": ("panda_description/urdf/panda.urdf", False),
    "solo12": ("solo_description/robots/solo12.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
}
SAMPLES = 2


def robot(file, is_free):
    """The moving parts of a robot of example-robot-data, as Pinocchio reads them."""
    folder = Path(pin.__file__).resolve().parents[4] / "share/example-robot-data/robots"
    args = [str(folder / file)] + ([pin.JointModelFreeFlyer()] if is_free else [])
    model = pin.buildModelFromUrdf(*args)
    mechanism = Mechanism(np.array([0.0, 0.0, -9.81]))
    for k in range(1, model.njoints):
        placement, inertia = model.jointPlacements[k], model.inertias[k]
        quaternion = pin.Quaternion(placement.rotation).coeffs()
        kind, axis = joint_kind(model.joints[k])
        body = Body(f"b{k}", model.parents[k] - 1, placement.translation, quaternion, inertia.mass, inertia.lever,
                    inertia.inertia)
        body.joints.append(Joint(kind, model.names[k], np.zeros(3), axis))
        mechanism.bodies.append(body)
    return mechanism


def joint_kind(joint):
    name = joint.shortname().removeprefix("JointModel")
    units = dict(zip("XYZ", np.eye(3)))
    if name == "FreeFlyer":
        return "free", np.eye(3)[2]
    if name in ("RX", "RY", "RZ"):
        return "revolute", units[name[1]]
    if name in ("PX", "PY", "PZ"):
        return "prismatic", units[name[1]]
    if name in ("RevoluteUnaligned", "PrismaticUnaligned"):
        return name.removesuffix("Unaligned").lower(), joint.extract().axis
    raise ValueError(f"joint {name} is not expected in these robots")


def random_mechanism(seed):
    """A forest of bodies with every kind of joint, sequences of joints, and armature."""
    rng = np.random.default_rng(seed)

    def unit(n):
        x = rng.normal(size=n)
        return x / np.linalg.norm(x)

    mechanism = Mechanism(np.array([0.3, -0.5, -9.81]))
    sequences = [["revolute"], ["prismatic"], ["ball"], ["revolute", "revolute"], ["prismatic", "prismatic", "revolute"],
                 ["prismatic", "ball"], ["revolute"]]
    for k in range(12):
        is_root = k in (0, 5, 9)
        parent = -1 if is_root else int(rng.integers(max(0, k - 3), k))
        root = next(b for b in [0, 5, 9][::-1] if b <= k)
        parent = -1 if is_root else max(parent, root)
        box = 0.05 + 0.2 * rng.random(3)
        mass = 0.2 + 2.0 * rng.random()
        r = pin.Quaternion(unit(4)).toRotationMatrix()
        moment = r @ np.diag(mass / 3.0 * (np.sum(box**2) - box**2)) @ r.T
        body = Body(f"b{k}", parent, 0.4 * rng.normal(size=3), unit(4), mass, 0.1 * rng.normal(size=3),
                    0.5 * (moment + moment.T))
        kinds = ["free"] if k in (0, 9) else sequences[int(rng.integers(len(sequences)))]
        if k == 9:  # a single body about its centre of mass
            body.com = np.zeros(3)
        for i, kind in enumerate(kinds):
            anchor = np.zeros(3) if kind == "free" else 0.2 * rng.normal(size=3)
            armature = 0.1 * rng.random() if kind != "free" and rng.random() < 0.5 else 0.0
            body.joints.append(Joint(kind, f"j{k}_{i}", anchor, unit(3), armature))
        mechanism.bodies.append(body)
    return mechanism


def random_state(mechanism, rng):
    q, v = [], []
    for joint in mechanism.joints():
        if joint.kind == "free":
            q += list(rng.normal(size=3))
        if joint.kind in ("free", "ball"):
            x = rng.normal(size=4)
            q += list(x / np.linalg.norm(x))
        else:
            q.append(rng.uniform(-2.0, 2.0))
        v += list(rng.normal(size=VELOCITIES[joint.kind]))
    return np.array(q), np.array(v)


def offsets(mechanism, sizes):
    at, start = 0, []
    for joint in mechanism.joints():
        start.append(at)
        at += sizes[joint.kind]
    return start, at


class Pinocchio:
    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.model = model = pin.Model()
        model.gravity.linear = mechanism.gravity
        self.ids, self.frames, last = [], {}, []
        for body in mechanism.bodies:
            parent, carrier = (0, pin.SE3.Identity()) if body.parent < 0 else last[body.parent]
            pose = carrier * pin.SE3(pin.Quaternion(body.quaternion).toRotationMatrix(), body.position)
            for joint in body.joints:
                if joint.kind == "free":
                    index = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), joint.name)
                    pose = pin.SE3.Identity()
                else:
                    kind = {"revolute": lambda a: pin.JointModelRevoluteUnaligned(a),
                            "prismatic": lambda a: pin.JointModelPrismaticUnaligned(a),
                            "ball": lambda a: pin.JointModelSpherical()}[joint.kind](joint.axis)
                    index = model.addJoint(parent, kind, pose * pin.SE3(np.eye(3), joint.anchor), joint.name)
                    pose = pin.SE3(np.eye(3), -joint.anchor)
                self.ids.append(index)
                parent = index
            last.append((parent, pose))
            model.appendBodyToJoint(parent, pin.Inertia(body.mass, body.com, body.inertia), pose)
            self.frames[body.name] = model.addFrame(pin.Frame(body.name, parent, pose, pin.FrameType.BODY))
        self.data = model.createData()

    def evaluate(self, q, v):
        model, data = self.model, self.data
        starts_q, _ = offsets(self.mechanism, POSITIONS)
        starts_v, nv = offsets(self.mechanism, VELOCITIES)
        q_pin, v_pin, a_pin = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
        to_pin = np.zeros((nv, nv))  # v_pin = to_pin v: the free flyer's linear velocity is in body axes
        diagonal = np.zeros(nv)
        for joint, index, iq, iv in zip(self.mechanism.joints(), self.ids, starts_q, starts_v):
            n, m = POSITIONS[joint.kind], VELOCITIES[joint.kind]
            at_q, at_v = model.idx_qs[index], model.idx_vs[index]
            q_pin[at_q:at_q + n] = q[iq:iq + n]
            to_pin[at_v:at_v + m, iv:iv + m] = np.eye(m)
            diagonal[iv:iv + m] = joint.armature
            if joint.kind == "free":
                r = pin.Quaternion(q[iq + 3:iq + 7]).toRotationMatrix()
                to_pin[at_v:at_v + 3, iv:iv + 3] = r.T
                a_pin[at_v:at_v + 3] = -np.cross(v[iv + 3:iv + 6], r.T @ v[iv:iv + 3])
        v_pin = to_pin @ v
        bias = to_pin.T @ pin.rnea(model, data, q_pin, v_pin, a_pin)
        # Columns by the recursion: crba wants joints in depth-first order, which these forests do not keep.
        still = np.zeros(nv)
        rest = pin.rnea(model, data, q_pin, still, still)
        mass = np.array([pin.rnea(model, data, q_pin, still, unit) - rest for unit in np.eye(nv)])
        mass = to_pin.T @ (0.5 * (mass + mass.T)) @ to_pin + np.diag(diagonal)
        pin.computeJointJacobians(model, data, q_pin)
        pin.updateFramePlacements(model, data)
        poses, jacobians = {}, {}
        for name, frame in self.frames.items():
            poses[name] = data.oMf[frame].translation, data.oMf[frame].rotation
            jacobians[name] = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) @ to_pin
        return bias, mass, poses, jacobians


class MuJoCo:
    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.model = mujoco.MjModel.from_xml_string(to_mjcf(mechanism))
        self.data = mujoco.MjData(self.model)

    def evaluate(self, q, v):
        model, data = self.model, self.data
        starts_q, _ = offsets(self.mechanism, POSITIONS)
        starts_v, nv = offsets(self.mechanism, VELOCITIES)
        order = np.zeros(nv, int)
        for joint, iq, iv in zip(self.mechanism.joints(), starts_q, starts_v):
            at = model.joint(joint.name)
            x = q[iq:iq + POSITIONS[joint.kind]].copy()
            if joint.kind in ("free", "ball"):
                x[-4:] = x[[-1, -4, -3, -2]]  # w x y z
            data.qpos[at.qposadr[0]:at.qposadr[0] + len(x)] = x
            m = VELOCITIES[joint.kind]
            order[iv:iv + m] = at.dofadr[0] + np.arange(m)
        data.qvel[order] = v
        mujoco.mj_forward(model, data)
        mass = np.zeros((nv, nv))
        mujoco.mj_fullM(model, data, mass)
        poses, jacobians = {}, {}
        for body in self.mechanism.bodies:
            index = model.body(body.name).id
            poses[body.name] = data.xpos[index].copy(), data.xmat[index].reshape(3, 3).copy()
            linear, angular = np.zeros((3, nv)), np.zeros((3, nv))
            mujoco.mj_jacBody(model, data, linear, angular, index)
            jacobians[body.name] = np.vstack([linear, angular])[:, order]
        return data.qfrc_bias[order].copy(), mass[np.ix_(order, order)], poses, jacobians


def export(path, mechanism, oracle, seed):
    evaluate = oracle(mechanism).evaluate
    rng = np.random.default_rng(seed)
    with open(path, "w", encoding="utf-8") as out:
        write_mechanism(mechanism, out)
        for _ in range(SAMPLES):
            q, v = random_state(mechanism, rng)
            bias, mass, poses, jacobians = evaluate(q, v)
            out.write(f"sample\nq {numbers(q)}\nv {numbers(v)}\nbias {numbers(bias)}\n")
            out.write(f"mass_matrix {numbers(mass[np.tril_indices(len(v))])}\n")
            for name, (position, rotation) in poses.items():
                out.write(f"pose {name} {numbers(position)} {numbers(rotation)}\n")
            last = mechanism.bodies[-1].name
            out.write(f"jacobian {last} {numbers(jacobians[last])}\n")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "data/dynamics"
    folder.mkdir(parents=True, exist_ok=True)
    mechanisms = {name: robot(*what) for name, what in ROBOTS.items()}
    mechanisms.update({f"random{seed}": random_mechanism(seed) for seed in range(4)})
    for seed, (name, mechanism) in enumerate(mechanisms.items()):
        for oracle in (Pinocchio, MuJoCo):
            path = folder / f"{name}-{oracle.__name__.lower()}.txt"
            export(path, mechanism, oracle, seed)
            print(f"{path.name}: {len(mechanism.bodies)} bodies, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
