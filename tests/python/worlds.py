"""Small worlds that the tests of model, dynamics and simulator share."""

import numpy as np

import stiction


def box_on_plane(height=0.1, friction=0.5, **box):
    """A box of half edge 0.1 m and 8 kg over the plane z = 0; at height 0.1 it touches."""
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground", friction=friction)
    body = builder.add_body(name="box", position=(0, 0, height), **box)
    builder.add_shape(body, stiction.Box((0.1, 0.1, 0.1)), name="box", density=1000, friction=friction)
    builder.add_keyframe(name="high", q=[0, 0, 2, 0, 0, 0, 1], time=0.5)
    return builder.build()


def pendulum(length=1.0, mass=2.0, **joint):
    """A point-like mass on a rod that turns about y; q = 0 hangs down."""
    builder = stiction.ModelBuilder()
    builder.add_body(
        name="bob", joint="revolute", joint_name="hinge", axis=(0, 1, 0), mass=mass, com=(0, 0, -length), inertia=[1e-3] * 3, **joint
    )
    builder.add_actuator(joint="hinge", name="motor", gear=3.0)
    return builder.build()


def arm():
    """A free base with a chain of a revolute, a prismatic and a ball joint, and a site at its end."""
    builder = stiction.ModelBuilder()
    base = builder.add_body(name="base", position=(0, 0, 1), mass=3, inertia=[0.1, 0.2, 0.25], com=(0.01, 0.02, 0.03))
    upper = builder.add_body(
        name="upper", parent=base, position=(0.2, 0, 0.1), joint="revolute", axis=(0, 1, 0), mass=1.2,
        com=(0, 0, -0.2), inertia=[0.02, 0.02, 0.005], armature=0.03, damping=0.1,
    )  # fmt: skip
    slider = builder.add_body(
        name="slider", parent=upper, position=(0, 0, -0.4), joint="prismatic", axis=(0, 0, 1), mass=0.7,
        inertia=[0.01, 0.01, 0.002], stiffness=50, rest_position=0.1,
    )  # fmt: skip
    hand = builder.add_body(
        name="hand", parent=slider, position=(0, 0.1, 0), orientation=(0.5, 0.5, 0.5, 0.5), joint="ball", mass=0.4,
        com=(0.05, 0, 0), inertia=[0.003, 0.002, 0.001],
    )  # fmt: skip
    builder.add_site("tip", hand, (0.1, 0, 0.02))
    return builder.build()


def random_state(model, seed=0):
    rng = np.random.default_rng(seed)
    q = stiction.integrate(model, model.initial_position, rng.normal(size=model.num_velocities))
    return q, rng.normal(size=model.num_velocities)


def overlapping_boxes(count):
    """Boxes in each other: no step of it is easy."""
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground", friction=0.7)
    for k in range(count):
        angle = 0.3 * k
        body = builder.add_body(
            name=f"box{k}",
            position=(0.15 * (k % 5), 0.15 * (k // 5 % 5), 0.1 + 0.12 * (k // 25)),
            orientation=(np.sin(angle) * 0.6, np.sin(angle) * 0.8, 0.0, np.cos(angle)),
        )
        builder.add_shape(body, stiction.Box((0.1, 0.1, 0.1)), density=1000, friction=0.7)
    return builder.build()
