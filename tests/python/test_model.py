"""ModelBuilder, Model, shapes, poses."""

import math

import numpy as np
import pytest

import stiction
from worlds import arm, box_on_plane, pendulum


def test_counts_names_and_layout():
    model = arm()
    assert (model.num_bodies, model.num_positions, model.num_velocities) == (4, 7 + 1 + 1 + 4, 6 + 1 + 1 + 3)
    assert model.joint_names == ["base", "upper", "slider", "hand"]
    assert set(model.frame_names) == {"base", "upper", "slider", "hand", "tip"}
    hand = model.joints[model.find_joint("hand")]
    assert (hand.kind, hand.first_position, hand.num_positions, hand.first_velocity, hand.num_velocities) == ("ball", 9, 4, 8, 3)
    assert model.frames[model.find_frame("tip")].is_site
    assert model.dofs[6].armature == 0.03 and model.dofs[6].damping == 0.1
    assert model.dofs[7].stiffness == 50 and model.dofs[7].rest_position == 0.1
    assert np.array_equal(model.initial_position[:7], [0, 0, 1, 0, 0, 0, 1])
    assert math.isclose(stiction.total_mass(model), 3 + 1.2 + 0.7 + 0.4)


def test_text_is_useful():
    model = box_on_plane()
    assert repr(model) == "Model(1 body, 7 positions, 6 velocities, 2 shapes, 0 actuators)"
    assert "box" in str(model) and "8 kg" in str(model)
    assert repr(model.joints[0]) == "Joint('box', free, q[0:7], v[0:6])"


def test_elements_keep_their_model_alive():
    shape = box_on_plane().shapes[1]
    assert shape.name == "box" and shape.kind == "box"
    assert np.array_equal(shape.geometry.half_size, [0.1, 0.1, 0.1])
    position = pendulum().initial_position
    assert position.shape == (1,)


def test_arrays_of_a_model_cannot_be_written():
    model = box_on_plane()
    with pytest.raises(ValueError, match="read-only"):
        model.initial_position[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        model.gravity[2] = 0


GEOMETRIES = {
    "sphere": (stiction.Sphere(0.1), 4 / 3 * math.pi * 1e-3),
    "capsule": (stiction.Capsule(0.1, 0.2), 4 / 3 * math.pi * 1e-3 + math.pi * 1e-2 * 0.4),
    "cylinder": (stiction.Cylinder(radius=0.1, half_length=0.2), math.pi * 1e-2 * 0.4),
    "ellipsoid": (stiction.Ellipsoid((0.1, 0.2, 0.3)), 4 / 3 * math.pi * 6e-3),
    "box": (stiction.Box((0.1, 0.2, 0.3)), 8 * 6e-3),
    "convex_hull": (stiction.ConvexHull(np.vstack([np.zeros(3), np.eye(3)])), 1 / 6),
}


@pytest.mark.parametrize("kind", GEOMETRIES)
def test_mass_from_density(kind):
    geometry, volume = GEOMETRIES[kind]
    builder = stiction.ModelBuilder()
    body = builder.add_body(name="solid")
    builder.add_shape(body, geometry, density=500)
    model = builder.build()
    assert model.shapes[0].kind == kind
    assert math.isclose(model.bodies[0].mass, 500 * volume, rel_tol=1e-9)
    assert math.isclose(stiction.Inertia.of_density(geometry, 500).mass, 500 * volume, rel_tol=1e-9)


def test_terrain():
    x, y = np.meshgrid(np.arange(5.0), np.arange(3.0))
    field = stiction.HeightField(0.1 * x + y, spacing_x=0.5, spacing_y=0.25)  # heights[j, i]
    assert (field.num_x, field.num_y) == (5, 3)
    assert np.array_equal(field.heights, 0.1 * x + y)
    assert math.isclose(field.height_at(0.5, 0.25), 0.3 + 2.0)
    mesh = stiction.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert mesh.triangles.tolist() == [[0, 1, 2]] and mesh.num_vertices == 3
    builder = stiction.ModelBuilder()
    builder.add_shape(field)
    builder.add_shape(mesh)
    assert [shape.kind for shape in builder.build().shapes] == ["height_field", "triangle_mesh"]


def test_pose():
    half = math.sqrt(0.5)
    pose = stiction.Pose((1, 2, 3), (0, 0, half, half))  # a quarter turn about z
    assert np.allclose(pose * (1, 0, 0), [1, 3, 3])
    position, orientation = pose
    assert np.allclose(position, [1, 2, 3]) and np.allclose(orientation, [0, 0, half, half])
    assert np.allclose((pose * pose.inverse()).matrix, np.eye(4), atol=1e-15)
    assert np.allclose(stiction.Pose.from_matrix(pose.matrix).orientation, orientation)
    with pytest.raises(ValueError, match="length one"):
        stiction.Pose((0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(ValueError, match="no rotation"):
        stiction.Pose.from_matrix(2 * np.eye(4))


def test_inertia_in_its_forms():
    matrix = np.diag([0.1, 0.2, 0.25])
    forms = [
        dict(mass=3, inertia=[0.1, 0.2, 0.25], com=(0, 0, 1)),
        dict(mass=3, inertia=matrix, com=(0, 0, 1)),
        dict(inertia=stiction.Inertia(3, matrix, (0, 0, 1))),
    ]
    for form in forms:
        builder = stiction.ModelBuilder()
        builder.add_body(name="b", **form)
        body = builder.build().bodies[0]
        assert body.mass == 3 and np.array_equal(body.inertia, matrix) and np.array_equal(body.com, [0, 0, 1])


def test_several_joints_in_sequence():
    builder = stiction.ModelBuilder()
    builder.add_body(
        name="b", inertia=stiction.Inertia.of(stiction.Sphere(0.1), 1.0),
        joints=[dict(kind="prismatic", name="x", axis=(1, 0, 0), lower=-1, upper=2), dict(kind="revolute", name="turn")],
    )  # fmt: skip
    model = builder.build()
    assert model.joint_names == ["x", "turn"] and model.num_velocities == 2
    assert (model.dofs[0].lower, model.dofs[0].upper) == (-1, 2)


def test_loops_actuators_keyframes_filters():
    builder = stiction.ModelBuilder()
    builder.set_gravity((0, 0, -1))
    builder.set_friction_rule("minimum")
    builder.set_suggested_time_step(0.01)
    ball = stiction.Inertia.of(stiction.Sphere(0.1), 1.0)
    a = builder.add_body(name="a", joint="revolute", axis=(0, 1, 0), inertia=ball)
    b = builder.add_body(name="b", joint="revolute", axis=(0, 1, 0), inertia=ball)
    first, second = (builder.add_shape(body, stiction.Sphere(0.1)) for body in (a, b))
    builder.add_loop(kind="joint_equality", joint_a="a", joint_b="b", coefficients=(0, 2, 0, 0, 0))
    builder.add_actuator(joint="a", kind="position", kp=10, kd=1, control_lower=-1, control_upper=1)
    builder.add_keyframe(name="bent", q=[0.5, 0.25], control=[0.5], time=2)
    assert builder.build().may_collide(0, 1)
    builder.exclude_shapes(first, second)
    model = builder.build()
    assert not model.may_collide(0, 1)
    assert model.loops[0].kind == "joint_equality" and model.loops[0].coefficients[1] == 2
    assert model.actuators[0].kind == "position" and model.actuators[0].kp == 10
    key = model.keyframes[model.find_keyframe("bent")]
    assert key.time == 2 and key.q.tolist() == [0.5, 0.25] and key.control.tolist() == [0.5]
    assert model.friction_rule == "minimum" and model.suggested_time_step == 0.01 and model.gravity[2] == -1


def test_materials_and_colors():
    builder = stiction.ModelBuilder()
    builder.add_shape(
        stiction.Plane(), friction=0.3, friction_2=0.1, restitution=0.5, compliance=1e-6, damping=3, priority=2,
        group=4, mask=8, color=(1, 0, 0, 0.5), position=(0, 0, -1),
        torsional_friction=0.01, rolling_friction=0.002, surface_velocity=(1, 2, 3), surface_spin=(0, 0, 4),
    )  # fmt: skip
    shape = builder.build().shapes[0]
    assert (shape.material.torsional_friction, shape.material.rolling_friction) == (0.01, 0.002)
    assert shape.material.surface_velocity.tolist() == [1, 2, 3] and shape.material.surface_spin.tolist() == [0, 0, 4]
    m = shape.material
    assert (m.friction, m.friction_2, m.restitution, m.compliance, m.damping, m.priority) == (0.3, 0.1, 0.5, 1e-6, 3, 2)
    assert (shape.group, shape.mask, list(shape.color)) == (4, 8, [1, 0, 0, 0.5])
    assert shape.pose.position.tolist() == [0, 0, -1]


def test_materials_of_pairs_and_friction_torques():
    builder = stiction.ModelBuilder()
    ground = builder.add_shape(stiction.Plane(), name="ground")
    ball = builder.add_body(name="ball", position=(0, 0, 0.1))
    shape = builder.add_shape(ball, stiction.Sphere(0.1), mass=2.0, name="ball", friction=0.2)
    builder.set_pair_material(shape, ground, friction=0.4, torsional_friction=0.004)
    model = builder.build()
    assert list(model.pair_materials) == [(ground, shape)]
    assert model.pair_material(ground, shape).torsional_friction == 0.004
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.set_velocity([0, 0, 0, 0, 0, 3])
    report = simulator.step(100)
    slowing = 0.004 * 9.81 / (0.4 * 0.1**2)
    assert abs(simulator.v[5] - (3 - 0.1 * slowing)) < 1e-8
    assert report.num_friction_torques == 1 and report.coupling_rounds >= 1 and report.dissipated > 0
    contact = simulator.contacts()[0]
    assert abs(abs(contact.torque[2]) - 0.004 * 2 * 9.81) < 1e-6
    assert abs(simulator.contact_force(0).torque[2] + 0.004 * 2 * 9.81) < 1e-6

    # The pair has its own: what would change nothing is refused, and what is said of the pair holds.
    change = {"ball": {"rolling_friction": 0.1, "surface_velocity": (1, 0, 0)}}
    with pytest.raises(ValueError, match="shape 'ball': its material is changed, but its contacts with shape 'ground'"):
        model.edited(shapes=change)
    edited = model.edited(shapes=change, pairs={("ball", "ground"): {"rolling_friction": 0.02}})
    assert edited.shapes[1].material.rolling_friction == 0.1
    own = edited.pair_material(ground, shape)
    assert (own.rolling_friction, own.torsional_friction, own.friction) == (0.02, 0.004, 0.4)
    cleared = model.edited(shapes=change, pairs={("ball", "ground"): None})
    assert not cleared.pair_materials
    assert cleared.pair_material(ground, shape).friction == pytest.approx(math.sqrt(0.2))
    with pytest.raises(ValueError, match="'ball' and 'ground': friction is -1"):
        model.edited(pairs={("ball", "ground"): {"friction": -1}})
    with pytest.raises(TypeError, match="tuple of two names"):
        model.edited(pairs={"ball": {"friction": 1}})
    for bad in (-1.0, math.nan):
        with pytest.raises(ValueError, match="rolling_friction"):
            model.edited(shapes={"ball": {"rolling_friction": bad}})
        with pytest.raises(ValueError, match="material of the pair of shapes 0 and 1: torsional_friction"):
            builder.set_pair_material(ground, shape, torsional_friction=bad)
    with pytest.raises(ValueError, match="shape 7 does not exist"):
        builder.set_pair_material(ground, 7)


BAD = {
    "unknown keyword": (TypeError, "does not know 'masss'", lambda b: b.add_body(masss=1)),
    "unknown joint": (ValueError, "joint is 'hinge'; there are:.* revolute", lambda b: b.add_body(joint="hinge")),
    "unknown key of a joint": (TypeError, "does not know 'axes'", lambda b: b.add_body(joints=[dict(axes=1)])),
    "short vector": (ValueError, "position has 2 entries", lambda b: b.add_body(position=(0, 0))),
    "not a number": (ValueError, "body 1 'x': pose", lambda b: b.add_body(name="x", position=(0, 0, math.nan))),
    "text for a number": (TypeError, "damping is of type str", lambda b: b.add_body(damping="much")),
    "negative mass": (ValueError, "mass", lambda b: b.add_body(mass=-1, inertia=[1, 1, 1])),
    "mass alone": (ValueError, "want inertia", lambda b: b.add_body(name="x", mass=1)),
    "triangle inequality": (ValueError, "body 1", lambda b: b.add_body(mass=1, inertia=[1, 1, 3])),
    "parent": (ValueError, "parent is 7", lambda b: b.add_body(parent=7)),
    "radius": (ValueError, "radius is -1", lambda b: b.add_shape(stiction.Sphere(-1))),
    "friction": (ValueError, "friction is -0.5", lambda b: b.add_shape(stiction.Plane(), friction=-0.5)),
    "no geometry": (TypeError, None, lambda b: b.add_shape(0, "sphere")),
    "fraction for an index": (TypeError, "body_a is of type float", lambda b: b.add_loop(body_a=0.5)),
    "huge group": (ValueError, "group is 8589934592", lambda b: b.add_shape(stiction.Plane(), group=2**33)),
    "flat hull": (ValueError, None, lambda b: stiction.ConvexHull(np.zeros((4, 3)))),
    "corner that is no whole number": (
        ValueError,
        r"triangles\[0, 1\] is 0.5",
        lambda b: stiction.TriangleMesh(np.eye(3), [[0, 0.5, 2]]),
    ),
    "corner that is negative": (ValueError, r"triangles\[0, 2\] is -1", lambda b: stiction.TriangleMesh(np.eye(3), [[0, 1, -1]])),
    "corner that is too large": (ValueError, r"is 1e\+20", lambda b: stiction.TriangleMesh(np.eye(3), [[0, 1, 1e20]])),
    "corner that is not a number": (ValueError, r"is nan", lambda b: stiction.TriangleMesh(np.eye(3), [[0, 1, math.nan]])),
    "inertia that is not a number": (
        ValueError,
        r"moment\[0, 0\] is nan",
        lambda b: b.add_body(name="x", mass=1.0, inertia=(math.nan, 1, 1)),
    ),
    "mass that is not a number": (ValueError, "nan", lambda b: b.add_body(name="x", mass=math.nan, inertia=(1, 1, 1))),
    "corner outside": (ValueError, None, lambda b: stiction.TriangleMesh(np.eye(3), [[0, 1, 3]])),
    "rule": (ValueError, "rule is 'mean'", lambda b: b.set_friction_rule("mean")),
    "quaternion": (ValueError, "length one", lambda b: b.add_body(orientation=(0, 0, 0, 2))),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_name(case):
    kind, message, call = BAD[case]
    builder = stiction.ModelBuilder()
    builder.add_body(name="first", inertia=stiction.Inertia.of(stiction.Sphere(0.1), 1.0))
    with pytest.raises(kind, match=message):
        call(builder)
    assert builder.build().num_bodies == 1  # nothing was added


def test_a_massless_body_is_refused():
    builder = stiction.ModelBuilder()
    builder.add_body(name="ghost")
    with pytest.raises(ValueError, match="ghost"):
        builder.build()


def test_unknown_names_tell_what_there_is():
    model = pendulum()
    with pytest.raises(ValueError, match='did you mean "bob"'):
        model.find_frame("bib")
    with pytest.raises(ValueError, match="hinge"):
        model.find_joint("joint")


def test_a_fluid():
    builder = stiction.ModelBuilder()
    builder.set_fluid(density=1.2, viscosity=0.01, wind=(3, 0, 0))
    leaf = builder.add_body(name="leaf", mass=0.01, inertia=(1e-5, 1e-5, 2e-5))
    builder.add_body(name="stone", mass=0.4, inertia=(0.004, 0.004, 0.004))
    assert builder.add_fluid_form(body=leaf, kind="ellipsoid", half_axes=(0.04, 0.03, 0.001), magnus_lift=0.5) == 0
    model = builder.build()
    assert model.fluid.density == 1.2 and model.fluid.is_there and list(model.fluid.wind) == [3, 0, 0]
    assert [form.kind for form in model.fluid_forms] == ["ellipsoid", "box"]
    assert model.fluid_forms[0].magnus_lift == 0.5 and "ellipsoid" in repr(model.fluid_forms[0])
    assert np.allclose(model.fluid_forms[1].half_axes, np.sqrt(1.5 * 0.004 / 0.4))
    simulator = stiction.Simulator(model, time_step=1e-3)
    simulator.step(100)
    assert simulator.v[0] > 0.01 and simulator.num_uncertified_steps == 0
    still = model.edited(fluid=dict(wind=(0, 0, 0), viscosity=0))
    assert still.fluid.density == 1.2 and still.fluid.viscosity == 0 and list(still.fluid.wind) == [0, 0, 0]
    with pytest.raises(ValueError, match="fluid density is -1"):
        builder.set_fluid(density=-1)
    with pytest.raises(ValueError, match=r"fluid form 1: half_axes\[0\] is -1"):
        builder.add_fluid_form(body=leaf, half_axes=(-1, 1, 1))
    with pytest.raises(ValueError, match="wind"):
        model.edited(fluid=dict(wind=(0, float("nan"), 0)))


def test_integrate_and_difference_are_inverse():
    model = arm()
    rng = np.random.default_rng(1)
    v = rng.normal(size=model.num_velocities)
    q = stiction.integrate(model, model.initial_position, v, 0.5)
    assert np.allclose(stiction.difference(model, model.initial_position, q), 0.5 * v)
    with pytest.raises(ValueError, match="q has 3 entries"):
        stiction.integrate(model, [0, 0, 0], v)
