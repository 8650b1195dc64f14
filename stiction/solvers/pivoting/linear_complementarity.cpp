// Lemke's method on a condensed dictionary w = q + M z + e z_c, z_c the covering variable.
#include "stiction/solvers/pivoting/linear_complementarity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Among rows that block together, pivots below this fraction of the largest are not taken: stability before order.
constexpr double pivot_spread = 1e-5;
// Basic values of an equilibrated problem below −this are a lost path, not rounding.
constexpr double lost_value = 1e-7;
// A pivot below this may be rounding left by earlier exchanges.
constexpr double doubtful_pivot = 1e-5;
// Pivots until the dictionary is computed afresh; its error grows with every exchange.
constexpr int pivots_between_rebuilds = 400;

double power_of_two_near(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::min(1023, exponent));  // 2^1024 is infinite
}

}  // namespace

std::string_view to_string(LcpStatus status) {
  switch (status) {
    case LcpStatus::solved:
      return "solved";
    case LcpStatus::ray:
      return "ray";
    case LcpStatus::iteration_limit:
      return "iteration_limit";
    case LcpStatus::numerical_error:
      return "numerical_error";
    case LcpStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

// D_1 M D_2 with largest entries near one in every row and column (a few rounds of Ruiz), q scaled to |q| ≤ 1.
// A positive diagonal on either side changes neither solvability nor the path, only the covering vector.
void LinearComplementarity::equilibrate(const LinearComplementarityProblem& problem) {
  matrix_ = problem.matrix;
  row_scale_.setOnes(n_);
  column_scale_.setOnes(n_);
  for (int round = 0; round < 4; ++round) {
    for (int j = 0; j < n_; ++j) {
      const double largest = matrix_.col(j).lpNorm<Eigen::Infinity>();
      if (largest == 0.0) continue;
      const double s = 1.0 / power_of_two_near(std::sqrt(largest));
      matrix_.col(j) *= s;
      column_scale_[j] *= s;
    }
    for (int i = 0; i < n_; ++i) {
      const double largest = matrix_.row(i).lpNorm<Eigen::Infinity>();
      if (largest == 0.0) continue;
      const double s = 1.0 / power_of_two_near(std::sqrt(largest));
      matrix_.row(i) *= s;
      row_scale_[i] *= s;
    }
  }
  offset_.noalias() = row_scale_.cwiseProduct(problem.offset);
  const double largest = offset_.lpNorm<Eigen::Infinity>();
  offset_scale_ = largest > 0.0 ? power_of_two_near(largest) : 1.0;
  offset_ /= offset_scale_;
}

void LinearComplementarity::start_dictionary() {
  dictionary_.resize(n_, n_ + 1);
  dictionary_.table().leftCols(n_) = matrix_;
  dictionary_.table().col(n_).setOnes();
  dictionary_.value() = offset_;
  basic_.resize(n_);
  nonbasic_.resize(n_ + 1);
  position_.resize(2 * n_ + 1);
  for (int i = 0; i < n_; ++i) {
    basic_[i] = i;
    position_[i] = i;
  }
  for (int j = 0; j <= n_; ++j) {
    nonbasic_[j] = n_ + j;
    position_[n_ + j] = n_ + j;
  }
}

void LinearComplementarity::exchange(int row, int column) {
  dictionary_.exchange(row, column);
  std::swap(basic_[row], nonbasic_[column]);
  position_[basic_[row]] = row;
  position_[nonbasic_[column]] = n_ + column;
}

// The same basis from the original matrix: Gauss–Jordan with complete pivoting on what has to be exchanged.
bool LinearComplementarity::rebuild_basis() {
  wanted_.assign(2 * n_ + 1, 0);
  for (int variable : basic_) wanted_[variable] = 1;
  start_dictionary();
  for (;;) {
    double largest = 0.0;
    int row = -1, column = -1;
    for (int j = 0; j <= n_; ++j) {
      if (!wanted_[nonbasic_[j]]) continue;
      for (int i = 0; i < n_; ++i) {
        if (wanted_[basic_[i]]) continue;
        const double size = std::abs(dictionary_.table()(i, j));
        if (size > largest || row < 0) {
          largest = size;
          row = i;
          column = j;
        }
      }
    }
    if (row < 0) return true;
    if (!(largest > 1e-3 * settings_.smallest_pivot)) return false;
    exchange(row, column);
  }
}

// Entry (row, j) of the matrix that multiplies a perturbation (ε, ε², …) of q: the lexicographic rule compares these.
double LinearComplementarity::perturbation(int row, int j) const {
  const int place = position_[j];  // of w_j
  if (place < n_) return place == row ? 1.0 : 0.0;
  return -dictionary_.table()(row, place - n_);
}

bool LinearComplementarity::lexicographically_smaller(int row_a, int row_b, int column) const {
  const double t_a = std::abs(dictionary_.table()(row_a, column)), t_b = std::abs(dictionary_.table()(row_b, column));
  for (int j = 0; j < n_; ++j) {
    const double a = perturbation(row_a, j) / t_a, b = perturbation(row_b, j) / t_b;
    if (std::abs(a - b) > 1e-10 * (std::abs(a) + std::abs(b)) + settings_.tie) return a < b;
  }
  return row_a < row_b;
}

// The row whose basic variable reaches zero first while the variable of `column` grows; −1: none does. Rows within
// a tie of each other count as equal; the covering variable leaves as soon as it may, and that is the solution.
int LinearComplementarity::blocking_row(int column) const {
  const auto rate = dictionary_.table().col(column);
  const VectorX& value = dictionary_.value();
  double limit = infinity;
  for (int i = 0; i < n_; ++i) {
    if (rate[i] < -settings_.smallest_pivot)
      limit = std::min(limit, (std::max(0.0, value[i]) + settings_.tie) / -rate[i]);
  }
  if (limit == infinity) return -1;
  const auto blocks = [&](int i) {
    return rate[i] < -settings_.smallest_pivot && std::max(0.0, value[i]) <= limit * -rate[i];
  };
  double largest = 0.0;
  for (int i = 0; i < n_; ++i) {
    if (!blocks(i)) continue;
    if (basic_[i] == covering()) return i;
    largest = std::max(largest, -rate[i]);
  }
  int best = -1;
  for (int i = 0; i < n_; ++i) {
    if (!blocks(i) || -rate[i] < pivot_spread * largest) continue;
    if (best < 0 || lexicographically_smaller(i, best, column)) best = i;
  }
  return best;
}

// What the basic values leave of w = M z + e z_c + q in the equilibrated data; its size is returned.
double LinearComplementarity::equation_residual() {
  const VectorX& value = dictionary_.value();
  point_.setZero(n_);
  slack_.setZero(n_);
  double covering_value = 0.0;
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[i];
    if (variable == covering()) {
      covering_value = value[i];
    } else if (variable < n_) {
      slack_[variable] = value[i];
    } else {
      point_[variable - n_] = value[i];
    }
  }
  correction_ = offset_ - slack_;
  correction_.noalias() += matrix_ * point_;
  correction_.array() += covering_value;
  return correction_.lpNorm<Eigen::Infinity>();
}

// Iterative refinement of the basic values, x_B += B⁻¹ (M z + e z_c + q − w), until it stops helping.
void LinearComplementarity::improve_values() {
  constexpr int most_rounds = 8;
  VectorX& value = dictionary_.value();
  double residual = equation_residual();
  for (int round = 0; round < most_rounds && residual > 0.0; ++round) {
    saved_ = value;
    for (int j = 0; j < n_; ++j) {
      if (correction_[j] == 0.0) continue;
      const int place = position_[j];
      if (place < n_) {
        value[place] += correction_[j];
      } else {
        value.noalias() -= correction_[j] * dictionary_.table().col(place - n_);
      }
    }
    const double next = equation_residual();
    if (!(next < residual)) {
      value = saved_;
      break;
    }
    const bool finished = next > 0.5 * residual;
    residual = next;
    if (finished) break;
  }
}

LcpStatus LinearComplementarity::follow_path(LcpReport& report, int max_pivots) {
  // The covering variable enters where q is most negative; of equal rows the last, by the lexicographic rule.
  int row = 0;
  for (int i = 1; i < n_; ++i) {
    if (offset_[i] <= offset_[row]) row = i;
  }
  int leaving = basic_[row], since_rebuild = 1;
  exchange(row, n_);
  ++report.pivots;
  const auto rebuild = [&] {
    ++report.rebuilds;
    since_rebuild = 0;
    if (!rebuild_basis()) return false;
    improve_values();
    return true;
  };
  for (;;) {
    if (since_rebuild >= pivots_between_rebuilds && !rebuild()) return LcpStatus::numerical_error;
    if (leaving == covering()) {
      improve_values();
      if (smallest_value() >= -lost_value) return LcpStatus::solved;
      if (since_rebuild == 0 || !rebuild()) return LcpStatus::numerical_error;
      continue;
    }
    const int entering = complement(leaving);
    row = blocking_row(position_[entering] - n_);
    // Rays and small pivots are believed of a fresh dictionary only.
    const bool doubtful = row < 0 || std::abs(dictionary_.table()(row, position_[entering] - n_)) < doubtful_pivot;
    if (doubtful && since_rebuild > 0) {
      if (!rebuild()) return LcpStatus::numerical_error;
      continue;
    }
    if (row < 0) return LcpStatus::ray;
    if (report.pivots >= max_pivots) return LcpStatus::iteration_limit;
    if (is_interrupted()) return LcpStatus::interrupted;
    leaving = basic_[row];
    exchange(row, position_[entering] - n_);
    ++report.pivots;
    ++since_rebuild;
    if (!std::isfinite(dictionary_.value().sum())) return LcpStatus::numerical_error;
  }
}

void LinearComplementarity::read_unknown(VectorX& unknown) const {
  unknown.setZero(n_);
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[i];
    if (variable < n_ || variable == covering()) continue;
    const int j = variable - n_;
    const double z = std::max(0.0, dictionary_.value()[i]) * column_scale_[j] * offset_scale_;
    unknown[j] = std::isfinite(z) ? z : 0.0;
  }
}

void LcpSettings::validate() const {
  require(max_pivots >= 0, "max_pivots", max_pivots, "at least 0");
  require(smallest_pivot > 0.0 && smallest_pivot < 1.0, "smallest_pivot", smallest_pivot, "in (0, 1)");
  require(tie >= 0.0 && tie < 1.0, "tie", tie, "in [0, 1)");
}

LcpReport LinearComplementarity::solve_lemke(const LinearComplementarityProblem& problem, VectorX& unknown,
                                             const LcpSettings& settings) {
  problem.validate();
  settings.validate();
  n_ = problem.size();
  settings_ = settings;
  unknown.setZero(n_);
  LcpReport report;
  if (n_ == 0 || problem.offset.minCoeff() >= 0.0) return report;
  equilibrate(problem);
  start_dictionary();
  report.status = follow_path(report, settings.max_pivots > 0 ? settings.max_pivots : 1000 + 20 * n_);
  read_unknown(unknown);
  return report;
}

}  // namespace stiction
