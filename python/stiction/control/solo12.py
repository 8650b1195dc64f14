"""Solo-12 and the worlds that it walks in: its URDF is that of PyPI's `example-robot-data`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from .sensing import Quadruped

_LEGS = ("FL", "FR", "HL", "HR")
#: Names and sizes of the robot. The motors hold about 2.7 N·m.
SOLO12 = Quadruped(
    feet=tuple(f"{leg}_FOOT" for leg in _LEGS),
    legs=tuple((f"{leg}_HAA", f"{leg}_HFE", f"{leg}_KFE") for leg in _LEGS),
    foot_radius=0.016,
    stance=(0.0, 0.75, -1.5) * 4,
    torque_limit=2.7,
)
URDF = "solo_description/robots/solo12.urdf"
HINT = "the URDF of Solo-12 is not there: pip install --no-deps example-robot-data, or name the folder of its robots in STICTION_ROBOTS"


def urdf() -> Path:
    """The file; FileNotFoundError says what to install."""
    named = os.environ.get("STICTION_ROBOTS")
    folders = [Path(named)] if named else [Path(path) / "cmeel.prefix/share/example-robot-data/robots" for path in sys.path]
    for folder in folders:
        if (folder / URDF).is_file():
            return folder / URDF
    raise FileNotFoundError(HINT)


def world(friction: float = 0.9, terrain: Optional[Any] = None) -> Any:
    """A Model: the robot standing on a plane, or on a `HeightField`, that has this friction and no restitution."""
    import stiction

    loaded = stiction.load(urdf(), base="floating", position=(0, 0, 1))
    builder = stiction.ModelBuilder.from_model(loaded.model)
    # The ground's material decides (the file's restitution of 0.5 is Bullet's).
    builder.add_shape(terrain or stiction.Plane(), name="ground", friction=friction, restitution=0.0, priority=1)
    builder.add_keyframe(name="standing", q=_standing(loaded.model, terrain))
    return builder.build()


def _standing(model: Any, terrain: Optional[Any]) -> NDArray[np.float64]:
    """The lowest foot's sole on the ground, all others no deeper."""
    import stiction

    q = np.array(model.initial_position, dtype=float)
    q[:7] = [0, 0, 0, 0, 0, 0, 1]
    for name, angle in zip((joint for leg in SOLO12.legs for joint in leg), SOLO12.stance):
        q[model.joints[model.find_joint(name)].first_position] = angle
    feet = [stiction.frame_pose(model, q, foot).position for foot in SOLO12.feet]
    heights = [0.0 if terrain is None else terrain.height_at(x, y) for x, y, _ in feet]
    q[2] = max(height - foot[2] for height, foot in zip(heights, feet)) + SOLO12.foot_radius
    return q


def bumps(
    seed: int,
    roughness: float = 0.1,
    size: Tuple[float, float] = (8.0, 4.0),
    wavelength: Tuple[float, float] = (0.7, 2.0),
    spacing: float = 0.05,
    flat: float = 0.45,
) -> Any:
    """A random smooth terrain: `roughness` m from its lowest to its highest point, wavelengths in m, flat around the start.

    A sum of 64 plane waves with random directions, phases and wave numbers; steeper the shorter the waves are.
    """
    import stiction

    if not (np.isfinite(roughness) and roughness >= 0):
        raise ValueError(f"bumps: roughness is {roughness} m; it must not be negative")
    if not 0 < 2 * spacing <= wavelength[0] <= wavelength[1]:
        raise ValueError(f"bumps: wavelengths from {wavelength[0]} to {wavelength[1]} m do not fit a spacing of {spacing} m")
    random = np.random.default_rng(seed)
    nx, ny = (int(round(length / spacing)) + 1 for length in size)
    x = (np.arange(nx) - 0.5 * (nx - 1)) * spacing
    y = (np.arange(ny) - 0.5 * (ny - 1)) * spacing
    X, Y = np.meshgrid(x, y)
    heights = np.zeros_like(X)
    for _ in range(64):
        k = 2 * np.pi / random.uniform(*wavelength)
        direction, phase = random.uniform(0, 2 * np.pi, 2)
        heights += np.cos(k * (np.cos(direction) * X + np.sin(direction) * Y) + phase)
    away = np.clip((np.hypot(X / 1.3, Y) - 0.5 * flat) / flat, 0, 1)
    heights = (heights - heights[ny // 2, nx // 2]) * away * away * (3 - 2 * away)
    span = heights.max() - heights.min()
    return stiction.HeightField(heights * (roughness / span), spacing, spacing)
