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
EXIT_USAGE = 2  # unknown names, missing packages, folders that cannot be written


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
    missing = _missing(chosen)
    if missing:
        print(f"error: {', '.join(sorted(missing))} missing; install the extra: pip install 'stiction[experiments]'", file=sys.stderr)
        return EXIT_USAGE
    verdicts = {}
    for experiment in chosen:
        folder = options.output / experiment.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            verdicts[experiment.name] = _run(experiment, Run(experiment.name, folder, options.quick))
        except BrokenPipeError:
            raise
        except OSError as error:
            print(f"error: {error.filename or folder}: {error.strerror or error}", file=sys.stderr)
            return EXIT_USAGE
    if len(verdicts) > 1:
        failed = [name for name, passed in verdicts.items() if not passed]
        print(f"{len(verdicts) - len(failed)} of {len(verdicts)} reproduced" + (f"; FAIL: {', '.join(failed)}" if failed else ""))
    return 0 if all(verdicts.values()) else EXIT_FAIL


def _list() -> None:
    for experiment in experiments().values():
        print(f"{experiment.name:20s} {experiment.title} ({experiment.source})")


def _missing(chosen: List[Experiment]) -> set:
    wanted = {"matplotlib"} | {extra for experiment in chosen for extra in experiment.extras}
    return {name for name in wanted if importlib.util.find_spec(name) is None}


def _run(experiment: Experiment, run: Run) -> bool:
    print(f"{experiment.name}: {experiment.title} ({experiment.source})")
    print(f"  claimed: {experiment.claim}")
    begin = time.monotonic()
    try:
        experiment.run(run)
    except OSError:
        raise
    except Exception as error:  # the others still run; what was checked before is shown
        traceback.print_exc()
        run.fail(f"{type(error).__name__}: {error}")
    for check in run.checks:
        paper = f"  (paper: {check.paper})" if check.paper else ""
        print(f"  {'pass' if check.passed else 'FAIL'}  {check.what}: {check.value:.4g}, wanted {check.wanted}{paper}")
    for note in run.notes:
        print(f"  note: {note}")
    for path in run.files:
        print(f"  wrote {path}")
    print(f"  {'PASS' if run.passed else 'FAIL'} in {time.monotonic() - begin:.1f} s")
    return run.passed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_USAGE)
