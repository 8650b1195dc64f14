// A model written as MJCF and read again is the same model.
#ifdef STICTION_MUJOCO
#include "stiction/io/mjcf/write_mjcf.h"

#include "../support/equal_models.h"
#include "round_trip.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/io/mjcf/mjcf.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

using testing::expect_equal_models;
using testing::mentions;
using testing::Rng;
using testing::RoundTrip;
using testing::Sameness;
using testing::ScratchFolder;

RoundTrip round_trip(const Model& model) {
  return testing::make_round_trip(model, "model.xml", write_mjcf, [](const auto& path) { return load_mjcf(path); });
}

class SceneRoundTrip : public ::testing::TestWithParam<const char*> {};

TEST_P(SceneRoundTrip, IsEqual) {
  const LoadedModel original = load_mjcf(testing::scene_file("") + std::string(GetParam()));
  const RoundTrip trip = round_trip(*original.model);
  for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
  for (const IgnoredElement& ignored : trip.loaded.ignored) ADD_FAILURE() << ignored.element << ": " << ignored.reason;
  expect_equal_models(*original.model, *trip.loaded.model);
}

INSTANTIATE_TEST_SUITE_P(All, SceneRoundTrip,
                         ::testing::Values("boxes.xml", "four_bar.xml", "granular.xml", "humanoid_stand.xml",
                                           "pinch.xml", "quadruped.xml", "slope.xml", "terrain.xml", "tower.xml",
                                           "wall.xml", "humanoid/humanoid.xml", "robots/quadruped.xml"));

// MuJoCo has a body of that name already. Many URDF files call their root link so.
TEST(WriteMjcf, ThingsCalledWorld) {
  ModelBuilder builder;
  BodyOptions fixed{.name = "world", .pose = Pose(Vector3(1.0, 2.0, 3.0))};
  fixed.joint.kind = JointKind::fixed;
  builder.add_body(fixed);
  builder.add_body({.name = "free", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  const RoundTrip trip = round_trip(*builder.build());
  EXPECT_TRUE(trip.written.lost.empty());
  const Model& model = *trip.loaded.model;
  EXPECT_EQ(Vector3(1.0, 2.0, 3.0), model.frames[model.find_frame("world")].pose.position);

  ModelBuilder other;
  other.add_body({.name = "world", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  const RoundTrip renamed = round_trip(*other.build());
  EXPECT_TRUE(mentions(renamed.written.lost, "world_"));
  EXPECT_EQ(0, renamed.loaded.model->frames[renamed.loaded.model->find_frame("world_")].body);
}

// Joints of every kind and frame, fixed bodies, initial positions off zero, springs and limits.
TEST(WriteMjcf, RandomWorlds) {
  for (int seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    testing::RandomWorldOptions options;
    options.bodies = 12;
    const testing::RandomWorld world = testing::random_world(rng, options);
    const bool has_turned_ball = std::any_of(world.bodies.begin(), world.bodies.end(), [](const BodyOptions& body) {
      const auto turned = [](const JointOptions& j) {
        return j.kind == JointKind::ball && !j.pose.rotation.isIdentity(1e-12);
      };
      return turned(body.joint) || std::any_of(body.joints.begin(), body.joints.end(), turned);
    });
    const RoundTrip trip = round_trip(*world.model);
    if (has_turned_ball) {
      EXPECT_TRUE(mentions(trip.written.lost, "in the axes of its body"));
      continue;  // q means something else
    }
    Sameness same;
    same.tolerance = 1e-10;
    same.joint_names = false;
    same.materials = false;
    SCOPED_TRACE(seed);
    expect_equal_models(*world.model, *trip.loaded.model, same);
  }
}

TEST(WriteMjcf, LoopsActuatorsAndKeyframes) {
  ModelBuilder builder;
  builder.set_friction_rule(FrictionRule::maximum);
  const Inertia inertia{1.0, Vector3(0.1, 0.02, 0.03), Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const int a = builder.add_body({.name = "a",
                                  .pose = Pose(Vector3(0.1, 0.2, 0.3)),
                                  .joint = {.name = "ja",
                                            .kind = JointKind::revolute,
                                            .axis = Vector3(0.6, 0.0, 0.8),
                                            .reference = 0.2,
                                            .initial_position = 0.5,
                                            .effort_limit = 12.0},
                                  .inertia = inertia});
  const int b = builder.add_body({.name = "b",
                                  .parent = a,
                                  .pose = Pose(Quaternion(0.5, 0.5, 0.5, 0.5), Vector3(0.3, 0.0, 0.1)),
                                  .joint = {.name = "jb", .kind = JointKind::prismatic, .initial_position = 0.3},
                                  .inertia = inertia});
  const int c = builder.add_body({.name = "c", .pose = Pose(Vector3(1, 1, 1)), .inertia = inertia});
  const int tip = builder.add_body(
      {.name = "tip", .parent = b, .pose = Pose(Vector3(0, 0, 0.2)), .joint = {.kind = JointKind::fixed}});
  builder.add_site("sensor", tip, Pose(Vector3(0.01, 0, 0)));
  builder.add_loop({.name = "mimic",
                    .kind = LoopKind::joint_equality,
                    .joint_a = "jb",
                    .joint_b = "ja",
                    .coefficients = {0.1, 0.5, -0.2, 0.05, 0.01}});
  builder.add_loop(
      {.name = "lock", .kind = LoopKind::joint_equality, .joint_a = "ja", .coefficients = {0.5, 0, 0, 0, 0}});
  builder.add_actuator({.name = "m", .joint = "ja", .gear = 3.0, .control_lower = -1.0, .control_upper = 2.0});
  builder.add_actuator({.name = "p",
                        .joint = "jb",
                        .kind = ActuatorKind::position,
                        .gear = 2.0,
                        .kp = 50.0,
                        .kd = 4.0,
                        .force_lower = -20.0,
                        .force_upper = 30.0});
  builder.add_actuator({.name = "v", .joint = "jb", .kind = ActuatorKind::velocity, .kd = 7.0});
  Keyframe key{.name = "there", .time = 2.0};
  key.q = VectorX::Zero(9), key.v = VectorX::LinSpaced(8, -1.0, 1.0), key.control = VectorX::LinSpaced(3, 1.0, 2.0);
  key.q << 0.4, -0.1, 1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5;
  builder.add_keyframe(key);
  const auto base = builder.build();
  // A weld whose frames differ, closed at the initial position.
  DynamicsData data(*base);
  update_kinematics(*base, base->initial_position.data(), base->initial_velocity.data(), data);
  const Pose world_b = frame_pose(*base, data, base->find_frame("b"));
  const Pose world_c = frame_pose(*base, data, base->find_frame("c"));
  Rng rng(3);
  const Pose on_b = testing::random_pose(rng);
  builder.add_loop({.name = "weld",
                    .kind = LoopKind::weld,
                    .body_a = b,
                    .body_b = c,
                    .pose_a = on_b,
                    .pose_b = world_c.inverse() * world_b * on_b});
  builder.add_loop({.name = "point",
                    .body_a = c,
                    .body_b = -1,
                    .pose_a = Pose(Vector3(0.1, 0.2, 0.3)),
                    .pose_b = Pose(world_c * Vector3(0.1, 0.2, 0.3))});
  const auto model = builder.build();
  const RoundTrip trip = round_trip(*model);
  for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
  expect_equal_models(*model, *trip.loaded.model);
  EXPECT_EQ(1, std::count_if(trip.loaded.model->frames.begin(), trip.loaded.model->frames.end(),
                             [](const Frame& f) { return f.name == "tip" && !f.is_site; }));
}

// Some shapes of two bodies must not meet, others may; a pair is forced; parents meet.
TEST(WriteMjcf, Filters) {
  ModelBuilder builder;
  builder.set_friction_rule(FrictionRule::maximum);
  const Inertia inertia{1.0, Vector3::Zero(), Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const int a = builder.add_body({.name = "a", .inertia = inertia});
  const int b = builder.add_body({.name = "b", .pose = Pose(Vector3(0, 0, 1)), .inertia = inertia});
  const int c = builder.add_body({.name = "c",
                                  .parent = b,
                                  .pose = Pose(Vector3(0, 0, 1)),
                                  .joint = {.kind = JointKind::revolute},
                                  .inertia = inertia});
  std::vector<int> shapes;
  for (const int body : {-1, a, a, b, b, c, c}) {
    ShapeOptions shape{.body = body, .geometry = Sphere{0.1}};
    shape.name = "s" + std::to_string(shapes.size());
    shapes.push_back(builder.add_shape(shape));
  }
  builder.exclude_shapes(shapes[1], shapes[3]);
  builder.exclude_shapes(shapes[0], shapes[6]);
  builder.exclude_bodies(a, c);
  builder.force_pair(shapes[2], shapes[5]);
  for (const bool parents : {false, true}) {
    builder.set_parents_collide(parents);
    const auto model = builder.build();
    const RoundTrip trip = round_trip(*model);
    for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
    expect_equal_models(*model, *trip.loaded.model);
  }
}

TEST(WriteMjcf, SaysWhatIsLost) {
  ModelBuilder builder;
  const int body = builder.add_body({.name = "a",
                                     .joint = {.name = "j", .kind = JointKind::planar, .velocity_limit = 3.0},
                                     .inertia = Inertia{1.0, Vector3::Zero(), Matrix3::Identity()}});
  builder.add_shape(
      {.name = "rubber", .body = body, .geometry = Sphere{0.1}, .material = {.friction = 0.3, .restitution = 0.5}});
  builder.add_shape({.name = "soft", .geometry = Plane{}, .material = {.compliance = 1e-5}});
  const RoundTrip trip = round_trip(*builder.build());
  for (const char* part : {"'j_1'", "velocity limit 3", "restitution 0.5", "compliance 1e-05", "friction rule"}) {
    EXPECT_TRUE(mentions(trip.written.lost, part)) << part;
  }
  EXPECT_EQ(trip.loaded.model->num_velocities(), 3);
}

TEST(WriteMjcf, RefusesAPathThatCannotBeWritten) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  EXPECT_THROW(write_mjcf(*builder.build(), "/nowhere/at/all.xml"), std::runtime_error);
}

}  // namespace
}  // namespace stiction
#endif
