"""Settings out of their ranges are refused when they are given, with a message that names setting and value.

(tests/*/settings_test.cpp has every number; here is one way in Python for each struct of settings.)
"""

import math

import numpy as np
import pytest
import stiction
from conftest import SCENES, random_problem
from worlds import box_on_plane

NAN, INF = math.nan, math.inf


def simulator(**settings):
    return lambda: stiction.Simulator(box_on_plane(), **settings)


def problem():
    G, g, mu = random_problem(0)
    return stiction.make_problem(G, g, mu)


def option(solver, **options):
    G, g, mu = random_problem(0)
    return lambda: stiction.solve(G, g, mu, solver=solver, **options)


def events(**settings):
    return lambda: stiction.EventSimulator(box_on_plane(), **settings)


def recording(tmp_path, **settings):
    return lambda: stiction.record(stiction.Simulator(box_on_plane()), str(tmp_path / "run.h5"), **settings)


SIMULATOR = [
    ("dt", -1.0, "time_step is -1"),
    ("tolerance", 0.0, "tolerance is 0"),
    ("tolerance", NAN, "tolerance is nan"),
    ("tolerance", INF, "tolerance is inf"),
    ("acceptable_tolerance", -1.0, "acceptable_tolerance is -1"),
    ("absolute_tolerance", -1.0, "absolute_tolerance is -1"),
    ("geometric_tolerance", 0.0, "geometric_tolerance is 0"),
    ("energy_tolerance", 0.0, "energy_tolerance is 0"),
    ("max_iterations", -1, "max_iterations is -1"),
    ("threads", 0, "threads is 0"),
    ("sleep_speed", 0.0, "sleep_speed is 0"),
    ("sleep_after", 0, "sleep_after is 0"),
    ("sensor_seed", -1, "sensor_seed is -1"),
    ("timed_every", 0, "timed_every is 0"),
    ("baumgarte", 1.5, "baumgarte is 1.5"),
    ("slop", -1.0, "slop is -1"),
    ("largest_correction", NAN, "largest_correction is nan"),
    ("relative_compliance", 2.0, "relative_compliance is 2"),
    ("relative_tangent_compliance", 2.0, "relative_tangent_compliance is 2"),
    ("tangential_compliance", -1.0, "tangential_compliance is -1"),
    ("restitution_threshold", -1.0, "restitution_threshold is -1"),
    ("limit_margin", -1.0, "limit_margin is -1"),
    ("margin", -1.0, "margin is -1"),
]


@pytest.mark.parametrize("name, value, said", SIMULATOR)
def test_simulator(name, value, said):
    with pytest.raises(ValueError, match=said):
        stiction.Simulator(box_on_plane(), **{name: value})


SOLVERS = [
    ("auto", "dense_rows", 2001),
    ("auto", "island_constraints", -1),
    ("auto", "stiff_mass_ratio", 0.0),
    ("ncp-gs", "over_relaxation", 2.0),
    ("ncp-pgs", "over_relaxation", 0.0),
    ("raisim", "decay", 1.5),
    ("ncp-admm", "eta", 0.0),
    ("ncp-admm", "anderson", 31),
    ("ncp-staggered", "inner_iterations", 0),
    ("ncp-ip", "delta", 1.0),
    ("ncp-newton", "patience", 0),
    ("ccp-newton", "regularisation", 0.0),
    ("ncp-accelerated", "growth", 1.0),
    ("max-dissipation", "restitution", 1.1),
    ("max-dissipation", "viscous_rounds", 101),
    ("lcp-lemke", "regularisation", -1.0),
    ("lcp-anitescu-potra", "directions", 3),
]


@pytest.mark.parametrize("solver, name, value", SOLVERS)
def test_options(solver, name, value):
    said = f"{name} is {value:g}"
    with pytest.raises(ValueError, match=said):
        stiction.make_solver(solver).set_option(name, value)
    with pytest.raises(ValueError, match=said):
        stiction.Simulator(box_on_plane(), solver=solver).set_solver_option(name, value)


OTHERS = {
    "judge": (lambda: stiction.judge(problem(), np.zeros(18), time_step=0.0), "time_step is 0"),
    "solve": (option("auto", tolerance=-1.0), "tolerance is -1"),
    "lcp": (lambda: stiction.solve_lemke(stiction.LinearComplementarityProblem(np.eye(2), [-1.0, 1.0]), max_pivots=-1),
            "max_pivots is -1"),
    "events": (events(event_tolerance=0.0), "event_tolerance is 0"),
    "assemble": (lambda: stiction.assemble(box_on_plane(), tolerance=0.0), "tolerance is 0"),
    "comparison": (lambda: stiction.Comparison(box_on_plane(), ["auto"], parting_distance=0.0), "parting_distance is 0"),
    "page of a comparison": (lambda: stiction.Comparison(box_on_plane(), ["auto"], every=-1), "every is -1"),
    "picture": (lambda: stiction.Simulator(box_on_plane()).render(width=0), "width is 0"),
    "view": (lambda: stiction.Simulator(box_on_plane()).view(port=65536), "port is 65536"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_others(what):
    call, said = OTHERS[what]
    with pytest.raises(ValueError, match=said):
        call()


def test_recording(tmp_path):
    with pytest.raises(ValueError, match="compression is 10"):
        recording(tmp_path, compression=10)()
    simulator = stiction.Simulator(str(SCENES / "boxes.xml"))
    path = str(tmp_path / "good.h5")
    with stiction.record(simulator, path) as writer:
        writer.step(5)
    with pytest.raises(ValueError, match="every is 0"):
        stiction.Recording(path).save_page(str(tmp_path / "page.html"), every=0)
