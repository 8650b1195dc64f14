#!/usr/bin/env python3
"""Bodies dropped into a container, ours and MuJoCo on the same MJCF in turns: CPU time per step against their number.

    pile.py [--counts 10 30 100 300 1000 3000] [--shapes box sphere] [--steps 400] [--engines stiction mujoco]
            [--floor deep|wide] [--settle ROUGH FINE] [--compliance C] [--acceptable-tolerance E] [--max-iterations N]
            [--csv FILE] [--plot FILE.png] [--also EARLIER.csv …]

Four walls and a floor; bodies of 1 kg and 10 cm at random turns fall from a lattice; friction 0.5, time step 5 ms, one
thread. The floor grows with the cube root of the count (deep: more bodies lie deeper) or with its square root (wide: some
three layers whatever the count). With --settle the time is that of a pile at rest: it falls for ROUGH steps (ours to 1e-4,
at most 60 iterations), then for FINE steps with the usual settings, and only then is measured. Contacts of ours are rigid,
or give by C metres per newton; MuJoCo's give as is usual there. For ours also how many steps
the judge certified at 1e-9, and its worst residual. "deepest" is the largest penetration in the steps that are timed, "at
the end" that of the last one. At last the power of the number of bodies with which the time grows.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import math
import sys
import time

import numpy as np

HALF, SPACING, FRICTION, TIME_STEP = 0.05, 0.2, 0.5, 5e-3
ROUGHLY = {"tolerance": 1e-4, "acceptable_tolerance": 1e-3, "max_iterations": 60}


@dataclasses.dataclass
class Pile:
    shape: str
    half_width: float  # of the floor, m
    poses: list[tuple[np.ndarray, np.ndarray]]  # positions and unit quaternions (w, x, y, z)
    walls: tuple = ((1, 0), (-1, 0), (0, 1), (0, -1))


def lay_out(shape: str, count: int, floor: str) -> Pile:
    if floor == "deep":
        width = max(0.5, 0.12 * math.cbrt(count))
        side = max(2, int(2 * width / SPACING) - 1)
        first, gap = SPACING, (2 * width - 2 * SPACING) / (side - 1)
    else:
        width = 0.038 * math.sqrt(count)  # half of it; as wide as the deep one at 1000
        side = max(1, int(2 * width / SPACING))
        gap = 2 * width / side
        first = 0.5 * gap
    random = np.random.default_rng(1)
    poses = []
    for k in range(count):
        place = (-width + first + gap * (k % side), -width + first + gap * (k // side % side))
        turn = random.normal(size=4)
        poses.append((np.array([*place, 0.15 + SPACING * (k // side // side)]), turn / np.linalg.norm(turn)))
    return Pile(shape, width, poses)


def make_mjcf(pile: Pile) -> str:
    size = " ".join([str(HALF)] * (3 if pile.shape == "box" else 1))
    lines = [
        f'<mujoco><option timestep="{TIME_STEP}"/><size memory="2G"/>',
        f'<default><geom friction="{FRICTION} 0 0"/></default><worldbody><geom type="plane" size="9 9 1"/>',
    ]
    for x, y in pile.walls:
        lines.append(f'<geom type="plane" size="9 9 1" pos="{x * pile.half_width} {y * pile.half_width} 0" zaxis="{-x} {-y} 0"/>')
    for position, turn in pile.poses:
        lines.append(
            f'<body pos="{" ".join(map(str, position))}" quat="{" ".join(map(str, turn))}"><freejoint/>'
            f'<geom type="{pile.shape}" size="{size}" mass="1"/></body>'
        )
    return "\n".join(lines) + "</worldbody></mujoco>"


def make_compliant(pile: Pile, compliance: float):
    """The same world with contacts that give, which MJCF cannot say."""
    import stiction

    builder = stiction.ModelBuilder()
    material = {"friction": FRICTION, "compliance": 0.5 * compliance}  # those of a pair add
    builder.add_shape(stiction.Plane(), **material)
    for x, y in pile.walls:
        inwards = math.sqrt(0.5) * np.array([y, -x, 0.0, 1.0])  # turns the axis z to (−x, −y, 0)
        place = (x * pile.half_width, y * pile.half_width, 0.0)
        builder.add_shape(stiction.Plane(), position=place, orientation=inwards, **material)
    geometry = stiction.Box((HALF,) * 3) if pile.shape == "box" else stiction.Sphere(HALF)
    for k, (position, turn) in enumerate(pile.poses):
        body = builder.add_body(name=f"body {k}", position=position, orientation=np.roll(turn, -1))
        builder.add_shape(body, geometry, mass=1.0, **material)
    return builder.build()


class Stiction:
    def __init__(self, pile: Pile, compliance: float, **settings):
        import stiction

        self.model = make_compliant(pile, compliance) if compliance else stiction.load_mjcf_string(make_mjcf(pile)).model
        self.simulator = stiction.Simulator(self.model, dt=TIME_STEP, **settings)
        self.before, self.worst = (0, 0), 0.0

    def settle(self, rough_steps: int, fine_steps: int) -> None:
        import stiction

        rough = stiction.Simulator(self.model, dt=TIME_STEP, **ROUGHLY)
        rough.step(rough_steps)
        self.simulator.set_state(rough.state)
        self.simulator.step(fine_steps)
        self.before = (self.simulator.num_uncertified_steps, self.simulator.num_failed_steps)

    def step(self) -> tuple[int, float]:
        report = self.simulator.step()
        self.worst = max(self.worst, report.residuals.eps_nat)
        return report.num_contacts, report.largest_penetration

    def summary(self, steps: int) -> dict:
        simulator = self.simulator
        return {
            "certified": steps - (simulator.num_uncertified_steps - self.before[0]),
            "accepted": steps - (simulator.num_failed_steps - self.before[1]),
            "worst_residual": self.worst,
        }


class Mujoco:
    def __init__(self, pile: Pile, compliance: float, **_):
        import mujoco

        self.advance = mujoco.mj_step
        self.model = mujoco.MjModel.from_xml_string(make_mjcf(pile))
        self.data = mujoco.MjData(self.model)

    def settle(self, rough_steps: int, fine_steps: int) -> None:
        self.advance(self.model, self.data, nstep=rough_steps + fine_steps)

    def step(self) -> tuple[int, float]:
        self.advance(self.model, self.data)
        depth = -self.data.contact.dist.min() if self.data.ncon else 0.0
        return self.data.ncon, max(0.0, depth)

    def summary(self, steps: int) -> dict:
        return {"certified": "", "accepted": "", "worst_residual": ""}


ENGINES = {"stiction": Stiction, "mujoco": Mujoco}


def run(name: str, pile: Pile, steps: int, settle: list[int], **settings) -> dict:
    engine = ENGINES[name](pile, **settings)
    if any(settle):
        engine.settle(*settle)
    seconds, contacts, deepest, depth = 0.0, 0, 0.0, 0.0
    for k in range(steps):
        start = time.process_time()
        count, depth = engine.step()
        seconds += time.process_time() - start
        contacts += count
        deepest = max(deepest, depth)
        if sys.stderr.isatty():
            print(f"\r{name} {k + 1}/{steps}", end="\r", file=sys.stderr)
    row = {"ms_per_step": 1e3 * seconds / steps, "contacts": contacts / steps, "deepest": deepest, "at_the_end": depth}
    return {"engine": name, **row, **engine.summary(steps)}


def curves(rows: list[dict]) -> dict[tuple, list[tuple[int, float]]]:
    """(bodies, ms per step) in ascending order, by engine, shape and compliance."""
    found: dict[tuple, list[tuple[int, float]]] = {}
    for row in sorted(rows, key=lambda row: row["bodies"]):
        found.setdefault((row["engine"], row["shape"], row["compliance"]), []).append((row["bodies"], row["ms_per_step"]))
    return found


def print_powers(rows: list[dict]) -> None:
    """p of time = c · bodies^p, by least squares of the logarithms."""
    for (engine, shape, compliance), points in sorted(curves(rows).items()):
        if len(points) < 2:
            continue
        bodies, times = np.log(points).T
        given = f", {compliance:g} m/N" if compliance else ""
        print(f"{engine}, {shape}{given}: time grows as the power {np.polyfit(bodies, times, 1)[0]:.2f} of {points[0][0]} to {points[-1][0]} bodies")


def draw(rows: list[dict], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7.0, 4.6))
    styles = {("stiction", "box"): "C3-o", ("stiction", "sphere"): "C1-o", ("mujoco", "box"): "C0--s", ("mujoco", "sphere"): "C9--s"}
    for (engine, shape, compliance), points in sorted(curves(rows).items()):
        label = f"{engine}, {'boxes' if shape == 'box' else 'spheres'}{f', {compliance:g} m/N' if compliance else ''}"
        axis.loglog(*zip(*points), styles[engine, shape], alpha=0.5 if compliance else 1.0, label=label)
    counts = np.array(sorted({r["bodies"] for r in rows}))
    axis.loglog(counts, 1e-3 * counts, "k:", linewidth=1, label="proportional to the number")
    axis.set_xlabel("bodies")
    axis.set_ylabel("CPU time per step, ms")
    usual = max(r["steps"] for r in rows)
    fewer = sorted({(r["bodies"], r["shape"], r["steps"]) for r in rows if r["steps"] < usual})
    exceptions = "".join(f"; {bodies} {shape}: {steps}" for bodies, shape, steps in fewer)
    at_rest = [r["settled"] for r in rows]
    what = "at rest in a container" if all(at_rest) else "dropped into a container" if not any(at_rest) else "some dropped, some at rest"
    axis.set_title(f"{what}, {usual} steps of {TIME_STEP * 1e3:g} ms{exceptions}", fontsize=9)
    axis.grid(alpha=0.3, which="both")
    axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[10, 30, 100, 300, 1000, 3000])
    parser.add_argument("--shapes", nargs="+", choices=("box", "sphere"), default=["box", "sphere"])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--floor", choices=("deep", "wide"), default="deep")
    parser.add_argument("--settle", type=int, nargs=2, default=[0, 0], metavar=("ROUGH", "FINE"))
    parser.add_argument("--compliance", type=float, default=0.0, help="of contacts of ours, m/N; 0 is rigid")
    parser.add_argument("--acceptable-tolerance", type=float, help="of ours; default: that of the simulator, 1e-6")
    parser.add_argument("--max-iterations", type=int, help="of ours; default: that of the simulator")
    parser.add_argument("--csv")
    parser.add_argument("--plot")
    parser.add_argument("--also", nargs="+", default=[], help="rows of earlier runs for the plot and the powers; --counts 0 runs nothing new")
    options = parser.parse_args()
    settings = {"compliance": options.compliance}
    for name in ("acceptable_tolerance", "max_iterations"):
        if getattr(options, name) is not None:
            settings[name] = getattr(options, name)
    accepted = f"{options.acceptable_tolerance or 1e-6:.0e}".replace("e-0", "e-")
    rows = []
    print(f"| shape | bodies | engine | ms/step | contacts | to 1e-9 | to {accepted} | worst ε_nat | deepest, m | at the end, m |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for shape in options.shapes:
        for count in filter(None, options.counts):
            pile = lay_out(shape, count, options.floor)
            for name in options.engines:
                result = run(name, pile, options.steps, options.settle, **settings)
                given = {"shape": shape, "bodies": count, "steps": options.steps, "settled": sum(options.settle)}
                row = {**given, "compliance": options.compliance if name == "stiction" else 0.0, **result}
                rows.append(row)
                counts = [f"{row[k]} of {options.steps}" if row[k] != "" else "–" for k in ("certified", "accepted")]
                worst = f"{row['worst_residual']:.0e}" if row["worst_residual"] != "" else "–"
                print(
                    f"| {shape} | {count} | {name} | {row['ms_per_step']:.3g} | {row['contacts']:.0f} | {' | '.join(counts)} | {worst} "
                    f"| {row['deepest']:.1e} | {row['at_the_end']:.1e} |",
                    flush=True,
                )
    if options.csv and rows:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    for path in options.also:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                whole = {name: int(row.get(name, 0)) for name in ("bodies", "steps", "settled")}
                rows.append({**row, **whole, "compliance": float(row.get("compliance", 0.0)), "ms_per_step": float(row["ms_per_step"])})
    print_powers(rows)
    if options.plot:
        draw(rows, options.plot)


if __name__ == "__main__":
    main()
