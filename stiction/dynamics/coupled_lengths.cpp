#include "stiction/dynamics/coupled_lengths.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/tendon_wrap.h"

namespace stiction {
namespace {

Pose frame_in_world(const Model& model, const DynamicsData& data, int frame) {
  const Frame& f = model.frames[frame];
  return f.body < 0 ? f.pose : body_pose(data, f.body) * f.pose;
}

Vector3 point_in_world(const DynamicsData& data, int body, const Vector3& point) {
  return body < 0 ? point : body_pose(data, body) * point;
}

// Turn of a against b as a rotation vector in the world.
Vector3 rotation_between(const Pose& a, const Pose& b) {
  const Eigen::AngleAxisd turn(Matrix3(a.rotation * b.rotation.transpose()));
  return turn.angle() * turn.axis();
}

}  // namespace

CoupledLengths::CoupledLengths(const Model& model) {
  for (const Tendon& tendon : model.tendons) {
    begin_length();
    for (const TendonTerm& term : tendon.terms) {
      velocity_.push_back(term.dof);
      coefficient_.push_back(term.coefficient);
    }
    for (const TendonPoint& point : tendon.path) add_body(model, point.body);
    end_length(model);
  }
  of_actuator_.assign(model.actuators.size(), -1);
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& a = model.actuators[i];
    if (a.transmission == TransmissionKind::joint) continue;
    if (a.transmission == TransmissionKind::tendon) {
      of_actuator_[i] = a.tendon;
      continue;
    }
    of_actuator_[i] = size();
    actuators_.push_back(static_cast<int>(i));
    begin_length();
    add_body(model, model.frames[a.frame].body);
    if (a.reference_frame >= 0) add_body(model, model.frames[a.reference_frame].body);
    end_length(model);
  }
  if (size() > 0) dense_.assign(static_cast<std::size_t>(model.num_velocities()), 0.0);
}

void CoupledLengths::begin_length() {
  lengths_.push_back(0.0);
}

void CoupledLengths::add_body(const Model& model, int body) {
  for (int j = model.last_dof(body); j >= 0; j = model.dofs[j].parent) velocity_.push_back(j);
}

void CoupledLengths::end_length(const Model& model) {
  const auto first = velocity_.begin() + begin_.back();
  std::sort(first, velocity_.end());
  velocity_.erase(std::unique(first, velocity_.end()), velocity_.end());
  coefficient_.resize(velocity_.size());
  for (std::size_t k = static_cast<std::size_t>(begin_.back()); k < velocity_.size(); ++k) {
    const int tree = model.bodies[model.dofs[velocity_[k]].body].tree;
    if (static_cast<int>(trees_.size()) == trees_begin_.back() || trees_.back() != tree) trees_.push_back(tree);
  }
  begin_.push_back(static_cast<int>(velocity_.size()));
  trees_begin_.push_back(static_cast<int>(trees_.size()));
}

double CoupledLengths::rate(int k, const double* v) const {
  double sum = 0.0;
  for (int e = begin_[k]; e < begin_[k + 1]; ++e) sum += coefficient_[e] * v[velocity_[e]];
  return sum;
}

void CoupledLengths::add_force(int k, double force, double* generalized) const {
  for (int e = begin_[k]; e < begin_[k + 1]; ++e) generalized[velocity_[e]] += coefficient_[e] * force;
}

void CoupledLengths::update(const Model& model, const DynamicsData& data, const double* q) {
  int k = 0;
  for (const Tendon& tendon : model.tendons) {
    if (tendon.kind == TendonKind::fixed) {  // its coefficients stay
      lengths_[k] = tendon.offset;
      for (const TendonTerm& term : tendon.terms) {
        lengths_[k] += term.coefficient * q[model.bodies[model.dofs[term.dof].body].first_position];
      }
    } else {
      lengths_[k] = update_spatial(model, data, tendon);
      gather(k);
    }
    ++k;
  }
  for (const int i : actuators_) {
    const Actuator& a = model.actuators[i];
    lengths_[k] =
        a.transmission == TransmissionKind::site ? update_site(model, data, a) : update_slider_crank(model, data, a);
    gather(k++);
  }
}

void CoupledLengths::gather(int k) {
  for (int e = begin_[k]; e < begin_[k + 1]; ++e) {
    coefficient_[e] = dense_[velocity_[e]];
    dense_[velocity_[e]] = 0.0;
  }
}

void CoupledLengths::add_point(const Model& model, const DynamicsData& data, int body, const Vector3& point,
                               const Vector3& along) {
  if (body < 0) return;
  const Vector3 arm = point - to_eigen(data.reference[model.bodies[body].tree]), moment = arm.cross(along);
  for (int j = model.last_dof(body); j >= 0; j = model.dofs[j].parent) {
    dense_[j] += to_eigen(data.motion[j].linear).dot(along) + to_eigen(data.motion[j].angular).dot(moment);
  }
}

void CoupledLengths::add_turning(const Model& model, const DynamicsData& data, int body, const Vector3& about) {
  for (int j = model.last_dof(body); j >= 0; j = model.dofs[j].parent) {
    dense_[j] += to_eigen(data.motion[j].angular).dot(about);
  }
}

// The reference frame carries the axes: what both move together by counts nothing.
double CoupledLengths::update_site(const Model& model, const DynamicsData& data, const Actuator& a) {
  const Pose site = frame_in_world(model, data, a.frame);
  const bool has_reference = a.reference_frame >= 0;
  const Pose reference = has_reference ? frame_in_world(model, data, a.reference_frame) : site;
  const Vector3 force = reference.rotation * Vector3(a.wrench[0], a.wrench[1], a.wrench[2]);
  const Vector3 torque = reference.rotation * Vector3(a.wrench[3], a.wrench[4], a.wrench[5]);
  const int body = model.frames[a.frame].body;
  add_point(model, data, body, site.position, force);
  add_turning(model, data, body, torque);
  if (!has_reference) return 0.0;
  const int other = model.frames[a.reference_frame].body;
  const Vector3 way = site.position - reference.position;
  add_point(model, data, other, site.position, -force);
  add_turning(model, data, other, -torque);
  return way.dot(force) + (torque.isZero(0.0) ? 0.0 : rotation_between(site, reference).dot(torque));
}

double CoupledLengths::update_slider_crank(const Model& model, const DynamicsData& data, const Actuator& a) {
  const Pose crank = frame_in_world(model, data, a.frame), slider = frame_in_world(model, data, a.reference_frame);
  const Vector3 axis = slider.rotation.col(2), x = crank.position - slider.position;
  const double along = axis.dot(x), square = along * along + a.crank_length * a.crank_length - x.squaredNorm();
  const double root = square > 0.0 ? std::sqrt(square) : 0.0;
  // Where the rod does not reach, the slider follows the foot of the crank.
  const double share = root > 0.0 ? 1.0 - along / root : 1.0;
  const Vector3 by_way = root > 0.0 ? Vector3(share * axis + x / root) : axis;
  const int body = model.frames[a.frame].body, other = model.frames[a.reference_frame].body;
  add_point(model, data, body, crank.position, by_way);
  add_point(model, data, other, slider.position, -by_way);
  add_turning(model, data, other, axis.cross(Vector3(share * x)));
  return along - root;
}

double CoupledLengths::update_spatial(const Model& model, const DynamicsData& data, const Tendon& tendon) {
  const auto& path = tendon.path;
  double length = 0.0, weight = 1.0;
  const auto add_straight = [&](int body_a, const Vector3& a, int body_b, const Vector3& b) {
    const Vector3 way = b - a;
    const double distance = way.norm();
    length += weight * distance;
    if (body_a == body_b || !(distance > 1e-15)) return;
    const Vector3 along = weight / distance * way;
    add_point(model, data, body_a, a, -along);
    add_point(model, data, body_b, b, along);
  };
  for (std::size_t k = 0; k + 1 < path.size();) {
    if (path[k].kind == TendonPointKind::pulley) {
      weight = 1.0 / path[k++].divisor;
      continue;
    }
    const TendonPoint &from = path[k], &next = path[k + 1];
    if (next.kind == TendonPointKind::pulley) {
      ++k;
      continue;
    }
    const Vector3 a = point_in_world(data, from.body, from.pose.position);
    if (next.kind == TendonPointKind::site) {
      add_straight(from.body, a, next.body, point_in_world(data, next.body, next.pose.position));
      ++k;
      continue;
    }
    const TendonPoint& to = path[k + 2];
    const Vector3 b = point_in_world(data, to.body, to.pose.position);
    const Pose solid = next.body < 0 ? next.pose : body_pose(data, next.body) * next.pose;
    const bool has_side = next.side_frame >= 0;
    const Vector3 side = has_side ? frame_in_world(model, data, next.side_frame).position : Vector3(Vector3::Zero());
    Vector3 touches[2];
    const double arc = wrap_round(a, b, solid, next.radius, next.kind == TendonPointKind::cylinder,
                                  has_side ? &side : nullptr, touches);
    if (arc < 0.0) {
      add_straight(from.body, a, to.body, b);
    } else {  // what lies on the solid moves with it: its length does not change to first order
      add_straight(from.body, a, next.body, touches[0]);
      length += weight * arc;
      add_straight(next.body, touches[1], to.body, b);
    }
    k += 2;
  }
  return length;
}

}  // namespace stiction
