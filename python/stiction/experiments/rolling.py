"""25 balls that roll on a box that is pulled: velocities against their closed form."""

from __future__ import annotations

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

DT, PULL = 1e-3, 150.0
DIRECTION = np.array([np.cos(0.6), np.sin(0.6), 0.0])


def run(run: Run) -> None:
    steps = 400 if run.quick else 4000
    builder = st.ModelBuilder()
    builder.set_gravity((0.0, 0.0, -worlds.GRAVITY))
    builder.set_friction_rule("maximum")
    builder.add_shape(st.Plane(), friction=0.4)
    box = builder.add_body(name="box", position=(0.0, 0.0, 0.5))
    builder.add_shape(box, st.Box((10.0, 10.0, 0.5)), mass=10.0, friction=0.4)
    for i, j in np.ndindex(5, 5):
        ball = builder.add_body(position=(2.0 * i - 4.0, 2.0 * j - 4.0, 1.5))
        builder.add_shape(ball, st.Sphere(0.5), mass=1.0, friction=0.8)
    simulator = st.Simulator(builder.build(), dt=DT)
    force = np.zeros(simulator.model.num_velocities)
    force[:3] = PULL * DIRECTION
    simulator.set_joint_force(force)
    # The box slides under μ 0.4; every ball rolls on it and takes 2/7 of its acceleration.
    acceleration = (PULL - 0.4 * 35.0 * worlds.GRAVITY) / (10.0 + 25.0 * 2.0 / 7.0)
    rows = []
    for k in run.progress(range(steps // 10)):
        simulator.step(10)
        v = np.array(simulator.v).reshape(-1, 6)[:, :3]
        exact = acceleration * simulator.time * DIRECTION
        rows.append([simulator.time, ((v[0] - exact) ** 2).sum(), ((v[1:] - 2.0 / 7.0 * exact) ** 2).sum(axis=1).mean(), v[0] @ DIRECTION])
    run.csv("rolling", ["time", "squared_error_box", "mean_squared_error_balls", "speed_of_the_box"], rows)
    data = np.array(rows)
    with run.figure("rolling") as figure:
        axes = figure.subplots()
        axes.semilogy(data[:, 0], np.maximum(data[:, 1], 1e-32), label="box")
        axes.semilogy(data[:, 0], np.maximum(data[:, 2], 1e-32), label="balls")
        axes.set_xlabel("s")
        axes.set_ylabel("squared error of the velocity, (m/s)²")
        axes.legend()
    run.check("mean squared error of the box, (m/s)²", data[:, 1].mean(), at_most=1e-9)
    run.check("mean squared error of the balls, (m/s)²", data[:, 2].mean(), at_most=1e-9)


EXPERIMENT = Experiment(
    "rolling",
    "Balls roll on a box that is pulled",
    "beyond the papers: a public benchmark of simulators",
    "The box and the balls that roll on it follow a closed form: stick and slip at once.",
    run,
)
