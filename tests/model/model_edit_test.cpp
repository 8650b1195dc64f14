// Values of a model changed by name.
#include "stiction/model/model_edit.h"

#include <gtest/gtest.h>

#include "stiction/io/recording/model_storage.h"
#include "stiction/model/control_name.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/model_builder.h"
#include "tests/io/recorded_worlds.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

std::shared_ptr<const Model> arm() {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  BodyOptions link{.name = "link", .inertia = Inertia::of(Box{{0.1, 0.1, 0.4}}, 2.0)};
  link.joint.name = "knee";
  link.joint.kind = JointKind::revolute;
  link.joint.axis = Vector3::UnitY();
  link.joint.lower = -1.0, link.joint.upper = 1.0;
  const int body = builder.add_body(link);
  builder.add_shape({.name = "foot", .body = body, .geometry = ConvexHull::box({0.1, 0.1, 0.4})});
  builder.add_body({.name = "ball", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  builder.add_actuator({.name = "servo", .joint = "knee", .kind = ActuatorKind::position, .kp = 5.0, .kd = 0.5});
  return builder.build();
}

TEST(ModelEdit, NothingChangedIsTheSameModel) {
  const auto model = testing::everything();
  EXPECT_TRUE(model_to_bytes(*ModelEdit(model).build()) == model_to_bytes(*model));
}

TEST(ModelEdit, EveryChangeIsTheOneThatTheBuilderWouldHaveMade) {
  const auto before = arm();
  const auto bytes = model_to_bytes(*before);
  ModelEdit edit(before);
  edit.set_gravity({0.0, 0.0, -1.62});
  edit.set_mass("link", 3.0);
  edit.set_limits("knee", -0.5, 0.7);
  edit.set_damping("knee", 0.2);
  edit.set_armature("knee", 0.03);
  edit.set_dry_friction("knee", 0.4);
  edit.set_spring("knee", 6.0, 0.1);
  edit.set_effort_limit("knee", 9.0);
  edit.set_friction("foot", 0.3);
  edit.set_gains("servo", 50.0, 2.0);
  edit.set_force_limits("servo", -4.0, 4.0);
  edit.set_control_limits("servo", -1.0, 1.0);
  edit.set_suggested_time_step(2e-3);
  const auto after = edit.build();

  ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -1.62});
  builder.set_suggested_time_step(2e-3);
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  BodyOptions link{.name = "link", .inertia = Inertia::of(Box{{0.1, 0.1, 0.4}}, 3.0)};
  link.joint = {.name = "knee",
                .kind = JointKind::revolute,
                .axis = Vector3::UnitY(),
                .armature = 0.03,
                .damping = 0.2,
                .stiffness = 6.0,
                .rest_position = 0.1,
                .dry_friction = 0.4,
                .lower = -0.5,
                .upper = 0.7,
                .effort_limit = 9.0};
  const int body = builder.add_body(link);
  ShapeOptions foot{.name = "foot", .body = body, .geometry = after->shapes[1].geometry};
  foot.material.friction = 0.3;
  builder.add_shape(foot);
  builder.add_body({.name = "ball", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  builder.add_actuator({.name = "servo",
                        .joint = "knee",
                        .kind = ActuatorKind::position,
                        .kp = 50.0,
                        .kd = 2.0,
                        .control_lower = -1.0,
                        .control_upper = 1.0,
                        .force_lower = -4.0,
                        .force_upper = 4.0});
  const auto expected = builder.build();
  EXPECT_LT((after->bodies[0].inertia - expected->bodies[0].inertia).cwiseAbs().maxCoeff(), 1e-15);
  Model same = *after;  // but for the last bits of the inertia
  same.bodies[0].inertia = expected->bodies[0].inertia;
  EXPECT_TRUE(model_to_bytes(same) == model_to_bytes(*expected));

  EXPECT_TRUE(model_to_bytes(*before) == bytes);  // the first one stays
  using Hull = std::shared_ptr<const ConvexHull>;
  EXPECT_EQ(std::get<Hull>(before->shapes[1].geometry), std::get<Hull>(after->shapes[1].geometry));  // shared
}

TEST(ModelEdit, WhatBreaksAModelIsNamedAndNotApplied) {
  ModelEdit edit(arm());
  const auto bytes = model_to_bytes(edit.model());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED(edit.set_mass("link", -2.0), "body 'link': mass is -2");
  EXPECT_REFUSED(edit.set_mass("link", 0.0), "mass is 0");
  EXPECT_REFUSED(edit.set_mass("link", nan), "body 'link'");
  EXPECT_REFUSED(edit.set_mass("lnik", 1.0), "did you mean \"link\"");
  EXPECT_REFUSED(edit.set_limits("knee", 1.0, -1.0), "joint 'knee': lower and upper are 1 and -1");
  EXPECT_REFUSED(edit.set_limits("ball", 0.0, 1.0), "do not apply to a free joint");
  EXPECT_REFUSED(edit.set_damping("knee", -1.0), "joint 'knee': damping is -1");
  EXPECT_REFUSED(edit.set_spring("knee", nan, 0.0), "stiffness");
  EXPECT_REFUSED(edit.set_effort_limit("knee", -1.0), "effort_limit is -1");
  EXPECT_REFUSED(edit.set_friction("foot", -0.1), "shape 'foot'");
  EXPECT_REFUSED(edit.set_friction("hand", 0.1), "no shape 'hand'");
  EXPECT_REFUSED(edit.set_gains("servo", -5.0, 0.0), "actuator 'servo': kp is -5");
  EXPECT_REFUSED(edit.set_control_limits("servo", 2.0, 1.0), "control_lower and control_upper are 2 and 1");
  EXPECT_REFUSED(edit.set_gravity({0.0, nan, 0.0}), "gravity");
  EXPECT_REFUSED(edit.set_loop_compliance("x", 0.0), "no loop 'x'");
  EXPECT_REFUSED(edit.set_initial_position(VectorX::Zero(3)), "3 entries");
  EXPECT_REFUSED(edit.set_initial_position(VectorX::Zero(8)), "length 0");
  EXPECT_REFUSED(edit.set_color("foot", {2.0, 0.0, 0.0, 1.0}), "color[0] is 2");
  EXPECT_REFUSED(edit.set_inertia("link", Inertia{1.0, Vector3::Zero(), -Matrix3::Identity()}), "body 'link'");
  EXPECT_REFUSED(ModelEdit(std::shared_ptr<const Model>()), "no model");
  EXPECT_TRUE(model_to_bytes(edit.model()) == bytes);
}

TEST(ModelEdit, AnInertiaIsGivenInTheFrameOfItsName) {
  ModelEdit edit(arm());
  const Inertia wanted{1.5, Vector3(0.1, 0.2, 0.3), Vector3(0.02, 0.03, 0.04).asDiagonal()};
  edit.set_inertia("link", wanted);
  const auto model = edit.build();
  const Pose frame = model->frames[static_cast<std::size_t>(model->find_frame("link"))].pose;  // turned: z is the axis
  const Body& body = model->bodies[0];
  EXPECT_EQ(body.mass, 1.5);
  EXPECT_LT((frame.inverse() * body.com - wanted.com).norm(), 1e-15);
  EXPECT_LT((frame.rotation.transpose() * body.inertia * frame.rotation - wanted.moment).cwiseAbs().maxCoeff(), 1e-16);
}

TEST(ModelEdit, AShapeOfAnotherSizeElsewhereIsTheOneThatTheBuilderMakes) {
  const auto world = [](const Vector3& half_size, const Pose& pose) {
    ModelBuilder builder;
    builder.add_shape({.name = "ground", .geometry = Plane{}});
    const int body = builder.add_body({.name = "ball", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
    builder.add_shape({.name = "box", .body = body, .pose = pose, .geometry = Box{half_size}});
    return builder.build();
  };
  const Pose moved{Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix(), Vector3(0.0, 0.1, 0.2)};
  ModelEdit edit(world({0.1, 0.1, 0.1}, Pose{}));
  edit.set_geometry("box", Box{{0.1, 0.2, 0.3}});
  edit.set_shape_pose("box", moved);
  EXPECT_TRUE(model_to_bytes(*edit.build()) == model_to_bytes(*world({0.1, 0.2, 0.3}, moved)));
  const auto bytes = model_to_bytes(edit.model());
  EXPECT_REFUSED(edit.set_geometry("box", Box{{0.1, -0.2, 0.3}}), "shape 'box'");
  EXPECT_REFUSED(edit.set_geometry("box", Plane{}), "shape 'box': a plane on a moving body");
  EXPECT_REFUSED(edit.set_geometry("bix", Sphere{0.1}), "no shape 'bix'");
  EXPECT_REFUSED(edit.set_shape_pose("box", Pose{Matrix3::Zero(), Vector3::Zero()}), "shape 'box'");
  EXPECT_TRUE(model_to_bytes(edit.model()) == bytes);
}

std::shared_ptr<const Model> pulled() {
  ModelBuilder builder;
  BodyOptions link{.name = "link", .inertia = Inertia::of(Box{{0.1, 0.1, 0.4}}, 2.0)};
  link.joint.name = "knee";
  link.joint.kind = JointKind::revolute;
  link.joint.axis = Vector3::UnitY();
  builder.add_body(link);
  builder.add_tendon({.name = "cord", .terms = {{"knee", 0.5}}, .stiffness = 3.0});
  ActuatorOptions affine{.name = "affine", .kind = ActuatorKind::affine};
  affine.tendon = "cord";
  affine.gain = {2.0, 0.0, 0.0}, affine.bias = {0.0, -1.0, 0.0};
  affine.activation = ActivationKind::filter;
  affine.time_constants = {0.1, 0.0, 0.0};
  builder.add_actuator(affine);
  builder.add_actuator({.name = "motor", .joint = "knee"});
  return builder.build();
}

TEST(ModelEdit, TendonsActivationsAndCarriedWeights) {
  ModelEdit edit(pulled());
  edit.set_affine("affine", {3.0, 0.1, 0.2}, {0.5, -2.0, -0.3});
  edit.set_force_limits("affine", -7.0, 8.0);
  edit.set_time_constants("affine", {0.3, 0.0, 0.0});
  edit.set_activation_limits("affine", -0.5, 0.6);
  edit.set_tendon_spring("cord", 9.0, 0.1, 0.2);
  edit.set_tendon_damping("cord", 0.7);
  edit.set_tendon_dry_friction("cord", 0.9);
  edit.set_tendon_limits("cord", -1.0, 2.0);
  edit.set_tendon_effort_limit("cord", 11.0);
  edit.set_gravity_compensation("link", 0.5);
  const auto bytes = model_to_bytes(*edit.build());

  ModelBuilder builder;
  BodyOptions link{.name = "link", .inertia = Inertia::of(Box{{0.1, 0.1, 0.4}}, 2.0)};
  link.joint.name = "knee";
  link.joint.kind = JointKind::revolute;
  link.joint.axis = Vector3::UnitY();
  link.gravity_compensation = 0.5;
  builder.add_body(link);
  builder.add_tendon({.name = "cord",
                      .terms = {{"knee", 0.5}},
                      .stiffness = 9.0,
                      .rest_lower = 0.1,
                      .rest_upper = 0.2,
                      .damping = 0.7,
                      .dry_friction = 0.9,
                      .lower = -1.0,
                      .upper = 2.0,
                      .effort_limit = 11.0});
  ActuatorOptions affine{.name = "affine", .kind = ActuatorKind::affine};
  affine.tendon = "cord";
  affine.gain = {3.0, 0.1, 0.2}, affine.bias = {0.5, -2.0, -0.3};
  affine.force_lower = -7.0, affine.force_upper = 8.0;
  affine.activation = ActivationKind::filter;
  affine.time_constants = {0.3, 0.0, 0.0};
  affine.activation_lower = -0.5, affine.activation_upper = 0.6;
  builder.add_actuator(affine);
  builder.add_actuator({.name = "motor", .joint = "knee"});
  EXPECT_TRUE(bytes == model_to_bytes(*builder.build()));

  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED(edit.set_affine("affine", {1.0, nan, 0.0}, {}), "actuator 'affine': gain[1] is nan");
  EXPECT_REFUSED(edit.set_affine("motor", {}, {}), "actuator 'motor': gain and bias of a torque actuator");
  EXPECT_REFUSED(edit.set_gains("affine", 1.0, 1.0), "kp and kd of a affine actuator");
  EXPECT_REFUSED(edit.set_time_constants("affine", {0.0, 0.0, 0.0}), "time_constants[0] is 0");
  EXPECT_REFUSED(edit.set_time_constants("motor", {1.0, 0.0, 0.0}), "whose activation is none");
  EXPECT_REFUSED(edit.set_activation_limits("affine", 1.0, 0.0), "activation_lower and activation_upper are 1 and 0");
  EXPECT_REFUSED(edit.set_activation_limits("motor", 0.0, 1.0), "actuator 'motor'");
  EXPECT_REFUSED(edit.set_tendon_spring("cord", -1.0, 0.0, 0.0), "tendon 'cord': stiffness is -1");
  EXPECT_REFUSED(edit.set_tendon_spring("cord", 1.0, 1.0, 0.0), "rest_lower and rest_upper are 1 and 0");
  EXPECT_REFUSED(edit.set_tendon_damping("cord", nan), "tendon 'cord': damping");
  EXPECT_REFUSED(edit.set_tendon_dry_friction("cord", -2.0), "dry_friction is -2");
  EXPECT_REFUSED(edit.set_tendon_limits("cord", 2.0, 1.0), "lower and upper are 2 and 1");
  EXPECT_REFUSED(edit.set_tendon_effort_limit("cord", -2.0), "effort_limit is -2");
  EXPECT_REFUSED(edit.set_tendon_damping("card", 1.0), "did you mean \"cord\"");
  EXPECT_REFUSED(edit.set_gravity_compensation("link", nan), "body 'link': gravity_compensation");
  EXPECT_TRUE(bytes == model_to_bytes(*edit.build()));
  edit.set_gravity_compensation("link", 0.0);
  EXPECT_TRUE(edit.build()->carried_weights.empty());
}

TEST(ModelEdit, PairsWithAMaterialOfTheirOwnAreNotOverlooked) {
  ModelBuilder builder;
  const int ground = builder.add_shape({.name = "ground", .geometry = Plane{}});
  const int body = builder.add_body({.name = "ball", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  const int ball = builder.add_shape({.name = "ball", .body = body, .geometry = Sphere{0.1}});
  builder.add_shape({.name = "cap", .body = body, .geometry = Sphere{0.05}});
  builder.set_pair_material(ground, ball, {.friction = 0.4, .friction_2 = 0.4});
  const auto model = builder.build();
  for (const char* shape : {"ground", "ball"}) {
    ModelEdit edit(model);
    edit.set_friction(shape, 0.1);
    EXPECT_REFUSED(edit.build(), std::string("shape '") + shape + "': its material is changed");
    edit.set_pair_material("ball", "ground", {.friction = 0.2, .friction_2 = 0.2});
    const auto changed = edit.build();
    EXPECT_EQ(0.2, changed->pair_material(ground, ball).friction);
    EXPECT_EQ(0.1, changed->shapes[static_cast<std::size_t>(changed->find_shape(shape))].material.friction);
  }
  ModelEdit edit(model);
  edit.set_friction("cap", 0.3);  // has no such pair
  Material moving = model->shapes[0].material;
  moving.surface_velocity = {1.0, 0.0, 0.0};  // holds in every contact
  edit.set_material("ground", moving);
  EXPECT_EQ(0.4, edit.build()->pair_material(ground, ball).friction);
  edit.set_friction("ball", 0.7);
  edit.clear_pair_material("ground", "ball");
  const auto cleared = edit.build();
  EXPECT_TRUE(cleared->pair_materials.empty());
  EXPECT_EQ(std::sqrt(0.7), cleared->pair_material(ground, ball).friction);
  // A pair that had none; and which of the two is the first.
  edit.set_pair_material("cap", "ground", {.friction = 0.5, .friction_2 = 0.6, .direction_of = 0});
  const auto own = edit.build();
  ASSERT_EQ(1u, own->pair_materials.size());
  EXPECT_EQ(1, own->pair_materials[0].material.direction_of);  // the ground is the first there
  EXPECT_REFUSED(edit.set_pair_material("cap", "ground", {.friction = -1.0}), "'cap' and 'ground': friction is -1");
  EXPECT_REFUSED(edit.set_pair_material("cap", "cap", {}), "a shape with itself");
  EXPECT_REFUSED(edit.set_pair_material("cap", "grund", {}), "did you mean \"ground\"");
  EXPECT_REFUSED(edit.clear_pair_material("ball", "ground"), "none of their own");
  EXPECT_TRUE(model_to_bytes(*own) == model_to_bytes(*edit.build()));
}

TEST(Model, ControlsAreFoundByActuatorAndByJoint) {
  const auto model = arm();
  EXPECT_EQ(0, find_control(*model, "servo"));
  EXPECT_EQ(0, find_control(*model, "knee"));
  EXPECT_REFUSED(find_control(*model, "kne"), "did you mean \"knee\"");
  EXPECT_REFUSED(find_control(*model, "ball"), "the joint of that name has 0 actuators");
  ModelBuilder builder = ModelBuilder::from_model(*model);
  builder.add_actuator({.name = "damper", .joint = "knee", .kind = ActuatorKind::velocity, .kd = 0.5});
  EXPECT_REFUSED(find_control(*builder.build(), "knee"), "the joint of that name has 2 actuators");
  builder.add_actuator({.name = "knee", .joint = "knee"});
  EXPECT_EQ(2, find_control(*builder.build(), "knee"));  // names of actuators come first
}

TEST(Model, BodiesAreFoundByName) {
  const auto model = arm();
  EXPECT_EQ(model->find_body("ball"), 1);
  EXPECT_EQ(model->bodies[1].name, "ball");
  EXPECT_REFUSED(model->find_body("bal"), "did you mean \"ball\"");
  EXPECT_REFUSED(model->find_joint("kne"), "did you mean \"knee\"");
  EXPECT_REFUSED(model->find_joint("elephant"), "there are 'knee', 'ball'");
}

}  // namespace
}  // namespace stiction
