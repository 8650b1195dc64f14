"""Small dense quadratic programs: minimise ½ xᵀHx + gᵀx subject to l ≤ Cx ≤ u, by ProxQP (PyPI `proxsuite`)."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
HINT = "the walking controller needs proxsuite: pip install 'stiction[experiments]'"


def _proxqp() -> Any:
    try:
        from proxsuite import proxqp
    except ImportError as error:
        raise ImportError(HINT) from error
    return proxqp


def is_available() -> bool:
    """Whether ProxQP is installed."""
    try:
        _proxqp()
    except ImportError:
        return False
    return True


class QuadraticProgram:
    """Solves programs of the same origin one after the other; each starts from the last solution of its size."""

    def __init__(self, tolerance: float = 1e-6, max_iterations: int = 1000) -> None:
        self._proxqp = _proxqp()
        self.tolerance = tolerance  #: absolute, on primal and dual residuals
        self.max_iterations = max_iterations
        self.num_failed = 0  #: solves that did not reach the tolerance; their last iterate was taken
        self._solvers: Dict[Tuple[int, ...], Any] = {}

    def solve(self, H: Vector, g: Vector, C: Vector, lower: Vector, upper: Vector) -> Vector:
        """The minimiser. ValueError where numbers are not finite or bounds contradict each other."""
        for name, value in (("H", H), ("g", g), ("C", C)):
            if not np.isfinite(value).all():
                raise ValueError(f"quadratic program: {name} is not finite")
        if np.any(lower > upper):
            row = int(np.argmax(lower > upper))
            raise ValueError(f"quadratic program: row {row} wants at least {lower[row]} and at most {upper[row]}")
        solver = self._solvers.get(C.shape)
        if solver is None:
            solver = self._make(H, g, C, lower, upper)
            self._solvers[C.shape] = solver
        else:
            solver.update(H, g, None, None, C, lower, upper)
        solver.solve()
        if solver.results.info.status != self._proxqp.QPSolverOutput.PROXQP_SOLVED:
            self.num_failed += 1
            x = np.array(solver.results.x)
            del self._solvers[C.shape]  # what it remembers is no start for the next one
            if not np.isfinite(x).all():
                raise ArithmeticError(f"quadratic program of {len(g)} unknowns: no solution, {solver.results.info.status}")
            return x
        return np.array(solver.results.x)

    def _make(self, H: Vector, g: Vector, C: Vector, lower: Vector, upper: Vector) -> Any:
        solver = self._proxqp.dense.QP(len(g), 0, len(C))
        solver.settings.eps_abs = self.tolerance
        solver.settings.eps_rel = 0.0
        solver.settings.max_iter = self.max_iterations
        solver.settings.initial_guess = self._proxqp.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT
        solver.init(H, g, None, None, C, lower, upper)
        return solver


def friction_pyramid(axes: Vector, friction: float) -> Vector:
    """Rows C with C f ≥ 0 where f = Σ f_a axes[:, a] lies in the pyramid |f_1|, |f_2| ≤ μ f_3; the last row is f_3."""
    t1, t2, n = axes.T
    return np.array([friction * n - t1, friction * n + t1, friction * n - t2, friction * n + t2, n])
