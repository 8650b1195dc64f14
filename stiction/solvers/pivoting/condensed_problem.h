// A contact problem made ready for pivoting: dense, scaled, bilateral rows eliminated.
//
// With λ̂ = λ max diag(G) / max |g| and σ̂ = σ / max |g| the problem reads σ̂ = A λ̂ + a, A = (G + R) / max diag(G),
// a = g / max |g| (both rounded to powers of two). Bilateral rows demand σ̂_b = 0, so λ̂_b = −A_bb⁻¹ (a_b + A_bu λ̂_u) is
// put into the others:
//
//     σ̂_u = (A_uu − A_ub A_bb⁻¹ A_bu) λ̂_u + (a_u − A_ub A_bb⁻¹ a_b).
//
// A_bb is eliminated row by row, the largest remaining diagonal entry first. Rows whose entry has vanished depend on
// the others; their impulse is set to zero, which changes no motion where the rows are consistent.
#pragma once

#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/pivoting/pivoting_dictionary.h"

namespace stiction {

class CondensedProblem {
 public:
  // With a regularisation ε > 0, A + ε I and a − ε λ̂_0 take the place of A and a, λ̂_0 being `centre` scaled (empty:
  // zero): one step of the proximal point method, exact where its answer is the centre itself.
  void build(const ContactProblem& problem, double regularisation = 0.0, VectorView centre = VectorX());

  // Entries for rows of the problem that are not bilateral.
  double matrix(int row, int column) const { return dictionary_.table()(row, column); }
  double offset(int row) const { return dictionary_.value()[row]; }
  double impulse_scale() const { return impulse_scale_; }  // λ̂ = impulse_scale · λ

  // λ from λ̂ of the rows that are not bilateral; bilateral entries of `scaled` are filled in here.
  void recover(VectorX& scaled, VectorX& impulse) const;

 private:
  PivotingDictionary dictionary_;
  std::vector<int> eliminated_;     // bilateral rows that were exchanged
  std::vector<int> dependent_;      // bilateral rows that were not
  std::vector<double> diagonal_0_;  // diagonal entry before any exchange
  double impulse_scale_ = 1.0;
};

}  // namespace stiction
