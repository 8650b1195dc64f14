"""A quadruped that floats is hit by a ball: momentum."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

import stiction as st

from . import _beyond as beyond
from . import _worlds as worlds
from .experiment import Experiment, Run


def floating() -> Any:
    """The robot without gravity, its joints held by springs of the simulation's caller, and a ball that comes."""
    builder = beyond.anymal()
    builder.set_gravity((0.0, 0.0, 0.0))
    ball = builder.add_body(name="ball", position=(0.05, -1.2, 0.6))
    builder.add_shape(ball, st.Sphere(0.2), mass=10.0, friction=0.5)
    return builder.build()


def momenta(dt: float, seconds: float) -> Tuple[np.ndarray, int]:
    model = floating()
    simulator = st.Simulator(model, dt=dt)
    v = np.zeros(model.num_velocities)
    v[-5] = 5.0
    simulator.set_velocity(v)
    target = simulator.q.copy()
    hinges = [(d, model.bodies[model.dofs[d].body].first_position) for d in range(6, model.num_velocities - 6)]
    rows, touched = [], 0
    for _ in range(round(seconds / dt)):
        force = np.zeros(model.num_velocities)
        for d, q in hinges:
            force[d] = 40.0 * (target[q] - simulator.q[q]) - simulator.v[d]
        simulator.set_joint_force(force)
        touched += simulator.step().num_contacts > 0
        q, v = simulator.q, simulator.v
        rows.append([simulator.time, *st.linear_momentum(model, q, v), *st.angular_momentum(model, q, v, np.zeros(3))])
    return np.array(rows), touched


def run(run: Run) -> None:
    steps = (2e-3, 1e-3) if run.quick else (2e-3, 1e-3, 5e-4, 2.5e-4)
    found = {dt: momenta(dt, 0.6 if run.quick else 1.0) for dt in run.progress(steps)}
    start = np.array([0.0, 50.0, 0.0])
    spin = np.cross((0.05, -1.2, 0.6), start)
    linear = {dt: float(np.linalg.norm(rows[:, 1:4] - start, axis=1).max()) for dt, (rows, _) in found.items()}
    angular = {dt: float(np.linalg.norm(rows[:, 4:7] - spin, axis=1).max()) for dt, (rows, _) in found.items()}
    run.csv("momentum", ["dt", "largest_error_linear_N_s", "largest_error_angular_N_m_s", "steps_in_contact"],
            [[dt, linear[dt], angular[dt], found[dt][1]] for dt in steps])
    with run.figure("momentum") as figure:
        axes = figure.subplots()
        axes.loglog(steps, [linear[dt] for dt in steps], marker=".", label="linear, N s (of 50)")
        axes.loglog(steps, [angular[dt] for dt in steps], marker=".", label=f"angular, N m s (of {np.linalg.norm(spin):.0f})")
        axes.set_xlabel("Δt, s")
        axes.set_ylabel("largest error")
        axes.legend()
    run.check("steps with contact", min(count for _, count in found.values()), at_least=1)
    fine, coarse = steps[-1], steps[0]
    run.check("largest error of linear momentum at the shortest step, relative", linear[fine] / 50.0, at_most=1.5 * fine)
    run.check("largest error of angular momentum at the shortest step, relative", angular[fine] / float(np.linalg.norm(spin)), at_most=1.5 * fine)
    order = np.log(max(linear[coarse], 1e-15) / max(linear[fine], 1e-15)) / np.log(coarse / fine)
    if linear[coarse] > 1e-9:
        run.check("order of the error of linear momentum", float(order), at_least=0.7)
    if worlds.robots_folder() is None:
        run.note("example-robot-data is not installed: the quadruped that comes with the package in place of ANYmal")


EXPERIMENT = Experiment(
    "anymal-momentum",
    "A floating ANYmal is hit by a ball",
    "beyond the papers: a public benchmark of simulators",
    "Without gravity and outer forces, impacts and joint forces leave linear and angular momentum alone.",
    run,
)
