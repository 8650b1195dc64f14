"""Robots that other packages install: Gymnasium's MJCF files as they are, example-robot-data's URDF files written as MJCF.

A robot of example-robot-data gets a floating base, falls from where its lowest point is 2 cm above a plane, and has its own meshes as convex hulls; it is
written once by stiction.save(), so that both sides read the same file.
"""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Dict

from .robots import robot_folder

# One of each kind: quadrupeds, bipeds, humanoids, arms, hands, a drone.
ROBOTS = {
    "a1": "a1_description/urdf/a1.urdf",
    "anymal-c": "anymal_c_simple_description/urdf/anymal.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "hector": "hector_description/robots/quadrotor_base.urdf",
}


def gymnasium() -> Dict[str, Path]:
    found = importlib.util.find_spec("gymnasium")  # not imported: its files are all that is needed
    folder = Path(found.submodule_search_locations[0]) if found else None
    return {f"gym-{path.stem}": path for path in sorted(folder.glob("envs/mujoco/assets/*.xml"))} if folder else {}


def robots(folder: Path) -> Dict[str, Path]:
    """Those that are installed and can be read, as MJCF files below `folder`."""
    found = {}
    for name, file in ROBOTS.items():
        source = Path(robot_folder()) / file
        if not source.exists():
            print(f"{name}: there is no {source.name} in example-robot-data", flush=True)
            continue
        try:
            found[f"robot-{name}"] = write(source, folder / name)
        except ValueError as error:
            print(f"{name}: {error}", flush=True)
    return found


def write(source: Path, folder: Path) -> Path:
    import mujoco
    import stiction

    folder.mkdir(parents=True)
    path = folder / "robot.xml"
    stiction.save(stiction.load(source, base="floating", repair_inertia=True).model, path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    low = min((lowest_point(model, data, k) for k in range(model.ngeom)), default=0.0)
    tree = xml.parse(path)
    world = tree.find("worldbody")
    for body in world.findall("body"):
        x, y, z = (float(value) for value in body.get("pos", "0 0 0").split())
        body.set("pos", f"{x} {y} {z + 0.02 - float(low)}")
    xml.SubElement(world, "geom", name="floor_of_bench", type="plane", size="0 0 0.1", friction="0.8")
    tree.write(path)
    return path


def lowest_point(model, data, geom: int) -> float:
    mesh = model.geom_dataid[geom]
    if mesh < 0:
        return data.geom_xpos[geom, 2] - model.geom_rbound[geom]
    begin = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]]
    return data.geom_xpos[geom, 2] + float((vertices @ data.geom_xmat[geom].reshape(3, 3)[2]).min())
