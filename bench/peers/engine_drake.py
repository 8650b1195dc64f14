"""Drake. Boxes are compliant hydroelastic bodies on a rigid half space (point contact gives one point per pair of boxes);
spheres use point contact (as hydroelastic bodies they are polyhedra and roll badly). Friction is combined by harmonic mean.
"""

from __future__ import annotations

import logging
import time

import numpy as np
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    ExternallyAppliedSpatialForce,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import PdControllerGains, PrismaticJoint, SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from .engine import Engine
from .pinch import Pinch
from .world import World

logging.getLogger("drake").setLevel(logging.ERROR)
MODULUS, DISSIPATION = 1e7, 10.0


def surface(friction, size=None, rigid=False):
    """`size`: of a hydroelastic body."""
    properties = ProximityProperties()
    if size is not None and rigid:
        AddRigidHydroelasticProperties(size, properties)
    elif size is not None:
        AddCompliantHydroelasticProperties(size, MODULUS, properties)
    AddContactMaterial(DISSIPATION, None, CoulombFriction(friction, friction), properties)
    return properties


class Drake(Engine):
    def __init__(self, setup, approximation):
        self.time_step, self.count = setup.time_step, 0
        self.builder = DiagramBuilder()
        config = MultibodyPlantConfig(time_step=setup.time_step, discrete_contact_approximation=approximation)
        self.plant, _ = AddMultibodyPlant(config, self.builder)
        self.bodies, self.foot_places, self.pinched = [], [], None
        if isinstance(setup.source, World):
            self.build_world(setup.source)
        elif isinstance(setup.source, Pinch):
            self.build_pinch(setup.source)
        else:
            self.build_robot(setup)
        self.simulator.Initialize()

    def finish(self):
        self.plant.Finalize()
        self.simulator = Simulator(self.builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())

    def ground(self, friction, hydroelastic):
        self.plant.RegisterCollisionGeometry(
            self.plant.world_body(), RigidTransform(), HalfSpace(), "ground",
            surface(friction, 1.0 if hydroelastic else None, rigid=True),
        )

    def build_world(self, world):
        plant = self.plant
        plant.mutable_gravity_field().set_gravity_vector(world.gravity)
        # Pairs of different friction: the harmonic mean with 0.8 on the ball must give what the others' rule gives.
        mixed = len({b.friction for b in world.bodies}) > 1
        self.ground(0.32 / 1.2 if mixed else world.ground_friction, any(b.kind == "box" for b in world.bodies))
        for i, b in enumerate(world.bodies):
            full = [2 * s for s in b.size]
            is_box = b.kind == "box"
            inertia = UnitInertia.SolidBox(*full) if is_box else UnitInertia.SolidSphere(b.size[0])
            body = plant.AddRigidBody(f"b{i}", SpatialInertia(b.mass, np.zeros(3), inertia))
            plant.RegisterCollisionGeometry(
                body, RigidTransform(), Box(*full) if is_box else Sphere(b.size[0]), "g",
                surface(0.8 if mixed else b.friction, min(b.size) if is_box else None),
            )
            self.bodies.append(body)
        self.finish()
        forces = []
        for body, b in zip(self.bodies, world.bodies):
            plant.SetFreeBodyPose(self.context, body, RigidTransform(np.array(b.position, float)))
            plant.SetFreeBodySpatialVelocity(self.context, body, SpatialVelocity(np.zeros(3), np.array(b.velocity, float)))
            if b.force:
                applied = ExternallyAppliedSpatialForce()
                applied.body_index, applied.p_BoBq_B = body.index(), np.zeros(3)
                applied.F_Bq_W = SpatialForce(np.zeros(3), np.array(b.force, float))
                forces.append(applied)
        if forces:
            plant.get_applied_spatial_force_input_port().FixValue(self.context, forces)

    def build_robot(self, setup):
        plant, robot = self.plant, setup.source
        as_urdf = bool(robot.urdf)
        text, kind = (robot.urdf["drake"], "urdf") if as_urdf else (setup.mjcf, "xml")
        instance = Parser(plant).AddModelsFromString(text, kind)[0]
        if as_urdf:
            self.ground(robot.friction, False)
        if as_urdf and robot.height is None:
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("root"))
        if robot.servo:
            for i in plant.GetJointActuatorIndices():
                plant.get_joint_actuator(i).set_controller_gains(PdControllerGains(p=robot.servo[0], d=robot.servo[1]))
        self.finish()
        for name, angle in robot.angles.items():
            plant.GetJointByName(name).set_angle(self.context, angle)
        if robot.height is not None:
            base = plant.GetBodyByName("root_joint_l")
            plant.SetFreeBodyPose(self.context, base, RigidTransform([0, 0, robot.height]))
        if robot.servo:
            motors = [plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices()]
            want = [robot.angles[motor.joint().name()] for motor in motors]
            port = plant.get_desired_state_input_port(instance)
            port.FixValue(self.context, np.concatenate([want, np.zeros(len(want))]))
        self.foot_places = [(plant.GetBodyByName(f.link + "_l"), np.array(f.offset)) for f in robot.feet]

    def build_pinch(self, pinch):
        plant, full = self.plant, [2 * h for h in pinch.pad_half]
        for name, side in (("left", -1), ("right", 1)):
            pad = plant.AddRigidBody(name, SpatialInertia(pinch.pad_mass, np.zeros(3), UnitInertia.SolidBox(*full)))
            plant.RegisterCollisionGeometry(pad, RigidTransform(), Box(*full), "g", surface(pinch.friction, 0.01, rigid=True))
            joint = PrismaticJoint(name, plant.world_frame(), pad.body_frame(), [-side, 0, 0], damping=pinch.kd)
            plant.AddJointActuator(name, plant.AddJoint(joint)).set_controller_gains(PdControllerGains(p=pinch.kp, d=0.0))
        inertia = SpatialInertia(pinch.mass, np.zeros(3), UnitInertia.SolidCapsule(pinch.radius, pinch.length, [0, 0, 1]))
        self.pinched = plant.AddRigidBody("capsule", inertia)
        plant.RegisterCollisionGeometry(
            self.pinched, RigidTransform(), Capsule(pinch.radius, pinch.length), "g", surface(pinch.friction, pinch.radius / 2)
        )
        self.finish()
        for name in ("left", "right"):
            plant.GetJointByName(name).set_translation(self.context, -pinch.pad_x)
        plant.SetFreeBodyPose(
            self.context, self.pinched, RigidTransform(RotationMatrix.MakeXRotation(-np.pi / 2), np.zeros(3))
        )
        port = plant.get_desired_state_input_port(plant.GetModelInstanceByName("DefaultModelInstance"))
        port.FixValue(self.context, [pinch.target - pinch.pad_x] * 2 + [0, 0])

    def step(self, count):
        self.count += count
        start = time.process_time()
        self.simulator.AdvanceTo(self.count * self.time_step)
        return time.process_time() - start

    def positions(self):
        return np.array([self.plant.EvalBodyPoseInWorld(self.context, b).translation() for b in self.bodies])

    def velocities(self):
        return np.array([self.plant.EvalBodySpatialVelocityInWorld(self.context, b).translational() for b in self.bodies])

    def feet(self):
        poses = [(self.plant.EvalBodyPoseInWorld(self.context, b), p) for b, p in self.foot_places]
        return np.array([x @ p for x, p in poses]), np.array([x.rotation().matrix() for x, _ in poses])

    def capsule(self):
        pose = self.plant.EvalBodyPoseInWorld(self.context, self.pinched)
        return pose.translation().copy(), pose.rotation().matrix()[:, 2].copy()

    def contacts(self):
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        return results.num_point_pair_contacts() + results.num_hydroelastic_contacts()

    def finite(self):
        return bool(np.isfinite(self.plant.GetPositions(self.context)).all())
