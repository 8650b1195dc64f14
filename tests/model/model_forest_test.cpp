// The forest that the builder lays out: every body of the user stands where the user's joints put it, masses and
// shapes go with it, and the order is depth first.
#include <gtest/gtest.h>

#include "../support/random_model.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using testing::Rng;

double distance(const Pose& a, const Pose& b) {
  return std::max((a.rotation - b.rotation).cwiseAbs().maxCoeff(), (a.position - b.position).cwiseAbs().maxCoeff());
}

Pose turn(const Vector3& axis, double angle) {
  return {Eigen::AngleAxisd(angle, axis).toRotationMatrix(), Vector3::Zero()};
}

// How a joint of the user moves its body, at the positions q of the joint: J · motion · J⁻¹, in the body's frame.
Pose motion_of(const JointOptions& joint, const double* q) {
  Pose motion;
  switch (joint.kind) {
    case JointKind::fixed:
    case JointKind::free:
      return {};
    case JointKind::ball:
      motion = {Quaternion(q[3], q[0], q[1], q[2]), Vector3::Zero()};
      break;
    case JointKind::revolute:
      motion = turn(joint.axis, q[0] - joint.reference);
      break;
    case JointKind::prismatic:
      motion = Pose(Vector3(joint.axis * (q[0] - joint.reference)));
      break;
    case JointKind::planar: {
      const Matrix3 r = rotation_with_z(joint.axis);
      motion = Pose(Vector3(r.col(0) * q[0] + r.col(1) * q[1])) * turn(joint.axis, q[2]);
      break;
    }
    case JointKind::universal:
      motion = turn(joint.axis, q[0]) * turn(joint.axis_2, q[1]);
      break;
    case JointKind::cylindrical:
      motion = Pose(Vector3(joint.axis * q[0])) * turn(joint.axis, q[1]);
      break;
  }
  return joint.pose * motion * joint.pose.inverse();
}

// X_WU of every body of the user from the definition in model_builder.h. Joints carry the names of their bodies.
std::vector<Pose> user_poses(const testing::RandomWorld& world, const VectorX& q) {
  std::vector<Pose> poses;
  const Model& model = *world.model;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    const BodyOptions& body = world.bodies[k];
    Pose pose = (body.parent < 0 ? Pose() : poses[body.parent]) * body.pose;
    const std::vector<JointOptions> joints = body.joints.empty() ? std::vector{body.joint} : body.joints;
    std::string name = model.frames[k].name;
    int number = 1;
    for (const JointOptions& joint : joints) {
      if (joint.kind == JointKind::fixed) continue;
      const Joint& record = model.joints[model.find_joint(number == 1 ? name : name + "_" + std::to_string(number))];
      ++number;
      const double* at = q.data() + record.first_position;
      if (joint.kind == JointKind::free) {
        pose = {Quaternion(at[6], at[3], at[4], at[5]), Vector3(at[0], at[1], at[2])};
      } else {
        pose = pose * motion_of(joint, at);
      }
    }
    poses.push_back(pose);
  }
  return poses;
}

TEST(ModelForest, BodiesStandWhereTheJointsOfTheUserPutThem) {
  Rng rng(1);
  for (int round = 0; round < 60; ++round) {
    const testing::RandomWorld world = testing::random_world(rng, {.bodies = 12});
    const Model& model = *world.model;
    for (const VectorX& q : {testing::random_position(rng, model), VectorX(model.initial_position)}) {
      const std::vector<Pose> expected = user_poses(world, q), poses = testing::body_poses(model, q);
      for (std::size_t k = 0; k < world.bodies.size(); ++k) {
        EXPECT_LT(distance(testing::frame_pose(model, poses, model.frames[k]), expected[k]), 1e-13)
            << "round " << round << ", body " << k;
      }
    }
  }
}

TEST(ModelForest, MassAndInertiaArePreserved) {
  Rng rng(2);
  for (int round = 0; round < 40; ++round) {
    const testing::RandomWorld world = testing::random_world(rng, {.bodies = 10});
    const Model& model = *world.model;
    const VectorX q = testing::random_position(rng, model);
    const std::vector<Pose> user = user_poses(world, q), poses = testing::body_poses(model, q);
    Inertia expected, found;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
      if (model.frames[k].body >= 0) expected = expected + world.bodies[k].inertia->in(user[k]);
    }
    for (int k = 0; k < model.num_bodies(); ++k) {
      const Body& body = model.bodies[k];
      found = found + Inertia{body.mass, body.com, body.inertia}.in(poses[k]);
    }
    EXPECT_NEAR(found.mass, expected.mass, 1e-13);
    EXPECT_LT((found.com - expected.com).norm(), 1e-12);
    EXPECT_LT((found.moment - expected.moment).norm(), 1e-12 * (1.0 + expected.moment.norm()));
  }
}

TEST(ModelForest, ShapesStayOnTheirBodies) {
  Rng rng(3);
  for (int round = 0; round < 40; ++round) {
    const testing::RandomWorld world = testing::random_world(rng, {.bodies = 10});
    const Model& model = *world.model;
    const VectorX q = testing::random_position(rng, model);
    const std::vector<Pose> user = user_poses(world, q), poses = testing::body_poses(model, q);
    for (std::size_t s = 0; s < world.shapes.size(); ++s) {
      const Shape& shape = model.shapes[s];
      const Pose carrier = shape.body < 0 ? Pose() : poses[shape.body];
      EXPECT_LT(distance(carrier * shape.pose, user[world.shapes[s].body] * world.shapes[s].pose), 1e-13);
    }
  }
}

// The example of model_builder.h and of docs/model.md.
TEST(ModelForest, FallingBox) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0, 0, 1))});
  builder.add_shape({.body = box, .geometry = Box{{0.1, 0.1, 0.1}}, .density = 1000});
  const std::shared_ptr<const Model> model = builder.build();
  ASSERT_EQ(model->num_bodies(), 1);
  EXPECT_NEAR(model->bodies[0].mass, 8.0, 1e-14);
  EXPECT_NEAR(model->bodies[0].inertia(2, 2), 8.0 * 0.2 * 0.2 / 6.0, 1e-15);
  VectorX q(7);
  q << 0, 0, 1, 0, 0, 0, 1;
  EXPECT_EQ(model->initial_position, q);
  EXPECT_TRUE(model->trees[0].is_single_free_body);
  EXPECT_TRUE(model->may_collide(0, 1));
  EXPECT_DOUBLE_EQ(model->shapes[1].bound_radius, std::sqrt(0.03));
}

TEST(ModelForest, ChildrenComeInTheOrderTheyWereAdded) {
  ModelBuilder builder;
  const Inertia mass = Inertia::of(Sphere{0.1}, 1.0);
  const JointOptions hinge{.kind = JointKind::revolute};
  const int a = builder.add_body({.name = "a", .inertia = mass});
  const int b = builder.add_body({.name = "b", .inertia = mass});
  builder.add_body({.name = "a1", .parent = a, .joint = hinge, .inertia = mass});
  builder.add_body({.name = "b1", .parent = b, .joint = hinge, .inertia = mass});
  builder.add_body({.name = "a2", .parent = a, .joint = hinge, .inertia = mass});
  const auto model = builder.build();
  const auto body = [&](const char* name) { return model->frames[model->find_frame(name)].body; };
  EXPECT_EQ(body("a"), 0);
  EXPECT_EQ(body("a1"), 1);
  EXPECT_EQ(body("a2"), 2);
  EXPECT_EQ(body("b"), 3);
  EXPECT_EQ(body("b1"), 4);
}

TEST(ModelForest, FreeBodyStartsWhereItsPoseSaysWithPositiveW) {
  testing::Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    const Pose pose = testing::random_pose(rng);
    ModelBuilder builder;
    builder.add_body({.pose = pose, .inertia = testing::random_inertia(rng)});
    const auto model = builder.build();
    const VectorX& q = model->initial_position;
    EXPECT_GE(q[6], 0.0);
    EXPECT_NEAR(q.tail<4>().norm(), 1.0, 1e-15);
    EXPECT_LT(distance(testing::body_poses(*model, q)[0], pose), 1e-14);
  }
}

TEST(ModelForest, OrderIsDepthFirst) {
  Rng rng(4);
  for (int round = 0; round < 60; ++round) {
    const std::shared_ptr<const Model> model = testing::random_model(rng, 15);
    int positions = 0, velocities = 0;
    for (int k = 0; k < model->num_bodies(); ++k) {
      const Body& body = model->bodies[k];
      EXPECT_EQ(body.first_position, positions);
      EXPECT_EQ(body.first_velocity, velocities);
      positions += num_positions_of(body.joint);
      velocities += num_velocities_of(body.joint);
      // The parent is the body before, or an ancestor of it.
      int ancestor = k - 1;
      while (ancestor >= 0 && ancestor != body.parent) ancestor = model->bodies[ancestor].parent;
      EXPECT_EQ(ancestor, body.parent);
      EXPECT_EQ(body.tree, body.parent < 0 ? body.tree : model->bodies[body.parent].tree);
      EXPECT_TRUE(body.joint != JointType::free || body.parent < 0);
    }
    EXPECT_EQ(model->num_positions(), positions);
    EXPECT_EQ(model->num_velocities(), velocities);
    int first_body = 0, first_velocity = 0;
    for (const Tree& tree : model->trees) {
      EXPECT_EQ(tree.first_body, first_body);
      EXPECT_EQ(tree.first_velocity, first_velocity);
      first_body += tree.num_bodies;
      first_velocity += tree.num_velocities;
    }
    EXPECT_EQ(first_body, model->num_bodies());
    EXPECT_EQ(first_velocity, velocities);
  }
}

}  // namespace
}  // namespace stiction
