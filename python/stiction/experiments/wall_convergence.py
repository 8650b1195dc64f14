"""Residual by iteration on a wall of cubes of very different masses, hit by a heavy ball."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, DT, MOST = 0.5, 1e-3, 3000
PLAIN = {"anderson": 0, "hold": 0, "equilibrate": 0}
#: label → solver and options; the paper's rules are those without acceleration and scaling.
RUNS: Dict[str, Tuple[str, Dict[str, float]]] = {
    "ADMM, spectral": ("ncp-admm", {}),
    "ADMM, linear": ("ncp-admm", {"penalty_linear": 1}),
    "ADMM, spectral, the paper's": ("ncp-admm", PLAIN),
    "ADMM, linear, the paper's": ("ncp-admm", {"penalty_linear": 1, "tau": 10.0, **PLAIN}),
    "PGS": ("ncp-pgs", {}),
    "Gauss-Seidel": ("ncp-gs", {}),
    "RaiSim+DS": ("raisim-ds", {}),
    "staggered": ("ncp-staggered", {}),
    "Newton": ("ncp-newton", {}),
    "interior point": ("ncp-ip", {}),
    "auto": ("auto", {}),
}


def wall() -> Any:
    """Five rows of cubes, 1 to 10⁴ kg upwards, and a ball of 10³ kg that flies at them."""
    builder = worlds.new_world(FRICTION)
    masses = iter(10.0 ** np.linspace(0.0, 4.0, 15))
    for row in range(5):
        for i in range(5 - row):
            place = (0.0, (i - (4 - row) / 2) * 0.201, worlds.HALF + 0.2 * row)
            worlds.add_cube(builder, f"cube{row}{i}", place, float(next(masses)), FRICTION)
    ball = builder.add_body(name="ball", position=(-0.4, 0.03, 0.35))
    builder.add_shape(ball, st.Sphere(0.15), mass=1e3, friction=FRICTION)
    return builder.build()


def problems_of_impact() -> Tuple[Any, Any]:
    """The contact problem of the step in which the ball comes to the wall, and that of the next, in which it hits."""
    simulator = worlds.simulator(wall(), "auto", dt=DT, acceptable_tolerance=1e-6)
    v = simulator.v.copy()
    v[-6] = 10.0
    simulator.set_velocity(v)
    ball = len(simulator.model.bodies) - 1
    arrival = None
    for _ in range(60):
        simulator.step()
        if any(ball in (c.body_a, c.body_b) for c in simulator.contacts()):
            problem = simulator.contact_problem().problem
            if arrival is not None:
                return arrival, problem
            arrival = problem
    raise RuntimeError("the ball came to nothing within 60 steps")


def fallen_humanoid() -> Any:
    """The contact problem of a humanoid in the middle of its fall, the step with most contacts."""
    simulator = st.Simulator(st.load(worlds.scene("humanoid_stand.xml")).model, dt=2e-3)
    simulator.reset("fall")
    best, most = None, 0
    for _ in range(500):
        if simulator.step().num_contacts > most:
            best, most = simulator.contact_problem().problem, simulator.report.num_contacts
    return best


#: Of the short form: what is judged, and who solves the hit.
QUICK = ("ADMM, spectral", "ADMM, linear", "ADMM, spectral, the paper's", "PGS", "Newton", "auto")


def histories(problem: Any, quick: bool) -> List[Tuple[str, Any, Any, float]]:
    found = []
    for label, (name, options) in RUNS.items():
        if quick and label not in QUICK:
            continue
        solver = st.make_solver(name, tolerance=1e-9, max_iterations=MOST, record_history=True, **options)
        solution = st.ContactSolution()
        report = solver.solve(problem, solution)
        found.append((label, report, list(solver.history), st.judge(problem, solution.impulse, "ncp", DT).eps_nat))
    return found


def run(run: Run) -> None:
    arrival, impact = problems_of_impact()
    problems = {"wall": arrival, "wall, hit": impact, "humanoid": fallen_humanoid()}
    results = {name: histories(problem, run.quick) for name, problem in run.progress(list(problems.items()))}
    run.csv("convergence", ["problem", "method", "status", "iterations", "factorisations", "eps_nat_judged"],
            [[p, label, str(r.status).split(".")[-1], r.iterations, r.factorisations, eps] for p in results for label, r, _, eps in results[p]])
    run.csv("history", ["problem", "method", "iteration", "residual"],
            [[p, label, e.iteration, e.residual] for p in results for label, _, h, _ in results[p] for e in h[:: max(1, len(h) // 300)]])
    with run.figure("convergence", 12.0, 4.5) as figure:
        for axes, (name, found) in zip(figure.subplots(1, 3), results.items()):
            for label, _, history, _ in found:
                if history:
                    axes.semilogy([e.iteration for e in history], [max(e.residual, 1e-16) for e in history], label=label, linewidth=0.9)
            axes.set_title(f"{name}: {problems[name].num_constraints} constraints", fontsize=9)
            axes.set_xlabel("iteration")
            axes.set_ylabel("ε_nat")
            axes.legend(fontsize=6)
    wall_results = {label: (report, eps) for label, report, _, eps in results["wall"]}
    run.check("contacts of the wall", problems["wall"].num_constraints, at_least=60, paper="more than 60")
    for label in ("ADMM, spectral", "ADMM, linear"):
        report, eps = wall_results[label]
        run.check(f"{label}: ε_nat after {report.iterations} iterations", eps, at_most=2e-9, paper="figure 4: reaches 1e-9")
    run.check(f"PGS: ε_nat after {MOST} sweeps", wall_results["PGS"][1], at_least=1e-4, paper="figure 4: loops")
    hit = {label: eps for label, _, _, eps in results["wall, hit"]}
    run.note(f"in the next step, in which the ball hits, ADMM is at {hit['ADMM, spectral']:.1e} after {MOST} iterations, Newton at "
             f"{hit['Newton']:.1e}, auto at {hit['auto']:.1e}")
    eps = wall_results["ADMM, spectral, the paper's"][1]
    run.note(f"the paper's plain spectral rule, without equilibration and Anderson's acceleration, is at {eps:.1e} after {MOST} iterations")


EXPERIMENT = Experiment(
    "wall-convergence",
    "A wall of cubes of 1 to 10⁴ kg, hit by a ball",
    "ADMM 2024, figures 1 and 4",
    "ADMM reaches 1e-9 on problems of very different masses; per-contact sweeps loop.",
    run,
)
