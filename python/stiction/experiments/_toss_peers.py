"""MuJoCo, Bullet and Drake as predictors of cube tosses, where installed: same body, same start, ten steps per sample.

Each has the parameters that its users fit: friction, inertia, and two of its own contact model. `predict(trajectory)` gives
positions in the layout of a free body of ours, (x, y, z, qx, qy, qz, qw).
"""

from __future__ import annotations

import importlib.util
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ..fit import Trajectory
from ._tosses import CUBE_MASS, CUBE_WIDTH

SUBSTEPS = 10
GRAVITY = 9.81
HALF = CUBE_WIDTH / 2
#: name: (start, lower, upper, logarithmic)
Ranges = Dict[str, Tuple[float, float, float, bool]]
_COMMON: Ranges = {"friction": (0.18, 0.1, 0.3, False), "inertia": (0.00095, 6e-4, 1.6e-3, True)}


class MuJoCo:
    """A box on a plane, elliptic cones, impratio 10; the contact's time constant and damping ratio."""

    module = "mujoco"
    every, runs = 4, 60  # tosses of a half that are fitted to, and how often they are simulated
    ranges: Ranges = {**_COMMON, "time_constant": (0.008, 0.0015, 0.05, True), "damping_ratio": (1.0, 0.2, 3.0, True)}

    def __init__(self, com: Sequence[float], interval: float, values: Dict[str, float]) -> None:
        import mujoco

        self.mujoco = mujoco
        x, y, z = com
        solref = f"{values['time_constant']} {values['damping_ratio']}"
        contact = f'friction="{values["friction"]} 0 0" condim="3" solref="{solref}"'
        i = values["inertia"]
        self.model = mujoco.MjModel.from_xml_string(f"""
<mujoco><option timestep="{interval / SUBSTEPS}" gravity="0 0 -{GRAVITY}" cone="elliptic" impratio="10"/><worldbody>
<geom type="plane" size="5 5 1" {contact}/>
<body><freejoint/><inertial pos="{x} {y} {z}" mass="{CUBE_MASS}" diaginertia="{i} {i} {i}"/>
<geom type="box" size="{HALF} {HALF} {HALF}" {contact}/></body></worldbody></mujoco>""")
        self.data = mujoco.MjData(self.model)

    def predict(self, t: Trajectory) -> np.ndarray:
        self.mujoco.mj_resetData(self.model, self.data)
        q = t.positions[t.start :].copy()
        self.data.qpos[:] = q[0, [0, 1, 2, 6, 3, 4, 5]]
        self.data.qvel[:] = t.initial_velocity
        for k in range(1, len(q)):
            self.mujoco.mj_step(self.model, self.data, SUBSTEPS)
            q[k] = self.data.qpos[[0, 1, 2, 4, 5, 6, 3]]
        return q


class Bullet:
    """A box on a plane; damping off; the contact's stiffness and damping."""

    module = "pybullet"
    every, runs = 4, 60
    ranges: Ranges = {**_COMMON, "stiffness": (2e4, 1e3, 1e6, True), "damping": (50.0, 1.0, 2000.0, True)}

    def __init__(self, com: Sequence[float], interval: float, values: Dict[str, float]) -> None:
        import pybullet

        self.p, self.com = pybullet, np.asarray(com)
        self.world = pybullet.connect(pybullet.DIRECT)
        c = dict(physicsClientId=self.world)
        pybullet.setGravity(0, 0, -GRAVITY, **c)
        pybullet.setPhysicsEngineParameter(fixedTimeStep=interval / SUBSTEPS, numSubSteps=0, **c)
        plane = pybullet.createMultiBody(0, pybullet.createCollisionShape(pybullet.GEOM_PLANE, **c), **c)
        box = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[HALF] * 3, **c)
        self.box = pybullet.createMultiBody(CUBE_MASS, box, baseInertialFramePosition=list(com), **c)
        contact = dict(contactStiffness=values["stiffness"], contactDamping=values["damping"])
        pybullet.changeDynamics(plane, -1, lateralFriction=1.0, restitution=0, **contact, **c)
        pybullet.changeDynamics(
            self.box, -1, lateralFriction=values["friction"], restitution=0, linearDamping=0, angularDamping=0,
            localInertiaDiagonal=[values["inertia"]] * 3, activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING, **contact, **c,
        )  # fmt: skip

    def predict(self, t: Trajectory) -> np.ndarray:
        p, c = self.p, dict(physicsClientId=self.world)
        q = t.positions[t.start :].copy()
        turn = _matrix(p, q[0, 3:])
        spin = turn @ t.initial_velocity[3:]
        arm = turn @ self.com
        # Bullet's base is the centre of mass.
        p.resetBasePositionAndOrientation(self.box, list(q[0, :3] + arm), list(q[0, 3:]), **c)
        p.resetBaseVelocity(self.box, list(t.initial_velocity[:3] + np.cross(spin, arm)), list(spin), **c)
        for k in range(1, len(q)):
            for _ in range(SUBSTEPS):
                p.stepSimulation(**c)
            at, orientation = p.getBasePositionAndOrientation(self.box, **c)
            q[k, 3:] = orientation
            q[k, :3] = np.asarray(at) - _matrix(p, orientation) @ self.com
        return q

    def __del__(self) -> None:
        if hasattr(self, "world"):
            self.p.disconnect(physicsClientId=self.world)


def _matrix(p: Any, quaternion: Sequence[float]) -> np.ndarray:
    return np.reshape(p.getMatrixFromQuaternion(list(quaternion)), (3, 3))


class Drake:
    """Points at the corners on a large block (a box would touch at one point); stiffness and Hunt-Crossley dissipation."""

    module = "pydrake"
    every, runs = 12, 40  # 0.1 s per toss
    ranges: Ranges = {**_COMMON, "stiffness": (2e4, 1e3, 1e6, True), "dissipation": (1.0, 0.01, 20.0, True)}

    def __init__(self, com: Sequence[float], interval: float, values: Dict[str, float]) -> None:
        from pydrake.geometry import AddContactMaterial, Box, ProximityProperties, Sphere
        from pydrake.math import RigidTransform
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
        from pydrake.multibody.tree import SpatialInertia, UnitInertia
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, interval / SUBSTEPS)
        c, m = np.asarray(com, dtype=float), CUBE_MASS
        about_com = SpatialInertia(m, np.zeros(3), UnitInertia(*([values["inertia"] / m] * 3)))
        self.body = self.plant.AddRigidBody("cube", about_com.Shift(-c))
        contact = ProximityProperties()
        AddContactMaterial(
            dissipation=values["dissipation"], point_stiffness=values["stiffness"],
            friction=CoulombFriction(values["friction"], values["friction"]), properties=contact,
        )  # fmt: skip
        world = ProximityProperties()
        # Harmonic mean of frictions: both sides are alike. Of stiffnesses too: the board is stiff.
        AddContactMaterial(
            dissipation=values["dissipation"], point_stiffness=1e12,
            friction=CoulombFriction(values["friction"], values["friction"]), properties=world,
        )  # fmt: skip
        self.plant.RegisterCollisionGeometry(self.plant.world_body(), RigidTransform([0, 0, -0.5]), Box(10, 10, 1), "board", world)
        radius = 1e-3
        for k, corner in enumerate(np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]) * (HALF - radius)):
            self.plant.RegisterCollisionGeometry(self.body, RigidTransform(corner), Sphere(radius), f"corner{k}", contact)
        self.plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())

    def predict(self, t: Trajectory) -> np.ndarray:
        context = self.simulator.get_mutable_context()
        context.SetTime(0.0)
        mine = self.plant.GetMyMutableContextFromRoot(context)
        q = t.positions[t.start :].copy()
        self.plant.SetPositions(mine, q[0, [6, 3, 4, 5, 0, 1, 2]] / np.r_[np.full(4, np.linalg.norm(q[0, 3:])), 1, 1, 1])
        spin = self.plant.EvalBodyPoseInWorld(mine, self.body).rotation().matrix() @ t.initial_velocity[3:]
        self.plant.SetVelocities(mine, np.r_[spin, t.initial_velocity[:3]])
        self.simulator.Initialize()
        for k in range(1, len(q)):
            self.simulator.AdvanceTo(k * t.interval)
            q[k] = self.plant.GetPositions(mine)[[4, 5, 6, 1, 2, 3, 0]]
        return q


def installed_peers() -> List[Any]:
    """The engines whose Python package is there."""
    return [peer for peer in (MuJoCo, Bullet, Drake) if importlib.util.find_spec(peer.module) is not None]


def fit_peer(peer: Any, com: Sequence[float], interval: float, objective: Any, max_runs: int) -> Dict[str, float]:
    """Nelder-Mead over the ranges of the engine; `objective(predict)` is what shall be small."""
    from ..fit import nelder_mead

    names = list(peer.ranges)
    start, lower, upper, logarithmic = (np.array(column, dtype=float) for column in zip(*peer.ranges.values()))
    start, lower, upper = (np.where(logarithmic > 0, np.log(x), x) for x in (start, lower, upper))

    def values_at(x: np.ndarray) -> Dict[str, float]:
        z = lower + x * (upper - lower)
        return dict(zip(names, (float(v) for v in np.where(logarithmic > 0, np.exp(z), z))))

    def values(points: Sequence[np.ndarray]) -> List[float]:
        return [objective(peer(com, interval, values_at(x)).predict) for x in points]

    best = nelder_mead(values, (start - lower) / (upper - lower), step=0.15, max_runs=max_runs)
    return values_at(best.x)
