// lcp-dantzig: the normal problem alone, by Dantzig's and Cottle's principal pivoting (theory §2.2).
//
//     0 ≤ λ_N ⟂ σ_N ≥ 0,   λ_T = 0
//
// together with unilateral rows, dry friction (as bounds) and bilateral rows (eliminated). Its model is
// ContactModel::frictionless; friction coefficients are not looked at.
//
// Guarantees: (G + Gᵀ)/2 positive semidefinite gives a solution after finitely many pivots, or `ray` where the rows
// contradict each other. `tolerance` refers to ε_nat of the frictionless model. A guess is returned at once if it
// already meets the tolerance and is not used otherwise. Cost: dense, about n² per pivot, some n pivots.
//
// Differences from the textbook: bounds on both sides, equilibration, and the worst row is driven first.
#pragma once

#include "stiction/solvers/pivoting/frictionless_problem.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"
#include "stiction/solvers/solver.h"

namespace stiction {

class SolverDantzig : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  SolverSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  SolverSettings settings_;
  CondensedProblem condensed_;
  FrictionlessProblem normals_;
  LinearComplementarity pivoting_;
  VectorX unknown_, scaled_, impulse_, velocity_;
};

}  // namespace stiction
