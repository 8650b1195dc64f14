"""Friction in the joints of an arm: by the quadratic program at large steps, by the acceleration-level law at small ones."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Tuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

GRAVITY, SECONDS, SAMPLE = 9.8, 0.5, 1e-2
#: Coulomb and viscous friction of figures 8 and 9, N m and N m s.
CASES = ((5.0, 0.0), (0.25, 0.1))
LAW_STEPS = (1e-2, 1e-3, 1e-4, 1e-5)
BICEPS = 3  #: the degree of freedom that is drawn, as in the paper
AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
LENGTHS = (0.05, 0.05, 0.3, 0.05, 0.25, 0.05, 0.05, 0.1)
MASSES = (0.15, 0.15, 0.4, 0.1, 0.25, 0.05, 0.05, 0.1)


def arm(coulomb: float, viscous: float) -> Any:
    """Eight joints (shoulder 3, elbow, forearm, wrist 2, hand), 1.25 kg, 0.9 m, stretched out: 5 N m can hold it."""
    builder = st.ModelBuilder()
    builder.set_gravity((0.0, 0.0, -GRAVITY))
    parent = -1
    for i, (axis, length, mass) in enumerate(zip(AXES, LENGTHS, MASSES)):
        rod = mass * length**2 / 12 + 1e-3
        parent = builder.add_body(
            name=f"link{i}", parent=parent, joint="revolute", axis=axis, position=(0.0 if i == 0 else LENGTHS[i - 1], 0.0, 0.0),
            mass=mass, com=(length / 2, 0.0, 0.0), inertia=np.array([1e-3, rod, rod]), dry_friction=coulomb, damping=viscous,
        )  # fmt: skip
    return builder.build()


def by_program(model: Any, solver: str, dt: float) -> Tuple[np.ndarray, Any]:
    """Positions every SAMPLE."""
    simulator = worlds.simulator(model, solver, dt=dt)
    rows = [np.array(simulator.q)]
    for _ in range(round(SECONDS / SAMPLE)):
        simulator.step(round(SAMPLE / dt))
        rows.append(np.array(simulator.q))
    return np.array(rows), simulator


def by_law(bare: Any, coulomb: float, viscous: float, dt: float) -> np.ndarray:
    """τ = −μ_v q̇ − μ_c sgn(q̇), as in the paper's section on joint friction; not a number from where it breaks down."""
    q, v = np.zeros(8), np.zeros(8)
    every = round(SAMPLE / dt)
    rows = np.full((round(SECONDS / SAMPLE) + 1, 8), np.nan)
    for k in range(round(SECONDS / dt) + 1):
        if k % every == 0:
            rows[k // every] = q
        v = v + dt * st.forward_dynamics(bare, q, v, -viscous * v - coulomb * np.sign(v))
        if not np.abs(v).max() < 1e6:
            break
        q = q + dt * v
    return rows


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Largest over joints and samples; infinite where one broke down."""
    apart = np.abs(a - b)
    return float(apart.max()) if np.isfinite(apart).all() else float("inf")


def run(run: Run) -> None:
    law_steps = LAW_STEPS[: 3 if run.quick else None]
    solvers = [name for name in ("auto", "max-dissipation", "ncp-gs") if name in st.solver_names()]
    bare = arm(0.0, 0.0)
    rows: List[List[Any]] = []
    samples: Dict[Tuple[float, float], Dict[str, np.ndarray]] = {}
    for case in run.progress(CASES):
        coulomb, viscous = case
        model, found = arm(coulomb, viscous), samples.setdefault(case, {})
        for dt in (1e-2, 1e-3):
            for solver in solvers:
                begin = time.process_time()
                found[f"{solver} {dt:g}"], simulator = by_program(model, solver, dt)
                rows.append([coulomb, viscous, solver, dt, time.process_time() - begin, simulator.num_uncertified_steps])
        for dt in law_steps:
            begin = time.process_time()
            found[f"law {dt:g}"] = by_law(bare, coulomb, viscous, dt)
            rows.append([coulomb, viscous, "law", dt, time.process_time() - begin, 0])
    finest = f"law {law_steps[-1]:g}"
    for row in rows:
        found = samples[row[0], row[1]]
        key = f"{row[2]} {row[3]:g}"
        row += [difference(found[key], found[finest]), float(np.nanmax(np.abs(found[key]), initial=0.0))]
    run.csv("joint_friction", ["coulomb_N_m", "viscous_N_m_s", "by", "step_s", "cpu_s", "not_certified", f"from_{finest.replace(' ', '_')}_rad",
                               "largest_angle_rad"], rows)
    _draw(run, samples, law_steps)
    _judge(run, samples, solvers, law_steps)


def _judge(run: Run, samples: Dict[Tuple[float, float], Dict[str, np.ndarray]], solvers: List[str], law_steps: Tuple[float, ...]) -> None:
    held, viscous = samples[CASES[0]], samples[CASES[1]]
    for solver in solvers:
        moved = float(np.abs(held[f"{solver} 0.01"]).max())
        run.check(f"{solver}, μ_c 5: the arm moves at a step of 10 ms, rad", moved, at_most=1e-9, paper="figure 8: it should not")
    drifts = [float(np.abs(held[f"law {dt:g}"]).max()) for dt in law_steps]
    run.check("the law, μ_c 5: drift at 10 ms, rad", drifts[0] if np.isfinite(drifts[0]) else 1e9, at_least=0.1, paper="figure 8: unstable")
    # Of first order: as much smaller as the step, but for what the coarsest one, which is none any more, leaves.
    smaller = 0.3 * law_steps[0] / law_steps[-1]
    run.check("the same over that at the smallest step", drifts[0] / drifts[-1] if np.isfinite(drifts[0]) else 1e9, at_least=smaller,
              paper="converges to the program")
    run.note("drift of the law at μ_c 5: " + ", ".join(f"{d:.1e} rad at {1e3 * dt:g} ms" for d, dt in zip(drifts, law_steps)))
    finest = viscous[f"law {law_steps[-1]:g}"]
    for solver in solvers:
        part = difference(viscous[f"{solver} 0.01"], finest) / float(np.abs(finest).max())
        run.check(f"{solver}, μ_c 0.25, μ_v 0.1: apart from the law at {1e3 * law_steps[-1]:g} ms, step 10 ms, of the motion", part,
                  at_most=0.02, paper="figure 9: comparable at a step 10³ larger")


def _draw(run: Run, samples: Dict[Tuple[float, float], Dict[str, np.ndarray]], law_steps: Tuple[float, ...]) -> None:
    seconds = SAMPLE * np.arange(round(SECONDS / SAMPLE) + 1)
    with run.figure("joint_friction", 9.0, 4.0) as figure:
        for axes, (case, found) in zip(figure.subplots(1, 2), samples.items()):
            axes.plot(seconds, found["auto 0.01"][:, BICEPS], color="black", linewidth=2.5, label="program, 10 ms")
            for dt in law_steps:
                axes.plot(seconds, found[f"law {dt:g}"][:, BICEPS], linewidth=1.0, label=f"law, {1e3 * dt:g} ms")
            axes.set(xlabel="s", ylabel="elbow, rad", title=f"μ_c {case[0]:g}, μ_v {case[1]:g}")
            axes.legend(fontsize=7)


EXPERIMENT = Experiment(
    "joint-friction",
    "An arm with friction in its joints",
    "max-dissipation 2010, figures 8 and 9",
    "Joint friction by a quadratic program on velocities is as accurate as the acceleration-level law at steps a thousand times "
    "smaller; with μ_c = 5 the arm stands still.",
    run,
)
