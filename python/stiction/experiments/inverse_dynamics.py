"""A UR5 slides its tool along a wall: torques and contact forces by inverse dynamics, against forward."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

DT = 1e-3


def at_the_wall() -> Any:
    simulator = st.Simulator(st.load_mjcf(worlds.scene("robots/ur5_wall.xml")).model, dt=DT)
    simulator.reset(0)
    return simulator


def push(simulator: Any, k: int) -> np.ndarray:
    """Gravity compensated, 60 N into the wall and 60 N along it in a direction that turns."""
    force = np.array([60.0, 60.0 * np.sin(0.01 * k), 60.0 * np.cos(0.01 * k)])
    return simulator.inverse_dynamics(np.zeros(6)) + simulator.frame_jacobian("wrist_3")[:3].T @ force


def begun_again(before: Any, after: Any) -> Any:
    """Positions and velocities of before the step, with the impulses that it found. R = 0 leaves open how hard the arm presses
    on the wall: any force does, and the joints bear the difference. The inverse takes what is nearest to where it starts."""
    again = after
    again.q, again.v, again.time = before.q, before.v, before.time
    return again


def run(run: Run) -> None:
    steps = 150 if run.quick else 600
    simulator = at_the_wall()
    rows, torque_error, force_error, velocity_error, iterations, residual = [], 0.0, 0.0, 0.0, 0, 0.0
    for k in range(steps):
        torque = push(simulator, k)
        before = simulator.state
        simulator.set_joint_force(torque)
        simulator.step()
        after, contact = simulator.state, simulator.contact_arrays()
        wanted = after.v.copy()
        simulator.state = begun_again(before, simulator.state)
        found = st.inverse_step(simulator, wanted, tolerance=1e-6)
        simulator.state = before
        simulator.set_joint_force(found.joint_force)
        simulator.step()
        velocity_error = max(velocity_error, float(np.abs(simulator.v - wanted).max()))
        simulator.state = after
        forward, inverse = contact["impulse"][0] / DT, np.array(found.impulse)[:3] / DT
        slip = float(np.linalg.norm(contact["velocity"][0, :2]))
        torque_error = max(torque_error, float(np.abs(np.array(found.joint_force) - torque).max()))
        force_error = max(force_error, float(np.abs(forward - inverse).max()))
        iterations, residual = max(iterations, found.iterations), max(residual, found.residuals.eps_abs)
        rows.append([k * DT, slip, *torque, *found.joint_force, *forward, *inverse])
    joints = [f"tau{j}" for j in range(6)]
    run.csv("inverse", ["time", "slip", *[f"{j}_forward" for j in joints], *[f"{j}_inverse" for j in joints],
                        *[f"lambda_{a}_{b}" for b in ("forward", "inverse") for a in ("t1", "t2", "n")]], rows)
    relaxed = diverging(simulator)
    run.csv("relaxation", ["iteration", "ccp_impulse_N_s"], list(enumerate(relaxed)))
    data = np.array(rows)
    with run.figure("inverse", 10.0, 3.4) as figure:
        left, middle, right = figure.subplots(1, 3)
        left.plot(data[:, 0], data[:, 2:8], linewidth=0.8)
        left.plot(data[::10, 0], data[::10, 8:14], "k.", markersize=2)
        left.set_ylabel("τ, N m: lines forward, dots inverse")
        middle.plot(data[:, 0], data[:, 14:17], linewidth=0.8)
        middle.plot(data[::10, 0], data[::10, 17:20], "k.", markersize=2)
        middle.set_ylabel("contact force, N")
        right.semilogy(np.maximum(relaxed, 1e-3))
        right.set_ylabel("impulse of the CCP variant, N s")
        right.set_xlabel("iteration")
    run.check("steps in which the tool slides", int((data[:, 1] > 1e-6).sum()), at_least=0.5 * steps, paper="figure 8: slides")
    run.check("iterations, at most", iterations, at_most=2, paper="one or two at ε = 1e-6, R = 0")
    run.check("ε_abs of the inverse", residual, at_most=1e-6, paper="1e-6")
    run.check("torque, inverse against forward, N m", torque_error, at_most=1e-4, paper="figure 8: the same curves")
    run.check("contact force, inverse against forward, N", force_error, at_most=1e-4, paper="figure 8: the same curves")
    run.check("velocity after inverse and forward, m/s and rad/s", velocity_error, at_most=1e-9)
    run.note("R = 0 and a fixed base: the normal force is open, and the inverse keeps what it starts from, the forward step's")
    run.check("CCP: impulse after 100 iterations over that after 10", relaxed[-1] / relaxed[10], at_least=5.0, paper="diverges")


def diverging(simulator: Any) -> np.ndarray:
    """Norm of the impulse by iteration where the relaxation is asked for a motion that slides."""
    before = simulator.state
    simulator.step()
    wanted = simulator.v.copy()
    simulator.state = before
    found = st.inverse_step(simulator, wanted, contact_model="ccp", max_iterations=100)
    return np.array(found.impulse_history)


EXPERIMENT = Experiment(
    "inverse-dynamics",
    "A UR5 slides its tool along a wall",
    "ADMM 2024, figure 8",
    "Inverse dynamics with rigid contact takes one or two iterations and agrees with forward dynamics; its convex relaxation diverges.",
    run,
)
