"""What an experiment is, and what it gets from the command: a folder, files, pictures, checks and progress.

A module of this package that holds `EXPERIMENT` is an experiment; its name is found by `python -m stiction.experiments list`.

    def run(run: Run) -> None:
        speeds = simulate(steps=200 if run.quick else 2000)
        run.csv("speeds", ["time", "speed"], speeds)
        with run.figure("speeds") as figure:
            figure.subplots().plot(*zip(*speeds))
        run.check("deviation of ncp-gs, m", deviation, at_most=1e-6, paper="straight")

    EXPERIMENT = Experiment("slide-direction", "A cube slides along its initial direction", "comparative 2023, figure 9", CLAIM, run)
"""

from __future__ import annotations

import csv
import math
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, TextIO, Tuple


@dataclass(frozen=True)
class Experiment:
    """One experiment: where it is from, what is claimed there, and the function that runs it."""

    name: str  #: as the command takes it, "slide-direction"
    title: str  #: one line
    source: str  #: paper and figure, or "beyond the papers"
    claim: str  #: what the paper says, in a sentence or two
    run: Callable[["Run"], None]
    extras: Tuple[str, ...] = ()  #: packages beyond NumPy and matplotlib, by the name they are imported by


@dataclass(frozen=True)
class Check:
    """One line of the verdict: what was measured, what was asked, the paper's figure beside it."""

    what: str
    value: float
    wanted: str
    paper: str
    passed: bool
    timed: bool = False  #: it depends on how fast the machine is, and how busy: no test asserts it


@dataclass
class Run:
    """What a running experiment writes and says."""

    name: str
    folder: Path  #: of this experiment alone; exists
    quick: bool = False  #: the short form that the tests run: seconds, with the same checks where they still make sense
    out: TextIO = field(default_factory=lambda: sys.stdout)
    checks: List[Check] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)
    files: List[Path] = field(default_factory=list)
    has_failed: bool = False  #: it ended with an error
    could_not_run: str = ""  #: why: a package or a file is missing, a folder cannot be written
    not_compared: str = ""  #: why there is no verdict although nothing failed

    @property
    def passed(self) -> bool:
        """It came to its end, every check passed, and there was one."""
        could = not (self.has_failed or self.could_not_run or self.not_compared)
        return could and bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def verdict(self) -> str:
        """PASS, FAIL, or that the claim was not put to the test."""
        if self.not_compared and not self.has_failed and all(check.passed for check in self.checks):
            return f"NOT COMPARED ({self.not_compared})"
        return "PASS" if self.passed else "FAIL"

    def fail(self, why: str) -> None:
        """It cannot go on: not passed, whatever was checked before."""
        self.has_failed = True
        self.note(f"ended early: {why}")

    def check(
        self,
        what: str,
        value: float,
        *,
        at_most: Optional[float] = None,
        at_least: Optional[float] = None,
        near: Optional[Tuple[float, float]] = None,
        paper: str = "",
        timed: bool = False,
    ) -> bool:
        """One figure against what was asked: an upper bound, a lower one, both, or `near=(value, tolerance)`; `timed`: of clocks."""
        if at_most is None and at_least is None and near is None:
            raise ValueError(f"check '{what}' asks for nothing: give at_most, at_least or near")
        passed = math.isfinite(value)
        wanted = []
        if at_least is not None:
            passed = passed and value >= at_least
            wanted.append(f">= {at_least:.4g}")
        if at_most is not None:
            passed = passed and value <= at_most
            wanted.append(f"<= {at_most:.4g}")
        if near is not None:
            passed = passed and abs(value - near[0]) <= near[1]
            wanted.append(f"{near[0]:.6g} ± {near[1]:.2g}")
        self.checks.append(Check(what, float(value), " and ".join(wanted), paper, bool(passed), timed))
        return bool(passed)

    def note(self, text: str) -> None:
        """What a reader of the result should know: a cause, a caveat."""
        self.notes.append(text)

    def csv(self, name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
        """Writes NAME.csv into the folder."""
        path = self.folder / f"{name}.csv"
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)
        self.files.append(path)
        return path

    @contextmanager
    def figure(self, name: str, width: float = 7.0, height: float = 4.2) -> Iterator[Any]:
        """A matplotlib figure that becomes NAME.png in the folder when the block ends."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        path = self.folder / f"{name}.png"
        figure.savefig(path, dpi=120)
        self.files.append(path)

    def progress(self, items: Sequence[Any], label: str = "") -> Iterator[Any]:
        """Iterates over `items`; on a terminal one line says how many are done and how long the rest may take."""
        begin = time.monotonic()
        for done, item in enumerate(items):
            self._say(f"{label or self.name}: {done} of {len(items)}" + _remaining(begin, done, len(items)))
            yield item
        self._say("")

    def _say(self, text: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{text}\033[K")
            sys.stderr.flush()


def _remaining(begin: float, done: int, total: int) -> str:
    if done == 0:
        return ""
    return f", about {(time.monotonic() - begin) / done * (total - done):.0f} s to go"
