"""The terrain, as far as feet that stood on it know: a plane z = a + b x + c y through where the four feet touched last.

The slopes are pulled towards zero (four feet on bumps are no good level) and follow slowly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class GroundEstimate:
    """A plane that follows the feet."""

    def __init__(self, feet: Vector, follow: float = 0.1, stiffness: float = 0.03) -> None:
        self.touched = np.array(feet, dtype=float)  #: where each foot touched last, feet × 3
        self.follow = follow  #: s, the time constant
        self.stiffness = stiffness  #: m², holds the slopes at zero against the spread of the feet
        self._plane = self._fit()  # height at the centre of the feet, slopes
        self._centre = _mean(self.touched)[:2]

    def update(self, feet: Vector, touches: NDArray[np.bool_], dt: float) -> None:
        """`touches`: whose place is known now."""
        self.touched[touches] = feet[touches]
        share = min(dt / self.follow, 1.0)
        centre = _mean(self.touched)[:2]
        before = self.height(centre)
        self._centre = centre
        self._plane[0] = before  # the same plane, about another point
        self._plane += share * (self._fit() - self._plane)

    def _fit(self) -> Vector:
        middle = _mean(self.touched)
        away = self.touched - middle
        xy, z = away[:, :2], away[:, 2]
        slopes = np.linalg.solve(xy.T @ xy + self.stiffness * np.eye(2), xy.T @ z)
        return np.array([middle[2], slopes[0], slopes[1]])

    @property
    def slopes(self) -> Vector:
        """∂z/∂x, ∂z/∂y."""
        return self._plane[1:].copy()

    def height(self, xy: Vector) -> float:
        """z of the plane."""
        return float(self._plane[0] + self._plane[1:] @ (np.asarray(xy)[:2] - self._centre))

    def axes(self, heading: float) -> Vector:
        """Columns t1 (along the heading), t2, n of the plane."""
        n = np.array([-self._plane[1], -self._plane[2], 1.0])
        n /= np.linalg.norm(n)
        t1 = np.array([np.cos(heading), np.sin(heading), 0.0])
        t1 -= n * (n @ t1)
        t1 /= np.linalg.norm(t1)
        t2 = [n[1] * t1[2] - n[2] * t1[1], n[2] * t1[0] - n[0] * t1[2], n[0] * t1[1] - n[1] * t1[0]]
        return np.array([t1, t2, n]).T


def _mean(points: Vector) -> Vector:
    return points.sum(axis=0) / len(points)
