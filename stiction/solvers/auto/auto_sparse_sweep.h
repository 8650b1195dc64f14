// Exact Gauss–Seidel sweeps (theory §2.3) on a sparse problem: a stage of `auto` and part of its last resort.
#pragma once

#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/auto/auto_local.h"

namespace stiction {

class AutoSparseSweep {
 public:
  // Diagonal blocks of a problem in sparse form. The problem must outlive the sweeps.
  void load(const ContactProblem& problem);

  // One visit of every constraint, in order or in reverse. λ by problem rows.
  void sweep(double* lambda, bool reverse);

  // The exact solution of constraint i alone, given its λ and σ.
  void solve_one(int i, const double* lambda, const double* sigma, double* impulse);

 private:
  void velocity_of(int i, const double* lambda, double* sigma) const;

  const ContactProblem* problem_ = nullptr;
  std::vector<AutoLocal> block_;
};

}  // namespace stiction
