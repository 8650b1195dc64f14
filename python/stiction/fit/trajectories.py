"""Recorded motion: read from recordings and from tables of real throws, checked, turned, cut into pieces.

A `Trajectory` is in the layout of a model: q and v at times. Tables of throws have the columns

    toss, t, px, py, pz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz [, NAME, dNAME]...

one line per sample: a free body (v in world axes, w in the axes of the body) and, where there are more columns, joints of one
degree of freedom with their rates. Without `toss` the whole table is one trajectory. `.csv` and `.csv.gz` are read alike.
"""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, TextIO, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._stiction import Recording

Array = NDArray[np.float64]

_POSE = ("px", "py", "pz", "qx", "qy", "qz", "qw")
_TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


@dataclass(frozen=True)
class Trajectory:
    """One recorded motion. Rows are samples at equal intervals."""

    name: str
    times: Array  #: s, strictly increasing, equal intervals (1 %)
    positions: Array  #: q, one row per sample, quaternions of length one
    velocities: Array  #: v, one row per sample
    start: int = 0  #: the row that a rollout begins at
    start_velocity: Optional[Array] = None  #: v at `start` where it is known better than velocities[start]
    joint_forces: Optional[Array] = None  #: what was exerted on the joints on the way to each row, N m or N
    quaternions: Sequence[int] = field(default=(3,))  #: where in q quaternions (x, y, z, w) begin

    def __post_init__(self) -> None:
        for name in ("times", "positions", "velocities"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=float))
        _check(self)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def interval(self) -> float:
        """Seconds between samples."""
        return float((self.times[-1] - self.times[0]) / (len(self.times) - 1))

    @property
    def initial_velocity(self) -> Array:
        """v that a rollout begins with."""
        return self.velocities[self.start] if self.start_velocity is None else self.start_velocity

    def pieces(self, rows: int) -> List["Trajectory"]:
        """Consecutive pieces of `rows` samples from `start` on, each beginning at the state recorded there: multiple shooting.

        Neighbours share one sample; a rest of fewer than three samples goes to the piece before it.
        """
        if rows < 3:
            raise ValueError(f"{self.name}: pieces of {rows} rows; a piece has three or more")
        begins = list(range(self.start, len(self) - 2, rows - 1))
        if len(begins) > 1 and len(self) - begins[-1] < 4:
            begins.pop()
        ends = [begin + rows for begin in begins[:-1]] + [len(self)]
        found = []
        for begin, end in zip(begins, ends):
            part = self._rows(begin, end, f"{self.name}/{begin}")
            found.append(replace(part, start_velocity=self.start_velocity) if begin == self.start else part)
        return found

    def first(self, rows: int) -> "Trajectory":
        """From `start` on, at most `rows` samples."""
        part = self._rows(self.start, min(len(self), self.start + rows), self.name)
        return replace(part, start_velocity=self.start_velocity)

    def _rows(self, begin: int, end: int, name: str) -> "Trajectory":
        forces = None if self.joint_forces is None else self.joint_forces[begin:end]
        return replace(
            self, name=name, times=self.times[begin:end], positions=self.positions[begin:end],
            velocities=self.velocities[begin:end], start=0, start_velocity=None, joint_forces=forces,
        )  # fmt: skip

    def turned(self, angle: float) -> "Trajectory":
        """The whole motion of a free body turned about the world's z axis by `angle`, rad."""
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        q, v = self.positions.copy(), self.velocities.copy()
        q[:, :3], v[:, :3] = q[:, :3] @ turn.T, v[:, :3] @ turn.T
        half = np.array([0, 0, np.sin(angle / 2), np.cos(angle / 2)])
        q[:, 3:7] = quaternion_product(np.broadcast_to(half, (len(q), 4)), q[:, 3:7])
        begin = None
        if self.start_velocity is not None:
            begin = self.start_velocity.copy()
            begin[:3] = turn @ begin[:3]
        return replace(self, positions=q, velocities=v, start_velocity=begin)


def quaternion_product(a: Array, b: Array) -> Array:
    """Rows (x, y, z, w) times rows."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([vector, aw * bw - np.sum(av * bv, axis=-1, keepdims=True)], axis=-1)


def rotation_matrices(quaternions: Array) -> Array:
    """One (x, y, z, w) as a matrix, or rows as matrices, shape (rows, 3, 3)."""
    x, y, z, w = np.moveaxis(np.asarray(quaternions, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def read_recording(
    source: Union[Recording, str, "os.PathLike[str]"], *, every: int = 1, name: str = "", forces: bool = True
) -> Trajectory:
    """A recording as one trajectory, every `every`-th step; `forces`: with the joint forces set in its steps."""
    if every < 1:
        raise ValueError(f"every is {every}; 1 or more is wanted")
    recording = source if isinstance(source, Recording) else Recording(source)
    if recording.num_steps < 2 * every:
        raise ValueError(f"{recording.path}: {recording.num_steps} steps; two samples of every {every}-th are wanted at least")
    last = recording.num_steps - recording.num_steps % every
    rows = slice(every - 1, last, every)
    tau = recording.joint_forces() if forces else None
    if tau is not None and every > 1 and np.any(tau):
        changes = np.any(tau[:last].reshape(-1, every, tau.shape[1]) != tau[every - 1 : last : every][:, None, :])
        if changes:
            raise ValueError(f"{recording.path}: joint forces change within {every} steps; read every step")
    quaternions = []
    for body in recording.model.bodies:
        if body.joint in ("free", "ball"):
            quaternions.append(body.first_position + (3 if body.joint == "free" else 0))
    return Trajectory(
        name or Path(recording.path).stem, recording.times()[rows], recording.positions()[rows], recording.velocities()[rows],
        joint_forces=None if tau is None or not np.any(tau) else tau[rows], quaternions=tuple(quaternions),
    )  # fmt: skip


def read_csv(path: Union[str, "os.PathLike[str]"]) -> List[Trajectory]:
    """All trajectories of a table, in its order. ValueError names file, line and column of what is wrong."""
    with _opened(path) as file:
        lines = csv.reader(file)
        header = [name.strip() for name in next(lines, [])]
        columns = _columns(str(path), header)
        groups: Dict[str, List[List[float]]] = {}
        first_line: Dict[str, int] = {}
        for number, line in enumerate(lines, start=2):
            if not line:
                continue
            if len(line) != len(header):
                raise ValueError(f"{path}, line {number}: {len(line)} fields, the header has {len(header)}")
            key = line[columns.toss].strip() if columns.toss >= 0 else Path(path).name.split(".")[0]
            first_line.setdefault(key, number)
            groups.setdefault(key, []).append(_numbers(str(path), number, header, line, columns.used))
    if not groups:
        raise ValueError(f"{path}: no samples")
    return [_trajectory(str(path), key, np.array(rows), first_line[key]) for key, rows in groups.items()]


@dataclass(frozen=True)
class _Columns:
    toss: int  # −1: none
    used: List[int]  # t, q, v


def _columns(path: str, header: Sequence[str]) -> _Columns:
    wanted = ("t", *_POSE, *_TWIST)
    missing = [name for name in wanted if name not in header]
    if missing:
        raise ValueError(f"{path}: no column {', '.join(missing)}; there are {', '.join(header) or 'none'}")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: column {twice[0]} is there twice")
    others = [name for name in header if name not in (*wanted, "toss", "k")]
    joints = [name for name in others if "d" + name in others]
    alone = [name for name in others if name not in joints and name[1:] not in joints]
    if alone:
        raise ValueError(f"{path}: column {alone[0]} is no part of a pose and has no rate d{alone[0]} beside it")
    names = ["t", *_POSE, *joints, *_TWIST, *("d" + name for name in joints)]
    return _Columns(header.index("toss") if "toss" in header else -1, [header.index(name) for name in names])


def _numbers(path: str, number: int, header: Sequence[str], line: Sequence[str], used: Sequence[int]) -> List[float]:
    values = []
    for column in used:
        try:
            value = float(line[column])
        except ValueError:
            value = float("nan")
        if not np.isfinite(value):
            raise ValueError(f"{path}, line {number}: {header[column]} is {line[column]!r}; a finite number is wanted")
        values.append(value)
    return values


def _trajectory(path: str, key: str, table: Array, line: int) -> Trajectory:
    joints = (table.shape[1] - 14) // 2
    try:
        return Trajectory(key, table[:, 0], table[:, 1 : 8 + joints], table[:, 8 + joints :])
    except ValueError as error:
        raise ValueError(f"{path}, from line {line} on: {error}") from None


class _opened:
    """The text of a file, unpacked where its name ends with .gz."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.file: TextIO = gzip.open(path, "rt", newline="") if str(path).endswith(".gz") else open(path, newline="")

    def __enter__(self) -> "Iterator[str]":
        return self._lines()

    def _lines(self) -> "Iterator[str]":
        try:
            yield from self.file
        except (EOFError, gzip.BadGzipFile, UnicodeDecodeError, zlib.error) as error:
            raise ValueError(f"{self.file.name}: not readable as a table: {error}") from None

    def __exit__(self, *_: object) -> None:
        self.file.close()


def _check(t: Trajectory) -> None:
    rows = len(t.times)
    if t.times.ndim != 1 or rows < 2:
        raise ValueError(f"trajectory {t.name}: {rows} samples; two or more are wanted")
    for name in ("positions", "velocities", "joint_forces"):
        table = getattr(t, name)
        if table is None:
            continue
        if table.ndim != 2 or len(table) != rows:
            raise ValueError(f"trajectory {t.name}: {name} has shape {table.shape} for {rows} times")
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            raise ValueError(f"trajectory {t.name}: {name}[{bad[0][0]}, {bad[0][1]}] is {table[tuple(bad[0])]}")
    steps = np.diff(t.times)
    if not np.all(np.isfinite(t.times)) or np.any(steps <= 0):
        k = int(np.argmax(~(steps > 0)))
        raise ValueError(f"trajectory {t.name}: times[{k + 1}] is {t.times[k + 1]} after {t.times[k]}; time must increase")
    typical = (t.times[-1] - t.times[0]) / (rows - 1)
    k = int(np.argmax(np.abs(steps - typical)))
    if abs(steps[k] - typical) > 0.01 * typical:
        raise ValueError(f"trajectory {t.name}: {steps[k]:.6g} s before row {k + 1}, {typical:.6g} s elsewhere; rows are missing?")
    if not 0 <= t.start < rows - 1:
        raise ValueError(f"trajectory {t.name}: start is {t.start} of {rows} rows")
    if t.start_velocity is not None:
        object.__setattr__(t, "start_velocity", _vector(t.start_velocity, t.velocities.shape[1], f"trajectory {t.name}: start_velocity"))
    for first in t.quaternions:
        if first + 4 > t.positions.shape[1]:
            raise ValueError(f"trajectory {t.name}: no quaternion at q[{first}]; positions have {t.positions.shape[1]} columns")
        length = np.linalg.norm(t.positions[:, first : first + 4], axis=1)
        k = int(np.argmax(np.abs(length - 1)))
        if abs(length[k] - 1) > 1e-3:
            raise ValueError(f"trajectory {t.name}: the quaternion of row {k} has length {length[k]:.6g}")


def _vector(value: ArrayLike, size: int, what: str) -> Array:
    vector = np.asarray(value, dtype=float)
    if vector.shape != (size,):
        raise ValueError(f"{what} has shape {vector.shape}; {size} entries are wanted")
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"{what} is {vector.tolist()}; finite numbers are wanted")
    return vector
