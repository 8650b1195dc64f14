"""A cube that is pulled ever harder: internal forces in stick and in sliding."""

from __future__ import annotations

from typing import Dict, NamedTuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

FRICTION, DT, STEPS = 0.9, 1e-3, 600
STICK, SLIDE = slice(100, 220), slice(300, STEPS)
SHOWN = ("ncp-pgs", "ncp-admm", "raisim", "raisim-ds", "ccp-admm", "auto")


class Drag(NamedTuple):
    velocity: np.ndarray  # m/s
    sideways: np.ndarray  # forces across the pull at four corners, N
    internal: np.ndarray  # norm of the internal forces, N
    least: np.ndarray  # the same that no impulse with this motion could do without, N
    eps_abs: np.ndarray  # of the exact law


def pull_at(k: int) -> float:
    return min(4.0 * worlds.GRAVITY * k * DT, 2.0 * FRICTION * worlds.GRAVITY)


def drag(solver: str) -> Drag:
    simulator = worlds.simulator(worlds.cube(FRICTION), solver, dt=DT, judge_model="ncp")
    out = Drag(np.zeros(STEPS), np.full((STEPS, 4), np.nan), np.zeros(STEPS), np.zeros(STEPS), np.zeros(STEPS))
    for k in range(STEPS):
        centre = np.array(simulator.q[:3])
        simulator.clear_external_forces()
        simulator.add_external_force("cube", (pull_at(k), 0.0, 0.0), centre)
        out.eps_abs[k] = simulator.step().residuals.eps_abs
        contacts = simulator.contact_arrays()
        corner = np.lexsort(tuple(np.round(contacts["position"][:, axis] - centre[axis], 3) for axis in (1, 0)))[:4]
        out.velocity[k] = simulator.v[0]
        out.sideways[k, : len(corner)] = contacts["force"][corner, 1]
        out.internal[k] = np.linalg.norm(worlds.internal_forces(contacts, centre))
        if k % 50 == 25 and simulator.report.num_contacts:
            step = simulator.contact_problem()
            found = st.find_least_impulse(step.problem, step.impulse)
            out.least[k] = np.linalg.norm(found.internal) / DT
    return out


def run(run: Run) -> None:
    names = sorted({*SHOWN, "ncp-gs", "ncp-staggered"}) if run.quick else worlds.solvers()
    drags: Dict[str, Drag] = {name: drag(name) for name in run.progress(names)}
    sliding_speed = float(np.maximum.accumulate(_closed_form())[-1])
    run.csv(
        "drag",
        ["solver", "sideways_stick_N", "sideways_slide_N", "internal_stick_N", "internal_slide_N", "beyond_least_stick_N", "eps_abs_stick",
         "eps_abs_slide", "velocity"],
        [[n, np.nanmax(np.abs(d.sideways[STICK])), np.nanmax(np.abs(d.sideways[SLIDE])), d.internal[STICK].max(),
          d.internal[SLIDE].max(), d.least[STICK].max(), d.eps_abs[STICK].max(),
          np.median(d.eps_abs[SLIDE]), d.velocity[-1]] for n, d in drags.items()],
    )
    with run.figure("drag", 10.0, 6.0) as figure:
        axes = figure.subplots(3, len(SHOWN), sharex=True)
        time = DT * np.arange(STEPS)
        for column, name in enumerate(SHOWN):
            d = drags[name]
            axes[0, column].plot(time, d.sideways, linewidth=0.8)
            axes[0, column].set_title(name, fontsize=8)
            axes[1, column].plot(time, d.velocity, linewidth=0.8)
            axes[2, column].semilogy(time, d.eps_abs + 1e-16, linewidth=0.8)
            axes[2, column].set_xlabel("s")
        for row, label in enumerate(("λ_y/Δt, N", "velocity, m/s", "ε_abs")):
            axes[row, 0].set_ylabel(label)
    _judge(run, drags, sliding_speed)


def _judge(run: Run, drags: Dict[str, Drag], exact: float) -> None:
    stick = {n: float(np.nanmax(np.abs(d.sideways[STICK]))) for n, d in drags.items()}
    slide = {n: float(np.nanmax(np.abs(d.sideways[SLIDE]))) for n, d in drags.items()}
    run.check("forces across the pull in stick, ADMM and staggered, N", max(stick[n] for n in ("ncp-admm", "ncp-staggered", "ccp-admm")),
              at_most=1e-9, paper="figure 11: none")
    run.check("the same of per-contact methods, at least, N", min(stick[n] for n in ("ncp-pgs", "ncp-gs", "raisim")), at_least=0.5,
              paper="figure 11: 1–3 N")
    raisim, shifted = drags["raisim"], drags["raisim-ds"]
    run.check("forces across the pull while RaiSim slides, N", slide["raisim"], at_least=0.5, paper="figure 11: persist")
    run.check("the same of RaiSim+DS, N", slide["raisim-ds"], at_most=1e-3, paper="figure 4: none")
    run.check("ε_abs of RaiSim in stick", float(np.median(raisim.eps_abs[STICK])), at_most=1e-6, paper="RaiSim+DS, figure 4: low")
    run.check("ε_abs of RaiSim while it slides", float(np.median(raisim.eps_abs[SLIDE])), at_least=0.1, paper="figure 4: jumps")
    run.check("ε_abs of RaiSim+DS while it slides", float(np.median(shifted.eps_abs[SLIDE])), at_most=1e-6, paper="figure 4: low")
    run.check("final velocity of the NCP (auto), m/s", drags["auto"].velocity[-1], near=(exact, 1e-6), paper="figure 11")
    run.check("final velocity of RaiSim, m/s", raisim.velocity[-1], at_least=exact + 0.1, paper="figure 11: faster")
    run.note(f"beyond the least impulse that cones allow in stick: ADMM {drags['ncp-admm'].least[STICK].max():.1e} N, "
             f"PGS {drags['ncp-pgs'].least[STICK].max():.2f} N")


def _closed_form() -> np.ndarray:
    velocity = np.zeros(STEPS)
    v = 0.0
    for k in range(STEPS):
        v = max(0.0, v + DT * (pull_at(k) - FRICTION * worlds.GRAVITY))
        velocity[k] = v
    return velocity


EXPERIMENT = Experiment(
    "drag",
    "A cube is pulled until it slides",
    "comparative 2023, figure 11; RaiSim 2024, figure 4",
    "Methods that see all contacts at once leave no internal force in stick; RaiSim keeps one in sliding, where its residual jumps.",
    run,
)
