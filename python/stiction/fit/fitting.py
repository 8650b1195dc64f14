"""The fit: parameters of a model, residuals of a model, and what comes out with its confidence.

    residuals = RolloutResiduals(trajectories, piece_rows=20)
    result = fit(model, [Friction(["board", "cube"]), Restitution("cube")], residuals)
    print(result)                # values, 95 % intervals, what has no effect, what trades off
    result.model                 # with the fitted values
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._progress import Progress, teller
from .._stiction import Model
from .confidence import Confidence, confidence
from .flight import STANDARD_GRAVITY, suspected_units
from .minimise import cma_es, nelder_mead
from .parameters import Parameter, apply, bounds, check_names, labels, pack, unpack
from .trajectories import Array

#: Residuals of a model, any number of them, always as many.
Residuals = Callable[[Model], Array]
#: Or one number that shall be small.
Objective = Callable[[Model], float]
Run = Callable[[Sequence[Array]], List[Any]]

METHODS = ("least_squares", "nelder_mead", "cma_es")


@dataclass(frozen=True)
class FitResult:
    """What a fit found."""

    model: Model  #: with the fitted values
    parameters: List[Parameter]
    values: Dict[str, Union[float, List[float]]]  #: by name of the parameter, frozen ones too
    z: Array  #: the optimiser's coordinates of the free ones
    cost: float  #: ½ |r|², or the objective
    runs: int  #: models that were tried
    converged: bool
    method: str
    confidence: Optional[Confidence]  #: None where there was an objective and no residuals
    warnings: List[str]
    history: List[float]  #: cost by iteration or run

    def interval(self, label: str) -> Tuple[float, float]:
        """The 95 % interval of an entry: "friction", "com of cube.z"."""
        if self.confidence is None:
            raise ValueError("a fit of an objective has no intervals; fit residuals")
        return self.confidence.interval(label)

    def rows(self) -> List[Tuple[str, float, float, float, str]]:
        """For tables: label, value, lower and upper end of the interval (NaN where there is none), remark."""
        found = []
        for p in self.parameters:
            value = np.atleast_1d(self.values[p.name])
            for label, x in zip(p.labels, value):
                if p.frozen or self.confidence is None:
                    found.append((label, float(x), np.nan, np.nan, "frozen" if p.frozen else ""))
                    continue
                remark = "without effect" if label in self.confidence.without_effect else ""
                if label in self.confidence.at_bounds:
                    remark = "at its bound"
                found.append((label, float(x), *self.confidence.interval(label), remark))
        return found

    def __str__(self) -> str:
        lines = [f"{self.method}: cost {self.cost:.6g} after {self.runs} runs{'' if self.converged else ', not converged'}"]
        for label, value, lower, upper, remark in self.rows():
            span = f"  [{lower:.6g}, {upper:.6g}]" if np.isfinite(lower) and np.isfinite(upper) else ""
            lines.append(f"  {label:28s} {value:.6g}{span}{'  ' + remark if remark else ''}")
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Values, intervals and warnings as JSON."""
        rows = [
            dict(name=a, value=b, lower=None if np.isnan(c) else c, upper=None if np.isnan(d) else d, remark=e)
            for a, b, c, d, e in self.rows()
        ]
        text = dict(method=self.method, cost=self.cost, runs=self.runs, converged=self.converged, parameters=rows, warnings=self.warnings)
        Path(path).write_text(json.dumps(text, indent=2) + "\n")
        return Path(path)


def fit(
    model: Model,
    parameters: Sequence[Parameter],
    residuals: Union[Residuals, None] = None,
    *,
    objective: Optional[Objective] = None,
    method: str = "least_squares",
    max_runs: int = 300,
    seed: int = 0,
    step: float = 0.1,
    tolerance: float = 1e-10,
    difference: float = 1e-5,
    processes: int = 1,
    progress: Progress = False,
) -> FitResult:
    """Fits the free parameters so that |residuals(model)|² is least, or `objective(model)`.

    "least_squares" is `scipy.optimize.least_squares` within the bounds, with central differences of `difference` of the range
    (or of 1, for logarithms). "nelder_mead" and "cma_es" need no derivatives and begin with steps of `step` of the range; the
    latter draws from `seed`. `tolerance` is relative, of cost and step (least squares), or 1e4 times that of the simplex or the cloud.
    Bounds must be finite. `processes` above 1 share the work; the result is the same. Same input, same bits.
    `progress`: True shows a line on standard error; a function is told (runs done, max_runs), and when it ends (runs, runs).
    """
    problem = _Problem(model, parameters, residuals, objective, method, max_runs, difference)
    tell = teller(progress, "fit")
    with _pool(processes, problem) as pooled:
        run = pooled if tell is None else _counted(pooled, tell, max_runs)
        if method == "least_squares":
            z, runs, converged, history = _least_squares(problem, run, max_runs, tolerance)
        else:
            z, runs, converged, history = _derivative_free(problem, run, method, max_runs, seed, step, tolerance)
        r = None if residuals is None else run([z])[0]
        sure = None if r is None else confidence(r, problem.jacobian(run, z), z, problem.parameters)
    if tell is not None:
        tell(runs, runs)
    cost = 0.5 * float(r @ r) if objective is None else float(objective(problem.model_at(z)))
    values = dict(zip((p.name for p in problem.parameters), (_plain(v) for v in unpack(problem.parameters, z))))
    fitted = problem.model_at(z)
    warnings = [] if converged else [f"not converged after {runs} runs; allow more with max_runs"]
    warnings += _gravity_warnings(problem, fitted) + ([] if sure is None else sure.warnings)
    return FitResult(fitted, list(problem.parameters), values, z, cost, runs, converged, method, sure, warnings, history)


def _counted(run: Run, tell: Callable[[int, int], object], most: int) -> Run:
    done = 0

    def counted(points: Sequence[Array]) -> List[Any]:
        nonlocal done
        tell(min(done, most - 1), most)  # the last ones, of the confidence, come on top
        done += len(points)
        return run(points)

    return counted


def _plain(value: Array) -> Union[float, List[float]]:
    return float(value[0]) if len(value) == 1 else [float(x) for x in value]


def _gravity_warnings(problem: "_Problem", fitted: Model) -> List[str]:
    """Gravity that was fitted, and is not the earth's though the model's was."""
    before, after = np.linalg.norm(problem.model.gravity), np.linalg.norm(fitted.gravity)
    if after == before or abs(before / STANDARD_GRAVITY - 1) > 0.1:
        return []
    text = suspected_units(float(after))
    return [text] if text else []


@dataclass
class _Problem:
    """What is evaluated: goes to other processes as it is."""

    model: Model
    parameters: Sequence[Parameter]
    residuals: Optional[Residuals]
    objective: Optional[Objective]
    method: str
    max_runs: int
    difference: float

    def __post_init__(self) -> None:
        self.parameters = list(self.parameters)
        check_names(self.parameters)
        if self.method not in METHODS:
            raise ValueError(f"method is '{self.method}'; there are {', '.join(METHODS)}")
        if (self.residuals is None) == (self.objective is None):
            raise ValueError("give either residuals or an objective")
        if self.objective is not None and self.method == "least_squares":
            raise ValueError("least_squares needs residuals; take nelder_mead or cma_es for an objective")
        if self.max_runs < 1:
            raise ValueError(f"max_runs is {self.max_runs}; 1 or more is wanted")
        if not 0 < self.difference < 0.1:
            raise ValueError(f"difference is {self.difference}; it must lie in 0 … 0.1")
        self.start = pack(self.parameters)
        if not len(self.start):
            raise ValueError("every parameter is frozen: there is nothing to fit")
        self.lower, self.upper = bounds(self.parameters)
        for label, low, high in zip(labels(self.parameters), self.lower, self.upper):
            if not (np.isfinite(low) and np.isfinite(high)):
                raise ValueError(f"parameter '{label}' has no finite bounds")

    def model_at(self, z: Array) -> Model:
        return apply(self.model, self.parameters, z)

    def value(self, z: Array) -> Any:
        """Residuals, or the objective."""
        if self.objective is not None:
            return float(self.objective(self.model_at(z)))
        r = np.asarray(self.residuals(self.model_at(z)), dtype=float).ravel()
        if not len(r):
            raise ValueError("the residuals are empty")
        return np.where(np.isfinite(r), r, 1e6)  # what flew away is far, and no number spoils the rest

    def jacobian(self, run: Callable[[Sequence[Array]], List[Any]], z: Array) -> Array:
        """Central differences, at bounds one-sided of second order."""
        h = self.difference * np.minimum(self.upper - self.lower, 1.0)
        points, rules = [], []
        for k in range(len(z)):
            offsets = (-1.0, 1.0)
            if z[k] - h[k] < self.lower[k]:
                offsets = (0.0, 1.0, 2.0)
            elif z[k] + h[k] > self.upper[k]:
                offsets = (0.0, -1.0, -2.0)
            rules.append(offsets)
            for offset in offsets:
                point = z.copy()
                point[k] += offset * h[k]
                points.append(point)
        found, columns = iter(run(points)), []
        for k, offsets in enumerate(rules):
            r = [next(found) for _ in offsets]
            if len(r) == 2:
                columns.append((r[1] - r[0]) / (2 * h[k]))
            else:
                columns.append((-3 * r[0] + 4 * r[1] - r[2]) / (2 * h[k] * offsets[1]))
        return np.stack(columns, axis=1)


_shared: Optional[_Problem] = None  # of a worker process


def _begin_worker(problem: _Problem) -> None:
    global _shared
    _shared = problem


def _work(z: Array) -> Any:
    assert _shared is not None
    return _shared.value(z)


class _pool:
    """Values of many points: here, or in processes on request."""

    def __init__(self, processes: int, problem: _Problem) -> None:
        if processes < 1:
            raise ValueError(f"processes is {processes}; 1 or more is wanted")
        self.processes, self.problem, self.executor = processes, problem, None

    def __enter__(self) -> Callable[[Sequence[Array]], List[Any]]:
        if self.processes == 1:
            return lambda points: [self.problem.value(z) for z in points]
        self.executor = ProcessPoolExecutor(
            self.processes, mp_context=get_context("spawn"), initializer=_begin_worker, initargs=(self.problem,)
        )
        return lambda points: list(self.executor.map(_work, points))

    def __exit__(self, *_: object) -> None:
        if self.executor is not None:
            self.executor.shutdown(cancel_futures=True)


def _least_squares(problem: _Problem, run: Any, max_runs: int, tolerance: float) -> "tuple[Array, int, bool, List[float]]":
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise ImportError("least_squares needs SciPy: pip install 'stiction[experiments]'") from None
    runs, history = 0, []

    def value(z: Array) -> Array:
        nonlocal runs
        runs += 1
        r = run([z])[0]
        cost = 0.5 * float(r @ r)
        history.append(min(cost, history[-1]) if history else cost)
        return r

    def slope(z: Array) -> Array:
        nonlocal runs
        runs += 2 * len(z)
        return problem.jacobian(run, np.clip(z, problem.lower, problem.upper))

    # A start on a bound is moved inside by SciPy; a relative tolerance below rounding is refused by it.
    tolerance = max(tolerance, 4 * np.finfo(float).eps)
    most = max(1, max_runs // (1 + 2 * len(problem.start)))
    found = least_squares(
        value, problem.start, slope, bounds=(problem.lower, problem.upper), x_scale="jac", xtol=tolerance, ftol=tolerance,
        gtol=1e-15, max_nfev=most,
    )  # fmt: skip
    exact = bool(history) and history[-1] < 1e-24 * max(1.0, history[0])
    return np.clip(found.x, problem.lower, problem.upper), runs, bool(found.status > 0 or exact), history


def _derivative_free(
    problem: _Problem, run: Any, method: str, max_runs: int, seed: int, step: float, tolerance: float
) -> "tuple[Array, int, bool, List[float]]":
    span = problem.upper - problem.lower

    def values(points: Sequence[Array]) -> List[float]:
        found = run([problem.lower + span * point for point in points])
        return [0.5 * float(r @ r) if problem.objective is None else r for r in found]

    start = (problem.start - problem.lower) / span
    if method == "nelder_mead":
        best = nelder_mead(values, start, step=step, max_runs=max_runs, tolerance=1e4 * tolerance)
    else:
        best = cma_es(values, start, step=step, max_runs=max_runs, seed=seed, tolerance=1e4 * tolerance)
    return problem.lower + span * best.x, best.runs, best.converged, best.history


def folds(items: Sequence[Any], count: int) -> Iterator[Tuple[List[Any], List[Any]]]:
    """(to fit, to score) for each of `count` folds: every count-th item is scored by a fit of the others."""
    if not 2 <= count <= len(items):
        raise ValueError(f"{count} folds of {len(items)} items; 2 … {len(items)} are wanted")
    for k in range(count):
        yield [x for i, x in enumerate(items) if i % count != k], [x for i, x in enumerate(items) if i % count == k]
