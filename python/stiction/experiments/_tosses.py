"""The recorded tosses in `scenes/tosses`: where they are, and the protocols that their READMEs define."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, List, Sequence

import numpy as np

import stiction

from ..fit import Score, Trajectory, read_csv, toss_error

CUBE_WIDTH = 0.1048  # m, edge
CUBE_MASS, CUBE_INERTIA = 0.37, 0.00081  # kg, kg m², as published
ELBOW_HALF = (0.05, 0.025, 0.025)  # m, each link
ELBOW_WIDTH = 0.1  # m, length of a link: what position errors are parts of


def toss_folder(name: str) -> Path:
    """`scenes/tosses/NAME`, in $STICTION_SCENES, below the working folder or one above it, or in the checkout."""
    places = [Path(os.environ["STICTION_SCENES"])] if "STICTION_SCENES" in os.environ else []
    here = Path.cwd()
    places += [folder / "scenes" for folder in (here, *here.parents, *Path(__file__).resolve().parents)]
    for place in places:
        if (place / "tosses" / name).is_dir():
            return place / "tosses" / name
    raise FileNotFoundError(f"no folder scenes/tosses/{name} here or above; set STICTION_SCENES to the folder 'scenes' of a checkout")


@dataclass(frozen=True)
class Toss:
    """A recorded toss with what its index says."""

    trajectory: Trajectory
    touch: int  #: first row with the nominal lowest corner at or below the board
    flight: int = 0  #: rows of free flight, from the first on

    @property
    def name(self) -> str:
        return self.trajectory.name


def read_cube(folder: Path) -> List[Toss]:
    """The training tosses of the cube with the start of measure B: row k_start, velocities of the index."""
    index = _index(folder / "cube-toss-train-index.csv")
    found = []
    for trajectory in read_csv(folder / "cube-toss-train.csv.gz"):
        line = index[trajectory.name]
        start = int(line["k_start"])
        velocity = trajectory.velocities[start]
        if start >= 4:
            velocity = np.array([float(line[name]) for name in ("v0x", "v0y", "v0z", "w0x", "w0y", "w0z")])
        found.append(Toss(replace(trajectory, start=start, start_velocity=velocity), int(line["k_touch"] or len(trajectory))))
    return found


def read_elbow(folder: Path) -> List[Toss]:
    """The training tosses of the elbow, starting at row 3: the rows before it gave the filtered velocity of that row.

    The hinge angle of the table is wrapped; here it goes on beyond π.
    """
    index = _index(folder / "elbow-toss-train-index.csv")
    found = []
    for trajectory in read_csv(folder / "elbow-toss-train.csv.gz"):
        q = trajectory.positions.copy()
        q[:, 7] = np.unwrap(q[:, 7])
        v = trajectory.velocities[3].copy()
        v[2] -= 9.81 * trajectory.interval / 2  # backward differences belong to the middle of the interval
        line = index[trajectory.name]
        touch, flight = int(line["k_touch"] or len(trajectory)), int(line["flight_rows"] or 0)
        found.append(Toss(replace(trajectory, positions=q, start=3, start_velocity=v), touch, flight))
    return found


def _index(path: Path) -> "dict[str, dict[str, str]]":
    with open(path, newline="") as file:
        return {line["toss"]: line for line in csv.DictReader(file)}


def along_throw(toss: Toss) -> Toss:
    """The toss turned about the vertical until it is thrown along x: what leans, leans in these axes."""
    v = toss.trajectory.initial_velocity
    return replace(toss, trajectory=toss.trajectory.turned(-float(np.arctan2(v[1], v[0]))))


def plain_cube(friction: float, *, restitution: float = 0.0, compliance: float = 0.0, damping: float = 0.0,
               inertia: float = CUBE_INERTIA, com: Sequence[float] = (0, 0, 0)) -> stiction.Model:  # fmt: skip
    """A box on a board."""
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="board", friction=friction)
    body = builder.add_body(name="cube", mass=CUBE_MASS, com=com, inertia=[inertia] * 3)
    builder.add_shape(
        body, stiction.Box((CUBE_WIDTH / 2,) * 3), name="cube", friction=friction, restitution=restitution,
        compliance=compliance, damping=damping,
    )  # fmt: skip
    return builder.build()


def score(tosses: Sequence[Toss], predict: Callable[[Trajectory], Any], width: float, rows: int = 0) -> Score:
    """Errors of `predict(trajectory)` → q at the rows from its start on; of the first `rows` rows where that is not 0."""
    errors = []
    for toss in tosses:
        t = toss.trajectory.first(rows) if rows else toss.trajectory
        errors.append(toss_error(t.name, t.positions[t.start :], predict(t), width))
    return Score(errors)
