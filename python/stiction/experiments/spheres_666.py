"""216 spheres that collapse: how deep they penetrate."""

from __future__ import annotations

import time

import numpy as np

import stiction as st

from . import _beyond as beyond
from .experiment import Experiment, Run

DT = 1e-3


def run(run: Run) -> None:
    steps = 600 if run.quick else 10000
    simulator = st.Simulator(beyond.spheres(restitution=0.0), dt=DT)
    rows, spent = [], 0.0
    for _ in run.progress(range(steps // 10)):
        begin = time.process_time()
        simulator.step(10)
        spent += time.process_time() - begin
        depth = beyond.depths(beyond.positions_of(simulator))
        rows.append([simulator.time, (depth**2).sum(), depth.max(), simulator.report.num_contacts])
    run.csv("spheres", ["time", "sum_of_squared_depths_m2", "largest_depth_m", "contacts"], rows)
    data = np.array(rows)
    with run.figure("spheres") as figure:
        axes = figure.subplots()
        axes.semilogy(data[:, 0], np.maximum(data[:, 2], 1e-12))
        axes.set_xlabel("s")
        axes.set_ylabel("largest penetration, m")
    run.check("mean over time of the sum of squared penetrations, m²", data[:, 1].mean(), at_most=1e-6)
    run.check("largest penetration, m", data[:, 2].max(), at_most=1e-3)
    run.check("share of steps that are not accepted", simulator.num_failed_steps / steps, at_most=0.0)
    run.note(f"{steps} steps of {1e3 * DT:g} ms, up to {data[:, 3].max():.0f} contacts, {1e3 * spent / steps:.2f} ms CPU per step")


EXPERIMENT = Experiment(
    "666",
    "216 spheres collapse",
    "beyond the papers: a public benchmark of simulators",
    "Impacts of many spheres at once: penetrations tell how well the non-penetration of all contacts is solved.",
    run,
)
