"""Problems that the Python tests share."""

import contextlib
import pathlib
import signal

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"


def random_mechanics(seed, bodies=4, contacts=6):
    """Free bodies with random contacts: (J, M, v_f). g = J v_f, so that a solution exists."""
    rng = np.random.default_rng(seed)
    jacobian = np.zeros((3 * contacts, 6 * bodies))
    for i in range(contacts):
        for body in rng.choice(bodies, size=min(bodies, 1 + i % 2), replace=False):
            jacobian[3 * i : 3 * i + 3, 6 * body : 6 * body + 6] = rng.normal(size=(3, 6))
    inertia = np.diag(rng.uniform(0.5, 2.0, 6 * bodies))
    return jacobian, inertia, rng.normal(size=6 * bodies)


def random_problem(seed, bodies=4, contacts=6):
    """(G, g, mu) of random free bodies."""
    jacobian, inertia, velocity = random_mechanics(seed, bodies, contacts)
    mu = np.random.default_rng(seed + 1).uniform(0.1, 0.9, contacts)
    return jacobian @ np.linalg.solve(inertia, jacobian.T), jacobian @ velocity, mu


@pytest.fixture
def sliding_block():
    """A block of 2 kg pushed down at 1 m/s and along t1 at 3 m/s, mu = 0.5: it slides, l = (-1, 0, 2), s = (2.5, 0, 0)."""
    return np.eye(3) / 2.0, np.array([3.0, 0.0, -1.0]), 0.5, np.array([-1.0, 0.0, 2.0]), np.array([2.5, 0.0, 0.0])


@contextlib.contextmanager
def ctrl_c_after(seconds):
    """SIGINT's handler after so long, also where SIGINT itself is ignored, as in the background."""
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
