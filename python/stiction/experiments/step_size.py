"""What a longer step does to a sliding cube."""

from __future__ import annotations

from typing import Dict

import numpy as np

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, SPEED = 0.4, 1.0
PAPER = {1e-3: 1.5e-3, 1e-2: 1.6e-2, 1e-1: 1.6e-1}
REFERENCE = 1e-4


def track(solver: str, dt: float, duration: float) -> np.ndarray:
    simulator = worlds.sliding(solver, FRICTION, (SPEED, 0.0), dt=dt)
    points = [simulator.q[:3]]
    for _ in range(round(duration / dt)):
        simulator.step()
        points.append(simulator.q[:3])
    return np.array(points)


def consistency_error(coarse: np.ndarray, dt: float, fine: np.ndarray) -> float:
    """∫ ‖x(t) − x_ref(t)‖ dt, m s."""
    same = fine[:: round(dt / REFERENCE)][: len(coarse)]
    return float(np.linalg.norm(coarse[: len(same)] - same, axis=1).sum() * dt)


def run(run: Run) -> None:
    duration = 3.5
    names = ["ccp-pgs", "raisim", "ncp-pgs", "auto"] if run.quick else worlds.solvers()
    errors: Dict[str, Dict[float, float]] = {}
    for name in run.progress(names):
        fine = track(name, REFERENCE, duration)
        errors[name] = {dt: consistency_error(track(name, dt, duration), dt, fine) for dt in PAPER}
    run.csv("step_size", ["solver", "dt_s", "error_m_s", "paper_m_s"], [[n, dt, e[dt], PAPER[dt]] for n, e in errors.items() for dt in PAPER])
    with run.figure("step_size") as figure:
        axes = figure.subplots()
        for name, e in errors.items():
            axes.loglog(list(e), list(e.values()), marker=".", label=name, linewidth=0.8)
        axes.loglog(list(PAPER), list(PAPER.values()), "k--", label="paper, NCP/PGS")
        axes.set_xlabel("Δt, s")
        axes.set_ylabel("integral consistency error, m s")
        axes.legend(fontsize=6, ncols=2)
    for name in ("ncp-pgs", "raisim", "ccp-pgs"):
        for dt, paper in PAPER.items():
            run.check(f"{name} at {1e3 * dt:g} ms, m s", errors[name][dt], near=(paper, 0.2 * paper), paper=f"table III: {paper:g}")


EXPERIMENT = Experiment(
    "step-size",
    "Integral consistency over the time step",
    "comparative 2023, table III",
    "All contact models are of first order in the time step: about 1.5e-3, 1.6e-2 and 1.6e-1 m s at 1, 10 and 100 ms.",
    run,
)
