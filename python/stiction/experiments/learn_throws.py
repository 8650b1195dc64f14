"""Throws of a box and a pentagonal prism by the learned model and by the purely data-driven one, against the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction

from . import _learning as shared
from .experiment import Experiment, Run

CLAIM = (
    "100 throws of 1.6 s: final position within 0.039 m, orientation within 0.243 rad, first impulse within 0.033 N s of the truth; "
    "the purely data-driven model is about ten times worse."
)
PAPER = {"box": ("0.039", "0.243", "0.033"), "pentagon": ("0.053", "0.355", "0.014")}


def run(run: Run) -> None:
    bodies = {"box": stiction.thrown_box(shared.BOX, friction=1.0)}
    if not run.quick:
        bodies["pentagon"] = stiction.thrown_prism(0.1, 0.06, friction=1.0)
    for name, model in bodies.items():
        _throw(run, name, model)
    run.note("position: length of the difference of the horizontal positions, which is no smaller than that of the distances travelled")
    run.note("a throw whose contact sequence differs once ends elsewhere: means are carried by few throws, medians by the others")


def _throw(run: Run, name: str, model: Any) -> None:
    size = "quick" if run.quick else "medium"
    steps, count = 800, 20 if run.quick else 100
    data = stiction.generate_throws(model, 100 if run.quick else 2500, seed=1)
    data.append(stiction.generate_collisions(model, 3000 if run.quick else 30000, seed=3))
    run.note(f"{name}: {len(data)} samples; static, dynamic, detach by point, line, surface: {data.counts}")
    learned = stiction.LearnedSimulator(model, shared.train(run, data, "patch", f"{name}-learned", size))
    driven = stiction.DataDrivenSimulator(model, shared.train(run, data, "paper", f"{name}-data-driven", size, with_contact=False, with_whole=True))
    starts = [stiction.throw_start(model, 1000, k) for k in range(count)]
    truths = [stiction.track_throw(model, q, v, steps) for q, v in starts]
    way, turn, first = shared.means_of_truth(starts, truths)
    ours = shared.compare_throws(model, learned, starts, truths, steps)
    theirs = shared.compare_throws(model, driven, starts, truths, steps)
    rows = [(k, *(float(of[what][k]) for of in (ours, theirs) for what in ("position", "orientation", "impulse"))) for k in range(count)]
    run.csv(f"{name}-errors", ["throw", "position, m", "orientation, rad", "first impulse, N s", "position, data-driven",
                               "orientation, data-driven", "first impulse, data-driven"], rows)
    report = learned.report
    run.note(f"{name}, truth means: way {way:.3f} m, turn {turn:.3f} rad, first impulse {first:.3f} N s")
    run.note(f"{name}, medians: position {np.median(ours['position']):.4f} m, orientation {np.median(ours['orientation']):.4f} rad, "
             f"first impulse {np.median(ours['impulse']):.4f} N s; last throw: {report}")
    bounds = {"position": 0.06, "orientation": 0.3, "impulse": 0.3} if run.quick else {"position": 0.039, "orientation": 0.243, "impulse": 0.033}
    for what, paper in zip(bounds, PAPER[name]):
        run.check(f"{name}: {what}, mean error", float(np.mean(ours[what])), at_most=bounds[what], paper=paper)
    ratio = float(np.mean(theirs["position"]) / np.mean(ours["position"]))
    run.check(f"{name}: position error of the data-driven model over ours", ratio, at_least=4.0 if run.quick else 5.0, paper="about 10")
    run.check(f"{name}: median position error, m", float(np.median(ours["position"])), at_most=0.03 if run.quick else 0.039)
    run.check(f"{name}: median error of the first impulse, N s", float(np.median(ours["impulse"])), at_most=0.15 if run.quick else 0.033)
    if name == "box":
        sequences = [(shared.events(truth, shared.BOX), shared.events(a, shared.BOX), shared.events(b, shared.BOX))
                     for truth, a, b in zip(truths, ours["tracks"], theirs["tracks"])]
        run.csv("box-events", ["truth", "learned", "data-driven"], sequences)
        same = np.mean([_common(truth, mine) for truth, mine, _ in sequences])
        other = np.mean([_common(truth, driven_text) for truth, _, driven_text in sequences])
        run.check("box: first events that are those of the truth, share, beyond the data-driven model's", float(same - other), at_least=0.0)
        run.note(f"box, events of the first throws, truth and learned: {[pair[:2] for pair in sequences[:3]]}")
    with run.figure(f"{name}-throws") as figure:
        axes = figure.subplots()
        for k in range(min(5, count)):
            for track, style in ((truths[k], "k-"), (ours["tracks"][k], "C0--"), (theirs["tracks"][k], "C1:")):
                axes.plot(track["q"][:, 0], track["q"][:, 2], style, linewidth=1)
        axes.set_xlabel("x, m")
        axes.set_ylabel("z, m")
        axes.set_ylim(-0.2, None)
        axes.set_title("truth (black), learned (blue), data-driven (orange)")


def _common(a: str, b: str) -> float:
    """Length of the common beginning, of that of the first."""
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n / max(1, len(a))


EXPERIMENT = Experiment("learn-throws", "Throws by learned contact", "data-augmented 2023, figures 5 and 6", CLAIM, run)
