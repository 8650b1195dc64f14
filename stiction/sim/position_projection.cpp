#include "stiction/sim/position_projection.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

// What rounding leaves of a met constraint, m or rad; not worth a correction, and inconsistent between redundant rows.
constexpr double negligible_error = 1e-11;
constexpr double share_of_mismatch = 0.1;
// A correction needs no more digits: the next step corrects what is left.
constexpr double correction_tolerance = 1e-6;
constexpr int correction_iterations = 200;
// Part of the row's own G. Errors of redundant rows contradict each other, and no motion meets them all: damped, the
// correction is a least-squares one that leaves directions alone in which the rows hardly move anything.
constexpr double damping = 1e-6;

}  // namespace

// Copies A of constraint i, of a contact its normal alone; returns the diagonal of A_i A_iᵀ.
Pack4 PositionProjection::add_columns(const RowSet& rows, int i, bool contact) {
  const int from = rows.first_column(i), end = rows.end_column(i), to = static_cast<int>(rows_.columns.size());
  for (const RowSet::Segment& s : rows.segments_of(i)) {
    rows_.segments.push_back({s.node, s.first_column - from + to});
  }
  rows_.velocity.insert(rows_.velocity.end(), rows.velocity.begin() + from, rows.velocity.begin() + end);
  rows_.columns.insert(rows_.columns.end(), rows.columns.begin() + from, rows.columns.begin() + end);
  Pack4 diagonal{};
  for (int c = to; c < to + end - from; ++c) {
    Pack4& column = rows_.columns[c];
    if (contact) column = Pack4{column[2], 0.0, 0.0, 0.0};
    diagonal += column * column;
  }
  return diagonal;
}

PositionProjection::Role PositionProjection::role_of(const Model& model, const StepConstraint& row,
                                                     const ConstraintSettings& settings) {
  switch (row.id.source) {
    case ConstraintSource::dry_friction:
    case ConstraintSource::servo:
    case ConstraintSource::torsion:
    case ConstraintSource::rolling:
      return Role::none;
    case ConstraintSource::loop:
      return model.loops[row.id.first].compliance > 0.0 || row.is_left_out() ? Role::none : Role::loop;
    case ConstraintSource::contact:
      if (!settings.project_positions) return Role::none;
      break;
    default:
      break;
  }
  if (row.compliance[2] > 0.0 || row.is_left_out()) return Role::none;
  return row.id.source == ConstraintSource::contact ? Role::contact : Role::limit;
}

// Whether anything is worth a correction. Loops that contradict each other cannot all be closed: what is much less than
// they contradict each other by waits until it is more.
bool PositionProjection::is_needed(const Model& model, const RowSet& rows, std::span<const Pack4> end_velocity,
                                   double time_step, const ConstraintSettings& settings, double mismatch) {
  const double negligible_opening = std::max(negligible_error, share_of_mismatch * mismatch);
  for (int i = 0; i < rows.num_constraints(); ++i) {
    const Role role = role_of(model, rows[i], settings);
    if (role == Role::none) continue;
    const Pack4 error = rows[i].error + time_step * end_velocity[i];
    if (role == Role::loop) {
      for (int r = 0; r < rows[i].law.rows; ++r) {
        if (!(rows[i].left_out >> r & 1U) && std::abs(error[r]) > negligible_opening) return true;
      }
    } else if ((role == Role::contact ? error[2] : error[0]) + settings.slop < -negligible_error) {
      return true;
    }
  }
  return false;
}

// The rows of positions: normals of contacts and limits one-sided, loops two-sided.
void PositionProjection::copy_rows(const Model& model, const RowSet& rows, std::span<const Pack4> end_velocity,
                                   double time_step, const ConstraintSettings& settings) {
  rows_.clear();
  rows_.joined_trees = rows.joined_trees;
  const double gain = settings.baumgarte / time_step;
  for (int i = 0; i < rows.num_constraints(); ++i) {
    const Role role = role_of(model, rows[i], settings);
    if (role == Role::none) continue;
    const Pack4 error = rows[i].error + time_step * end_velocity[i];
    Pack4 wanted{};
    if (role == Role::loop) {
      for (int r = 0; r < rows[i].law.rows; ++r) {
        if (rows[i].left_out >> r & 1U) continue;
        wanted[r] = std::clamp(gain * error[r], -settings.largest_correction, settings.largest_correction);
      }
    } else {
      const double gap = (role == Role::contact ? error[2] : error[0]) + settings.slop;
      wanted[0] = gap > 0.0 ? gap / time_step : std::max(-settings.largest_correction, gain * gap);
    }
    StepConstraint& to_correct =
        rows_.begin_constraint(role == Role::loop ? rows[i].law : Constraint::make_unilateral(), rows[i].id,
                               rows[i].trees[0], rows[i].trees[1]);
    to_correct.free_velocity = wanted;
    const Pack4 diagonal = add_columns(rows, i, role == Role::contact);
    const double damped = damping * std::max({+diagonal[0], +diagonal[1], +diagonal[2]});
    to_correct.compliance = Pack4{damped, damped, damped, 0.0};
  }
}

const VectorX& PositionProjection::project(const Model& model, const DynamicsData& dynamics, const RowSet& rows,
                                           std::span<const Pack4> end_velocity, double time_step,
                                           const ConstraintSettings& settings, double mismatch,
                                           const SolveLimits& limits) {
  pseudo_velocity_.setZero(model.num_velocities());
  iterations_ = most_iterations_ = 0;
  if (!is_needed(model, rows, end_velocity, time_step, settings, mismatch)) return pseudo_velocity_;
  copy_rows(model, rows, end_velocity, time_step, settings);
  islands_.find(rows_, static_cast<int>(model.trees.size()));
  while (static_cast<int>(slots_.size()) < islands_.size()) {
    Slot& slot = slots_.emplace_back();
    slot.solver = make_solver("auto");
    slot.solver->settings().tolerance = correction_tolerance;
  }
  SolveLimits of_island = limits;
  of_island.max_iterations =
      limits.max_iterations > 0 ? std::min(limits.max_iterations, correction_iterations) : correction_iterations;
  impulse_.assign(rows_.num_constraints(), Pack4{});
  for (int k = 0; k < islands_.size(); ++k) {
    Slot& island = slots_[k];
    const auto members = islands_.constraints(k);
    const ContactProblem& problem = island.builder.build(model, rows_, members);
    island.solution.impulse.setZero(problem.num_rows());
    const int iterations = island.solver->solve(problem, island.solution, of_island).iterations;
    iterations_ += iterations;
    most_iterations_ = std::max(most_iterations_, iterations);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Constraint& c = problem.constraint(static_cast<int>(i));
      for (int r = 0; r < c.rows; ++r) impulse_[members[i]][r] = island.solution.impulse[c.first_row + r];
    }
  }
  rows_.multiply_transposed(impulse_, lanes_, pseudo_velocity_);
  velocity_from_factor(model, dynamics, pseudo_velocity_.data(), pseudo_velocity_.data());
  return pseudo_velocity_;
}

}  // namespace stiction
