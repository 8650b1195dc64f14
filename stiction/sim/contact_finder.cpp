#include "stiction/sim/contact_finder.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

// The pose of a body written where it is wanted: copied from a result of body_pose(), whose numbers were stored one by
// one, whole packs would wait for them.
void write_pose(const DynamicsData& d, int body, Pose& pose) {
  const BodyState<double>& state = d.bodies[body];
  pose.rotation.col(0) = to_eigen(state.rotation.x);
  pose.rotation.col(1) = to_eigen(state.rotation.y);
  pose.rotation.col(2) = to_eigen(state.rotation.z);
  pose.position = to_eigen(d.reference[d.tree_of[body]] + state.position);
}

// What no point of a body within `radius` of its origin exceeds, m/s.
double largest_speed(const DynamicsData& d, int body, double radius) {
  const BodyState<double>& state = d.bodies[body];
  const Vec3<double>& w = state.velocity.angular;
  const Vec3<double> v = d.reference_velocity[d.tree_of[body]] + state.velocity.linear + cross(w, state.position);
  return std::sqrt(dot(v, v)) + radius * std::sqrt(dot(w, w));
}

}  // namespace

ContactFinder::ContactFinder(std::shared_ptr<const Model> model, const CollisionSettings& settings)
    : model_(std::move(model)),
      collider_(model_, settings),
      radius_(model_->bodies.size(), 0.0),
      poses_(model_->bodies.size()),
      reach_(model_->bodies.size(), 0.0) {
  for (const Shape& shape : model_->shapes) {
    if (shape.body < 0) continue;
    radius_[shape.body] = std::max(radius_[shape.body], shape.bound_center.norm() + shape.bound_radius);
  }
}

std::span<const ContactPoint> ContactFinder::find(const DynamicsData& dynamics, double time_step,
                                                  CollisionCache& cache) {
  if (model_->shapes.empty()) return {};
  const double falling = time_step * time_step * model_->gravity.norm();
  for (int b = 0; b < model_->num_bodies(); ++b) {
    if (radius_[b] == 0.0) continue;
    write_pose(dynamics, b, poses_[b]);
    reach_[b] = time_step * largest_speed(dynamics, b, radius_[b]) + falling;
  }
  return collider_.collide(poses_, reach_, cache);
}

}  // namespace stiction
