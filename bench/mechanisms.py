#!/usr/bin/env python3
"""Mechanisms beside MuJoCo: dry friction in many joints, redundant loops, jams, starts in deep overlap.

    mechanisms.py [--scenes NAME,...] [--repeats N] [--write FOLDER] [--program BENCH_SIM]

Ours and MuJoCo read the same MJCF (peers/mechanisms.py) and take turns; CPU time of the stepping calls, the best of the repeats. Ours runs
through the Python package, or with --program through build/release/bench/bench_sim. Columns: steps per second of both, their ratio
(above 1: ours is quicker), the share of our steps that is certified, and the worst residual of the judge.
"""

import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before any engine is loaded

from peers.mechanisms import SCENES  # noqa: E402  (the package beside this file)


class Package:
    """Ours through Python."""

    def __init__(self, text, steps):
        import stiction

        self.model, self.steps, self.make = stiction.load_mjcf_string(text).model, steps, stiction.Simulator
        self.keyframe = self.model.find_keyframe("start") if 'key name="start"' in text else None

    def run(self):
        simulator = self.make(self.model)
        if self.keyframe is not None:
            simulator.reset(self.keyframe)
        start = time.process_time()
        simulator.step(self.steps)
        seconds = time.process_time() - start
        return seconds, simulator.num_uncertified_steps, simulator.worst_residual


class Program:
    """Ours through bench_sim."""

    def __init__(self, text, steps, program, folder):
        self.steps, path = steps, Path(folder) / "scene.xml"
        path.write_text(text, encoding="utf-8")
        self.command = [program, path, "--steps", str(steps), "--repeat", "1"]
        if 'key name="start"' in text:
            self.command += ["--keyframe", "start"]

    def run(self):
        out = subprocess.run(self.command, check=True, capture_output=True, text=True).stdout
        rate = float(re.search(r"([\d.]+) us/step", out)[1])
        residual, failed = re.search(r"worst residual (\S+)  not certified (\d+)", out).groups()
        return 1e-6 * rate * self.steps, int(failed), float(residual)


class Mujoco:
    def __init__(self, text, steps):
        import mujoco

        self.mujoco, self.model, self.steps = mujoco, mujoco.MjModel.from_xml_string(text), steps

    def run(self):
        data = self.mujoco.MjData(self.model)
        if self.model.nkey:
            self.mujoco.mj_resetDataKeyframe(self.model, data, 0)
        start = time.process_time()
        self.mujoco.mj_step(self.model, data, self.steps)
        return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", help="names or beginnings of names, separated by commas; all by default")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", type=Path, help="write the scenes as MJCF into this folder, and do no more")
    parser.add_argument("--program", help="bench_sim, in place of the Python package")
    arguments = parser.parse_args()
    wanted = arguments.scenes.split(",") if arguments.scenes else [""]
    scenes = {name: scene for name, scene in SCENES.items() if any(name.startswith(w) for w in wanted)}
    if not scenes:
        parser.error(f"--scenes {arguments.scenes}: there is none; there are {', '.join(SCENES)}")
    if arguments.write:
        arguments.write.mkdir(parents=True, exist_ok=True)
        for name, (make, _) in scenes.items():
            (arguments.write / f"{name}.xml").write_text(make(), encoding="utf-8")
        return
    print(f"{'scene':16} {'ours /s':>9} {'MuJoCo /s':>10} {'ratio':>6} {'certified':>10} {'residual':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, steps) in scenes.items():
            text = make()
            ours = Program(text, steps, arguments.program, folder) if arguments.program else Package(text, steps)
            theirs = Mujoco(text, steps)
            results, others = [], []
            for _ in range(arguments.repeats):
                results.append(ours.run())
                others.append(theirs.run())
            best, other = min(r[0] for r in results), min(others)
            _, failed, residual = results[0]
            print(
                f"{name:16} {steps / best:9.0f} {steps / other:10.0f} {other / best:6.2f} "
                f"{100.0 * (steps - failed) / steps:9.2f}% {residual:9.1e}{'  slower' if best > other else ''}",
                flush=True,
            )


if __name__ == "__main__":
    main()
