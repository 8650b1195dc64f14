"""Rollouts: what a model does from the recorded start on, at the times of the record, and how far that is from it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from .._stiction import Model, Simulator, difference
from .trajectories import Array, Trajectory

#: What a rollout does not need of a step: the judge looks at impulses, and does not change them.
_QUICK = {"judge": False}


class Rollouts:
    """Runs one model along trajectories: from the recorded state at `start` freely to the last row.

    `substeps` steps of the simulator are one interval of the record. `settings` are those of `Simulator`.
    """

    def __init__(self, model: Model, *, substeps: int = 10, **settings: Any) -> None:
        if substeps < 1:
            raise ValueError(f"substeps is {substeps}; 1 or more is wanted")
        if "dt" in settings or "time_step" in settings:
            raise ValueError("the time step of a rollout is the interval of the record divided by substeps")
        self.model, self.substeps, self.settings = model, substeps, {**_QUICK, **settings}
        self._simulators: Dict[float, Simulator] = {}

    def run(self, trajectory: Trajectory) -> Array:
        """q at the rows from `start` on; the first is the recorded one."""
        return self.run_both(trajectory)[0]

    def run_both(self, trajectory: Trajectory) -> Tuple[Array, Array]:
        """q and v at the rows from `start` on."""
        nq, nv = self.model.num_positions, self.model.num_velocities
        if trajectory.positions.shape[1] != nq or trajectory.velocities.shape[1] != nv:
            raise ValueError(
                f"trajectory {trajectory.name} has {trajectory.positions.shape[1]} positions and "
                f"{trajectory.velocities.shape[1]} velocities per row; the model has {nq} and {nv}"
            )
        simulator = self._simulator(trajectory.interval)
        simulator.reset()
        simulator.set_position(trajectory.positions[trajectory.start])
        simulator.set_velocity(trajectory.initial_velocity)
        rows = len(trajectory) - trajectory.start
        q, v = np.empty((rows, nq)), np.empty((rows, nv))
        q[0], v[0] = trajectory.positions[trajectory.start], trajectory.initial_velocity
        forces = trajectory.joint_forces
        for k in range(1, rows):
            if forces is not None:
                simulator.set_joint_force(forces[trajectory.start + k])
            simulator.step(self.substeps)
            q[k], v[k] = simulator.q, simulator.v
        if forces is not None:
            simulator.set_joint_force(np.zeros(nv))
        return q, v

    def _simulator(self, interval: float) -> Simulator:
        dt = float(f"{interval / self.substeps:.9g}")  # rounded times of a table are not many time steps
        if dt not in self._simulators:
            self._simulators[dt] = Simulator(self.model, dt=dt, **self.settings)
        return self._simulators[dt]


class RolloutResiduals:
    """The residuals of trajectories: predicted minus recorded, in the layout of v (rotations as vectors), by row.

    r = weights · difference(recorded, predicted) / √rows, so that |r|² of one piece is a mean over its rows. Pieces begin
    at recorded states (`piece_rows`, multiple shooting; None: whole trajectories). A piece whose |r| exceeds `cap` is
    bent to length cap (1 + ln(|r|/cap)): one toss that went elsewhere does not decide, and the slope stays.

    `weights` has one entry per velocity: 1/m, 1/rad; None: 1. `velocity_weights` adds predicted minus recorded
    velocities, one entry per velocity.
    """

    def __init__(
        self,
        trajectories: Sequence[Trajectory],
        *,
        piece_rows: Optional[int] = None,
        weights: Optional[ArrayLike] = None,
        velocity_weights: Optional[ArrayLike] = None,
        cap: float = np.inf,
        substeps: int = 10,
        **settings: Any,
    ) -> None:
        if not cap > 0:
            raise ValueError(f"cap is {cap}; it must be positive")
        if not len(trajectories):
            raise ValueError("there is no trajectory to fit to")
        self.trajectories = list(trajectories)
        self.pieces: List[Trajectory] = []
        for trajectory in trajectories:
            self.pieces += [trajectory] if piece_rows is None else trajectory.pieces(piece_rows)
        self.weights = None if weights is None else np.asarray(weights, dtype=float)
        self.velocity_weights = None if velocity_weights is None else np.asarray(velocity_weights, dtype=float)
        for name in ("weights", "velocity_weights"):
            given, nv = getattr(self, name), self.pieces[0].velocities.shape[1]
            if given is not None and (given.shape != (nv,) or not np.all(np.isfinite(given)) or np.any(given < 0)):
                raise ValueError(f"{name} is {given.tolist()}; {nv} numbers that are not negative are wanted")
        self.cap, self.substeps, self.settings = cap, substeps, settings

    def __call__(self, model: Model) -> Array:
        rollouts = Rollouts(model, substeps=self.substeps, **self.settings)
        return np.concatenate([self.of_piece(rollouts, piece) for piece in self.pieces])

    def of_piece(self, rollouts: Rollouts, piece: Trajectory) -> Array:
        q, v = rollouts.run_both(piece)
        recorded = piece.positions[piece.start :]
        r = np.array([difference(rollouts.model, a, b) for a, b in zip(recorded[1:], q[1:])])
        r *= 1.0 if self.weights is None else self.weights
        if self.velocity_weights is not None:
            r = np.hstack([r, self.velocity_weights * (v[1:] - piece.velocities[piece.start + 1 :])])
        r = r.ravel() / np.sqrt(len(q) - 1)
        size = np.linalg.norm(r)
        return r if size <= self.cap else r * (self.cap / size * (1 + np.log(size / self.cap)))
