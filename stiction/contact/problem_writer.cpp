#include "stiction/contact/problem_writer.h"

#include <cassert>
#include <cmath>

namespace stiction {

ProblemWriter::ProblemWriter()
    : dense_(std::make_unique<ContactProblem>()),
      factored_(std::make_unique<ContactProblem>()),
      current_(dense_.get()) {
  dense_->delassus_.emplace<DelassusDense>();
  factored_->delassus_.emplace<DelassusFactored>();
}

void ProblemWriter::begin(DelassusForm form, std::span<const Constraint> constraints) {
  assert(form != DelassusForm::sparse);
  current_ = form == DelassusForm::dense ? dense_.get() : factored_.get();
  current_->constraints_.assign(constraints.begin(), constraints.end());
  current_->kinds_ = 0;
  int rows = 0;
  for (Constraint& c : current_->constraints_) {
    c.first_row = rows;
    rows += c.rows;
    current_->kinds_ |= 1u << static_cast<int>(c.kind);
  }
  current_->free_velocity_.resize(rows);
  current_->compliance_.setZero(rows);
}

DelassusDense& ProblemWriter::dense() {
  return std::get<DelassusDense>(current_->delassus_);
}

DelassusFactored& ProblemWriter::factored() {
  return std::get<DelassusFactored>(current_->delassus_);
}

const ContactProblem& ProblemWriter::finish() {
  ContactProblem& p = *current_;
  assert(p.free_velocity_.allFinite() && p.compliance_.allFinite());
  assert(p.compliance_.size() == 0 || p.compliance_.minCoeff() >= 0.0);
  p.rigid_ = p.compliance_.size() == 0 || p.compliance_.maxCoeff() == 0.0;
  p.diagonal_.resize(p.num_constraints());
  double largest = 0.0;
  for (int i = 0; i < p.num_constraints(); ++i) {
    p.diagonal_[i] = p.read_diagonal_block(i);
    for (int r = 0; r < p.constraints_[i].rows; ++r) largest = std::max(largest, p.diagonal_[i](r, r));
  }
  assert(std::isfinite(largest));
  p.largest_diagonal_ = largest > 0.0 ? largest : 1.0;
  const double largest_g = std::max(velocity_floor, p.num_rows() ? p.free_velocity_.cwiseAbs().maxCoeff() : 0.0);
  p.largest_free_velocity_ = largest_g > 0.0 ? largest_g : 1.0;
  p.asymmetry_ = 0.0;
  return p;
}

}  // namespace stiction
