#include "stiction/sim/assembly.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/constraints/row_builder.h"
#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr double step = 1.0;  // s; a move is a velocity over it
// Of the largest eigenvalue of A Aᵀ with a unit diagonal: what is below is hardly movable, or not at all (a plane
// linkage across its plane), and is left alone instead of moved by all the rest.
constexpr double hardly_movable = 1e-4;
constexpr double progress = 0.99;  // an iteration that leaves more of the error than this has improved nothing
constexpr int patience = 20;

class Assembler {
 public:
  Assembler(const std::shared_ptr<const Model>& model, const AssemblySettings& settings)
      : model_(*model),
        settings_(settings),
        dynamics_(*model),
        builder_(model),
        lengths_(*model),
        rest_(VectorX::Zero(model->num_velocities())) {
    row_settings_.project_positions = true;
    row_settings_.limit_margin = std::numeric_limits<double>::infinity();  // all limits, near or far
  }

  // Rows at q; returns the largest error.
  double update(const VectorX& q) {
    update_kinematics(model_, q.data(), rest_.data(), dynamics_);
    update_inertia(model_, dynamics_);
    factor_inertia(model_, nullptr, dynamics_);
    if (lengths_.size() > 0) lengths_.update(model_, dynamics_, q.data());
    builder_.build({.dynamics = dynamics_,
                    .q = q.data(),
                    .v = rest_.data(),
                    .v_free = rest_.data(),
                    .contacts = {},
                    .time_step = step,
                    .settings = row_settings_,
                    .lengths = lengths_.size() > 0 ? &lengths_ : nullptr},
                   rows_);
    double largest = 0.0;
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      if (!is_limit(i) && !is_rigid_loop(i)) continue;
      for (int r = 0; r < rows_[i].law.rows; ++r) {
        largest = std::max(largest, is_limit(i) ? -rows_[i].error[r] : std::abs(rows_[i].error[r]));
      }
    }
    return largest;
  }

  // q ← q ⊕ u.
  void move(VectorX& q) {
    pushing_.resize(rows_.num_constraints());
    for (int i = 0; i < rows_.num_constraints(); ++i) pushing_[i] = is_limit(i) && rows_[i].error[0] < 0.0;
    VectorX u = solve();
    // Limits that the move would run into stop it.
    for (int round = 0; round < 4 && add_limits(u); ++round) u = solve();
    VectorX next(q.size());
    integrate(model_, q, u, step, next);
    q = next;
  }

 private:
  bool is_limit(int i) const {
    return rows_[i].id.source == ConstraintSource::lower_limit || rows_[i].id.source == ConstraintSource::upper_limit;
  }
  bool is_rigid_loop(int i) const {
    return rows_[i].id.source == ConstraintSource::loop && model_.loops[rows_[i].id.first].compliance == 0.0;
  }
  bool is_of_tendon(int i) const { return rows_[i].id.first >= model_.num_velocities(); }
  double inset(int i) const {
    if (is_of_tendon(i)) {
      const Tendon& tendon = model_.tendons[rows_[i].id.first - model_.num_velocities()];
      return std::min(settings_.limit_inset, 0.1 * (tendon.upper - tendon.lower));
    }
    const Dof& dof = model_.dofs[rows_[i].id.first];
    return std::min(settings_.limit_inset, 0.1 * (dof.upper - dof.lower));
  }

  // Row r of constraint i through the factor.
  void copy_row(int i, int r, MatrixX& a, Eigen::Index row) const {
    for (const RowSet::Segment& segment : rows_.segments_of(i)) {
      const VelocityNode& node = model_.nodes[segment.node];
      for (int e = 0; e < node.size; ++e) {
        a(row, node.first_velocity + e) = rows_.columns[segment.first_column + e][r];
      }
    }
  }

  // u = L⁻¹ D^(−1/2) Aᵀ (A Aᵀ)⁺ (−error), shortened so that nothing moves by more than largest_move. The pseudo-inverse
  // is damped: an eigenvalue λ of the scaled matrix is inverted as λ/(λ² + ε²).
  VectorX solve() const {
    Eigen::Index count = 0;
    for (int i = 0; i < rows_.num_constraints(); ++i) count += is_rigid_loop(i) || pushing_[i] ? rows_[i].law.rows : 0;
    MatrixX a = MatrixX::Zero(count, model_.num_velocities());
    VectorX wanted(count);
    Eigen::Index row = 0;
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      if (!is_rigid_loop(i) && !pushing_[i]) continue;
      for (int r = 0; r < rows_[i].law.rows; ++r, ++row) {
        copy_row(i, r, a, row);
        wanted[row] = is_limit(i) ? inset(i) - rows_[i].error[r] : -rows_[i].error[r];
      }
    }
    wanted = wanted.cwiseMin(settings_.largest_move).cwiseMax(-settings_.largest_move);
    const VectorX length = a.rowwise().norm();
    const VectorX scale = (length.array() > 0.0).select(length.cwiseInverse(), 0.0);
    a.array().colwise() *= scale.array();
    const SymmetricEigen eigen = symmetric_eigen(product_with_transposed(a, a));
    const Eigen::ArrayXd values = eigen.values.array();
    const double least = count > 0 ? hardly_movable * values.maxCoeff() : 0.0;
    const VectorX inverted = least > 0.0 ? VectorX(values / (values.square() + least * least)) : VectorX::Zero(count);
    const VectorX along = eigen.vectors.transpose() * scale.cwiseProduct(wanted);
    VectorX u = a.transpose() * (eigen.vectors * inverted.cwiseProduct(along));
    velocity_from_factor(model_, dynamics_, u.data(), u.data());
    const double largest = u.size() > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
    return largest > settings_.largest_move ? VectorX(settings_.largest_move / largest * u) : u;
  }

  double moved(int i, const VectorX& u) const {
    const int number = rows_[i].id.first;
    return is_of_tendon(i) ? lengths_.rate(number - model_.num_velocities(), u.data()) : u[number];
  }

  bool add_limits(const VectorX& u) {
    bool added = false;
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      if (!is_limit(i) || pushing_[i]) continue;
      const double sign = rows_[i].id.source == ConstraintSource::lower_limit ? 1.0 : -1.0;
      if (rows_[i].error[0] + sign * moved(i, u) >= 0.0) continue;
      added = pushing_[i] = true;
    }
    return added;
  }

  const Model& model_;
  const AssemblySettings& settings_;
  DynamicsData dynamics_;
  RowBuilder builder_;
  CoupledLengths lengths_;
  ConstraintSettings row_settings_;
  RowSet rows_;
  std::vector<bool> pushing_;  // limits that take part
  VectorX rest_;
};

void check_position(const Model& model, VectorView q) {
  if (q.size() != model.num_positions() || !q.allFinite()) {
    refuse("assembly: q has ", q.size(), " entries; ", model.num_positions(), " finite ones are wanted");
  }
}

}  // namespace

void AssemblySettings::validate() const {
  require(tolerance > 0.0 && std::isfinite(tolerance), "tolerance", tolerance, "positive and finite");
  require(largest_move > 0.0 && std::isfinite(largest_move), "largest_move", largest_move, "positive and finite");
  require(limit_inset >= 0.0 && std::isfinite(limit_inset), "limit_inset", limit_inset, "at least 0 and finite");
  require(max_iterations >= 0, "max_iterations", max_iterations, "at least 0");
}

double assembly_error(const std::shared_ptr<const Model>& model, VectorView q) {
  check_position(*model, q);
  const AssemblySettings settings;
  return Assembler(model, settings).update(q);
}

Assembly assemble(const std::shared_ptr<const Model>& model, VectorView q, const AssemblySettings& settings) {
  check_position(*model, q);
  settings.validate();
  Assembler assembler(model, settings);
  VectorX at = q;
  Assembly best{.q = at, .error = assembler.update(at)};
  double error = best.error;
  int idle = 0;
  for (; error > settings.tolerance && best.iterations < settings.max_iterations && idle < patience;
       ++best.iterations, ++idle) {
    assembler.move(at);
    if (!at.allFinite()) break;
    error = assembler.update(at);
    if (!(error < best.error)) continue;
    if (error < progress * best.error) idle = 0;
    best.error = error;
    best.q = at;
  }
  best.converged = best.error <= settings.tolerance;
  return best;
}

std::shared_ptr<const Model> assembled(const std::shared_ptr<const Model>& model, const AssemblySettings& settings) {
  const Assembly assembly = assemble(model, model->initial_position, settings);
  if (assembly.iterations == 0 || assembly.q == model->initial_position) return model;
  auto out = std::make_shared<Model>(*model);
  out->initial_position = assembly.q;
  return out;
}

}  // namespace stiction
