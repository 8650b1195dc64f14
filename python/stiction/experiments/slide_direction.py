"""A cube slides straight, but for the pyramid."""

from __future__ import annotations

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, SPEED, ANGLE = 0.4, 1.0, np.radians(30.0)
#: Deviations that the laws themselves have: RaiSim bends the direction of sliding, ccp-newton is soft.
OWN_LAW = {"raisim": 1e-4, "ccp-newton": 1e-3}


def track(solver: str) -> np.ndarray:
    """Positions along and across the initial velocity, by step, until the cube stands."""
    simulator = worlds.sliding(solver, FRICTION, (SPEED * np.cos(ANGLE), SPEED * np.sin(ANGLE)))
    steps = int(1000 * SPEED / (FRICTION * worlds.GRAVITY)) + 150
    turn = np.array([[np.cos(ANGLE), np.sin(ANGLE)], [-np.sin(ANGLE), np.cos(ANGLE)]])
    points = [np.zeros(2)]
    for _ in range(steps):
        simulator.step()
        points.append(turn @ np.array(simulator.q[:2]))
    return np.array(points)


def run(run: Run) -> None:
    names = worlds.solvers()
    tracks = {name: track(name) for name in run.progress(names)}
    away = {name: float(np.abs(points[:, 1]).max()) for name, points in tracks.items()}
    run.csv("deviation", ["solver", "model", "deviation_m", "distance_m"],
            [[n, str(worlds.law_of(n)).split(".")[-1], away[n], tracks[n][-1, 0]] for n in names])
    with run.figure("tracks") as figure:
        axes = figure.subplots()
        for name, points in tracks.items():
            pyramid = worlds.law_of(name) == st.ContactModel.lcp
            axes.plot(points[:, 0], 1e3 * points[:, 1], label=name, linewidth=2.0 if pyramid else 0.8)
        axes.set_xlabel("along the initial velocity, m")
        axes.set_ylabel("away from it, mm")
        axes.legend(fontsize=6, ncols=2)
    pyramids = worlds.solvers("lcp")
    run.check("least deviation of the LCP solvers, m", min(away[n] for n in pyramids), at_least=1e-2,
              paper="figure 9: bends towards the corner of the pyramid")
    straight = [n for n in names if n not in pyramids and n not in OWN_LAW]
    worst = max(straight, key=lambda n: away[n])
    run.check(f"largest deviation of the cone models ({worst}), m", away[worst], at_most=1e-6, paper="figure 9: straight")
    for name, most in OWN_LAW.items():
        run.check(f"deviation of {name}, by its own law, m", away[name], at_most=most, paper="figure 9: straight to the eye")


EXPERIMENT = Experiment(
    "slide-direction",
    "A cube slides along its initial direction",
    "comparative 2023, figure 9",
    "The pyramid of the LCP bends the path of a sliding cube; cones keep it straight.",
    run,
)
