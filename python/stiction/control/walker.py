"""The controller: measures, plans and returns torques, once per step of the simulation.

In a control step: (1) measure; (2) move the reference on by what is commanded, no farther than a leash from the robot; (3) who stands
by the schedule, and who really pushes; (4) the plane of the ground; (5) every few steps, the forces of the prediction; (6) ways of the
swinging feet to their footholds; (7) torques of the whole body.

The reference is a path: the command's integral. Position and heading are therefore held, not only their rates, and a robot that was
pushed or slipped comes back as long as the leash allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .footholds import FootholdSettings, foothold, swing_path
from .gait import Gait
from .ground import GroundEstimate
from .sensing import Measurement, Quadruped, Sensing
from .single_rigid_body import BodyState, PredictionSettings, SingleRigidBody
from .solo12 import SOLO12
from .whole_body import WholeBody, WholeBodySettings

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class WalkerSettings:
    """Of the whole; the parts have theirs."""

    friction: float = 0.6  #: μ that the controller counts on
    friction_share: float = 0.7  #: half width of its pyramids by μ; 1/√2 lies within the cone
    prediction_period: float = 0.016  #: s between predictions
    position_leash: float = 0.06  #: m, the farthest that the reference is from the robot
    heading_leash: float = 0.3  #: rad
    largest_acceleration: float = 0.6  #: m/s², of the reference
    largest_turn: float = 2.0  #: rad/s², of the reference
    follow_slope: float = 0.7  #: part of the ground's slope that the body takes
    touch_force: float = 1.0  #: N, more is a touch
    release_time: float = 0.015  #: s without a touch until a standing foot counts as lost
    search_speed: float = 0.4  #: m/s downwards of a foot that should stand and does not touch
    swing_stiffness: float = 1500.0  #: 1/s²
    swing_damping: float = 70.0  #: 1/s
    stance_damping: float = 40.0  #: 1/s, against slip
    footholds: FootholdSettings = field(default_factory=FootholdSettings)
    prediction: PredictionSettings = field(default_factory=PredictionSettings)
    whole_body: WholeBodySettings = field(default_factory=WholeBodySettings)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, (int, float)) and not (np.isfinite(value) and value >= 0):
                raise ValueError(f"walker: {name} is {value}; it must not be negative")
        if self.friction <= 0:
            raise ValueError("walker: friction must be positive: without friction nothing walks")


class Walker:
    """Walks a quadruped; made at the state in which it stands.

    >>> walker = Walker(simulator, settings=WalkerSettings(friction=0.9))
    >>> walker.command(vx=0.3, yaw_rate=0.2)
    >>> simulator.set_control(walker.control()); simulator.step()
    """

    def __init__(
        self, simulator: Any, robot: Quadruped = SOLO12, gait: Optional[Gait] = None, settings: WalkerSettings = WalkerSettings()
    ) -> None:
        self.simulator, self.robot, self.settings = simulator, robot, settings
        self.gait = gait or Gait.trot()
        if len(self.gait.offsets) != 4:
            raise ValueError(f"walker: the gait has {len(self.gait.offsets)} feet; the robot has four")
        self.sensing = Sensing(simulator, robot)
        self.whole_body = WholeBody(simulator, self.sensing.legs, settings.whole_body)
        model = simulator.model
        order = [model.joints[model.find_joint(actuator.name)].first_velocity for actuator in model.actuators]
        if sorted(order) != list(range(6, 18)):
            raise ValueError("walker: the model needs one torque actuator per joint of the legs, named as the joint")
        self._actuators = np.array(order)
        self._start()

    def _start(self) -> None:
        now = self.sensing.measure()
        self.gravity = float(np.linalg.norm(self.simulator.model.gravity))
        M = self.simulator.inertia_matrix()
        mass = float(M[0, 0])
        arm = _skew(now.rotation.T @ (now.centre - now.base))
        # M's angular block is about the origin of the base, in its axes; less the part of the centre of mass.
        self.body = SingleRigidBody(mass, M[3:6, 3:6] + mass * arm @ arm, self.settings.prediction)
        heading = now.angles[2]
        turn = _about_z(heading).T
        sole = np.array([0.0, 0.0, self.robot.foot_radius])
        # Where feet land in the frame of the heading. Their centre is moved below the centre of mass: else it would lie off
        # both diagonals, and every stance of a trot tip the body over its own.
        self.hips = ((now.feet - now.feet.mean(axis=0)) @ turn.T)[:, :2]
        self.ground = GroundEstimate(now.feet - sole)
        self.height = float(now.centre[2] - self.ground.height(now.centre))
        self.position, self.heading = now.centre[:2].copy(), heading  # the reference
        self.velocity, self.yaw_rate = np.zeros(2), 0.0  # the reference's, in the frame of its heading
        self._wanted = np.zeros(3)
        self._planned, self._next_plan = np.zeros((4, 3)), -np.inf
        self._lifted: list = [None] * 4
        self._pushes = np.ones(4, dtype=bool)
        self._untouched = np.zeros(4)
        self._last_stands = np.ones(4, dtype=bool)
        self._begin = self.simulator.time
        self.last: Optional[Measurement] = None  #: the last measurement
        self.forces = np.zeros((4, 3))  #: N, on the feet, that the last torques count on

    def command(self, vx: float = 0.0, vy: float = 0.0, yaw_rate: float = 0.0) -> None:
        """Velocities forwards and to the left in the frame of the heading, m/s, and about the vertical, rad/s; reached by a ramp."""
        wanted = np.array([vx, vy, yaw_rate], dtype=float)
        if not np.isfinite(wanted).all():
            raise ValueError(f"walker: command ({vx}, {vy}, {yaw_rate}) is not finite")
        self._wanted = wanted

    def control(self) -> Vector:
        """Torques for `simulator.set_control`; to be called once per step of the simulation."""
        s, dt, time = self.settings, self.simulator.time_step, self.simulator.time - self._begin
        now = self.last = self.sensing.measure()
        self._move_reference(now, dt)
        stands = self.gait.stands(time)
        pushes = self._who_pushes(now, stands, time, dt)
        axes = self.ground.axes(self.heading)
        soles = now.feet - self.robot.foot_radius * axes[:, 2]
        self.ground.update(soles, pushes & (np.linalg.norm(now.forces, axis=1) > s.touch_force), dt)
        targets = self._targets(now, time)
        if time >= self._next_plan - 1e-9 or (stands != self._last_stands).any():
            self._plan(now, time, soles, targets, axes, pushes)
        self._last_stands = stands
        feet_acceleration = self._feet_acceleration(now, stands, pushes, targets, time)
        points = np.where(pushes[:, None], soles, now.feet)
        jacobians, drifts = now.jacobians.copy(), np.empty((4, 3))
        zero = np.zeros(18)
        for i, body in enumerate(self.sensing.bodies):
            if pushes[i]:
                jacobians[i] = self.simulator.point_jacobian(body, points[i])[:3]
            drifts[i] = self.simulator.point_acceleration(zero, body, points[i])[0]
        torques, self.forces = self.whole_body.torques(
            jacobians,
            drifts,
            feet_acceleration,
            self._base_acceleration(now),
            self._planned,
            pushes,
            axes,
            s.friction * s.friction_share,
        )
        limit = self.robot.torque_limit
        return np.clip(torques[self._actuators], -limit, limit)

    def _move_reference(self, now: Measurement, dt: float) -> None:
        s = self.settings
        change = self._wanted[:2] - self.velocity
        size = float(np.linalg.norm(change))
        self.velocity = self.velocity + change * min(1.0, s.largest_acceleration * dt / max(size, 1e-12))
        self.yaw_rate += float(np.clip(self._wanted[2] - self.yaw_rate, -s.largest_turn * dt, s.largest_turn * dt))
        self.heading += self.yaw_rate * dt
        off = _wrap(self.heading - now.angles[2])
        self.heading += float(np.clip(off, -s.heading_leash, s.heading_leash)) - off
        self.position = self.position + dt * self._world_velocity()[:2]
        away = self.position - now.centre[:2]
        distance = float(np.linalg.norm(away))
        if distance > s.position_leash:
            self.position = now.centre[:2] + away * (s.position_leash / distance)

    def _world_velocity(self) -> Vector:
        return _about_z(self.heading) @ np.array([*self.velocity, 0.0])

    def _who_pushes(self, now: Measurement, stands: NDArray[np.bool_], time: float, dt: float) -> NDArray[np.bool_]:
        """Feet that may exert forces: those that stand and touch, and those that touch early."""
        touches = np.linalg.norm(now.forces, axis=1) > self.settings.touch_force
        self._untouched = np.where(touches, 0.0, self._untouched + dt)
        swing = self.gait.swing_phases(time)
        for i in range(4):
            if stands[i]:
                self._pushes[i] = touches[i] or (self._pushes[i] and self._untouched[i] <= self.settings.release_time)
            elif self._last_stands[i]:
                self._pushes[i] = False  # lifts off now
            else:
                self._pushes[i] = touches[i] and (self._pushes[i] or swing[i] > 0.6)
        return self._pushes.copy()

    def _targets(self, now: Measurement, time: float) -> Vector:
        """Where each foot's sole lands next."""
        gait, s = self.gait, self.settings
        left = (1 - gait.swing_phases(time)) * gait.swing_time
        left = np.where(gait.stands(time), (1 - gait.stance_phases(time)) * gait.stance_time + gait.swing_time, left)
        targets = np.empty((4, 3))
        velocity = self._world_velocity()
        for i in range(4):
            targets[i, :2] = foothold(
                now.centre,
                now.centre_velocity,
                now.angles[2],
                self.hips[i],
                velocity,
                self.yaw_rate,
                left[i],
                gait.stance_time,
                s.footholds,
            )
            targets[i, 2] = self.ground.height(targets[i])
        return targets

    def _plan(self, now: Measurement, time: float, soles: Vector, targets: Vector, axes: Vector, pushes: NDArray[np.bool_]) -> None:
        s, p, gait = self.settings, self.settings.prediction, self.gait
        self._next_plan = time + s.prediction_period
        t = p.step * np.arange(1, p.steps + 1)
        velocity = self._world_velocity()
        slopes = self.ground.slopes * s.follow_slope
        along, across = np.cos(self.heading), np.sin(self.heading)
        reference = np.zeros((p.steps, 12))
        reference[:, 0] = np.arctan(-across * slopes[0] + along * slopes[1])  # roll: up to the left
        reference[:, 1] = -np.arctan(along * slopes[0] + across * slopes[1])  # pitch: nose down is positive
        reference[:, 2] = self.heading + self.yaw_rate * t
        turned = self.heading + 0.5 * self.yaw_rate * t
        forwards, left = self.velocity
        reference[:, 3] = self.position[0] + t * (np.cos(turned) * forwards - np.sin(turned) * left)
        reference[:, 4] = self.position[1] + t * (np.sin(turned) * forwards + np.cos(turned) * left)
        reference[:, 5] = [self.ground.height(xy) + self.height for xy in reference[:, 3:5]]
        reference[:, 8] = self.yaw_rate
        reference[:, 9:12] = velocity
        reference[:, 11] = self.ground.slopes @ velocity[:2]

        shares = gait.shares(time, p.step, p.steps)
        stands = gait.stands(time)
        # The stance that a foot is in ends; later steps of the horizon see the next foothold, and the one after that.
        middle = time + p.step * (np.arange(p.steps) + 0.5)
        count = np.floor(np.round(middle[:, None] / gait.period + np.asarray(gait.offsets), 9))
        count -= np.floor(np.round(time / gait.period + np.asarray(gait.offsets), 9))
        feet = np.empty((p.steps, 4, 3))
        for i in range(4):
            later = count[:, i] - (0 if stands[i] else 1)
            feet[:, i] = targets[i] + np.outer(np.maximum(later - (1 if stands[i] else 0), 0), velocity) * gait.period
            feet[later <= 0, i] = soles[i] if stands[i] or pushes[i] else targets[i]
        shares[0] = np.where(pushes, np.maximum(shares[0], 0.0), shares[0])
        state = BodyState(now.angles, now.centre, now.base_angular, now.centre_velocity)
        found = self.body.predict(state, now.rotation, reference, feet, shares, axes, s.friction * s.friction_share, self.gravity)
        self._planned = found.forces[0]
        self._shares = shares[0]

    def _base_acceleration(self, now: Measurement) -> Vector:
        """What the planned forces do to the rigid body, as acceleration of the base: of its origin, and angular in its axes."""
        R, body = now.rotation, self.body
        soles = now.feet - np.array([0.0, 0.0, self.robot.foot_radius])
        forces = self._planned * self._shares[:, None]
        linear = forces.sum(axis=0) / body.mass - np.array([0.0, 0.0, self.gravity])
        moment = sum(_skew(arm) @ force for arm, force in zip(soles - now.centre, forces))
        angular = R @ np.linalg.solve(body.inertia, R.T @ moment)
        arm = now.base - now.centre
        turning = _skew(now.base_angular)
        linear = linear + _skew(angular) @ arm + turning @ (turning @ arm)
        return np.concatenate([linear, R.T @ angular])

    def _feet_acceleration(
        self, now: Measurement, stands: NDArray[np.bool_], pushes: NDArray[np.bool_], targets: Vector, time: float
    ) -> Vector:
        s = self.settings
        phases = self.gait.swing_phases(time)
        up = np.array([0.0, 0.0, 1.0])
        wanted = np.empty((4, 3))
        for i in range(4):
            x, v = now.feet[i], now.feet_velocity[i]
            if pushes[i]:
                self._lifted[i] = None
                wanted[i] = -s.stance_damping * v
            elif stands[i]:  # should stand and does not touch: down, until it does
                wanted[i] = s.stance_damping * (-s.search_speed * up - v)
            else:
                if self._lifted[i] is None:
                    self._lifted[i] = x.copy()
                end = targets[i] + (self.robot.foot_radius - s.footholds.press) * up
                path = swing_path(self._lifted[i], end, phases[i], self.gait.swing_time, s.footholds.clearance)
                wanted[i] = path[2] + s.swing_stiffness * (path[0] - x) + s.swing_damping * (path[1] - v)
        return wanted


def _about_z(angle: float) -> Vector:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _wrap(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def _skew(r: Vector) -> Vector:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
