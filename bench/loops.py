#!/usr/bin/env python3
"""How far the loops of closed chains drift: steps SDF (or other) files and prints the largest error of their loops.

    loops.py FILE... [--seconds S] [--ground]

Free fall, or with --ground over the plane z = 0 (a box), dropped from where the file puts it. Columns: loops, steps, steps not
certified, largest distance between the two points of a loop in the first second and afterwards (m), microseconds per step.
Inertias are repaired where the file is refused otherwise (marked r).
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import stiction

GROUND = """<robot name="ground"><link name="ground"><collision><origin xyz="0 0 -50"/>
<geometry><box size="100 100 100"/></geometry></collision></link></robot>"""
TIME_STEP = 1e-3


def load(path, ground):
    for mark, options in (("", {}), ("r", dict(repair_inertia=True))):
        try:
            return stiction.load_models([(path, options), *([ground] if ground else [])]).model, mark
        except ValueError as error:
            if mark or "repair_inertia" not in str(error):
                raise


def loop_error(simulator):
    largest = 0.0
    for loop in simulator.model.loops:
        if loop.kind == "joint_equality":
            continue
        a, b = (
            pose if body < 0 else simulator.body_pose(body) * pose
            for body, pose in ((loop.body_a, loop.pose_a), (loop.body_b, loop.pose_b))
        )
        largest = max(largest, float(np.linalg.norm(a.position - b.position)))
    return largest


def row(path, seconds, ground):
    model, mark = load(path, ground)
    simulator = stiction.Simulator(model, dt=TIME_STEP)
    early = late = spent = 0.0
    for k in range(round(seconds / TIME_STEP)):
        start = time.perf_counter()
        simulator.step()
        spent += time.perf_counter() - start
        if k < 1000:
            early = max(early, loop_error(simulator))
        else:
            late = max(late, loop_error(simulator))
    steps = simulator.state.step
    return (
        f"{path.name + mark:32} {len(model.loops):5} {steps:6} {simulator.num_uncertified_steps:13} {early:9.1e} {late:9.1e}"
        f" {1e6 * spent / steps:9.1f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--ground", action="store_true")
    arguments = parser.parse_args()
    print(f"{'file':32} {'loops':>5} {'steps':>6} {'not certified':>13} {'first s':>9} {'after':>9} {'us/step':>9}")
    with tempfile.TemporaryDirectory() as folder:
        ground = Path(folder) / "ground.urdf"
        ground.write_text(GROUND, encoding="utf-8")
        for path in arguments.files:
            print(row(path, arguments.seconds, ground if arguments.ground else None), flush=True)


if __name__ == "__main__":
    main()
