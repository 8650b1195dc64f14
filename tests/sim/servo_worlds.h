// Sliders on rails with servos, and walls.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"

namespace stiction::testing {

inline ActuatorOptions servo(double kp, double kd, double limit) {
  return {.joint = "slider",
          .kind = kp > 0.0 ? ActuatorKind::position : ActuatorKind::velocity,
          .kp = kp,
          .kd = kd,
          .force_lower = -limit,
          .force_upper = limit};
}

inline void add_slider(ModelBuilder& builder, const std::string& name, double mass, double x,
                       double effort = no_limit) {
  JointOptions joint;
  joint.name = name;
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.effort_limit = effort;
  const int body = builder.add_body({.name = name,
                                     .pose = Pose(Vector3(x, 0.0, 0.0)),
                                     .joint = joint,
                                     .joints = {},
                                     .inertia = Inertia{mass, Vector3::Zero(), Matrix3::Identity() * 0.01 * mass}});
  ShapeOptions ball;
  ball.body = body;
  ball.geometry = Sphere{0.1};
  builder.add_shape(ball);
}

inline void add_wall(ModelBuilder& builder, double x) {  // it holds whatever comes from smaller x
  ShapeOptions wall;
  wall.geometry = Plane{};
  wall.pose = Pose(Quaternion(Eigen::AngleAxisd(-M_PI / 2.0, Vector3::UnitY())), Vector3(x, 0.0, 0.0));
  builder.add_shape(wall);
}

inline std::shared_ptr<const Model> one_slider(const std::vector<ActuatorOptions>& actuators, double mass = 2.0,
                                               double effort = no_limit, double wall = no_limit) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_slider(builder, "slider", mass, 0.0, effort);
  if (std::isfinite(wall)) add_wall(builder, wall);
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    ActuatorOptions a = actuators[k];
    a.name = "a" + std::to_string(k);
    builder.add_actuator(a);
  }
  return builder.build();
}

inline VectorX one(double x) {
  return VectorX::Constant(1, x);
}

}  // namespace stiction::testing
