// A model written as SDF and read again moves as before, and touches as before.
#include "stiction/io/sdf/write_sdf.h"

#include "../support/equal_models.h"
#include "round_trip.h"
#include "stiction/io/sdf/sdf.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

using testing::expect_equal_models;
using testing::mentions;
using testing::Rng;
using testing::RoundTrip;
using testing::Sameness;
using testing::ScratchFolder;

RoundTrip round_trip(const Model& model) {
  return testing::make_round_trip(model, "model.sdf", write_sdf, [](const auto& path) { return load_sdf(path); });
}

// A chain, since readers of SDF choose the order of joints: hinges, slides and balls anywhere on their bodies.
TEST(WriteSdf, RandomChains) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    testing::RandomWorldOptions options;
    options.with_fixed = options.with_sequences = options.with_joint_terms = options.with_shapes = false;
    const testing::RandomWorld world = testing::random_world(rng, options);
    ModelBuilder builder;
    int number = 0;
    for (BodyOptions body : world.bodies) {
      const std::vector<JointOptions> given = body.joints.empty() ? std::vector{body.joint} : body.joints;
      body.joints.clear();
      body.joint = given[0];
      const bool is_one = body.joint.kind == JointKind::ball || body.joint.kind == JointKind::prismatic;
      if (!is_one) body.joint.kind = JointKind::revolute;
      if (number == 0) body.joint = JointOptions{};  // free
      body.parent = number - 1;
      body.name = "link" + std::to_string(number);
      body.joint.name = "joint" + std::to_string(number++);
      builder.add_body(body);
    }
    const auto model = builder.build();
    const RoundTrip trip = round_trip(*model);
    Sameness same;
    same.tolerance = 1e-10;
    same.joint_names = same.materials = same.initial = same.shapes = same.links = false;
    expect_equal_models(*model, *trip.loaded.model, same);
  }
}

// A linkage closed by a point, with limits, damping, a spring and a mimic.
TEST(WriteSdf, LoopsAndJointTerms) {
  ModelBuilder builder;
  const Inertia inertia{1.0, Vector3(0.1, 0.02, 0.03), Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const JointOptions hinge{.name = "ja",
                           .kind = JointKind::revolute,
                           .pose = Pose(Vector3(0.05, 0.0, 0.02)),
                           .axis = Vector3(0.0, 0.6, 0.8),
                           .damping = 0.3,
                           .stiffness = 2.0,
                           .rest_position = 0.1,
                           .dry_friction = 0.2,
                           .lower = -1.0,
                           .upper = 2.0,
                           .effort_limit = 12.0,
                           .velocity_limit = 3.0};
  JointOptions other = hinge, follower = hinge;
  other.name = "jb", follower.name = "jc";
  const int a = builder.add_body({.name = "a", .pose = Pose(Vector3(1, 0, 0)), .joint = hinge, .inertia = inertia});
  const int b = builder.add_body({.name = "b", .pose = Pose(Vector3(2, 0, 0)), .joint = other, .inertia = inertia});
  builder.add_body({.name = "c", .pose = Pose(Vector3(3, 0, 0)), .joint = follower, .inertia = inertia});
  builder.add_loop({.name = "pin",
                    .body_a = a,
                    .body_b = b,
                    .pose_a = Pose(Vector3(0.5, 0, 0)),
                    .pose_b = Pose(Vector3(-0.5, 0, 0))});
  builder.add_loop({.name = "jc_mimic",
                    .kind = LoopKind::joint_equality,
                    .joint_a = "jc",
                    .joint_b = "ja",
                    .coefficients = {0.1, -0.5, 0.0, 0.0, 0.0}});
  const auto model = builder.build();
  const RoundTrip trip = round_trip(*model);
  for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
  Sameness same;
  same.materials = same.links = same.initial = false;
  expect_equal_models(*model, *trip.loaded.model, same);
  ASSERT_EQ(2U, trip.loaded.model->loops.size());
  for (const Loop& loop : trip.loaded.model->loops) {
    if (loop.kind == LoopKind::joint_equality) {
      EXPECT_EQ(loop.coefficients[0], 0.1);
      EXPECT_EQ(loop.coefficients[1], -0.5);
    } else {
      EXPECT_EQ(loop.kind, LoopKind::point);
    }
  }
}

// Friction in two directions and bounce; the body lands on the ground that is in the same file.
TEST(WriteSdf, BodiesMeetTheGround) {
  ModelBuilder builder;
  builder.set_friction_rule(FrictionRule::minimum);
  builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.9}});
  const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0, 0, 0.3))});
  builder.add_shape({.name = "cube",
                     .body = box,
                     .geometry = Box{{0.1, 0.1, 0.1}},
                     .material = {.friction = 0.5, .friction_2 = 0.4, .restitution = 0.2},
                     .density = 1000.0});
  builder.add_site("corner", box, Pose(Vector3(0.1, 0.1, 0.1)));
  const RoundTrip trip = round_trip(*builder.build());
  for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
  const Model& copy = *trip.loaded.model;
  const Material& material = copy.shapes[copy.find_shape("box/cube")].material;
  EXPECT_EQ(material.friction, 0.5);
  EXPECT_EQ(material.friction_2, 0.4);
  EXPECT_EQ(material.restitution, 0.2);
  EXPECT_LT((copy.frames[copy.find_frame("corner")].pose.position - Vector3(0.1, 0.1, 0.1)).norm(), 1e-15);
  Simulator simulator(trip.loaded.model);
  simulator.step(2000);
  EXPECT_NEAR(simulator.body_pose(0).position.z(), 0.1, 1e-4);
}

TEST(WriteSdf, SaysWhatIsLost) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -1.6));
  const Inertia inertia{1.0, Vector3::Zero(), Matrix3::Identity()};
  builder.add_body(
      {.name = "a", .joint = {.name = "j", .kind = JointKind::universal, .armature = 0.1}, .inertia = inertia});
  builder.add_body(
      {.name = "b", .joint = {.name = "b", .kind = JointKind::revolute, .initial_position = 0.3}, .inertia = inertia});
  builder.add_actuator({.name = "servo", .joint = "b", .kind = ActuatorKind::position, .kp = 5.0});
  builder.add_keyframe({.name = "up"});
  const RoundTrip trip = round_trip(*builder.build());
  for (const char* part : {"'j_1'", "armature 0.1", "1e-09 kg", "initial position 0.3", "called 'b_'", "'servo'",
                           "keyframe 'up'", "gravity 0 0 -1.6"}) {
    EXPECT_TRUE(mentions(trip.written.lost, part)) << part;
  }
}

}  // namespace
}  // namespace stiction
