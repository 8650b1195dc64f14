#include "stiction/sim/contact_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
// takes one root instead of two. `turning` is |ω|².
double squared_speed(const SpatialVector<double>& velocity, const Vec3<double>& origin, double radius,
                     double& turning) {
  const Vec3<double> v = velocity.linear + cross(velocity.angular, origin);
  turning = dot(velocity.angular, velocity.angular);
  return 2.0 * (dot(v, v) + radius * radius * turning);
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
  find_levers();
}

// By velocity: what no point of a shape moves per unit of it, from lengths along the chain. A slide within the chain
// has no such bound.
void ContactFinder::find_levers() {
  const Model& model = *model_;
  std::vector<double> length(model.bodies.size(), 0.0);  // of the farthest point of the subtree from the body's origin
  for (int b = model.num_bodies() - 1; b >= 0; --b) {
    const Body& body = model.bodies[b];
    length[b] = std::max(length[b], radius_[b]);
    if (body.parent < 0) continue;
    const bool slides = body.joint == JointType::prismatic;
    const double beyond = slides ? std::numeric_limits<double>::infinity() : body.placement.position.norm() + length[b];
    length[body.parent] = std::max(length[body.parent], beyond);
  }
  lever_.assign(static_cast<std::size_t>(model.num_velocities()), 0.0);
  for (int j = 0; j < model.num_velocities(); ++j) {
    const Body& body = model.bodies[model.dofs[j].body];
    const bool moves_straight =
        body.joint == JointType::prismatic || (body.joint == JointType::free && j < body.first_velocity + 3);
    lever_[j] = moves_straight ? 1.0 : length[model.dofs[j].body];
  }
}

bool ContactFinder::may_go_beyond(const double* v, const double* other, double time_step, double slack) const {
  for (const Tree& tree : model_->trees) {
    double way = 0.0;
    for (int j = tree.first_velocity; j < tree.first_velocity + tree.num_velocities; ++j) {
      way += lever_[j] * std::abs(other[j] - v[j]);
    }
    if (!(time_step * way <= slack)) return true;
  }
  return false;
}

void ContactFinder::place(const DynamicsData& dynamics) {
  if (model_->shapes.empty()) return;
  poses_.swap(earlier_);
  for (int b = 0; b < model_->num_bodies(); ++b) {
    if (radius_[b] > 0.0) write_pose(dynamics, b, poses_[b]);
  }
}

double ContactFinder::find_ways(const DynamicsData& dynamics, double time_step, std::vector<double>& way) const {
  way.resize(radius_.size());
  double fastest = 0.0;
  for (std::size_t b = 0; b < radius_.size(); ++b) {
    if (radius_[b] == 0.0) continue;
    const BodyState<double>& state = dynamics.bodies[b];
    const SpatialVector<double> velocity{state.velocity.angular,
                                         dynamics.reference_velocity[dynamics.tree_of[b]] + state.velocity.linear};
    double turning = 0.0;
    way[b] = time_step * std::sqrt(squared_speed(velocity, state.position, radius_[b], turning));
    fastest = std::max(fastest, turning);
  }
  return time_step * std::sqrt(fastest);
}

bool ContactFinder::widen(const DynamicsData& dynamics, const AlignedVector<SpatialVector<double>>& velocity,
                          double time_step, double slack, std::vector<double>& reach) const {
  bool beyond = false;
  for (std::size_t b = 0; b < radius_.size(); ++b) {
    if (radius_[b] == 0.0) continue;
    double turning = 0.0;
    const double speed = squared_speed(velocity[b], dynamics.bodies[b].position, radius_[b], turning);
    const double square = time_step * time_step * speed;
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
