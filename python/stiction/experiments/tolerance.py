"""What a looser stopping test does to a sliding cube, by contact model."""

from __future__ import annotations

from typing import Dict

import numpy as np

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, SPEED, DT = 0.4, 1.0, 1e-3
LOOSE = (1e-6, 1e-4, 1e-2)
#: Table IV of the paper: by solver and stopping test.
PAPER = {
    "ccp-pgs": (6.7e-7, 4.3e-5, 4.8e-2),
    "raisim": (9.0e-8, 4.8e-5, 7.0e-4),
    "ncp-pgs": (6.0e-10, 9.9e-8, 5.3e-6),
}
#: Beside those of the table, in the quick form.
QUICK = ("ncp-gs", "ncp-admm", "auto")


def track(solver: str, absolute: float, steps: int) -> np.ndarray:
    simulator = worlds.sliding(solver, FRICTION, (SPEED, 0.0), dt=DT, absolute_tolerance=absolute)
    points = []
    for _ in range(steps):
        simulator.step()
        points.append(simulator.q[:3])
    return np.array(points)


def run(run: Run) -> None:
    # Judged over the slide; afterwards a cube that sticks creeps within the tolerance, which adds up over seconds of rest.
    slide = round(SPEED / (FRICTION * worlds.GRAVITY) / DT)
    steps = slide if run.quick else 3500
    names = list(PAPER) + [name for name in (QUICK if run.quick else worlds.solvers()) if name not in PAPER]
    errors: Dict[str, tuple] = {}
    whole: Dict[str, tuple] = {}
    for name in run.progress(names):
        exact = track(name, 1e-9, steps)
        away = [np.linalg.norm(track(name, loose, steps) - exact, axis=1) * DT for loose in LOOSE]
        errors[name] = tuple(float(a[:slide].sum()) for a in away)
        whole[name] = tuple(float(a.sum()) for a in away)
    run.csv("tolerance", ["solver", "eps_abs", "error_of_the_slide_m_s", f"error_of_{DT * steps:g}_s_m_s", "paper_m_s"],
            [[n, loose, errors[n][k], whole[n][k], PAPER[n][k] if n in PAPER else ""] for n in names for k, loose in enumerate(LOOSE)])
    with run.figure("tolerance") as figure:
        axes = figure.subplots()
        for name in names:
            (line,) = axes.loglog(LOOSE, np.maximum(errors[name], 1e-16), marker=".", label=name)
            if name in PAPER:
                axes.loglog(LOOSE, PAPER[name], "--", color=line.get_color(), label=f"{name}, paper")
        axes.set_xlabel("stopping test on ε_abs")
        axes.set_ylabel("integral consistency error, m s")
        axes.legend(fontsize=7)
    for k, (loose, most) in enumerate(zip(LOOSE, (6e-10, 1e-7, 5e-6))):
        run.check(f"ncp-pgs at {loose:g}, m s", errors["ncp-pgs"][k], at_most=most, paper=f"table IV: {PAPER['ncp-pgs'][k]:g}")
    run.note(f"over {DT * steps:g} s ncp-pgs is at " + ", ".join(f"{e:.1e}" for e in whole["ncp-pgs"]) + " m s: what sticks creeps")
    for name in ("ccp-pgs", "raisim"):
        worse = max(e / max(n, 1e-12) for e, n in zip(errors[name], errors["ncp-pgs"]))
        run.check(f"{name}: worse than ncp-pgs by, times", worse, at_least=10.0,
                  paper=f"table IV: {PAPER[name][2]:g} against {PAPER['ncp-pgs'][2]:g} at 1e-2")


EXPERIMENT = Experiment(
    "tolerance",
    "Integral consistency over the stopping test",
    "comparative 2023, table IV",
    "The NCP hardly notices a looser stopping test on ε_abs; the CCP and RaiSim do.",
    run,
)
