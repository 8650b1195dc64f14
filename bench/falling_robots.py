#!/usr/bin/env python3
"""Collision of falling robots with the convex hulls of their meshes: ours against MuJoCo's mj_collision.

    falling_robots.py [--bench build/release/bench/bench_falling_robots] [--steps 2000] [--rounds 3]

Needs the PyPI packages mujoco (headers and library are in it) and example-robot-data, and a C compiler. MuJoCo lets the
robot fall and writes the poses of its geoms; ours goes through the same poses with the same hulls and the same pairs
(all that MuJoCo allows, and the floor). CPU time; the quickest round of each counts.
"""

import argparse
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
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


def make_model(mujoco, urdf, margin):
    """The robot on a free joint above a floor, with collision meshes only."""
    text = urdf.read_text(encoding="utf-8")
    text = re.sub(r"package://(?:example-robot-data/robots/)?", str(robot_folder()) + "/", text)
    text = re.sub(r"<visual>.*?</visual>", "", text, flags=re.S)
    text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler strippath="false" fusestatic="true" balanceinertia="true" '
                  r'boundmass="0.01" boundinertia="1e-5"/></mujoco>', text, count=1)
    robot = mujoco.MjSpec.from_string(text)
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
    parser.add_argument("robots", nargs="*", default=["ur5", "talos"])
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
