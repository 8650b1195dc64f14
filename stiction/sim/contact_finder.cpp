#include "stiction/sim/contact_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/math/vectorise.h"

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
// takes one root instead of two. `turning`: squares of ω by axes.
STICTION_INLINE double squared_speed(const SpatialVector<double>& velocity, const Vec3<double>& origin, double radius,
                                     Pack4& turning) {
  const Pack4 v = (velocity.linear + cross(velocity.angular, origin)).lanes();
  turning = velocity.angular.lanes() * velocity.angular.lanes();
  return 2.0 * sum_halves(v * v + (radius * radius) * turning);
}

// Σ lever |other − v|, in four sums that do not wait for one another.
double bound_of_way(const double* lever, const double* v, const double* other, int count) {
  Pack4 way{};
  const auto add = [&way](const Pack4& by, const Pack4& change) { way += by * (change < 0.0 ? -change : change); };
  int j = 0;
  for (; j + 4 <= count; j += 4) add(load4(lever + j), load4(other + j) - load4(v + j));
  for (; j < count; ++j) add(Pack4{lever[j]}, Pack4{other[j] - v[j]});
  return sum_halves(way);
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
    const int j = tree.first_velocity;
    if (!(time_step * bound_of_way(lever_.data() + j, v + j, other + j, tree.num_velocities) <= slack)) return true;
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
  double* const out = way.data();
  const int n = static_cast<int>(radius_.size());
  Pack4 fastest{};
  for (int b = 0; b < n; ++b) {
    out[b] = 0.0;
    if (radius_[b] == 0.0) continue;
    const BodyState<double>& state = dynamics.bodies[b];
    const SpatialVector<double> velocity{state.velocity.angular,
                                         dynamics.reference_velocity[dynamics.tree_of[b]] + state.velocity.linear};
    Pack4 turning;
    out[b] = squared_speed(velocity, state.position, radius_[b], turning);
    fastest = turning > fastest ? turning : fastest;
  }
  STICTION_VECTORISE
  for (int b = 0; b < n; ++b) out[b] = time_step * std::sqrt(out[b]);
  return time_step * std::sqrt(sum_halves(fastest));
}

bool ContactFinder::widen(const DynamicsData& dynamics, const AlignedVector<SpatialVector<double>>& velocity,
                          double time_step, double slack, std::vector<double>& reach) const {
  bool beyond = false;
  for (std::size_t b = 0; b < radius_.size(); ++b) {
    if (radius_[b] == 0.0) continue;
    Pack4 turning;
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
  if (!model_->shapes.empty()) collider_.collide(poses_, reach, cache, points);
}

void ContactFinder::find_earlier(std::span<const double> reach, CollisionCache& cache,
                                 std::vector<ContactPoint>& points) {
  collider_.collide(earlier_, reach, cache, points);
}

}  // namespace stiction
