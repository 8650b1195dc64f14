// Small worlds with known answers.
#pragma once

#include <memory>
#include <string>

#include "stiction/model/model_builder.h"

namespace stiction::testing {

// The plane z = 0, tilted about y by `slope` (rad): downhill is +x.
inline void add_ground(ModelBuilder& builder, double friction, double slope = 0.0, double restitution = 0.0) {
  ShapeOptions plane;
  plane.name = "ground";
  plane.geometry = Plane{};
  plane.pose = Pose(Quaternion(Eigen::AngleAxisd(slope, Vector3::UnitY())), Vector3::Zero());
  plane.material.friction = friction;
  plane.material.restitution = restitution;
  builder.add_shape(plane);
}

inline int add_free(ModelBuilder& builder, const std::string& name, const Geometry& geometry, double mass,
                    const Pose& pose, double friction, double restitution = 0.0) {
  const int body = builder.add_body({.name = name, .pose = pose, .inertia = Inertia::of(geometry, mass)});
  ShapeOptions shape;
  shape.name = name;
  shape.body = body;
  shape.geometry = geometry;
  shape.material.friction = friction;
  shape.material.restitution = restitution;
  builder.add_shape(shape);
  return body;
}

// A trunk on four legs of two hinges each, with spherical feet and position servos.
struct Quadruped {
  std::string prefix{};  // of all names
  Vector3 place = Vector3(0.0, 0.0, 0.4);
  double kp = 150.0, kd = 5.0, limit = no_limit;
};

inline void add_quadruped(ModelBuilder& builder, const Quadruped& robot) {
  const int trunk = add_free(builder, robot.prefix + "trunk", Box{{0.25, 0.12, 0.06}}, 12.0, Pose(robot.place), 0.8);
  for (int leg = 0; leg < 4; ++leg) {
    const double x = leg < 2 ? 0.25 : -0.25, y = leg % 2 == 0 ? 0.14 : -0.14, bend = leg < 2 ? -1.0 : 1.0;
    const std::string name = robot.prefix + "leg" + std::to_string(leg);
    const auto add_link = [&](const std::string& part, int parent, const Pose& pose, double angle) {
      JointOptions joint;
      joint.name = name + part;
      joint.kind = JointKind::revolute;
      joint.axis = Vector3::UnitY();
      joint.initial_position = angle;
      const int body = builder.add_body({.name = name + part, .parent = parent, .pose = pose, .joint = joint});
      ShapeOptions rod;
      rod.body = body;
      rod.geometry = Capsule{0.02, 0.08};
      rod.pose = Pose(Vector3(0, 0, -0.1));
      rod.mass = 1.0;
      rod.group = rod.mask = 0;
      builder.add_shape(rod);
      builder.add_actuator({.joint = joint.name,
                            .kind = ActuatorKind::position,
                            .kp = robot.kp,
                            .kd = robot.kd,
                            .force_lower = -robot.limit,
                            .force_upper = robot.limit});
      return body;
    };
    const int thigh = add_link("thigh", trunk, Pose(Vector3(x, y, 0.0)), -0.5 * bend);
    const int shin = add_link("shin", thigh, Pose(Vector3(0.0, 0.0, -0.2)), bend);
    ShapeOptions foot;
    foot.body = shin;
    foot.geometry = Sphere{0.03};
    foot.pose = Pose(Vector3(0.0, 0.0, -0.2));
    foot.material.friction = 0.8;
    builder.add_shape(foot);
  }
}

// A box of half edge 0.1 m and 1 kg that rests on a slope with exactly no gap.
inline std::shared_ptr<const Model> box_on_slope(double friction, double slope) {
  ModelBuilder builder;
  add_ground(builder, friction, slope);
  const Quaternion turn(Eigen::AngleAxisd(slope, Vector3::UnitY()));
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(turn, turn * Vector3(0.0, 0.0, 0.1)), friction);
  return builder.build();
}

}  // namespace stiction::testing
