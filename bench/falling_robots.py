#!/usr/bin/env python3
"""Collision of falling robots with the convex hulls of their meshes: ours against MuJoCo's mj_collision.

    falling_robots.py [--bench build/release/bench/bench_falling_robots] [--steps 2000] [--rounds 3]

Needs the PyPI packages mujoco-core (headers and library are in it) and example-robot-data, and a C compiler. MuJoCo lets the
robot fall and writes the poses of its geoms; ours goes through the same poses with the same hulls and the same pairs
(all that MuJoCo allows, and the floor). CPU time; the quickest round of each counts. Of Cassie, an SDF file, the hulls of
all its meshes are taken, its hinges, springs and closed loops; gearboxes and rotors are not.
"""

import argparse
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "cassie": "cassie_description/robots/cassie.sdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}


def robot_folder():
    for path in sys.path:
        folder = Path(path) / "cmeel.prefix/share/example-robot-data/robots"
        if folder.is_dir():
            return folder
    raise SystemExit("falling_robots.py: the PyPI package example-robot-data is not installed")


def read_urdf(mujoco, path):
    """Its collision meshes and joints."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"package://(?:example-robot-data/robots/)?", str(robot_folder()) + "/", text)
    text = re.sub(r"<visual>.*?</visual>", "", text, flags=re.S)
    text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler strippath="false" fusestatic="true" balanceinertia="true" '
                  r'boundmass="0.01" boundinertia="1e-5"/></mujoco>', text, count=1)
    return mujoco.MjSpec.from_string(text)


def numbers(element, path, default):
    return np.array([float(x) for x in (element.findtext(path) or default).split()])


def pose_of(element):
    """<pose> as a 4 x 4 matrix: roll, pitch, yaw about fixed axes."""
    x, y, z, *angles = numbers(element, "pose", "0 0 0 0 0 0")
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
                     [-sp, cp * sr, cp * cr, z], [0, 0, 0, 1]])


def add_sdf_link(mujoco, robot, parent, link, placed):
    """A body with the hull of its mesh, where `placed` (4 x 4, in the frame of `parent`) says."""
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, placed[:3, :3].flatten())
    body = parent.add_body(name=link.get("name"), pos=placed[:3, 3], quat=quat)
    inertial = link.find("inertial")
    frame, entry = pose_of(inertial), {k: float(inertial.findtext(f"inertia/{k}")) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    matrix = np.array([[entry["ixx"], entry["ixy"], entry["ixz"]], [entry["ixy"], entry["iyy"], entry["iyz"]],
                       [entry["ixz"], entry["iyz"], entry["izz"]]])
    matrix = frame[:3, :3] @ matrix @ frame[:3, :3].T
    body.explicitinertial, body.mass, body.ipos = True, float(inertial.findtext("mass")), frame[:3, 3]
    body.fullinertia = [matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]]
    file = robot_folder().parent.parent / link.findtext("visual/geometry/mesh/uri").removeprefix("model://")
    if not any(mesh.name == file.stem for mesh in robot.meshes):
        robot.add_mesh(name=file.stem, file=str(file))
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=file.stem)
    return body


def add_sdf_hinge(mujoco, body, joint, link_pose):
    axis = numbers(joint, "axis/xyz", "0 0 1")
    if joint.findtext("axis/use_parent_model_frame") in ("1", "true"):
        axis = link_pose[:3, :3].T @ axis
    hinge = body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, pos=pose_of(joint)[:3, 3], axis=axis)
    hinge.stiffness[0] = float(joint.findtext("axis/dynamics/spring_stiffness") or 0)
    hinge.damping[0] = float(joint.findtext("axis/dynamics/damping") or 0)
    lower, upper = (float(joint.findtext(f"axis/limit/{side}") or 0) for side in ("lower", "upper"))
    if lower < 0 < upper:  # else the file begins outside its limits
        hinge.limited, hinge.range = mujoco.mjtLimited.mjLIMITED_TRUE, np.degrees([lower, upper])


def read_sdf(mujoco, path):
    """Links with a mesh; the first hinge or ball to a link belongs to the tree, what leads to it again closes a loop."""
    model = ElementTree.parse(path).getroot().find("model")
    links = {link.get("name"): link for link in model.findall("link") if link.find("visual/geometry/mesh") is not None}
    joints = [j for j in model.findall("joint") if j.get("type") in ("revolute", "ball")
              and j.findtext("parent") in links and j.findtext("child") in links]
    robot = mujoco.MjSpec()
    pose = {name: pose_of(link) for name, link in links.items()}
    children = {joint.findtext("child") for joint in joints}
    bodies = {name: add_sdf_link(mujoco, robot, robot.worldbody, links[name], pose[name])
              for name in links if name not in children}
    while joints:
        joint = next(j for j in joints if j.findtext("parent") in bodies)
        joints.remove(joint)
        parent, child = joint.findtext("parent"), joint.findtext("child")
        if child in bodies:
            loop = robot.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=child, name2=parent)
            loop.data[:3] = pose_of(joint)[:3, 3]
            continue
        placed = np.linalg.inv(pose[parent]) @ pose[child]
        bodies[child] = add_sdf_link(mujoco, robot, bodies[parent], links[child], placed)
        if joint.get("type") == "ball":
            bodies[child].add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=pose_of(joint)[:3, 3])
        else:
            add_sdf_hinge(mujoco, bodies[child], joint, pose[child])
    return robot


def make_model(mujoco, file, margin):
    """The robot on a free joint above a floor, with meshes only."""
    robot = (read_sdf if file.suffix == ".sdf" else read_urdf)(mujoco, file)
    world = mujoco.MjSpec()
    world.option.timestep = 1e-3
    world.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 1], name="floor")
    body = world.worldbody.add_body(name="carrier", pos=[0, 0, 1.5], quat=[0.9, 0.3, 0.2, 0.1])
    body.add_freejoint()
    body.mass, body.inertia = 1.0, [0.01, 0.01, 0.01]
    body.explicitinertial = True
    body.add_frame().attach_body(robot.worldbody.first_body(), "r_", "") if robot.worldbody.first_body() else None
    for geom in world.geoms:
        geom.margin = 0.5 * margin  # MuJoCo adds those of two geoms
        if geom.type not in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_PLANE):
            geom.contype = geom.conaffinity = 0
    # Hulls that overlap as the robot is drawn are no pairs of a working robot.
    model = world.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = {tuple(sorted(int(model.geom_bodyid[g]) for g in contact.geom)) for contact in data.contact}
    for a, b in bodies:
        world.add_exclude(bodyname1=model.body(a).name, bodyname2=model.body(b).name)
    return world, world.compile()


def hull_vertices(model, mesh):
    """Vertices of MuJoCo's hull: its graph lists them."""
    begin, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    vertices = model.mesh_vert[begin:begin + count]
    graph = model.mesh_graphadr[mesh]
    if graph < 0:
        return vertices
    num = model.mesh_graph[graph]
    ids = model.mesh_graph[graph + 2 + num:graph + 2 + 2 * num]
    return vertices[ids]


def pairs_of(model, mujoco):
    """Pairs that MuJoCo would test: masks, the same body, parent and child (welded bodies are fused)."""
    result = []
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    for a in range(model.ngeom):
        for b in range(a + 1, model.ngeom):
            allowed = (model.geom_contype[a] & model.geom_conaffinity[b]) | (
                model.geom_contype[b] & model.geom_conaffinity[a])
            i, j = model.geom_bodyid[a], model.geom_bodyid[b]
            wi, wj = model.body_weldid[i], model.body_weldid[j]
            related = wi == wj or (wi and wj and (
                model.body_weldid[model.body_parentid[wi]] == wj or model.body_weldid[model.body_parentid[wj]] == wi))
            if allowed and not related and (i, j) not in excluded and (j, i) not in excluded:
                result.append((a, b))
    return result


def write_scene(model, mujoco, path, margin):
    meshes = [g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]
    number = {g: k for k, g in enumerate(meshes)}
    floor = next(g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_PLANE)
    pairs = [p for p in pairs_of(model, mujoco) if all(g in number or g == floor for g in p)]
    with open(path, "wb") as out:
        out.write(struct.pack("<4id", model.ngeom, len(meshes), len(pairs), floor, margin))
        for g in meshes:
            vertices = hull_vertices(model, model.geom_dataid[g])
            out.write(struct.pack("<2i", g, len(vertices)))
            out.write(vertices.astype("<f8").tobytes())
        for a, b in pairs:
            out.write(struct.pack("<2i", a, b))
    return len(meshes), len(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=ROOT / "build/release/bench/bench_falling_robots")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("robots", nargs="*", default=["ur5", "cassie", "talos"])
    options = parser.parse_args()
    import mujoco

    home = Path(mujoco.__file__).parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        peer = folder / "peer"
        subprocess.run(["cc", "-O2", f"-I{home / 'include'}", str(ROOT / "bench/falling_robots_mujoco.c"),
                        str(next(home.glob("libmujoco.so.*"))), f"-Wl,-rpath,{home}", "-lm", "-o", str(peer)], check=True)
        print(f"{'robot':<8} {'hulls':>5} {'pairs':>5} {'MuJoCo µs':>10} {'ours µs':>9} {'ratio':>6}   contacts")
        for robot in options.robots:
            spec, model = make_model(mujoco, robot_folder() / ROBOTS[robot], margin=1e-3)
            (folder / "model.xml").write_text(spec.to_xml(), encoding="utf-8")
            hulls, pairs = write_scene(model, mujoco, folder / "scene.bin", 1e-3)
            theirs, ours = 1e9, 1e9
            for _ in range(options.rounds):
                out = subprocess.run([str(peer), str(folder / "model.xml"), str(options.steps), str(folder / "poses.bin")],
                                     check=True, capture_output=True, text=True).stdout.split()
                theirs, their_contacts = min(theirs, float(out[0])), float(out[1])
                out = subprocess.run([str(options.bench), str(folder / "scene.bin"), str(folder / "poses.bin")],
                                     check=True, capture_output=True, text=True).stdout.split()
                ours, our_contacts = min(ours, float(out[0])), float(out[1])
            print(f"{robot:<8} {hulls:>5} {pairs:>5} {theirs:>10.3f} {ours:>9.3f} {theirs / ours:>6.1f}   "
                  f"{their_contacts:.2f} / {our_contacts:.2f} per step")


if __name__ == "__main__":
    main()
