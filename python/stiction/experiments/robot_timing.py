"""What a solve costs along motions of three robots, cold and warm."""

from __future__ import annotations

import time
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

DT, TOLERANCE, MOST = 1e-3, 1e-6, 1000
#: A solver that misses so many problems is not tried on the rest of them.
PATIENCE = 10


class Recorded(NamedTuple):
    problem: Any
    ids: Any
    impulse: np.ndarray


class Score(NamedTuple):
    milliseconds: float  # mean
    iterations: float  # mean
    solved: float  # share


def solo() -> Tuple[Any, str]:
    return st.load(worlds.scene("robots/solo12.xml")).model, "base"


def humanoid() -> Tuple[Any, str]:
    """A Talos where example-robot-data is installed, else MuJoCo's humanoid."""
    folder = worlds.robots_folder()
    if folder is not None:
        talos = st.load_urdf(folder / "talos_data/robots/talos_reduced.urdf", base="floating", position=(0.0, 0.0, 1.1),
                             package_roots=[folder.parent.parent]).model
        # Nothing actuates it: stiff dampers keep it from folding at once.
        slow = {j.name: {"damping": 100.0} for j in talos.joints if j.num_velocities == 1}
        builder = st.ModelBuilder.from_model(talos.edited(joints=slow))
        builder.add_shape(st.Plane(), friction=0.8)
        return builder.build(), "base_link"
    return st.load(worlds.scene("humanoid_stand.xml")).model, "torso"


def hand() -> Tuple[Any, str]:
    return st.load(worlds.scene("gallery/hand.xml")).model, "can"


def record(make: Any, steps: int, push: float, waits: int) -> List[Recorded]:
    """The contact problems of a motion that starts from the first keyframe and is pushed, after the first `waits` steps."""
    model, body = make()
    simulator = st.Simulator(model, dt=DT)
    if len(model.keyframes):
        simulator.reset(0)
    target, problems = simulator.q.copy(), []
    free = 6 if make is not hand else None
    for k in range(steps):
        if free is not None and make is solo:
            simulator.set_joint_force(np.concatenate([np.zeros(6), 20.0 * (target[7:] - simulator.q[7:]) - 0.3 * simulator.v[6:]]))
        simulator.clear_external_forces()
        if k % 100 < 50:
            direction = np.array([np.cos(0.02 * k), np.sin(0.02 * k), 0.0])
            simulator.add_external_force(body, push * direction, simulator.body_pose(body).position)
        simulator.step()
        if k >= waits and simulator.report.num_contacts > 0:
            step = simulator.contact_problem()
            problems.append(Recorded(step.problem, list(step.id), np.array(step.impulse)))
    return problems


def guess_from(before: Optional[Recorded], impulse: np.ndarray, now: Recorded) -> np.ndarray:
    old = st.SequenceStep(before.problem, before.ids, impulse)
    return st.carry_over(old, impulse, st.SequenceStep(now.problem, now.ids, now.impulse))


def score(name: str, problems: List[Recorded], warm: bool) -> Score:
    solver = st.make_solver(name, tolerance=TOLERANCE, max_iterations=MOST)
    seconds, iterations, missed, tried = 0.0, 0, 0, 0
    before: Optional[Recorded] = None
    impulse = np.zeros(0)
    for now in problems:
        solution = st.ContactSolution()
        if warm and before is not None:
            solution.impulse = guess_from(before, impulse, now)
        begin = time.process_time()
        report = solver.solve(now.problem, solution)
        seconds += time.process_time() - begin
        iterations += report.iterations
        missed += st.judge(now.problem, solution.impulse, solver.traits.model, DT).eps_nat > 2.0 * TOLERANCE
        before, impulse, tried = now, np.array(solution.impulse), tried + 1
        if missed > PATIENCE and missed > 0.5 * tried:
            break
    return Score(1e3 * seconds / tried, iterations / tried, 1.0 - missed / tried)


def run(run: Run) -> None:
    steps = 60 if run.quick else 600
    robots = {"solo12": (solo, 6.0, 0), "humanoid": (humanoid, 60.0, 300), "hand": (hand, 0.4, 0)}
    names = [n for n in worlds.solvers() if n != "lcp-anitescu-potra" or not run.quick]
    scores: Dict[Tuple[str, str, bool], Score] = {}
    counts = {}
    for robot, (make, push, waits) in robots.items():
        problems = record(make, waits + steps, push, waits)
        counts[robot] = np.mean([p.problem.num_constraints for p in problems])
        if run.quick:
            problems = problems[-25:]
        for name in run.progress(names, robot):
            for warm in (False, True):
                scores[robot, name, warm] = score(name, problems, warm)
    run.csv("timing", ["robot", "solver", "start", "ms", "iterations", "solved"],
            [[r, n, "warm" if w else "cold", *s] for (r, n, w), s in scores.items()])
    with run.figure("timing", 10.0, 5.0) as figure:
        panels = figure.subplots(1, len(robots), sharey=True)
        for axes, robot in zip(panels, robots):
            places = np.arange(len(names))
            axes.barh(places + 0.2, [scores[robot, n, False].milliseconds for n in names], 0.4, label="cold")
            axes.barh(places - 0.2, [scores[robot, n, True].milliseconds for n in names], 0.4, label="warm")
            axes.set_xscale("log")
            axes.set_xlabel("ms per solve")
            axes.set_title(f"{robot}: {counts[robot]:.0f} constraints", fontsize=9)
        panels[0].set_yticks(np.arange(len(names)), names, fontsize=7)
        panels[0].legend(fontsize=7)
    warms = [n for n in names if st.make_solver(n).traits.warm_starts]
    for robot in robots:
        fewer = [scores[robot, n, True].iterations <= scores[robot, n, False].iterations * 1.001 for n in warms]
        run.check(f"{robot}: share of solvers that need no more iterations warm", float(np.mean(fewer)), at_least=0.7,
                  paper="figure 16: significant improvements")
        run.check(f"{robot}: problems solved by auto", scores[robot, "auto", True].solved, at_least=1.0)
    gap = {w: scores["solo12", "ncp-admm", w].milliseconds / scores["solo12", "ncp-pgs", w].milliseconds for w in (False, True)}
    run.check("solo12, cold: time of ADMM over that of PGS", gap[False], at_least=1.0, paper="figure 16, left: ADMM less efficient",
              timed=True)
    run.check("solo12: the gap warm over the gap cold", gap[True] / gap[False], at_most=1.0, paper="figure 16, right: reduced", timed=True)
    if worlds.robots_folder() is None:
        run.note("example-robot-data is not installed: MuJoCo's humanoid in place of Talos")
    run.note("the hand is a can in the shipped hand of primitives, in place of the Allegro hand and its meshes")


EXPERIMENT = Experiment(
    "robot-timing",
    "Cost of a solve along robots' motions",
    "comparative 2023, figure 16; ADMM 2024, figure 5",
    "Cold, methods that see all contacts at once cost more than sweeps; started from the last step they come near.",
    run,
)
