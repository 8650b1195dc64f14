#!/usr/bin/env python3
"""Writes what Coal (PyPI `coal`, the papers' HPP-FCL) says about pairs of convex shapes to tests/data/collision/coal.txt,
for tests/collision/coal_test.cpp: so the tests need no Coal.

    python3 -m venv build/oracles && build/oracles/bin/pip install coal && build/oracles/bin/python tests/oracles/export_collision.py

One line per pose: shape, shape, position and quaternion (x, y, z, w, not yet of length one) of each, signed distance, m,
and normal from the first to the second shape. A shape is its kind and its numbers: sphere r; capsule and cylinder r,
half length; box half extents; ellipsoid radii; hull n and n points. Numbers are few digits, so that both sides read the
same.
"""

from __future__ import annotations

import itertools
import os

import coal
import numpy as np

POSES = 40
TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "collision", "coal.txt")
KINDS = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "hull")


def make_shape(kind: str, random: np.random.Generator):
    """The shape for Coal, and the words of the file."""
    a, b, c = (round(x, 3) for x in random.uniform(0.03, 0.2, 3))
    if kind == "sphere":
        return coal.Sphere(a), [kind, a]
    if kind == "capsule":
        return coal.Capsule(a, 2 * b), [kind, a, b]
    if kind == "cylinder":
        return coal.Cylinder(a, 2 * b), [kind, a, b]
    if kind == "box":
        return coal.Box(2 * a, 2 * b, 2 * c), [kind, a, b, c]
    if kind == "ellipsoid":
        return coal.Ellipsoid(a, b, c), [kind, a, b, c]
    points = np.round(random.normal(size=(14, 3)) * (a, b, c), 3)
    vertices = coal.StdVec_Vec3s()
    for p in points:
        vertices.append(p)
    return coal.Convex.convexHull(vertices, True, "Qt"), [kind, len(points), *points.ravel()]


def request() -> coal.DistanceRequest:
    r = coal.DistanceRequest()
    r.enable_signed_distance = True
    r.gjk_tolerance = r.epa_tolerance = 1e-10
    r.gjk_max_iterations = r.epa_max_iterations = 10000
    return r


def distance(a, X_a, b, X_b) -> tuple[float, np.ndarray]:
    result = coal.DistanceResult()
    value = coal.distance(a, X_a, b, X_b, request(), result)
    return value, np.array(result.normal)


def transform(position, quaternion) -> coal.Transform3s:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return coal.Transform3s(coal.Quaternion(w, x, y, z).matrix(), np.array(position))


def sample(kinds, random: np.random.Generator) -> str | None:
    """A line of the file; None where the gap does not come near the one wanted."""
    (a, words_a), (b, words_b) = (make_shape(kind, random) for kind in kinds)
    p_a, q_a = np.round(random.uniform(-0.5, 0.5, 3), 6), np.round(random.normal(size=4), 4)
    p_b, q_b = p_a + random.normal(size=3), np.round(random.normal(size=4), 4)
    wanted = random.uniform(-1e-2, 1e-2)
    for _ in range(4):  # towards the gap that is wanted
        value, normal = distance(a, transform(p_a, q_a), b, transform(p_b, q_b))
        p_b = np.round(p_b + (wanted - value) * normal, 6)
    value, normal = distance(a, transform(p_a, q_a), b, transform(p_b, q_b))
    if not (abs(value - wanted) < 5e-3 and np.all(np.isfinite(p_b))):
        return None
    numbers = [*words_a, *words_b, *p_a, *q_a, *p_b, *q_b]
    return " ".join(x if isinstance(x, str) else f"{x:.10g}" for x in numbers) + f" {value:.12e} " + " ".join(
        f"{x:.9f}" for x in normal
    )


def main() -> None:
    random = np.random.default_rng(7)
    os.makedirs(os.path.dirname(TARGET), exist_ok=True)
    with open(TARGET, "w", encoding="utf-8") as file:
        file.write(f"# Coal {coal.__version__}, by tests/oracles/export_collision.py\n")
        for kinds in itertools.combinations_with_replacement(KINDS, 2):
            lines = filter(None, (sample(kinds, random) for _ in itertools.count()))
            file.writelines(line + "\n" for line in itertools.islice(lines, POSES))


if __name__ == "__main__":
    main()
