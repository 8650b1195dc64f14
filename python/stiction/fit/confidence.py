"""What the data say about each parameter: intervals by the Jacobian, no effect, trade-offs (docs/theory/fitting.md#sec-8-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

import numpy as np

from .parameters import Parameter, bounds, labels
from .trajectories import Array

#: A parameter has no effect where its column of the Jacobian, times its range, is this part of the largest.
NO_EFFECT = 1e-7
#: Directions whose singular value (columns of length one) is this part of the largest are trade-offs.
TRADE_OFF = 1e-3
#: Pairs whose estimates are correlated more than this trade off.
CORRELATED = 0.95


@dataclass(frozen=True)
class Confidence:
    """Of the free parameters, entry by entry of z."""

    labels: List[str]
    covariance: Array  #: of z; infinite for entries without effect
    correlation: Array  #: of z; zero for entries without effect
    noise: float  #: standard deviation of a residual
    degrees_of_freedom: int
    intervals: Dict[str, Tuple[float, float]]  #: 95 %, of the values
    without_effect: List[str]
    trade_offs: List[List[str]]
    at_bounds: List[str]
    warnings: List[str]

    def interval(self, label: str) -> Tuple[float, float]:
        if label not in self.intervals:
            raise ValueError(f"no free parameter '{label}'; there are {', '.join(self.labels)}")
        return self.intervals[label]


def confidence(residual: Array, jacobian: Array, z: Array, parameters: Sequence[Parameter], level: float = 0.95) -> Confidence:
    """At the minimum: covariance s² (JᵀJ)⁻¹ with s² = |r|²/(m − n), intervals by Student's t."""
    from scipy.stats import t

    names = labels(parameters)
    lower, upper = bounds(parameters)
    length = np.linalg.norm(jacobian, axis=0)
    reach = length * np.minimum(upper - lower, 1.0)
    acts = reach > NO_EFFECT * max(reach.max(), np.finfo(float).tiny)
    dof = len(residual) - int(acts.sum())
    noise = float(np.sqrt(residual @ residual / dof)) if dof > 0 else np.inf
    n = len(z)
    covariance, correlation = np.full((n, n), 0.0), np.eye(n)
    trade_offs: List[List[str]] = []
    if acts.any():
        inner, correlated, trade_offs = _of_acting(jacobian[:, acts] / length[acts], [a for a, b in zip(names, acts) if b])
        where = np.ix_(acts, acts)
        covariance[where] = noise**2 * inner / np.outer(length[acts], length[acts]) if dof > 0 else np.inf
        correlation[where] = correlated
    covariance[~acts, ~acts] = np.inf
    factor = t.ppf(0.5 + level / 2, dof) if dof > 0 else np.inf
    half = factor * np.sqrt(np.diag(covariance))
    intervals = _intervals(parameters, z, half)
    at_bounds = [name for name, x, low, high in zip(names, z, lower, upper) if min(x - low, high - x) < 1e-6 * (high - low)]
    warnings = _warnings(names, acts, trade_offs, at_bounds, half, upper - lower)
    if dof < 1:
        warnings.append(f"{len(residual)} residuals for {int(acts.sum())} parameters: too few for intervals")
    without = [name for name, a in zip(names, acts) if not a]
    return Confidence(names, covariance, correlation, noise, dof, intervals, without, trade_offs, at_bounds, warnings)


def _of_acting(J: Array, names: List[str]) -> "tuple[Array, Array, List[List[str]]]":
    """(JᵀJ)⁻¹, correlation and trade-offs, J with columns of length one."""
    _, s, Vt = np.linalg.svd(J, full_matrices=False)
    inner = (Vt.T / np.maximum(s, 1e-12 * s[0]) ** 2) @ Vt
    size = np.sqrt(np.diag(inner))
    correlation = inner / np.outer(size, size)
    groups: List[List[str]] = []
    for value, direction in zip(s, Vt):
        if value < TRADE_OFF * s[0]:
            groups.append([name for name, weight in zip(names, direction) if abs(weight) > 0.2])
    for i in range(len(names)):
        for j in range(i):
            pair = [names[j], names[i]]
            if abs(correlation[i, j]) > CORRELATED and not any(set(pair) <= set(group) for group in groups):
                groups.append(pair)
    return inner, correlation, groups


def _intervals(parameters: Sequence[Parameter], z: Array, half: Array) -> Dict[str, Tuple[float, float]]:
    """Back to values; they may leave the bounds, which are no part of the data."""
    found, first = {}, 0
    for p in parameters:
        if p.frozen:
            continue
        for label in p.labels:
            low, high = z[first] - half[first], z[first] + half[first]
            if p.scale == "log":
                low, high = np.exp(np.clip([low, high], -700.0, 700.0))
            found[label] = (float(low), float(high))
            first += 1
    return found


def _warnings(
    names: List[str], acts: Array, trade_offs: List[List[str]], at_bounds: List[str], half: Array, span: Array
) -> List[str]:
    found = [f"'{name}' has no effect on these residuals; freeze it, or record what shows it" for name, a in zip(names, acts) if not a]
    for group in trade_offs:
        found.append(f"{' and '.join(repr(name) for name in group)} trade off: neither is a measurement; freeze one")
    in_groups = {name for group in trade_offs for name in group}
    for name, a, h, w in zip(names, acts, half, span):
        if a and h > 0.5 * w and name not in in_groups:
            found.append(f"'{name}' is hardly determined: its interval is wider than its bounds")
    return found + [f"'{name}' lies at its bound" for name in at_bounds]
