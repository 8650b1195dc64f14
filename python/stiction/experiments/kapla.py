"""A tower of 102 blocks that must stand."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import stiction as st

from . import _beyond as beyond
from . import _worlds as worlds
from .experiment import Experiment, Run

DT, FRICTION, MASS = 1e-2, 0.8, 10.0


def tower() -> Any:
    """Six floors: eight blocks on edge across, nine along."""
    builder = worlds.new_world(FRICTION)
    across, along = (0.025, 0.125, 0.05), (0.1, 0.025, 0.05)
    front, back = [0.4 * j + 0.1 for j in range(4)], [0.4 * j + 0.3 for j in range(3)] + [0.1, 1.3]
    for floor in range(6):
        places = [(across, (0.2 * j, 0.0, 0.2 * floor + 0.05)) for j in range(8)]
        places += [(along, (x, y, 0.2 * floor + 0.15)) for y, row in ((-0.1, front), (0.1, back)) for x in row]
        for half, place in places:
            body = builder.add_body(position=place)
            builder.add_shape(body, st.Box(half), mass=MASS, friction=FRICTION)
    return builder.build()


def run(run: Run) -> None:
    seconds = 2.0 if run.quick else 600.0
    simulator = st.Simulator(tower(), dt=DT)
    start = beyond.positions_of(simulator)
    rows, spent = [], 0.0
    every = max(1, round(seconds / DT / 200))
    for k in run.progress(range(round(seconds / DT / every))):
        begin = time.process_time()
        simulator.step(every)
        spent += time.process_time() - begin
        now = beyond.positions_of(simulator)
        rows.append([simulator.time, np.linalg.norm(now - start, axis=1).max(), now[:, 2].max(), simulator.report.num_contacts])
    steps = round(seconds / DT / every) * every
    run.csv("kapla", ["time", "largest_drift_m", "top_m", "contacts"], rows)
    data = np.array(rows)
    with run.figure("kapla") as figure:
        axes = figure.subplots()
        axes.semilogy(data[:, 0], np.maximum(data[:, 1], 1e-12))
        axes.set_xlabel("s")
        axes.set_ylabel("largest drift of a block, m")
    run.check("height of the highest block, m", data[-1, 2], near=(start[:, 2].max(), 1e-3), paper="stands")
    run.check("largest drift, m", data[:, 1].max(), at_most=1e-4)
    run.check("steps that are not accepted", simulator.num_failed_steps, at_most=0)
    run.note(f"{steps} steps of {1e3 * DT:g} ms, {data[-1, 3]:.0f} contacts, {1e3 * spent / steps:.2f} ms CPU per step")


EXPERIMENT = Experiment(
    "kapla",
    "A tower of 102 blocks stands",
    "beyond the papers: a public benchmark of simulators",
    "Towers of many blocks creep and fall in simulators that do not solve their contacts exactly.",
    run,
)
