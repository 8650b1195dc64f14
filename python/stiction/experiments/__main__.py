"""`python -m stiction.experiments NAME…|all|list`: runs experiments, writes their files and prints PASS or FAIL."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
import traceback
from pathlib import Path
from typing import List, Optional

from .experiment import Experiment, Run
from .registry import experiments, find

EXIT_FAIL = 1  # an experiment is not reproduced
EXIT_USAGE = 2  # unknown names; an experiment that could not run: missing packages or files, folders that cannot be written


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="stiction experiment",
        description="Runs the papers' experiments: each writes CSV and PNG files and prints PASS or FAIL beside the paper's figure.",
        epilog="examples:\n  stiction experiment list\n  stiction experiment slide-direction\n"
        "  stiction experiment all --quick --output build/experiments",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="+", metavar="NAME", help="experiments, or 'all', or 'list'")
    parser.add_argument("--quick", action="store_true", help="the short form: seconds each, the same checks")
    parser.add_argument("--output", "-o", type=Path, default=Path("experiments"), help="folder for the files (default: experiments)")
    options = parser.parse_args(arguments)
    if options.names == ["list"]:
        _list()
        return 0
    try:
        chosen = list(experiments().values()) if options.names == ["all"] else [find(name) for name in options.names]
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    runs = []
    for experiment in chosen:
        run = Run(experiment.name, options.output / experiment.name, options.quick)
        _run(experiment, run)
        runs.append(run)
    if len(runs) > 1:
        _summary(runs)
    if any(run.could_not_run for run in runs):
        return EXIT_USAGE
    return 0 if all(run.passed for run in runs) else EXIT_FAIL


def _list() -> None:
    for experiment in experiments().values():
        print(f"{experiment.name:20s} {experiment.title} ({experiment.source})")


def _missing(experiment: Experiment) -> List[str]:
    return sorted(name for name in {"matplotlib", *experiment.extras} if importlib.util.find_spec(name) is None)


def _summary(runs: List[Run]) -> None:
    failed = [run.name for run in runs if run.verdict == "FAIL"]
    print(f"{sum(run.passed for run in runs)} of {len(runs)} reproduced" + (f"; FAIL: {', '.join(failed)}" if failed else ""))
    for run in runs:
        if run.verdict not in ("PASS", "FAIL"):
            print(f"  {run.name}: {run.verdict}")
        if run.could_not_run:
            print(f"  {run.name} did not run: {run.could_not_run}")
        elif run.has_failed:
            print(f"  {run.name} {run.notes[-1]}")


def _run(experiment: Experiment, run: Run) -> None:
    """Whatever goes wrong is told and is this experiment's alone: the others still run."""
    print(f"{experiment.name}: {experiment.title} ({experiment.source})", flush=True)
    print(f"  claimed: {experiment.claim}", flush=True)
    begin = time.monotonic()
    missing = _missing(experiment)
    try:
        if missing:
            raise ModuleNotFoundError(f"{', '.join(missing)} missing; install the extra: pip install 'stiction[experiments]'")
        run.folder.mkdir(parents=True, exist_ok=True)
        experiment.run(run)
    except BrokenPipeError:
        raise
    except (OSError, ImportError) as error:  # a folder that cannot be written, files or packages that are not there
        run.could_not_run = _reason(error)
        print(f"error: {run.name}: {run.could_not_run}", file=sys.stderr)
    except Exception as error:  # what was checked before is shown
        traceback.print_exc()
        run.fail(f"{type(error).__name__}: {error}")
    for check in run.checks:
        paper = f"  (paper: {check.paper})" if check.paper else ""
        print(f"  {'pass' if check.passed else 'FAIL'}  {check.what}: {check.value:.4g}, wanted {check.wanted}{paper}")
    for note in run.notes:
        print(f"  note: {note}")
    for path in run.files:
        print(f"  wrote {path}")
    print(f"  {run.verdict} in {time.monotonic() - begin:.1f} s", flush=True)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror or error}"
    return str(error)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_USAGE)
