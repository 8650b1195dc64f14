"""DART. Detector: its own for spheres alone, ODE's otherwise, Bullet's for the pinch (ODE's gives one point between capsule and
box). Sleeping is off. Friction is combined by minimum.
"""

from __future__ import annotations

import os
import tempfile
import time

import dartpy as dart
import numpy as np

from .engine import Engine, Unsupported
from .pinch import Pinch
from .world import World


def placed(rotation, translation):
    pose = dart.math.Isometry3()
    pose.set_rotation(np.asarray(rotation, float))
    pose.set_translation(np.asarray(translation, float))
    return pose


def add_shape(node, shape, friction, pose=None):
    holder = node.createShapeNode(shape)
    if pose is not None:
        holder.setRelativeTransform(pose)
    holder.createCollisionAspect()
    aspect = holder.createDynamicsAspect()
    aspect.setFrictionCoeff(friction)
    aspect.setRestitutionCoeff(0.0)
    return holder


def set_inertia(node, shape, mass):
    inertia = dart.dynamics.Inertia()
    inertia.setMass(mass)
    inertia.setMoment(np.asarray(shape.computeInertia(mass)))
    node.setInertia(inertia)


class Dart(Engine):
    def __init__(self, setup, solver):
        source = setup.source
        self.world = dart.simulation.World()
        self.world.setTimeStep(setup.time_step)
        self.world.setGravity([0, 0, -9.81])
        self.nodes, self.forces, self.foot_shapes = [], {}, []
        detector = "ODE"
        if isinstance(source, World):
            detector = "DART" if all(b.kind == "sphere" for b in source.bodies) else "ODE"
        elif isinstance(source, Pinch):
            detector = "BULLET"
        self.world.setCollisionDetector(getattr(dart.simulation.CollisionDetectorType, detector))
        sleep = self.world.getDeactivationOptions()
        sleep.mEnabled = False
        self.world.setDeactivationOptions(sleep)
        constraints = self.world.getConstraintSolver()
        constraints.getCollisionOption().maxNumContacts = 100000
        if solver == "nsgs":
            constraints.setBoxedLcpSolver(dart.constraint.NsgsFrictionSolver())
        if isinstance(source, World):
            self.build_world(source)
        elif isinstance(source, Pinch):
            self.build_pinch(source)
        elif source.urdf:
            self.build_robot(source)
        else:
            raise Unsupported("DART loses shapes of this MJCF file")

    def ground(self, friction):
        skeleton = dart.dynamics.Skeleton("ground")
        _, node = skeleton.createWeldJointAndBodyNodePair()
        add_shape(node, dart.dynamics.BoxShape([200, 200, 2]), friction, placed(np.eye(3), [0, 0, -1]))
        skeleton.setMobile(False)
        self.world.addSkeleton(skeleton)

    def build_world(self, world):
        self.world.setGravity(list(world.gravity))
        mixed = len({b.friction for b in world.bodies}) > 1
        self.ground(world.ground_friction)
        for i, b in enumerate(world.bodies):
            skeleton = dart.dynamics.Skeleton(f"b{i}")
            joint, node = skeleton.createFreeJointAndBodyNodePair()
            is_box = b.kind == "box"
            shape = dart.dynamics.BoxShape([2 * s for s in b.size]) if is_box else dart.dynamics.SphereShape(b.size[0])
            add_shape(node, shape, 0.8 if mixed else b.friction)  # the minimum with the ground's holds
            set_inertia(node, shape, b.mass)
            joint.setPositions(np.concatenate([np.zeros(3), b.position]))
            joint.setVelocities(np.concatenate([np.zeros(3), b.velocity]))
            self.world.addSkeleton(skeleton)
            self.nodes.append(node)
            if b.force:
                self.forces[i] = np.array(b.force, float)

    def build_robot(self, robot):
        loader = dart.utils.DartLoader()
        if robot.height is None:
            options = loader.getOptions()
            options.mDefaultRootJointType = dart.utils.DartLoaderRootJointType.FIXED
            loader.setOptions(options)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.urdf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(robot.urdf["dart"])
            skeleton = loader.parseSkeleton(path)
        self.world.addSkeleton(skeleton)
        self.ground(robot.friction)
        for name, shapes in robot.shapes.items():
            node = skeleton.getBodyNode(name + "_l")
            for kind, size, rotation, offset in shapes:
                shape = dart.dynamics.SphereShape(size[0]) if kind == "sphere" else dart.dynamics.CapsuleShape(*size)
                holder = add_shape(node, shape, robot.friction, placed(rotation, offset))
                if any(foot.link == name for foot in robot.feet):
                    self.foot_shapes.append(holder)
        for name, angle in robot.angles.items():
            dof = skeleton.getDof(name)
            dof.setPosition(angle)
            if robot.servo:
                dof.setRestPosition(angle)
                dof.setSpringStiffness(robot.servo[0])
                dof.setDampingCoefficient(robot.servo[1])
        if robot.height is not None:
            skeleton.setPosition(5, robot.height)
        self.robot = skeleton

    def build_pinch(self, pinch):
        for name, side in (("left", -1), ("right", 1)):
            skeleton = dart.dynamics.Skeleton(name)
            joint, node = skeleton.createPrismaticJointAndBodyNodePair()
            joint.setAxis([-side, 0, 0])
            joint.setTransformFromParentBodyNode(placed(np.eye(3), [side * pinch.pad_x, 0, 0]))
            shape = dart.dynamics.BoxShape([2 * h for h in pinch.pad_half])
            add_shape(node, shape, pinch.friction)
            set_inertia(node, shape, pinch.pad_mass)
            dof = skeleton.getDof(0)
            dof.setRestPosition(pinch.target)
            dof.setSpringStiffness(pinch.kp)
            dof.setDampingCoefficient(pinch.kd)
            self.world.addSkeleton(skeleton)
        skeleton = dart.dynamics.Skeleton("capsule")
        joint, node = skeleton.createFreeJointAndBodyNodePair()
        shape = dart.dynamics.CapsuleShape(pinch.radius, pinch.length)
        add_shape(node, shape, pinch.friction)
        set_inertia(node, shape, pinch.mass)
        joint.setPositions([-np.pi / 2, 0, 0, 0, 0, 0])
        self.world.addSkeleton(skeleton)
        self.nodes = [node]

    def step(self, count):
        start = time.process_time()
        for _ in range(count):
            for i, force in self.forces.items():
                self.nodes[i].addExtForce(force, np.zeros(3), False, True)
            self.world.step()
        return time.process_time() - start

    def positions(self):
        return np.array([n.getTransform().translation() for n in self.nodes])

    def velocities(self):
        return np.array([n.getCOMLinearVelocity() for n in self.nodes])

    def feet(self):
        poses = [holder.getTransform() for holder in self.foot_shapes]
        return np.array([x.translation() for x in poses]), np.array([x.rotation() for x in poses])

    def capsule(self):
        pose = self.nodes[0].getTransform()
        return np.array(pose.translation()), np.array(pose.rotation())[:, 2]

    def contacts(self):
        return self.world.getLastCollisionResult().getNumContacts()

    def finite(self):
        return bool(np.isfinite(self.positions()).all()) if self.nodes else bool(np.isfinite(self.robot.getPositions()).all())
