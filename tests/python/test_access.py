"""Joints by name, contact forces, queries, inverse kinematics, kinematic bodies, copies."""

import copy
import math
import multiprocessing
import pickle

import numpy as np
import pytest

import stiction
from conftest import SCENES
from worlds import arm, box_on_plane, pendulum


def two_boxes():
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground", friction=0.5)
    for name, z in (("low", 0.1), ("high", 0.3)):
        body = builder.add_body(name=name, position=(0, 0, z))
        builder.add_shape(body, stiction.Box((0.1, 0.1, 0.1)), name=name, mass=2.0, friction=0.5)
    return builder.build()


def test_hello_in_two_lines(tmp_path):
    simulator = stiction.Simulator(SCENES / "quadruped.xml")
    simulator.step(10)
    assert simulator.state.step == 10 and isinstance(simulator.ignored, list)
    assert stiction.Simulator(str(SCENES / "quadruped.xml"), dt=1e-3).time_step == 1e-3
    loaded = stiction.load(SCENES / "quadruped.xml")
    assert stiction.Simulator(loaded).model is loaded.model
    with pytest.raises((ValueError, RuntimeError), match="quadrupd"):
        stiction.Simulator(SCENES / "quadrupd.xml")
    with pytest.raises(TypeError):
        stiction.Simulator(3.5)
    assert "world" in str(simulator.model)


def test_joints_by_name():
    simulator = stiction.Simulator(pendulum(), dt=1e-3)
    hinge = simulator.joint("hinge")
    hinge.position = 0.4
    hinge.velocity = -1
    assert hinge.position == 0.4 and simulator.q[0] == 0.4 and simulator.v[0] == -1.0
    assert hinge.name == "hinge" and hinge.kind == "revolute" and "0.4" in repr(hinge)
    simulator.step()
    assert hinge.position != 0.4  # it looks at the simulator, not at a copy
    del simulator
    assert math.isfinite(hinge.position)  # and keeps it alive
    free = stiction.Simulator(box_on_plane()).joint("box")
    assert free.position.shape == (7,) and free.velocity.shape == (6,)
    free.velocity = [1, 2, 3, 0, 0, 0]
    assert list(free.velocity[:3]) == [1, 2, 3]
    with pytest.raises(ValueError, match="2 velocities"):
        free.velocity = [1, 2]


def test_near_names():
    simulator = stiction.Simulator(pendulum())
    with pytest.raises(ValueError, match='did you mean "hinge"'):
        simulator.joint("hinje")
    with pytest.raises(ValueError, match='did you mean "motor"'):
        simulator.set_control({"moter": 1.0})
    with pytest.raises(ValueError, match='did you mean "bob"'):
        simulator.model.find_body("bbo")
    with pytest.raises(ValueError, match='did you mean "auto"'):
        stiction.Simulator(pendulum(), solver="atuo")


def test_control_by_name():
    simulator = stiction.Simulator(pendulum())
    simulator.set_control({"motor": 2})
    assert list(simulator.control) == [2.0]
    with pytest.raises(ValueError):
        simulator.set_control({"motor": 3, "nobody": 1})
    assert list(simulator.control) == [2.0]
    with pytest.raises(TypeError):
        simulator.set_control({"motor": "fast"})


def test_forward_and_contact_force():
    simulator = stiction.Simulator(two_boxes(), dt=1e-3)
    assert simulator.contacts() == []
    assert len(simulator.forward()) == 8 and simulator.time == 0
    weight = 2 * 9.81
    assert simulator.contact_force("high").force == pytest.approx([0, 0, weight], abs=1e-6)
    assert simulator.contact_force("low", -1).force[2] == pytest.approx(2 * weight, abs=1e-6)
    assert simulator.contact_force("low", "high").force[2] == pytest.approx(-weight, abs=1e-6)
    assert simulator.contact_force("high", "low").num_contacts == 4
    other = stiction.Simulator(two_boxes(), dt=1e-3)
    simulator.step(20), other.step(20)
    assert simulator.state == other.state


def test_names_of_bodies():
    model = arm()
    assert model.bodies[model.find_body("base")].name == "base"
    assert "base" in model.body_names and "base" in repr(model.bodies[0])


def test_point_motion():
    simulator = stiction.Simulator(pendulum(length=1.0), dt=1e-3)
    simulator.joint("hinge").velocity = 2.0
    point = (0, 0, -1.0)
    assert simulator.point_velocity("bob", point) == pytest.approx([-2, 0, 0])
    assert simulator.angular_velocity("bob") == pytest.approx([0, 2, 0])
    linear, angular = simulator.point_acceleration([3.0], "bob", point)
    assert linear == pytest.approx([-3, 0, 4]) and angular == pytest.approx([0, 3, 0])
    linear, _ = stiction.point_acceleration(simulator.model, [0.0], [2.0], [0.0], "bob", point)
    assert linear == pytest.approx([0, 0, 4])
    simulator.step()
    assert simulator.acceleration().shape == (1,)


def test_queries():
    simulator = stiction.Simulator(two_boxes())
    hit = simulator.cast_ray((0, 0, 5), (0, 0, -2))
    assert hit.distance == pytest.approx(4.6) and hit.body == simulator.model.find_body("high")
    assert list(hit.normal) == [0, 0, 1]
    assert simulator.cast_ray((0, 0, 5), (0, 0, 1)) is None
    assert simulator.cast_ray((0, 0, 5), (0, 0, -1), without_body="high").distance == pytest.approx(4.8)
    with pytest.raises(ValueError, match="direction"):
        simulator.cast_ray((0, 0, 5), (0, 0, 0))
    assert simulator.shape_distance("high", "ground").distance == pytest.approx(0.2)
    d = simulator.body_distance("high", "low")
    assert d.distance == pytest.approx(0, abs=1e-12) and d.normal == pytest.approx([0, 0, 1])
    assert simulator.overlapping_shapes(stiction.Sphere(0.0), (0, 0, 0.35)) == [2]
    assert simulator.overlapping_shapes(stiction.Sphere(0.0), (0, 0, 0.45)) == []
    assert simulator.overlapping_shapes(stiction.Sphere(0.0), (0, 0, 0.45), margin=0.06) == [2]


def test_inverse_kinematics():
    model = arm()
    simulator = stiction.Simulator(model)
    site = [f.name for f in model.frames if f.is_site][0]
    wanted = stiction.frame_pose(model, simulator.q, site)
    found = stiction.inverse_kinematics(model, simulator.q, {site: wanted})
    assert found.reached and found.iterations == 0
    far = stiction.inverse_kinematics(pendulum(), [0.1], {"bob": (50, 0, 0)}, max_restarts=3)
    assert far.status == "out_of_reach" and not far.reached and far.position_error > 40
    with pytest.raises(ValueError, match="did you mean"):
        stiction.inverse_kinematics(pendulum(), [0.1], {"bop": (1, 0, 0)})
    with pytest.raises(TypeError):
        stiction.inverse_kinematics(pendulum(), [0.1], {"bob": (1, 0, 0)}, depth=3)


def conveyor():
    builder = stiction.ModelBuilder()
    deck = builder.add_body(name="deck", position=(0, 0, -0.1), is_kinematic=True)
    builder.add_shape(deck, stiction.Box((5, 1, 0.1)), friction=0.5)
    box = builder.add_body(name="box", position=(0, 0, 0.1))
    builder.add_shape(box, stiction.Box((0.1, 0.1, 0.1)), mass=1, friction=0.5)
    return builder.build()


def test_a_conveyor():
    simulator = stiction.Simulator(conveyor(), dt=1e-3)
    simulator.set_body_velocity("deck", (0.5, 0, 0))
    simulator.step(50)
    assert simulator.v[6] == pytest.approx(0.5 * 9.81 * 0.05, abs=1e-9)
    simulator.step(450)
    assert simulator.v[6] == pytest.approx(0.5, abs=1e-9) and simulator.num_uncertified_steps == 0  # the tolerance of a step
    assert simulator.model.bodies[0].is_kinematic
    simulator.move_body_to("deck", simulator.body_pose("deck").position + [0, 0, 1e-4])
    simulator.step()
    simulator.set_body_pose("deck", (0, 0, -3))
    assert simulator.q[2] == -3
    with pytest.raises(ValueError, match="'bob'"):
        stiction.Simulator(pendulum()).set_body_velocity("bob", (1, 0, 0))


def _step_elsewhere(simulator):
    simulator.step(30)
    return simulator.state.to_bytes()


def test_simulators_copy_and_pickle():
    simulator = stiction.Simulator(two_boxes(), dt=2e-3, tolerance=1e-10)
    simulator.add_external_force("high", (0.5, 0, 0), (0, 0, 0.3))
    simulator.set_joint_force(np.full(12, 0.01))
    simulator.step(20)
    twins = [copy.copy(simulator), copy.deepcopy(simulator), simulator.copy(), pickle.loads(pickle.dumps(simulator))]
    assert twins[0].model is simulator.model and twins[0].settings == simulator.settings
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        elsewhere = pool.map(_step_elsewhere, [simulator])[0]
    here = _step_elsewhere(simulator)
    assert elsewhere == here
    for twin in twins:
        assert _step_elsewhere(twin) == here
    pair = pickle.loads(pickle.dumps([simulator, twins[0]]))
    assert pair[0].model is pair[1].model  # stored once


def test_models_copy_and_pickle():
    model = stiction.load(SCENES / "quadruped.xml").model
    assert copy.copy(model) is model and copy.deepcopy(model) is model
    again = pickle.loads(pickle.dumps(model))
    assert again.to_bytes() == model.to_bytes() and again.joint_names == model.joint_names
    a, b = stiction.Simulator(model), stiction.Simulator(again)
    a.step(20), b.step(20)
    assert a.state == b.state
    with pytest.raises(ValueError):
        stiction.Model.from_bytes(model.to_bytes()[:-5])


def test_edited():
    model = pendulum()
    heavier = model.edited(
        gravity=(0, 0, -3.7), bodies={"bob": dict(mass=4.0)}, joints={"hinge": dict(lower=-1, damping=0.2)},
        actuators={"motor": dict(gear=2.0)},
    )
    assert heavier.bodies[0].mass == 4.0 and model.bodies[0].mass == 2.0
    assert heavier.dofs[0].lower == -1 and heavier.dofs[0].upper == model.dofs[0].upper
    assert heavier.dofs[0].damping == 0.2 and heavier.actuators[0].gear == 2.0 and heavier.gravity[2] == -3.7
    assert model.edited().to_bytes() == model.to_bytes()
    for changes, message in [
        (dict(bodies={"bob": dict(mass=-1)}), "body 'bob': mass is -1"),
        (dict(joints={"hinge": dict(lower=2, upper=1)}), "joint 'hinge': lower and upper are 2 and 1"),
        (dict(joints={"hinje": dict(lower=2)}), "did you mean"),
        (dict(actuators={"motor": dict(kp=math.nan)}), "actuator 'motor'"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.edited(**changes)
    with pytest.raises(TypeError, match="colour"):
        model.edited(colour=1)
    with pytest.raises(TypeError, match="weight"):
        model.edited(bodies={"bob": dict(weight=1)})
    box = box_on_plane().edited(shapes={"box": dict(friction=0.1, color=(1, 0, 0, 1))})
    assert box.shapes[1].material.friction == 0.1 and list(box.shapes[1].color) == [1, 0, 0, 1]


def test_edited_tendons_and_actuators_of_every_kind():
    builder = stiction.ModelBuilder()
    builder.add_body(name="link", mass=1, inertia=[0.1] * 3, joint="revolute", joint_name="knee", axis=(0, 1, 0))
    builder.add_tendon(name="cord", joints={"knee": 0.5})
    builder.add_actuator(name="affine", tendon="cord", kind="affine", gain=(2, 0, 0), bias=(0, -1, 0))
    builder.add_actuator(name="slow", joint="knee", activation="filter", time_constants=(0.1, 0, 0))
    builder.add_actuator(name="muscle", tendon="cord", kind="muscle", activation="muscle", time_constants=(0.01, 0.04, 0))
    model = builder.build()
    edited = model.edited(
        bodies={"link": dict(gravity_compensation=0.5)},
        actuators={
            "affine": dict(force_upper=3.0, gain=(4, 0, 0)),
            "slow": dict(time_constants=(0.2, 0, 0), activation_upper=0.8),
            "muscle": dict(force_lower=-9.0, gear=0.1),
        },
        tendons={"cord": dict(stiffness=5.0, rest_upper=0.3, damping=0.2, dry_friction=0.1, upper=1.5, effort_limit=4.0)},
    )
    affine, slow, muscle = edited.actuators
    assert affine.force_upper == 3.0 and affine.force_lower == -math.inf
    assert tuple(affine.gain) == (4, 0, 0) and tuple(affine.bias) == (0, -1, 0)
    assert slow.time_constants[0] == 0.2 and slow.activation_upper == 0.8
    assert muscle.force_lower == -9.0 and muscle.gear == 0.1
    cord = edited.tendons[0]
    assert (cord.stiffness, cord.rest_lower, cord.rest_upper, cord.damping) == (5.0, 0.0, 0.3, 0.2)
    assert (cord.dry_friction, cord.lower, cord.upper, cord.effort_limit) == (0.1, -math.inf, 1.5, 4.0)
    half = stiction.Simulator(edited.edited(tendons={"cord": dict(stiffness=0, dry_friction=0)}))
    half.step()
    for changes, message in [
        (dict(actuators={"affine": dict(kp=1)}), "kp and kd of a affine actuator"),
        (dict(actuators={"slow": dict(gain=(1, 0, 0))}), "gain and bias of a torque actuator"),
        (dict(actuators={"affine": dict(bias=(0, math.nan, 0))}), r"actuator 'affine': bias\[1\] is nan"),
        (dict(tendons={"cord": dict(lower=2)}), None),
        (dict(tendons={"cord": dict(lower=2, upper=1)}), "tendon 'cord': lower and upper are 2 and 1"),
        (dict(tendons={"card": dict(lower=2)}), "did you mean"),
        (dict(bodies={"link": dict(gravity_compensation=math.inf)}), "body 'link': gravity_compensation"),
    ]:
        if message is None:
            model.edited(**changes)
            continue
        with pytest.raises(ValueError, match=message):
            model.edited(**changes)
    with pytest.raises(TypeError, match="stifness"):
        model.edited(tendons={"cord": dict(stifness=1)})


def test_kinds_that_do_not_exist():
    builder = stiction.ModelBuilder()
    builder.add_body(name="link", mass=1, inertia=[0.1] * 3, joint="revolute", joint_name="knee", axis=(0, 1, 0))
    for field, value in dict(kind="rocket", activation="magic").items():
        with pytest.raises(ValueError, match=f"(?s){value}.*(torque|filter)"):
            builder.add_actuator(joint="knee", **{field: value})
    with pytest.raises(ValueError, match="gain"):
        builder.add_actuator(joint="knee", kind="affine", gain=(math.nan, 0, 0))


def test_controls_by_name_of_a_joint():
    simulator = stiction.Simulator(pendulum())
    simulator.set_control({"hinge": 1.5})
    assert simulator.control[0] == 1.5
    simulator.set_control({"motor": 0.5})
    assert simulator.control[0] == 0.5
    with pytest.raises(ValueError, match="no actuator 'hinje' in the model, nor a joint with one actuator; did you mean"):
        simulator.set_control({"motor": 2.0, "hinje": 1.0})
    assert simulator.control[0] == 0.5
    builder = stiction.ModelBuilder.from_model(pendulum())
    builder.add_actuator(name="second", joint="hinge")
    with pytest.raises(ValueError, match="the joint of that name has 2 actuators, not one: name the actuator"):
        stiction.Simulator(builder.build()).set_control({"hinge": 1.0})


def test_from_model_attach_and_remove():
    model = stiction.load(SCENES / "quadruped.xml").model
    builder = stiction.ModelBuilder.from_model(model)
    assert builder.build().to_bytes() == model.to_bytes()
    builder.attach(pendulum(), prefix="p_", position=(3, 0, 2))
    both = builder.build()
    assert "p_bob" in both.body_names and both.num_velocities == model.num_velocities + 1
    builder.remove_body(builder.find_body("p_bob"))
    assert builder.build().to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="is free"):
        builder.attach(box_on_plane(), prefix="b_", parent=builder.find_body(model.body_names[0]))
    with pytest.raises(ValueError):
        builder.attach(pendulum(), base="swimming")
