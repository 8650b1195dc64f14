// Semismooth Newton on the NCP, ncp-newton (theory §2.12, (2-19)).
//
// Active sets of the map of Alart and Curnier with a proximal term, globalised by sweeps and restarts:
// semismooth_newton.h has the equations.
//
// Guarantees: local quadratic convergence where the limit is not degenerate and G is regular on the closed rows (linear
// with a rate of about ε where it is not). No global guarantee: the problem is not convex. One factorisation per
// iteration; G need not be symmetric.
//
// Differences from the literature: the smaller of x_N and λ_N in r, the proximal term, and the watchdog instead of a
// monotone search, which stops at points that solve nothing.
#pragma once

#include "stiction/solvers/newton/semismooth_newton.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct SolverNcpNewtonSettings : SolverSettings {
  int first_sweeps = 4;         // exact sweeps before the first step, at least 0; doubled at every restart up to 256
  int patience = 6;             // steps without a new best residual before a restart, at least 1
  bool use_line_search = true;  // halve steps that make the residual ten times worse

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverNcpNewton : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  SolverNcpNewtonSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;

 private:
  SolverNcpNewtonSettings settings_;
  SemismoothNewton newton_;
};

}  // namespace stiction
