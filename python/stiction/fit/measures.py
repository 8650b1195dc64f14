"""How far a predicted motion of a free body is from the recorded one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence

import numpy as np
from numpy.typing import NDArray

from .trajectories import Array, quaternion_product, rotation_matrices


def angle_between(recorded: Array, predicted: Array) -> Array:
    """Angles between rows of quaternions (x, y, z, w), rad, 0 … π."""
    inverse = recorded * np.array([-1.0, -1.0, -1.0, 1.0])
    d = quaternion_product(inverse, predicted)
    return 2 * np.arctan2(np.linalg.norm(d[:, :3], axis=1), np.abs(d[:, 3]))


def upper_face(quaternion: Array) -> int:
    """Which face of a box looks up most: 0 … 5 for +x, −x, +y, −y, +z, −z of the body."""
    up = rotation_matrices(quaternion)[2]
    axis = int(np.argmax(np.abs(up)))
    return 2 * axis + (0 if up[axis] > 0 else 1)


@dataclass(frozen=True)
class TossError:
    """One toss: means over its rows, the start row among them with error zero."""

    name: str
    position: float  #: % of the width
    rotation: float  #: degrees
    face: bool  #: whether the right face looks up at the end


def toss_error(name: str, recorded: Array, predicted: Array, width: float) -> TossError:
    """`recorded` and `predicted` are q of a free body at the same rows, the start row first; `width` in m."""
    if recorded.shape != predicted.shape:
        raise ValueError(f"{name}: {recorded.shape} recorded and {predicted.shape} predicted positions")
    position = np.linalg.norm(predicted[:, :3] - recorded[:, :3], axis=1).mean() / width * 100
    rotation = np.degrees(angle_between(recorded[:, 3:7], predicted[:, 3:7])).mean()
    face = upper_face(recorded[-1, 3:7]) == upper_face(predicted[-1, 3:7])
    return TossError(name, float(position), float(rotation), face)


@dataclass(frozen=True)
class Score:
    """Many tosses: means, medians, standard errors of the means."""

    errors: Sequence[TossError]

    def _values(self, name: str) -> NDArray[np.float64]:
        return np.array([getattr(error, name) for error in self.errors], dtype=float)

    @property
    def position(self) -> float:
        return float(self._values("position").mean())

    @property
    def rotation(self) -> float:
        return float(self._values("rotation").mean())

    @property
    def face(self) -> float:
        """% of the tosses."""
        return float(self._values("face").mean() * 100)

    @property
    def median_position(self) -> float:
        return float(np.median(self._values("position")))

    @property
    def median_rotation(self) -> float:
        return float(np.median(self._values("rotation")))

    @property
    def standard_errors(self) -> "tuple[float, float]":
        n = np.sqrt(len(self.errors))
        return float(self._values("position").std(ddof=1) / n), float(self._values("rotation").std(ddof=1) / n)

    def capped(self, position: float, rotation: float) -> float:
        """The mean over tosses of both errors, each capped, in parts of its cap: what a derivative-free fit minimises."""
        p, r = self._values("position") / position, self._values("rotation") / rotation
        return float((np.minimum(p, 1) + np.minimum(r, 1)).mean())

    def __add__(self, other: "Score") -> "Score":
        return Score([*self.errors, *other.errors])

    def __str__(self) -> str:
        p, r = self.standard_errors if len(self.errors) > 1 else (float("nan"),) * 2
        return (
            f"{self.position:.2f} ± {p:.2f} %, {self.rotation:.2f} ± {r:.2f}°, right face {self.face:.1f} % "
            f"(medians {self.median_position:.2f} %, {self.median_rotation:.2f}°)"
        )


def worst_first(errors: Sequence[TossError]) -> List[TossError]:
    """By position error."""
    return sorted(errors, key=lambda error: -error.position)
