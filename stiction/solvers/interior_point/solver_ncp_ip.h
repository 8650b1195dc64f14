// `ncp-ip`: the interior point on the NCP alone, from a cold start (theory §2.9 and §4.2).
//
//     x ∘ y = κ e,   (G + R) λ + g = σ(y),   κ → 0;     x = P λ, P = diag(1, 1, μ), ∘ the Jordan product
//
// Contact space for dense and sparse problems, velocity space for factored ones. Accurate where G is ill-conditioned,
// 5–15 block factorisations; the problem is not convex, so it may stall: `auto` then follows the path by arclength.
//
// Differences from the paper's table (Dojo): the norm in the de Saxcé shift is not smoothed by a parameter that has to
// vanish; σ is a smooth function of the dual point y that is exact on the boundary and inside of its cone (4-3).
// Mehrotra's predictor and corrector decide on κ. Unilateral rows, dry friction and bilateral rows are included.
#pragma once

#include "stiction/solvers/interior_point/cold_interior_point.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct InteriorPointSettings : SolverSettings {
  double delta = 0.8;  // δ of (4-3), in [0, 1): which of the smooth forms of the shift is used; all are exact

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverInteriorPoint : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  InteriorPointSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& options) override;

 private:
  InteriorPointSettings settings_;
  ColdInteriorPoint interior_point_;
};

}  // namespace stiction
