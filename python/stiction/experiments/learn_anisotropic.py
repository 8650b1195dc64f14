"""A box thrown in eight directions onto a surface whose friction is twice as large along y as along x."""

from __future__ import annotations

import math

import numpy as np

import stiction

from . import _learning as shared
from .experiment import Experiment, Run

CLAIM = "Learned from throws onto a ground with friction 1.5 along one axis and 0.75 along the other, distances in eight directions come back."


def run(run: Run) -> None:
    model = stiction.thrown_box(shared.BOX, friction=0.75, friction_2=1.5)
    # The throws to predict slide faster than those of learn-throws: the data must cover them.
    ranges = dict(speed=3.0, impact_speed=3.0, spin=8.0)
    data = stiction.generate_collisions(model, 15000 if run.quick else 60000, seed=1, **ranges)
    data.append(stiction.generate_throws(model, 20 if run.quick else 1500, seed=2, **ranges))
    networks = shared.train(run, data, "patch_ground", "anisotropic", "quick" if run.quick else "medium")
    learned = stiction.LearnedSimulator(model, networks)
    steps, rows = 800, []
    for degrees in range(0, 360, 45):
        q, v = _start(degrees)
        truth = stiction.track_throw(model, q, v, steps)
        ours = learned.track(q, v, steps)
        rows.append((degrees, float(np.linalg.norm(ours["q"][-1, :2])), float(np.linalg.norm(truth["q"][-1, :2]))))
    run.csv("distances", ["direction, degrees", "learned, m", "truth, m"], rows)
    with run.figure("distances") as figure:
        axes = figure.subplots(subplot_kw={"projection": "polar"})
        for column, style, label in ((2, "ko-", "truth"), (1, "C0s--", "learned")):
            angles = [math.radians(row[0]) for row in rows + rows[:1]]
            axes.plot(angles, [row[column] for row in rows + rows[:1]], style, label=label)
        axes.legend()
    differences = [abs(row[1] - row[2]) / row[2] for row in rows]
    # The paper's own table: differences of 0.5 to 24 % of the way, 6 % in the mean.
    run.check("distances, mean difference over eight directions, share", float(np.mean(differences)), at_most=0.15 if run.quick else 0.06, paper="0.056")
    run.check("distances, largest difference, share", float(np.max(differences)), at_most=0.3 if run.quick else 0.24, paper="0.242")
    along_x = np.mean([row[2] for row in rows if row[0] in (0, 180)]) / np.mean([row[2] for row in rows if row[0] in (90, 270)])
    ours_x = np.mean([row[1] for row in rows if row[0] in (0, 180)]) / np.mean([row[1] for row in rows if row[0] in (90, 270)])
    run.check("way along the slippery axis over that along the other, learned", float(ours_x), near=(float(along_x), (0.15 if run.quick else 0.1) * float(along_x)))


def _start(degrees: float) -> tuple:
    """Thrown flat in a direction, the box turned into it: it lands on a face and slides."""
    angle = math.radians(degrees)
    q = np.array([0.0, 0.0, 0.15, 0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)])
    v = np.array([2.5 * math.cos(angle), 2.5 * math.sin(angle), 0.0, 0.0, 0.0, 0.0])
    return q, v


EXPERIMENT = Experiment("learn-anisotropic", "Learned friction that depends on direction", "data-augmented 2023, figure 7", CLAIM, run)
