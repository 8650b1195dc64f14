#!/usr/bin/env python3
"""Heaps: many bodies that share a load, ours and MuJoCo's three solvers on the same MJCF in turns.

    heaps.py [--shapes sphere box mixed capsule] [--counts 120 1001] [--seconds 5] [--dt 5e-3] [--friction 0.5]
             [--engines soft rigid newton cg pgs] [--relative-compliance 0.01] [--tolerance 1e-6] [--mass-ratio 1]
             [--budget 120] [--csv FILE]

Bodies (spheres of 4 cm and 0.1 kg; boxes, capsules and mixtures of 0.1 kg) fall from a lattice into a box that is about as wide as they
are deep. Engines take turns of 20 steps, each in its own world, until the time is over, or until an engine has spent its
budget of CPU seconds: how far it came is printed. CPU time, one thread.

"soft" is the simulator with relative_compliance: contacts that give by a hundredth of their own inverse mass, Coulomb's law as it
is. Its residuals are those of that model, not of rigid contact. "rigid" is the same without it. "falling" is the first half of the
time, "at rest" the last fifth. "to 1e-6" and "to 1e-9" are shares of steps by the judge. Depth is the largest overlap in the first
half, and at the end; energy is kinetic, at the end.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time

import numpy as np

RADIUS, MASS = 0.04, 0.1
GEOMETRIES = {
    "sphere": f'type="sphere" size="{RADIUS}"',
    "box": f'type="box" size="{0.8 * RADIUS} {0.8 * RADIUS} {0.8 * RADIUS}"',
    "capsule": f'type="capsule" size="{0.7 * RADIUS} {0.6 * RADIUS}"',
}
MIXED = list(GEOMETRIES)
TURN = 20  # steps


def make_mjcf(shape: str, count: int, options: argparse.Namespace) -> str:
    """Walls are planes; the box is as wide as 1001 spheres want it at 0.8 m, by the cube root of the number."""
    half = 0.04 * math.cbrt(count) if count > 200 else 0.2
    pitch = 2.15 * RADIUS if shape == "sphere" else 2.6 * RADIUS
    side = max(1, int((2.0 * half - 2.2 * RADIUS) / pitch) + 1)
    gap = (2.0 * half - 2.2 * RADIUS) / max(1, side - 1)
    random = np.random.default_rng(1)
    lines = [
        f'<mujoco><option timestep="{options.dt}" gravity="0 0 -9.8"/><size memory="2G"/>',
        f'<default><geom friction="{options.friction} 0 0"/></default><worldbody><geom type="plane" size="9 9 1"/>',
    ]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        lines.append(f'<geom type="plane" size="9 9 1" pos="{x * half} {y * half} 0" zaxis="{-x} {-y} 0"/>')
    for k in range(count):
        shift = random.uniform(-0.002, 0.002, 2)
        place = [-half + 1.1 * RADIUS + gap * (k % side) + shift[0], -half + 1.1 * RADIUS + gap * (k // side % side) + shift[1]]
        place.append(0.1 + 1.1 * pitch * (k // side // side))
        turn = random.normal(size=4)
        turn /= np.linalg.norm(turn)
        mass = MASS * options.mass_ratio ** random.uniform(-0.5, 0.5) if options.mass_ratio != 1.0 else MASS
        geometry = GEOMETRIES[MIXED[k % 3] if shape == "mixed" else shape]
        lines.append(
            f'<body pos="{" ".join(f"{p:.9f}" for p in place)}" quat="{" ".join(f"{q:.9f}" for q in turn)}"><freejoint/>'
            f'<geom {geometry} mass="{mass:.9f}"/></body>'
        )
    return "\n".join(lines) + "</worldbody></mujoco>"


class Ours:
    def __init__(self, mjcf: str, relative_compliance: float, options: argparse.Namespace):
        import stiction

        model = stiction.load_mjcf_string(mjcf).model
        self.simulator = stiction.Simulator(
            model, dt=options.dt, tolerance=options.tolerance, acceptable_tolerance=options.tolerance, relative_compliance=relative_compliance
        )
        self.residuals: list[float] = []

    def step(self) -> None:
        self.report = self.simulator.step()

    def look(self) -> dict:
        self.residuals.append(self.report.residuals.eps_nat)
        return {"depth": self.report.largest_penetration, "contacts": self.report.num_contacts}

    def summary(self) -> dict:
        eps = np.array(self.residuals)
        report = self.simulator.step()
        return {
            "to_1e-6": float((eps <= 1e-6).mean()),
            "to_1e-9": float((eps <= 1e-9).mean()),
            "worst": float(eps.max()),
            "kinetic": report.kinetic_energy,
            "static_depth": report.largest_static_depth,
            "compliance": report.largest_compliance,
            "penetrating": report.residuals.signorini_penetration,
            "friction_error": report.friction_error,
        }


class Mujoco:
    def __init__(self, mjcf: str, solver: str, options: argparse.Namespace):
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(mjcf)
        self.model.opt.solver = {"newton": mujoco.mjtSolver.mjSOL_NEWTON, "cg": mujoco.mjtSolver.mjSOL_CG, "pgs": mujoco.mjtSolver.mjSOL_PGS}[solver]
        self.data = mujoco.MjData(self.model)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def look(self) -> dict:
        contacts = self.data.ncon
        return {"depth": max(0.0, -float(self.data.contact.dist.min())) if contacts else 0.0, "contacts": contacts}

    def summary(self) -> dict:
        self.mujoco.mj_energyVel(self.model, self.data)
        return {"kinetic": float(self.data.energy[1])}


def make_engine(name: str, mjcf: str, options: argparse.Namespace):
    if name in ("soft", "rigid"):
        return Ours(mjcf, options.relative_compliance if name == "soft" else 0.0, options)
    return Mujoco(mjcf, name, options)


class Run:
    """One engine on its way through its own world."""

    def __init__(self, name: str, mjcf: str, options: argparse.Namespace):
        self.name, self.engine = name, make_engine(name, mjcf, options)
        self.seconds, self.depths, self.contacts = [], [], []

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            start = time.process_time()
            self.engine.step()
            self.seconds.append(time.process_time() - start)
            seen = self.engine.look()
            self.depths.append(seen["depth"])
            self.contacts.append(seen["contacts"])

    def row(self, shape: str, count: int, steps: int) -> dict:
        def mean(values):
            return 1e3 * float(np.mean(values)) if len(values) else math.nan

        done = len(self.seconds)
        rest = self.seconds[int(0.8 * steps) :]
        return {
            "shape": shape, "bodies": count, "engine": self.name, "steps": done, "contacts": float(np.mean(self.contacts)),
            "ms": mean(self.seconds), "ms_falling": mean(self.seconds[: steps // 2]), "ms_rest": mean(rest), "ms_most": 1e3 * max(self.seconds),
            "depth_falling": max(self.depths[: steps // 2]), "depth_end": self.depths[-1] if done == steps else math.nan, **self.engine.summary(),
        }  # fmt: skip


HEAD = (
    "| shape | bodies | engine | steps | contacts | ms/step | falling | at rest | longest | to 1e-6 | to 1e-9 | worst ε_nat | depth falling, m | at the end, m | kinetic, J |",
    "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def show(row: dict) -> str:
    def figure(value, form):
        return "–" if value is None or math.isnan(value) else form.format(value)

    def share(name):
        return figure(row.get(name), "{:.1%}")

    times = " | ".join(figure(row[name], "{:.3g}") for name in ("ms", "ms_falling", "ms_rest", "ms_most"))
    depths = " | ".join(figure(row[name], "{:.1e}") for name in ("depth_falling", "depth_end", "kinetic"))
    return (
        f"| {row['shape']} | {row['bodies']} | {row['engine']} | {row['steps']} | {row['contacts']:.0f} | {times} "
        f"| {share('to_1e-6')} | {share('to_1e-9')} | {figure(row.get('worst'), '{:.0e}')} | {depths} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=("sphere", "box", "mixed", "capsule"), default=["sphere", "box", "mixed", "capsule"])
    parser.add_argument("--counts", type=int, nargs="+", default=[120, 1001])
    parser.add_argument("--engines", nargs="+", choices=("soft", "rigid", "newton", "cg", "pgs"), default=["soft", "newton", "cg", "pgs"])
    parser.add_argument("--seconds", type=float, default=5.0, help="of the world")
    parser.add_argument("--dt", type=float, default=5e-3)
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--relative-compliance", type=float, default=0.01)
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
            mjcf = make_mjcf(shape, count, options)
            runs = [Run(name, mjcf, options) for name in options.engines]
            for done in range(0, steps, TURN):
                for run in runs:
                    if len(run.seconds) == done and sum(run.seconds) < options.budget:
                        run.advance(min(TURN, steps - done))
                if sys.stderr.isatty():
                    print(f"{shape} {count}: {done}/{steps}", end="\r", file=sys.stderr)
            for run in runs:
                row = run.row(shape, count, steps)
                rows.append(row)
                print(show(row), flush=True)
                if "compliance" in row and row["compliance"] > 0.0:
                    remarks.append(
                        f"{shape}, {count}, {row['engine']}: compliance up to {row['compliance']:.2e} m/N, static depth at the end {row['static_depth']:.1e} m, "
                        f"penetrating at {row['penetrating']:.1e} m/s, friction off by {row['friction_error']:.1e} N; NOT the rigid law"
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
