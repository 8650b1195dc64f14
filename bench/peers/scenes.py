"""The scenes: how each is set up, what is measured on it, and what ours must reach.

A measurement takes an engine at the start of the scene and returns Measured: steps, CPU time, numbers by name and a short
text. Targets compare ours with fixed bounds and with the CPU time of MuJoCo (the baseline) in the same run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from . import pinch, robots
from .engine import Engine
from .world import GRAVITY, World


@dataclass
class Setup:
    source: object  # World, Robot or Pinch
    mjcf: str
    time_step: float


@dataclass
class Measured:
    steps: int = 0
    cpu: float = 0.0  # s
    contacts: float = 0.0  # mean over the samples
    numbers: dict[str, float] = field(default_factory=dict)
    text: str = ""
    worst_residual: float | None = None
    uncertified: int | None = None
    stages: dict[str, float] = field(default_factory=dict)  # microseconds

    @property
    def rate(self) -> float:
        return self.steps / self.cpu if self.cpu > 0 else float("nan")


@dataclass
class Target:
    text: str
    # of (ours, the baseline's) to what ours measured and whether that is enough
    check: Callable[[Measured, Measured | None], tuple[str, bool]]


@dataclass
class Scene:
    name: str
    title: str
    setup: Callable[[], Setup]
    measure: Callable[[Engine, "Run"], Measured]
    targets: list[Target]
    variants: tuple[str, ...]  # engines that run it unless told otherwise
    repeats: int = 3
    baseline: str = "mujoco"  # whose time counts; another setting where the default does not do the scene at all


@dataclass
class Run:
    """How long a measurement may take."""

    quick: bool = False
    limit: float = 120.0  # CPU seconds of one run


class Clock:
    """Steps an engine and keeps count; samples contacts, and for ours the time of the stages."""

    def __init__(self, engine: Engine, run: Run):
        self.engine, self.run, self.result = engine, run, Measured()
        self.samples, self.stage_samples = 0, []

    def step(self, count: int) -> bool:
        """False when the CPU time is used up."""
        self.result.cpu += self.engine.step(count)
        self.result.steps += count
        self.result.contacts += self.engine.contacts()
        self.samples += 1
        stages = self.engine.stages()
        if stages:
            self.stage_samples.append(stages)
        return self.result.cpu < self.run.limit

    def finish(self, text: str, **numbers: float) -> Measured:
        result = self.result
        result.contacts /= max(1, self.samples)
        result.text, result.numbers = text, numbers
        result.worst_residual, result.uncertified = self.engine.worst_residual(), self.engine.uncertified()
        if self.stage_samples:  # wall times of sampled steps; medians, because other processes interrupt
            result.stages = {
                name: 1e6 * float(np.median([s[name] for s in self.stage_samples])) for name in self.stage_samples[0]
            }
        if not self.engine.finite():
            result.text += "  NOT FINITE"
        return result


# ---------------------------------------------------------------------------------------------------------------- targets


def at_most(name: str, bound: float, unit: str) -> Target:
    def check(ours, _):
        value = ours.numbers.get(name, float("nan"))
        return f"{value:.3g} {unit}", value <= bound

    return Target(f"{name} ≤ {bound:g} {unit}", check)


def times_faster(factor: float) -> Target:
    def check(ours, baseline):
        if baseline is None:
            return "no MuJoCo to compare with", False
        ratio = ours.rate / baseline.rate
        return f"{ratio:.2f} ×", ratio >= factor

    return Target(f"speed ≥ {factor:g} × MuJoCo", check)


def true(name: str, text: str) -> Target:
    def check(ours, _):
        return ("yes" if ours.numbers.get(name) else "no"), bool(ours.numbers.get(name))

    return Target(text, check)


# ----------------------------------------------------------------------------------------------------------------- robots


def robot_setup(make, time_step=1e-3):
    def setup():
        robot = make(time_step)
        return Setup(robot, robot.mjcf, time_step)

    return setup


def measure_falling(engine: Engine, run: Run) -> Measured:
    """2 s from the start pose; the CPU time is what counts."""
    clock = Clock(engine, run)
    for _ in range(5 if run.quick else 20):
        clock.step(100)
    return clock.finish("")


def measure_quadruped(engine: Engine, run: Run) -> Measured:
    """10 s of standing; how far the feet slip after the second second. A foot is a sphere that rolls while the robot settles: slip
    is what its centre moves beyond that."""
    clock, radius = Clock(engine, run), 0.031
    end, settled = (3000 if run.quick else 10000), 2000
    slip = moved = 0.0
    while clock.result.steps < end:
        clock.step(100)
        if clock.result.steps < settled:
            continue
        centres, turns = engine.feet()
        if clock.result.steps == settled:
            start, slid = centres, np.zeros_like(centres)
        else:
            for k, (now, before) in enumerate(zip(turns, last_turns)):
                rolled = radius * np.cross(rotation_vector(now @ before.T), (0.0, 0.0, 1.0))
                slid[k] += centres[k] - last_centres[k] - rolled
            slip = max(slip, float(np.linalg.norm(slid[:, :2], axis=1).max()))
            moved = max(moved, float(np.linalg.norm((centres - start)[:, :2], axis=1).max()))
        last_centres, last_turns = centres, turns
    text = f"slip {slip:.1e} m, feet moved {moved:.1e} m, lowest {centres[:, 2].min():.5f} m"
    return clock.finish(text, slip=slip, moved=moved)


def rotation_vector(rotation) -> np.ndarray:
    """Of a small turn."""
    skew = 0.5 * (rotation - rotation.T)
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


# ------------------------------------------------------------------------------------------------------------ free bodies


def world_setup(make):
    def setup():
        world = make()
        return Setup(world, world.to_mjcf(), world.time_step)

    return setup


SLIDE_DIRECTION = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6), 0.0])


def slide_world():
    world = World(1e-3, 0.4)
    world.box((0.1, 0.1, 0.1), 1.0, (0, 0, 0.1), 0.4, velocity=tuple(SLIDE_DIRECTION))
    return world


def measure_slide(engine: Engine, run: Run) -> Measured:
    """A cube of 0.2 m and 1 kg at 1 m/s, 30° off the axes; where it comes to rest, and how far off the line."""
    dt, friction = 1e-3, 0.4
    exact = 1.0 / (2 * friction * GRAVITY)
    clock, lateral = Clock(engine, run), 0.0
    for _ in range(100):
        clock.step(10)
        p = engine.positions()[0]
        lateral = max(lateral, abs(p[1] * SLIDE_DIRECTION[0] - p[0] * SLIDE_DIRECTION[1]))
    rest = float(p[:2] @ SLIDE_DIRECTION[:2] - exact)
    clock.step(5000)
    creep = float(np.linalg.norm((engine.positions()[0] - p)[:2])) / 5.0
    steps = int(np.floor(1.0 / (friction * GRAVITY) / dt))
    stepped = sum(1.0 - friction * GRAVITY * dt * k for k in range(1, steps + 1)) * dt - exact
    return clock.finish(
        f"lateral {lateral:.1e} m, rest {rest * 1e3:+.4f} mm (exact stepping {stepped * 1e3:+.4f}), creep {creep:.1e} m/s",
        lateral=lateral, rest_difference=abs(rest - stepped) * 1e3,
    )


def incline_world():
    angle = np.radians(20)
    world = World(1e-3, 0.5, gravity=(GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)))
    world.box((0.1, 0.1, 0.1), 1.0, (0, 0, 0.1), 0.5)
    return world


def measure_incline(engine: Engine, run: Run) -> Measured:
    """The cube on a slope of 20°, μ 0.5, in 10 s after half a second."""
    clock = Clock(engine, run)
    clock.step(500)
    start = engine.positions()[0]
    clock.step(10000)
    creep = float(np.linalg.norm((engine.positions()[0] - start)[:2]))
    return clock.finish(f"creep {creep:.1e} m in 10 s", creep=creep)


def stack_world(ratio: float):
    def make():
        world = World(1e-3, 0.5)
        world.box((0.1, 0.1, 0.1), 1.0, (0, 0, 0.1), 0.5)
        world.box((0.1, 0.1, 0.1), ratio, (0, 0, 0.3), 0.5)
        return world

    return make


def measure_stack(engine: Engine, run: Run) -> Measured:
    """A heavy cube on a cube of 1 kg, 2 s."""
    clock, deepest, stands = Clock(engine, run), 0.0, True
    for _ in range(200):
        clock.step(10)
        low, high = engine.positions()
        if not np.isfinite(low).all() or not np.isfinite(high).all() or high[2] < 0.25 or np.hypot(*high[:2]) > 0.05:
            stands = False
            break
        deepest = max(deepest, 0.1 - low[2], 0.2 - (high[2] - low[2]))
    text = f"{'stands' if stands else 'FELL'}, deepest {deepest * 1e3:.4f} mm"
    return clock.finish(text, stands=stands, penetration=deepest * 1e3 if stands else float("inf"))


def spheres_world():
    random = np.random.RandomState(42)
    world = World(1e-3, 0.0)
    for i in range(6):
        for j in range(6):
            for k in range(6):
                place = np.array([i * 0.21 - 0.6, j * 0.21 - 0.6, k * 0.21 + 0.101]) + 1e-3 * random.uniform(size=3)
                world.sphere(0.1, 10.0, tuple(place), 0.0)
    return world


def measure_spheres(engine: Engine, run: Run) -> Measured:
    """216 frictionless spheres of 0.1 m and 10 kg collapse, 10 s: mean over time of the sum of squared penetrations."""
    clock, total, deepest, samples = Clock(engine, run), 0.0, 0.0, 0
    a, b = np.triu_indices(216, 1)
    end = 2000 if run.quick else 10000
    while clock.result.steps < end and clock.step(10):
        p = engine.positions()
        between = np.maximum(0, 0.2 - np.linalg.norm(p[a] - p[b], axis=1))
        below = np.maximum(0, 0.1 - p[:, 2])
        total += float((between**2).sum() + (below**2).sum())
        samples, deepest = samples + 1, max(deepest, between.max(), below.max())
    error = total / samples
    return clock.finish(f"penetration² {error:.2e} m², deepest {deepest * 1e3:.4f} mm", penetration2=error)


ROLLING_DIRECTION = np.array([0.5, np.sqrt(0.75), 0.0])


def rolling_world():
    """μ is 0.4 under the box and 0.8 on it: ground and box 0.4, balls 0.8, the larger holds."""
    world = World(1e-3, 0.4)
    world.box((10, 10, 0.5), 10.0, (0, 0, 0.5), 0.4, force=tuple(150 * ROLLING_DIRECTION))
    for i in range(5):
        for j in range(5):
            world.sphere(0.5, 1.0, (2.0 * i - 4, 2.0 * j - 4, 1.5), 0.8)
    return world


def measure_rolling(engine: Engine, run: Run) -> Measured:
    """25 balls of 1 kg on a box of 10 kg pulled with 150 N, 4 s: mean squared error of the velocities."""
    acceleration = (150 - 0.4 * 35 * GRAVITY) / (10 + 25 * 2 / 7)
    clock, box, ball, samples = Clock(engine, run), 0.0, 0.0, 0
    while clock.result.steps < 4000 and clock.step(10):
        t, v = clock.result.steps * 1e-3, engine.velocities()
        box += float(((v[0] - acceleration * t * ROLLING_DIRECTION) ** 2).sum())
        ball += float(((v[1:] - acceleration * 2 / 7 * t * ROLLING_DIRECTION) ** 2).sum(1).mean())
        samples += 1
    error = max(box, ball) / samples
    return clock.finish(f"error box {box / samples:.1e}, balls {ball / samples:.1e} (m/s)²", error=error)


def kapla_world():
    world = World(1e-2, 0.8)
    base, wall = (0.025, 0.125, 0.05), (0.1, 0.025, 0.05)
    for floor in range(6):
        for j in range(8):
            world.box(base, 10.0, (0.2 * j, 0, 0.2 * floor + 0.05), 0.8)
        right = [0.4 * j + 0.1 for j in range(4)]
        left = [0.4 * j + 0.3 for j in range(3)] + [0.1, 1.3]
        for y, row in ((-0.1, right), (0.1, left)):
            for x in row:
                world.box(wall, 10.0, (x, y, 0.2 * floor + 0.15), 0.8)
    return world


def measure_kapla(engine: Engine, run: Run) -> Measured:
    """102 blocks of 10 kg in six floors, Δt 10 ms; it falls when the last block is below 1 m."""
    clock, start, fell = Clock(engine, run), engine.positions(), False
    end = 2000 if run.quick else 60000
    while clock.result.steps < end and not fell and clock.step(10):
        fell = not engine.positions()[-1][2] >= 1.0
    seconds = clock.result.steps * 1e-2
    moved = float(np.linalg.norm(engine.positions() - start, axis=1).max())
    full = clock.result.steps >= end and not fell
    text = f"{'FELL' if fell else 'stands'} at {seconds:.0f} s, moved {moved:.1e} m"
    if not fell and not full:
        text += " (out of time)"
    per_step = 1e3 * clock.result.cpu / clock.result.steps
    return clock.finish(text, stands=full and not run.quick, ms_per_step=per_step, moved=moved)


SPEED = ("stiction", "mujoco", "mujoco-noslip", "mujoco-discrete", "drake", "dart-dantzig", "bullet")
BODIES = ("stiction", "mujoco", "mujoco-noslip", "mujoco-discrete", "drake", "dart-nsgs", "bullet")
HEAVY = ("stiction", "mujoco", "mujoco-noslip", "mujoco-discrete", "mujoco-stiff", "drake", "dart-dantzig", "bullet-1000")

SCENES = [
    Scene("quadruped", "quadruped, ANYmal with servos", robot_setup(robots.quadruped), measure_quadruped,
          [times_faster(3), at_most("slip", 1e-9, "m")], SPEED),
    Scene("humanoid", "humanoid.xml falling", robot_setup(robots.humanoid), measure_falling, [times_faster(3)],
          ("stiction", "mujoco", "mujoco-elliptic", "mujoco-noslip", "mujoco-discrete", "drake"), repeats=5),
    Scene("ur5", "UR5 falling", robot_setup(robots.ur5), measure_falling, [times_faster(3)], SPEED, repeats=5),
    Scene("slide", "slide at 30°", world_setup(slide_world), measure_slide,
          [at_most("lateral", 1e-9, "m"), at_most("rest_difference", 1e-4, "mm")], BODIES),
    Scene("incline", "incline of 20°, 10 s", world_setup(incline_world), measure_incline,
          [at_most("creep", 1e-12, "m")], BODIES),
    *(
        Scene(f"stack-1e{power}", f"heavy on light, 1e{power}", world_setup(stack_world(10.0**power)), measure_stack,
              [true("stands", "stands"), at_most("penetration", 0.01, "mm")], HEAVY)
        for power in (2, 4, 6)
    ),
    Scene("666", "216 spheres, 10 s", world_setup(spheres_world), measure_spheres,
          [at_most("penetration2", 1e-8, "m²"), times_faster(2)],
          ("stiction", "mujoco", "mujoco-stiff", "drake", "dart-nsgs", "bullet"), repeats=2, baseline="mujoco-stiff"),
    Scene("rolling", "25 balls rolling on a box", world_setup(rolling_world), measure_rolling,
          [at_most("error", 1e-9, "(m/s)²"), times_faster(1)],
          ("stiction", "mujoco", "mujoco-elliptic", "mujoco-noslip", "mujoco-discrete", "drake", "dart-nsgs", "bullet"),
          baseline="mujoco-elliptic"),
    Scene("kapla", "kapla, 102 blocks, 600 s", world_setup(kapla_world), measure_kapla,
          [true("stands", "stands 600 s"), at_most("ms_per_step", 1.5, "ms")],
          ("stiction", "mujoco", "mujoco-noslip", "mujoco-discrete", "dart-nsgs", "bullet"), repeats=1),
    Scene("pinch", "pinch of a 45 g capsule", pinch.setup, pinch.measure, [at_most("creep", 1e-6, "µm/s")],
          ("stiction", "mujoco", "mujoco-noslip", "mujoco-discrete", "drake", "dart-dantzig", "bullet")),
]
