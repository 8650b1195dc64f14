// Principal pivoting of Dantzig and Cottle for symmetric positive semidefinite M, with bounds.
//
// The dictionary has on row i either w_i (z_i rests on a bound: `lower`, `upper`, or still `waiting` at zero) or z_i
// (`free`, w_i = 0), so its table is M swept on the free set: the inverse of M there, a Schur complement elsewhere.
// Along a unit change of a resting z_i, free z_r and resting w_r change by T_ri.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "stiction/math/refuse.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double symmetry_tolerance = 1e-10;
// Where nothing blocks, a row short of zero by no more than this (equilibrated) is rounding, not infeasibility.
constexpr double accepted_slack = 1e-11;

void check_symmetry(const MatrixX& matrix) {
  const double allowed = symmetry_tolerance * matrix.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      if (std::abs(matrix(i, j) - matrix(j, i)) <= allowed) continue;
      refuse("solve_dantzig: M must be symmetric but M[", i, ", ", j, "] is ", matrix(i, j), " and M[", j, ", ", i,
             "] is ", matrix(j, i));
    }
  }
}

void check_bounds(VectorView lower, VectorView upper, int n) {
  if (lower.size() != n || upper.size() != n) {
    refuse("solve_dantzig: bounds have ", lower.size(), " and ", upper.size(), " entries but q has ", n);
  }
  for (int i = 0; i < n; ++i) {
    if (lower[i] <= 0.0 && upper[i] >= 0.0) continue;
    refuse("solve_dantzig: bounds of entry ", i, " are ", lower[i], " and ", upper[i], "; zero must lie between them");
  }
}

}  // namespace

// D M D with a diagonal near one, and D q with |D q| ≤ 1.
void LinearComplementarity::equilibrate_symmetric(const LinearComplementarityProblem& problem, VectorView lower,
                                                  VectorView upper) {
  column_scale_.setOnes(n_);
  for (int i = 0; i < n_; ++i) {
    const double diagonal = problem.matrix(i, i);
    if (diagonal > 0.0) column_scale_[i] = std::exp2(-std::round(0.5 * std::log2(diagonal)));
  }
  matrix_.resize(n_, n_);
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < n_; ++i) {
      const double mean = 0.5 * (problem.matrix(i, j) + problem.matrix(j, i));
      matrix_(i, j) = column_scale_[i] * mean * column_scale_[j];
    }
  }
  offset_.noalias() = column_scale_.cwiseProduct(problem.offset);
  const double largest = offset_.lpNorm<Eigen::Infinity>();
  offset_scale_ = largest > 0.0 ? std::exp2(std::ceil(std::log2(largest))) : 1.0;
  offset_ /= offset_scale_;
  lower_.resize(n_);
  upper_.resize(n_);
  for (int i = 0; i < n_; ++i) {
    lower_[i] = lower[i] / (column_scale_[i] * offset_scale_);
    upper_[i] = upper[i] / (column_scale_[i] * offset_scale_);
  }
}

// What rounding alone can leave of w_i: M has entries up to about one.
double LinearComplementarity::rounding_level() const {
  const double epsilon = std::numeric_limits<double>::epsilon();
  return 8.0 * epsilon * (1.0 + std::sqrt(static_cast<double>(n_)) * point_.lpNorm<Eigen::Infinity>());
}

bool LinearComplementarity::is_satisfied(int i, double tolerance) const {
  if (lower_[i] == upper_[i]) return true;
  switch (state_[i]) {
    case RowState::free:
      return true;
    case RowState::lower:
      return slack_[i] >= -tolerance;
    case RowState::upper:
      return slack_[i] <= tolerance;
    case RowState::waiting:
      break;
  }
  return std::abs(slack_[i]) <= tolerance;
}

int LinearComplementarity::worst_row(double tolerance) const {
  int worst = -1;
  for (int i = 0; i < n_; ++i) {
    if (is_satisfied(i, tolerance)) continue;
    if (worst < 0 || std::abs(slack_[i]) > std::abs(slack_[worst])) worst = i;
  }
  return worst;
}

// How far z_driven can move until its own row is solved, it meets its bound, or another row that holds would break.
LinearComplementarity::Event LinearComplementarity::first_event(int driven, double direction) const {
  const MatrixX& table = dictionary_.table();
  const double smallest = settings_.smallest_pivot;
  Event event{infinity, -1, RowState::free};
  if (table(driven, driven) > smallest)
    event = {std::max(0.0, -direction * slack_[driven]) / table(driven, driven), driven, RowState::free};
  const double room = direction > 0.0 ? upper_[driven] - point_[driven] : point_[driven] - lower_[driven];
  if (room < event.step) event = {room, driven, direction > 0.0 ? RowState::upper : RowState::lower};

  const auto offer = [&](double step, int row, RowState becomes) {
    step = std::max(0.0, step);
    if (step < event.step) event = {step, row, becomes};
  };
  for (int r = 0; r < n_; ++r) {
    if (r == driven || lower_[r] == upper_[r]) continue;
    const double rate = direction * table(r, driven);
    if (std::abs(rate) <= smallest) continue;
    if (state_[r] == RowState::free) {
      if (rate < 0.0) offer((point_[r] - lower_[r]) / -rate, r, RowState::lower);
      if (rate > 0.0) offer((upper_[r] - point_[r]) / rate, r, RowState::upper);
    } else if (table(r, r) > smallest) {
      if (state_[r] == RowState::lower && slack_[r] >= 0.0 && rate < 0.0) offer(slack_[r] / -rate, r, RowState::free);
      if (state_[r] == RowState::upper && slack_[r] <= 0.0 && rate > 0.0) offer(-slack_[r] / rate, r, RowState::free);
    }
  }
  return event;
}

// Exchanges until row `driven` holds: the number of rows that do not hold falls by at least one.
LcpStatus LinearComplementarity::drive(int driven, LcpReport& report, int max_pivots) {
  // Kept to the end: where M is singular w_driven may reach zero up to rounding before its row can be exchanged.
  const double direction = slack_[driven] < 0.0 ? 1.0 : -1.0;
  for (;;) {
    if (dictionary_.table()(driven, driven) < -1e-8) return LcpStatus::numerical_error;  // M is not semidefinite
    const Event event = first_event(driven, direction);
    if (event.row < 0 || event.step == infinity) return LcpStatus::ray;
    const auto rate = dictionary_.table().col(driven);
    const double step = direction * event.step;
    point_[driven] += step;
    for (int r = 0; r < n_; ++r) {
      (state_[r] == RowState::free ? point_ : slack_)[r] += step * rate[r];
    }
    if (report.pivots >= max_pivots) return LcpStatus::iteration_limit;
    if (is_interrupted()) return LcpStatus::interrupted;
    const int row = event.row;
    const bool was_free = state_[row] == RowState::free;
    state_[row] = event.becomes;
    if (event.becomes == RowState::lower) point_[row] = lower_[row];
    if (event.becomes == RowState::upper) point_[row] = upper_[row];
    if (was_free != (event.becomes == RowState::free)) {
      slack_[row] = 0.0;
      if (dictionary_.table()(row, row) == 0.0) return LcpStatus::numerical_error;
      dictionary_.exchange(row, row);
      ++report.pivots;
    }
    if (row == driven) return LcpStatus::solved;
  }
}

// z on the free set corrected against the equilibrated data, then w everywhere.
void LinearComplementarity::refresh_values() {
  const MatrixX& table = dictionary_.table();
  for (int round = 0; round < 2; ++round) {
    slack_ = offset_;
    slack_.noalias() += matrix_ * point_;
    if (round == 1) break;
    for (int j = 0; j < n_; ++j) {
      if (state_[j] != RowState::free || slack_[j] == 0.0) continue;
      for (int i = 0; i < n_; ++i) {
        if (state_[i] == RowState::free) point_[i] -= table(i, j) * slack_[j];
      }
    }
  }
}

// Free rows that rounding has carried past a bound rest on it from now on, and the others make up for that: clamping
// them at the end would leave what is small against the largest z, but not small, in w.
void LinearComplementarity::rest_on_bounds(LcpReport& report) {
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < n_; ++i) {
      if (state_[i] != RowState::free || (point_[i] >= lower_[i] && point_[i] <= upper_[i])) continue;
      if (!(dictionary_.table()(i, i) > 0.0)) continue;
      state_[i] = point_[i] < lower_[i] ? RowState::lower : RowState::upper;
      point_[i] = point_[i] < lower_[i] ? lower_[i] : upper_[i];
      dictionary_.exchange(i, i);
      ++report.pivots;
      moved = true;
    }
    if (moved) refresh_values();
  }
}

// The table of the current free set from the matrix, by exchanges on the largest remaining diagonal entry.
bool LinearComplementarity::rebuild_free_set() {
  dictionary_.table() = matrix_;
  dictionary_.value().setZero();
  wanted_.assign(n_, 0);
  for (int i = 0; i < n_; ++i) wanted_[i] = state_[i] == RowState::free;
  for (;;) {
    int row = -1;
    for (int i = 0; i < n_; ++i) {
      if (wanted_[i] && (row < 0 || dictionary_.table()(i, i) > dictionary_.table()(row, row))) row = i;
    }
    if (row < 0) return true;
    if (!(dictionary_.table()(row, row) > 1e-3 * settings_.smallest_pivot)) return false;
    wanted_[row] = 0;
    dictionary_.exchange(row, row);
  }
}

LcpReport LinearComplementarity::solve_dantzig(const LinearComplementarityProblem& problem, VectorView lower,
                                               VectorView upper, VectorX& unknown, const LcpSettings& settings) {
  problem.validate();
  settings.validate();
  n_ = problem.size();
  settings_ = settings;
  check_bounds(lower, upper, n_);
  unknown.setZero(n_);
  LcpReport report;
  if (n_ == 0) return report;
  check_symmetry(problem.matrix);
  equilibrate_symmetric(problem, lower, upper);
  dictionary_.resize(n_, n_);
  dictionary_.table() = matrix_;
  dictionary_.value().setZero();
  point_.setZero(n_);
  slack_ = offset_;
  state_.resize(n_);
  for (int i = 0; i < n_; ++i) {
    state_[i] = lower_[i] == 0.0 ? RowState::lower : upper_[i] == 0.0 ? RowState::upper : RowState::waiting;
  }

  const int max_pivots = settings.max_pivots > 0 ? settings.max_pivots : 1000 + 20 * n_;
  constexpr int pivots_between_rebuilds = 200;
  int next_rebuild = pivots_between_rebuilds;
  double unreachable = 0.0;  // w that a singular M leaves below zero by rounding
  for (;;) {
    const int row = worst_row(std::max(rounding_level(), unreachable));
    if (row < 0) break;
    report.status = drive(row, report, max_pivots);
    if (report.status == LcpStatus::ray && std::abs(slack_[row]) <= accepted_slack) {
      unreachable = std::abs(slack_[row]);
      report.status = LcpStatus::solved;
    }
    if (report.status != LcpStatus::solved) break;
    if (report.pivots >= next_rebuild) {
      next_rebuild = report.pivots + pivots_between_rebuilds;
      ++report.rebuilds;
      if (!rebuild_free_set()) {
        report.status = LcpStatus::numerical_error;
        break;
      }
    }
    refresh_values();
    rest_on_bounds(report);
  }
  for (int i = 0; i < n_; ++i) {
    const double z = std::clamp(point_[i], lower_[i], upper_[i]) * column_scale_[i] * offset_scale_;
    unknown[i] = std::isfinite(z) ? z : 0.0;
  }
  return report;
}

LcpReport LinearComplementarity::solve_dantzig(const LinearComplementarityProblem& problem, VectorX& unknown,
                                               const LcpSettings& settings) {
  // Kept as members of their own size so that a second solve allocates nothing.
  zero_.setZero(problem.size());
  unbounded_.setConstant(problem.size(), infinity);
  return solve_dantzig(problem, zero_, unbounded_, unknown, settings);
}

}  // namespace stiction
