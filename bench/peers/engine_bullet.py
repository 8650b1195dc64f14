"""Bullet, through pybullet: all damping off, no early end of its iterations. Friction is combined by product.

The servos of the quadruped and of the pinch are torques computed in Python, which are not counted.
"""

from __future__ import annotations

import os
import tempfile
import time

import numpy as np
import pybullet as p

from .engine import Engine, Unsupported
from .pinch import Pinch
from .world import World

FREE_OF_DAMPING = dict(linearDamping=0, angularDamping=0, rollingFriction=0, spinningFriction=0)


class Bullet(Engine):
    def __init__(self, setup, iterations=50, cone=0):
        p.connect(p.DIRECT)
        self.ids, self.forces, self.servos, self.foot_places = [], {}, [], []
        p.setPhysicsEngineParameter(
            fixedTimeStep=setup.time_step, numSolverIterations=iterations, numSubSteps=0, solverResidualThreshold=0,
            enableConeFriction=cone, deterministicOverlappingPairs=1,
        )
        p.setGravity(0, 0, -9.81)
        if isinstance(setup.source, World):
            self.build_world(setup.source)
        elif isinstance(setup.source, Pinch):
            self.build_pinch(setup.source)
        elif setup.source.urdf:
            self.build_robot(setup.source)
        else:
            raise Unsupported("Bullet crashes on this MJCF file")

    def ground(self, friction):
        plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
        p.changeDynamics(plane, -1, lateralFriction=friction, restitution=0)

    def build_world(self, world):
        p.setGravity(*world.gravity)
        # Products that give 0.4 under and 0.8 on the box where frictions differ.
        mixed = len({b.friction for b in world.bodies}) > 1
        self.ground(0.4 if mixed else world.ground_friction**0.5)
        shapes = {}
        for i, b in enumerate(world.bodies):
            key = (b.kind, b.size)
            if key not in shapes:
                shapes[key] = (
                    p.createCollisionShape(p.GEOM_BOX, halfExtents=b.size)
                    if b.kind == "box"
                    else p.createCollisionShape(p.GEOM_SPHERE, radius=b.size[0])
                )
            body = p.createMultiBody(b.mass, shapes[key], -1, b.position, useMaximalCoordinates=True)
            friction = (1.0 if b.kind == "box" else 0.8) if mixed else b.friction**0.5
            p.changeDynamics(body, -1, lateralFriction=friction, restitution=0, **FREE_OF_DAMPING)
            p.resetBaseVelocity(body, b.velocity, (0, 0, 0))
            self.ids.append(body)
            if b.force:
                self.forces[body] = b.force

    def build_robot(self, robot):
        self.ground(1.0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.urdf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(robot.urdf["bullet"])
            body = p.loadURDF(
                path, [0, 0, robot.height or 0], useFixedBase=robot.height is None, flags=p.URDF_USE_INERTIA_FROM_FILE
            )
        self.ids = [body]
        joints = {p.getJointInfo(body, i)[1].decode(): i for i in range(p.getNumJoints(body))}
        for i in range(-1, len(joints)):
            p.changeDynamics(body, i, lateralFriction=robot.friction, linearDamping=0, angularDamping=0, jointDamping=0,
                             maxJointVelocity=1e6)
            if i >= 0 and p.getJointInfo(body, i)[2] == p.JOINT_REVOLUTE:
                p.setJointMotorControl2(body, i, p.VELOCITY_CONTROL, force=0)
        for name, angle in robot.angles.items():
            p.resetJointState(body, joints[name], angle)
            if robot.servo:
                self.servos.append((body, joints[name], angle, *robot.servo))
        self.foot_places = [(joints[foot.link], foot.offset) for foot in robot.feet]

    def build_pinch(self, pinch):
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=pinch.pad_half)
        for side in (-1, 1):  # a fixed base without mass, and one link that slides
            pad = p.createMultiBody(
                0, -1, -1, [side * pinch.pad_x, 0, 0], linkMasses=[pinch.pad_mass], linkCollisionShapeIndices=[box],
                linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
                linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
                linkParentIndices=[0], linkJointTypes=[p.JOINT_PRISMATIC], linkJointAxis=[[-side, 0, 0]],
            )
            p.changeDynamics(pad, 0, lateralFriction=pinch.friction**0.5, jointDamping=0, **FREE_OF_DAMPING)
            p.setJointMotorControl2(pad, 0, p.VELOCITY_CONTROL, force=0)
            self.servos.append((pad, 0, pinch.target, pinch.kp, pinch.kd))
        capsule = p.createMultiBody(
            pinch.mass, p.createCollisionShape(p.GEOM_CAPSULE, radius=pinch.radius, height=pinch.length), -1, [0, 0, 0],
            p.getQuaternionFromEuler([-np.pi / 2, 0, 0]),
        )
        p.changeDynamics(capsule, -1, lateralFriction=pinch.friction**0.5, **FREE_OF_DAMPING)
        self.ids = [capsule]

    def step(self, count):
        cpu = 0.0
        for _ in range(count):
            for body, joint, angle, kp, kd in self.servos:
                q, v = p.getJointState(body, joint)[:2]
                p.setJointMotorControl2(body, joint, p.TORQUE_CONTROL, force=kp * (angle - q) - kd * v)
            for body, force in self.forces.items():
                p.applyExternalForce(body, -1, force, p.getBasePositionAndOrientation(body)[0], p.WORLD_FRAME)
            start = time.process_time()
            p.stepSimulation()
            cpu += time.process_time() - start
        return cpu

    def positions(self):
        return np.array([p.getBasePositionAndOrientation(i)[0] for i in self.ids])

    def velocities(self):
        return np.array([p.getBaseVelocity(i)[0] for i in self.ids])

    def feet(self):
        places, turns = [], []
        for joint, offset in self.foot_places:
            x, o = p.getLinkState(self.ids[0], joint, computeForwardKinematics=1)[4:6]
            places.append(p.multiplyTransforms(x, o, offset, [0, 0, 0, 1])[0])
            turns.append(np.array(p.getMatrixFromQuaternion(o)).reshape(3, 3))
        return np.array(places), np.array(turns)

    def capsule(self):
        x, o = p.getBasePositionAndOrientation(self.ids[0])
        return np.array(x), np.array(p.getMatrixFromQuaternion(o)).reshape(3, 3)[:, 2]

    def contacts(self):
        return len(p.getContactPoints())

    def finite(self):
        return bool(np.isfinite(self.positions()).all())
