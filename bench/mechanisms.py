#!/usr/bin/env python3
"""Mechanisms beside MuJoCo: dry friction in many joints, redundant loops, jams, starts in deep overlap, robots of other packages.

    mechanisms.py [--scenes NAME,...] [--installed] [--repeats N] [--write FOLDER] [--program BENCH_SIM] [--stages]

Ours and MuJoCo read the same MJCF (peers/mechanisms.py; with --installed also Gymnasium's files and robots of example-robot-data,
peers/installed.py) and take turns; CPU time of the stepping calls, the best of the repeats. MuJoCo steps as the file says, but where that is
RK4 by its Euler rule: RK4 does each step four times. Ours runs through the Python package, or with --program through
build/release/bench/bench_sim. Columns: steps per second of both, their ratio (above 1: ours is quicker), the share of our steps that is
certified, and the worst residual of the judge. --stages (with --program): where the time of the slower ones goes.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before any engine is loaded

from peers.mechanisms import SCENES  # noqa: E402  (the package beside this file)


INSTALLED_STEPS = 2000


class Package:
    """Ours through Python."""

    def __init__(self, path, steps):
        import stiction

        self.model, self.steps, self.make = stiction.load(path).model, steps, stiction.Simulator
        self.keyframe = self.model.find_keyframe("start") if has_start(path) else None
        self.stages = ""

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

    def __init__(self, path, steps, program):
        self.steps, self.stages = steps, ""
        self.command = [program, path, "--steps", str(steps), "--repeat", "3"]  # the best: MuJoCo runs in a warm process, too
        if has_start(path):
            self.command += ["--keyframe", "start"]

    def run(self):
        out = subprocess.run(self.command, check=True, capture_output=True, text=True).stdout
        rate = float(re.search(r"([\d.]+) us/step", out)[1])
        residual, failed = re.search(r"worst residual (\S+)  not certified (\d+)", out).groups()
        stages = [(float(t), name) for name, t in re.findall(r"^  (\S+) +([\d.]+) us$", out, re.M)]
        told = ", ".join(f"{name} {t:.2f}" for t, name in sorted(stages, reverse=True)[:5])
        self.stages = f"{told} us of {rate:.2f}; " + re.search(r"contacts .*", out)[0]
        return 1e-6 * rate * self.steps, int(failed), float(residual)


class Mujoco:
    def __init__(self, path, steps):
        import mujoco

        self.mujoco, self.model, self.steps = mujoco, mujoco.MjModel.from_xml_path(str(path)), steps
        if self.model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
            self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER

    def run(self):
        data = self.mujoco.MjData(self.model)
        if self.model.nkey:
            self.mujoco.mj_resetDataKeyframe(self.model, data, 0)
        start = time.process_time()
        self.mujoco.mj_step(self.model, data, self.steps)
        return time.process_time() - start


def has_start(path):
    return 'key name="start"' in Path(path).read_text(encoding="utf-8")


def write_scenes(folder, installed):
    """{name: (file, steps)}"""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, (make, steps) in SCENES.items():
        files[name] = (folder / f"{name}.xml", steps)
        files[name][0].write_text(make(), encoding="utf-8")
    if installed:
        from peers import installed as others

        robots = {**others.gymnasium(), **others.robots(folder / "robots")}
        files.update({name: (path, INSTALLED_STEPS) for name, path in robots.items()})
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", help="names or beginnings of names, separated by commas; all by default")
    parser.add_argument("--installed", action="store_true", help="and the robots of gymnasium and example-robot-data")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", type=Path, help="write the scenes as MJCF into this folder, and do no more")
    parser.add_argument("--program", help="bench_sim, in place of the Python package")
    parser.add_argument("--stages", action="store_true", help="with --program: the stages of those that are slower")
    arguments = parser.parse_args()
    if arguments.stages and not arguments.program:
        parser.error("--stages needs --program")
    if arguments.write:
        write_scenes(arguments.write, arguments.installed)
        return
    with tempfile.TemporaryDirectory() as folder:
        files = write_scenes(Path(folder), arguments.installed)
        wanted = arguments.scenes.split(",") if arguments.scenes else [""]
        chosen = {name: files[name] for name in files if any(name.startswith(w) for w in wanted)}
        if not chosen:
            parser.error(f"--scenes {arguments.scenes}: there is none; there are {', '.join(files)}")
        compare(chosen, arguments)


def compare(files, arguments):
    print(f"{'scene':28} {'ours /s':>9} {'MuJoCo /s':>10} {'ratio':>6} {'certified':>10} {'residual':>9}")
    ratios, slower = [], {}
    for name, (path, steps) in files.items():
        try:
            ours = Program(path, steps, arguments.program) if arguments.program else Package(path, steps)
            theirs = Mujoco(path, steps)
            results, others = [], []
            for _ in range(arguments.repeats):
                results.append(ours.run())
                others.append(theirs.run())
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{name:28} {getattr(error, 'stderr', None) or error}".rstrip(), flush=True)
            continue
        best, other = min(r[0] for r in results), min(others)
        _, failed, residual = results[0]
        ratios.append(other / best)
        if best > other:
            slower[name] = ours.stages
        print(
            f"{name:28} {steps / best:9.0f} {steps / other:10.0f} {other / best:6.2f} "
            f"{100.0 * (steps - failed) / steps:9.2f}% {residual:9.1e}{'  slower' if best > other else ''}",
            flush=True,
        )
    print(f"\nmedian of {len(ratios)} ratios: {statistics.median(ratios):.2f}; slower: {', '.join(slower) or 'none'}")
    if arguments.stages:
        for name, stages in slower.items():
            print(f"{name:28} {stages}")


if __name__ == "__main__":
    main()
