"""Dynamics as functions of (model, q, v) and of a simulator: identities, closed forms, Pinocchio."""

import math

import numpy as np
import pytest

import stiction
from worlds import arm, box_on_plane, pendulum, random_state

GRAVITY = np.array([0, 0, -9.81])


def test_pendulum_in_closed_form():
    length, mass, angle, speed = 1.5, 2.0, 0.7, 1.3
    model = pendulum(length, mass)
    moment = mass * length**2 + 1e-3
    assert np.allclose(stiction.inertia_matrix(model, [angle]), moment)
    assert np.allclose(stiction.bias(model, [angle], [speed]), mass * 9.81 * length * math.sin(angle))
    assert math.isclose(stiction.kinetic_energy(model, [angle], [speed]), 0.5 * moment * speed**2)
    assert math.isclose(stiction.gravity_energy(model, [angle]), -mass * 9.81 * length * math.cos(angle))
    assert np.allclose(stiction.center_of_mass(model, [angle]), [-length * math.sin(angle), 0, -length * math.cos(angle)])


@pytest.mark.parametrize("seed", range(5))
def test_identities(seed):
    model = arm()
    q, v = random_state(model, seed)
    rng = np.random.default_rng(seed + 100)
    tau = rng.normal(size=v.size)
    M, bias = stiction.inertia_matrix(model, q), stiction.bias(model, q, v)
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] > 0
    a = stiction.forward_dynamics(model, q, v, tau)
    assert np.allclose(M @ a + bias, tau, atol=1e-11)
    assert np.allclose(stiction.inverse_dynamics(model, q, v, a), tau, atol=1e-11)
    assert np.allclose(stiction.solve_inertia(model, q, v, M @ a), a, atol=1e-11)
    assert math.isclose(stiction.kinetic_energy(model, q, v), 0.5 * v @ M @ v, rel_tol=1e-12)
    J = stiction.center_of_mass_jacobian(model, q)
    assert np.allclose(J @ v, stiction.center_of_mass_velocity(model, q, v))
    assert np.allclose(stiction.linear_momentum(model, q, v), stiction.total_mass(model) * (J @ v))
    c = stiction.center_of_mass(model, q)
    about_origin = stiction.angular_momentum(model, q, v, np.zeros(3))
    assert np.allclose(stiction.angular_momentum(model, q, v, None), about_origin - np.cross(c, stiction.linear_momentum(model, q, v)))
    assert math.isclose(stiction.gravity_energy(model, q), -stiction.total_mass(model) * GRAVITY @ c)
    spring = 0.5 * 50 * (q[8] - 0.1) ** 2
    assert math.isclose(stiction.spring_energy(model, q), spring)
    parts = stiction.kinetic_energy(model, q, v) + stiction.gravity_energy(model, q) + spring
    assert math.isclose(stiction.energy(model, q, v), parts)


@pytest.mark.parametrize("frame", ["tip", "slider", "base"])
def test_jacobians_are_derivatives_of_poses(frame):
    model = arm()
    q, v = random_state(model, 3)
    h = 1e-6
    before, after = (stiction.frame_pose(model, stiction.integrate(model, q, v, s * h), frame) for s in (-1, 1))
    twist = stiction.frame_jacobian(model, q, v, frame) @ v
    assert np.allclose((after.position - before.position) / (2 * h), twist[:3], atol=1e-7)
    turned = after.rotation @ before.rotation.T
    spin = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]) / (4 * h)
    assert np.allclose(spin, twist[3:], atol=1e-7)
    place = stiction.frame_pose(model, q, frame).position
    body = model.frames[model.find_frame(frame)].body
    assert np.allclose(stiction.point_jacobian(model, q, v, body, place), stiction.frame_jacobian(model, q, v, frame))


def test_a_simulator_answers_for_its_state():
    model = arm()
    q, v = random_state(model, 4)
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.set_position(q)
    simulator.set_velocity(v)
    for name in (
        "inertia_matrix", "bias", "kinetic_energy", "gravity_energy", "spring_energy", "energy", "center_of_mass",
        "center_of_mass_velocity", "center_of_mass_jacobian", "linear_momentum",
    ):  # fmt: skip
        assert np.array_equal(getattr(simulator, name)(), getattr(stiction, name)(model, q, v)), name
    tau = np.arange(v.size, dtype=float)
    assert np.array_equal(simulator.forward_dynamics(tau), stiction.forward_dynamics(model, q, v, tau))
    assert np.array_equal(simulator.inverse_dynamics(tau), stiction.inverse_dynamics(model, q, v, tau))
    assert np.array_equal(simulator.frame_jacobian("tip"), stiction.frame_jacobian(model, q, v, "tip"))
    assert np.allclose(simulator.frame_pose("tip").matrix, stiction.frame_pose(model, q, "tip").matrix, atol=1e-14)
    assert np.array_equal(simulator.angular_momentum(), stiction.angular_momentum(model, q, v, None))
    simulator.step()
    assert np.array_equal(simulator.bias(), stiction.bias(model, simulator.q, simulator.v))


def test_bad_input():
    model = box_on_plane()
    q, v = model.initial_position, np.zeros(6)
    with pytest.raises(ValueError, match="q has 3 entries"):
        stiction.inertia_matrix(model, [0, 0, 0])
    with pytest.raises(ValueError, match=r"v\[2\] is nan"):
        stiction.bias(model, q, [0, 0, math.nan, 0, 0, 0])
    with pytest.raises(ValueError, match="tau has 1 entries"):
        stiction.forward_dynamics(model, q, v, [1.0])
    with pytest.raises(ValueError, match="'box'"):
        stiction.frame_jacobian(model, q, v, "bocks")
    with pytest.raises(ValueError, match="frame 9"):
        stiction.frame_jacobian(model, q, v, 9)
    with pytest.raises(ValueError, match="body 9"):
        stiction.point_jacobian(model, q, v, 9, (0, 0, 0))


def pinocchio_twin(pin):
    """The arm of worlds.py by Pinocchio. Its free joint has its linear velocity in body axes, ours in world axes."""
    model = pin.Model()
    se3 = pin.SE3
    base = model.addJoint(0, pin.JointModelFreeFlyer(), se3.Identity(), "base")
    upper = model.addJoint(base, pin.JointModelRY(), se3(np.eye(3), np.array([0.2, 0, 0.1])), "upper")
    slider = model.addJoint(upper, pin.JointModelPZ(), se3(np.eye(3), np.array([0, 0, -0.4])), "slider")
    turn = pin.Quaternion(0.5, 0.5, 0.5, 0.5).matrix()
    hand = model.addJoint(slider, pin.JointModelSpherical(), se3(turn, np.array([0, 0.1, 0])), "hand")
    for joint, mass, com, moment in (
        (base, 3, (0.01, 0.02, 0.03), (0.1, 0.2, 0.25)), (upper, 1.2, (0, 0, -0.2), (0.02, 0.02, 0.005)),
        (slider, 0.7, (0, 0, 0), (0.01, 0.01, 0.002)), (hand, 0.4, (0.05, 0, 0), (0.003, 0.002, 0.001)),
    ):  # fmt: skip
        model.appendBodyToJoint(joint, pin.Inertia(mass, np.array(com, float), np.diag(moment)), se3.Identity())
    model.armature = np.array([0.0] * 6 + [0.03] + [0.0] * 4)
    return model


@pytest.mark.parametrize("seed", range(5))
def test_against_pinocchio(seed):
    pin = pytest.importorskip("pinocchio")
    model, twin = arm(), pinocchio_twin(pin)
    data = twin.createData()
    q, v = random_state(model, seed)
    rotation = stiction.Pose((0, 0, 0), q[3:7]).rotation
    to_twin = np.eye(v.size)  # their v = T ours
    to_twin[:3, :3] = rotation.T
    assert np.allclose(stiction.inertia_matrix(model, q), to_twin.T @ pin.crba(twin, data, q) @ to_twin, atol=1e-12)
    tau = np.random.default_rng(seed).normal(size=v.size)
    # d/dt (R p') = R (a' + w x p'): their linear acceleration has the term w x v in body axes.
    theirs = pin.aba(twin, data, q, to_twin @ v, to_twin @ tau)
    acceleration = theirs.copy()
    acceleration[:3] = rotation @ (theirs[:3] + np.cross(v[3:6], rotation.T @ v[:3]))
    assert np.allclose(stiction.forward_dynamics(model, q, v, tau), acceleration, atol=1e-9)
