"""What compliance of contacts does to depth, sticking and internal forces."""

from __future__ import annotations

from typing import Tuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

DT = 1e-3
PULL = 2.0  # N, at the base of the robot; it sticks
LOAD = 3.0  # N, at the cube


def standing_robot(compliance: float, tangential: float, steps: int) -> Tuple[float, float, float]:
    """A Solo-12 that stands under servos and is pulled sideways: mean depth of its feet, m; its creep, m/s; N on its feet."""
    model = st.load(worlds.scene("robots/solo12.xml")).model.edited(shapes={"ground": {"compliance": compliance, "friction": 0.9}})
    simulator = worlds.simulator(model, "auto", dt=DT, tangential_compliance=tangential, max_iterations=300)
    simulator.reset(0)
    target = simulator.q.copy()
    slips = []
    for _ in range(steps):
        force = np.concatenate([np.zeros(6), 20.0 * (target[7:] - simulator.q[7:]) - 0.3 * simulator.v[6:]])
        simulator.set_joint_force(force)
        simulator.clear_external_forces()
        simulator.add_external_force("base", (PULL, 0.0, 0.0), simulator.q[:3])
        simulator.step()
        contacts = simulator.contact_arrays()
        slips.append(np.einsum("kij,kj->ki", contacts["frame"], contacts["velocity"])[:, :2].mean(axis=0))
    creep = np.mean(slips[-100:], axis=0)
    return float(np.mean(-contacts["gap"])) if len(contacts["gap"]) else np.nan, float(np.linalg.norm(creep)), float(np.abs(contacts["force"][:, 2]).sum())


def squeezed_cube(compliance: float) -> float:
    """Largest internal force of a cube that sticks under a pull, by a method that sees one contact at a time, N."""
    simulator = worlds.simulator(worlds.cube(0.9, compliance=compliance), "ncp-pgs", dt=DT, tangential_compliance=compliance)
    largest = 0.0
    for k in range(200):
        simulator.clear_external_forces()
        simulator.add_external_force("cube", (LOAD, 1.0, 0.0), simulator.q[:3])
        simulator.step()
        if k >= 150:
            largest = max(largest, float(np.linalg.norm(worlds.internal_forces(simulator.contact_arrays(), simulator.q[:3]))))
    return largest


def run(run: Run) -> None:
    steps = 500 if run.quick else 2000
    normal = (0.0, 1e-6, 1e-5, 1e-4) if run.quick else (0.0, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4)
    tangential = (0.0, 1e-8, 1e-7, 1e-6)
    depths = [standing_robot(c, 0.0, steps) for c in run.progress(normal, "normal")]
    creeps = [standing_robot(0.0, c, steps) for c in run.progress(tangential, "tangential")]
    squeezes = [squeezed_cube(c) for c in tangential]
    run.csv("normal", ["compliance_m_per_N", "R_per_kg", "depth_m", "force_N"], [[c, c / DT**2, d, f] for c, (d, _, f) in zip(normal, depths)])
    run.csv("tangential", ["compliance_m_per_N", "R_per_kg", "creep_m_per_s", "internal_force_of_the_cube_N"],
            [[c, c / DT**2, v, s] for c, (_, v, _), s in zip(tangential, creeps, squeezes)])
    with run.figure("compliance", 10.0, 3.4) as figure:
        left, middle, right = figure.subplots(1, 3)
        left.plot([c / DT**2 for c in normal], [1e3 * d for d, _, _ in depths], marker=".")
        left.set_ylabel("depth of the feet, mm")
        middle.plot([c / DT**2 for c in tangential], [1e3 * v for _, v, _ in creeps], marker=".")
        middle.set_ylabel("creep of the feet, mm/s")
        right.plot([c / DT**2 for c in tangential], squeezes, marker=".")
        right.set_ylabel("internal force of the cube, N")
        for axes, name in ((left, "R_N"), (middle, "R_T"), (right, "R_T")):
            axes.set_xlabel(f"{name}, 1/kg")
    slopes = [d / c for c, (d, _, _) in zip(normal, depths) if c > 0.0]
    run.check("depth over compliance: spread over the sweep", max(slopes) / min(slopes) - 1.0, at_most=0.02, paper="figure 13, left: linear")
    run.check("creep of rigid feet, m/s", creeps[0][1], at_most=1e-7, paper="figure 13, centre: none")
    run.check("creep at the largest R_T, m/s", creeps[-1][1], at_least=1e-4, paper="figure 13, centre: feet move although they stick")
    # Four feet share the pull; what sticks creeps at c_T F_T/Δt.
    run.check("the same over c_T F_T/(4 Δt)", creeps[-1][1] / (tangential[-1] * PULL / 4.0 / DT), near=(1.0, 0.25), paper="")
    run.check("internal force of the rigid cube, N", squeezes[0], at_least=0.1, paper="figure 13, right: spurious")
    run.check("the same with R_T > 0, N", max(squeezes[1:]), at_most=1e-4, paper="figure 13, right: vanishes with R")


EXPERIMENT = Experiment(
    "compliance",
    "Depth, creep and internal forces over compliance",
    "comparative 2023, figure 13",
    "Depth grows linearly with R; tangential R makes sticking feet creep; internal forces vanish with R.",
    run,
)
