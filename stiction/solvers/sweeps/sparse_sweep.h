// Exact Gauss–Seidel sweeps (theory §2.3) on a sparse problem.
#pragma once

#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/sweeps/one_contact.h"

namespace stiction {

class SparseSweep {
 public:
  // A problem in sparse form, which must outlive the sweeps.
  void load(const ContactProblem& problem);

  // One visit of every constraint, in order or in reverse. λ by problem rows.
  void sweep(double* lambda, bool reverse);

  // The exact solution of constraint i alone, given its λ and σ.
  void solve_one(int i, const double* lambda, const double* sigma, double* impulse);

 private:
  const ContactProblem* problem_ = nullptr;
  std::vector<OneContact> block_;
};

}  // namespace stiction
