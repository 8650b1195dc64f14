#include "stiction/contact/problem_writer.h"

#include <algorithm>
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

Constraint* ProblemWriter::begin(DelassusForm form, int num_constraints, int num_rows) {
  assert(form != DelassusForm::sparse);
  current_ = form == DelassusForm::dense ? dense_.get() : factored_.get();
  current_->constraints_.resize(num_constraints);
  current_->free_velocity_.resize(num_rows);
  current_->compliance_.resize(num_rows);
  return current_->constraints_.data();
}

DelassusDense& ProblemWriter::dense() {
  return std::get<DelassusDense>(current_->delassus_);
}

DelassusFactored& ProblemWriter::factored() {
  return std::get<DelassusFactored>(current_->delassus_);
}

// Diagonal blocks; returns the largest entry on the diagonal.
double ProblemWriter::read_diagonal() {
  ContactProblem& p = *current_;
  double largest = 0.0;
  for (int i = 0; i < p.num_constraints(); ++i) {
    p.diagonal_[i] = p.read_diagonal_block(i);
    for (int r = 0; r < p.constraints_[i].rows; ++r) largest = std::max(largest, p.diagonal_[i](r, r));
  }
  return largest;
}

// The same for G as a matrix, where it is a copy.
double ProblemWriter::read_dense_diagonal() {
  ContactProblem& p = *current_;
  const DelassusDense& g = p.dense();
  Matrix3* block = p.diagonal_.data();
  double largest = 0.0;
  for (const Constraint& c : p.constraints_) {
    const double* corner = g.column(c.first_row) + c.first_row;
    double* to = (block++)->data();
    if (c.rows == 3) {
      for (int b = 0; b < 3; ++b, corner += g.stride, to += 3) {
        for (int a = 0; a < 3; ++a) to[a] = corner[a];
        largest = std::max(largest, corner[b]);
      }
    } else {
      std::fill_n(to, 9, 0.0);
      to[0] = corner[0];
      largest = std::max(largest, corner[0]);
    }
  }
  return largest;
}

const ContactProblem& ProblemWriter::finish() {
  ContactProblem& p = *current_;
  assert(p.free_velocity_.allFinite() && p.compliance_.allFinite());
  assert(p.compliance_.size() == 0 || p.compliance_.minCoeff() >= 0.0);
  p.rigid_ = p.compliance_.size() == 0 || p.compliance_.maxCoeff() == 0.0;
  p.diagonal_.resize(p.num_constraints());
  p.kinds_ = 0;
  for (const Constraint& c : p.constraints_) p.kinds_ |= 1u << static_cast<int>(c.kind);
  const double largest = p.form() == DelassusForm::dense ? read_dense_diagonal() : read_diagonal();
  assert(std::isfinite(largest));
  p.largest_diagonal_ = largest > 0.0 ? largest : 1.0;
  const double largest_g = std::max(velocity_floor, p.num_rows() ? p.free_velocity_.cwiseAbs().maxCoeff() : 0.0);
  p.largest_free_velocity_ = largest_g > 0.0 ? largest_g : 1.0;
  p.find_scales();
  p.asymmetry_ = 0.0;
  return p;
}

}  // namespace stiction
