"""Free flight: centre of mass and gravity of a body from its recorded pose alone, without any contact (docs/theory/fitting.md#eq-8-1).

    p_k = c₀ + c₁ t_k + ½ g t_k² − R_k c

c₀ and c₁ of each flight, c (in body axes) and g shared: linear least squares, solved with c₀ and c₁ projected out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from .._stiction import Model, Simulator
from .trajectories import Array, Trajectory, rotation_matrices

STANDARD_GRAVITY = 9.80665
#: Lengths whose unit may have been forgotten, in metres.
_UNITS = {"millimetres": 1e-3, "centimetres": 1e-2, "inches": 0.0254, "feet": 0.3048}
#: Gravity that differs by more than this part is suspected to be a matter of units.
_SUSPICIOUS = 0.1


def suspected_units(gravity: float) -> Optional[str]:
    """What a fitted gravity (m/s², its size) says about the units of the record; None where it is about 9.8."""
    if not np.isfinite(gravity):
        return f"fitted gravity is {gravity}"
    if abs(gravity / STANDARD_GRAVITY - 1) <= _SUSPICIOUS:
        return None
    text = f"fitted gravity is {gravity:.4g} m/s², far from 9.8: units of length or time suspected wrong"
    for unit, metres in _UNITS.items():
        if abs(gravity * metres / STANDARD_GRAVITY - 1) <= _SUSPICIOUS:
            return f"{text}; lengths in {unit} would give {gravity * metres:.4g}"
    if gravity < 1e-3:
        return f"{text}; times in milliseconds, or no free flight at all"
    return text


@dataclass(frozen=True)
class FlightFit:
    """What free flight says about a body."""

    com: Array  #: c, body axes, m; from the origin of the recorded pose
    gravity: Array  #: g, world axes, m/s²
    covariance: Array  #: of (c, g), 6 x 6; rows and columns of what was held are zero
    noise: float  #: standard deviation of one recorded coordinate, m
    degrees_of_freedom: int
    num_flights: int
    num_rows: int
    warnings: Sequence[str]

    @property
    def com_error(self) -> Array:
        """Standard errors of c, m."""
        return np.sqrt(np.diag(self.covariance)[:3])

    @property
    def gravity_error(self) -> Array:
        """Standard errors of g, m/s²."""
        return np.sqrt(np.diag(self.covariance)[3:])

    def interval(self, level: float = 0.95) -> Array:
        """Rows (lower, upper) of c and g by Student's t."""
        from scipy.stats import t

        half = t.ppf(0.5 + level / 2, self.degrees_of_freedom) * np.sqrt(np.diag(self.covariance))
        middle = np.concatenate([self.com, self.gravity])
        return np.stack([middle - half, middle + half], axis=1)

    def __str__(self) -> str:
        c, e = self.com * 1e3, self.com_error * 1e3
        g, h = self.gravity, self.gravity_error
        lines = [
            f"{self.num_flights} flights, {self.num_rows} rows, noise {self.noise * 1e3:.3g} mm",
            "com     " + ", ".join(f"{a:.3g} ± {b:.2g}" for a, b in zip(c, e)) + " mm",
            "gravity " + ", ".join(f"{a:.4g} ± {b:.2g}" for a, b in zip(g, h)) + " m/s²",
        ]
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])


def rows_in_flight(model: Model, trajectory: Trajectory, clearance: float = 2e-3) -> int:
    """How many rows of the trajectory come before the first at which anything is nearer than `clearance`, m."""
    simulator = Simulator(model, dt=1e-6, margin=clearance)
    for k, q in enumerate(trajectory.positions):
        simulator.set_position(q)
        if any(contact.gap <= clearance for contact in simulator.forward()):
            return k
    return len(trajectory)


def fit_flight(
    trajectories: Sequence[Trajectory],
    rows: Union[int, Sequence[int]],
    *,
    gravity: Optional[ArrayLike] = None,
    least_rows: int = 4,
) -> FlightFit:
    """c and g of a free body (7 positions per row) from the first `rows` rows, one number or one per trajectory.

    `gravity` holds g at a known value. Flights of fewer than `least_rows` rows, which is 4 or more, say nothing and are left
    out. ValueError where what is left cannot tell.
    """
    if least_rows < 4:
        raise ValueError(f"least_rows is {least_rows}; a parabola and a rotation need 4 or more")
    counts = [int(rows)] * len(trajectories) if np.ndim(rows) == 0 else [int(n) for n in rows]
    if len(counts) != len(trajectories):
        raise ValueError(f"rows has {len(counts)} entries for {len(trajectories)} trajectories")
    held = None if gravity is None else np.asarray(gravity, dtype=float)
    if held is not None and (held.shape != (3,) or not np.all(np.isfinite(held))):
        raise ValueError(f"gravity is {held.tolist()}; three finite numbers are wanted")
    flights = [(t, n) for t, n in zip(trajectories, counts) if n >= least_rows]
    if not flights:
        raise ValueError(f"no flight of {least_rows} rows or more among {len(trajectories)} trajectories")
    columns, values = zip(*(_flight(t, n, held) for t, n in flights))
    A, b = np.concatenate(columns), np.concatenate(values)
    free = A.shape[1]
    dof = len(b) - free - 6 * len(flights)
    if dof < 1:
        raise ValueError(f"{len(flights)} flights with {len(b) // 3} rows: too few to tell c and g; longer flights are wanted")
    x, spread, rank = _solve(A, b)
    turning = np.linalg.norm(A[:, :3], axis=0) / np.sqrt(len(b))  # what is left of R c when a straight flight is taken off
    if rank < free or turning.min() < 1e-8:
        raise ValueError("the flights do not tell centre of mass from start: the body turns too little in them")
    noise = np.sqrt(np.sum((b - A @ x) ** 2) / dof)
    covariance = np.zeros((6, 6))
    covariance[:free, :free] = noise**2 * spread
    g = x[3:] if held is None else held
    warnings = [] if held is not None else [w for w in [suspected_units(float(np.linalg.norm(g)))] if w]
    return FlightFit(x[:3], g, covariance, float(noise), dof, len(flights), len(b) // 3, warnings)


def _flight(trajectory: Trajectory, rows: int, gravity: Optional[Array]) -> "tuple[Array, Array]":
    """The rows of one flight with c₀ + c₁ t projected out; unknowns c, and g where it is not held."""
    if trajectory.positions.shape[1] != 7:
        raise ValueError(f"trajectory {trajectory.name}: {trajectory.positions.shape[1]} positions per row; a free body has 7")
    if rows > len(trajectory):
        raise ValueError(f"trajectory {trajectory.name}: {rows} rows of flight asked for, it has {len(trajectory)}")
    t = trajectory.times[:rows] - trajectory.times[0]
    p = trajectory.positions[:rows, :3]
    turns = rotation_matrices(trajectory.positions[:rows, 3:7])
    basis = np.linalg.qr(np.stack([np.ones(rows), t], axis=1))[0]

    def project(values: Array) -> Array:
        return values - basis @ (basis.T @ values)

    A: List[Array] = []
    b: List[Array] = []
    falling = project(0.5 * t * t)
    for axis in range(3):
        column = np.zeros((rows, 6 if gravity is None else 3))
        column[:, :3] = -project(turns[:, axis])
        y = project(p[:, axis])
        if gravity is None:
            column[:, 3 + axis] = falling
        else:
            y = y - gravity[axis] * falling
        A.append(column)
        b.append(y)
    return np.concatenate(A), np.concatenate(b)


def _solve(A: Array, b: Array) -> "tuple[Array, Array, int]":
    """Least squares with (AᵀA)⁻¹; columns scaled first, so that the rank means something."""
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1
    U, s, Vt = np.linalg.svd(A / scale, full_matrices=False)
    rank = int(np.sum(s > 1e-9 * s[0])) if len(s) else 0
    if rank < len(s):
        return np.zeros(A.shape[1]), np.zeros((A.shape[1],) * 2), rank
    x = Vt.T @ ((U.T @ b) / s) / scale
    spread = (Vt.T / s**2) @ Vt / np.outer(scale, scale)
    return x, spread, rank
