"""Drake, DART and Bullet for `engines`: one robot from a URDF file that ours wrote, each in a process of its own.

What they share: step Δt, gravity, friction 0.8, a ground where the robot is free, no damping, no limits, no motors, every pair of
links that are no neighbours but for those that overlap as drawn. Tolerances and iterations are those that the engine comes with.
Closed chains are no URDF: Cassie is ours and MuJoCo's alone.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Sequence, Tuple
from xml.etree import ElementTree

import numpy as np

FRICTION = 0.8

Pairs = Sequence[Tuple[str, str]]


@dataclass(frozen=True)
class Robot:
    """What a peer is told."""

    urdf: str  #: the file
    is_fixed: bool  #: its base stands in the world, and there is no ground
    height: float
    excluded: Pairs  #: names of links


class Bullet:
    def __init__(self, robot: Robot, dt: float) -> None:
        import pybullet as p

        self.p, self.client = p, p.connect(p.DIRECT)  # a world of its own, that close() ends
        client = {"physicsClientId": self.client}
        p.setPhysicsEngineParameter(fixedTimeStep=dt, numSubSteps=0, **client)
        p.setGravity(0.0, 0.0, -9.81, **client)
        flags = p.URDF_USE_INERTIA_FROM_FILE | p.URDF_USE_SELF_COLLISION
        body = p.loadURDF(robot.urdf, [0, 0, robot.height], useFixedBase=robot.is_fixed, flags=flags, **client)
        links = {p.getBodyInfo(body, **client)[0].decode(): -1}
        for joint in range(p.getNumJoints(body, **client)):
            links[p.getJointInfo(body, joint, **client)[12].decode()] = joint
        for link in links.values():
            p.changeDynamics(body, link, lateralFriction=FRICTION, linearDamping=0, angularDamping=0, jointDamping=0,
                             maxJointVelocity=1e6, **client)
            if link >= 0 and p.getJointInfo(body, link, **client)[2] == p.JOINT_REVOLUTE:
                p.setJointMotorControl2(body, link, p.VELOCITY_CONTROL, force=0, **client)
        for a, b in robot.excluded:
            p.setCollisionFilterPair(body, body, links[a], links[b], 0, **client)
        if not robot.is_fixed:
            plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE, **client), **client)
            p.changeDynamics(plane, -1, lateralFriction=1.0, **client)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.p.stepSimulation(physicsClientId=self.client)

    def contacts(self) -> int:
        return len(self.p.getContactPoints(physicsClientId=self.client))

    def close(self) -> None:
        self.p.disconnect(physicsClientId=self.client)


class Drake:
    """Point contact; the parser leaves out pairs of neighbours."""

    def __init__(self, robot: Robot, dt: float) -> None:
        import logging

        from pydrake.geometry import AddContactMaterial, CollisionFilterDeclaration, GeometrySet, HalfSpace, ProximityProperties
        from pydrake.math import RigidTransform
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        logging.getLogger("drake").setLevel(logging.ERROR)
        self.dt, self.count = dt, 0
        builder = DiagramBuilder()
        self.plant, graph = AddMultibodyPlant(MultibodyPlantConfig(time_step=dt, discrete_contact_approximation="lagged"), builder)
        plant = self.plant
        (model,) = Parser(plant).AddModels(robot.urdf)
        properties = ProximityProperties()
        AddContactMaterial(None, None, CoulombFriction(FRICTION, FRICTION), properties)
        if not robot.is_fixed:  # of one that is the root is the link "world", which Drake takes for its own
            plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", properties)
        inspector = graph.model_inspector()
        for index in plant.GetBodyIndices(model):
            for geometry in plant.GetCollisionGeometriesForBody(plant.get_body(index)):
                graph.AssignRole(plant.get_source_id(), geometry, _with_friction(inspector.GetProximityProperties(geometry), properties),
                                 _replace())
        for a, b in robot.excluded:
            pair = [GeometrySet(plant.GetCollisionGeometriesForBody(plant.GetBodyByName(name, model))) for name in (a, b)]
            graph.collision_filter_manager().Apply(CollisionFilterDeclaration().ExcludeBetween(*pair))
        plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        if not robot.is_fixed:
            base = plant.get_body(plant.GetBodyIndices(model)[0])
            plant.SetFreeBodyPose(self.context, base, RigidTransform([0.0, 0.0, robot.height]))
        self.simulator.Initialize()

    def step(self, count: int) -> None:
        self.count += count
        self.simulator.AdvanceTo(self.count * self.dt)

    def contacts(self) -> int:
        return int(self.plant.get_contact_results_output_port().Eval(self.context).num_point_pair_contacts())

    def close(self) -> None:
        pass


def _replace() -> Any:
    from pydrake.geometry import RoleAssign

    return RoleAssign.kReplace


def _with_friction(old: Any, material: Any) -> Any:
    from pydrake.geometry import ProximityProperties

    new = ProximityProperties(old)
    new.UpdateProperty("material", "coulomb_friction", material.GetProperty("material", "coulomb_friction"))
    return new


class Dart:
    """ODE's collision detector: DART's own knows no meshes. Its default solver of contacts."""

    def __init__(self, robot: Robot, dt: float) -> None:
        import dartpy as dart

        self.world = dart.simulation.World()
        self.world.setTimeStep(dt)
        self.world.setGravity([0, 0, -9.81])
        self.world.setCollisionDetector(dart.simulation.CollisionDetectorType.ODE)
        sleep = self.world.getDeactivationOptions()
        sleep.mEnabled = False
        self.world.setDeactivationOptions(sleep)
        self.world.getConstraintSolver().getCollisionOption().maxNumContacts = 100000
        loader = dart.utils.DartLoader()
        kind = dart.utils.DartLoaderRootJointType
        options = loader.getOptions()
        options.mDefaultRootJointType = kind.FIXED if robot.is_fixed else kind.FLOATING
        loader.setOptions(options)
        path = Path(robot.urdf).with_suffix(".dart.urdf")
        path.write_text(without_capsules(Path(robot.urdf).read_text(encoding="utf-8")), encoding="utf-8")
        skeleton = loader.parseSkeleton(str(path))
        if skeleton is None:
            raise RuntimeError("DART cannot read the file")
        skeleton.enableSelfCollisionCheck()
        skeleton.disableAdjacentBodyCheck()
        for index in range(skeleton.getNumBodyNodes()):
            for node in skeleton.getBodyNode(index).getShapeNodes():
                aspect = node.getDynamicsAspect()
                if aspect is not None:
                    aspect.setFrictionCoeff(FRICTION)
                    aspect.setRestitutionCoeff(0.0)
        names = dart.collision.BodyNodeCollisionFilter()
        for a, b in robot.excluded:
            names.addBodyNodePairToBlackList(skeleton.getBodyNode(a), skeleton.getBodyNode(b))
        self.world.getConstraintSolver().getCollisionOption().collisionFilter = names
        self.filter = names  # kept: the option does not own it in every version
        if not robot.is_fixed:
            skeleton.setPosition(5, robot.height)
            ground = dart.dynamics.Skeleton("ground")
            _, node = ground.createWeldJointAndBodyNodePair()
            holder = node.createShapeNode(dart.dynamics.BoxShape([200, 200, 2]))
            pose = dart.math.Isometry3()
            pose.set_rotation(np.eye(3))
            pose.set_translation(np.array([0.0, 0.0, -1.0]))
            holder.setRelativeTransform(pose)
            holder.createCollisionAspect()
            holder.createDynamicsAspect().setFrictionCoeff(FRICTION)
            ground.setMobile(False)
            self.world.addSkeleton(ground)
        self.world.addSkeleton(skeleton)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.world.step()

    def contacts(self) -> int:
        return int(self.world.getLastCollisionResult().getNumContacts())

    def close(self) -> None:
        pass


#: By name: the package that must be there, and the class.
PEERS: Dict[str, Tuple[str, Callable[[Robot, float], Any]]] = {
    "bullet": ("pybullet", Bullet),
    "drake": ("pydrake", Drake),
    "dart": ("dartpy", Dart),
}


def _run(name: str, robot: Robot, dt: float, steps: int, rounds: int) -> Tuple[float, int]:
    """Steps per second of the fastest round, and in how many of its samples something touched."""
    best, touched = 0.0, 0
    for _ in range(rounds):
        engine = PEERS[name][1](robot, dt)
        seconds, samples = 0.0, 0
        for _ in range(steps // 20):
            begin = time.process_time()
            engine.step(20)
            seconds += time.process_time() - begin
            samples += engine.contacts() > 0
        engine.close()
        if steps / seconds > best:
            best, touched = steps / seconds, samples
    return best, touched


def rate(name: str, robot: Robot, dt: float, steps: int, rounds: int) -> Tuple[float, int]:
    """As `_run`, in a process of its own; RuntimeError says how that ended where it did not end well."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(_run, name, robot, dt, steps, rounds).result()
        except BrokenProcessPool:
            raise RuntimeError(f"{name} ends its process on this robot") from None
        except Exception as error:
            raise RuntimeError(f"{name}: {type(error).__name__}: {error}") from error


def plain_urdf(text: str) -> str:
    """Without motors, limits and dampers (revolute joints become continuous ones), for readers that know little: a free base is the
    root, not a link on a floating joint, which Bullet would fix; links between two hinges of one body weigh 0.1 g, not nothing, for
    which Bullet would take 1 kg."""
    root = ElementTree.fromstring(text)
    for transmission in root.findall("transmission"):
        root.remove(transmission)
    for joint in root.findall("joint"):
        for name in ("dynamics", "limit"):
            for found in joint.findall(name):
                joint.remove(found)
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
        if joint.get("type") == "floating":
            world = joint.find("parent").get("link")
            root.remove(joint)
            for link in root.findall("link"):
                if link.get("name") == world:
                    root.remove(link)
    for link in root.findall("link"):
        if link.find("inertial") is None and link.get("name") != "world":
            inertial = ElementTree.SubElement(link, "inertial")
            ElementTree.SubElement(inertial, "mass", value="1e-4")
            ElementTree.SubElement(inertial, "inertia", ixx="1e-7", iyy="1e-7", izz="1e-7", ixy="0", ixz="0", iyz="0")
    return ElementTree.tostring(root, encoding="unicode")


def without_capsules(text: str) -> str:
    """Each as a cylinder and two spheres, which is the same shape: DART's reader knows no capsules, and leaves them out."""
    root = ElementTree.fromstring(text)
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for collision in link.findall("collision"):
            capsule = collision.find("geometry/capsule")
            if capsule is None:
                continue
            radius, length = float(capsule.get("radius")), float(capsule.get("length"))
            link.remove(collision)
            origin = collision.find("origin")
            xyz = np.array([float(x) for x in origin.get("xyz", "0 0 0").split()])
            rpy = origin.get("rpy", "0 0 0")
            axis = _turned([float(x) for x in rpy.split()])[:, 2]
            for part, along in (("cylinder", 0.0), ("sphere", 0.5), ("sphere", -0.5)):
                piece = ElementTree.SubElement(link, "collision")
                place = " ".join(repr(float(x)) for x in xyz + along * length * axis)
                ElementTree.SubElement(piece, "origin", xyz=place, rpy=rpy)
                size = {"radius": repr(radius), **({"length": repr(length)} if part == "cylinder" else {})}
                ElementTree.SubElement(ElementTree.SubElement(piece, "geometry"), part, size)
    return ElementTree.tostring(root, encoding="unicode")


def _turned(rpy: Sequence[float]) -> np.ndarray:
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x
