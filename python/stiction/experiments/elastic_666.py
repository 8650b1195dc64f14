"""216 elastic spheres that fall: what becomes of their energy."""

from __future__ import annotations

import numpy as np

import stiction as st

from . import _beyond as beyond
from .experiment import Experiment, Run


def energies(dt: float, seconds: float) -> np.ndarray:
    """Time and mechanical energy relative to the ground, J."""
    simulator = st.Simulator(beyond.spheres(restitution=1.0), dt=dt, restitution_threshold=0.0)
    rows = []
    for _ in range(round(seconds / dt / 10)):
        simulator.step(10)
        rows.append([simulator.time, simulator.kinetic_energy() + 10.0 * 9.81 * beyond.positions_of(simulator)[:, 2].sum()])
    return np.array(rows)


def run(run: Run) -> None:
    seconds = 0.3 if run.quick else 4.0
    start = 10.0 * 9.81 * beyond.positions_of(st.Simulator(beyond.spheres(restitution=1.0), dt=1e-3))[:, 2].sum()
    tracks = {dt: energies(dt, seconds) for dt in run.progress((1e-3,) if run.quick else (2e-3, 1e-3, 5e-4))}
    run.csv("energy", ["dt", "time", "energy_over_start"], [[dt, t, e / start] for dt, track in tracks.items() for t, e in track])
    with run.figure("energy") as figure:
        axes = figure.subplots()
        for dt, track in tracks.items():
            axes.plot(track[:, 0], track[:, 1] / start, label=f"Δt {1e3 * dt:g} ms")
        axes.set_xlabel("s")
        axes.set_ylabel("mechanical energy over that at the start")
        axes.legend()
    gain = max(float((track[:, 1] / start).max() - 1.0) for track in tracks.values())
    run.check("largest gain of energy, relative", gain, at_most=1e-3)
    final = {dt: float(track[-1, 1] / start) for dt, track in tracks.items()}
    run.check("energy left at 1 ms", final[1e-3], at_least=0.9, paper="conserved")
    run.note("left at the end: " + ", ".join(f"{e:.4f} at {1e3 * dt:g} ms" for dt, e in final.items()))


EXPERIMENT = Experiment(
    "elastic-666",
    "216 elastic spheres keep their energy",
    "beyond the papers: a public benchmark of simulators",
    "Elastic spheres (e = 1) that fall on a floor and on each other keep their mechanical energy.",
    run,
)
