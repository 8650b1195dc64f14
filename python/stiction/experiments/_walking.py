"""What mpc-flat and mpc-bumpy share: Solo-12 under the walking controller, in simulations that differ in their contact solver alone."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from .experiment import Run

Vector = NDArray[np.float64]

SPEED = 0.3  #: m/s, commanded
RAMP = 1.0  #: s, from which on is measured: the command is reached, the first steps are made
EXACT = "auto"  #: whom the others are compared with
#: The models of the papers, which the figures show.
MODELS = "auto ncp-gs ncp-pgs ncp-admm ncp-staggered ncp-ip raisim-ds raisim ccp-pgs ccp-admm ccp-newton lcp-pgs".split()
#: One of each kind, for the quick form.
QUICK = "auto ncp-newton raisim-ds raisim ccp-admm".split()
MAX_ITERATIONS = 1000
#: No friction at all: nothing walks on that.
NO_FIT = ("lcp-dantzig",)


@dataclass
class Walk:
    """One walk, by step."""

    solver: str
    seed: int
    time: Vector
    velocity: Vector  #: of the base, along the commanded direction and to its left, m/s
    place: Vector  #: x, y, z of the base
    heading: Vector
    eps_abs: Vector  #: of the exact law
    solve: Vector  #: s, the stage that solves
    iterations: Vector
    contacts: Vector
    sliding: Vector
    wanted: int  #: steps; fewer were made where the robot fell
    end: Vector  #: q

    @property
    def fell(self) -> bool:
        return len(self.time) < self.wanted

    def smooth(self, period: float) -> Vector:
        """Forward velocity, averaged over a period of the gait."""
        count = int(round(period / 1e-3))
        return np.convolve(self.velocity[:, 0], np.full(count, 1 / count), "valid")

    @property
    def measured(self) -> slice:
        """The steps after the ramp, a whole number of them."""
        return slice(int(RAMP * 1e3), None)


def solvers(run: Run) -> List[str]:
    """All that fit; in the quick form one of each kind."""
    import stiction

    return list(QUICK) if run.quick else [name for name in stiction.solver_names() if name not in NO_FIT]


def walk(solver: str, seed: int, model: Any, seconds: float, push: Optional[Tuple[float, Vector]] = None) -> Walk:
    """Walks at SPEED; `push` is a time and a force that acts on the base for 0.1 s from then on."""
    import stiction
    from stiction.control import Walker

    # The settings of all are the same; every step is judged by the exact law and timed.
    simulator = stiction.Simulator(model, dt=1e-3, solver=solver, max_iterations=MAX_ITERATIONS, judge_model="ncp", timed_every=1)
    simulator.reset("standing")
    walker = Walker(simulator)  # it is not told how slippery the ground is
    walker.command(vx=SPEED)
    count = int(round(seconds * 1e3))
    rows = np.empty((count, 12))
    for k in range(count):
        _push(simulator, k * 1e-3, push)
        simulator.set_control(walker.control())
        report = simulator.step()
        q, v = simulator.q, simulator.v
        x, y, z, w = q[3:7]
        heading = np.arctan2(2 * (x * y + z * w), 1 - 2 * (y * y + z * z))
        counts = report.iterations, report.num_contacts - report.num_open, report.num_sliding
        rows[k] = (simulator.time, *v[:2], *q[:3], heading, report.residuals.eps_abs, report.seconds["solve"], *counts)
        if not np.isfinite(q).all() or 1 - 2 * (x * x + y * y) < 0.5:  # the base is upside down, or nearly
            rows = rows[: k + 1]
            break
    columns = rows[:, 0], rows[:, 1:3], rows[:, 3:6], *rows[:, 6:].T
    return Walk(solver, seed, *columns, wanted=count, end=simulator.q)


def walks(run: Run, cases: Sequence[Tuple[Any, ...]]) -> List[Walk]:
    """`walk` of each case; the full form walks on all processors, whose walks do not know of each other."""
    if run.quick:
        return [walk(*case) for case in run.progress(cases)]
    with ProcessPoolExecutor(int(os.environ.get("STICTION_JOBS", 0)) or os.cpu_count(), get_context("spawn")) as pool:
        results = pool.map(walk, *zip(*cases))
        return [next(results) for _ in run.progress(cases)]


def _push(simulator: Any, time: float, push: Optional[Tuple[float, Vector]]) -> None:
    if push is None:
        return
    begin, force = push
    if abs(time - begin) < 1e-9:
        simulator.add_external_force(0, force, simulator.q[:3])
    if abs(time - begin - 0.1) < 1e-9:
        simulator.clear_external_forces()


HEADER = (
    "solver seed fell speed_m_s largest_lateral_m largest_heading_rad deviation_m_s largest_difference_m_s parting_m "
    "eps_abs_median eps_abs_sliding eps_abs_max share_above_1e-6 solve_us_median solve_us_mean iterations_mean sliding_contact_steps"
).split()


@dataclass
class Summary:
    """One walk in figures: `values` by the names of HEADER."""

    walk: Walk
    values: Dict[str, Any]


def summarise(walks: Sequence[Walk]) -> List[Summary]:
    """Each against the exact walk over the same ground.

    `deviation` is the rms over time of the forward velocity, averaged over a period, less that of the exact walk; `largest_difference`
    the largest of the velocity as it is; `parting` how far the base ever is from where it is in the exact walk. `eps_abs_sliding` is
    the median over steps in which a contact slides.
    """
    exact = {w.seed: w for w in walks if w.solver == EXACT}
    return [Summary(w, _values(w, exact[w.seed])) for w in walks]


def _values(w: Walk, exact: Walk) -> Dict[str, Any]:
    n = min(len(w.time), len(exact.time))
    m = max(n - int(round(period() * 1e3)), 1)
    difference = w.smooth(period())[:m] - exact.smooth(period())[:m]
    touching, slides = w.contacts > 0, w.sliding > 0
    eps, solve = w.eps_abs[touching], 1e6 * w.solve[touching]
    values = (
        *(w.solver, w.seed, int(w.fell), speed(w), np.abs(w.place[:, 1]).max(), np.abs(w.heading).max()),
        *(np.sqrt(np.mean(difference**2)), np.abs(w.velocity[:n, 0] - exact.velocity[:n, 0]).max()),
        np.hypot(*(w.place[:n, :2] - exact.place[:n, :2]).T).max(),
        *(np.median(eps), np.median(w.eps_abs[slides]) if slides.any() else 0.0, eps.max(), np.mean(eps > 1e-6)),
        *(np.median(solve), solve.mean(), w.iterations[touching].mean(), int(w.sliding[w.measured].sum())),
    )
    return dict(zip(HEADER, values))


def period() -> float:
    """Of the gait, s."""
    from stiction.control import Gait

    return Gait.trot().period


def speed(walk: Walk) -> float:
    """Mean forward velocity after the ramp over whole periods of the gait; zero where the robot fell."""
    if walk.fell:
        return 0.0
    count = int(round(period() * 1e3))
    x = walk.place[walk.measured, 0]
    whole = (len(x) - 1) // count * count
    return float((x[whole] - x[0]) / (whole * 1e-3)) if whole else 0.0


def mean_of(summaries: Sequence[Summary], solver: str, what: str) -> float:
    """Mean over the seeds of a column."""
    return float(np.mean([s.values[what] for s in summaries if s.walk.solver == solver]))


def largest_of(summaries: Sequence[Summary], solver: str, what: str) -> float:
    """Largest over the seeds of a column."""
    return float(np.max([s.values[what] for s in summaries if s.walk.solver == solver]))


def worst_speed(summaries: Sequence[Summary], solver: str) -> float:
    """Of the seeds, the speed that is farthest from the commanded one."""
    return max((s.values["speed_m_s"] for s in summaries if s.walk.solver == solver), key=lambda value: abs(value - SPEED))


def picture(model: Any, walk: Walk) -> Any:
    """The robot where it ended."""
    import stiction

    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.set_position(walk.end)
    x, y, _ = walk.place[-1]
    return simulator.render(640, 400, camera=stiction.Camera(position=(x - 0.7, y - 1.1, 0.7), target=(x + 0.1, y, 0.1)))


def write(run: Run, walks: Sequence[Walk], summaries: Sequence[Summary], image: Any, title: str) -> None:
    """walks.csv, velocity.csv and the figure, laid out as the paper's."""
    run.csv("walks", HEADER, [[summary.values[name] for name in HEADER] for summary in summaries])
    every = 10
    rows = [
        (w.solver, w.seed, f"{w.time[k]:.3f}", *w.velocity[k], *w.place[k], w.heading[k], w.eps_abs[k], w.solve[k])
        for w in walks
        for k in range(0, len(w.time), every)
    ]
    run.csv("velocity", "solver seed time_s vx_m_s vy_m_s x_m y_m z_m heading_rad eps_abs solve_s".split(), rows)
    first = [w for w in walks if w.seed == walks[0].seed and w.solver in MODELS]
    with run.figure(run.name, 11.0, 7.4) as figure:
        (world, velocity), (residual, times) = figure.subplots(2, 2)
        world.imshow(image)
        world.set_axis_off()
        world.set_title(title)
        window = int(period() * 1e3)
        for w in first:
            velocity.plot(w.time[window // 2 : window // 2 + len(w.smooth(period()))], w.smooth(period()), lw=1.0, label=w.solver)
            blocks = w.eps_abs[: len(w.eps_abs) // 20 * 20].reshape(-1, 20).max(axis=1)
            residual.semilogy(w.time[: len(blocks) * 20 : 20], blocks + 1e-16, lw=0.8)
        velocity.axhline(SPEED, color="black", lw=0.6, ls="--")
        velocity.set(xlabel="time, s", ylabel="forward velocity of the base, m/s", title="averaged over a period of the gait")
        velocity.legend(fontsize=7, ncols=2)
        residual.set(xlabel="time, s", ylabel="ε_abs of the exact law", title="largest of 20 steps")
        names = [w.solver for w in first]
        times.barh(names, [mean_of(summaries, name, "solve_us_median") for name in names])
        times.set_xscale("log")
        times.invert_yaxis()
        times.set(xlabel="median time of a solve, µs")

