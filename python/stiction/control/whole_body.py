"""Torques that give the base an acceleration and the feet theirs, with forces that the ground can exert.

    M a + h = (0, τ) + Σ J_iᵀ f_i,        J_i a + d_i = a_i        (d_i = J̇_i v)

J_i = (B_i, …, L_i, …) has the columns of the base and those of its own leg. The accelerations of the feet fix those of the joints,
q̈_i = L_i⁻¹ (a_i − d_i − B_i a_b); put into the six rows of the base, which no motor drives,

    A a_b + c = Σ B_iᵀ f_i,        A = M_bb − Σ M_bi L_i⁻¹ B_i,        c = h_b + Σ M_bi L_i⁻¹ (a_i − d_i),

what is left to choose are the forces of the feet that push:

    minimise ‖a_b(f) − a_b*‖²_W + β ‖f − f*‖²,        f_i in its friction pyramid,

a_b* and f* being what the prediction wants. The rows of the legs then are the torques.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from .quadratic_program import QuadraticProgram, friction_pyramid

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class WholeBodySettings:
    """What is dear."""

    #: W of the linear and of the angular acceleration of the base, per (m/s²)² and per (rad/s²)²
    weights: Tuple[float, ...] = (1.0, 1.0, 1.0, 0.05, 0.05, 0.05)
    force_weight: float = 0.1  #: β, per N²
    largest_force: float = 30.0  #: N, along the normal, per foot
    damping: float = 1e-4  #: m², keeps L⁻¹ finite where a leg is straight

    def __post_init__(self) -> None:
        if len(self.weights) != 6 or min(self.weights) < 0 or not self.force_weight > 0:
            raise ValueError("whole body: six weights that are not negative, and a positive force_weight")


class WholeBody:
    """Inverse dynamics of a simulator's robot; `legs` are the velocity indices of each leg."""

    def __init__(self, simulator: Any, legs: Vector, settings: WholeBodySettings = WholeBodySettings()) -> None:
        self.simulator, self.legs, self.settings = simulator, np.asarray(legs), settings
        self.program = QuadraticProgram(tolerance=1e-7)
        self.num_programs = 0  #: how often the pyramids decided; else the minimiser without them lies in them

    def torques(
        self,
        jacobians: Vector,
        drifts: Vector,
        feet_acceleration: Vector,
        base_acceleration: Vector,
        forces: Vector,
        pushes: NDArray[np.bool_],
        axes: Vector,
        friction: float,
    ) -> Tuple[Vector, Vector]:
        """Joint torques by velocity (the first six are zero), and the forces that they count on, feet × 3."""
        M, h = self.simulator.inertia_matrix(), self.simulator.bias()
        A, c = M[:6, :6].copy(), h[:6].copy()
        L = jacobians[np.arange(4)[:, None, None], np.arange(3)[:, None], self.legs[:, None, :]]
        inverses = _inverses(L, self.settings.damping)
        S, r = inverses @ jacobians[:, :, :6], (inverses @ (feet_acceleration - drifts)[:, :, None])[:, :, 0]  # q̈_i = r_i − S_i a_b
        coupling = M[:6, self.legs.ravel()]
        A -= coupling @ S.reshape(12, 6)
        c += coupling @ r.ravel()
        chosen = self._forces(A, c, jacobians[:, :, :6], base_acceleration, forces, pushes, axes, friction)
        exerted = chosen.ravel() @ jacobians.reshape(12, len(h))
        acceleration = np.empty(len(h))
        acceleration[:6] = np.linalg.solve(A, exerted[:6] - c)
        acceleration[self.legs] = r - S @ acceleration[:6]
        torques = M @ acceleration + h - exerted
        torques[:6] = 0.0  # they are, but for rounding
        return torques, chosen

    def _forces(
        self, A: Vector, c: Vector, B: Vector, wanted: Vector, forces: Vector, pushes: NDArray[np.bool_], axes: Vector, friction: float
    ) -> Vector:
        chosen = np.zeros_like(forces)
        count = int(pushes.sum())
        if count == 0:
            return chosen
        s = self.settings
        both = np.linalg.solve(A, np.column_stack([B[pushes].reshape(3 * count, 6).T, c]))
        gain, missing = both[:, :-1], wanted + both[:, -1]
        W = np.asarray(s.weights)
        H = gain.T @ (W[:, None] * gain)
        H[np.diag_indices_from(H)] += s.force_weight
        g = -gain.T @ (W * missing) - s.force_weight * forces[pushes].ravel()
        x = np.linalg.solve(H, -g)
        pyramid = friction_pyramid(axes, friction)
        values = x.reshape(count, 3) @ pyramid.T
        if values.min() < 0 or values[:, 4].max() > s.largest_force:
            self.num_programs += 1
            upper = np.tile([1e20] * 4 + [s.largest_force], count)
            x = self.program.solve(H, g, np.kron(np.eye(count), pyramid), np.zeros(5 * count), upper)
        chosen[pushes] = x.reshape(count, 3)
        return chosen


def _inverses(L: Vector, damping: float) -> Vector:
    """L⁻¹ of each leg, damped where L is nearly singular: (LᵀL + ε1)⁻¹ Lᵀ."""
    regular = np.abs(np.linalg.det(L)) > 20 * damping**1.5
    if regular.all():
        return np.linalg.inv(L)
    transposed = L.transpose(0, 2, 1)
    damped = np.linalg.solve(transposed @ L + damping * np.eye(3), transposed)
    damped[regular] = np.linalg.inv(L[regular])
    return damped
