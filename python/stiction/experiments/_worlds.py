"""Worlds and small tools that several experiments share: the papers' cube, shipped scenes, who takes part."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List, Sequence, Tuple

import numpy as np

import stiction as st

GRAVITY = 9.81
#: The side of the papers' cube is 0.2 m, its mass 1 kg.
HALF = 0.1


def solvers(*models: str) -> List[str]:
    """Registered solvers of these contact models; without any: all that know friction."""
    wanted = {getattr(st.ContactModel, name) for name in models}
    found = []
    for name in st.solver_names():
        model = st.make_solver(name).traits.model
        if model in wanted or (not wanted and model != st.ContactModel.frictionless):
            found.append(name)
    return found


def law_of(solver: str) -> Any:
    """The contact model that a solver solves."""
    return st.make_solver(solver).traits.model


def cube(friction: float, mass: float = 1.0, compliance: float = 0.0) -> Any:
    """One cube that rests on the ground, which gives by `compliance`, m/N."""
    builder = new_world(friction, compliance)
    add_cube(builder, "cube", (0.0, 0.0, HALF), mass, friction)
    return builder.build()


def new_world(friction: float, compliance: float = 0.0) -> Any:
    builder = st.ModelBuilder()
    builder.set_gravity((0.0, 0.0, -GRAVITY))
    builder.set_friction_rule("minimum")
    builder.add_shape(st.Plane(), friction=friction, compliance=compliance)
    return builder


def add_cube(builder: Any, name: str, position: Sequence[float], mass: float, friction: float, half: float = HALF) -> Any:
    body = builder.add_body(name=name, position=tuple(position))
    builder.add_shape(body, st.Box((half, half, half)), mass=mass, friction=friction)
    return body


def simulator(model: Any, solver: str, dt: float = 1e-3, tolerance: float = 1e-9, **settings: Any) -> Any:
    """As the papers' experiments ask for: no stabilisation that would hide contact errors, nothing but the tolerance will do."""
    settings.setdefault("baumgarte", 0.0)
    settings.setdefault("max_iterations", 0)
    settings.setdefault("acceptable_tolerance", 0.0)
    return st.Simulator(model, dt=dt, solver=solver, tolerance=tolerance, **settings)


def sliding(solver: str, friction: float, velocity: Tuple[float, float], **settings: Any) -> Any:
    """The cube on the ground at this horizontal velocity."""
    run = simulator(cube(friction), solver, **settings)
    v = np.zeros(6)
    v[:2] = velocity
    run.set_velocity(v)
    return run


def scene(path: str) -> Path:
    """A scene that comes with the package, or lies in the folder of the project."""
    for folder in (Path(st.__file__).parent / "scenes", Path.cwd() / "scenes"):
        if (folder / path).exists():
            return folder / path
    raise FileNotFoundError(2, "no such scene in the package or in ./scenes", path)


def robots_folder() -> Path | None:
    """Where the package example-robot-data keeps its robots, where it is installed."""
    import sysconfig

    for key in ("purelib", "platlib"):
        folder = Path(sysconfig.get_paths()[key]) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return folder
    return None


def internal_forces(contacts: dict, centre: np.ndarray) -> np.ndarray:
    """Of one free body: the part of its contact forces (n, 3) that neither pushes nor turns it."""
    arms = contacts["position"] - centre
    if not len(arms):
        return np.zeros((0, 3))
    grasp = np.hstack([np.vstack([np.eye(3), _cross(arm)]) for arm in arms])
    forces = contacts["force"].ravel()
    return (forces - np.linalg.pinv(grasp) @ (grasp @ forces)).reshape(-1, 3)


def _cross(arm: np.ndarray) -> np.ndarray:
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
