// A model written as URDF and read again moves as before; what URDF cannot say is told.
#include "stiction/io/urdf/write_urdf.h"

#include "../support/equal_models.h"
#include "round_trip.h"
#include "stiction/io/urdf/urdf.h"
#include "stiction/model/geometry/convex_hull.h"

namespace stiction {
namespace {

using testing::expect_equal_models;
using testing::mentions;
using testing::Rng;
using testing::RoundTrip;
using testing::Sameness;
using testing::ScratchFolder;

RoundTrip round_trip(const Model& model) {
  return testing::make_round_trip(model, "model.urdf", write_urdf, [](const auto& path) { return load_urdf(path); });
}

// Joints of every kind but balls, anywhere on their bodies, in sequence; fixed bodies.
TEST(WriteUrdf, RandomWorlds) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    testing::RandomWorldOptions options;
    options.bodies = 12;
    options.with_joint_terms = false;
    const testing::RandomWorld world = testing::random_world(rng, options);
    ModelBuilder builder;
    for (BodyOptions body : world.bodies) {
      if (body.joint.kind == JointKind::ball) body.joint.kind = JointKind::revolute;
      for (JointOptions& joint : body.joints) {
        if (joint.kind == JointKind::ball) joint.kind = JointKind::revolute;
      }
      builder.add_body(body);
    }
    for (ShapeOptions shape : world.shapes) {
      if (std::holds_alternative<Ellipsoid>(shape.geometry)) shape.geometry = Sphere{0.1};
      shape.group = shape.mask = 1;
      if (!std::holds_alternative<Plane>(shape.geometry)) builder.add_shape(shape);
    }
    const auto model = builder.build();
    const RoundTrip trip = round_trip(*model);
    Sameness same;
    same.tolerance = 1e-10;
    same.joint_names = same.materials = same.filters = same.time_step = false;
    same.initial = same.colors = same.links = false;
    expect_equal_models(*model, *trip.loaded.model, same);
  }
}

std::shared_ptr<const Model> small_arm(bool with_more) {
  ModelBuilder builder;
  const Inertia inertia{1.0, Vector3(0.1, 0.02, 0.03), Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const int base = builder.add_body({.name = "base", .pose = Pose(Vector3(0, 0, 1)), .inertia = inertia});
  const int a = builder.add_body({.name = "a",
                                  .parent = base,
                                  .pose = Pose(Quaternion(0.5, 0.5, 0.5, 0.5), Vector3(0.1, 0.2, 0.3)),
                                  .joint = {.name = "ja",
                                            .kind = JointKind::revolute,
                                            .pose = Pose(Vector3(0.05, 0.0, 0.02)),
                                            .axis = Vector3(0.6, 0.0, 0.8),
                                            .armature = with_more ? 0.1 : 0.0,
                                            .damping = 0.3,
                                            .dry_friction = 0.2,
                                            .lower = -1.0,
                                            .upper = 2.0,
                                            .effort_limit = 12.0,
                                            .velocity_limit = 3.0},
                                  .inertia = inertia});
  const int b = builder.add_body({.name = "b",
                                  .parent = a,
                                  .pose = Pose(Vector3(0.3, 0.0, 0.1)),
                                  .joint = {.name = "jb", .kind = JointKind::prismatic, .lower = 0.0},
                                  .inertia = inertia});
  builder.add_body({.name = "tip", .parent = b, .pose = Pose(Vector3(0, 0, 0.2)), .joint = {.kind = JointKind::fixed}});
  builder.add_shape({.name = "stick", .body = a, .geometry = Capsule{0.02, 0.1}, .material = {.friction = 0.7}});
  builder.add_shape({.name = "knob", .body = b, .geometry = Box{{0.1, 0.2, 0.3}}, .material = {.friction = 0.7}});
  builder.add_loop({.name = "jb_mimic",
                    .kind = LoopKind::joint_equality,
                    .joint_a = "jb",
                    .joint_b = "ja",
                    .coefficients = {0.0, -0.5, 0.0, 0.0, 0.0}});
  builder.add_actuator({.name = "ja", .joint = "ja", .gear = 3.0, .force_lower = -4.0, .force_upper = 4.0});
  if (with_more) {
    builder.add_keyframe({.name = "up"});
    builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.5, .restitution = 0.1}});
    builder.add_shape({.name = "egg", .body = b, .geometry = Ellipsoid{{0.1, 0.2, 0.3}}});
    builder.add_loop({.name = "pin", .body_a = b, .pose_b = Pose(Vector3(1, 1, 1))});
    builder.add_actuator({.name = "servo", .joint = "jb", .kind = ActuatorKind::position, .kp = 5.0});
    builder.set_gravity(Vector3(0, 0, -1.6));
  }
  return builder.build();
}

TEST(WriteUrdf, JointTermsMimicsTransmissions) {
  const auto model = small_arm(false);
  const RoundTrip trip = round_trip(*model);
  for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
  Sameness same;
  same.colors = same.filters = false;
  expect_equal_models(*model, *trip.loaded.model, same);
  EXPECT_EQ(trip.loaded.model->dofs[6].velocity_limit, 3.0);
  EXPECT_EQ(1, std::count_if(trip.loaded.model->frames.begin(), trip.loaded.model->frames.end(),
                             [](const Frame& f) { return f.name == "tip"; }));
}

TEST(WriteUrdf, SaysWhatIsLost) {
  const RoundTrip trip = round_trip(*small_arm(true));
  for (const char* part : {"armature 0.1", "keyframe 'up'", "'ground': a plane", "no ellipsoid", "loop 'pin'",
                           "gains of the position servo", "gravity 0 0 -1.6", "friction and restitution"}) {
    EXPECT_TRUE(mentions(trip.written.lost, part)) << part;
  }
}

TEST(WriteUrdf, HullsAreFilesBesideIt) {
  ModelBuilder builder;
  const int body = builder.add_body({.name = "rock"});
  const auto hull = ConvexHull::box(Vector3(0.1, 0.2, 0.3));
  builder.add_shape({.name = "one", .body = body, .geometry = hull, .density = 1000.0});
  builder.add_shape({.name = "two", .body = body, .pose = Pose(Vector3(1, 0, 0)), .geometry = hull});
  const auto model = builder.build();
  const RoundTrip trip = round_trip(*model);
  EXPECT_EQ(2U, trip.written.files.size());
  Sameness same;
  same.mesh_tolerance = 1e-12;
  same.colors = same.joint_names = false;
  expect_equal_models(*model, *trip.loaded.model, same);
}

}  // namespace
}  // namespace stiction
