"""A quadruped that tumbles in free fall: energy."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction as st

from . import _beyond as beyond
from . import _worlds as worlds
from .experiment import Experiment, Run


def energies(dt: float, seconds: float) -> np.ndarray:
    simulator = make(dt)
    model = simulator.model
    rows = [[0.0, total(model, simulator)]]
    fall = 0.5 * st.total_mass(model) * worlds.GRAVITY**2 * dt
    for _ in range(round(seconds / dt)):
        simulator.step()
        # Whatever falls under semi-implicit Euler loses m g² t Δt/2: that is known, and no error of the mechanism.
        rows.append([simulator.time, total(model, simulator) + fall * simulator.time])
    return np.array(rows)


def total(model: Any, simulator: Any) -> float:
    return float(st.kinetic_energy(model, simulator.q, simulator.v) + st.gravity_energy(model, simulator.q))


def kinetic_at_start() -> float:
    """What the tumbling has of energy, J: errors are measured against it."""
    simulator = make(1e-3)
    return float(st.kinetic_energy(simulator.model, simulator.q, simulator.v))


def make(dt: float) -> Any:
    builder = beyond.anymal()
    builder.set_gravity((0.0, 0.0, -worlds.GRAVITY))
    model = builder.build()
    simulator = st.Simulator(model, dt=dt)
    v = np.zeros(model.num_velocities)
    v[3:6] = (0.5, -0.3, 0.8)
    v[6:] = 0.3 * np.resize((1.0, -2.0, 1.5), model.num_velocities - 6)
    simulator.set_velocity(v)
    return simulator


def run(run: Run) -> None:
    steps = (2e-3, 1e-3) if run.quick else (2e-3, 1e-3, 5e-4, 2.5e-4)
    seconds = 0.5
    tracks = {dt: energies(dt, seconds) for dt in run.progress(steps)}
    errors = {}
    for dt, track in tracks.items():
        errors[dt] = float(np.abs(track[:, 1] - track[0, 1]).max())
    run.csv("energy", ["dt", "time", "energy_J"], [[dt, t, e] for dt, track in tracks.items() for t, e in track[::10]])
    with run.figure("energy") as figure:
        axes = figure.subplots()
        for dt, track in tracks.items():
            axes.plot(track[:, 0], track[:, 1] - track[0, 1], label=f"Δt {1e3 * dt:g} ms")
        axes.set_xlabel("s")
        axes.set_ylabel("change of the energy, J")
        axes.legend()
    fine, coarse = steps[-1], steps[0]
    order = float(np.log(errors[coarse] / errors[fine]) / np.log(coarse / fine))
    run.check("order of the energy error in Δt", order, at_least=0.9)
    run.check(f"largest error at {1e3 * fine:g} ms over the kinetic energy and Δt, 1/s", errors[fine] / kinetic_at_start() / fine, at_most=20.0)
    if worlds.robots_folder() is None:
        run.note("example-robot-data is not installed: the quadruped that comes with the package in place of ANYmal")


EXPERIMENT = Experiment(
    "anymal-energy",
    "A tumbling ANYmal keeps its energy",
    "beyond the papers: a public benchmark of simulators",
    "In free fall, without damping, mechanical energy is kept to the order of the integrator.",
    run,
)
