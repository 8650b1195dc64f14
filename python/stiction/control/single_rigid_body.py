"""Predictive control of the robot taken for one rigid body: which forces at the feet carry it along a reference?

Letters: θ roll, pitch, yaw; p centre of mass; ω, v their rates in world axes; m, I mass and moment of inertia; f_i the force at
foot i, r_i the foot less the centre of mass, s_i the part of a step that it stands; ψ the yaw.

    θ̇ = R_z(ψ)ᵀ ω        ṗ = v        I ω̇ = Σ s_i r_i × f_i        m v̇ = Σ s_i f_i + m g

(roll and pitch small, ω × Iω left out; r_i as if the centre of mass went on at the velocity of the reference, so that all is linear
in f). Forces are constant over each of N steps of length h, so that with G_j = ∂(ω̇, v̇)/∂f_j the state at the end of step k is, exactly,

    (ω, v)_k = free + Σ_{j ≤ k} h G_j f_j        (θ, p)_k = free + Σ_{j ≤ k} h² (k − j + ½) T G_j f_j        T = diag(R_zᵀ, 1).

The forces minimise Σ_k ‖x_k − x_k^ref‖²_Q + α Σ ‖f − f_w‖² with friction pyramids and bounds of the normal force; f_w shares the
weight among those that stand, so that a body at rest on its reference is held without error. No unknowns but the forces:
the Hessian is (DᵀD) ∘ (GᵀTᵀQ_p T G) + (EᵀE) ∘ (GᵀQ_v G) + α, D and E being the numbers above by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

import numpy as np
from numpy.typing import NDArray

from .quadratic_program import QuadraticProgram, friction_pyramid

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class PredictionSettings:
    """How far the prediction looks, and what it cares for."""

    steps: int = 10  #: N
    step: float = 0.032  #: h, s
    #: Q of roll, pitch, yaw; x, y, z; their rates: per rad², m², …
    weights: Tuple[float, ...] = (40, 40, 25, 40, 40, 400, 0.3, 0.3, 0.3, 6, 6, 4)
    force_weight: float = 2e-3  #: α, per N²
    largest_force: float = 30.0  #: N, along the normal, per foot
    smallest_force: float = 0.5  #: N, along the normal, of a foot that stands

    def __post_init__(self) -> None:
        if self.steps < 1 or not self.step > 0:
            raise ValueError(f"prediction: steps {self.steps} and step {self.step} must be positive")
        if len(self.weights) != 12 or min(self.weights) < 0 or not self.force_weight > 0:
            raise ValueError("prediction: twelve weights that are not negative, and a positive force_weight")
        if not 0 <= self.smallest_force < self.largest_force:
            raise ValueError(f"prediction: forces from {self.smallest_force} to {self.largest_force} N are no range")


@dataclass(frozen=True)
class BodyState:
    """θ, p, ω, v."""

    angles: Vector  #: roll, pitch, yaw, rad
    position: Vector  #: of the centre of mass, m
    angular: Vector  #: ω, world axes, rad/s
    linear: Vector  #: v, m/s


@dataclass(frozen=True)
class Prediction:
    """What the program found: forces on the body by step and foot, N (steps × feet × 3), zero where a foot swings."""

    forces: Vector
    free: Vector  #: (θ, p, ω, v) at the ends of the steps without any force but gravity
    end: Vector  #: the same with the forces


class SingleRigidBody:
    """The body, and the program that moves it."""

    def __init__(self, mass: float, inertia: Vector, settings: PredictionSettings = PredictionSettings()) -> None:
        inertia = np.asarray(inertia, dtype=float)
        if not (np.isfinite(mass) and mass > 0):
            raise ValueError(f"single rigid body: mass is {mass}; it must be positive")
        if inertia.shape != (3, 3) or not np.isfinite(inertia).all() or np.linalg.eigvalsh(inertia).min() <= 0:
            raise ValueError("single rigid body: inertia must be a positive definite 3 × 3 matrix")
        self.mass, self.inertia, self.settings = float(mass), inertia, settings
        self.program = QuadraticProgram()
        n = settings.steps
        ages = np.arange(n)[:, None] - np.arange(n)[None, :]  # k − j
        self._D = np.where(ages >= 0, settings.step**2 * (ages + 0.5), 0.0)
        self._E = np.where(ages >= 0, settings.step, 0.0)
        self._DD, self._EE = self._D.T @ self._D, self._E.T @ self._E
        self._times = settings.step * np.arange(1, n + 1)

    def predict(
        self,
        state: BodyState,
        rotation: Vector,
        reference: Vector,
        feet: Vector,
        shares: Vector,
        axes: Vector,
        friction: float,
        gravity: float = 9.81,
    ) -> Prediction:
        """The best forces.

        rotation   orientation of the body now, 3 × 3
        reference  (θ, p, ω, v) wanted at the ends of the steps, N × 12
        feet       where each foot stands in each step, N × feet × 3
        shares     s_i by step and foot
        axes       columns (t1, t2, n) of the ground, 3 × 3
        friction   half width of the pyramid
        """
        s, n, h = self.settings, self.settings.steps, self.settings.step
        Q = np.asarray(s.weights, dtype=float)
        yaw = state.angles[2]
        T = np.eye(6)
        T[:3, :3] = [[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]]

        free = self._free_motion(state, T, gravity)
        error = free - reference
        error[:, 2] = (error[:, 2] + np.pi) % (2 * np.pi) - np.pi

        step_of, foot_of = np.nonzero(shares > 1e-3)
        forces = np.zeros(shares.shape + (3,))
        if len(step_of) == 0:
            return Prediction(forces, free, free)
        G = self._effects(rotation, (feet - self._path(state, reference)[:, None])[step_of, foot_of], shares[step_of, foot_of])
        TG = T @ G
        at = np.repeat(step_of, 3)
        H = self._DD[at[:, None], at] * (TG.T @ (Q[:6, None] * TG)) + self._EE[at[:, None], at] * (G.T @ (Q[6:, None] * G))
        g = np.einsum("xa,xa->a", TG, (self._D.T @ (error[:, :6] * Q[:6])).T[:, at])
        g += np.einsum("xa,xa->a", G, (self._E.T @ (error[:, 6:] * Q[6:])).T[:, at])
        H[np.diag_indices_from(H)] += s.force_weight
        weight = np.zeros((len(at) // 3, 3))
        weight[:, 2] = self.mass * gravity / np.maximum(shares.sum(axis=1), 1.0)[step_of]
        g -= s.force_weight * weight.ravel()

        block = friction_pyramid(axes, friction)
        count = len(step_of)
        C = np.kron(np.eye(count), block)
        lower = np.tile([0.0, 0.0, 0.0, 0.0, s.smallest_force], count)
        upper = np.tile([1e20, 1e20, 1e20, 1e20, s.largest_force], count)
        x = self.program.solve(H, g, C, lower, upper)
        forces[step_of, foot_of] = x.reshape(-1, 3)
        end = free.copy()
        end[:, :6] += self._D[:, at] @ (TG * x).T
        end[:, 6:] += self._E[:, at] @ (G * x).T
        return Prediction(forces, free, end)

    def _path(self, state: BodyState, reference: Vector) -> Vector:
        """The centre of mass in the middle of each step, for the arms: from where it is, along with the reference's velocity.

        Not the reference itself: an arm that is wrong by a leash of 6 cm is a moment of 1.5 N·m that is not there.
        """
        h, v = self.settings.step, reference[:, 9:12]
        return state.position + h * (np.cumsum(v, axis=0) - 0.5 * v)

    def _free_motion(self, state: BodyState, T: Vector, gravity: float) -> Vector:
        t = self._times[:, None]
        rates = np.concatenate([state.angular, state.linear])
        start = np.concatenate([state.angles, state.position])
        free = np.hstack([start + t * (T @ rates), np.broadcast_to(rates, (len(t), 6))])
        free[:, 5] -= 0.5 * gravity * self._times**2
        free[:, 11] -= gravity * self._times
        return free

    def _effects(self, rotation: Vector, arms: Vector, shares: Vector) -> Vector:
        """G: columns of all forces side by side, 6 × 3 count."""
        inverse = rotation @ np.linalg.inv(self.inertia) @ rotation.T
        count = len(arms)
        cross = np.zeros((count, 3, 3))
        x, y, z = arms.T
        cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
        cross -= cross.transpose(0, 2, 1)
        G = np.zeros((6, count, 3))
        G[:3] = (inverse @ cross * shares[:, None, None]).transpose(1, 0, 2)
        G[3:] = np.eye(3)[:, None, :] * (shares / self.mass)[None, :, None]
        return G.reshape(6, 3 * count)
