"""Runs the scenes and prints, saves and judges what came out."""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import traceback

from .engine import ENGINES, IN_PROCESS, Unsupported, available, make_engine
from .scenes import SCENES, Measured, Run

STAGES = ("kinematics", "collide", "sleep", "free_velocity", "reach", "free_motion", "rows", "warm_start", "islands", "problems", "solve",
          "servos", "judge", "account", "integrate", "remember", "look_ahead", "recheck", "certify", "accept")


def arguments(argv):
    names = [scene.name for scene in SCENES]
    parser = argparse.ArgumentParser(
        description="Ours, MuJoCo and, where installed, Drake, DART and Bullet on the same scenes, one thread, CPU time. Ours "
        "and MuJoCo take turns in one process, and the best of the repeats counts."
    )
    parser.add_argument("--scenes", help="comma-separated, or the beginning of names: " + ", ".join(names))
    parser.add_argument("--engines", help="comma-separated instead of those of the scene: " + ", ".join(ENGINES))
    parser.add_argument("--repeats", type=int, help="of every scene; default: by scene")
    parser.add_argument("--quick", action="store_true", help="shorter runs, for a look; targets of long runs cannot be met")
    parser.add_argument("--limit", type=float, default=120.0, help="CPU seconds for one run; default 120")
    parser.add_argument("--csv", help="write the results to this file")
    parser.add_argument("--write", metavar="FOLDER", help="only write the MJCF of the scenes, for bench_sim and others")
    parser.add_argument("--worker", nargs=2, metavar=("SCENE", "ENGINE"), help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def chosen_scenes(text):
    if not text:
        return SCENES
    wanted = text.split(",")
    chosen = [s for s in SCENES if any(s.name.startswith(w) for w in wanted)]
    for w in wanted:
        if not any(s.name.startswith(w) for s in SCENES):
            sys.exit(f"no scene begins with '{w}'; there are " + ", ".join(s.name for s in SCENES))
    return chosen


def measure_once(scene, setup, engine_name, run) -> Measured:
    return scene.measure(make_engine(engine_name, setup), run)


def measure_apart(scene, engine_name, args) -> Measured | str:
    """In a process of its own: libraries that cannot share one, and crashes, stay there."""
    command = [sys.executable, os.path.join(os.path.dirname(__file__), "..", "peers.py"), "--worker", scene.name, engine_name]
    command += ["--limit", str(args.limit)] + (["--quick"] if args.quick else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * args.limit)
    except subprocess.TimeoutExpired:
        return "no answer"
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            answer = json.loads(line)
            return answer["error"] if "error" in answer else Measured(**answer)
    return f"process ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"


def worker(args):
    scene = next(s for s in SCENES if s.name == args.worker[0])
    run = Run(args.quick, args.limit)
    try:
        result = measure_once(scene, scene.setup(), args.worker[1], run)
        print("\n" + json.dumps(vars(result)))  # a library may have begun a line
    except Unsupported as reason:
        print("\n" + json.dumps({"error": str(reason)}))
    except Exception as error:
        print("\n" + json.dumps({"error": f"{type(error).__name__}: {str(error)[:200]}"}))


def better(new, old):
    if not isinstance(new, Measured):
        return False
    return not isinstance(old, Measured) or new.cpu / new.steps < old.cpu / old.steps


def measure_scene(scene, args) -> dict:
    """By engine: what was measured, or why not."""
    names = args.engines.split(",") if args.engines else scene.variants
    results = {}
    for name in names:
        if name not in ENGINES:
            sys.exit(f"no engine '{name}'; there are " + ", ".join(ENGINES))
        if not available(name):
            results[name] = f"{ENGINES[name][2]} is not installed"
    run = Run(args.quick, args.limit)
    repeats = args.repeats or (1 if args.quick else scene.repeats)
    try:
        setup = scene.setup()
    except ImportError as missing:
        return {name: f"the robot needs {missing.name} (bench/requirements.txt)" for name in names}
    for _ in range(repeats):
        for name in names:
            if isinstance(results.get(name), str):
                continue
            try:
                if name in IN_PROCESS:
                    new = measure_once(scene, setup, name, run)
                else:
                    new = measure_apart(scene, name, args)
            except Exception as error:
                traceback.print_exc()
                new = f"{type(error).__name__}: {str(error)[:200]}"
            if better(new, results.get(name)) or not isinstance(results.get(name), Measured):
                results[name] = new
    return {name: results[name] for name in names}


def print_scene(scene, results):
    baseline = results.get(scene.baseline)
    against = "" if scene.baseline == "mujoco" else f" (× against {scene.baseline})"
    print(f"\n{scene.title}{against}")
    print(f"  {'engine':16s} {'steps/s':>10s} {'× MuJoCo':>9s} {'us/step':>10s} {'contacts':>8s} {'judge':>8s}  result")
    for name, measured in results.items():
        if not isinstance(measured, Measured):
            print(f"  {name:16s} {measured}")
            continue
        ratio = f"{measured.rate / baseline.rate:9.2f}" if isinstance(baseline, Measured) else 9 * " "
        judge = f"{measured.worst_residual:8.1e}" if measured.worst_residual is not None else 8 * " "
        note = f"  ({measured.uncertified} steps not certified)" if measured.uncertified else ""
        print(
            f"  {name:16s} {measured.rate:10.0f} {ratio} {1e6 / measured.rate:10.2f} {measured.contacts:8.2f} {judge}  "
            f"{measured.text}{note}"
        )
        if measured.stages:
            print("  " + 16 * " " + " us: " + "  ".join(f"{s} {measured.stages[s]:.2f}" for s in STAGES if s in measured.stages))


def judge_scene(scene, results):
    """(target, measured, reached) of every target."""
    ours, baseline = results.get("stiction"), results.get(scene.baseline)
    if not isinstance(ours, Measured):
        return [(t.text, str(ours or "not run"), False) for t in scene.targets]
    out = []
    for target in scene.targets:
        value, reached = target.check(ours, baseline if isinstance(baseline, Measured) else None)
        out.append((target.text, value, reached))
    if ours.uncertified:
        out.append(("every step certified", f"{ours.uncertified} of {ours.steps} are not", False))
    return out


def print_targets(verdicts, indent="  "):
    for target, value, reached in verdicts:
        print(f"{indent}{'reached    ' if reached else 'NOT REACHED'}  {target}: {value}")


def write_csv(path, all_results):
    names = ["scene", "engine", "baseline", "steps", "cpu_seconds", "steps_per_second", "ratio_to_baseline", "contacts", "worst_residual",
             "uncertified_steps", "result", "targets"] + [f"us_{s}" for s in STAGES]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for scene, results in all_results:
            baseline = results.get(scene.baseline)
            verdicts = judge_scene(scene, results)
            for name, m in results.items():
                if not isinstance(m, Measured):
                    writer.writerow([scene.name, name, scene.baseline, "", "", "", "", "", "", "", m, ""] + ["" for _ in STAGES])
                    continue
                ratio = f"{m.rate / baseline.rate:.4g}" if isinstance(baseline, Measured) else ""
                told = ""
                if name == "stiction":
                    told = "; ".join(f"{'reached' if ok else 'NOT REACHED'}: {t} ({v})" for t, v, ok in verdicts)
                writer.writerow(
                    [scene.name, name, scene.baseline, m.steps, f"{m.cpu:.6g}", f"{m.rate:.6g}", ratio, f"{m.contacts:.4g}",
                     "" if m.worst_residual is None else f"{m.worst_residual:.3e}",
                     "" if m.uncertified is None else m.uncertified, m.text, told]
                    + [f"{m.stages[s]:.4g}" if s in m.stages else "" for s in STAGES]
                )


def write_mjcf(scenes, folder):
    os.makedirs(folder, exist_ok=True)
    for scene in scenes:
        path = os.path.join(folder, scene.name + ".xml")
        try:
            text = scene.setup().mjcf
        except ImportError as missing:
            print(f"{scene.name}: the robot needs {missing.name} (bench/requirements.txt)")
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(path)


def main(argv=None) -> int:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    args = arguments(argv)
    if args.worker:
        worker(args)
        return 0
    if args.write:
        write_mjcf(chosen_scenes(args.scenes), args.write)
        return 0
    all_results = []
    for scene in chosen_scenes(args.scenes):
        results = measure_scene(scene, args)
        all_results.append((scene, results))
        print_scene(scene, results)
        print_targets(judge_scene(scene, results))
        sys.stdout.flush()
        if args.csv:
            write_csv(args.csv, all_results)
    missed = [(s, v) for s, r in all_results for v in judge_scene(s, r) if not v[2]]
    print(f"\n{len(missed)} targets NOT REACHED" if missed else "\nevery target reached")
    for scene, verdict in missed:
        print_targets([verdict], f"  {scene.name:12s} ")
    return 0
