"""A four-cylinder engine whose joints are contacts alone: from event to event, and what a solve costs beside Lemke's."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

import stiction as st

from .experiment import Experiment, Run

GRAVITY, CYLINDERS, TORQUE, SECONDS = 9.8, 4, 0.5, 0.5
CLEARANCE = 5e-4  #: between journals, pins and their rings, m
#: The crank's throw, the rod, radii of journals and pins, distance of cylinders, bore, m.
THROW, ROD, JOURNAL, PIN, PITCH, BORE = 0.04, 0.14, 0.015, 0.012, 0.1, 0.04
FACES, BORE_FACES = 12, 16  #: of rings and bores
PHASES = (0.0, np.pi, np.pi, 0.0)
DT, MARGIN = 2e-4, 1e-3  #: of time steps: s, m
LONGEST_LEMKE = 20.0  #: s: after such a solve no other is asked for


def ring(builder: Any, body: Optional[int], radius: float, thickness: float, at: Sequence[float] = (0.0, 0.0, 0.0), mass: float = 0.0,
         **material: Any) -> None:
    """Boxes whose inner faces touch the circle about y."""
    for i in range(FACES):
        angle = 2 * np.pi * i / FACES
        place = np.array(at) + (radius + thickness / 2) * np.array([np.cos(angle), 0.0, np.sin(angle)])
        box = st.Box((thickness / 2, 0.012, (radius + thickness) * np.tan(np.pi / FACES)))
        turn = (0.0, np.sin(-angle / 2), 0.0, np.cos(-angle / 2))
        where = () if body is None else (body,)
        builder.add_shape(*where, box, position=place, orientation=turn, friction=0.0, mass=mass / FACES, **material)


def engine(cylinders: int = CYLINDERS) -> Any:
    """Crankshaft in five rings of the world, rods whose rings hold its pins and the pistons' pins, pistons in bores of the world."""
    builder = st.ModelBuilder()
    builder.set_gravity((0.0, 0.0, -GRAVITY))
    builder.set_friction_rule("minimum")
    y_axis = (-np.sin(np.pi / 4), 0.0, 0.0, np.cos(np.pi / 4))  # z onto y
    crank = builder.add_body(name="crank")
    builder.add_shape(crank, st.Cylinder(JOURNAL, 0.03), orientation=y_axis, position=(0, -0.06, 0), friction=0.0, mass=0.3, group=2, mask=4)
    for i in range(cylinders):
        y, c = i * PITCH, np.cos(PHASES[i])
        builder.add_shape(crank, st.Cylinder(PIN, 0.015), orientation=y_axis, position=(0, y, THROW * c), friction=0.0, mass=0.1, group=8, mask=16)
        for dy in (-0.02, 0.02):  # webs: they keep the rod on its pin
            builder.add_shape(crank, st.Box((0.012, 0.004, THROW / 2 + 0.012)), position=(0, y + dy, THROW * c / 2), friction=0.0, mass=0.05,
                              group=32, mask=16)
        builder.add_shape(crank, st.Cylinder(JOURNAL, 0.03), orientation=y_axis, position=(0, y + 0.05, 0), friction=0.0, mass=0.1, group=2, mask=4)
        rod = builder.add_body(name=f"rod{i}", position=(0, y, THROW * c))
        ring(builder, rod, PIN + CLEARANCE, 0.006, group=16, mask=8 | 32, mass=0.5)
        builder.add_shape(rod, st.Box((0.006, 0.004, ROD / 2 - 0.03)), position=(0, 0, ROD / 2), mass=0.3, friction=0.0, group=0, mask=0)
        ring(builder, rod, 0.010 + CLEARANCE, 0.006, at=(0, 0, ROD), group=64, mask=128, mass=0.2)
        piston = builder.add_body(name=f"piston{i}", position=(0, y, THROW * c + ROD))
        builder.add_shape(piston, st.Cylinder(0.010, 0.03), orientation=y_axis, friction=0.0, mass=0.3, group=128, mask=64)
        builder.add_shape(piston, st.Cylinder(BORE, 0.015), position=(0, 0, 0.035), friction=0.0, mass=0.7, group=256, mask=512)
        _bore(builder, y)
    for y in [-0.06] + [i * PITCH + 0.05 for i in range(cylinders)]:
        ring(builder, None, JOURNAL + CLEARANCE, 0.008, at=(0, y, 0), group=4, mask=2)
    for y in (-0.095, (cylinders - 1) * PITCH + 0.085):  # they keep the crankshaft between them
        builder.add_shape(st.Box((0.02, 0.004, 0.02)), position=(0, y, 0), friction=0.0, group=4, mask=2)
    return builder.build()


def _bore(builder: Any, y: float) -> None:
    for k in range(BORE_FACES):
        angle, radius, thickness = 2 * np.pi * k / BORE_FACES, BORE + CLEARANCE, 0.01
        box = st.Box((thickness / 2, (radius + thickness) * np.tan(np.pi / BORE_FACES), 0.09))
        place = (np.cos(angle) * (radius + thickness / 2), y + np.sin(angle) * (radius + thickness / 2), 0.19)
        builder.add_shape(box, position=place, orientation=(0, 0, np.sin(angle / 2), np.cos(angle / 2)), friction=0.0, group=512, mask=256)


def push(simulator: Any, crank: int) -> None:
    """The torque on the crankshaft."""
    simulator.clear_external_forces()
    simulator.add_external_force(crank, (0, 0, 0), np.array(simulator.q[:3]), (0, TORQUE, 0))


def by_events(model: Any, seconds: float, budget: float) -> Tuple[List[List[float]], Any, str]:
    """Samples, the simulator, and why it ended before its time, or nothing."""
    simulator = st.EventSimulator(model, step=1e-3)
    crank = model.find_body("crank")
    rows: List[List[float]] = []
    begin, part = time.process_time(), 1e-4
    for _ in range(round(seconds / part)):
        push(simulator, crank)
        try:
            report = simulator.advance(part)
        except RuntimeError as error:
            return rows, simulator, f"it stopped at {simulator.time:.4f} s: {error}"
        spent = time.process_time() - begin
        rows.append([simulator.time, report.kinetic_energy, report.num_events, report.num_impacts, report.num_resting, report.num_time_steps,
                     report.num_looks, report.num_unsure, report.largest_penetration, spent])
        if spent > budget:
            return rows, simulator, f"{budget:g} s of CPU were spent at {simulator.time:.4f} s"
    return rows, simulator, ""


def by_steps(model: Any, seconds: float) -> Tuple[List[List[float]], List[Any], Any]:
    """The same by time steps: samples, problems along the way, the simulator."""
    simulator = st.Simulator(model, dt=DT, margin=MARGIN)
    crank = model.find_body("crank")
    rows: List[List[float]] = []
    problems: List[Any] = []
    count = round(seconds / DT)
    for k in range(count):
        push(simulator, crank)
        begin = time.process_time()
        report = simulator.step()
        rows.append([simulator.time, simulator.kinetic_energy(), report.num_contacts, report.largest_penetration, 1e3 * (time.process_time() - begin)])
        if (k + 1) % max(1, count // 20) == 0 and report.num_contacts > 0:
            problems.append((simulator.time, simulator.contact_problem().problem))
    return rows, problems, simulator


def six_unknowns(problem: Any) -> Any:
    """Anitescu and Potra's complementarity problem with all that their pyramid has: λ_N, four of friction, and its bound, per contact."""
    G, g = problem.to_dense(), np.array(problem.free_velocity)
    n = len(g) // 3
    # Rows of G are (t1, t2, n); unknowns (n, t1, −t1, t2, −t2, s).
    S = np.zeros((3 * n, 5 * n))
    for i in range(n):
        S[3 * i : 3 * i + 3, 5 * i : 5 * i + 5] = [[0, 1, -1, 0, 0], [0, 0, 0, 1, -1], [1, 0, 0, 0, 0]]
    M, q = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    M[: 5 * n, : 5 * n] = S.T @ G @ S
    q[: 5 * n] = S.T @ g
    for i in range(n):
        friction = slice(5 * i + 1, 5 * i + 5)
        M[friction, 5 * n + i] = 1.0
        M[5 * n + i, friction] = -1.0  # μ λ_N − Σ β, and μ = 0
    return st.LinearComplementarityProblem(M, q)


def solves(problems: Sequence[Tuple[float, Any]], lemke: int) -> List[Dict[str, float]]:
    """What a solve costs, ms of CPU, cold; so many of them also by Lemke with six unknowns per contact."""
    rows, every = [], max(1, len(problems) // lemke)
    for k, (when, problem) in enumerate(problems):
        row = {"time_s": when, "contacts": float(problem.num_constraints)}
        for name in ("auto", "max-dissipation", "lcp-anitescu-potra"):
            row[name], row[f"{name} eps"] = _solve(problem, name)
        if k % every == every - 1 and not any(r.get("six unknowns", 0.0) > 1e3 * LONGEST_LEMKE for r in rows):
            lcp = six_unknowns(problem)
            begin = time.process_time()
            z, report = st.solve_lemke(lcp)
            row["six unknowns"] = 1e3 * (time.process_time() - begin)
            row["six unknowns eps"] = float(st.judge_lcp(lcp, z).eps_nat) if report.status == st.LcpStatus.solved else np.inf
        rows.append(row)
    return rows


def _solve(problem: Any, name: str) -> Tuple[float, float]:
    solver, solution = st.make_solver(name, tolerance=1e-8), st.ContactSolution()
    begin = time.process_time()
    solver.solve(problem, solution)
    return 1e3 * (time.process_time() - begin), float(st.judge(problem, solution.impulse).eps_nat)


def run(run: Run) -> None:
    seconds, budget = (0.025, 2.0) if run.quick else (SECONDS, 20.0)
    model = engine()
    rows, simulator, ended = by_events(model, seconds, budget)
    run.csv("events", ["time_s", "kinetic_J", "events", "impacts", "at_rest", "time_steps", "looks", "unsure", "largest_penetration_m", "cpu_s"], rows)
    stepped, problems, stepper = by_steps(model, seconds)
    run.csv("steps", ["time_s", "kinetic_J", "contacts", "penetration_m", "ms"], stepped)
    costs = solves(problems, 2 if run.quick else 5)
    names = list(dict.fromkeys(key for row in costs for key in row))
    run.csv("solves", names, [[row.get(name, "") for name in names] for row in costs])
    _draw(run, rows, stepped, costs)
    report, contacts = simulator.report(), [row["contacts"] for row in costs]
    reached = rows[-1][0] / seconds if rows else 0.0
    run.check("event-driven: part of the time that it ran", reached, at_least=1.0 - 1e-9, paper="figure 4: runs on", timed=True)
    run.check("event-driven: largest penetration, m", report.largest_penetration, at_most=1e-9)
    run.check("event-driven: certified", float(report.certified), at_least=1.0)
    looks = f"{report.num_events} events, {report.num_looks} looks at pairs, {report.num_unsure} searches for an event cut short"
    run.note(f"event-driven: {ended or 'to the end'}; {looks}, {report.num_time_steps} crowds passed by a time step")
    run.check("contacts of a problem, median", float(np.median(contacts)), at_least=100, at_most=200, paper="100–200 contacts")
    lemke = [row for row in costs if "six unknowns" in row]
    ratio = min(row["six unknowns"] / row["auto"] for row in lemke)
    failed = sum(not row["six unknowns eps"] <= 1e-6 for row in lemke)
    run.check("Lemke with six unknowns per contact over ours, least ratio of the solves", ratio, at_least=10.0,
              paper="figure 4: slower by orders, or fails", timed=True)
    run.check("worst ε_nat of ours", max(row["auto eps"] for row in costs), at_most=1e-6)
    bare = float(np.median([row["lcp-anitescu-potra"] for row in costs]))
    run.note("ms of CPU per solve, median: " + ", ".join(
        f"{name} {np.median([row[name] for row in costs]):.3g}" for name in ("auto", "max-dissipation", "lcp-anitescu-potra"))
        + f", Lemke with six unknowns {np.median([row['six unknowns'] for row in lemke]):.3g} ({failed} of {len(lemke)} fail)")
    run.note(f"without the unknowns of friction that is not there Anitescu–Potra takes {bare:.3g} ms: the paper's claim holds for its unknowns, not for the method")
    run.note(f"time steps of 0.2 ms: {np.mean([row[4] for row in stepped]):.2f} ms per step, {stepper.num_uncertified_steps} of {len(stepped)} steps "
             f"not certified, kinetic energy {stepped[-1][1]:.3g} J at the end; event-driven {rows[-1][1] if rows else float('nan'):.3g} J")


def _draw(run: Run, rows: List[List[float]], stepped: List[List[float]], costs: List[Dict[str, float]]) -> None:
    with run.figure("engine_block", 9.0, 4.0) as figure:
        left, right = figure.subplots(1, 2)
        left.plot([row[0] for row in stepped], [row[1] for row in stepped], label="time steps of 0.2 ms")
        left.plot([row[0] for row in rows], [row[1] for row in rows], label="event-driven")
        left.set(xlabel="s", ylabel="kinetic energy, J")
        left.legend(fontsize=7)
        for name in ("auto", "max-dissipation", "lcp-anitescu-potra", "six unknowns"):
            chosen = [row for row in costs if name in row]
            right.semilogy([row["contacts"] for row in chosen], [row[name] for row in chosen], ".", label=name)
        right.set(xlabel="contacts", ylabel="ms of CPU per solve")
        right.legend(fontsize=7)


EXPERIMENT = Experiment(
    "engine-block",
    "A four-cylinder engine held together by contacts",
    "max-dissipation 2010, figures 3 and 4",
    "The two-phase program runs the engine from event to event; Lemke's algorithm with six unknowns per contact is slower by orders, or fails.",
    run,
)
