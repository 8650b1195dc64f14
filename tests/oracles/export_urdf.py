#!/usr/bin/env python3
"""Writes what Pinocchio says about the robots of example-robot-data into tests/data/urdf/robots.json.

    export_urdf.py [FILE]

Needs pin, example-robot-data and numpy. tests/python/test_robots.py reads the file, so testing needs the robots
(installed by ./test) and no Pinocchio. Per robot, with the base fixed:

    links    name: position (3) and quaternion (x, y, z, w) in the world, all joints at zero
    bodies   moving link: mass, centre of mass (3) and moments xx, yy, zz, xy, xz, yz about it in the link's axes, of
             the link with all that is fixed to it
    joints   name: diagonal entry of M with every joint of one degree of freedom at 0.3; null for other joints
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pinocchio as pin

ANGLE = 0.3


def rounded(values):
    return [float(f"{x:.12g}") for x in np.asarray(values).ravel()]


def moments(m):
    return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]


def describe(path):
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    child_of = {j.get("name"): j.find("child").get("link") for j in ElementTree.parse(path).getroot().iter("joint")
                if j.find("child") is not None}
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    links = {}
    for frame, pose in zip(model.frames, data.oMf):
        if frame.type == pin.FrameType.BODY and frame.name != "universe":
            links[frame.name] = rounded([*pose.translation, *pin.Quaternion(pose.rotation).coeffs()])
    bodies, step = {}, np.zeros(model.nv)
    for k in range(1, model.njoints):
        inertia = model.inertias[k]
        bodies[child_of[model.names[k]]] = rounded([inertia.mass, *inertia.lever, *moments(inertia.inertia)])
        if model.joints[k].nv == 1:
            step[model.joints[k].idx_v] = ANGLE
    inertia_matrix = pin.crba(model, data, pin.integrate(model, pin.neutral(model), step))
    joints = {}
    for k in range(1, model.njoints):
        at = model.joints[k].idx_v
        joints[model.names[k]] = rounded([inertia_matrix[at, at]])[0] if model.joints[k].nv == 1 else None
    return {"links": links, "bodies": bodies, "joints": joints}


def main():
    here = Path(__file__).resolve().parent
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent / "data/urdf/robots.json"
    folder = Path(pin.__file__).resolve().parents[4] / "share/example-robot-data/robots"
    robots = {}
    for path in sorted(folder.rglob("*.urdf")):
        name = path.relative_to(folder).as_posix()
        try:
            robots[name] = describe(path)
        except Exception as error:  # Pinocchio throws what it likes
            robots[name] = None
            print(f"{name}: Pinocchio says {error}")
    lines = [f"{json.dumps(name)}: {json.dumps(robot, separators=(',', ':'))}" for name, robot in robots.items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
