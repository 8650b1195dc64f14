// ncp-staggered and lcp-staggered: normal and tangential impulses by turns (theory §2.7).
//
// One round solves two convex quadratic programs, each with the other half of the impulse held fixed:
//
//     λ_N ← argmin over λ ≥ 0                of ½ λᵀ (G + R)_NN λ + (g_N + G_NT λ_T)ᵀ λ
//     λ_T ← argmin over ‖λ_T,i‖ ≤ μ_i λ_N,i  of ½ λᵀ (G + R)_TT λ + (g_T + G_TN λ_N)ᵀ λ                 (2-14)
//
// A fixed point solves the exact law: the first line is Signorini's condition, the second Coulomb's law with maximum
// dissipation. lcp-staggered bounds each tangent by itself, |λ_1|, |λ_2| ≤ μ λ_N: the pyramid's law.
//
// Other kinds: unilateral rows belong to the normal problem, dry friction (a box) to the tangential one, and bilateral
// rows to both: each half then keeps loops closed while it moves, and at a fixed point both agree. Any placement has
// the same fixed points, since a row's law sees the others only through σ.
//
// Guarantees: each half is solved by ADMM (admm_core.h) to a tolerance below the current residual and warm-started from
// the last round, so it converges. The alternation need not: it can cycle, where friction and normal impulses feed
// back strongly (high friction, wedged bodies). Then the best round comes back as stalled or iteration_limit.
//
// Differences from the papers (Kaufman et al. 2008; Le Lidec et al. 2023): the printed g_T in the normal problem is
// g_N; inner problems by ADMM with Anderson's acceleration; the rounds themselves, as a fixed-point iteration on λ_T,
// are accelerated in the same safeguarded way (outer_anderson = 0 gives the plain scheme).
#pragma once

#include "stiction/solvers/admm/admm_core.h"
#include "stiction/solvers/best_iterate.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct SolverStaggeredSettings : SolverSettings, AdmmSettings {
  int inner_iterations = 500;  // of ADMM per half and round, at most
  int outer_anderson = 5;      // memory of Anderson's acceleration of the rounds, 0 (off) … 30

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverStaggered final : public ContactSolver {
 public:
  static constexpr int default_max_iterations = 300;  // rounds

  // model: ncp or lcp, anything else throws std::invalid_argument.
  explicit SolverStaggered(ContactModel model = ContactModel::ncp);

  const SolverTraits& traits() const override;
  SolverStaggeredSettings& settings() override { return settings_; }
  int inner_iterations() const { return inner_iterations_; }  // of the last solve, over both halves

 private:
  struct Half {
    AdmmCore core;
    std::vector<AdmmSet> sets;
    VectorX dual;  // of the last round
    bool has_dual = false;
    double exponent = 0.0;
    bool empty = true;
  };

  // A round is what `iterations` and `max_iterations` count.
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;
  void choose_sets(const ContactProblem& problem);
  void begin(const ContactProblem& problem);
  bool solve_round(const ContactProblem& problem, double tolerance);
  bool solve_half(const ContactProblem& problem, Half& half, double tolerance);
  void bound_friction(const ContactProblem& problem);
  void extrapolate();
  double measure(const ContactProblem& problem);
  int factorisations() const;

  ContactModel model_;
  SolverStaggeredSettings settings_;
  Half normal_, tangential_;
  int inner_iterations_ = 0;
  VectorX impulse_, velocity_, held_, linear_, answer_;
  BestIterate best_;
  Anderson anderson_;
  VectorX state_, image_;  // tangential impulse before and after a round, zero on other rows
};

}  // namespace stiction
