// A contact problem written in place, step after step, without allocating when a size is met again: what a simulator
// uses where ContactProblem::from_… would copy and validate.
//
//     Constraint* laws = writer.begin(form, num_constraints, num_rows);
//     fill laws, each with its first_row, writer.free_velocity(), writer.compliance(), and writer.dense() or
//     writer.factored(), as the form says const ContactProblem& problem = writer.finish();
//
// The writer trusts its caller: values are finite, G is symmetric, padding is zero. Debug builds assert it.
#pragma once

#include <memory>
#include <span>

#include "stiction/contact/problem.h"

namespace stiction {

class ProblemWriter {
 public:
  ProblemWriter();
  Constraint* begin(DelassusForm form, int num_constraints, int num_rows);  // dense or factored
  int num_rows() const { return problem().num_rows(); }
  VectorX& free_velocity() { return current_->free_velocity_; }
  VectorX& compliance() { return current_->compliance_; }
  // The matrix as last left, to be resized and filled by the caller.
  DelassusDense& dense();
  DelassusFactored& factored();
  const ContactProblem& finish();
  // Residuals are relative to max |g|, but to no less than this, m/s: a g that is all rounding asks for nothing.
  double velocity_floor = 0.0;

  const ContactProblem& problem() const { return *current_; }

 private:
  double read_diagonal();
  double read_dense_diagonal();

  // One of each form, so that an island that changes its form keeps the memory of both.
  std::unique_ptr<ContactProblem> dense_, factored_;
  ContactProblem* current_ = nullptr;
};

}  // namespace stiction
