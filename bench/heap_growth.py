#!/usr/bin/env python3
"""How time and memory of a step grow with the number of spheres in a heap: a table, and a plot of it.

    heap_growth.py [--program build/release/bench/bench_heaps] [--counts 1000 3000 10000 30000 100000]
                   [--falling 40] [--packed 60] [--threads 1] [--plot docs/images/heap-growth.png]

Two runs of bench_heaps for every number, each in a process of its own: "falling" begins with a lattice above the floor, and
counts the last half of so many steps; "packed" begins with spheres as they lie nearly (--start packed), settling, and counts the last
third; with some 200 steps it is at rest by then. Compliance and tolerance as bench_heaps has them; CPU time. The slope is d log(time)/d log(bodies) between neighbours: 1 is linear.
"""

from __future__ import annotations

import argparse
import csv
import math
import subprocess
import tempfile
from pathlib import Path

NAMES = ("falling", "packed")


def run(program: str, count: int, name: str, options: argparse.Namespace) -> dict:
    steps = options.falling if name == "falling" else options.packed
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "steps.csv"
        command = [program, "--counts", str(count), "--steps", str(steps), "--threads", str(options.threads), "--csv", str(lines)]
        command += ["--start", "poured" if name == "falling" else "packed"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        with open(lines, newline="", encoding="utf-8") as file:
            all_steps = list(csv.DictReader(file))
    seen = all_steps[steps // 2 :] if name == "falling" else all_steps[-(steps // 3) :]
    mean = {key: sum(float(step[key]) for step in seen) / len(seen) for key in ("ms", "contacts", "iterations")}
    eps = [float(step["eps_nat"]) for step in all_steps]
    return {
        "bodies": count,
        "name": name,
        **mean,
        "longest": max(float(step["ms"]) for step in all_steps),
        "solved": sum(e <= 1e-6 for e in eps) / len(eps),
        "worst": max(eps),
        "depth": float(all_steps[-1]["depth"]),
        "memory": float(printed.splitlines()[-1].split("|")[-2]),
    }


def plot(rows: list[dict], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), constrained_layout=True)
    for name, mark in zip(NAMES, ("o-", "s-")):
        mine = [row for row in rows if row["name"] == name]
        left.loglog([row["bodies"] for row in mine], [row["ms"] for row in mine], mark, label=name)
        right.loglog([row["bodies"] for row in mine], [row["memory"] for row in mine], mark, label=name)
    for axes, key, unit in ((left, "ms", "CPU time per step, ms"), (right, "memory", "memory, MB")):
        first = rows[0]
        counts = sorted({row["bodies"] for row in rows})
        axes.loglog(counts, [first[key] * n / first["bodies"] for n in counts], "k:", linewidth=1, label="linear")
        axes.set_xlabel("spheres")
        axes.set_ylabel(unit)
        axes.grid(True, which="both", alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bench/bench_heaps")
    parser.add_argument("--counts", type=int, nargs="+", default=[1000, 3000, 10000, 30000, 100000])
    parser.add_argument("--falling", type=int, default=40, help="steps")
    parser.add_argument("--packed", type=int, default=60, help="steps")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--plot")
    options = parser.parse_args()
    print("| bodies | | contacts | iterations | ms/step | slope | µs per contact | longest, ms | to 1e-6 | worst ε_nat | depth, mm | memory, MB |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows: list[dict] = []
    for name in NAMES:
        last = None
        for count in options.counts:
            row = run(options.program, count, name, options)
            rows.append(row)
            slope = math.log(row["ms"] / last["ms"]) / math.log(count / last["bodies"]) if last else math.nan
            print(
                f"| {count} | {name} | {row['contacts']:.0f} | {row['iterations']:.0f} | {row['ms']:.3g} | {'–' if last is None else f'{slope:.2f}'} "
                f"| {1e3 * row['ms'] / max(1.0, row['contacts']):.2f} | {row['longest']:.0f} | {row['solved']:.1%} | {row['worst']:.0e} "
                f"| {1e3 * row['depth']:.2g} | {row['memory']:.0f} |",
                flush=True,
            )
            last = row
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
