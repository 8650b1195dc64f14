"""Balls that bounce: heights against e²ⁿ h."""

from __future__ import annotations

from typing import List

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

RESTITUTION, HEIGHT, BOUNCES = 0.8, 1.0, 4


def heights(dt: float) -> List[float]:
    """Apexes of one ball after each bounce, m over its radius."""
    builder = st.ModelBuilder()
    builder.set_gravity((0.0, 0.0, -worlds.GRAVITY))
    builder.add_shape(st.Plane(), restitution=RESTITUTION)
    ball = builder.add_body(name="ball", position=(0.0, 0.0, 0.1 + HEIGHT))
    builder.add_shape(ball, st.Sphere(0.1), mass=1.0, restitution=RESTITUTION)
    simulator = st.Simulator(builder.build(), dt=dt)
    apexes: List[float] = []
    before = 0.0
    while len(apexes) < BOUNCES:
        simulator.step()
        speed = float(simulator.v[2])
        if before > 0.0 >= speed:
            apexes.append(float(simulator.q[2]) - 0.1 + 0.5 * speed**2 / worlds.GRAVITY)
        before = speed
    return apexes


def run(run: Run) -> None:
    steps = (4e-3, 1e-3, 2.5e-4) if run.quick else (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)
    exact = np.array([RESTITUTION ** (2 * n) * HEIGHT for n in range(1, BOUNCES + 1)])
    errors = {dt: np.abs(np.array(heights(dt)) - exact) for dt in run.progress(steps)}
    run.csv("heights", ["dt", "bounce", "height_m", "error_m"],
            [[dt, n + 1, exact[n], e] for dt, values in errors.items() for n, e in enumerate(values)])
    with run.figure("heights") as figure:
        axes = figure.subplots()
        for n in range(BOUNCES):
            axes.loglog(steps, [errors[dt][n] for dt in steps], marker=".", label=f"bounce {n + 1}")
        axes.set_xlabel("Δt, s")
        axes.set_ylabel("error of the height, m")
        axes.legend()
    speed = np.sqrt(2.0 * worlds.GRAVITY * HEIGHT)
    for dt in steps:
        # An impact happens at the end of the step in which it falls: up to v Δt of height for each.
        run.check(f"largest error at {1e3 * dt:g} ms over v Δt", float(errors[dt].max() / (speed * dt)), at_most=1.5)
    run.note("EventSimulator places impacts exactly; time stepping places them to Δt")


EXPERIMENT = Experiment(
    "bouncing",
    "A ball bounces to e²ⁿ h",
    "beyond the papers: a public benchmark of simulators",
    "A ball with restitution e, dropped from h, rises to e²ⁿ h after its n-th bounce.",
    run,
)
