"""Models that other programs hold in memory, as models of Stiction."""

from __future__ import annotations

from typing import Any, Optional, Set

import numpy as np

from ._stiction import Box, Capsule, ConvexHull, Cylinder, Model, ModelBuilder, Pose, Sphere

__all__ = ["from_pinocchio"]


def from_pinocchio(model: Any, geometry_model: Any = None) -> Model:
    """The model of a `pinocchio.Model`: joints, inertias, armature, damping, friction, limits, gravity and frames.

    Bodies have the names of Pinocchio's joints and come in the same order; frames of other names become sites. Every
    joint of one degree of freedom has a torque actuator within its effort limit. The objects of a
    `pinocchio.GeometryModel` become shapes (meshes: their convex hulls); its collision pairs are not taken, those of
    Stiction's own filter hold. A joint that mimics another, and joints of kinds that Stiction has not, are refused.
    """
    builder = ModelBuilder()
    builder.set_gravity(model.gravity.linear)
    body_of = {0: -1}
    for k in range(1, model.njoints):
        joint, inertia = model.joints[k], model.inertias[k]
        joints = _joints(model, joint, model.names[k])
        body_of[k] = builder.add_body(
            name=model.names[k],
            parent=body_of[model.parents[k]],
            pose=_pose(model.jointPlacements[k]),
            joints=joints,
            mass=inertia.mass,
            com=inertia.lever,
            inertia=inertia.inertia,
        )
        if joint.nv == 1:
            effort = joints[0]["effort_limit"]
            builder.add_actuator(joint=model.names[k], force_lower=-effort, force_upper=effort)
    _add_frames(builder, model, body_of)
    if geometry_model is not None:
        for item in geometry_model.geometryObjects:
            builder.add_shape(
                body_of[item.parentJoint],
                _shape(item.geometry),
                name=item.name,
                pose=_pose(item.placement),
            )
    return builder.build()


_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_UNALIGNED = {
    "RevoluteUnaligned": "revolute",
    "RevoluteUnboundedUnaligned": "revolute",
    "PrismaticUnaligned": "prismatic",
}


def _joints(model: Any, joint: Any, name: str) -> Any:
    """The keywords of one joint, or of several in sequence."""
    kind = joint.shortname().replace("JointModel", "")
    if kind in ("RX", "RY", "RZ", "PX", "PY", "PZ"):
        found = [dict(kind={"R": "revolute", "P": "prismatic"}[kind[0]], axis=_AXES[kind[1]])]
    elif kind in ("RUBX", "RUBY", "RUBZ"):
        found = [dict(kind="revolute", axis=_AXES[kind[3]])]
    elif kind in _UNALIGNED:
        found = [dict(kind=_UNALIGNED[kind], axis=joint.extract().axis)]
    elif kind == "FreeFlyer":
        found = [dict(kind="free")]
    elif kind == "Spherical":
        found = [dict(kind="ball")]
    elif kind == "Planar":
        found = [dict(kind="planar", axis=_AXES["Z"])]
    elif kind == "Translation":
        found = [dict(kind="prismatic", axis=_AXES[axis], name=f"{name}_{axis.lower()}") for axis in "XYZ"]
    else:
        raise ValueError(f"joint '{name}' is a {kind}, which has no counterpart")
    for k, part in enumerate(found):
        part.setdefault("name", name)
        at = joint.idx_v + k
        part.update(armature=float(model.armature[at]), damping=float(model.damping[at]))
        part.update(dry_friction=float(model.friction[at]) if hasattr(model, "friction") else 0.0)
        if part["kind"] in ("revolute", "prismatic"):
            part.update(effort_limit=_limit(model.effortLimit[at]), velocity_limit=_limit(model.velocityLimit[at]))
            if joint.nq == joint.nv:  # not an angle kept as cosine and sine
                lower, upper = model.lowerPositionLimit[joint.idx_q + k], model.upperPositionLimit[joint.idx_q + k]
                part.update(lower=_far(lower), upper=_far(upper), initial_position=float(np.clip(0.0, lower, upper)))
    return found


def _limit(value: float) -> float:
    return float(value) if 0.0 < value < 1e300 else float("inf")


def _far(value: float) -> float:
    """Pinocchio writes the largest number where there is no limit."""
    return float(value) if abs(value) < 1e300 else float(np.copysign(np.inf, value))


def _pose(placement: Any) -> Pose:
    return Pose.from_matrix(placement.homogeneous)


def _add_frames(builder: ModelBuilder, model: Any, body_of: Any) -> None:
    known: Set[str] = set(model.names)
    for frame in model.frames:
        if frame.name in known:
            continue
        known.add(frame.name)
        joint = frame.parentJoint if hasattr(frame, "parentJoint") else frame.parent
        builder.add_site(frame.name, body_of[joint], *_pose(frame.placement))


def _shape(geometry: Any) -> Any:
    kind = type(geometry).__name__
    if kind == "Box":
        return Box(geometry.halfSide)
    if kind == "Sphere":
        return Sphere(geometry.radius)
    if kind == "Capsule":
        return Capsule(geometry.radius, geometry.halfLength)
    if kind == "Cylinder":
        return Cylinder(geometry.radius, geometry.halfLength)
    points = _points(geometry)
    if points is None:
        raise ValueError(f"a geometry of type {kind} has no counterpart")
    return ConvexHull(points)


def _points(geometry: Any) -> Optional[Any]:
    """Vertices of a convex polytope or of a mesh; scales are applied already."""
    if hasattr(geometry, "vertices"):
        return np.asarray(geometry.vertices() if callable(geometry.vertices) else geometry.vertices)
    if hasattr(geometry, "points"):
        return np.asarray(geometry.points() if callable(geometry.points) else geometry.points)
    return None
