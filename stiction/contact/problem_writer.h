// A contact problem written in place, step after step, without allocating when a size is met again: what a simulator
// uses where ContactProblem::from_… would copy and validate.
//
//     writer.begin(constraints);            // lays out the rows, zero R
//     fill writer.free_velocity(), writer.compliance(), and one of writer.dense(), writer.factored()
//     const ContactProblem& problem = writer.finish();
//
// The writer trusts its caller: values are finite, G is symmetric, padding is zero. Debug builds assert it.
#pragma once

#include <span>

#include "stiction/contact/problem.h"

namespace stiction {

class ProblemWriter {
 public:
  void begin(std::span<const Constraint> constraints);
  int num_rows() const { return problem_.num_rows(); }
  int first_row(int constraint) const { return problem_.constraints_[constraint].first_row; }
  VectorX& free_velocity() { return problem_.free_velocity_; }
  VectorX& compliance() { return problem_.compliance_; }
  // The matrix as last left, to be resized and filled by the caller.
  DelassusDense& dense();
  DelassusFactored& factored();
  const ContactProblem& finish();

  const ContactProblem& problem() const { return problem_; }

 private:
  ContactProblem problem_;
};

}  // namespace stiction
