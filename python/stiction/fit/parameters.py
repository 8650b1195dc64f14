"""What a fit may change of a model: each parameter has a value, bounds, may be frozen, and applies itself to a model.

    parameters = [Friction(["board", "cube"], 0.3, upper=1.0), Inertia("cube", 8e-4), CenterOfMass("cube", frozen=True)]
    model = apply(model, parameters, pack(parameters))

Inside the optimiser every parameter is a few coordinates z: the value itself, or its logarithm where `scale` is "log".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from .. import _stiction as core
from .._stiction import Model
from .trajectories import Array

Names = Union[str, Sequence[str]]


@dataclass
class Edits:
    """What the parameters of a fit change together, collected and then done at once by `Model.edited`."""

    model: Model
    bodies: Dict[str, List[Any]] = field(default_factory=dict)  # mass, com, moment about it, in the frame of the name
    joints: Dict[str, Dict[str, float]] = field(default_factory=dict)
    shapes: Dict[str, Dict[str, Any]] = field(default_factory=dict)
    gravity: Optional[Array] = None

    def inertia(self, body: str) -> List[Any]:
        """Mass, centre of mass and moment so far."""
        if body not in self.bodies:
            carrier = self.model.bodies[self.model.find_body(body)] if self.model.find_body(body) >= 0 else None
            if carrier is None:
                raise ValueError(f"body '{body}' is part of the world, which has no inertia")
            frame = self.model.frames[self.model.find_frame(body)]
            whole = core.Inertia(carrier.mass, carrier.inertia, carrier.com).in_(frame.pose.inverse())
            self.bodies[body] = [whole.mass, np.array(whole.com), np.array(whole.moment)]
        return self.bodies[body]

    def shape(self, name: str) -> Dict[str, Any]:
        return self.shapes.setdefault(name, {})

    def joint(self, name: str) -> Dict[str, float]:
        return self.joints.setdefault(name, {})

    def build(self) -> Model:
        changes: Dict[str, Any] = {}
        if self.gravity is not None:
            changes["gravity"] = self.gravity
        if self.bodies:
            changes["bodies"] = {name: dict(inertia=core.Inertia(m, moment, com)) for name, (m, com, moment) in self.bodies.items()}
        if self.joints:
            changes["joints"] = self.joints
        if self.shapes:
            changes["shapes"] = self.shapes
        return self.model.edited(**changes) if changes else self.model


class Parameter:
    """One parameter: `value` (a number or a vector), bounds of every entry, `frozen`, `scale` "linear" or "log"."""

    entries: Tuple[str, ...] = ("",)  #: of a vector, appended to the name

    def __init__(
        self, name: str, value: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, frozen: bool = False, scale: str = "linear"
    ) -> None:
        self.name, self.frozen, self.scale = name, frozen, scale
        size = len(self.entries)
        self.value = _entries(value, size, f"parameter '{name}': value")
        self.lower = _entries(lower, size, f"parameter '{name}': lower", infinite=True)
        self.upper = _entries(upper, size, f"parameter '{name}': upper", infinite=True)
        if scale not in ("linear", "log"):
            raise ValueError(f"parameter '{name}': scale is '{scale}'; linear or log is wanted")
        if np.any(self.lower >= self.upper):
            raise ValueError(f"parameter '{name}': lower is {self.lower.tolist()} and upper {self.upper.tolist()}; lower must be less")
        if np.any(self.value < self.lower) or np.any(self.value > self.upper):
            raise ValueError(
                f"parameter '{name}': value {self.value.tolist()} lies outside {self.lower.tolist()} … {self.upper.tolist()}"
            )
        if scale == "log" and np.any(self.lower <= 0):
            raise ValueError(f"parameter '{name}': lower is {self.lower.tolist()}; with scale log it must be positive")

    def apply(self, edits: Edits, value: Array) -> None:
        """Adds to `edits` what this parameter changes; `value` has one entry per entry."""
        raise NotImplementedError

    @property
    def labels(self) -> List[str]:
        return [f"{self.name}.{entry}" if entry else self.name for entry in self.entries]

    def to_z(self, value: Array) -> Array:
        return np.log(value) if self.scale == "log" else np.asarray(value, dtype=float)

    def from_z(self, z: Array) -> Array:
        return np.clip(np.exp(z) if self.scale == "log" else z, self.lower, self.upper)

    def __repr__(self) -> str:
        value = self.value[0] if len(self.value) == 1 else self.value.tolist()
        return f"{type(self).__name__}('{self.name}', {value}{', frozen' if self.frozen else ''})"


class _OfShapes(Parameter):
    """A material value that all the named shapes get."""

    field = ""

    def __init__(self, shapes: Names, value: float, lower: float, upper: float, *, name: str = "", frozen: bool = False,
                 scale: str = "linear") -> None:  # fmt: skip
        self.shapes = _names(shapes)
        super().__init__(name or f"{self.field} of {', '.join(self.shapes)}", value, lower, upper, frozen=frozen, scale=scale)

    def apply(self, edits: Edits, value: Array) -> None:
        for shape in self.shapes:
            edits.shape(shape)[self.field] = float(value[0])


class Friction(_OfShapes):
    """μ of shapes. What a contact has is made of both surfaces; name both, or give one the higher priority."""

    field = "friction"

    def __init__(self, shapes: Names, value: float = 0.5, *, lower: float = 0.0, upper: float = 2.0, **options: Any) -> None:
        super().__init__(shapes, value, lower, upper, **options)


class Restitution(_OfShapes):
    """e of shapes, 0 … 1."""

    field = "restitution"

    def __init__(self, shapes: Names, value: float = 0.1, *, lower: float = 0.0, upper: float = 1.0, **options: Any) -> None:
        super().__init__(shapes, value, lower, upper, **options)


class Compliance(_OfShapes):
    """Normal compliance of shapes, m/N; that of both surfaces adds."""

    field = "compliance"

    def __init__(self, shapes: Names, value: float = 1e-5, *, lower: float = 1e-9, upper: float = 1e-2, scale: str = "log",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(shapes, value, lower, upper, scale=scale, **options)


class Damping(_OfShapes):
    """Normal damping of shapes, N·s/m; acts where there is compliance."""

    field = "damping"

    def __init__(self, shapes: Names, value: float = 50.0, *, lower: float = 1e-3, upper: float = 1e4, scale: str = "log",
                 **options: Any) -> None:  # fmt: skip
        super().__init__(shapes, value, lower, upper, scale=scale, **options)


class TorsionalFriction(_OfShapes):
    """Friction torque about the normal as a share of a contact's normal force, m. It acts where contacts are points (spheres)."""

    field = "torsional_friction"

    def __init__(self, shapes: Names, value: float = 1e-3, *, lower: float = 0.0, upper: float = 0.05, **options: Any) -> None:
        super().__init__(shapes, value, lower, upper, **options)


class RollingFriction(_OfShapes):
    """Friction torque against rolling as a share of a contact's normal force, m."""

    field = "rolling_friction"

    def __init__(self, shapes: Names, value: float = 1e-3, *, lower: float = 0.0, upper: float = 0.05, **options: Any) -> None:
        super().__init__(shapes, value, lower, upper, **options)


class Mass(Parameter):
    """Mass of a body, kg. The moment goes with it unless another parameter gives that: put Mass before Inertia."""

    def __init__(self, body: str, value: float, *, lower: Optional[float] = None, upper: Optional[float] = None, name: str = "",
                 frozen: bool = False) -> None:  # fmt: skip
        self.body = body
        low, high = (value / 10 if lower is None else lower), (value * 10 if upper is None else upper)
        super().__init__(name or f"mass of {body}", value, low, high, frozen=frozen, scale="log")

    def apply(self, edits: Edits, value: Array) -> None:
        inertia = edits.inertia(self.body)
        inertia[2] = inertia[2] * (value[0] / inertia[0])
        inertia[0] = float(value[0])


class CenterOfMass(Parameter):
    """Centre of mass in the frame of the body, m."""

    entries = ("x", "y", "z")

    def __init__(self, body: str, value: ArrayLike = (0, 0, 0), *, lower: ArrayLike = -0.1, upper: ArrayLike = 0.1, name: str = "",
                 frozen: bool = False) -> None:  # fmt: skip
        self.body = body
        super().__init__(name or f"com of {body}", value, lower, upper, frozen=frozen)

    def apply(self, edits: Edits, value: Array) -> None:
        edits.inertia(self.body)[1] = np.array(value)


class Inertia(Parameter):
    """Moment about the centre of mass as one number for all axes, kg m²."""

    def __init__(self, body: str, value: float, *, lower: Optional[float] = None, upper: Optional[float] = None, name: str = "",
                 frozen: bool = False) -> None:  # fmt: skip
        self.body = body
        low, high = (value / 10 if lower is None else lower), (value * 10 if upper is None else upper)
        super().__init__(name or f"inertia of {body}", value, low, high, frozen=frozen, scale="log")

    def apply(self, edits: Edits, value: Array) -> None:
        edits.inertia(self.body)[2] = np.eye(3) * float(value[0])


class InertiaLogCholesky(Parameter):
    """Moment about the centre of mass by the logarithmic Cholesky factor of the second moment of mass Σ = ∫ r rᵀ dm.

    Σ = L Lᵀ with L lower triangular, its diagonal exp(d); moment = tr Σ · 1 − Σ (docs/theory/fitting.md#eq-8-3). Whatever
    the six numbers are, there is a body that has this moment: positive definite, with the triangle inequality.
    """

    entries = ("d1", "d2", "d3", "l21", "l31", "l32")

    def __init__(self, body: str, moment: ArrayLike, *, span: float = 2.0, name: str = "", frozen: bool = False) -> None:
        self.body = body
        value = self.of_moment(moment, f"inertia of {body}")
        reach = span * np.exp(value[:3].max())
        lower = np.concatenate([value[:3] - span, value[3:] - reach])
        upper = np.concatenate([value[:3] + span, value[3:] + reach])
        super().__init__(name or f"inertia of {body}", value, lower, upper, frozen=frozen)

    @staticmethod
    def of_moment(moment: ArrayLike, what: str = "moment") -> Array:
        """The six numbers of a moment: 3 x 3, its diagonal, or one number."""
        matrix = np.asarray(moment, dtype=float)
        matrix = np.eye(3) * matrix if matrix.ndim == 0 else np.diag(matrix) if matrix.ndim == 1 else matrix
        if matrix.shape != (3, 3) or not np.all(np.isfinite(matrix)) or np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max():
            raise ValueError(f"{what} is {matrix.tolist()}; a symmetric 3 x 3 matrix is wanted")
        second = np.trace(matrix) / 2 * np.eye(3) - matrix
        try:
            L = np.linalg.cholesky(second)
        except np.linalg.LinAlgError:
            raise ValueError(f"{what} is {matrix.tolist()}; it breaks the triangle inequality or is not positive") from None
        return np.array([*np.log(np.diag(L)), L[1, 0], L[2, 0], L[2, 1]])

    @staticmethod
    def to_moment(value: Array) -> Array:
        L = np.diag(np.exp(value[:3]))
        L[1, 0], L[2, 0], L[2, 1] = value[3:]
        second = L @ L.T
        return np.trace(second) * np.eye(3) - second

    def apply(self, edits: Edits, value: Array) -> None:
        edits.inertia(self.body)[2] = self.to_moment(value)


class ShapeSize(Parameter):
    """Size of a shape as a factor of what it is in the model: all half sizes, radii and lengths of it."""

    def __init__(self, shapes: Names, value: float = 1.0, *, lower: float = 0.5, upper: float = 2.0, name: str = "",
                 frozen: bool = False) -> None:  # fmt: skip
        self.shapes = _names(shapes)
        super().__init__(name or f"size of {', '.join(self.shapes)}", value, lower, upper, frozen=frozen, scale="log")

    def apply(self, edits: Edits, value: Array) -> None:
        for shape in self.shapes:
            edits.shape(shape)["geometry"] = _scaled(edits.model.shapes[edits.model.find_shape(shape)], float(value[0]))


class CornerRounding(Parameter):
    """Radius of the corners of a box that `add_rounded_box` made of eight spheres, m; the box keeps its size."""

    def __init__(self, box: str, half_size: ArrayLike, value: float, *, lower: float = 1e-4, upper: Optional[float] = None,
                 name: str = "", frozen: bool = False) -> None:  # fmt: skip
        self.box, self.half_size = box, _entries(half_size, 3, f"half_size of {box}")
        top = 0.5 * float(self.half_size.min()) if upper is None else upper
        super().__init__(name or f"rounding of {box}", value, lower, top, frozen=frozen)

    def apply(self, edits: Edits, value: Array) -> None:
        for k, corner in enumerate(_corners(self.half_size - value[0])):
            edits.shape(f"{self.box}_corner{k}").update(geometry=core.Sphere(float(value[0])), position=corner)


class _OfJoint(Parameter):
    field = ""

    def __init__(self, joint: str, value: float, *, lower: float = 0.0, upper: float = 1.0, name: str = "", frozen: bool = False,
                 scale: str = "linear") -> None:  # fmt: skip
        self.joint = joint
        super().__init__(name or f"{self.field} of {joint}", value, lower, upper, frozen=frozen, scale=scale)

    def apply(self, edits: Edits, value: Array) -> None:
        edits.joint(self.joint)[self.field] = float(value[0])


class JointFriction(_OfJoint):
    """Dry friction of a joint, N·m or N."""

    field = "dry_friction"


class JointDamping(_OfJoint):
    """Viscous friction of a joint, N·m·s/rad or N·s/m."""

    field = "damping"


class JointArmature(_OfJoint):
    """Rotor inertia of a joint, kg m² or kg."""

    field = "armature"


class GravityDirection(Parameter):
    """How far gravity leans: its x and y, m/s²; its size stays."""

    entries = ("x", "y")

    def __init__(self, value: ArrayLike = (0, 0), *, lower: ArrayLike = -1.0, upper: ArrayLike = 1.0, name: str = "gravity",
                 frozen: bool = False) -> None:  # fmt: skip
        super().__init__(name, value, lower, upper, frozen=frozen)

    def apply(self, edits: Edits, value: Array) -> None:
        # A GravitySize before this one has said its size already.
        size = float(np.linalg.norm(edits.model.gravity if edits.gravity is None else edits.gravity))
        rest = size**2 - float(value @ value)
        if rest <= 0:
            raise ValueError(f"parameter '{self.name}': {value.tolist()} is more than gravity itself, {size:.4g} m/s²")
        edits.gravity = np.array([value[0], value[1], -np.sqrt(rest)])


class GravitySize(Parameter):
    """Size of gravity, m/s²; its direction stays."""

    def __init__(self, value: float = 9.81, *, lower: float = 0.1, upper: float = 100.0, name: str = "gravity size",
                 frozen: bool = False) -> None:  # fmt: skip
        super().__init__(name, value, lower, upper, frozen=frozen, scale="log")

    def apply(self, edits: Edits, value: Array) -> None:
        g = np.array(edits.model.gravity if edits.gravity is None else edits.gravity)
        size = np.linalg.norm(g)
        edits.gravity = (g / size if size > 0 else np.array([0.0, 0.0, -1.0])) * value[0]


class Custom(Parameter):
    """Any other parameter: `change(edits, value)` does what is to be done."""

    def __init__(self, name: str, value: float, lower: float, upper: float, change: Any, **options: Any) -> None:
        self.change = change
        super().__init__(name, value, lower, upper, **options)

    def apply(self, edits: Edits, value: Array) -> None:
        self.change(edits, float(value[0]))


def pack(parameters: Sequence[Parameter]) -> Array:
    """z of the free parameters."""
    free = [p.to_z(p.value) for p in parameters if not p.frozen]
    return np.concatenate(free) if free else np.empty(0)


def unpack(parameters: Sequence[Parameter], z: Array) -> List[Array]:
    """The value of each parameter, frozen ones as they are."""
    values, first = [], 0
    for p in parameters:
        if p.frozen:
            values.append(p.value)
            continue
        values.append(p.from_z(z[first : first + len(p.entries)]))
        first += len(p.entries)
    return values


def bounds(parameters: Sequence[Parameter]) -> Tuple[Array, Array]:
    """Lower and upper bounds of z."""
    free = [p for p in parameters if not p.frozen]
    if not free:
        return np.empty(0), np.empty(0)
    return np.concatenate([p.to_z(p.lower) for p in free]), np.concatenate([p.to_z(p.upper) for p in free])


def labels(parameters: Sequence[Parameter]) -> List[str]:
    """A name for every entry of z."""
    return [label for p in parameters if not p.frozen for label in p.labels]


def apply(model: Model, parameters: Sequence[Parameter], z: Array) -> Model:
    """The model with the parameters' values; in their order."""
    edits = Edits(model)
    for parameter, value in zip(parameters, unpack(parameters, z)):
        parameter.apply(edits, value)
    return edits.build()


def check_names(parameters: Sequence[Parameter]) -> None:
    """ValueError where two parameters have one name."""
    seen = set()
    for p in parameters:
        if p.name in seen:
            raise ValueError(f"two parameters are called '{p.name}'; give one a name of its own")
        seen.add(p.name)


def add_rounded_box(
    builder: core.ModelBuilder, body: int, half_size: ArrayLike, rounding: float, *, name: str, faces: bool = False, **material: Any
) -> None:
    """A box that touches planes with eight spheres at its corners, `NAME_corner0` …, in place of sharp ones.

    `faces` adds six small spheres in the middle of its faces, `NAME_face0` …, that touch where a face lies flat: what they are
    made of is what a face does more than its corners. Spheres at corners meet planes alone: boxes would pass through between them.
    A box `NAME` that touches nothing is what is seen.
    """
    half = _entries(half_size, 3, f"half_size of {name}")
    if not 0 < rounding <= half.min():
        raise ValueError(f"rounding of {name} is {rounding} m; it must be positive, and at most half the edge, {half.min():.6g}")
    builder.add_shape(body, core.Box(half), name=name, group=0, mask=0)
    for k, corner in enumerate(_corners(half - rounding)):
        builder.add_shape(body, core.Sphere(rounding), name=f"{name}_corner{k}", position=corner, **material)
    if faces:
        for k in range(6):
            middle = np.zeros(3)
            middle[k // 2] = (1 if k % 2 == 0 else -1) * (half[k // 2] - rounding)
            builder.add_shape(body, core.Sphere(rounding), name=f"{name}_face{k}", position=middle, **material)


def _corners(half: Array) -> List[Array]:
    return [half * np.array([x, y, z]) for x in (1, -1) for y in (1, -1) for z in (1, -1)]


def _scaled(shape: Any, factor: float) -> Any:
    g = shape.geometry
    if isinstance(g, core.Box):
        return core.Box(np.asarray(g.half_size) * factor)
    if isinstance(g, core.Ellipsoid):
        return core.Ellipsoid(np.asarray(g.radii) * factor)
    if isinstance(g, core.Sphere):
        return core.Sphere(g.radius * factor)
    if isinstance(g, (core.Capsule, core.Cylinder)):
        return type(g)(g.radius * factor, g.half_length * factor)
    if isinstance(g, core.ConvexHull):
        return core.ConvexHull(np.asarray(g.vertices) * factor)
    raise ValueError(f"shape '{shape.name}': a {type(g).__name__} has no size to fit")


def _names(names: Names) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _entries(value: ArrayLike, size: int, what: str, infinite: bool = False) -> Array:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r}; numbers are wanted") from None
    array = np.full(size, array) if array.ndim == 0 else array.copy()
    if array.shape != (size,):
        raise ValueError(f"{what} has shape {array.shape}; {size} entries are wanted")
    if np.any(np.isnan(array)) or (not infinite and not np.all(np.isfinite(array))):
        raise ValueError(f"{what} is {array.tolist()}; finite numbers are wanted")
    return array
