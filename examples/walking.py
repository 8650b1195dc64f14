"""Solo-12 walks over slippery bumps: forwards, sideways, in a curve. Prints what was commanded and what came of it.

    python walking.py [PICTURE.png]

Needs `pip install 'stiction[experiments]'` (a quadratic program) and `pip install --no-deps example-robot-data` (the robot).
"""

import sys

import numpy as np
import stiction
from stiction.control import Walker, WalkerSettings, solo12

FRICTION = 0.3
PERIOD = 320  # steps of a gait cycle
COMMANDS = [  # cycles, then vx and vy in m/s, yaw rate in rad/s
    (3, 0.3, 0.0, 0.0),
    (3, 0.0, 0.15, 0.0),
    (3, 0.2, 0.0, 0.5),
]


def heading(simulator):
    x, y, z, w = simulator.q[3:7]
    return np.arctan2(2 * (x * y + z * w), 1 - 2 * (y * y + z * z))


def go(simulator, walker, cycles):
    """Mean velocities of the base over some cycles, in the frame of the heading in their middle."""
    start, before = simulator.q[:2], heading(simulator)
    for _ in range(cycles * PERIOD):
        simulator.set_control(walker.control())
        simulator.step()
    way, turn = simulator.q[:2] - start, heading(simulator) - before
    middle = before + 0.5 * turn
    c, s = np.cos(middle), np.sin(middle)
    seconds = cycles * PERIOD * simulator.time_step
    return np.array([c * way[0] + s * way[1], -s * way[0] + c * way[1], turn]) / seconds


def main():
    try:
        simulator = stiction.Simulator(solo12.world(FRICTION, solo12.bumps(seed=2, roughness=0.1)), dt=1e-3)
        simulator.reset("standing")
        walker = Walker(simulator, settings=WalkerSettings(friction=FRICTION))
    except (FileNotFoundError, ImportError) as error:
        print(error)
        return
    print(f"{'commanded':>24}   {'measured':>24}   m/s, m/s, rad/s")
    for cycles, *command in COMMANDS:
        walker.command(*command)
        go(simulator, walker, 2)  # the command is reached by a ramp
        measured = go(simulator, walker, cycles)
        print("   ".join("".join(f"{value:8.3f}" for value in values) for values in (command, measured)))
    print(f"base at {simulator.q[2]:.3f} m; steps not certified: {simulator.num_uncertified_steps}")
    if len(sys.argv) == 2:
        simulator.save_picture(sys.argv[1], show_forces=True)


if __name__ == "__main__":
    main()
