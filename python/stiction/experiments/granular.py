"""1001 spheres settle in a box: which contact models can run it, and how long a step takes them."""

from __future__ import annotations

import importlib.util
import time
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

COUNT, RADIUS, MASS, FRICTION, DT, SECONDS = 1001, 0.04, 0.1, 0.5, 5e-3, 5.0
SMALL, SMALL_SECONDS = 60, 1.5  #: what dense solvers can be asked for
TOLERANCE = 1e-6
#: Dense solvers stop before a problem of so many contacts: G alone, 9 n² numbers, and its factors; a step of 800 takes 16 s.
MOST_CONTACTS = 250
DENSE = ("max-dissipation", "lcp-anitescu-potra", "lcp-lemke")


def heap(count: int) -> Any:
    """Spheres over a box 0.8 m wide, by the cube root of their number narrower; its walls are planes."""
    half = 0.4 if count == COUNT else 0.2
    builder = worlds.new_world(FRICTION)
    for normal in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        x, y = normal
        turn = {(1, 0): (0.0, 1.0), (-1, 0): (0.0, -1.0), (0, 1): (-1.0, 0.0), (0, -1): (1.0, 0.0)}[normal]
        quarter = np.sqrt(0.5)  # z turns onto the normal
        builder.add_shape(st.Plane(), position=(-half * x, -half * y, 0.0), orientation=(quarter * turn[0], quarter * turn[1], 0.0, quarter),
                          friction=FRICTION)
    random = np.random.default_rng(1)
    side = int((2 * half - 0.09) / 0.085) + 1
    for k in range(count):
        x, y = -half + 0.045 + 0.085 * np.array([k % side, k // side % side]) + random.uniform(0, 0.004, 2)
        body = builder.add_body(position=(x, y, 0.3 + 0.09 * (k // side // side)))
        builder.add_shape(body, st.Sphere(RADIUS), mass=MASS, friction=FRICTION)
    return builder.build()


class Course(NamedTuple):
    """How far a solver came: by step."""

    name: str
    count: int
    wanted: int
    seconds: List[float]
    kinetic: List[float]
    contacts: List[int]
    accepted: int
    deepest: float
    ended: str  #: why before its time, or nothing

    @property
    def reached(self) -> float:
        return len(self.seconds) / self.wanted

    @property
    def ms(self) -> float:
        return 1e3 * float(np.mean(self.seconds)) if self.seconds else float("nan")


class Ours:
    def __init__(self, count: int, solver: str, **settings: Any) -> None:
        self.simulator = st.Simulator(heap(count), dt=DT, solver=solver, tolerance=TOLERANCE, acceptable_tolerance=TOLERANCE, **settings)

    def step(self) -> None:
        self.report = self.simulator.step()

    def look(self) -> Tuple[float, int, float, bool]:
        """Kinetic energy, contacts, depth, accepted."""
        r = self.report
        return self.simulator.kinetic_energy(), r.num_contacts, r.largest_penetration, bool(r.accepted)


class Mujoco:
    """The same file, by its conjugate gradients."""

    def __init__(self, path: Any) -> None:
        import mujoco

        self.mujoco = mujoco
        spec = mujoco.MjSpec.from_file(str(path))
        spec.memory = 1 << 30
        self.model = spec.compile()
        self.model.opt.timestep, self.model.opt.solver = DT, mujoco.mjtSolver.mjSOL_CG
        self.data = mujoco.MjData(self.model)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def look(self) -> Tuple[float, int, float, bool]:
        self.mujoco.mj_energyVel(self.model, self.data)
        depth = max(0.0, -float(self.data.contact.dist.min())) if self.data.ncon else 0.0
        return float(self.data.energy[1]), int(self.data.ncon), depth, True


def course(name: str, engine: Any, count: int, seconds: float, budget: float, most_contacts: Optional[int] = None) -> Course:
    """Steps until the time is over, the budget of CPU seconds is spent, or the problem grows too large for a dense matrix."""
    wanted = round(seconds / DT)
    spent: List[float] = []
    kinetic: List[float] = []
    contacts: List[int] = []
    accepted, deepest, ended = 0, 0.0, ""
    for _ in range(wanted):
        begin = time.process_time()
        engine.step()
        spent.append(time.process_time() - begin)
        energy, touching, depth, good = engine.look()
        kinetic.append(energy)
        contacts.append(touching)
        deepest = max(deepest, depth)
        accepted += good
        if most_contacts is not None and touching > most_contacts:
            ended = f"{touching} contacts; it factors a dense matrix of {3 * touching} rows several times a step"
        elif sum(spent) > budget:
            ended = f"{budget:g} s of CPU were spent"
        if ended and len(spent) < wanted:
            break
        ended = ""
    return Course(name, count, wanted, spent, kinetic, contacts, accepted, deepest, ended)


def run(run: Run) -> None:
    budget = 10.0 if run.quick else 600.0
    dense_budget = 3.0 if run.quick else 30.0
    count, seconds = (120, 2.0) if run.quick else (COUNT, SECONDS)
    makers: List[Tuple[str, Callable[[], Course]]] = [
        ("auto", lambda: course("auto", Ours(count, "auto", relative_compliance=0.01), count, seconds, budget)),
    ]
    path = run.folder / "granular.xml"
    st.save(heap(count), path)
    if importlib.util.find_spec("mujoco") is not None:
        makers.append(("mujoco-cg", lambda: course("mujoco-cg", Mujoco(path), count, seconds, budget)))
    else:
        run.note("MuJoCo is not installed: no comparison with its conjugate gradients")
    for name in DENSE:
        makers.append((name, lambda name=name: course(name, Ours(count, name), count, seconds, dense_budget, MOST_CONTACTS)))
    small = SMALL_SECONDS if not run.quick else 0.6
    for name in ("auto", *DENSE):
        makers.append((f"{name}, {SMALL}", lambda name=name: course(name, Ours(SMALL, name), SMALL, small, dense_budget)))
    courses = {label: make() for label, make in run.progress(makers)}
    _write(run, courses)
    _judge(run, courses)


def _write(run: Run, courses: dict) -> None:
    rows = [[c.name, c.count, c.reached, len(c.seconds), c.ms, 1e3 * max(c.seconds), max(c.contacts), c.accepted, c.deepest, c.kinetic[-1], c.ended]
            for c in courses.values()]
    run.csv("granular", ["solver", "spheres", "part_reached", "steps", "ms_per_step", "longest_ms", "most_contacts", "steps_accepted", "deepest_m",
                         "kinetic_at_the_end_J", "ended"], rows)
    run.csv("kinetic", ["solver", "spheres", "time_s", "kinetic_J", "ms", "contacts"],
            [[c.name, c.count, DT * (k + 1), c.kinetic[k], 1e3 * c.seconds[k], c.contacts[k]] for c in courses.values()
             for k in range(0, len(c.seconds), 5)])
    with run.figure("granular", 9.0, 4.0) as figure:
        large, small = figure.subplots(1, 2, sharey=True)
        for label, c in courses.items():
            axes = small if label.endswith(f", {SMALL}") else large
            time_s = DT * np.arange(1, len(c.kinetic) + 1)
            (line,) = axes.semilogy(time_s, np.maximum(c.kinetic, 1e-9), label=f"{c.name}, {c.ms:.1f} ms")
            if c.ended:
                axes.semilogy(time_s[-1:], np.maximum(c.kinetic[-1:], 1e-9), "x", color=line.get_color())
        for axes, n in ((large, next(iter(courses.values())).count), (small, SMALL)):
            axes.set(xlabel="s", title=f"{n} spheres; ×: ends early")
            axes.legend(fontsize=7)
        large.set_ylabel("kinetic energy, J")


def _judge(run: Run, courses: dict) -> None:
    ours = courses["auto"]
    run.check(f"{ours.count} spheres, auto: part of the time that it ran", ours.reached, at_least=1.0)
    run.check("kinetic energy at the end over the largest", ours.kinetic[-1] / max(ours.kinetic), at_most=1e-3, paper="figure 5: settles")
    run.check("steps that are not accepted", len(ours.seconds) - ours.accepted, at_most=0)
    run.note(f"auto: {ours.ms:.1f} ms of CPU per step, longest {1e3 * max(ours.seconds):.0f}, {max(ours.contacts)} contacts, "
             f"{1e3 * ours.deepest:.2f} mm deep, contacts that give by a hundredth of their inverse mass (docs/heaps.md)")
    peer = courses.get("mujoco-cg")
    if peer is not None:
        run.check("time of a step, MuJoCo's CG over ours", peer.ms / ours.ms, at_least=1.0, timed=True)
        run.check("depth, ours over MuJoCo's CG", ours.deepest / peer.deepest, at_most=1.0)
        run.note(f"MuJoCo's CG: {peer.ms:.1f} ms, {1e3 * peer.deepest:.1f} mm deep")
    else:
        run.not_compared = "MuJoCo is not installed"
    program = courses["max-dissipation"]
    run.check("max-dissipation: part of the time that it ran", program.reached, at_least=1.0, paper="figure 5: runs to the end")
    for label in DENSE:
        c = courses[label]
        if c.ended:
            run.note(f"{label} ended after {DT * len(c.seconds):.2f} of {DT * c.wanted:g} s: {c.ended}; auto runs it")
    small = courses[f"max-dissipation, {SMALL}"]
    run.check(f"{SMALL} spheres: max-dissipation, part of the time that it ran", small.reached, at_least=1.0)
    for label in DENSE[1:]:
        c, same = courses[f"{label}, {SMALL}"], courses[f"auto, {SMALL}"]
        steps = min(len(c.seconds), len(same.seconds))
        slower = sum(c.seconds[:steps]) / sum(same.seconds[:steps])
        bad = (len(c.seconds) - c.accepted) / len(c.seconds)
        run.note(f"{label}, {SMALL} spheres: {c.ms:.1f} ms per step, {100 * bad:.1f} % of its steps not accepted, {100 * c.reached:.0f} % of the time reached")
        if c.ended or c.accepted < len(c.seconds):
            run.check(f"{label}, {SMALL} spheres: steps that it fails in", max(1, len(c.seconds) - c.accepted), at_least=1,
                      paper="figure 5: neither LCP solver came to one second")
        else:
            run.check(f"{label}, {SMALL} spheres: time of a step over that of auto", slower, at_least=10.0,
                      paper="figure 5: neither came to one second", timed=True)


EXPERIMENT = Experiment(
    "granular",
    "1001 spheres settle in a box",
    "max-dissipation 2010, figures 5–7",
    "The two-phase program runs a thousand spheres until they settle; solvers of the linear complementarity problem fail on the way.",
    run,
)
