"""A robot simulator with exact frictional contact, and its contact solvers on their own.

    model = stiction.load("robot.urdf").model  # URDF, SDF, MJCF; or ModelBuilder
    simulator = stiction.Simulator(model, dt=1e-3)
    print(simulator.step(1000))               # the certificate of the last step

    result = stiction.solve(G, g, mu)         # impulses, velocities and a certificate
    stiction.residuals(G, g, mu, impulse)     # the judge, for an impulse from anywhere

A contact problem is: find impulses l with velocities s = (G + R) l + g that obey every constraint's law. Rows of a contact are
(t1, t2, n), the normal last. Everything else has the names of the C++ headers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, List, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._stiction import *  # noqa: F401,F403
from ._stiction import (
    __version__,
    Constraint,
    ContactModel,
    ContactProblem,
    ContactSolution,
    Residuals,
    SolveReport,
    judge,
    make_solver,
)
from .comparing import compare  # noqa: F401
from .convert import from_pinocchio  # noqa: F401
from .mujoco_text import from_mujoco  # noqa: F401


@dataclass(frozen=True)
class SolveResult:
    """What `solve` found, and how good it is."""

    impulse: NDArray[np.float64]  #: l, N s
    velocity: NDArray[np.float64]  #: (G + R) l + g, m/s
    report: SolveReport  #: status, iterations, factorisations, stages, symmetrised
    residuals: Residuals  #: by the judge, for the contact model that the solver solves
    seconds: float  #: wall time of the solve alone

    @property
    def converged(self) -> bool:
        return self.report.converged


def make_problem(
    G: Any,
    g: ArrayLike,
    mu: Optional[ArrayLike] = None,
    R: Optional[ArrayLike] = None,
    constraints: Optional[List[Constraint]] = None,
) -> ContactProblem:
    """The contact problem (G, g, mu, R): sparse if G is a SciPy sparse matrix, dense otherwise.

    `mu` is one friction for all contacts or one per contact; every three rows are then a contact. For other
    constraints give `constraints` instead. `R` is one compliance for all rows or one per row; None is rigid.
    """
    g = _vector(g, "g")
    if (mu is None) == (constraints is None):
        raise ValueError("give either mu or constraints")
    if constraints is None:
        constraints = [Constraint.make_frictional(value) for value in _friction(mu, g.size)]
    if R is not None and np.ndim(R) == 0:
        R = np.full(g.size, R)
    make = ContactProblem.from_sparse if hasattr(G, "tocsr") else ContactProblem.from_dense
    return make(list(constraints), G, g, R)


def solve(
    G: Any,
    g: ArrayLike,
    mu: Optional[ArrayLike] = None,
    R: Optional[ArrayLike] = None,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 0,
    guess: Optional[ArrayLike] = None,
    constraints: Optional[List[Constraint]] = None,
    use_relative: bool = False,
    **options: float,
) -> SolveResult:
    """Solve (G, g, mu, R) by the named solver (`solver_names()` lists them).

    `tolerance` refers to eps_nat, or to eps_rel with `use_relative`. `guess` is an impulse to start from. `options`
    are those of the solver, `make_solver(name).option_descriptions` explains them. A limit reached is no error: look at
    `result.report.status`.
    """
    problem = make_problem(G, g, mu, R, constraints)
    method = make_solver(
        solver, tolerance=tolerance, max_iterations=max_iterations, use_relative=use_relative, **options
    )
    solution = ContactSolution(None if guess is None else _vector(guess, "guess"))
    start = time.perf_counter()
    report = method.solve(problem, solution)
    seconds = time.perf_counter() - start
    certificate = judge(problem, solution.impulse, method.traits.model)
    return SolveResult(solution.impulse, solution.velocity, report, certificate, seconds)


def residuals(
    G: Any,
    g: ArrayLike,
    mu: Optional[ArrayLike],
    impulse: ArrayLike,
    R: Optional[ArrayLike] = None,
    model: Union[str, ContactModel] = "ncp",
    time_step: float = 1.0,
    constraints: Optional[List[Constraint]] = None,
) -> Residuals:
    """How physical is an impulse? Residuals (docs/theory/laws.md#sec-1-4) under a contact model."""
    return judge(make_problem(G, g, mu, R, constraints), impulse, model, time_step)


def _vector(value: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(value)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; a vector is wanted")
    return array


def _friction(mu: Optional[ArrayLike], num_rows: int) -> NDArray[np.float64]:
    values = np.asarray(mu)
    if values.dtype.kind not in "fiu":
        raise TypeError(f"mu has entries of type {values.dtype}; real numbers are wanted")
    if num_rows % 3:
        raise ValueError(f"g has {num_rows} entries; with mu every three rows are a contact")
    if values.ndim == 0:
        return np.full(num_rows // 3, values, dtype=np.float64)
    if values.shape != (num_rows // 3,):
        raise ValueError(f"mu has shape {values.shape} but there are {num_rows // 3} contacts")
    return values.astype(np.float64)
