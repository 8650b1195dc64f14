"""The FCLIB reader against h5py, round trips, sequences."""

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

import stiction
from conftest import SCENES
from stiction import ContactSolution, DelassusForm

FILES = sorted((SCENES / "fclib").glob("*.hdf5"))


def read_by_h5py(path):
    """W, q, mu of a local problem stored in compressed rows, permuted to normal last."""
    with h5py.File(path) as file:
        group = file["fclib_local"]
        w = group["W"]
        W = sp.csr_matrix((w["x"][:], w["i"][:], w["p"][:]), shape=(w["m"][0], w["n"][0]))
        q, mu = group["vectors/q"][:], group["vectors/mu"][:]
    order = np.arange(q.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    return W[order][:, order], q[order], mu


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reads_what_h5py_reads(path):
    W, q, mu = read_by_h5py(path)
    problem = stiction.read_fclib(path).problem
    assert problem.form == DelassusForm.sparse
    np.testing.assert_array_equal(problem.free_velocity, q)
    np.testing.assert_array_equal([c.friction for c in problem.constraints], mu)
    assert (problem.to_sparse() != W).nnz == 0


def test_there_are_27_problems():
    assert len(FILES) == 27


def test_round_trip(tmp_path):
    contents = stiction.read_fclib(str(FILES[0]))
    contents.title = "once more"
    contents.solution = stiction.FclibSolution(np.arange(contents.problem.num_rows, dtype=float))
    stiction.write_fclib(tmp_path / "again.hdf5", contents)
    again = stiction.read_fclib(tmp_path / "again.hdf5")
    assert again.title == "once more"
    np.testing.assert_array_equal(again.problem.free_velocity, contents.problem.free_velocity)
    np.testing.assert_array_equal(again.problem.to_dense(), contents.problem.to_dense())
    np.testing.assert_array_equal(again.solution.impulse, np.arange(contents.problem.num_rows))


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        stiction.read_fclib(tmp_path / "nowhere.hdf5")
    (tmp_path / "text.hdf5").write_text("not a file of this kind")
    with pytest.raises(ValueError, match="text.hdf5"):
        stiction.read_fclib(tmp_path / "text.hdf5")
    with pytest.raises(TypeError):
        stiction.read_fclib(3)
    limit = stiction.make_problem(np.eye(1), [1.0], constraints=[stiction.Constraint.make_unilateral()])
    with pytest.raises(ValueError):
        stiction.write_fclib(tmp_path / "limit.hdf5", stiction.FclibProblem(limit))


def test_sequence_with_warm_starts():
    sequence = stiction.read_sequence(SCENES / "robot-problems" / "quadruped-stand.hdf5")
    assert len(sequence) == 300 and sequence.time_step > 0
    assert sequence[-1].problem.num_rows == sequence[299].problem.num_rows
    with pytest.raises(IndexError):
        sequence[300]
    solver = stiction.make_solver("auto", tolerance=1e-9)
    before, impulse = None, None
    for k in range(30):
        step = sequence[k]
        guess = None if before is None else stiction.carry_over(before, impulse, step)
        solution = ContactSolution(guess)
        report = solver.solve(step.problem, solution)
        assert report.converged
        assert stiction.judge(step.problem, solution.impulse).eps_nat <= 1e-9
        np.testing.assert_allclose(
            solution.velocity, step.problem.velocity(step.reference), atol=1e-6 * max(1, np.abs(solution.velocity).max())
        )
        before, impulse = step, solution.impulse
