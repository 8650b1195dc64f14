// Exact per-contact Gauss–Seidel, ncp-gs (theory §2.3): every visit solves its contact's NCP exactly.
//
// With W = (G + R)_ii and q = σ_i − W λ_i, what the others and g give, λ_i becomes the solution of the one-contact
// problem (one_contact.h): take-off, stick, or slide with σ_T anti-parallel to λ_T. Over-relaxation moves
// λ_i ← λ_i + ω (solution − λ_i) and puts the result back on the cone horizontally (λ_N kept, λ_T shrunk to μ λ_N).
//
// Guarantees: a fixed point solves the NCP; each contact, seen alone, is exact after its visit. No convergence
// guarantee on coupled problems; stiff piles take thousands of sweeps, mass ratios of 10⁶ more than anyone has. G need
// not be symmetric.
//
// Differences from the paper: named there as future work; the root finding is our own.
#pragma once

#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/one_contact.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

struct SolverGaussSeidelSettings : SolverSettings {
  double over_relaxation = 1.0;  // ω, no unit, in (0, 2); 1.6 helps lightly coupled bodies and harms stiff piles

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

// The local solution as a law for SweepEngine, by the safe path of one_contact.h: to the last digits in one visit. Also
// used to start Newton methods.
class ExactContactLaw {
 public:
  void prepare(const ContactProblem& problem);  // factors every frictional block, forgets the roots
  void set_relaxation(double omega) { omega_ = omega; }

  double relaxation() const { return omega_; }
  void end_sweep() {}
  void contact(int i, const Matrix3& w, const double* sigma, double* lambda);

 private:
  const ContactProblem* problem_ = nullptr;
  double omega_ = 1.0;
  std::vector<OneContactBlock> block_;
  std::vector<double> alpha_;  // root of the last visit
};

class SolverGaussSeidel : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  SolverGaussSeidelSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;

 private:
  SolverGaussSeidelSettings settings_;
  SweepEngine engine_;
  BestIterate best_;
  ExactContactLaw law_;
};

}  // namespace stiction
