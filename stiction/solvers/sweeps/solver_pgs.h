// Projected Gauss–Seidel (theory §2.1): lcp-pgs, ccp-pgs and ncp-pgs.
//
// One sweep visits the constraints in order with the newest σ_i = Σ_j (G + R)_ij λ_j + g_i. With W = (G + R)_ii,
// ω the over-relaxation:
//
//   lcp   λ_N ← max(0, λ_N − ω σ_N/W_NN);  λ_T ← clamp(λ_T − ω σ_T/d, ±μ λ_N) per component
//   ncp   the same normal step;            λ_T ← λ_T − ω σ_T/d put on the disc of radius μ λ_N
//   ccp   λ_i ← P_{K_μ}(λ_i − ω (3/tr W) σ_i), or with the largest eigenvalue of W instead of tr W/3
//
// In lcp and ncp the tangential σ_T is read after the normal step of the same visit.
//
// Guarantees: ccp-pgs with ω ≤ 1 and the safe step never raises ½ λᵀ(G + R)λ + gᵀλ. Fixed points of lcp-pgs and ncp-pgs
// solve their model, but no convergence is guaranteed; with heavy bodies on light ones thousands of sweeps do not
// suffice, which is reported as SolveStatus::iteration_limit. G need not be symmetric.
//
// Differences from the papers: they take d = min(W_t1t1, W_t2t2), which can overshoot; the default here is the largest
// eigenvalue of the tangential block (`use_smallest_diagonal` selects theirs). Their step 3/tr W of ccp can exceed
// 2/λ_max(W), and then the sweeps diverge; the default is 1/λ_max(W) (`use_trace_step` selects theirs). They stop on
// the relative change of λ; all solvers here stop on the residual of the model.
#pragma once

#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

struct SolverPgsSettings : SolverSettings {
  double over_relaxation = 1.0;        // ω, no unit, in (0, 2)
  bool use_smallest_diagonal = false;  // lcp, ncp: d = min(W_t1t1, W_t2t2) as in the papers
  bool use_trace_step = false;         // ccp: step 3/tr W as in the papers

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverPgs : public ContactSolver {
 public:
  explicit SolverPgs(ContactModel model);  // ContactModel::lcp, ccp or ncp; others throw std::invalid_argument

  const SolverTraits& traits() const override { return traits_; }
  SolverPgsSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;

 private:
  void prepare(const ContactProblem& problem);

  SolverTraits traits_;
  SolverPgsSettings settings_;
  SweepEngine engine_;
  BestIterate best_;
  std::vector<double> normal_step_, tangent_step_;  // 1/W_NN and 1/d; ccp: one step in tangent_step_
};

}  // namespace stiction
