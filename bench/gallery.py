#!/usr/bin/env python3
"""The scenes of scenes/gallery beside MuJoCo: which stand, how far they drift, what a step costs.

    .venv/bin/python bench/gallery.py                         everything; some ten minutes
    .venv/bin/python bench/gallery.py --scenes arch --seconds 5 --engines stiction
    bench/results.py gallery --title "The gallery beside MuJoCo" -- .venv/bin/python bench/gallery.py

Each scene runs for a simulated minute at 1 ms and at 5 ms (--seconds for more), ours and MuJoCo from the same MJCF, in turns, one thread,
nothing asleep. Ours runs through the Python package, or with --program through build/release/bench/bench_gallery. Drift: the farthest that a point of any body, up to 5 cm from its origin, goes from where it was when the scene had settled; on
the turntable, as seen from the table. Fallen: a body is farther from where it began than the scene allows; a run ends there.
"""

import argparse
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SCENES_FOLDER = Path(__file__).resolve().parent.parent / "scenes" / "gallery"
ARM = 0.05  # m, of the points that show how bodies turn


@dataclass
class Scene:
    name: str
    fallen: float  # m: farther from its start than this, a body has fallen
    keyframe: str | None = None
    settled: float = 1.0  # s, from when on drift is counted
    seen_from: str | None = None  # a body


SCENES = [
    Scene("house_of_cards", 0.02), Scene("card_pyramid", 0.02),
    Scene("arch_semicircle", 0.05, settled=5.0), Scene("arch_catenary", 0.05, settled=5.0), Scene("arch_flat", 0.05, settled=5.0),
    Scene("kapla", 0.02), Scene("dominoes", 0.01),
    Scene("gripper", 0.05, "hold"), Scene("hand", 0.05, "hold"),
    Scene("turntable", 0.05, "turn", 10.0, "table"),
]


class Stiction:
    def __init__(self, scene, path, time_step):
        import stiction

        self.simulator = stiction.Simulator(stiction.load(path).model, dt=time_step, sleeping=False)
        if scene.keyframe:
            self.simulator.reset(scene.keyframe)
        self.names = [frame.name for frame in self.simulator.model.frames]

    def step(self, count):
        self.simulator.step(count)

    def poses(self):
        poses = [self.simulator.frame_pose(name) for name in self.names]
        return np.array([p.position for p in poses]), np.array([p.rotation for p in poses])


class Mujoco:
    """As it comes, or with the settings that bench/peers has under this name."""

    def __init__(self, scene, path, time_step, settings=None):
        import mujoco

        self.mujoco, self.model = mujoco, mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.timestep = time_step
        if settings:
            sys.path.insert(0, str(Path(__file__).resolve().parent))
            from peers.engine import ENGINES

            for option, value in ENGINES[settings][3].items():
                setattr(self.model.opt, option, value)
        self.data = mujoco.MjData(self.model)
        if scene.keyframe:
            mujoco.mj_resetDataKeyframe(self.model, self.data, self.model.key(scene.keyframe).id)
        self.names = [self.model.body(k).name for k in range(1, self.model.nbody)]

    def step(self, count):
        self.mujoco.mj_step(self.model, self.data, count)

    def poses(self):
        self.mujoco.mj_kinematics(self.model, self.data)
        return self.data.xpos[1:].copy(), self.data.xmat[1:].reshape(-1, 3, 3).copy()


ENGINES = {
    "stiction": Stiction,
    "mujoco": Mujoco,
    "mujoco-guide": lambda *setup: Mujoco(*setup, "mujoco-noslip"),  # what its manual recommends against slip
    "mujoco-discrete": lambda *setup: Mujoco(*setup, "mujoco-discrete"),  # its integrator of 4.0, elliptic, impratio 10
}


@dataclass
class Outcome:
    seconds: float = 0.0  # simulated
    steps: int = 0
    cpu: float = 0.0
    drift: float = 0.0  # m, after it settled
    fell: bool = False
    certified: int | None = None
    worst: float = 0.0  # the judge's largest residual

    def text(self, asked):
        cost = f"{1e3 * self.cpu / max(1, self.steps):.3g} ms"
        if self.fell:
            return f"**fell** at {self.seconds:.1f} s; {cost}"
        rest = "" if self.seconds > asked - 0.06 else f" at {self.seconds:.0f} s, out of time"
        return f"stands{rest}, {self.drift:.1e} m; {cost}"


def points(engine, seen_from):
    """Four points of every body: its origin and one on each of its axes, (n, 4, 3)."""
    position, rotation = engine.poses()
    shown = position[:, None] + np.concatenate([np.zeros((len(position), 1, 3)), ARM * rotation.transpose(0, 2, 1)], axis=1)
    if seen_from:
        k = engine.names.index(seen_from)
        shown = (shown - position[k]) @ rotation[k]
    return shown


def farthest(a, b):
    distance = np.linalg.norm(a - b, axis=-1)
    return float(distance.max()) if np.isfinite(distance).all() else float("inf")


def run_program(program, scene, time_step, seconds):
    """Ours through bench_gallery, which measures as `run` does."""
    command = [program, SCENES_FOLDER / f"{scene.name}.xml", scene.keyframe or "-", time_step, seconds, scene.settled, scene.fallen, scene.seen_from or "-"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{program} ended with {done.returncode}")
    simulated, steps, cpu, drift, fell, certified, worst = done.stdout.split()
    return Outcome(float(simulated), int(steps), float(cpu), float(drift), fell == "1", int(certified), float(worst))


def run(name, scene, time_step, seconds, limit):
    engine = ENGINES[name](scene, SCENES_FOLDER / f"{scene.name}.xml", time_step)
    start, settled, outcome = points(engine, scene.seen_from), None, Outcome()
    chunk = round(0.05 / time_step)
    while outcome.seconds < seconds - time_step / 2 and outcome.cpu < limit:
        begin = time.process_time()
        engine.step(chunk)
        outcome.cpu += time.process_time() - begin
        outcome.steps += chunk
        outcome.seconds = outcome.steps * time_step
        now = points(engine, scene.seen_from)
        if farthest(now[:, 0], start[:, 0]) > scene.fallen:
            outcome.fell = True
            break
        if settled is None and outcome.seconds >= min(scene.settled, seconds / 2) - time_step / 2:
            settled = now
        if settled is not None:
            outcome.drift = max(outcome.drift, farthest(now, settled))
    if name == "stiction":
        outcome.certified = outcome.steps - engine.simulator.num_uncertified_steps
        outcome.worst = engine.simulator.worst_residual
    return outcome


def row(scene, time_step, seconds, outcomes):
    cells = [scene.name, f"{1e3 * time_step:g} ms", f"{seconds:g} s"]
    ours = outcomes.get("stiction")
    if ours:
        drift = f"**fell** at {ours.seconds:.1f} s" if ours.fell else f"{ours.drift:.1e}"
        cells += [f"{ours.certified} of {ours.steps}", f"{ours.worst:.1e}", drift, f"{1e3 * ours.cpu / ours.steps:.3g}"]
    else:
        cells += ["", "", "", ""]
    cells += [outcomes[name].text(seconds) if name in outcomes else "" for name in ENGINES if name != "stiction"]
    return "| " + " | ".join(cells) + " |"


def chosen(parser, what, text, names):
    """The names that begin with what was asked for."""
    if not text:
        return list(names)
    for part in text.split(","):
        if not any(name.startswith(part) for name in names):
            parser.error(f"no {what} begins with '{part}'; there are {', '.join(names)}")
    return [name for name in names if any(name.startswith(part) for part in text.split(","))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", help="comma-separated, or the beginning of names")
    parser.add_argument("--engines", help="comma-separated: " + ", ".join(ENGINES))
    parser.add_argument("--time-steps", default="0.001,0.005", help="s, comma-separated")
    parser.add_argument("--seconds", type=float, default=60.0, help="simulated; default 60")
    parser.add_argument("--program", help="bench_gallery; default: the Python package")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds of one run of MuJoCo; ours always runs to the end")
    arguments = parser.parse_args()
    names = chosen(parser, "scene", arguments.scenes, [scene.name for scene in SCENES])
    engines = arguments.engines.split(",") if arguments.engines else list(ENGINES)
    if unknown := [name for name in engines if name not in ENGINES]:
        parser.error(f"no engine '{unknown[0]}'; there are {', '.join(ENGINES)}")
    try:
        time_steps = [float(text) for text in arguments.time_steps.split(",")]
    except ValueError:
        parser.error(f"--time-steps: '{arguments.time_steps}' is no list of numbers")
    if min(time_steps) <= 0 or max(time_steps) > 0.05 or arguments.seconds <= 0:
        parser.error("time steps are in (0, 0.05], seconds positive")
    if arguments.program and not shutil.which(arguments.program):
        parser.error(f"--program: no program '{arguments.program}'")
    print("| scene | Δt | simulated | certified | worst ε | drift, m | ms/step | MuJoCo | MuJoCo, by its guide | MuJoCo, discrete |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for scene in (scene for scene in SCENES if scene.name in names):
        for time_step in time_steps:
            outcomes = {}
            for name in engines:
                print(f"{scene.name}, {1e3 * time_step:g} ms, {name} …", file=sys.stderr, flush=True)
                if name == "stiction" and arguments.program:
                    outcomes[name] = run_program(arguments.program, scene, time_step, arguments.seconds)
                else:
                    limit = float("inf") if name == "stiction" else arguments.limit
                    outcomes[name] = run(name, scene, time_step, arguments.seconds, limit)
            print(row(scene, time_step, arguments.seconds, outcomes), flush=True)


if __name__ == "__main__":
    main()
