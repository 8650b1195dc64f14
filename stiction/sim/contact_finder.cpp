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

// Square of what no point of a body within `radius` of its origin exceeds: |v| + r |ω| ≤ √2 (|v|² + r² |ω|²)^½, which
// takes one root instead of two.
double squared_speed(const SpatialVector<double>& velocity, const Vec3<double>& origin, double radius) {
  const Vec3<double>& w = velocity.angular;
  const Vec3<double> v = velocity.linear + cross(w, origin);
  return 2.0 * sum_halves(v.lanes() * v.lanes() + (radius * radius) * (w.lanes() * w.lanes()));
}

}  // namespace

ContactFinder::ContactFinder(std::shared_ptr<const Model> model, const CollisionSettings& settings)
    : model_(std::move(model)),
      collider_(model_, settings),
      radius_(model_->bodies.size(), 0.0),
      poses_(model_->bodies.size()),
      earlier_(model_->bodies.size()) {
  for (const Shape& shape : model_->shapes) {
    if (shape.body < 0) continue;
    radius_[shape.body] = std::max(radius_[shape.body], shape.bound_center.norm() + shape.bound_radius);
  }
}

void ContactFinder::place(const DynamicsData& dynamics) {
  if (model_->shapes.empty()) return;
  poses_.swap(earlier_);
  for (int b = 0; b < model_->num_bodies(); ++b) {
    if (radius_[b] > 0.0) write_pose(dynamics, b, poses_[b]);
  }
}

void ContactFinder::find_ways(const DynamicsData& dynamics, double time_step, std::vector<double>& way) const {
  way.resize(radius_.size());
  for (std::size_t b = 0; b < radius_.size(); ++b) {
    if (radius_[b] == 0.0) continue;
    const BodyState<double>& state = dynamics.bodies[b];
    const SpatialVector<double> velocity{state.velocity.angular,
                                         dynamics.reference_velocity[dynamics.tree_of[b]] + state.velocity.linear};
    way[b] = time_step * std::sqrt(squared_speed(velocity, state.position, radius_[b]));
  }
}

bool ContactFinder::widen(const DynamicsData& dynamics, const AlignedVector<SpatialVector<double>>& velocity,
                          double time_step, double slack, std::vector<double>& reach) const {
  bool beyond = false;
  for (std::size_t b = 0; b < radius_.size(); ++b) {
    if (radius_[b] == 0.0) continue;
    const double square = time_step * time_step * squared_speed(velocity[b], dynamics.bodies[b].position, radius_[b]);
    const double enough = reach[b] + slack;
    if (square <= enough * enough) continue;
    beyond = true;
    reach[b] = std::sqrt(square);
  }
  return beyond;
}

void ContactFinder::find(std::span<const double> reach, CollisionCache& cache, std::vector<ContactPoint>& points) {
  points.clear();
  if (model_->shapes.empty()) return;
  const auto found = collider_.collide(poses_, reach, cache);
  points.assign(found.begin(), found.end());
}

void ContactFinder::find_earlier(std::span<const double> reach, CollisionCache& cache,
                                 std::vector<ContactPoint>& points) {
  const auto found = collider_.collide(earlier_, reach, cache);
  points.assign(found.begin(), found.end());
}

}  // namespace stiction
