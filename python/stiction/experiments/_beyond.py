"""What the experiments beyond the papers share: worlds of the public benchmarks of simulators."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction as st

from . import _worlds as worlds


def spheres(restitution: float, gap: float = 0.01) -> Any:
    """6 × 6 × 6 spheres of 0.1 m and 10 kg without friction, a little apart and a little out of line."""
    random = np.random.default_rng(42)
    builder = st.ModelBuilder()
    builder.set_gravity((0.0, 0.0, -worlds.GRAVITY))
    builder.add_shape(st.Plane(), friction=0.0, restitution=restitution)
    pitch = 0.2 + gap
    for place in np.ndindex(6, 6, 6):
        position = pitch * np.array(place) + (-0.6, -0.6, 0.101) + 1e-3 * random.uniform(size=3)
        body = builder.add_body(position=tuple(position))
        builder.add_shape(body, st.Sphere(0.1), mass=10.0, friction=0.0, restitution=restitution)
    return builder.build()


def depths(positions: np.ndarray) -> np.ndarray:
    """Penetrations of spheres of 0.1 m with each other and the ground, m."""
    a, b = np.triu_indices(len(positions), 1)
    between = np.maximum(0.0, 0.2 - np.linalg.norm(positions[a] - positions[b], axis=1))
    return np.concatenate([between, np.maximum(0.0, 0.1 - positions[:, 2])])


def positions_of(simulator: Any) -> np.ndarray:
    """Of free bodies alone, (n, 3)."""
    return np.array(simulator.q).reshape(-1, 7)[:, :3]


def anymal() -> Any:
    """ANYmal B of example-robot-data where that is installed, else the quadruped that comes with the package; free of dampers,
    limits and actuators, as a builder."""
    folder = worlds.robots_folder()
    if folder is not None:
        model = st.load_urdf(folder / "anymal_b_simple_description/robots/anymal.urdf", base="floating", position=(0.0, 0.0, 0.6),
                             package_roots=[folder.parent.parent]).model
    else:
        model = st.load(worlds.scene("robots/quadruped.xml")).model
    free = {"lower": -np.inf, "upper": np.inf, "damping": 0.0, "dry_friction": 0.0, "stiffness": 0.0}
    hinges = [j.name for j in model.joints if j.num_velocities == 1]
    return st.ModelBuilder.from_model(model.edited(joints={name: dict(free) for name in hinges}))
