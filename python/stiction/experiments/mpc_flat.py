"""Solo-12 trots on flat ground, μ = 0.9, under a reactive predictive controller: the contact model hardly matters there."""

from __future__ import annotations

import numpy as np

from ._walking import NO_FIT, SPEED, largest_of, mean_of, picture, solvers, summarise, walks, worst_speed, write
from .experiment import Experiment, Run

CLAIM = (
    "On flat, barely slippery ground (μ 0.9) the choice of the contact model hardly affects the base velocity; contacts stick, and "
    "the violation of the exact law is low."
)
FRICTION = 0.9
PAPER = "figure 17"


def run(run: Run) -> None:
    from stiction.control import solo12

    names, seeds = solvers(run), range(1 if run.quick else 5)
    model = solo12.world(FRICTION)
    seconds = 1.65 if run.quick else 4.0
    walked = walks(run, [(name, seed, model, seconds, _push(seed)) for seed in seeds for name in names])
    summaries = summarise(walked)
    write(run, walked, summaries, picture(model, walked[0]), "flat, μ 0.9")
    for name in names:
        run.check(f"{name}: speed, m/s", worst_speed(summaries, name), near=(SPEED, 0.05 * SPEED), paper="all reach the target")
    run.check(
        "all: rms of the velocity against the exact walk, m/s",
        max(mean_of(summaries, name, "deviation_m_s") for name in names),
        at_most=0.05 * SPEED,
        paper="hardly differ",
    )
    run.check("all: lateral drift, m", max(largest_of(summaries, name, "largest_lateral_m") for name in names), at_most=0.06)
    run.check("all: heading, rad", max(largest_of(summaries, name, "largest_heading_rad") for name in names), at_most=0.1)
    run.note(f"without {', '.join(NO_FIT)}: nothing walks without friction")


def _push(seed: int):
    """None in the first walk; in others 6 N for 0.1 s in a direction of its own, so that the controller has to react."""
    if seed == 0:
        return None
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    return 2.0, np.array([6 * np.cos(angle), 6 * np.sin(angle), 0.0])


EXPERIMENT = Experiment(
    "mpc-flat", "Solo-12 walks on the flat under predictive control", f"comparative 2023, {PAPER}", CLAIM, run, ("proxsuite",)
)
