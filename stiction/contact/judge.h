// The judge: how physical is an impulse? Residuals of theory §1.4 and §1.7, from (G, g, R, sets, λ) alone.
//
// The judge shares no code with any solver, not even projections: it is what tests, benchmarks and step reports quote.
// NaN anywhere gives an infinite residual.
//
// With z_i = σ_i + Γ_i(σ_i), per constraint whose set is a cone K_i:
//     ε_p = dist(λ_i/Δt, K_i),   ε_d = dist(z_i, K_i*),   ε_c = |⟨λ_i/Δt, z_i⟩|
// and ‖λ − P_C(λ − z)‖ for dry friction, whose set is no cone. ε_nat measures each constraint against its own impulses
// and velocities instead (ConstraintScale): with λ' = w λ/V, σ' = σ/V, V = max |g| and
//     a = max(|g_N|/V, ‖λ'‖, min(1, |σ' − g/V|), 1e-3),   v = min(1, max(10³ |g|/V, 10³ ‖λ'‖, 1e-4))
// a contact counts with the largest of
//     dist(λ', K)/a,   −σ'_N/v,   |λ'_N σ'_N|/(a v),   ‖σ'_T‖ ‖λ'_T + ρ σ_T/‖σ_T‖‖/(a v),   ρ = min(μ λ'_N, ‖λ'_T‖ +
//     a):
// the impulse outside its cone, the speed at which it penetrates, the speed at which it parts though it pushes, and
// friction that does not oppose slip, in length and in angle. The bound of ρ keeps rounding from counting where μ is
// huge. Torsional and rolling friction are judged as dry friction whose bound is r λ_N of their partner, by the λ_N that
// the same impulse has there. Per model: ncp as written; ccp without Γ; lcp with the
// pyramid and its own Γ; frictionless with μ = 0; raisim by Signorini, Coulomb and its bent direction of sliding.
// Viscous contacts and max_dissipation are the optimum of one coupled program: only λ ∈ C and σ_N ≥ 0 are judged.
#pragma once

#include "stiction/contact/model.h"
#include "stiction/contact/problem.h"

namespace stiction {

struct Residuals {
  double eps_abs = 0.0;  // (1-14): largest of ε_p, ε_d, ε_c over all constraints, mixed units of the papers
  // The same for the problem scaled to max diag(G) = 1, max |g| = 1; where μ > 1 penetration counts with at least 1/√2.
  double eps_rel = 0.0;
  double eps_nat = 0.0;  // as above, relative to each constraint's own; `tolerance` means this
  // ‖λ − P(λ − z)‖ / max(1, ‖g‖) of the exact law, the measure of computational mechanics; anisotropic contacts in the
  // coordinates in which their cone is round, viscous ones left out.
  double natural_map = 0.0;

  // What exactly is broken, over contacts of kind frictional (largest, unscaled units):
  double signorini_complementarity = 0.0;  // |λ_N σ_N|, J
  double signorini_penetration = 0.0;      // max(0, −σ_N), m/s
  double coulomb = 0.0;                    // max(0, ‖λ_T‖ − μ λ_N), N·s
  double dissipation = 0.0;                // ‖λ_T + μ λ_N σ_T/‖σ_T‖‖ where sliding, N·s
  double normal_separation = 0.0;          // σ_N of contacts that push (λ_N > 0): the lift-off of the CCP, m/s

  int worst_constraint = -1;  // carries eps_nat; −1 for the empty problem
};

// The worse of each, for problems that are parts of one: `whole` has the worst constraint of the part with the larger
// eps_nat, the later one where they are equal. Both count constraints alike.
void merge(const Residuals& part, Residuals& whole);

struct JudgeSettings {
  ContactModel model = ContactModel::ncp;
  double time_step = 1.0;  // s; turns impulses into forces in eps_abs

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

// Throws std::invalid_argument when the impulse has the wrong size.
Residuals judge(const ContactProblem& problem, VectorView impulse, const JudgeSettings& settings = {});

// How a contact moves in a solution, for reports: counted with a threshold on the scaled quantities.
enum class ContactRegime { open, sticking, sliding };
ContactRegime contact_regime(const ContactProblem& problem, int constraint, VectorView impulse, VectorView velocity,
                             double threshold = 1e-7);

}  // namespace stiction
