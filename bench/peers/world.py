"""Descriptions of scenes that every engine can build: free bodies on a plane, and text of MJCF made from them."""

from __future__ import annotations

from dataclasses import dataclass, field

GRAVITY = 9.81


def numbers(values) -> str:
    return " ".join(f"{float(x):.17g}" for x in values)


@dataclass
class Body:
    kind: str  # "box" (half sizes) or "sphere" (radius)
    size: tuple
    mass: float
    position: tuple
    friction: float
    velocity: tuple = (0.0, 0.0, 0.0)
    force: tuple | None = None  # constant, at the centre


@dataclass
class World:
    """Free bodies on the plane z = 0. `friction` is that of a pair whose two sides have the same value."""

    time_step: float
    ground_friction: float
    gravity: tuple = (0.0, 0.0, -GRAVITY)
    bodies: list[Body] = field(default_factory=list)

    def box(self, half_size, mass, position, friction, **more) -> int:
        self.bodies.append(Body("box", tuple(half_size), mass, tuple(position), friction, **more))
        return len(self.bodies) - 1

    def sphere(self, radius, mass, position, friction, **more) -> int:
        self.bodies.append(Body("sphere", (radius,), mass, tuple(position), friction, **more))
        return len(self.bodies) - 1

    def to_mjcf(self) -> str:
        """Velocities are in the keyframe "start"; forces are applied by the engine."""

        def surface(friction):
            return 'condim="1"' if friction == 0 else f'condim="3" friction="{friction} 0 0"'

        text = [
            f'<mujoco><option timestep="{self.time_step}" gravity="{numbers(self.gravity)}"/><size memory="200M"/>',
            f'<worldbody><geom type="plane" size="100 100 1" {surface(self.ground_friction)}/>',
        ]
        for i, b in enumerate(self.bodies):
            text.append(
                f'<body name="b{i}" pos="{numbers(b.position)}"><freejoint/><geom type="{b.kind}" '
                f'size="{numbers(b.size)}" mass="{b.mass}" {surface(b.friction)}/></body>'
            )
        position = " ".join(f"{numbers(b.position)} 1 0 0 0" for b in self.bodies)
        velocity = " ".join(f"{numbers(b.velocity)} 0 0 0" for b in self.bodies)
        text.append(f'</worldbody><keyframe><key name="start" qpos="{position}" qvel="{velocity}"/></keyframe></mujoco>')
        return "".join(text)


@dataclass
class Foot:
    link: str  # name of the joint whose link carries it
    offset: tuple  # of its centre in the frame of the link


@dataclass
class Robot:
    """An articulated robot on a plane, in the formats that the engines read."""

    time_step: float
    mjcf: str  # with a keyframe "start" (position and control) and a site for every foot
    urdf: dict[str, str]  # by engine: "drake", "dart", "bullet"; empty where the robot exists as MJCF only
    angles: dict[str, float]  # start, and target of the servos
    height: float | None  # of the floating base; None: fixed to the world
    servo: tuple[float, float] | None  # kp, kd of every joint
    friction: float
    feet: list[Foot]
    shapes: dict  # joint → [(kind, size, rotation, offset)]: for engines that do not read them
