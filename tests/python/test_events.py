"""Simulation from event to event: closed forms, what it tells, what it refuses."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import stiction
from conftest import ctrl_c_after


def bouncing_ball(restitution: float = 0.5, height: float = 1.0) -> stiction.Model:
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="floor", friction=0.3, restitution=restitution)
    ball = builder.add_body(name="ball", position=(0, 0, 0.1 + height))
    builder.add_shape(ball, stiction.Sphere(0.1), name="ball", mass=1.0, friction=0.3, restitution=restitution)
    return builder.build()


@pytest.mark.parametrize("integrator", ["rk4", "rk45"])
def test_flight_times_of_a_bouncing_ball(integrator: str) -> None:
    simulator = stiction.EventSimulator(bouncing_ball(), integrator=integrator)
    report = simulator.advance(1.3)
    when, speed = math.sqrt(2 / 9.81), math.sqrt(2 * 9.81)
    assert len(simulator.events()) >= 4
    for event in simulator.events():
        assert event.kind == "impact" and event.status == "converged"
        assert event.time == pytest.approx(when, abs=1e-10)
        assert event.speed == pytest.approx(speed, abs=1e-9)
        speed /= 2
        when += 2 * speed / 9.81
    assert report.certified and report.num_impacts == len(simulator.events())
    assert report.largest_penetration <= 1e-9


def test_next_event_stops_just_after_it() -> None:
    simulator = stiction.EventSimulator(bouncing_ball())
    report = simulator.next_event(10.0)
    assert report.num_events == 1
    assert simulator.time == pytest.approx(math.sqrt(2 / 9.81), abs=1e-10)
    assert simulator.v[2] == pytest.approx(0.5 * math.sqrt(2 * 9.81), abs=1e-9)


def test_distances_of_pairs_that_may_touch() -> None:
    simulator = stiction.EventSimulator(bouncing_ball())
    (pair,) = simulator.pair_distances(2.0)
    assert not pair.is_bound and pair.distance == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(np.asarray(pair.point_a) - np.asarray(pair.point_b), pair.distance * np.asarray(pair.normal))
    (far,) = simulator.pair_distances(0.1)
    assert far.is_bound and 0.1 < far.distance <= 1.0 + 1e-12


@pytest.mark.parametrize("tolerance", [0.0, -1e-9, math.nan])
def test_tolerances_that_are_refused(tolerance: float) -> None:
    with pytest.raises(ValueError, match="event_tolerance"):
        stiction.EventSimulator(bouncing_ball(), event_tolerance=tolerance)


def test_a_start_that_overlaps_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="shapes 'floor' and 'ball' overlap"):
        stiction.EventSimulator(bouncing_ball(height=-0.01))


def test_unknown_settings_and_laws_are_refused() -> None:
    with pytest.raises(TypeError):
        stiction.EventSimulator(bouncing_ball(), tolerence=1e-9)
    with pytest.raises(ValueError):
        stiction.EventSimulator(bouncing_ball(), impact_law="hertz")
    simulator = stiction.EventSimulator(bouncing_ball())
    with pytest.raises(ValueError):
        simulator.advance(-1.0)


def landing_heap(count: int = 150) -> stiction.Model:
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="floor", friction=0.5, restitution=0.2)
    for k in range(count):
        body = builder.add_body(name=f"ball{k}", position=(0.2 * (k % 5), 0.2 * (k // 5 % 5), 0.1 + 0.2 * (k // 25)))
        builder.add_shape(body, stiction.Sphere(0.1), mass=1.0 + k % 4, friction=0.5, restitution=0.2)
    return builder.build()


def test_ctrl_c_acts_inside_of_an_event() -> None:
    # Without limits the first impact alone takes far longer than any test may.
    simulator = stiction.EventSimulator(landing_heap(), solver="ncp-pgs", tolerance=1e-15, max_iterations=10**9)
    v = simulator.v
    v[2::6] = -1.0
    v[0::6] = 0.1 * np.arange(150) % 0.7
    simulator.set_velocity(v)
    with ctrl_c_after(0.5):
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                state = simulator.time, simulator.q, simulator.v, simulator.report().num_events
                simulator.next_event(1e-3)
    assert time.monotonic() - begin < 60
    assert simulator.time >= state[0] and simulator.report().num_events == len(simulator.events())
    if simulator.time == state[0]:
        assert np.array_equal(simulator.q, state[1]) and np.array_equal(simulator.v, state[2])
