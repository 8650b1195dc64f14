// Small worlds with known answers.
#pragma once

#include <memory>

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

// A box of half edge 0.1 m and 1 kg that rests on a slope with exactly no gap.
inline std::shared_ptr<const Model> box_on_slope(double friction, double slope) {
  ModelBuilder builder;
  add_ground(builder, friction, slope);
  const Quaternion turn(Eigen::AngleAxisd(slope, Vector3::UnitY()));
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(turn, turn * Vector3(0.0, 0.0, 0.1)), friction);
  return builder.build();
}

}  // namespace stiction::testing
