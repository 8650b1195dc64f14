"""Derivative-free minimisers in the unit box, repeated bit for bit: Nelder–Mead with Gao and Han's coefficients, and CMA-ES.

Both ask for values of points of the box [0, 1]ⁿ in batches, so that a caller may evaluate a batch in several processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, List, Sequence

import numpy as np

from .trajectories import Array

Values = Callable[[Sequence[Array]], Sequence[float]]


@dataclass(frozen=True)
class Minimum:
    """The best point that was met."""

    x: Array
    value: float
    runs: int  #: values that were asked for
    converged: bool  #: the spread fell below the tolerance; otherwise the runs were used up
    history: List[float]  #: best value so far, by run


class _Counted:
    """Asks for values, keeps the best and counts. What is not finite is worse than anything."""

    def __init__(self, values: Values, max_runs: int) -> None:
        self.values, self.max_runs = values, max_runs
        self.best, self.best_value, self.history = np.empty(0), np.inf, []

    def __call__(self, points: Sequence[Array]) -> Array:
        clipped = [np.clip(point, 0.0, 1.0) for point in points]
        found = np.array([value if np.isfinite(value) else np.inf for value in self.values(clipped)])
        for point, value in zip(clipped, found):
            if value < self.best_value:
                self.best, self.best_value = point, float(value)
            self.history.append(self.best_value)
        return found

    @property
    def left(self) -> int:
        return self.max_runs - len(self.history)

    def minimum(self, converged: bool) -> Minimum:
        if not np.isfinite(self.best_value):
            raise ValueError("the objective was finite nowhere: the model cannot follow these trajectories")
        return Minimum(self.best, self.best_value, len(self.history), converged, self.history)


def nelder_mead(values: Values, start: Array, *, step: float = 0.1, max_runs: int = 200, tolerance: float = 1e-4) -> Minimum:
    """From a simplex of edge `step` about `start`; ends when all its corners lie within `tolerance` of each other."""
    n = len(start)
    ask = _Counted(values, max_runs)
    corners = [np.array(start, dtype=float)]
    for k in range(n):
        corner = corners[0].copy()
        corner[k] += step if corner[k] + step <= 1 else -step
        corners.append(corner)
    f = list(ask(corners))
    expand, contract, shrink = 1 + 2 / n, 0.75 - 0.5 / n, 1 - 1 / max(n, 2)
    while ask.left > 0:
        order = np.argsort(f, kind="stable")
        corners, f = [corners[k] for k in order], [f[k] for k in order]
        if max(np.abs(corner - corners[0]).max() for corner in corners[1:]) < tolerance:
            return ask.minimum(True)
        middle = np.mean(corners[:-1], axis=0)

        def along(t: float) -> "tuple[Array, float]":
            point = np.clip(middle + t * (middle - corners[-1]), 0.0, 1.0)
            return point, float(ask([point])[0])

        point, value = along(1.0)
        if value < f[0]:
            farther, better = along(expand)
            corners[-1], f[-1] = (farther, better) if better < value else (point, value)
        elif value < f[-2]:
            corners[-1], f[-1] = point, value
        else:
            nearer, better = along(contract if value < f[-1] else -contract)
            if better < min(value, f[-1]):
                corners[-1], f[-1] = nearer, better
            else:
                corners[1:] = [corners[0] + shrink * (corner - corners[0]) for corner in corners[1:]]
                f[1:] = list(ask(corners[1:]))
    return ask.minimum(False)


def cma_es(
    values: Values, start: Array, *, step: float = 0.1, max_runs: int = 300, seed: int = 0, population: int = 0, tolerance: float = 1e-4
) -> Minimum:
    """Hansen's (μ/μ_w, λ)-CMA-ES; points outside the box are drawn back to it and pay for the distance."""
    n = len(start)
    ask, random = _Counted(values, max_runs), np.random.Generator(np.random.PCG64(seed))
    size = population or 4 + int(3 * np.log(n))
    if size < 4:
        raise ValueError(f"population is {population}; 4 or more is wanted")
    weights = np.log((size + 1) / 2) - np.log(np.arange(1, size // 2 + 1))
    weights /= weights.sum()
    mass = 1 / np.sum(weights**2)
    c_sigma, c_c = (mass + 2) / (n + mass + 5), (4 + mass / n) / (n + 4 + 2 * mass / n)
    c_1 = 2 / ((n + 1.3) ** 2 + mass)
    c_mu = min(1 - c_1, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
    damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (n + 1)) - 1) + c_sigma
    expected = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
    mean, sigma, C = np.array(start, dtype=float), step, np.eye(n)
    path_sigma, path_c = np.zeros(n), np.zeros(n)
    while ask.left >= size:
        scales, axes = np.linalg.eigh(C)
        scales = np.sqrt(np.maximum(scales, 1e-20))
        draws = random.standard_normal((size, n))
        moves = (draws * scales) @ axes.T
        points = mean + sigma * moves
        outside = np.sum((points - np.clip(points, 0, 1)) ** 2, axis=1)
        f = ask(list(points))
        order = np.argsort(f + outside * (1 + np.abs(np.where(np.isfinite(f), f, 0.0))), kind="stable")[: size // 2]
        move = weights @ moves[order]
        mean = np.clip(mean + sigma * move, 0.0, 1.0)
        path_sigma = (1 - c_sigma) * path_sigma + np.sqrt(c_sigma * (2 - c_sigma) * mass) * (axes @ ((axes.T @ move) / scales))
        generation = len(ask.history) / size
        short = np.linalg.norm(path_sigma) / np.sqrt(1 - (1 - c_sigma) ** (2 * generation)) < (1.4 + 2 / (n + 1)) * expected
        path_c = (1 - c_c) * path_c + (np.sqrt(c_c * (2 - c_c) * mass) * move if short else 0.0)
        spread = (moves[order].T * weights) @ moves[order]
        C = (1 - c_1 - c_mu) * C + c_1 * np.outer(path_c, path_c) + c_mu * spread
        sigma *= np.exp((c_sigma / damping) * (np.linalg.norm(path_sigma) / expected - 1))
        if sigma * scales.max() < tolerance:
            return ask.minimum(True)
    return ask.minimum(False)
