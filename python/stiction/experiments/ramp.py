"""A box on a ramp: the two-phase convex program against the complementarity problem of Anitescu and Potra."""

from __future__ import annotations

from typing import Any, List

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

SOLVERS = ("max-dissipation", "lcp-anitescu-potra", "lcp-lemke")
FRICTION, DT = 0.25, 1e-3
HALF = (0.2, 0.1, 0.05)
#: Angle of the ramp and speed up it at the beginning: slides, slides up and down again, stands.
CASES = {"slides": (30.0, 0.0), "slides up and down": (30.0, 1.0), "stands": (10.0, 0.0)}


def ramp(degrees: float) -> Any:
    """The box on a plane whose gravity leans: along −x it is down."""
    builder = st.ModelBuilder()
    angle = np.radians(degrees)
    builder.set_gravity((-worlds.GRAVITY * np.sin(angle), 0.0, -worlds.GRAVITY * np.cos(angle)))
    builder.set_friction_rule("minimum")
    builder.add_shape(st.Plane(), friction=FRICTION)
    box = builder.add_body(name="box", position=(0.0, 0.0, HALF[2]))
    builder.add_shape(box, st.Box(HALF), mass=1.0, friction=FRICTION)
    return builder.build()


def track(solver: str, degrees: float, speed: float, steps: int) -> np.ndarray:
    """Positions and velocities of the box, by step."""
    simulator = worlds.simulator(ramp(degrees), solver, dt=DT)
    v = np.zeros(6)
    v[0] = speed
    simulator.set_velocity(v)
    rows = [[*simulator.q, *simulator.v]]
    for _ in range(steps):
        simulator.step()
        rows.append([*simulator.q, *simulator.v])
    return np.array(rows)


def closed_form(degrees: float, speed: float, steps: int) -> np.ndarray:
    """Distance up the ramp by the step's own rule, v⁺ = v + Δt a, x⁺ = x + Δt v⁺, friction no more than stops it."""
    angle, x, v = np.radians(degrees), 0.0, speed
    down, friction = worlds.GRAVITY * np.sin(angle), FRICTION * worlds.GRAVITY * np.cos(angle)
    xs: List[float] = [0.0]
    for _ in range(steps):
        free = v - DT * down
        v = np.sign(free) * max(0.0, abs(free) - DT * friction)
        x += DT * v
        xs.append(x)
    return np.array(xs)


def run(run: Run) -> None:
    steps = 500 if run.quick else 2000
    rows, tracks = [], {}
    for case, (degrees, speed) in run.progress(list(CASES.items())):
        found = {name: track(name, degrees, speed, steps) for name in SOLVERS}
        exact = closed_form(degrees, speed, steps)
        tracks[case] = (found, exact)
        program = found["max-dissipation"]
        for name in SOLVERS[1:]:
            apart = float(np.abs(found[name][:, :7] - program[:, :7]).max())
            rows.append([case, name, apart, float(np.abs(found[name][:, 0] - exact).max())])
            run.check(f"{case}: max-dissipation and {name} apart at most, m or of the quaternion", apart, at_most=1e-6,
                      paper="figure 2: identical to numerical precision")
        away = float(np.abs(program[:, 0] - exact).max())
        rows.append([case, "max-dissipation", 0.0, away])
        run.check(f"{case}: max-dissipation from the closed form, m", away, at_most=1e-6)
    run.csv("ramp", ["case", "solver", "from_max_dissipation", "from_closed_form_m"], rows)
    run.csv("tracks", ["case", "solver", "time_s", "x_m", "speed_m_s"],
            [[case, name, DT * k, points[k, 0], points[k, 7]]
             for case, (found, _) in tracks.items() for name, points in found.items() for k in range(0, steps + 1, 10)])
    with run.figure("ramp", 8.0, 4.0) as figure:
        left, right = figure.subplots(1, 2)
        time = DT * np.arange(steps + 1)
        for case, (found, exact) in tracks.items():
            (line,) = left.plot(time, found["max-dissipation"][:, 7], label=case)
            left.plot(time, found["lcp-anitescu-potra"][:, 7], ":", color="black", linewidth=2.5)
            apart = np.abs(found["lcp-anitescu-potra"][:, 0] - found["max-dissipation"][:, 0])
            right.semilogy(time, np.maximum(apart, 1e-17), color=line.get_color(), label=case)
        left.set(xlabel="s", ylabel="speed up the ramp, m/s", title="two-phase; dotted: Anitescu–Potra")
        left.legend(fontsize=7)
        right.set(xlabel="s", ylabel="apart, m")


EXPERIMENT = Experiment(
    "ramp",
    "A box on a ramp: two phases against complementarity",
    "max-dissipation 2010, figure 2",
    "The two-phase convex program and the method of Anitescu and Potra (by Lemke) give identical results, to numerical precision.",
    run,
)
