"""The judge against the formulas in NumPy (oracle.py)."""

import numpy as np
import pytest
import scipy.sparse as sp

import oracle
import stiction
from conftest import random_problem


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_the_formulas(seed):
    G, g, mu = random_problem(seed)
    rng = np.random.default_rng(seed)
    if seed % 4 == 0:
        mu[0] = 0.0
    impulse = rng.normal(size=g.size) * 10.0 ** rng.integers(-3, 4)
    R = rng.uniform(0.0, 0.1) if seed % 2 else 0.0
    got = stiction.residuals(G, g, mu, impulse, R=R, time_step=0.01)
    assert got.eps_abs == pytest.approx(oracle.eps_abs(G, g, mu, impulse, R=R, time_step=0.01), rel=1e-12)
    assert got.eps_rel == pytest.approx(oracle.eps_rel(G, g, mu, impulse, R=R), rel=1e-12)
    assert got.eps_nat == pytest.approx(oracle.eps_nat(G, g, mu, impulse, R=R), rel=1e-12)
    relaxed = stiction.residuals(G, g, mu, impulse, R=R, model="ccp")
    assert relaxed.eps_abs == pytest.approx(oracle.eps_abs(G, g, mu, impulse, R=R, de_saxce=False), rel=1e-12)


def test_exact_solution_has_no_residual(sliding_block):
    G, g, mu, impulse, _ = sliding_block
    exact = stiction.residuals(G, g, mu, impulse)
    assert exact.eps_abs <= 1e-15
    assert exact.dissipation <= 1e-15
    impulse[2] += 1e-6
    assert stiction.residuals(G, g, mu, impulse).eps_abs > 1e-7


def test_what_a_relaxed_model_breaks(sliding_block):
    G, g, mu, _, _ = sliding_block
    lifted = np.array([-2.0, 0.0, 4.0])  # the CCP's solution: s = (2, 0, 1), s_N > 0 although it pushes
    assert stiction.residuals(G, g, mu, lifted, model="ccp").eps_abs <= 1e-15
    broken = stiction.residuals(G, g, mu, lifted)
    assert broken.normal_separation == pytest.approx(1.0)
    assert broken.signorini_complementarity == pytest.approx(4.0)


def test_sparse_equals_dense():
    G, g, mu = random_problem(3)
    impulse = np.random.default_rng(0).normal(size=g.size)
    dense = stiction.residuals(G, g, mu, impulse)
    for layout in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array):
        assert stiction.residuals(layout(G), g, mu, impulse).eps_abs == pytest.approx(dense.eps_abs, rel=1e-12)


def test_nan_is_infinitely_bad():
    G, g, mu = random_problem(0)
    assert stiction.residuals(G, g, mu, np.full(g.size, np.nan)).eps_rel == np.inf


def test_energy_identity():
    G, g, mu = random_problem(5)
    impulse = np.random.default_rng(2).normal(size=g.size)
    energy = stiction.contact_energy(stiction.make_problem(G, g, mu), impulse)
    assert energy.change == pytest.approx(0.5 * impulse @ (2 * g + G @ impulse), rel=1e-12)
    assert energy.impact_loss == pytest.approx(0.5 * impulse @ G @ impulse, rel=1e-12)


def test_internal_forces_move_nothing():
    G, g, mu = random_problem(5, bodies=1, contacts=4)  # 12 rows on 6 velocities
    problem = stiction.make_problem(G, g, mu)
    impulse = np.random.default_rng(2).normal(size=g.size)
    split = stiction.split_internal_forces(problem, impulse)
    np.testing.assert_allclose(split.external + split.internal, impulse, atol=1e-12)
    np.testing.assert_allclose(G @ split.internal, 0.0, atol=1e-9)
    assert np.linalg.norm(split.internal) > 0.1
    assert split.external @ split.internal == pytest.approx(0.0, abs=1e-9)
