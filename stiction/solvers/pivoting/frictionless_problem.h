// The frictionless part of a contact problem: normals, unilateral rows, dry friction as bounds; bilateral rows
// eliminated, tangents zero. In the scaled units of condensed_problem.h:
//
//     σ̂ = A λ̂ + a,   l ≤ λ̂ ≤ u,   σ̂ ≥ 0 at l, σ̂ ≤ 0 at u, σ̂ = 0 between,
//
// which is also the optimality of min ½ λ̂ᵀ A λ̂ + aᵀ λ̂ over the bounds where A is symmetric.
#pragma once

#include <vector>

#include "stiction/contact/linear_complementarity_problem.h"
#include "stiction/solvers/pivoting/condensed_problem.h"

namespace stiction {

class FrictionlessProblem {
 public:
  // `start` (λ̂ by rows of the problem; empty: zero) is added to the unknowns: they become a change of impulse.
  void build(const ContactProblem& problem, const CondensedProblem& condensed, VectorView start = VectorX());

  const LinearComplementarityProblem& lcp() const { return lcp_; }  // A (its symmetric part) and a
  const VectorX& lower() const { return lower_; }
  const VectorX& upper() const { return upper_; }
  // λ̂ by rows of the problem, tangents and bilateral rows zero.
  void scatter(const VectorX& unknown, VectorX& scaled) const;

 private:
  int num_rows_ = 0;
  std::vector<int> rows_;  // rows of the problem that are unknowns here
  LinearComplementarityProblem lcp_;
  VectorX lower_, upper_;
};

}  // namespace stiction
