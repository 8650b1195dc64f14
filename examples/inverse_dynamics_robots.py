"""Forward after inverse on real robots: a UR5 pressed against a wall, a Solo-12 that stands and slides, from their URDF files.

    python inverse_dynamics_robots.py [FOLDER]

FOLDER holds the robots of PyPI's `example-robot-data` and need not be named where that is installed. Every step is made
forward, inverted (exact, R = 0), and made forward again from the same state with the forces that the inverse gave. Then the
same by the convex relaxation (CCP), which has no answer while a contact slides.
"""

import pathlib
import sys
import tempfile

import numpy as np
import stiction

BOX = """<robot name="{name}"><link name="{name}"><collision><origin xyz="{xyz}"/><geometry><box size="{size}"/></geometry>
</collision><contact><lateral_friction value="{friction}"/></contact></link></robot>"""
UR5 = "ur_description/urdf/ur5_robot.urdf"
UR5_START = np.array([0.3, -1.9, 2.1, -0.6, -1.2, 0.4])
SOLO12 = "solo_description/robots/solo12.urdf"
SOLO12_LEGS = np.tile([0.0, 0.8, -1.6], 4)


def robots_folder():
    """Where example-robot-data is installed, or None."""
    for path in sys.path:
        folder = pathlib.Path(path) / "cmeel.prefix/share/example-robot-data/robots"
        if folder.is_dir():
            return folder
    return None


def with_box(robot, options, **box):
    """The robot, and a box that belongs to the world."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "box.urdf"
        path.write_text(BOX.format(**box), encoding="utf-8")
        return stiction.load_models([(robot, options), path]).model


def push(simulator, k, sideways):
    """Gravity compensated, joints damped, 60 N into the wall, `sideways` N along it in a direction that turns."""
    force = np.array([60.0, sideways * np.sin(0.01 * k), sideways * np.cos(0.01 * k)])
    jacobian = simulator.frame_jacobian("wrist_3_link")[:3]
    return simulator.inverse_dynamics(np.zeros(6)) + jacobian.T @ force - 2.0 * simulator.v


def ur5_at_wall(folder, **settings):
    """The tool pressed against a wall that stands a hand's width before it, at rest."""
    alone = stiction.Simulator(stiction.load(folder / UR5).model)
    alone.set_position(UR5_START)
    x = alone.frame_pose("wrist_3_link").position[0] + 0.15
    model = with_box(folder / UR5, {}, name="wall", xyz=f"{x + 0.5} 0 0", size="1 4 4", friction=0.5)
    simulator = stiction.Simulator(model, dt=1e-3, **settings)
    simulator.set_position(UR5_START)
    for _ in range(1500):
        simulator.set_joint_force(push(simulator, 0, 0.0))
        simulator.step()
    return simulator


def stand(simulator):
    """Servos of 20 N m/rad and 0.3 N m s/rad at the joints, nothing at the base."""
    return np.concatenate([np.zeros(6), 20.0 * (SOLO12_LEGS - simulator.q[7:]) - 0.3 * simulator.v[6:]])


def solo12_on_ground(folder, speed, **settings):
    """Standing, and then pushed to this speed."""
    options = dict(base="floating", position=(0, 0, 0.26))
    model = with_box(folder / SOLO12, options, name="ground", xyz="0 0 -0.5", size="100 100 1", friction=0.6)
    simulator = stiction.Simulator(model, dt=1e-3, **settings)
    simulator.set_position(np.concatenate([simulator.q[:7], SOLO12_LEGS]))
    for _ in range(1000):
        simulator.set_joint_force(stand(simulator))
        simulator.step()
    simulator.set_velocity(np.concatenate([[speed], np.zeros(17)]))
    return simulator


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
    error = np.abs(simulator.v - after.v).max()
    simulator.state = after
    return result, error, report


def measure(simulator, force, steps=200, **settings):
    """What `steps` round trips showed."""
    found = dict(sticking=0, sliding=0, iterations=0, failed=0, eps_abs=0.0, error=0.0, unactuated=0.0)
    for k in range(steps):
        result, error, report = round_trip(simulator, force(simulator, k), **settings)
        found["sticking"] += report.num_sticking
        found["sliding"] += report.num_sliding
        found["failed"] += not result.converged
        for name, value in (
            ("iterations", result.iterations),
            ("eps_abs", result.residuals.eps_abs),
            ("error", error),
            ("unactuated", result.unactuated_norm),
        ):
            found[name] = max(found[name], value)
    return found


def motions(folder, **settings):
    """Name, simulator at its start, force by step."""
    yield "UR5 sticking to the wall", ur5_at_wall(folder, **settings), lambda s, k: push(s, k, 10.0)
    yield "UR5 sliding along the wall", ur5_at_wall(folder, **settings), lambda s, k: push(s, k, 60.0)
    yield "Solo-12 standing", solo12_on_ground(folder, 0.0, **settings), lambda s, k: stand(s)
    yield "Solo-12 sliding", solo12_on_ground(folder, 2.0, **settings), lambda s, k: stand(s)


def growth(simulator, force, model, steps=100):
    """Impulses of the inverse by number of iterations, where the motion slides."""
    for k in range(steps):
        simulator.set_joint_force(force(simulator, k))
        simulator.step()
    before = simulator.state
    simulator.set_joint_force(force(simulator, steps))
    simulator.step()
    v_ref = simulator.v
    simulator.state = before
    return stiction.inverse_step(simulator, v_ref, contact_model=model)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else robots_folder()
    if folder is None or not (folder / UR5).exists():
        print("the robots of example-robot-data are not there: pip install --no-deps example-robot-data, or name their folder")
        return
    print(f"{'':28} {'tolerance':>9} {'sticking':>8} {'sliding':>8} {'iterations':>10} {'failed':>6} {'eps_abs':>8} {'v error':>8} {'unactuated':>10}")
    for tolerance in (1e-9, 1e-12):
        for name, simulator, force in motions(folder, tolerance=tolerance):
            f = measure(simulator, force)
            print(
                f"{name:28} {tolerance:9.0e} {f['sticking']:8} {f['sliding']:8} {f['iterations']:10} {f['failed']:6}"
                f" {f['eps_abs']:8.1e} {f['error']:8.1e} {f['unactuated']:10.1e}"
            )
    for name, simulator, force in motions(folder):
        if "sliding" not in name:
            continue
        start = simulator.state
        for model in ("ncp", "ccp"):
            simulator.state = start
            result = growth(simulator, force, model, 10)
            history = result.impulse_history
            shown = ", ".join(f"{history[k]:.3g} after {k}" for k in (1, 2, 10, 100) if k < len(history))
            print(f"{name}, {model}: {result.status}; impulse (N s) {shown}")


if __name__ == "__main__":
    main()
