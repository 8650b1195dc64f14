"""A heavy cube on a light one: what a thousand iterations reach."""

from __future__ import annotations

import time
from typing import Any

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, DT, ITERATIONS = 0.5, 1e-3, 1000


def stack(ratio: float, speed: float = 0.0) -> Any:
    """The contact problem of a heavy cube on a light one, √ratio kg on 1/√ratio kg, that moves sideways at this speed."""
    builder = worlds.new_world(FRICTION)
    worlds.add_cube(builder, "light", (0.0, 0.0, worlds.HALF), ratio**-0.5, FRICTION)
    worlds.add_cube(builder, "heavy", (0.0, 0.0, 3.0 * worlds.HALF), ratio**0.5, FRICTION)
    simulator = worlds.simulator(builder.build(), "auto", dt=DT)
    v = simulator.v.copy()
    v[6] = speed
    simulator.set_velocity(v)
    simulator.step()
    return simulator.contact_problem().problem


def run(run: Run) -> None:
    exponents = (0, 2, 4, 6) if run.quick else (0, 1, 2, 3, 4, 5, 6)
    names = worlds.solvers()
    rows, residual = [], {}
    for exponent in run.progress(exponents):
        problem = stack(10.0**exponent)
        for name in names:
            solver = st.make_solver(name, tolerance=1e-12, max_iterations=ITERATIONS)
            solution = st.ContactSolution()
            begin = time.process_time()
            report = solver.solve(problem, solution)
            seconds = time.process_time() - begin
            eps = st.judge(problem, solution.impulse, solver.traits.model, DT).eps_abs
            residual[name, exponent] = eps
            rows.append([name, 10.0**exponent, eps, report.iterations, 1e3 * seconds])
    run.csv("mass_ratio", ["solver", "ratio", "eps_abs", "iterations", "ms"], rows)
    with run.figure("mass_ratio") as figure:
        axes = figure.subplots()
        for name in names:
            axes.loglog([10.0**e for e in exponents], [max(residual[name, e], 1e-16) for e in exponents], label=name, marker=".")
        axes.set_xlabel("mass ratio")
        axes.set_ylabel(f"ε_abs after {ITERATIONS} iterations")
        axes.legend(fontsize=6, ncols=2)
    for name in ("ncp-admm", "auto"):
        run.check(f"largest ε_abs of {name} at any ratio", max(residual[name, e] for e in exponents), at_most=1e-6,
                  paper="figure 12: ADMM below 1e-6")
    hard = st.ContactSolution()
    problem = stack(1e6, 0.1)
    st.make_solver("ncp-admm", tolerance=1e-12, max_iterations=ITERATIONS).solve(problem, hard)
    eps = st.judge(problem, hard.impulse, "ncp", DT).eps_abs
    run.note(f"where the heavy cube slides over the light one at 0.1 m/s, ratio 1e6, ncp-admm is at {eps:.1e} after {ITERATIONS} iterations")
    for name in ("ncp-pgs", "lcp-pgs", "ccp-pgs"):
        growth = residual[name, exponents[-1]] / max(residual[name, 0], 1e-12)
        run.check(f"ε_abs of {name} at 1e6 over that at 1", growth, at_least=1e3, paper="figure 12: grows with the ratio")


EXPERIMENT = Experiment(
    "mass-ratio",
    "A heavy cube on a light one",
    "comparative 2023, figure 12",
    "Per-contact methods lose accuracy as the mass ratio grows; ADMM does not.",
    run,
)
