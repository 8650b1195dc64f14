#include "stiction/sim/fluid_forces.h"

#include <algorithm>

#include "stiction/dynamics/relative_motion.h"

namespace stiction {
namespace {

constexpr double accuracy = 1e-30;  // of ‖residual‖² in the norm of M⁻¹, relative to what it begins with
constexpr int most_products = 100;

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

Vec3<double> to_lanes(const Vector3& a) {
  return {a.x(), a.y(), a.z()};
}

}  // namespace

FluidForces::FluidForces(const Model& model) : wind_(model.fluid.wind) {
  if (!model.fluid.is_there()) return;
  for (const FluidForm& form : model.fluid_forms) {
    const int tree = model.bodies[static_cast<std::size_t>(form.body)].tree;
    forms_.push_back({FluidDragLaw(form, model.fluid), form.body, tree, form.pose});
    has_lift_ = has_lift_ || forms_.back().law.has_lift();
  }
  if (!any()) return;
  const std::size_t bodies = model.bodies.size();
  for (VectorX* x :
       {&force_, &residual_, &earlier_residual_, &solution_, &earlier_solution_, &direction_, &product_, &start_}) {
    x->setZero(model.num_velocities());
  }
  rows_.assign(static_cast<std::size_t>(model.row_begin.back()), 0.0);
  velocity_.resize(bodies), subtree_.resize(bodies), damping_.resize(bodies);
  wrenches_.resize(forms_.size());
}

FluidForces::Velocity FluidForces::velocity_of(const Form& form) const {
  const SpatialVector<double>& v = velocity_[static_cast<std::size_t>(form.body)];
  const Vector3 angular = to_eigen(v.angular);
  return {angular, to_eigen(v.linear) + angular.cross(form.arm)};
}

void FluidForces::update(const Model& model, const DynamicsData& data, const double* v, double time_step,
                         bool implicit) {
  if (!any()) return;
  implicit_ = implicit;
  body_velocities(data, v, velocity_);
  for (Form& form : forms_) {
    const Pose body = body_pose(data, form.body);
    form.axes = body.rotation * form.pose.rotation;
    form.arm = body * form.pose.position - tree_reference(data, form.tree);
    const Velocity moving = velocity_of(form);
    const Vector3 against = moving.linear - wind_;
    const Vector3 omega = form.axes.transpose() * moving.angular, u = form.axes.transpose() * against;
    form.drag = form.law.at(omega, u);
    for (Vector3* x : {&form.drag.spin, &form.drag.flow, &form.drag.turn}) *x = (form.axes * *x).eval();
    form.torque = -(form.axes * form.drag.angular.cwiseProduct(omega));
    form.force = -(form.axes * form.drag.linear.cwiseProduct(u));
    form.lift_force.setZero(), form.lift_torque.setZero();
    add_wrench(form, form.force, form.torque);
  }
  force_.setZero();
  collect(data, force_.data());
  if (implicit) {
    fill_rows(model, data, time_step);
  } else if (has_lift_) {
    start_ = ConstVectorMap(v, force_.size());
    add_lift(data, start_, wind_, force_.data());
  }
}

void FluidForces::add_wrench(const Form& form, const Vector3& force, const Vector3& torque) {
  SpatialVector<double>& sum = subtree_[static_cast<std::size_t>(form.body)];
  sum = sum + SpatialVector<double>{to_lanes(torque + form.arm.cross(force)), to_lanes(force)};
}

// Towards the roots, leaving zeros behind for the next time.
void FluidForces::collect(const DynamicsData& data, double* force) {
  const Vec3<double> zero = zero_vector<double>();
  for (int b = static_cast<int>(subtree_.size()) - 1; b >= 0; --b) {
    const SpatialVector<double> f = subtree_[static_cast<std::size_t>(b)];
    for (int j = data.first_velocity[b]; j < data.first_velocity[b + 1]; ++j) force[j] += dot(data.motion[j], f);
    if (const int parent = data.parent[b]; parent >= 0) {
      subtree_[static_cast<std::size_t>(parent)] = subtree_[static_cast<std::size_t>(parent)] + f;
    }
    subtree_[static_cast<std::size_t>(b)] = {zero, zero};
  }
}

// Row j of Δt C from the damping of the subtree behind velocity j, as that of M from its inertia.
void FluidForces::fill_rows(const Model& model, const DynamicsData& data, double time_step) {
  for (Matrix6& m : damping_) m.setZero();
  for (const Form& form : forms_) {
    const Matrix3 turning = form.axes * form.drag.angular.asDiagonal() * form.axes.transpose();
    const Matrix3 pushing = form.axes * form.drag.linear.asDiagonal() * form.axes.transpose();
    const Matrix3 arm = cross_matrix(form.arm), moment = arm * pushing;
    Matrix6& m = damping_[static_cast<std::size_t>(form.body)];
    m.topLeftCorner<3, 3>() += time_step * (turning - moment * arm);
    m.topRightCorner<3, 3>() += time_step * moment;
    m.bottomLeftCorner<3, 3>() += time_step * moment.transpose();
    m.bottomRightCorner<3, 3>() += time_step * pushing;
  }
  for (int b = static_cast<int>(damping_.size()) - 1; b >= 0; --b) {
    if (const int parent = data.parent[b]; parent >= 0) {
      damping_[static_cast<std::size_t>(parent)] += damping_[static_cast<std::size_t>(b)];
    }
  }
  Eigen::Matrix<double, 6, 1> column;
  for (int b = 0; b < static_cast<int>(damping_.size()); ++b) {
    for (int j = data.first_velocity[b]; j < data.first_velocity[b + 1]; ++j) {
      column << to_eigen(data.motion[j].angular), to_eigen(data.motion[j].linear);
      const Eigen::Matrix<double, 6, 1> f = damping_[static_cast<std::size_t>(b)] * column;
      const SpatialVector<double> row{to_lanes(f.head<3>()), to_lanes(f.tail<3>())};
      const int begin = model.row_begin[j];
      for (int e = 0; e <= data.depth[j]; ++e) rows_[begin + e] = dot(row, data.motion[model.row_ancestor[begin + e]]);
    }
  }
}

void FluidForces::add_product(const Model& model, const double* x, double* y) const {
  if (!any() || !implicit_) return;
  for (int j = 0; j < model.num_velocities(); ++j) {
    const int begin = model.row_begin[j], depth = model.dofs[j].depth;
    y[j] += rows_[begin + depth] * x[j];
    for (int e = 0; e < depth; ++e) {
      const int i = model.row_ancestor[begin + e];
      y[j] += rows_[begin + e] * x[i];
      y[i] += rows_[begin + e] * x[j];
    }
  }
}

void FluidForces::add_lift(const DynamicsData& data, const VectorX& x, const Vector3& wind, double* force) {
  body_velocities(data, x.data(), velocity_);
  for (Form& form : forms_) {
    if (!form.law.has_lift()) continue;
    const Velocity moving = velocity_of(form);
    const Vector3 against = moving.linear - wind;
    form.lift_torque = form.drag.spin.cross(moving.angular) + form.drag.flow.cross(against);
    form.lift_force = form.drag.flow.cross(moving.angular) + form.drag.turn.cross(against);
    add_wrench(form, form.lift_force, form.lift_torque);
  }
  collect(data, force);
}

// (M − ½ Δt sign S) y = Δt S x. Letters of the recurrence: r the residual, z = M⁻¹ r, ρ = r·z.
void FluidForces::find_lift(const Motion& motion, const VectorX& x, double sign, double* force) {
  const double half = 0.5 * sign * motion.time_step;
  residual_.setZero();
  add_lift(motion.data, x, wind_, residual_.data());
  residual_ = motion.time_step * residual_;
  earlier_residual_.setZero(), solution_.setZero(), earlier_solution_.setZero();
  double omega = 1.0, rho = 0.0, first = 0.0;
  for (int k = 0; k < most_products; ++k) {
    direction_ = residual_;
    solve_inertia(motion.model, motion.data, direction_.data());
    const double next = residual_.dot(direction_);
    if (k == 0) first = next;
    if (!(next > accuracy * first)) break;
    if (k > 0) omega = 1.0 / (1.0 + next / (rho * omega));
    rho = next;
    product_.setZero();
    add_lift(motion.data, direction_, Vector3::Zero(), product_.data());
    // y_{k+1} = y_{k−1} + ω (z + y_k − y_{k−1}), and r accordingly, r after a whole step z being ½ Δt sign S z.
    earlier_solution_ += omega * (direction_ + solution_ - earlier_solution_);
    earlier_residual_ += omega * (half * product_ - earlier_residual_);
    solution_.swap(earlier_solution_), residual_.swap(earlier_residual_);
  }
  direction_ = x + 0.5 * sign * solution_;
  add_lift(motion.data, direction_, wind_, force);
}

void FluidForces::correct(const Motion& motion, double* free_velocity, double* force) {
  const auto& [model, data, v, added, time_step] = motion;
  const Eigen::Index n = force_.size();
  if (has_lift_) {
    start_ = ConstVectorMap(free_velocity, n);
    find_lift(motion, start_, 1.0, force);
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    force[j] += force_[j];
    direction_[j] = time_step * force[j];
  }
  factor_inertia(model, added, data, added_rows());
  solve_inertia(model, data, direction_.data());
  for (Eigen::Index j = 0; j < n; ++j) free_velocity[j] = v[j] + direction_[j];
}

// M (v_2 − v) = (M + Δt C) (v_f − v) + Δt C v, and v_1 = v_2 − y.
void FluidForces::correct_back(const Motion& motion, double* free_velocity, double* force) {
  const auto& [model, data, v, added, time_step] = motion;
  const Eigen::Index n = force_.size();
  for (Eigen::Index j = 0; j < n; ++j) direction_[j] = free_velocity[j] - v[j];
  multiply_inertia(model, data, direction_.data(), start_.data());
  for (Eigen::Index j = 0; j < n && added != nullptr; ++j) start_[j] += added[j] * direction_[j];
  add_product(model, direction_.data(), start_.data());
  for (Eigen::Index j = 0; j < n; ++j) start_[j] -= time_step * force_[j];
  factor_inertia(model, added, data);
  solve_inertia(model, data, start_.data());
  for (Eigen::Index j = 0; j < n; ++j) free_velocity[j] = v[j] + start_[j];
  if (!has_lift_) return;
  start_ = ConstVectorMap(free_velocity, n);
  find_lift(motion, start_, -1.0, force);
  for (Eigen::Index j = 0; j < n; ++j) free_velocity[j] -= solution_[j];
}

void FluidForces::finish(const DynamicsData& data, const double* v, const double* v_end, double time_step) {
  taken_ = 0.0;
  if (!any()) return;
  for (Eigen::Index j = 0; j < force_.size(); ++j)
    product_[j] = v_end[j] - v[j], direction_[j] = 0.5 * (v_end[j] + v[j]);
  if (implicit_) {
    body_velocities(data, product_.data(), velocity_);
    for (std::size_t k = 0; k < forms_.size(); ++k) {
      const Form& form = forms_[k];
      const Velocity change = velocity_of(form);
      const Matrix3& r = form.axes;
      wrenches_[k].torque = -(r * form.drag.angular.cwiseProduct(r.transpose() * change.angular));
      wrenches_[k].force = -(r * form.drag.linear.cwiseProduct(r.transpose() * change.linear));
    }
  }
  body_velocities(data, direction_.data(), velocity_);
  for (std::size_t k = 0; k < forms_.size(); ++k) {
    const Form& form = forms_[k];
    BodyWrench& w = wrenches_[k];
    if (!implicit_) w.force.setZero(), w.torque.setZero();
    w.body = form.body;
    w.point = tree_reference(data, form.tree) + form.arm;
    w.force += form.force + form.lift_force;
    w.torque += form.torque + form.lift_torque;
    const Velocity mean = velocity_of(form);
    taken_ -= time_step * (w.force.dot(mean.linear) + w.torque.dot(mean.angular));
  }
}

}  // namespace stiction
