#include "stiction/sim/impact.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr int most_pairs = 100000;  // of contacts that are solved one by one

}  // namespace

std::string_view to_string(ImpactLaw law) {
  return law == ImpactLaw::newton ? "newton" : "poisson";
}
std::string_view to_string(ImpactOrder order) {
  return order == ImpactOrder::at_once ? "at_once" : "pairwise";
}

void ImpactSettings::validate() const {
  const auto not_negative = [](const char* name, double value) {
    require(value >= 0.0 && std::isfinite(value), name, value, "finite and at least 0");
  };
  not_negative("restitution_threshold", restitution_threshold);
  not_negative("rest_speed", rest_speed);
  not_negative("tolerance", tolerance);
}

ImpactSolver::ImpactSolver(std::shared_ptr<const Model> model, const SimulatorSettings& solver,
                           const ImpactSettings& settings)
    : model_(model), settings_(settings), event_rows_(model, settings.tolerance), island_solver_(model, solver) {
  settings.validate();
}

// Contacts that can part, limits that touch. Forces of dry friction are finite and do nothing in no time.
void ImpactSolver::pick_rows(const DynamicsData& data, const VectorX& q, const VectorX& v,
                             std::span<const ContactPoint> points) {
  event_rows_.build(data, q, v, v, points);
  const RowSet& all = event_rows_.all();
  rows_.clear();
  restitution_.clear();
  before_.clear();
  for (int i = 0; i < all.num_constraints(); ++i) {
    const ConstraintSource source = all[i].id.source;
    const bool is_limit = source == ConstraintSource::lower_limit || source == ConstraintSource::upper_limit;
    const bool is_contact = source == ConstraintSource::contact;
    if (all[i].left_out != 0 || !(is_contact || (is_limit && all[i].error[0] <= settings_.tolerance))) continue;
    append(all, i, rows_);
    before_.push_back(all[i].free_velocity);
    double e = 0.0;
    if (is_contact) {
      e = combine(model_->shapes[all[i].id.first].material, model_->shapes[all[i].id.second].material,
                  model_->friction_rule)
              .restitution;
    }
    restitution_.push_back(e);
  }
}

double ImpactSolver::fastest_approach(const DynamicsData& data, const VectorX& q, const VectorX& v,
                                      std::span<const ContactPoint> points) {
  pick_rows(data, q, v, points);
  double fastest = 0.0;
  for (int i = 0; i < rows_.num_constraints(); ++i) fastest = std::max(fastest, -before_[i][normal_lane(rows_[i])]);
  return fastest;
}

double ImpactSolver::bounce(int row, double speed) const {
  return speed < -settings_.restitution_threshold ? restitution_[row] * speed : 0.0;
}

// Solves the rows with the free velocities that they have; adds to `out`.
void ImpactSolver::solve_rows(RowSet& rows, std::vector<Pack4>& impulse, Impact& out) {
  const auto start = std::chrono::steady_clock::now();
  impulse.assign(static_cast<std::size_t>(rows.num_constraints()), Pack4{});
  for (StepConstraint& row : rows.constraints) row.guess = row.error = row.offset = Pack4{};
  islands_.find(rows, static_cast<int>(model_->trees.size()));
  island_solver_.begin_step();
  island_solver_.build_problems(rows, islands_);
  island_solver_.solve(rows, islands_, interrupt_);
  if (interrupt_ != nullptr && interrupt_->check()) throw StepInterrupted("impact: interrupted");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  out.solve_seconds += taken.count();
  island_solver_.judge_all();
  for (int k = 0; k < island_solver_.size(); ++k) {
    const SolveReport& report = island_solver_.report(k);
    out.status = std::max(out.status, report.status);
    out.iterations += report.iterations;
    merge(island_solver_.residuals(k), out.residuals);
    const auto members = islands_.constraints(k);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Constraint& c = island_solver_.problem(k).constraint(static_cast<int>(i));
      for (int r = 0; r < c.rows; ++r) impulse[members[i]][r] = island_solver_.solution(k).impulse[c.first_row + r];
    }
  }
}

void ImpactSolver::at_once(Impact& out) {
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const int n = normal_lane(rows_[i]);
    rows_[i].free_velocity = before_[i];
    rows_[i].free_velocity[n] += bounce(i, before_[i][n]);
  }
  solve_rows(rows_, impulse_, out);
}

// ½ λ·(c⁻ + c⁺)
double ImpactSolver::energy_of(const std::vector<Pack4>& impulse) const {
  VectorX w = VectorX::Zero(model_->num_velocities());
  for (int i = 0; i < rows_.num_constraints(); ++i) add_transposed(rows_, i, impulse[i], w);
  double work = 0.5 * w.squaredNorm();
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const Pack4 part = impulse[i] * before_[i];
    work += part[0] + part[1] + part[2];
  }
  return work;
}

void ImpactSolver::poisson(Impact& out) {
  for (int i = 0; i < rows_.num_constraints(); ++i) rows_[i].free_velocity = before_[i];
  std::vector<Pack4> compression, expansion;
  solve_rows(rows_, compression, out);
  const bool bounces = std::any_of(restitution_.begin(), restitution_.end(), [](double e) { return e > 0.0; });
  impulse_ = compression;
  if (!bounces) return;
  for (double cut = 1.0;; cut = cut > 0.1 ? 0.5 * cut : 0.0) {
    impulse_ = compression;
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      const int n = normal_lane(rows_[i]);
      const double e = before_[i][n] < -settings_.restitution_threshold ? restitution_[i] : 0.0;
      impulse_[i][n] += cut * e * compression[i][n];
    }
    work_.setZero(model_->num_velocities());
    for (int i = 0; i < rows_.num_constraints(); ++i) add_transposed(rows_, i, impulse_[i], work_);
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      rows_[i].free_velocity = before_[i] + multiply(rows_, i, work_);
    }
    solve_rows(rows_, expansion, out);
    for (int i = 0; i < rows_.num_constraints(); ++i) impulse_[i] += expansion[i];
    out.restitution_cut = cut;
    double before = 0.0;
    for (int i = 0; i < rows_.num_constraints(); ++i) before += std::abs(compression[i][2] * before_[i][2]);
    if (cut == 0.0 || energy_of(impulse_) <= 1e-12 * before) break;
  }
}

void ImpactSolver::pairwise(Impact& out) {
  impulse_.assign(static_cast<std::size_t>(rows_.num_constraints()), Pack4{});
  work_.setZero(model_->num_velocities());
  for (int turn = 0; turn < most_pairs; ++turn) {
    int fastest = -1;
    double approach = settings_.rest_speed;
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      const double c = (before_[i] + multiply(rows_, i, work_))[normal_lane(rows_[i])];
      if (-c > approach) approach = -c, fastest = i;
    }
    if (fastest < 0) return;
    single_.clear();
    StepConstraint& row = append(rows_, fastest, single_);
    row.free_velocity = before_[fastest] + multiply(rows_, fastest, work_);
    const int n = normal_lane(row);
    row.free_velocity[n] += bounce(fastest, row.free_velocity[n]);
    solve_rows(single_, part_, out);
    impulse_[fastest] += part_[0];
    add_transposed(rows_, fastest, part_[0], work_);
  }
  out.status = std::max(out.status, SolveStatus::iteration_limit);
}

Impact ImpactSolver::solve(const DynamicsData& data, const VectorX& q, std::span<const ContactPoint> points,
                           VectorX& v) {
  Impact out;
  pick_rows(data, q, v, points);
  out.num_rows = rows_.num_constraints();
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const double speed = -before_[i][normal_lane(rows_[i])];
    if (speed > out.approach) out.approach = speed, out.fastest = rows_[i].id;
  }
  if (!(out.approach > settings_.rest_speed)) return out;
  out.happened = true;
  if (settings_.order == ImpactOrder::pairwise) {
    pairwise(out);
  } else if (settings_.law == ImpactLaw::poisson) {
    poisson(out);
  } else {
    at_once(out);
  }
  work_.setZero(model_->num_velocities());
  for (int i = 0; i < rows_.num_constraints(); ++i) add_transposed(rows_, i, impulse_[i], work_);
  out.energy_change = energy_of(impulse_);
  velocity_from_factor(*model_, data, work_.data(), work_.data());
  v += work_;
  return out;
}

}  // namespace stiction
