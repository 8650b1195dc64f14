#!/usr/bin/env python3
"""Ours against MuJoCo: kinematics, bias, M, factor and one solve of robots; and the same with J M⁻¹ Jᵀ of foot points.

    tree_dynamics.py [--bench build/release/bench/bench_dynamics] [--rounds 5] [--seconds 0.5]

Needs the PyPI package mujoco-core (headers and library are in it) and a C compiler. Both programs run in turns on the same
models and states (the first sample of tests/data/dynamics), in CPU time; the quickest round of each counts.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/oracles"))
from tree_files import read_mechanism, read_states, to_mjcf  # noqa: E402

FEET = {
    "ur5": ([], 0),
    "solo12": (["FL_KFE", "FR_KFE", "HL_KFE", "HR_KFE"], 1),
    "talos": (["leg_left_6_joint", "leg_right_6_joint"], 4),
}


def compile_peer(folder):
    import mujoco

    home = Path(mujoco.__file__).parent
    library = next(home.glob("libmujoco.so.*"))
    program = folder / "peer"
    subprocess.run(
        ["cc", "-O2", f"-I{home / 'include'}", str(ROOT / "bench/tree_dynamics_mujoco.c"), str(library),
         f"-Wl,-rpath,{home}", "-lm", "-o", str(program)], check=True)
    return program, mujoco.__version__


def peer_command(program, folder, name, seconds):
    source = ROOT / f"tests/data/dynamics/{name}-pinocchio.txt"
    mechanism = read_mechanism(source)
    path = folder / f"{name}.xml"
    path.write_text(to_mjcf(mechanism, read_states(source)[0]), encoding="utf-8")
    joints, per_body = FEET[name]
    bodies = [next(b.name for b in mechanism.bodies if b.joints[0].name == joint) for joint in joints]
    return [str(program), str(path), str(seconds), str(per_body), *bodies]


def ours(bench, seconds):
    out = subprocess.run(
        [str(bench), "--benchmark_filter=^tree(_and_points)?/", f"--benchmark_min_time={seconds / 10}",
         "--benchmark_repetitions=10", "--benchmark_format=json"], check=True, capture_output=True, text=True)
    best = {}
    for run in json.loads(out.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            best[run["run_name"]] = min(best.get(run["run_name"], 1e30), run["cpu_time"])
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=ROOT / "build/release/bench/bench_dynamics")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, version = compile_peer(folder)
        commands = {robot: peer_command(program, folder, robot, args.seconds) for robot in FEET}
        mine, theirs = {}, {}
        for _ in range(args.rounds):
            for key, value in ours(args.bench, args.seconds).items():
                mine[key] = min(value, mine.get(key, 1e30))
            for robot, command in commands.items():
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
                for key, value in zip((f"tree/{robot}", f"tree_and_points/{robot}"), map(float, out)):
                    theirs[key] = min(value, theirs.get(key, 1e30))
    print(f"{'':24} {'stiction':>10} {'MuJoCo ' + version:>14} {'ratio':>7}")
    for key in sorted(mine):
        print(f"{key:24} {mine[key] / 1e3:7.2f} µs {theirs[key] / 1e3:11.2f} µs {mine[key] / theirs[key]:7.2f}")


if __name__ == "__main__":
    main()
