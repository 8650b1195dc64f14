#include "stiction/contact/problem_writer.h"

#include <cassert>
#include <cmath>

namespace stiction {

void ProblemWriter::begin(std::span<const Constraint> constraints) {
  problem_.constraints_.assign(constraints.begin(), constraints.end());
  problem_.kinds_ = 0;
  int rows = 0;
  for (Constraint& c : problem_.constraints_) {
    c.first_row = rows;
    rows += c.rows;
    problem_.kinds_ |= 1u << static_cast<int>(c.kind);
  }
  problem_.free_velocity_.resize(rows);
  problem_.compliance_.setZero(rows);
}

DelassusDense& ProblemWriter::dense() {
  if (problem_.form() != DelassusForm::dense) problem_.delassus_.emplace<DelassusDense>();
  return std::get<DelassusDense>(problem_.delassus_);
}

DelassusFactored& ProblemWriter::factored() {
  if (problem_.form() != DelassusForm::factored) problem_.delassus_.emplace<DelassusFactored>();
  return std::get<DelassusFactored>(problem_.delassus_);
}

const ContactProblem& ProblemWriter::finish() {
  assert(problem_.free_velocity_.allFinite() && problem_.compliance_.allFinite());
  assert(problem_.compliance_.size() == 0 || problem_.compliance_.minCoeff() >= 0.0);
  problem_.rigid_ = problem_.compliance_.size() == 0 || problem_.compliance_.maxCoeff() == 0.0;
  problem_.diagonal_.resize(problem_.num_constraints());
  double largest = 0.0;
  for (int i = 0; i < problem_.num_constraints(); ++i) {
    problem_.diagonal_[i] = problem_.read_diagonal_block(i);
    for (int r = 0; r < problem_.constraints_[i].rows; ++r) largest = std::max(largest, problem_.diagonal_[i](r, r));
  }
  assert(std::isfinite(largest));
  problem_.largest_diagonal_ = largest > 0.0 ? largest : 1.0;
  const double largest_g = problem_.num_rows() ? problem_.free_velocity_.cwiseAbs().maxCoeff() : 0.0;
  problem_.largest_free_velocity_ = largest_g > 0.0 ? largest_g : 1.0;
  problem_.asymmetry_ = 0.0;
  return problem_;
}

}  // namespace stiction
