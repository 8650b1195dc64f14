"""Which feet stand when.

Foot i has the phase φ_i = (t/T + o_i) mod 1 with period T and offset o_i; it stands while φ_i < d, the duty, and swings else. A
trot is d = 1/2 with the offsets 0 of one diagonal pair and 1/2 of the other; d = 1 stands on all feet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Gait:
    """A periodic schedule; feet in the order front left, front right, hind left, hind right."""

    period: float = 0.32  #: T, s
    duty: float = 0.5  #: d, the part of the period that a foot stands
    offsets: Tuple[float, ...] = (0.0, 0.5, 0.5, 0.0)  #: o_i

    def __post_init__(self) -> None:
        if not (np.isfinite(self.period) and self.period > 0):
            raise ValueError(f"gait: period is {self.period}; it must be positive")
        if not 0 < self.duty <= 1:
            raise ValueError(f"gait: duty is {self.duty}; it must lie in (0, 1]")
        if len(self.offsets) == 0 or not np.isfinite(self.offsets).all():
            raise ValueError(f"gait: offsets are {self.offsets}; one finite number per foot")

    @staticmethod
    def trot(period: float = 0.32) -> Gait:
        """Diagonal pairs in turn."""
        return Gait(period)

    @staticmethod
    def standing() -> Gait:
        """All four feet, always."""
        return Gait(duty=1.0, offsets=(0.0,) * 4)

    @property
    def stance_time(self) -> float:
        """How long a foot stands, s."""
        return self.duty * self.period

    @property
    def swing_time(self) -> float:
        """How long a foot swings, s."""
        return (1 - self.duty) * self.period

    def phases(self, time: float) -> Vector:
        """φ_i at a time."""
        # Simulated time is a sum of steps with roundings: a phase that is 1 but for them is 0.
        return np.array([round(time / self.period + offset, 9) % 1.0 for offset in self.offsets])

    def stands(self, time: float) -> NDArray[np.bool_]:
        """Who stands at a time."""
        return self.phases(time) < self.duty

    def stance_phases(self, time: float) -> Vector:
        """0 … 1 over the stance of each foot; 1 for those that swing."""
        return np.minimum(self.phases(time) / self.duty, 1.0)

    def swing_phases(self, time: float) -> Vector:
        """0 … 1 over the swing of each foot; 0 for those that stand."""
        if self.duty == 1:
            return np.zeros(len(self.offsets))
        return np.maximum((self.phases(time) - self.duty) / (1 - self.duty), 0.0)

    def shares(self, time: float, step: float, count: int) -> Vector:
        """Which part of [time + k step, time + (k + 1) step] each foot stands, exactly; count × feet."""

        def stood(x: Vector) -> Vector:  # the integral of "stands" over phases 0 … x
            whole = np.floor(x)
            return whole * self.duty + np.minimum(x - whole, self.duty)

        edges = (time + step * np.arange(count + 1))[:, None] / self.period + np.asarray(self.offsets)
        return np.clip(np.diff(stood(edges), axis=0) * (self.period / step), 0.0, 1.0)
