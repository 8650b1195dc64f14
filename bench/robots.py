#!/usr/bin/env python3
"""Loads every robot file below a folder, simulates it, and prints a table with the certificates.

    robots.py FOLDER [--steps N] [--floating]

Each robot stands with its base fixed, under gravity and without control; with --floating it falls onto a plane. Columns:
bodies, degrees of freedom, shapes, time to load (mostly convex hulls), contacts in the last step, certified steps, worst
residual, steps per second of wall time. Inertias are repaired where the file is refused otherwise (marked r).
"""

import argparse
import math
import tempfile
import time
from pathlib import Path

import stiction

GROUND = """<robot name="ground"><link name="ground"><collision><origin xyz="0 0 -50"/>
<geometry><box size="100 100 100"/></geometry></collision></link></robot>"""
HEIGHT = 1.5  # m, of the base above the ground


def load(path, ground):
    parts = [path]
    if ground:
        parts = [(path, dict(base="floating", position=(0, 0, HEIGHT))), (ground, dict(prefix="below_"))]
    try:
        return stiction.load_models(parts).model, ""
    except ValueError as error:
        if "repair_inertia" not in str(error):
            raise
    options = dict(repair_inertia=True, **(parts[0][1] if ground else {}))
    return stiction.load_models([(path, options), *parts[1:]]).model, "r"


def row(path, name, steps, ground):
    start = time.perf_counter()
    try:
        model, mark = load(path, ground)
    except ValueError as error:
        message = str(error)
        return f"{name:60} refused: {message.replace(str(path), '')[:150]}", False
    load_time = time.perf_counter() - start
    simulator = stiction.Simulator(model, dt=1e-3)
    start = time.perf_counter()
    try:
        simulator.step(steps)
    except RuntimeError as error:
        return f"{name + mark:60} stopped: {error}", False
    seconds = time.perf_counter() - start
    finite = all(map(math.isfinite, [*simulator.q, *simulator.v]))
    certified = steps - simulator.num_uncertified_steps
    return (
        f"{name + mark:60} {model.num_bodies:4} {model.num_velocities:4} {len(model.shapes):4} {load_time:7.3f} "
        f"{len(simulator.contacts()):4} {certified:6} {simulator.worst_residual:9.1e} {steps / seconds:9.0f}"
        + ("" if finite else "  NOT FINITE")
    ), finite


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--floating", action="store_true")
    arguments = parser.parse_args()
    print(f"{'robot':60} {'body':>4} {'dof':>4} {'shps':>4} {'load s':>7} {'cont':>4} {'certif':>6} {'residual':>9} {'steps/s':>9}")
    paths, good = sorted(arguments.folder.rglob("*.urdf")), 0
    with tempfile.TemporaryDirectory() as folder:
        ground = Path(folder) / "ground.urdf"
        ground.write_text(GROUND, encoding="utf-8")
        for path in paths:
            name = path.relative_to(arguments.folder).as_posix()
            line, is_good = row(path, name, arguments.steps, ground if arguments.floating else None)
            good += is_good
            print(line, flush=True)
    print(f"{good} of {len(paths)} loaded and ran {arguments.steps} steps with finite states")


if __name__ == "__main__":
    main()
