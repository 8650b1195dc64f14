"""stiction.solve and solver objects."""

import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import oracle
import stiction
from conftest import ctrl_c_after, random_problem
from stiction import Constraint, ContactModel, ContactSolution, SolveStatus
from worlds import overlapping_boxes

NAMES = stiction.solver_names()


def test_closed_form_of_a_sliding_block(sliding_block):
    G, g, mu, impulse, velocity = sliding_block
    result = stiction.solve(G, g, mu)
    assert result.converged and result.report.status == SolveStatus.converged
    np.testing.assert_allclose(result.impulse, impulse, atol=1e-7)
    np.testing.assert_allclose(result.velocity, velocity, atol=1e-7)
    assert result.residuals.eps_nat <= 1e-8
    assert result.seconds > 0


@pytest.mark.parametrize("name", NAMES)
def test_every_solver_runs_and_answers_for_its_model(name):
    G, g, mu = random_problem(7, bodies=4, contacts=4)
    traits = stiction.solver_traits(name)
    assert traits.name == name and traits.summary and isinstance(traits.model, ContactModel)
    result = stiction.solve(G, g, mu, R=1e-3, solver=name, tolerance=1e-6, max_iterations=20000)
    assert np.isfinite(result.impulse).all()
    np.testing.assert_allclose(result.velocity, G @ result.impulse + 1e-3 * result.impulse + g, atol=1e-10)
    if result.converged and traits.model == ContactModel.ncp:
        assert oracle.eps_nat(G, g, mu, result.impulse, R=1e-3) <= 1.01e-6
    if result.converged:
        assert result.residuals.eps_nat <= 1e-5


def test_sparse_and_dense_give_the_same_motion():
    G, g, mu = random_problem(11)
    dense = stiction.solve(G, g, mu, tolerance=1e-10)
    sparse = stiction.solve(sp.csc_matrix(G), g, mu, tolerance=1e-10)
    assert dense.converged and sparse.converged
    np.testing.assert_allclose(dense.velocity, sparse.velocity, atol=1e-7)


def test_mixed_constraints():
    """A motor shaft held by dry friction, a limit it is driven into, a loop that must close."""
    kinds = [Constraint.make_dry_friction(0.5), Constraint.make_unilateral(), Constraint.make_bilateral(1)]
    result = stiction.solve(np.eye(3), [2.0, -3.0, 4.0], constraints=kinds)
    assert result.converged
    np.testing.assert_allclose(result.impulse, [-0.5, 3.0, -4.0], atol=1e-8)


def test_warm_start_from_the_solution(sliding_block):
    G, g, mu, impulse, _ = sliding_block
    warm = stiction.solve(G, g, mu, guess=impulse)
    assert warm.converged and warm.report.iterations <= 1


def test_results_are_arrays_of_their_own(sliding_block):
    G, g, mu, _, _ = sliding_block
    solver = stiction.make_solver(NAMES[0])
    problem = stiction.make_problem(G, g, mu)
    solution = ContactSolution()
    assert solution.impulse is None
    solver.solve(problem, solution)
    first = solution.impulse
    kept = first.copy()
    assert first is solution.impulse and first.dtype == np.float64 and first.flags.writeable
    solver.solve(stiction.make_problem(G, -g, mu), solution)
    np.testing.assert_array_equal(first, kept)  # the next solve made a new array


def test_same_bits_again():
    G, g, mu = random_problem(2)
    first, second = (stiction.solve(G, g, mu).impulse for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_options():
    solver = stiction.make_solver(NAMES[0], tolerance=1e-5, record_history=True)
    assert solver.options["tolerance"] == 1e-5 and solver.options["record_history"] is True
    assert set(solver.options) == set(solver.option_descriptions)
    solver.set_option("max_iterations", 7)
    assert solver.options["max_iterations"] == 7
    with pytest.raises(ValueError, match="no option 'colour'; it has: tolerance"):
        stiction.make_solver(NAMES[0], colour=1.0)
    with pytest.raises(ValueError, match="whole number"):
        solver.set_option("max_iterations", 0.5)
    with pytest.raises(TypeError, match="tolerance wants a number"):
        solver.set_option("tolerance", "small")


@pytest.mark.parametrize(
    "error, words, arguments",
    [
        (ValueError, "no solver is called 'magic'", dict(solver="magic")),
        (ValueError, "tolerance is", dict(tolerance=-1.0)),
        (ValueError, "max_iterations is", dict(max_iterations=-1)),
        (ValueError, "mu has shape", dict(mu=[0.1, 0.2])),
        (ValueError, "friction of constraint 0", dict(mu=-0.1)),
        (TypeError, "mu has entries", dict(mu="slippery")),
        (ValueError, "either mu or constraints", dict(mu=None)),
        (ValueError, "either mu or constraints", dict(constraints=[])),
        (ValueError, "g has shape", dict(g=np.zeros((3, 1)))),
        (ValueError, "every three rows", dict(g=np.zeros(4))),
        (ValueError, r"R\[0\] is -1", dict(R=-1.0)),
        (ValueError, "guess has 2 entries", dict(guess=[1.0, 2.0])),
        (ValueError, "guess is not finite", dict(guess=[1.0, np.inf, 0.0])),
    ],
)
def test_refusals(error, words, arguments):
    with pytest.raises(error, match=words):
        stiction.solve(**{"G": np.eye(3), "g": np.array([0.0, 0.0, -1.0]), "mu": 0.5, **arguments})


def test_empty_problem():
    result = stiction.solve(np.zeros((0, 0)), np.zeros(0), 0.5)
    assert result.converged and result.impulse.shape == (0,)


def slow_problem():
    """Larger than one tick of the interpreter: a pile that Gauss-Seidel sweeps over for a while."""
    G, g, mu = random_problem(1, bodies=40, contacts=120)
    return stiction.make_problem(sp.csr_matrix(G), g, mu)


def test_gil_is_released_during_a_solve():
    problem = slow_problem()
    name = "ncp-pgs" if "ncp-pgs" in NAMES else NAMES[0]
    solver = stiction.make_solver(name, tolerance=1e-300, max_iterations=3000)
    running, ticks = threading.Event(), 0

    def work():
        running.set()
        solver.solve(problem, ContactSolution())
        running.clear()

    thread = threading.Thread(target=work)
    thread.start()
    running.wait()
    while running.is_set():  # counts only if this thread runs while the other is inside solve()
        ticks += 1
        time.sleep(0)
    thread.join()
    assert ticks > 10


def test_threads_share_a_solver_in_turns():
    problem = slow_problem()
    solver = stiction.make_solver("ncp-admm", tolerance=1e-6)
    solutions = [ContactSolution() for _ in range(4)]
    threads = [threading.Thread(target=solver.solve, args=(problem, s)) for s in solutions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for solution in solutions:
        assert stiction.judge(problem, solution.impulse).eps_nat <= 1e-6


@pytest.mark.parametrize("name", ["auto", "ncp-pgs", "ncp-newton", "lcp-lemke", "max-dissipation"])
def test_ctrl_c_ends_a_solve_and_the_solution_is_that_of_before(name):
    simulator = stiction.Simulator(overlapping_boxes(150 if name in ("auto", "ncp-pgs") else 60), dt=1e-2, max_iterations=1)
    simulator.step()
    problem = simulator.contact_problem().problem
    solver = stiction.make_solver(name, tolerance=1e-16, max_iterations=10**9)
    solution = ContactSolution()
    solution.impulse = np.full(problem.num_rows, 0.25)
    solved = False
    with ctrl_c_after(0.3):
        with pytest.raises(KeyboardInterrupt):
            for _ in range(10000):  # what ends by itself before is asked again
                solver.solve(problem, solution)
                solved = True
                solution.impulse = np.full(problem.num_rows, 0.25)
                solved = False
    assert solved or (solution.impulse == 0.25).all()
    assert solver.options["max_iterations"] == 10**9


def test_ctrl_c_ends_looking_ahead():
    simulator = stiction.Simulator(
        overlapping_boxes(150), dt=1e-2, tolerance=1e-15, acceptable_tolerance=0.0, max_iterations=10**6
    )
    before = simulator.state.to_bytes()
    with ctrl_c_after(0.3):
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                simulator.forward()
    assert simulator.state.to_bytes() == before
