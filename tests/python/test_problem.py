"""ContactProblem from Python: the three forms, mixed constraints, views and refusals."""

import numpy as np
import pytest
import scipy.sparse as sp

import stiction
from conftest import random_mechanics, random_problem
from stiction import Constraint, ContactProblem, DelassusForm


def contacts(n, mu=0.5):
    return [Constraint.make_frictional(mu)] * n


def test_three_forms_are_the_same_problem():
    jacobian, inertia, velocity = random_mechanics(1)
    g = jacobian @ velocity
    delassus = jacobian @ np.linalg.solve(inertia, jacobian.T)
    factor = jacobian @ np.diag(np.diag(inertia) ** -0.5)
    problems = {
        DelassusForm.dense: ContactProblem.from_dense(contacts(6), delassus, g),
        DelassusForm.sparse: ContactProblem.from_sparse(contacts(6), sp.csr_matrix(delassus), g),
        DelassusForm.factored: ContactProblem.from_inertia(contacts(6), sp.csc_matrix(inertia), jacobian, g),
    }
    factored = ContactProblem.from_factored(contacts(6), factor, [6, 6, 6, 6], g)
    impulse = np.random.default_rng(0).normal(size=g.size)
    for problem in [*problems.values(), factored]:
        np.testing.assert_allclose(problem.to_dense(), delassus, atol=1e-12)
        np.testing.assert_allclose(problem.to_sparse().toarray(), delassus, atol=1e-12)
        np.testing.assert_allclose(problem.velocity(impulse), delassus @ impulse + g, atol=1e-12)
        np.testing.assert_allclose(problem.apply(impulse), delassus @ impulse, atol=1e-12)
        np.testing.assert_allclose(problem.diagonal_block(2), delassus[6:9, 6:9], atol=1e-12)
    for form, problem in problems.items():
        assert problem.form == form
    assert factored.form == DelassusForm.factored
    assert problems[DelassusForm.dense].in_form(DelassusForm.sparse).form == DelassusForm.sparse


def test_mixed_constraints():
    kinds = [
        Constraint.make_frictional(0.3),
        Constraint.make_unilateral(),
        Constraint.make_bilateral(3),
        Constraint.make_dry_friction(0.2),
        Constraint.make_anisotropic(0.3, 0.6),
    ]
    m = sum(c.rows for c in kinds)
    problem = ContactProblem.from_dense(kinds, np.eye(m), np.ones(m), np.full(m, 0.1))
    assert [c.first_row for c in problem.constraints] == [0, 3, 4, 7, 8]
    assert problem.constraints[4].friction_2 == 0.6
    assert problem.num_rows == 11 and problem.num_constraints == 5 and not problem.is_rigid
    assert "dry_friction" in repr(problem.constraints[3])


def test_vectors_are_views_that_keep_the_problem_alive():
    problem = ContactProblem.from_dense(contacts(1), np.eye(3), np.arange(3.0))
    g = problem.free_velocity
    assert not g.flags.writeable and not g.flags.owndata
    assert np.shares_memory(g, problem.free_velocity)
    del problem
    np.testing.assert_array_equal(g, [0.0, 1.0, 2.0])


def test_any_layout_and_number_type():
    rng = np.random.default_rng(0)
    base = np.cov(rng.normal(size=(12, 30)))
    strided = base[::2, ::2]
    expected = ContactProblem.from_dense(contacts(2), np.ascontiguousarray(strided), np.zeros(6)).to_dense()
    for delassus in (strided, np.asfortranarray(strided), strided.tolist()):
        np.testing.assert_array_equal(ContactProblem.from_dense(contacts(2), delassus, np.zeros(6)).to_dense(), expected)
    whole = ContactProblem.from_dense(contacts(1), np.eye(3, dtype=np.int32), np.zeros(3, dtype=np.float32))
    np.testing.assert_array_equal(whole.to_dense(), np.eye(3))


def test_unsorted_and_duplicate_sparse_entries():
    rows, columns, data = [0, 0, 1, 2, 0], [1, 0, 1, 2, 0], [0.5, 1.0, 2.0, 3.0, 1.0]
    problem = ContactProblem.from_sparse(contacts(1), sp.coo_matrix((data, (rows, columns)), shape=(3, 3)), np.zeros(3))
    np.testing.assert_array_equal(problem.to_dense(), [[2.0, 0.5, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])


def test_asymmetry_is_seen():
    G, g, mu = random_problem(0)
    G[0, 1] += 0.1
    problem = stiction.make_problem(G, g, mu)
    assert not problem.is_symmetric and problem.asymmetry > 0
    assert problem.symmetric_part().is_symmetric


@pytest.mark.parametrize(
    "error, words, arguments",
    [
        (ValueError, r"g\[1\] is nan", (contacts(1), np.eye(3), [0.0, np.nan, 0.0])),
        (ValueError, "inf", (contacts(1), np.diag([1.0, np.inf, 1.0]), np.zeros(3))),
        (ValueError, "friction of constraint 0 is -1", (contacts(1, -1.0), np.eye(3), np.zeros(3))),
        (ValueError, "friction of constraint 0 is nan", (contacts(1, np.nan), np.eye(3), np.zeros(3))),
        (ValueError, "3 x 2", (contacts(1), np.ones((3, 2)), np.zeros(3))),
        (ValueError, "delassus has shape", (contacts(1), np.ones(3), np.zeros(3))),
        (ValueError, "free_velocity has shape", (contacts(1), np.eye(3), np.zeros((3, 1)))),
        (ValueError, "3 x 3 but|g has 4|4 entries", (contacts(1), np.eye(3), np.zeros(4))),
        (ValueError, "R has 4 entries", (contacts(1), np.eye(3), np.zeros(3), np.zeros(4))),
        (ValueError, r"R\[1\] is -1", (contacts(1), np.eye(3), np.zeros(3), [0.0, -1.0, 0.0])),
        (TypeError, "complex128", (contacts(1), np.eye(3) * 1j, np.zeros(3))),
        (TypeError, "real numbers", (contacts(1), np.eye(3), ["a", "b", "c"])),
        (TypeError, "constraints", ([0.5], np.eye(3), np.zeros(3))),
    ],
)
def test_refusals(error, words, arguments):
    with pytest.raises(error, match=words):
        ContactProblem.from_dense(*arguments)


def test_refusals_of_other_forms():
    with pytest.raises(ValueError, match="nan"):
        ContactProblem.from_sparse(contacts(1), sp.diags([1.0, np.nan, 1.0]), np.zeros(3))
    with pytest.raises(ValueError, match="factor is 3 x 6"):
        ContactProblem.from_factored(contacts(1), np.ones((3, 6)), [6, 6], np.zeros(3))
    with pytest.raises(ValueError, match=r"node_size\[0\] is 7"):
        ContactProblem.from_factored(contacts(1), np.ones((3, 7)), [7], np.zeros(3))
    with pytest.raises(ValueError):  # an inertia that is not positive definite
        ContactProblem.from_inertia(contacts(1), -np.eye(6), np.ones((3, 6)), np.zeros(3))
    with pytest.raises(IndexError, match="constraint 1"):
        ContactProblem.from_dense(contacts(1), np.eye(3), np.zeros(3)).diagonal_block(1)
    with pytest.raises(ValueError, match="impulse has 2 entries"):
        ContactProblem.from_dense(contacts(1), np.eye(3), np.zeros(3)).apply([1.0, 2.0])


class LyingMatrix:
    """Looks like a SciPy matrix whose arrays do not fit together."""

    shape = (3, 3)
    data, indices, indptr = np.ones(2), np.array([0, 9]), np.array([0, 1, 2, 2])

    def tocsr(self):
        return self


def test_lying_sparse_matrix():
    with pytest.raises(ValueError, match="column 9"):
        ContactProblem.from_sparse(contacts(1), LyingMatrix(), np.zeros(3))
    LyingMatrix.indptr = np.array([0, 1])
    with pytest.raises(ValueError, match="fit together"):
        ContactProblem.from_sparse(contacts(1), LyingMatrix(), np.zeros(3))
