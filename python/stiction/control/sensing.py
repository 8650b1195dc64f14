"""What the controller measures: the state of the robot, its feet, and which of them push against something.

All of it is of the simulated robot itself: positions, velocities and the contact force of each foot. Of the terrain nothing is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Quadruped:
    """Names and sizes of a robot with a free base and four legs of three joints; front left, front right, hind left, hind right."""

    feet: Tuple[str, ...]  #: frames at the centres of the feet
    legs: Tuple[Tuple[str, str, str], ...]  #: joints from hip to knee
    foot_radius: float  #: m, from the centre of a foot to its sole
    stance: Tuple[float, ...]  #: joint angles of standing, leg by leg, rad
    torque_limit: float  #: N·m, of every joint

    def __post_init__(self) -> None:
        if len(self.feet) != 4 or len(self.legs) != 4 or len(self.stance) != 12:
            raise ValueError("quadruped: four feet, four legs of three joints, twelve angles")
        if not self.foot_radius >= 0 or not self.torque_limit > 0:
            raise ValueError("quadruped: foot_radius must not be negative, torque_limit must be positive")


@dataclass(frozen=True)
class Measurement:
    """One moment; positions and velocities in world axes."""

    rotation: Vector  #: of the base, 3 × 3
    base: Vector  #: origin of the base
    base_angular: Vector  #: its angular velocity
    centre: Vector  #: of mass
    centre_velocity: Vector
    feet: Vector  #: centres of the feet, 4 × 3
    feet_velocity: Vector
    forces: Vector  #: N, on each foot by what it touches, 4 × 3
    jacobians: Vector  #: of the centres of the feet, 4 × 3 × velocities
    angles: Vector  #: roll, pitch, yaw of the base, rad


class Sensing:
    """Reads a simulator whose model is a quadruped, alone in its world but for what is fixed."""

    def __init__(self, simulator: Any, robot: Quadruped) -> None:
        model = simulator.model
        self.simulator, self.robot = simulator, robot
        self.legs = np.array([[model.joints[model.find_joint(name)].first_velocity for name in leg] for leg in robot.legs])
        if model.num_velocities != 18 or sorted(self.legs.ravel()) != list(range(6, 18)):
            raise ValueError(f"walker: the model has {model.num_velocities} velocities; it must be a free base and four legs of three joints")
        frames = [model.frames[model.find_frame(name)] for name in robot.feet]
        self.bodies = [frame.body for frame in frames]
        self._feet = [frame.pose.position for frame in frames]

    def measure(self) -> Measurement:
        """Now; the forces are those of the last step."""
        simulator = self.simulator
        q, v = simulator.q, simulator.v
        rotation = _rotation(q[3:7])
        feet, jacobians = np.empty((4, 3)), np.empty((4, 3, 18))
        for i, body in enumerate(self.bodies):
            feet[i] = simulator.body_pose(body) * self._feet[i]
            jacobians[i] = simulator.point_jacobian(body, feet[i])[:3]
        forces = np.zeros((4, 3))
        contacts = simulator.contact_arrays()
        for i, body in enumerate(self.bodies):
            on_a, on_b = contacts["body_a"] == body, contacts["body_b"] == body
            if on_a.any() or on_b.any():
                forces[i] = contacts["force"][on_a].sum(axis=0) - contacts["force"][on_b].sum(axis=0)
        return Measurement(
            rotation=rotation,
            base=q[:3].copy(),
            base_angular=rotation @ v[3:6],
            centre=simulator.center_of_mass(),
            centre_velocity=simulator.center_of_mass_velocity(),
            feet=feet,
            feet_velocity=jacobians @ v,
            forces=forces,
            jacobians=jacobians,
            angles=_angles(rotation),
        )


def _angles(R: Vector) -> Vector:
    return np.array([math.atan2(R[2, 1], R[2, 2]), -math.asin(min(max(R[2, 0], -1.0), 1.0)), math.atan2(R[1, 0], R[0, 0])])


def _rotation(quaternion: Vector) -> Vector:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
