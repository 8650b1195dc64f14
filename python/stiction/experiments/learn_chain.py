"""A chain of three links swings to the ground; its last link has the contact model that was learned from it alone."""

from __future__ import annotations

import numpy as np

import stiction

from . import _learning as shared
from .experiment import Experiment, Run

CLAIM = "A model trained on the isolated last link is reused at the end of a chain without retraining, and agrees with the truth."
LENGTH, WIDTH, THICKNESS, HEIGHT, FRICTION = 0.4, 0.03, 0.02, 0.9, 0.5


def chain() -> object:
    """Three bars from a pin, horizontal; the last one meets the ground."""
    builder = stiction.ModelBuilder()
    material = stiction.Material(friction=FRICTION)
    builder.add_shape(name="ground", geometry=stiction.Plane(), material=material)
    parent = -1
    for k in range(3):
        place = stiction.Pose(position=(0, 0, HEIGHT) if k == 0 else (LENGTH, 0, 0))
        parent = builder.add_body(name=f"bar{k}", parent=parent, pose=place, joint="revolute", axis=(0, 1, 0))
        builder.add_shape(name=f"shape{k}", body=parent, pose=stiction.Pose(position=(LENGTH / 2, 0, 0)), density=1000.0, material=material,
                          geometry=stiction.Box((LENGTH / 2, WIDTH, THICKNESS)), group=1 if k == 2 else 0, mask=1 if k == 2 else 0)
    return builder.build()


def run(run: Run) -> None:
    bar = stiction.thrown_box((LENGTH / 2, WIDTH, THICKNESS), friction=FRICTION)
    ranges = dict(spin=12.0, speed=3.0, impact_speed=6.0)
    data = stiction.generate_collisions(bar, 9000 if run.quick else 60000, seed=1, **ranges)
    networks = shared.train(run, data, "patch", "bar", "quick" if run.quick else "medium")
    model = chain()
    steps = 600
    truth = stiction.Simulator(model, dt=shared.TIME_STEP)
    learned = stiction.LearnedChain(model, "bar2", networks, tolerance=5e-3)
    exact, ours, report = [], [], {}
    for _ in range(steps):
        truth.step()
        report = learned.step()
        exact.append(np.array(truth.q))
        ours.append(np.array(learned.q))
    a, b = np.array(exact), np.array(ours)
    error = np.abs(a - b).max(axis=1)
    time = shared.TIME_STEP * np.arange(1, steps + 1)
    run.csv("angles", ["time", *(f"truth {k}" for k in range(3)), *(f"learned {k}" for k in range(3))],
            [(t, *x, *y) for t, x, y in zip(time, a, b)])
    with run.figure("angles") as figure:
        axes = figure.subplots()
        for k in range(3):
            axes.plot(time, a[:, k], "k-", linewidth=1)
            axes.plot(time, b[:, k], "C0--", linewidth=1)
        axes.set_xlabel("time, s")
        axes.set_ylabel("joint angles, rad (truth black, learned blue)")
    contacts = max(1, report["num_contact_steps"])
    run.check("joint angles, mean over the run of the largest difference, rad", float(error.mean()), at_most=0.25 if run.quick else 0.1,
              paper="agrees in the video")
    run.check("joint angles at the end, largest difference, rad", float(error[-1]), at_most=0.4 if run.quick else 0.15)
    run.check("steps in contact whose joint impulse was found, share", 1.0 - report["num_unconverged"] / contacts, at_least=0.9,
              paper="always, to 0.5 %")
    run.check("evaluations per step in contact, mean", report["num_evaluations"] / contacts, at_most=30.0, paper="often fewer than 10")
    run.check("penetration, m, largest", report["largest_penetration"], at_most=1e-3)
    run.note(f"{report['num_contact_steps']} steps in contact, {report['num_unconverged']} unconverged, {report['num_frozen']} with the patch state frozen")


EXPERIMENT = Experiment("learn-chain", "Learned contact at the end of a chain", "data-augmented 2023, section 4.3", CLAIM, run)
