"""FCLIB problems: Stiction, Siconos and Pinocchio's ADMM in one run, judged by one judge.

    python bench/fclib.py [FOLDER] [--out FOLDER] [--targets 1e-6 1e-8] [--solvers auto ncp-admm ...] [--repeats 5]
                          [--budget SECONDS] [--only TEXT] [--siconos-python PATH] [--fresh] [--no-factorisations]

For every problem of the folder (scenes/fclib by default) and every target, each contestant looks for the setting with
which it is fastest to eps_rel <= target (its own tolerance from ten times looser to a thousand times tighter, the
smallest iteration limit that suffices); then all of them take turns, `repeats` times, and the smallest CPU time counts.
Residuals are recomputed by the judge from the impulses alone. Only the solve is timed, on one thread, from a cold start.
A peer that factors the symmetric part of a non-symmetric W is judged by the symmetric part where that is kinder.

Writes to --out (build/bench by default):
  fclib.csv             one line per problem, target and contestant
  fclib-summary.csv     per problem and target: ours, the best peer, the ratio
  fclib-profile.png     performance profiles (Dolan and More)
  factorisations.csv    ncp-admm: factorisations by penalty rule, linear (tau) against spectral (p_step)
A library that is not installed is named, not hidden. See bench/README.md.
"""

import argparse
import collections
import csv
import pathlib
import sys

from contestants import Contestant, StoredProblem, open_libraries, work_folder
from factorisations import factorisation_table
from performance_profile import draw_profiles

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = ["problem", "contacts", "target", "contestant", "reached", "milliseconds", "eps_rel", "eps_rel_symmetric",
           "iterations", "factorisations", "claims", "own_tolerance", "max_iterations", "failure"]  # fmt: skip

NOBODY = "none reaches it"


def solves_per_measurement(seconds):
    """Short solves are repeated inside one measurement: the clock's grain must not show, nor that the caches are cold."""
    return 1 if seconds > 1e-3 else int(min(1000, max(20, 2e-3 / max(seconds, 1e-7))))


def compare_on(stored, target, contestants, repeats, missed):
    """The best result of each contestant, measured in turns. `missed` remembers who failed at a looser target."""
    results = {}
    for contestant in contestants:
        if contestant.name in missed:
            result = {"failure": "not tried: missed a looser target"}
        else:
            result = contestant.find_setting(stored, target)
        result["reached"] = contestant.reached(result, target)
        results[contestant.name] = result
        if not result["reached"] and not contestant.ours:
            missed.add(contestant.name)
    for turn in range(repeats):
        for contestant in contestants:
            best = results[contestant.name]
            # Slow ones get fewer turns: the budget bounds what they spend on them.
            if not best["reached"] or turn * best["seconds"] > contestant.budget:
                continue
            solves = solves_per_measurement(best["seconds"])
            again = contestant.run(stored, best["tolerance"], best["max_iterations"], solves)
            if contestant.reached(again, target):
                best["seconds"] = min(best["seconds"], again["seconds"])
    return results


def as_row(stored, target, name, result):
    row = dict(problem=stored.name, contacts=stored.problem.num_constraints, target=f"{target:g}", contestant=name)
    row.update(reached=int(result["reached"]), failure=result.get("failure", ""))
    if "failure" not in result:
        row.update(
            milliseconds=f"{1e3 * result['seconds']:.5g}",
            eps_rel=f"{result['eps']:.2e}",
            eps_rel_symmetric=f"{result['eps_symmetric']:.2e}",
            iterations=result["iterations"],
            factorisations=result["factorisations"] if result["factorisations"] >= 0 else "",
            claims=int(result["claims"]),
            own_tolerance=f"{result['tolerance']:g}",
            max_iterations=result["max_iterations"],
        )
    return row


def summarise(stored, target, results, contestants):
    """Ours (the first solver named) against the fastest peer that reached the target."""
    ours = next(c for c in contestants if c.ours)
    mine = results[ours.name]
    peers = [(results[c.name]["seconds"], c.name) for c in contestants if not c.ours and results[c.name]["reached"]]
    summary = dict(problem=stored.name, contacts=stored.problem.num_constraints, target=target, ours=ours.name)
    seconds_ours, eps = mine.get("seconds", float("nan")), mine.get("eps", float("inf"))
    summary.update(ours_reached=mine["reached"], ours_ms=1e3 * seconds_ours, ours_eps_rel=eps)
    if peers:
        seconds, name = min(peers)
        summary.update(best_peer=name, peer_ms=1e3 * seconds, ratio=seconds_ours / seconds)
    else:
        summary.update(best_peer=NOBODY, peer_ms=float("nan"), ratio=0.0)
    return summary


def print_summary(summaries, targets):
    """Markdown, as it stands in bench/results/fclib.md."""
    for target in sorted(targets, reverse=True):
        chosen = [s for s in summaries if s["target"] == target]
        print(f"\n### ε_rel ≤ {target:g}\n")
        print("| problem | contacts | ours, ms | ε_rel | best peer, ms | ratio | best peer |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
        for s in chosen:
            mine = f"{s['ours_ms']:.4f}" if s["ours_reached"] else "**failed**"
            peer = f"{s['peer_ms']:.4f}" if s["ratio"] else "–"
            ratio = f"{s['ratio']:.3f}" if s["ours_reached"] and s["ratio"] else "–"
            print(f"| {s['problem']} | {s['contacts']} | {mine} | {s['ours_eps_rel']:.0e} | {peer} | {ratio} | {s['best_peer']} |")
        reached = [s for s in chosen if s["ours_reached"]]
        half = [s for s in reached if s["ratio"] <= 0.5]
        alone = [s for s in reached if s["best_peer"] == NOBODY]
        print(f"\nours reaches it on {len(reached)} of {len(chosen)}, in {sum(s['ours_ms'] for s in reached):.2f} ms together; "
              f"ours ≤ ½ of best peer on {len(half)} of {len(chosen)} ({len(alone)} of them reached by no peer)")  # fmt: skip


def print_contestants(rows, targets):
    """How many problems each contestant brings to each target."""
    print("\n| contestant | " + " | ".join(f"solved at {t:g}" for t in targets) + " |")
    print("| --- |" + " ---: |" * len(targets))
    for name in dict.fromkeys(row["contestant"] for row in rows):
        counts = [sum(r["reached"] for r in rows if r["contestant"] == name and r["target"] == f"{t:g}") for t in targets]
        print(f"| {name} | " + " | ".join(map(str, counts)) + " |")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=ROOT / "scenes" / "fclib", type=pathlib.Path)
    parser.add_argument("--out", default=ROOT / "build" / "bench", type=pathlib.Path)
    parser.add_argument("--targets", nargs="+", type=float, default=[1e-6, 1e-8])
    parser.add_argument("--solvers", nargs="+", default=["auto", "ncp-admm"], help="ours; the first is compared with the peers")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--budget", type=float, default=1.0, help="CPU seconds for one solve of a peer")
    parser.add_argument("--only", default="", help="problems whose name contains this")
    parser.add_argument("--siconos-python", default="/usr/bin/python3", help="the Python that has siconos")
    parser.add_argument("--fresh", action="store_true", help="time the first call of new solver objects")
    parser.add_argument("--no-factorisations", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    paths = sorted(p for p in arguments.folder.glob("*.hdf5") if arguments.only in p.stem)
    if not paths:
        sys.exit(f"no FCLIB files in {arguments.folder}")
    libraries, missing = open_libraries(arguments.siconos_python, arguments.fresh)
    for library in libraries:
        print(f"{library.name} {library.version}: {' '.join(library.solvers)}")
    for text in missing:
        print(f"MISSING, not compared: {text}")
    contestants = [
        Contestant(library, solver, arguments.budget)
        for library in libraries
        for solver in (arguments.solvers if library.name == "stiction" else library.solvers)
    ]
    if not any(c.ours for c in contestants):
        sys.exit("stiction is not installed in this environment")

    arguments.out.mkdir(parents=True, exist_ok=True)
    summaries, rows, times = [], [], collections.defaultdict(lambda: collections.defaultdict(dict))
    with work_folder() as folder, open(arguments.out / "fclib.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for path in paths:
            stored = StoredProblem(path, pathlib.Path(folder))
            for library in libraries:
                library.ask(stored.load_request, 60.0)
            missed = set()
            for target in sorted(arguments.targets, reverse=True):
                results = compare_on(stored, target, contestants, arguments.repeats, missed)
                for name, result in results.items():
                    rows.append(as_row(stored, target, name, result))
                    writer.writerow(rows[-1])
                    times[target][name][stored.name] = result["seconds"] if result["reached"] else float("inf")
                summaries.append(summarise(stored, target, results, contestants))
                file.flush()
            print(f"{stored.name}: done", flush=True)
    for library in libraries:
        library.close()

    with open(arguments.out / "fclib-summary.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(summaries[0]), restval="")
        writer.writeheader()
        writer.writerows(summaries)
    print_summary(summaries, arguments.targets)
    print_contestants(rows, arguments.targets)
    for text in missing:
        print(f"MISSING, not compared: {text}")
    draw_profiles(times, arguments.out / "fclib-profile.png")
    if not arguments.no_factorisations:
        factorisation_table(paths, arguments.out / "factorisations.csv")


if __name__ == "__main__":
    main()
