"""Linear complementarity from Python, on the stored problems."""

import h5py
import numpy as np
import pytest

import stiction
from conftest import SCENES
from stiction import LcpStatus, LinearComplementarityProblem

FILES = sorted((SCENES / "fclib" / "lcp").glob("*.hdf5"))


def read(path):
    with h5py.File(path) as file:
        return file["lcp/M"][:], file["lcp/q"][:]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lemke_on_stored_problems(path):
    M, q = read(path)
    stored = stiction.read_lcp(path).problem
    np.testing.assert_array_equal(stored.matrix, M)
    np.testing.assert_array_equal(stored.offset, q)
    z, report = stiction.solve_lemke(stored)
    if path.stem == "lcp_CPS_3":  # a bimatrix game: Lemke's path from (1, 1, 1, 1) ends on a ray
        assert report.status == LcpStatus.ray
        return
    assert report.status == LcpStatus.solved
    w = M @ z + q
    scale = max(1.0, np.abs(q).max(), np.abs(M).max())
    assert z.min() >= 0 and w.min() >= -1e-10 * scale and abs(z @ w) <= 1e-9 * scale


def test_dantzig_with_bounds():
    M = np.array([[2.0, 1.0], [1.0, 2.0]])
    z, report = stiction.solve_dantzig(LinearComplementarityProblem(M, [-3.0, -3.0]))
    assert report.status == LcpStatus.solved
    np.testing.assert_allclose(z, [1.0, 1.0], atol=1e-14)
    z, _ = stiction.solve_dantzig(LinearComplementarityProblem(M, [-3.0, -3.0]), upper=[0.5, 10.0])
    np.testing.assert_allclose(z, [0.5, 1.25], atol=1e-14)


def test_no_solution_is_a_status():
    _, report = stiction.solve_dantzig(LinearComplementarityProblem(np.zeros((1, 1)), [-1.0]))
    assert report.status == LcpStatus.ray


def test_refusals():
    with pytest.raises(ValueError, match="M is 2 x 2 but q has 3"):
        LinearComplementarityProblem(np.eye(2), np.zeros(3))
    with pytest.raises(ValueError, match=r"q\[0\] is nan"):
        LinearComplementarityProblem(np.eye(1), [np.nan])
