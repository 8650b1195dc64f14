"""Pinch grasp: a capsule of 45 g held between two sliding pads, μ 0.7.

Capsule of radius 4 mm and length 40 mm, its axis along y. Pads of 10 × 60 × 60 mm and 0.1 kg slide along x and are servoed
(kp 1e4 N/m, kd 20 N s/m) to 2 mm past first contact: 20 N on each side, so friction could carry 63 times the weight. Creep is
the downward speed of the capsule from 1 s to 5 s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Pinch:
    time_step: float = 1e-3
    radius: float = 0.004
    length: float = 0.04
    mass: float = 0.045
    friction: float = 0.7
    kp: float = 1e4
    kd: float = 20.0
    pad_half: tuple = (0.005, 0.03, 0.03)
    pad_mass: float = 0.1
    target: float = 0.002

    @property
    def pad_x(self) -> float:
        """Centre of a pad at first contact."""
        return self.radius + self.pad_half[0]

    def to_mjcf(self) -> str:
        half = " ".join(map(str, self.pad_half))
        pads = "".join(
            f'<body pos="{side * self.pad_x} 0 0"><joint name="{name}" type="slide" axis="{-side} 0 0" damping="{self.kd}"/>'
            f'<geom type="box" size="{half}" mass="{self.pad_mass}"/></body>'
            for name, side in (("left", -1), ("right", 1))
        )
        return (
            f'<mujoco><option timestep="{self.time_step}"/><default><geom condim="3" friction="{self.friction} 0 0"/></default>'
            f'<worldbody>{pads}<body name="capsule"><freejoint/><geom type="capsule" size="{self.radius}" mass="{self.mass}" '
            f'fromto="0 {-self.length / 2} 0 0 {self.length / 2} 0"/></body></worldbody><actuator><position joint="left" '
            f'kp="{self.kp}"/><position joint="right" kp="{self.kp}"/></actuator>'
            f'<keyframe><key name="start" ctrl="{self.target} {self.target}"/></keyframe></mujoco>'
        )


def setup():
    from .scenes import Setup

    pinch = Pinch()
    return Setup(pinch, pinch.to_mjcf(), pinch.time_step)


def measure(engine, run):
    from .scenes import Clock

    clock = Clock(engine, run)
    clock.step(1000)
    start, axis = engine.capsule()
    clock.step(4000)
    end, turned = engine.capsule()
    creep = abs(start[2] - end[2]) / 4.0 * 1e6
    tilt = float(np.degrees(np.arccos(np.clip(abs(axis @ turned), 0, 1))))
    held = "held" if abs(end[2]) < 0.01 else "DROPPED"
    return clock.finish(f"{held}, creep {creep:.2g} µm/s, tilt {tilt:.3f}°", creep=creep)
