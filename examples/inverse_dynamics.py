"""Inverse dynamics with contact: a UR5 whose tool is pushed along a wall, a Solo-12 that stands and slides.

Every forward step makes a motion that can be reached; the inverse finds forces for it; fed back, they must give it again. Then
the same question in the convex relaxation (CCP), which has no answer while a contact slides.
"""

import pathlib

import numpy as np

import stiction

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes" / "robots"


def load(name, **settings):
    model = stiction.load_mjcf(SCENES / name).model
    simulator = stiction.Simulator(model, dt=1e-3, **settings)
    simulator.reset(0)
    return simulator


def push(simulator, k, sideways):
    """Gravity compensated, 60 N into the wall, `sideways` N along it in a direction that turns."""
    force = np.array([60.0, sideways * np.sin(0.01 * k), sideways * np.cos(0.01 * k)])
    jacobian = simulator.frame_jacobian("wrist_3")[:3]
    return simulator.inverse_dynamics(np.zeros(6)) + jacobian.T @ force


def stand(simulator, target):
    """Servos of 20 N m/rad and 0.3 N m s/rad at the joints, nothing at the base."""
    return np.concatenate([np.zeros(6), 20.0 * (target[7:] - simulator.q[7:]) - 0.3 * simulator.v[6:]])


def round_trip(simulator, force, **settings):
    """Forward, inverse, forward again from the same state: what the inverse said, and the error of the velocity."""
    before = simulator.state
    simulator.set_joint_force(force)
    report = simulator.step()
    after = simulator.state
    simulator.state = before
    result = stiction.inverse_step(simulator, after.v, **settings)
    simulator.set_joint_force(result.joint_force)
    simulator.step()
    error = np.linalg.norm(simulator.v - after.v)
    simulator.state = after
    return result, error, report


def run(name, simulator, force, steps=300, **settings):
    errors, unactuated, residual, iterations, sliding, sticking, failed = [], [], [], [], 0, 0, 0
    for k in range(steps):
        result, error, report = round_trip(simulator, force(simulator, k), **settings)
        errors.append(error)
        unactuated.append(result.unactuated_norm)
        residual.append(result.residuals.eps_abs)
        iterations.append(result.iterations)
        failed += not result.converged
        sliding += report.num_sliding
        sticking += report.num_sticking
    print(
        f"{name:32} {sticking:8} {sliding:8} {max(iterations):10} {failed:7} {max(residual):10.1e} {max(errors):11.1e}"
        f" {max(unactuated):12.1e}"
    )


def ncp_against_ccp(simulator):
    for k in range(150):
        simulator.set_joint_force(push(simulator, k, 60.0))
        simulator.step()
    before = simulator.state
    simulator.step()
    v_ref, slip = simulator.v, np.linalg.norm(simulator.contacts()[0].velocity[:2])
    simulator.state = before
    print(f"\nUR5 sliding along the wall at {slip:.3f} m/s, by the number of iterations allowed:")
    print(f"{'':12} {'NCP: impulse':>14} {'torque':>10} {'eps_abs':>9} {'CCP: impulse':>14} {'torque':>10} {'eps_abs':>9}")
    for count in (1, 2, 5, 10, 100):
        row = []
        for model in ("ncp", "ccp"):
            result = stiction.inverse_step(simulator, v_ref, contact_model=model, max_iterations=count)
            row += [np.linalg.norm(result.impulse), np.linalg.norm(result.joint_force), result.residuals.eps_abs]
        print(f"{count:12} {row[0]:10.4f} N s {row[1]:6.1f} N m {row[2]:9.1e} {row[3]:10.2g} N s {row[4]:6.1g} N m {row[5]:9.1e}")
    for model in ("ncp", "ccp"):
        result = stiction.inverse_step(simulator, v_ref, contact_model=model)
        print(f"{model}: {result.status} after {result.iterations} iterations")


def main():
    print(
        f"{'forward after inverse':32} {'sticking':>8} {'sliding':>8} {'iterations':>10} {'failed':>7} {'eps_abs':>10}"
        f" {'v error':>11} {'unactuated':>12}"
    )
    run("UR5 sticking to the wall", load("ur5_wall.xml"), lambda s, k: push(s, k, 10.0))
    run("UR5 sliding along the wall", load("ur5_wall.xml"), lambda s, k: push(s, k, 60.0))
    for name, velocity in (("standing", 0.0), ("sliding", 2.0)):
        for method in ("least_squares", "exact"):
            solo = load("solo12.xml", tolerance=1e-11)
            target = solo.q
            solo.set_velocity(np.concatenate([[velocity], np.zeros(17)]))
            run(f"Solo-12 {name}, {method}", solo, lambda s, k: stand(s, target), method=method)
    ncp_against_ccp(load("ur5_wall.xml"))


if __name__ == "__main__":
    main()
