"""What a sliding cube loses, and how high it hops, by contact model."""

from __future__ import annotations

from typing import Dict, NamedTuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, DT = 0.4, 1e-3
SHOWN = ("auto", "ncp-pgs", "raisim-ds", "raisim", "ccp-admm", "lcp-pgs", "max-dissipation")


class Slide(NamedTuple):
    energy: np.ndarray  # kinetic and potential, J
    height: np.ndarray  # of the centre over its start, m
    distance: float  # m


def slide(solver: str, speed: float) -> Slide:
    simulator = worlds.sliding(solver, FRICTION, (0.0, speed), dt=DT)
    energy, height = [], []
    for _ in range(int((speed / (FRICTION * worlds.GRAVITY) + 0.15) / DT)):
        simulator.step()
        height.append(simulator.q[2] - worlds.HALF)
        energy.append(simulator.kinetic_energy() + worlds.GRAVITY * height[-1])
    return Slide(np.array(energy), np.array(height), float(simulator.q[1]))


def closed_form(speed: float, count: int) -> np.ndarray:
    return 0.5 * np.maximum(speed - FRICTION * worlds.GRAVITY * DT * np.arange(1, count + 1), 0.0) ** 2


def run(run: Run) -> None:
    speeds = (1.0, 3.0)
    names = worlds.solvers()
    slides: Dict[float, Dict[str, Slide]] = {speed: {} for speed in speeds}
    for speed, name in run.progress([(speed, name) for speed in speeds for name in names]):
        slides[speed][name] = slide(name, speed)
    rows = []
    with run.figure("energy", 9.0, 6.0) as figure:
        axes = figure.subplots(2, 2, sharex="col")
        for column, speed in enumerate(speeds):
            exact = closed_form(speed, len(slides[speed]["auto"].energy))
            time = DT * np.arange(1, len(exact) + 1)
            for name in names:
                s = slides[speed][name]
                rows.append([name, speed, np.abs(s.energy - exact).max(), s.height.max(), s.distance])
                if name in SHOWN:
                    axes[0, column].plot(time, s.energy, label=name, linewidth=1.0)
                    axes[1, column].plot(time, 1e3 * s.height, label=name, linewidth=1.0)
            axes[0, column].plot(time, exact, "k--", linewidth=0.8, label="½ m (v₀ − μ g t)²")
            axes[0, column].set_title(f"{speed:g} m/s")
            axes[1, column].set_xlabel("s")
        axes[0, 0].set_ylabel("energy, J")
        axes[1, 0].set_ylabel("height, mm")
        axes[0, 0].legend(fontsize=7)
    run.csv("energy", ["solver", "speed", "largest_energy_error_J", "largest_height_m", "distance_m"], rows)

    # The last step before the stop begins at less than μ g Δt: half of its square is what the closed form may differ by.
    order = 0.5 * (FRICTION * worlds.GRAVITY * DT) ** 2
    for speed in speeds:
        exact = closed_form(speed, len(slides[speed]["auto"].energy))
        error = {n: float(np.abs(slides[speed][n].energy - exact).max()) for n in names}
        worst = max(worlds.solvers("ncp"), key=lambda n: error[n])
        run.check(f"{speed:g} m/s: largest energy error of the NCP solvers ({worst}), J", error[worst], at_most=1e-6 + order,
                  paper="figure 10: on the analytic curve")
    for speed, hop in ((1.0, 6e-3), (3.0, 55e-3)):
        height = max(float(slides[speed][n].height.max()) for n in ("ccp-pgs", "ccp-admm"))
        run.check(f"{speed:g} m/s: height to which the CCP hops, m", height, near=(hop, 0.1 * hop), paper="figure 10: bumps")
    stop = 3.0**2 / (2.0 * FRICTION * worlds.GRAVITY)
    run.check("3 m/s: RaiSim slides farther by, %", 100.0 * (slides[3.0]["raisim"].distance / stop - 1.0), near=(1.1, 0.6),
              paper="figure 10: dissipates less")
    if st.ContactModel.max_dissipation in {worlds.law_of(n) for n in names}:
        error = np.abs(slides[1.0]["max-dissipation"].energy - closed_form(1.0, len(slides[1.0]["auto"].energy))).max()
        run.note(f"two-phase maximum dissipation: energy off by {error:.2g} J at 1 m/s")


EXPERIMENT = Experiment(
    "slide-energy",
    "Mechanical energy of a sliding cube",
    "comparative 2023, figure 10; RaiSim 2024, figure 3",
    "Exact solvers follow the analytic energy; the CCP lifts off; RaiSim dissipates less than friction does.",
    run,
)
