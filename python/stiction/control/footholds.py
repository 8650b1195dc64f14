"""Where feet land, and how they get there.

Raibert's rule: a foot lands where, if the body keeps its velocity, it is under its hip in the middle of its stance, and farther
out the faster the body is than it should be:

    x = p + v t_l + R_z(ψ + ω_z (t_l + T_s/2)) h + ½ T_s v + k (v − v_c)

p, v the body and its velocity, t_l the time until the landing, T_s the stance time, ψ the heading, ω_z, v_c what is commanded, h the
hip in the frame of the heading, k a time. Without k the stance neither brakes nor pushes; an inverted pendulum of height z would
come to the commanded velocity in one step with ½ T_s + k = √(z/g).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class FootholdSettings:
    """Of the rule, and of the way through the air."""

    velocity_gain: float = 0.04  #: k, s
    longest_step: float = 0.14  #: m, from below the hip
    clearance: float = 0.06  #: m, above the higher end of the swing
    press: float = 0.01  #: m, how far below the expected ground a swing ends: it is the ground that stops the foot

    def __post_init__(self) -> None:
        for name in ("velocity_gain", "longest_step", "clearance", "press"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"footholds: {name} is {value}; it must not be negative")


def foothold(
    position: Vector,
    velocity: Vector,
    heading: float,
    hip: Vector,
    commanded: Vector,
    yaw_rate: float,
    time_left: float,
    stance_time: float,
    settings: FootholdSettings = FootholdSettings(),
) -> Vector:
    """x and y of the landing; `velocity` and `commanded` in world axes, `hip` in the frame of the heading."""
    angle = heading + yaw_rate * (time_left + 0.5 * stance_time)
    c, s = np.cos(angle), np.sin(angle)
    below = np.array([c * hip[0] - s * hip[1], s * hip[0] + c * hip[1]])
    reach = 0.5 * stance_time * velocity[:2] + settings.velocity_gain * (velocity[:2] - commanded[:2])
    length = float(np.hypot(*reach))
    if length > settings.longest_step:
        reach *= settings.longest_step / length
    return position[:2] + time_left * velocity[:2] + below + reach


def swing_path(start: Vector, end: Vector, phase: float, duration: float, clearance: float) -> Tuple[Vector, Vector, Vector]:
    """Position, velocity and acceleration at `phase` 0 … 1 of a swing; at rest at both ends.

    Along the ground b(s) = s³ (10 − 15 s + 6 s²) of the way; above the straight line 16 c s² (1 − s)², c being the clearance
    above the higher end, so that a foot leaves a low place steeply.
    """
    s = min(max(phase, 0.0), 1.0)
    b = s**3 * (10 - 15 * s + 6 * s * s)
    db = 30 * s * s * (1 - s) ** 2 / duration
    ddb = 60 * s * (1 - s) * (1 - 2 * s) / duration**2
    way = end - start
    lift = 16 * (clearance + 0.5 * abs(way[2]))
    x, v, a = start + b * way, db * way, ddb * way
    x[2] += lift * s * s * (1 - s) ** 2
    v[2] += lift * 2 * s * (1 - s) * (1 - 2 * s) / duration
    a[2] += lift * 2 * (1 - 6 * s + 6 * s * s) / duration**2
    return x, v, a
