// Models put back into a builder: from_model gives the same model again, attach puts one into another, remove_body
// takes a part out.
#include <gtest/gtest.h>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/io/recording/model_storage.h"
#include "stiction/model/model_builder.h"
#include "tests/io/recorded_worlds.h"
#include "tests/support/random_model.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using testing::Rng;

// All that is stored, by its bytes, and all that follows from it. The binding lists the fields of Model: who adds one
// must say here how two of them are compared.
void expect_same_bits(const Model& a, const Model& b) {
  EXPECT_TRUE(model_to_bytes(a) == model_to_bytes(b));
  const auto& [gravity, friction_rule, suggested_time_step, bodies, trees, dofs, joints, frames, shapes, loops,
               actuators, keyframes, cameras, excluded_pairs, forced_pairs, initial_position, initial_velocity,
               row_begin, row_ancestor, nodes, node_of, tendons, carried_weights, sensors, pair_materials, fluid,
               fluid_forms] = a;  // the fields that model_to_bytes() does not store follow
  ASSERT_EQ(bodies.size(), b.bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    EXPECT_EQ(bodies[k].name, b.bodies[k].name);
    EXPECT_EQ(bodies[k].tree, b.bodies[k].tree);
    EXPECT_EQ(bodies[k].first_position, b.bodies[k].first_position);
    EXPECT_EQ(bodies[k].first_velocity, b.bodies[k].first_velocity);
  }
  ASSERT_EQ(trees.size(), b.trees.size());
  for (std::size_t k = 0; k < trees.size(); ++k) {
    EXPECT_EQ(trees[k].first_body, b.trees[k].first_body);
    EXPECT_EQ(trees[k].num_velocities, b.trees[k].num_velocities);
    EXPECT_EQ(trees[k].is_single_free_body, b.trees[k].is_single_free_body);
  }
  for (std::size_t k = 0; k < dofs.size(); ++k) {
    EXPECT_EQ(dofs[k].body, b.dofs[k].body);
    EXPECT_EQ(dofs[k].parent, b.dofs[k].parent);
    EXPECT_EQ(dofs[k].depth, b.dofs[k].depth);
  }
  EXPECT_EQ(row_begin, b.row_begin);
  EXPECT_EQ(row_ancestor, b.row_ancestor);
  EXPECT_EQ(nodes.size(), b.nodes.size());
  EXPECT_EQ(node_of, b.node_of);
  for (std::size_t k = 0; k < sensors.size(); ++k) {
    EXPECT_EQ(sensors[k].first_value, b.sensors[k].first_value);
    EXPECT_EQ(sensors[k].num_values, b.sensors[k].num_values);
  }
}

struct Kinematics {
  explicit Kinematics(const Model& model, const VectorX& q) : model_(model), data_(model) {
    update_kinematics(model, q.data(), VectorX(VectorX::Zero(model.num_velocities())).data(), data_);
    update_inertia(model, data_);
  }
  Pose frame(const std::string& name) const {
    const Frame& f = model_.frames[static_cast<std::size_t>(model_.find_frame(name))];
    return f.body < 0 ? f.pose : body_pose(data_, f.body) * f.pose;
  }
  MatrixX inertia() const { return inertia_matrix(model_, data_); }
  const Model& model_;
  DynamicsData data_;
};

void expect_same_pose(const Pose& a, const Pose& b, const std::string& what) {
  EXPECT_LT((a.position - b.position).norm(), 1e-12) << what;
  EXPECT_LT((a.rotation - b.rotation).norm(), 1e-12) << what;
}

TEST(FromModel, EveryPartComesBackToTheLastBit) {
  const auto world = testing::everything();
  expect_same_bits(*world, *ModelBuilder::from_model(*world).build());
}

TEST(FromModel, RandomWorldsComeBackToTheLastBit) {
  Rng rng(11);
  for (int trial = 0; trial < 60; ++trial) {
    const auto world = testing::random_world(rng, {.bodies = 2 + trial % 25});
    const auto again = ModelBuilder::from_model(*world.model).build();
    expect_same_bits(*world.model, *again);
    expect_same_bits(*world.model, *ModelBuilder::from_model(*again).build());
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST(FromModel, ParentsThatCollideStillDo) {
  ModelBuilder builder;
  builder.set_parents_collide(true);
  const int a = builder.add_body({.name = "a"});
  builder.add_shape({.name = "on_a", .body = a, .geometry = Sphere{0.1}, .mass = 1.0});
  BodyOptions hinged{.name = "b", .parent = a};
  hinged.joint.kind = JointKind::revolute;
  const int b = builder.add_body(hinged);
  builder.add_shape({.name = "on_b", .body = b, .geometry = Sphere{0.1}, .mass = 1.0});
  const auto model = builder.build();
  ASSERT_TRUE(model->may_collide(0, 1));
  ModelBuilder again = ModelBuilder::from_model(*model);
  EXPECT_TRUE(again.build()->may_collide(0, 1));
  // A shape that is new follows the rule of the builder.
  again.add_shape({.name = "new", .body = again.find_body("b"), .geometry = Sphere{0.2}});
  const auto more = again.build();
  EXPECT_FALSE(more->may_collide(more->find_shape("on_a"), more->find_shape("new")));
  EXPECT_TRUE(more->may_collide(more->find_shape("on_a"), more->find_shape("on_b")));
}

TEST(FromModel, ABodyIsAddedInTheMiddleAndKeyframesFollow) {
  ModelBuilder builder;
  const auto hinge = [](const std::string& name, int parent) {
    BodyOptions body{.name = name, .parent = parent, .inertia = Inertia::of(Sphere{0.1}, 1.0)};
    body.joint.kind = JointKind::revolute;
    body.joint.axis = Vector3::UnitX();
    body.pose = Pose(Vector3(0, 0, -0.5));
    return body;
  };
  const int a = builder.add_body(hinge("a", -1));
  builder.add_body(hinge("b", a));
  builder.add_body(hinge("c", -1));
  Keyframe key{.name = "bent"};
  key.q = Vector3(0.1, 0.2, 0.3);
  builder.add_keyframe(key);
  ModelBuilder again = ModelBuilder::from_model(*builder.build());
  again.add_body(hinge("new", again.find_body("a")));
  const auto model = again.build();
  const auto q_of = [&](const std::string& joint) {
    return model->keyframes[0].q[model->joints[static_cast<std::size_t>(model->find_joint(joint))].first_position];
  };
  EXPECT_EQ(q_of("a"), 0.1);
  EXPECT_EQ(q_of("b"), 0.2);
  EXPECT_EQ(q_of("c"), 0.3);
  EXPECT_EQ(q_of("new"), 0.0);
}

TEST(Attach, AModelMovesAsAWholeUnderItsPrefix) {
  Rng rng(5);
  for (int trial = 0; trial < 20; ++trial) {
    const auto part = testing::random_world(rng, {.bodies = 8}).model;
    const Pose pose = testing::random_pose(rng);
    ModelBuilder builder;
    const int stand =
        builder.add_body({.name = "stand", .pose = Pose(Vector3(1, 2, 3)), .inertia = Inertia::of(Sphere{0.1}, 1.0)});
    (void)stand;
    builder.attach(*part, {.prefix = "left_", .pose = pose});
    const auto whole = builder.build();
    ASSERT_EQ(whole->num_velocities(), part->num_velocities() + 6);
    const Kinematics alone(*part, part->initial_position), together(*whole, whole->initial_position);
    for (const Frame& frame : part->frames) {
      expect_same_pose(pose * alone.frame(frame.name), together.frame("left_" + frame.name), frame.name);
    }
    const int n = part->num_velocities();
    MatrixX inside = together.inertia().bottomRightCorner(n, n), own = alone.inertia();
    for (const Body& body : part->bodies) {  // free bodies have their linear velocity in the axes of the world
      if (body.joint != JointType::free) continue;
      const auto rows = own.middleRows(body.first_velocity, 3).eval();
      own.middleRows(body.first_velocity, 3) = pose.rotation * rows;
      const auto columns = own.middleCols(body.first_velocity, 3).eval();
      own.middleCols(body.first_velocity, 3) = columns * pose.rotation.transpose();
    }
    EXPECT_LT((inside - own).cwiseAbs().maxCoeff(), 1e-12) << trial;
  }
}

std::shared_ptr<const Model> two_links() {
  ModelBuilder builder;
  const int base = builder.add_body(
      {.name = "base", .pose = Pose(Vector3(0, 0, 1)), .inertia = Inertia::of(Box{{0.1, 0.2, 0.3}}, 2.0)});
  builder.add_shape({.name = "trunk", .body = base, .geometry = Box{{0.1, 0.2, 0.3}}});
  BodyOptions arm{.name = "arm",
                  .parent = base,
                  .pose = Pose(Vector3(0.1, 0, 0)),
                  .inertia = Inertia{0.5, Vector3(0, 0, 0.2), Vector3(0.01, 0.01, 0.002).asDiagonal()}};
  arm.joint.kind = JointKind::revolute;
  arm.joint.axis = Vector3::UnitY();
  arm.joint.lower = -1.0, arm.joint.upper = 2.0;
  const int link = builder.add_body(arm);
  builder.add_shape({.name = "rod", .body = link, .geometry = Capsule{0.02, 0.1}});
  builder.add_site("tip", link, Pose(Vector3(0, 0, 0.4)));
  builder.add_actuator({.name = "motor", .joint = "arm", .kind = ActuatorKind::position, .kp = 10.0, .kd = 1.0});
  Keyframe key{.name = "up"};
  key.q = Eigen::Matrix<double, 8, 1>{0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.7};
  key.control = VectorX::Constant(1, 0.7);
  builder.add_keyframe(key);
  return builder.build();
}

TEST(Attach, ABaseThatIsFixedJoinsWhatCarriesIt) {
  const auto robot = two_links();
  ModelBuilder builder;
  const int cart = builder.add_body({.name = "cart", .inertia = Inertia::of(Box{{0.5, 0.5, 0.1}}, 4.0)});
  const Pose on_cart(Quaternion(Eigen::AngleAxisd(0.3, Vector3::UnitZ())), Vector3(0.2, 0.1, 0.1));
  EXPECT_REFUSED(builder.attach(*robot, {.prefix = "r_", .parent = cart, .pose = on_cart}), "'base' is free");
  builder.attach(*robot, {.prefix = "r_", .parent = cart, .pose = on_cart, .is_base_fixed = true});
  const auto model = builder.build();
  ASSERT_EQ(model->num_velocities(), 7);
  EXPECT_EQ(model->find_body("r_base"), model->find_body("cart"));
  EXPECT_NEAR(model->bodies[0].mass, 6.0, 1e-14);
  const Kinematics together(*model, model->initial_position), alone(*robot, robot->initial_position);
  expect_same_pose(together.frame("cart") * on_cart * alone.frame("tip"), together.frame("r_tip"), "tip");
  EXPECT_EQ(model->keyframes[0].name, "r_up");
  EXPECT_EQ(model->keyframes[0].q[7], 0.7);
  EXPECT_EQ(model->actuators[static_cast<std::size_t>(model->find_actuator("r_motor"))].kp, 10.0);
  // Composite inertia against the same world described by hand.
  ModelBuilder by_hand;
  const int same = by_hand.add_body({.name = "cart", .inertia = Inertia::of(Box{{0.5, 0.5, 0.1}}, 4.0)});
  BodyOptions base{.name = "base",
                   .parent = same,
                   .pose = on_cart * Pose(Vector3(0, 0, 1)),
                   .inertia = Inertia::of(Box{{0.1, 0.2, 0.3}}, 2.0)};
  base.joint.kind = JointKind::fixed;
  BodyOptions arm{.name = "arm",
                  .parent = by_hand.add_body(base),
                  .pose = Pose(Vector3(0.1, 0, 0)),
                  .inertia = Inertia{0.5, Vector3(0, 0, 0.2), Vector3(0.01, 0.01, 0.002).asDiagonal()}};
  arm.joint.kind = JointKind::revolute;
  arm.joint.axis = Vector3::UnitY();
  by_hand.add_body(arm);
  const auto expected = by_hand.build();
  const Kinematics oracle(*expected, expected->initial_position);
  EXPECT_LT((together.inertia() - oracle.inertia()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Attach, NamesThatMeetAreRefusedByBuildAndAFailedAttachChangesNothing) {
  const auto robot = two_links();
  ModelBuilder builder = ModelBuilder::from_model(*robot);
  EXPECT_REFUSED(builder.attach(*robot, {.prefix = "x", .parent = builder.find_body("arm")}), "is free");
  expect_same_bits(*robot, *builder.build());
  EXPECT_REFUSED(builder.attach(*robot, {.parent = 99}), "parent is 99");
  builder.attach(*robot);
  EXPECT_REFUSED(builder.build(), "the name occurs twice");
}

TEST(RemoveBody, WhatWasAddedIsGoneToTheLastBit) {
  const auto small = two_links();
  ModelBuilder larger = ModelBuilder::from_model(*small);
  const int first = larger.attach(*small, {.prefix = "second_", .pose = Pose(Vector3(3, 0, 0))});
  EXPECT_EQ(first, 2);
  larger.add_loop({.name = "held", .body_a = larger.find_body("arm"), .body_b = larger.find_body("second_arm")});
  larger.force_pair(0, 2);
  const auto both = larger.build();
  ASSERT_EQ(both->num_velocities(), 14);
  ModelBuilder back = ModelBuilder::from_model(*both);
  back.remove_body(back.find_body("second_base"));
  const auto less = back.build();
  EXPECT_EQ(less->loops.size(), 0U);
  EXPECT_EQ(less->keyframes.size(), 2U);  // the second one is the initial state of what is left
  EXPECT_EQ(less->keyframes[1].q, small->initial_position);
  ModelBuilder expected = ModelBuilder::from_model(*small);
  Keyframe left{.name = "second_up"};
  expected.add_keyframe(left);
  expect_same_bits(*expected.build(), *less);
}

TEST(RemoveBody, PartsThatCannotBeToldApartAreRefused) {
  ModelBuilder builder;
  const int a = builder.add_body({.name = "a", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  BodyOptions fixed{.name = "stuck", .parent = a, .inertia = Inertia::of(Sphere{0.1}, 1.0)};
  fixed.joint.kind = JointKind::fixed;
  builder.add_body(fixed);
  ModelBuilder again = ModelBuilder::from_model(*builder.build());
  EXPECT_REFUSED(again.remove_body(again.find_body("stuck")), "'stuck'");
  EXPECT_REFUSED(again.remove_body(-1), "world");
  EXPECT_REFUSED(again.remove_body(7), "7");
  EXPECT_REFUSED(again.find_body("stick"), "did you mean \"stuck\"");
  builder.remove_body(1);  // here its inertia is known
  EXPECT_EQ(builder.build()->bodies[0].mass, 1.0);
}

TEST(Kinematic, TheBuilderTellsWhatCannotBe) {
  ModelBuilder builder;
  BodyOptions hinged{.name = "door"};
  hinged.joint.kind = JointKind::revolute;
  hinged.is_kinematic = true;
  EXPECT_REFUSED(builder.add_body(hinged), "not free");
  const int lift = builder.add_body({.name = "lift", .is_kinematic = true});
  builder.add_shape({.name = "deck", .body = lift, .geometry = Box{{1, 1, 0.1}}, .density = 1000});
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  const auto model = builder.build();
  EXPECT_EQ(model->bodies[0].mass, 0.0);
  EXPECT_FALSE(model->may_collide(0, 1));  // neither is moved by impulses
  expect_same_bits(*model, *ModelBuilder::from_model(*model).build());
  expect_same_bits(*model, *model_from_bytes(model_to_bytes(*model)));
  builder.add_loop({.name = "weld", .kind = LoopKind::weld, .body_a = lift});
  EXPECT_REFUSED(builder.build(), "loop 'weld'");
  ModelBuilder other;
  const int base = other.add_body({.name = "base", .is_kinematic = true});
  BodyOptions arm{.name = "arm", .parent = base, .inertia = Inertia::of(Sphere{0.1}, 1.0)};
  arm.joint.kind = JointKind::revolute;
  other.add_body(arm);
  EXPECT_REFUSED(other.build(), "kinematic body 'base'");
}

}  // namespace
}  // namespace stiction
