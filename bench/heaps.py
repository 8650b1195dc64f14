#!/usr/bin/env python3
"""Heaps: many bodies that share a load, ours and MuJoCo's three solvers on the same MJCF, and DART, in turns.

    heaps.py [--shapes sphere box mixed capsule] [--counts 120 1001] [--seconds 5] [--dt 5e-3] [--friction 0.5]
             [--engines soft rigid newton cg pgs dart-dantzig dart-nsgs] [--relative-compliance 0.01]
             [--relative-tangent-compliance 0.01] [--tolerance 1e-6] [--mass-ratio 1] [--budget 120] [--csv FILE]

Bodies (spheres of 4 cm and 0.1 kg; boxes, capsules and mixtures of 0.1 kg) fall from a lattice into a box that is about as wide as they
are deep. Every engine has its own world in a process of its own and they take turns of 20 steps, until the time is over, or until an
engine has spent its budget of CPU seconds, or does not answer within twice that: how far it came is printed. CPU time, one thread.

"soft" is the simulator with relative_compliance: contacts that give by a hundredth of their own inverse mass, Coulomb's law as it
is. Its residuals are those of that model, not of rigid contact. Boxes and mixtures also have relative_tangent_compliance, which relaxes
Coulomb's law; 0 takes it away. "rigid" has neither. DART is the newest that PyPI has for this Python (`pip install dartpy`), with walls
that are boxes; where it is not installed its rows say so.

"falling" is the first half of the time, "at rest" the last fifth. "to 1e-6" and "to 1e-9" are shares of steps by the judge. Depth is the
largest overlap in the first half, and at the end, as each engine's own contacts have it; energy is kinetic, at the end. Memory is what the
process took at its peak beyond what it had before it made its world.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass

RADIUS, MASS, GRAVITY = 0.04, 0.1, 9.8
SHAPES = ("sphere", "box", "capsule")
SIZES = {"sphere": (RADIUS,), "box": (0.8 * RADIUS,) * 3, "capsule": (0.7 * RADIUS, 0.6 * RADIUS)}  # radii, half lengths
TURN = 20  # steps
WALLS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass
class Body:
    shape: str
    position: tuple
    turn: tuple  # quaternion, w first
    mass: float


def half_width(count: int) -> float:
    """As wide as 1001 spheres want it at 0.8 m, by the cube root of the number."""
    return 0.04 * math.cbrt(count) if count > 200 else 0.2


def make_bodies(shape: str, count: int, options: argparse.Namespace) -> list[Body]:
    import numpy as np

    half = half_width(count)
    pitch = 2.15 * RADIUS if shape == "sphere" else 2.6 * RADIUS
    side = max(1, int((2.0 * half - 2.2 * RADIUS) / pitch) + 1)
    gap = (2.0 * half - 2.2 * RADIUS) / max(1, side - 1)
    random = np.random.default_rng(1)
    bodies = []
    for k in range(count):
        shift = random.uniform(-0.002, 0.002, 2)
        x, y = -half + 1.1 * RADIUS + gap * (k % side) + shift[0], -half + 1.1 * RADIUS + gap * (k // side % side) + shift[1]
        turn = random.normal(size=4)
        mass = MASS * options.mass_ratio ** random.uniform(-0.5, 0.5) if options.mass_ratio != 1.0 else MASS
        place = (float(x), float(y), 0.1 + 1.1 * pitch * (k // side // side))
        bodies.append(Body(SHAPES[k % 3] if shape == "mixed" else shape, place, tuple(turn / np.linalg.norm(turn)), float(mass)))
    return bodies


def make_mjcf(bodies: list[Body], options: argparse.Namespace) -> str:
    half = half_width(len(bodies))
    lines = [
        f'<mujoco><option timestep="{options.dt}" gravity="0 0 {-GRAVITY}"/><size memory="4G"/>',
        f'<default><geom friction="{options.friction} 0 0"/></default><worldbody><geom type="plane" size="9 9 1"/>',
    ]
    for x, y in WALLS:
        lines.append(f'<geom type="plane" size="9 9 1" pos="{x * half} {y * half} 0" zaxis="{-x} {-y} 0"/>')
    for b in bodies:
        lines.append(
            f'<body pos="{" ".join(f"{p:.9f}" for p in b.position)}" quat="{" ".join(f"{q:.9f}" for q in b.turn)}"><freejoint/>'
            f'<geom type="{b.shape}" size="{" ".join(map(str, SIZES[b.shape]))}" mass="{b.mass:.9f}"/></body>'
        )
    return "\n".join(lines) + "</worldbody></mujoco>"


class Ours:
    def __init__(self, bodies: list[Body], is_soft: bool, options: argparse.Namespace):
        import stiction

        faces = any(b.shape == "box" for b in bodies)
        self.simulator = stiction.Simulator(
            stiction.load_mjcf_string(make_mjcf(bodies, options)).model,
            dt=options.dt,
            tolerance=options.tolerance,
            acceptable_tolerance=options.tolerance,
            relative_compliance=options.relative_compliance if is_soft else 0.0,
            relative_tangent_compliance=options.relative_tangent_compliance if is_soft and faces else 0.0,
        )
        self.residuals: list[float] = []
        self.slip = 0.0

    def step(self) -> None:
        self.report = self.simulator.step()

    def look(self) -> tuple[float, int]:
        self.residuals.append(self.report.residuals.eps_nat)
        self.slip = max(self.slip, self.report.largest_relaxed_slip)
        return self.report.largest_penetration, self.report.num_contacts

    def summary(self) -> dict:
        eps, report = self.residuals, self.simulator.step()
        return {
            "to_1e-6": sum(e <= 1e-6 for e in eps) / len(eps),
            "to_1e-9": sum(e <= 1e-9 for e in eps) / len(eps),
            "worst": max(eps),
            "kinetic": report.kinetic_energy,
            "static_depth": report.largest_static_depth,
            "compliance": report.largest_compliance,
            "slip": self.slip,
            "penetrating": report.residuals.signorini_penetration,
            "friction_error": report.friction_error,
        }


class Mujoco:
    def __init__(self, bodies: list[Body], solver: str, options: argparse.Namespace):
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(make_mjcf(bodies, options))
        self.model.opt.solver = {"newton": mujoco.mjtSolver.mjSOL_NEWTON, "cg": mujoco.mjtSolver.mjSOL_CG, "pgs": mujoco.mjtSolver.mjSOL_PGS}[solver]
        self.data = mujoco.MjData(self.model)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def look(self) -> tuple[float, int]:
        contacts = self.data.ncon
        return max(0.0, -float(self.data.contact.dist.min())) if contacts else 0.0, contacts

    def summary(self) -> dict:
        self.mujoco.mj_energyVel(self.model, self.data)
        return {"kinetic": float(self.data.energy[1])}


class Dart:
    """Detectors: its own for spheres, ODE's where there are boxes, Bullet's for capsules."""

    def __init__(self, bodies: list[Body], solver: str, options: argparse.Namespace):
        import dartpy as dart
        import numpy as np

        self.world, self.skeletons = dart.simulation.World(), []
        self.world.setTimeStep(options.dt)
        self.world.setGravity([0, 0, -GRAVITY])
        shapes = {b.shape for b in bodies}
        detector = "DART" if shapes == {"sphere"} else "ODE" if "capsule" not in shapes else "BULLET"
        self.world.setCollisionDetector(getattr(dart.simulation.CollisionDetectorType, detector))
        if hasattr(self.world, "getDeactivationOptions"):
            sleep = self.world.getDeactivationOptions()
            sleep.mEnabled = False
            self.world.setDeactivationOptions(sleep)
        constraints = self.world.getConstraintSolver()
        constraints.getCollisionOption().maxNumContacts = 1000000
        if solver == "nsgs":
            constraints.setBoxedLcpSolver(dart.constraint.NsgsFrictionSolver())

        def add(node, shape, rotation=None, place=None):
            holder = node.createShapeNode(shape)
            if place is not None:
                pose = dart.math.Isometry3()
                pose.set_translation(np.asarray(place, float))
                holder.setRelativeTransform(pose)
            holder.createCollisionAspect()
            aspect = holder.createDynamicsAspect()
            aspect.setFrictionCoeff(options.friction)
            aspect.setRestitutionCoeff(0.0)

        half = half_width(len(bodies))
        box = dart.dynamics.Skeleton("box")
        node = box.createWeldJointAndBodyNodePair()[1]
        add(node, dart.dynamics.BoxShape([20, 20, 2]), place=[0, 0, -1])
        for x, y in WALLS:
            add(node, dart.dynamics.BoxShape([2 if x else 20, 2 if y else 20, 20]), place=[x * (half + 1), y * (half + 1), 0])
        box.setMobile(False)
        self.world.addSkeleton(box)
        for k, b in enumerate(bodies):
            size = SIZES[b.shape]
            if b.shape == "sphere":
                shape = dart.dynamics.SphereShape(size[0])
            elif b.shape == "box":
                shape = dart.dynamics.BoxShape([2 * s for s in size])
            else:
                shape = dart.dynamics.CapsuleShape(size[0], 2 * size[1])
            skeleton = dart.dynamics.Skeleton(f"b{k}")
            joint, node = skeleton.createFreeJointAndBodyNodePair()
            add(node, shape)
            inertia = dart.dynamics.Inertia()
            inertia.setMass(b.mass)
            inertia.setMoment(np.asarray(shape.computeInertia(b.mass)))
            node.setInertia(inertia)
            joint.setPositions(np.concatenate([rotation_vector(b.turn), b.position]))
            self.world.addSkeleton(skeleton)
            self.skeletons.append(skeleton)

    def step(self) -> None:
        self.world.step()

    def look(self) -> tuple[float, int]:
        contacts = self.world.getLastCollisionResult().getContacts()
        return max((c.penetrationDepth for c in contacts), default=0.0), len(contacts)

    def summary(self) -> dict:
        return {"kinetic": sum(s.computeKineticEnergy() for s in self.skeletons)}


def rotation_vector(turn: tuple) -> list[float]:
    w, vector = turn[0], turn[1:]
    length = math.hypot(*vector)
    angle = 2.0 * math.atan2(length, w)
    return [angle * x / length if length > 0.0 else 0.0 for x in vector]


def make_engine(name: str, bodies: list[Body], options: argparse.Namespace):
    if name in ("soft", "rigid"):
        return Ours(bodies, name == "soft", options)
    if name.startswith("dart-"):
        return Dart(bodies, name.removeprefix("dart-"), options)
    return Mujoco(bodies, name, options)


def peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0  # MB


def serve(pipe, name: str, shape: str, count: int, options: argparse.Namespace) -> None:
    """One engine's process: makes its world, then steps as it is told, until its budget of CPU seconds is spent."""
    try:
        bodies = make_bodies(shape, count, options)
        module = "stiction" if name in ("soft", "rigid") else "dartpy" if name.startswith("dart-") else "mujoco"
        __import__(module)
        before = peak_memory()
        engine = make_engine(name, bodies, options)
    except Exception as error:  # whatever a peer throws
        pipe.send({"error": f"{type(error).__name__}: {error}"})
        return
    pipe.send({})
    spent = 0.0
    while (steps := pipe.recv()) is not None:
        done = []
        while len(done) < steps and spent < options.budget:
            start = time.process_time()
            engine.step()
            seconds = time.process_time() - start
            spent += seconds
            done.append((seconds, *engine.look()))
        pipe.send(done)
    pipe.send({"memory": peak_memory() - before, **engine.summary()})


class Run:
    """One engine on its way through its own world, in its own process."""

    def __init__(self, name: str, shape: str, count: int, options: argparse.Namespace):
        self.name, self.patience = name, 2.0 * options.budget + 30.0
        self.seconds, self.depths, self.contacts, self.summary, self.error = [], [], [], {}, ""
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, name, shape, count, options), daemon=True)
        self.process.start()
        other.close()
        self.error = (self.answer() or {}).get("error", "")

    def answer(self):
        """What the process says; nothing, and that is its end, where it does not within its patience, or is no more."""
        try:
            if self.pipe.poll(self.patience):
                return self.pipe.recv()
            self.error = f"no answer within {self.patience:.0f} s"
        except EOFError:
            self.error = "its process ended"
        self.process.terminate()
        return None

    def advance(self, steps: int) -> None:
        self.pipe.send(steps)
        for seconds, depth, contacts in self.answer() or []:
            self.seconds.append(seconds)
            self.depths.append(depth)
            self.contacts.append(contacts)

    def finish(self) -> None:
        if not self.error and self.seconds:
            self.pipe.send(None)
            self.summary = self.answer() or {}
        self.process.terminate()
        self.process.join()

    def row(self, shape: str, count: int, steps: int) -> dict:
        def mean(values):
            return 1e3 * sum(values) / len(values) if values else math.nan

        done, half = len(self.seconds), steps // 2
        return {
            "shape": shape, "bodies": count, "engine": self.name, "steps": done, "contacts": mean(self.contacts) / 1e3,
            "ms": mean(self.seconds), "ms_falling": mean(self.seconds[:half]), "ms_rest": mean(self.seconds[int(0.8 * steps) :]),
            "ms_most": 1e3 * max(self.seconds, default=math.nan), "depth_falling": max(self.depths[:half], default=math.nan),
            "depth_end": self.depths[-1] if done == steps else math.nan, **self.summary,
        }  # fmt: skip


HEAD = (
    "| shape | bodies | engine | steps | contacts | ms/step | falling | at rest | longest | to 1e-6 | to 1e-9 | worst ε_nat | depth falling, m "
    "| at the end, m | kinetic, J | memory, MB |",
    "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def show(row: dict) -> str:
    def figure(name, form):
        value = row.get(name)
        return "–" if value is None or math.isnan(value) else form.format(value)

    times = " | ".join(figure(name, "{:.3g}") for name in ("ms", "ms_falling", "ms_rest", "ms_most"))
    depths = " | ".join(figure(name, "{:.1e}") for name in ("depth_falling", "depth_end", "kinetic"))
    return (
        f"| {row['shape']} | {row['bodies']} | {row['engine']} | {row['steps']} | {figure('contacts', '{:.0f}')} | {times} "
        f"| {figure('to_1e-6', '{:.1%}')} | {figure('to_1e-9', '{:.1%}')} | {figure('worst', '{:.0e}')} | {depths} | {figure('memory', '{:.0f}')} |"
    )


def main() -> None:
    engines = ("soft", "rigid", "newton", "cg", "pgs", "dart-dantzig", "dart-nsgs")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=("sphere", "box", "mixed", "capsule"), default=["sphere", "box", "mixed", "capsule"])
    parser.add_argument("--counts", type=int, nargs="+", default=[120, 1001])
    parser.add_argument("--engines", nargs="+", choices=engines, default=[name for name in engines if name != "rigid"])
    parser.add_argument("--seconds", type=float, default=5.0, help="of the world")
    parser.add_argument("--dt", type=float, default=5e-3)
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--relative-compliance", type=float, default=0.01)
    parser.add_argument("--relative-tangent-compliance", type=float, default=0.01, help="of boxes and mixtures")
    parser.add_argument("--tolerance", type=float, default=1e-6, help="of ours, on eps_nat")
    parser.add_argument("--mass-ratio", type=float, default=1.0, help="between the heaviest and the lightest body")
    parser.add_argument("--budget", type=float, default=120.0, help="CPU seconds per engine and heap")
    parser.add_argument("--csv")
    options = parser.parse_args()
    steps = round(options.seconds / options.dt)
    if steps < 10 or min(options.counts) < 1:
        parser.error("at least ten steps and one body are needed")
    rows, remarks = [], []
    print(*HEAD, sep="\n", flush=True)
    for shape in options.shapes:
        for count in options.counts:
            runs = [Run(name, shape, count, options) for name in options.engines]
            for done in range(0, steps, TURN):
                for run in runs:
                    if len(run.seconds) == done and not run.error:
                        run.advance(min(TURN, steps - done))
                if sys.stderr.isatty():
                    print(f"{shape} {count}: {done}/{steps}", end="\r", file=sys.stderr)
            for run in runs:
                run.finish()
                row = run.row(shape, count, steps)
                rows.append(row)
                print(show(row), flush=True)
                if run.error:
                    remarks.append(f"{shape}, {count}, {run.name}: {run.error}")
                if row.get("compliance", 0.0) > 0.0:
                    remarks.append(
                        f"{shape}, {count}, {row['engine']}: compliance up to {row['compliance']:.2e} m/N, static depth at the end {row['static_depth']:.1e} m, "
                        f"penetrating at {row['penetrating']:.1e} m/s, friction off by {row['friction_error']:.1e} N; NOT the rigid law"
                        + (f"; contacts slip by up to {row['slip']:.1e} m/s, NOT Coulomb's law" if row["slip"] > 0.0 else "")
                    )
    print()
    print(*remarks, sep="\n")
    if options.csv:
        names = list(dict.fromkeys(name for row in rows for name in row))
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
