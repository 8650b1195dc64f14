// Energy of a contact impulse (theory §1.5) and its split into what moves the system and what only squeezes it.
#pragma once

#include "stiction/contact/problem.h"

namespace stiction {

struct ContactEnergy {
  double change = 0.0;       // T(v⁺) − T(v_f) = ½ λᵀ(G λ) + λᵀ J v_f, J; exact for any λ when γ = 0
  double dissipated = 0.0;   // Σ μ λ_N ‖c_T‖ of the contacts, Σ bound |c| of dry friction, Σ r λ_N ‖c‖ of torsion and rolling, J
  double impact_loss = 0.0;  // ½ λᵀ G λ, J: at a rigid NCP solution change = −impact_loss − dissipated
};
// `free_velocity_offset` is γ, the part of g that is not J v_f; empty means zero.
ContactEnergy contact_energy(const ContactProblem& problem, VectorView impulse,
                             VectorView free_velocity_offset = VectorX());

// λ is determined up to ker Jᵀ = ker G. external = λ − P_{ker G} λ is the minimum-norm impulse with the same motion
// where it stays in the cones (`feasible` says so); internal = λ − external squeezes and moves nothing.
struct InternalForceSplit {
  VectorX external;
  VectorX internal;
  bool feasible = false;
};
// Dense symmetric eigendecomposition, O(m³): a diagnostic. Eigenvalues below `rank_tolerance` × the largest count as
// zero.
InternalForceSplit split_internal_forces(const ContactProblem& problem, VectorView impulse,
                                         double rank_tolerance = 1e-10);

}  // namespace stiction
