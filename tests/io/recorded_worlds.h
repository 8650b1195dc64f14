// Worlds for the tests of recordings and of stored models.
#pragma once

#include <memory>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"

namespace stiction::testing {

inline std::shared_ptr<const ConvexHull> skew_hull() {
  std::vector<Vector3> points;
  for (int k = 0; k < 40; ++k) {
    const double a = 2.399963 * k, z = -0.9 + 0.045 * k, r = 0.1 * std::sqrt(1.0 - 0.8 * z * z);
    points.emplace_back(r * std::cos(a), 1.3 * r * std::sin(a), 0.08 * z);
  }
  return ConvexHull::from_points(points);
}

inline void add_terrain(ModelBuilder& builder) {
  std::vector<double> heights;
  for (int k = 0; k < 20; ++k) heights.push_back(0.01 * ((k * 7) % 5));
  builder.add_shape(
      {.name = "field", .pose = Pose(Vector3(5.0, 0.0, 0.0)), .geometry = HeightField::make(5, 4, 0.2, 0.3, heights)});
  const std::vector<Vector3> corners = {{-3, -1, 0}, {-1, -1, 0}, {-1, 1, 0.1}, {-3, 1, 0.2}};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
  builder.add_shape({.name = "mesh", .geometry = TriangleMesh::make(corners, triangles)});
}

// Every kind of shape, joint, loop and actuator, with every option that a model keeps.
inline std::shared_ptr<const Model> everything() {
  ModelBuilder builder;
  builder.set_gravity({0.1, 0.0, -9.7});
  builder.set_friction_rule(FrictionRule::minimum);
  builder.set_suggested_time_step(2e-3);
  builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.7, .restitution = 0.1}});
  add_terrain(builder);
  const auto hull = skew_hull();
  const Geometry shapes[] = {Box{{0.1, 0.12, 0.09}}, Sphere{0.1}, Capsule{0.06, 0.1}, Cylinder{0.08, 0.1},
                             Ellipsoid{{0.1, 0.07, 0.05}}};
  const JointKind kinds[] = {JointKind::free,   JointKind::ball,      JointKind::revolute,    JointKind::prismatic,
                             JointKind::planar, JointKind::universal, JointKind::cylindrical, JointKind::fixed};
  std::vector<int> bodies;
  for (int k = 0; k < 8; ++k) {
    BodyOptions options;
    options.name = "body " + std::to_string(k);
    options.pose = Pose(Quaternion(Eigen::AngleAxisd(0.2 * k, Vector3(0.6, 0.0, 0.8))), Vector3(0.7 * k, 0.1, 1.0));
    options.parent = k == 5 ? bodies[4] : k == 7 ? bodies[2] : -1;
    options.joint.kind = kinds[k];
    options.joint.axis = Vector3(0.0, 0.6, 0.8);
    if (k >= 2 && k < 7) {
      options.joint.damping = 0.1 * k, options.joint.armature = 0.01;
      options.joint.lower = -1.5, options.joint.upper = 1.0 + k, options.joint.effort_limit = 50.0;
      options.joint.dry_friction = 0.05 * k;
    }
    if (k == 2) options.joint.stiffness = 3.0, options.joint.rest_position = 0.2, options.joint.initial_position = 0.1;
    const int body = builder.add_body(options);
    bodies.push_back(body);
    builder.add_shape(
        {.name = "shape " + std::to_string(k),
         .body = body,
         .geometry = shapes[k % 5],
         .material = {.friction = 0.5, .friction_2 = k == 3 ? 0.2 : -1.0, .compliance = k == 1 ? 1e-6 : 0.0},
         .density = 700.0});
  }
  builder.add_shape({.name = "hull", .body = bodies[0], .pose = Pose(Vector3(0.2, 0, 0)), .geometry = hull});
  const int other = builder.add_body({.name = "other", .pose = Pose(Vector3(0, 2, 1))});
  builder.add_shape({.name = "hull twice", .body = other, .geometry = hull, .density = 500.0, .group = 2, .mask = 3});
  builder.add_site("tip", bodies[2], Pose(Vector3(0, 0, 0.3)));
  builder.add_camera({.name = "eye", .frame = bodies[3], .mode = CameraMode::target_com, .target = other});
  builder.add_loop({.name = "p", .kind = LoopKind::point, .body_a = bodies[0], .body_b = other});
  builder.add_loop({.name = "h", .kind = LoopKind::hinge, .body_a = other, .pose_a = Pose(Vector3(0.1, 0.2, 0.3))});
  builder.add_loop({.name = "w", .kind = LoopKind::weld, .body_a = bodies[1], .body_b = other, .compliance = 1e-5});
  builder.add_loop({.name = "e",
                    .kind = LoopKind::joint_equality,
                    .joint_a = "body 2",
                    .joint_b = "body 3",
                    .coefficients = {0.1, 0.9, 0.2, 0.0, 0.0}});
  builder.add_actuator({.name = "t", .joint = "body 2", .gear = 2.0});
  builder.add_actuator(
      {.name = "p", .joint = "body 2", .kind = ActuatorKind::position, .kp = 30, .kd = 1, .force_upper = 7});
  builder.add_actuator({.name = "v", .joint = "body 3", .kind = ActuatorKind::velocity, .kd = 2, .control_lower = -1});
  using K = SensorKind;
  builder.add_sensor({.name = "angle", .kind = K::joint_position, .joint = "body 2", .noise = 0.01, .delay = 0.02});
  builder.add_sensor({.name = "felt", .kind = K::accelerometer, .site = "tip", .cutoff = 50});
  builder.add_sensor({.name = "carried", .kind = K::force, .body = bodies[7], .pose = Pose(Vector3(0, 0, 0.1))});
  builder.add_sensor({.name = "touched", .kind = K::touch, .site = "tip", .region = Capsule{0.1, 0.2}});
  builder.add_sensor({.name = "pushed", .kind = K::contact_force, .body = bodies[0], .other_body = -1});
  builder.add_sensor({.name = "seen", .kind = K::frame_position, .body = other, .reference_site = "tip"});
  builder.add_sensor({.name = "north", .kind = K::magnetometer, .body = bodies[1], .field = Vector3(0, 2e-5, -4e-5)});
  builder.add_sensor({.name = "all", .kind = K::subtree_center, .body = -1});
  builder.add_sensor({.name = "pull", .kind = K::actuator_force, .actuator = "p", .scale = -2.0});
  builder.add_keyframe({.name = "key", .time = 1.5});
  builder.exclude_bodies(bodies[0], bodies[1]);
  builder.force_pair(3, 4);
  return builder.build();
}

// A pile that tumbles onto the ground with a driven arm in it: contacts come and go.
inline std::shared_ptr<const Model> tumbling_pile(int count) {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.6}});
  const auto hull = skew_hull();
  for (int k = 0; k < count; ++k) {
    const Geometry shapes[] = {Box{{0.05, 0.06, 0.07}}, Sphere{0.06}, hull, Capsule{0.04, 0.05}};
    const Quaternion turn = Quaternion(1.0, 0.3 * k, 0.7 - 0.1 * k, 0.2).normalized();
    const int body = builder.add_body({.name = std::to_string(k) + " of the pile",
                                       .pose = Pose(turn, Vector3(0.05 * (k % 3), 0.04 * (k % 2), 0.2 + 0.12 * k))});
    builder.add_shape({.body = body, .geometry = shapes[k % 4], .material = {.friction = 0.6}, .density = 800.0});
  }
  BodyOptions arm{.name = "arm", .pose = Pose(Vector3(0.4, 0.0, 0.15))};
  arm.joint.kind = JointKind::revolute;
  const int body = builder.add_body(arm);
  builder.add_shape(
      {.name = "arm",
       .body = body,
       .pose = Pose(Quaternion(Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitY())), Vector3(0.15, 0, 0)),
       .geometry = Capsule{0.03, 0.15},
       .density = 500.0});
  builder.add_actuator({.joint = "arm", .kind = ActuatorKind::velocity, .kd = 1.0});
  return builder.build();
}

}  // namespace stiction::testing
