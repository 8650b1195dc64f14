// The least of all impulses that do the same (theory §1.5): what friction and normals need to carry, and no more.
//
// λ is determined up to ker G. Where contacts are hyperstatic, every solver leaves an internal force of its own there.
// split_internal_forces (energy.h) takes all of it away, and may leave the cones by that. Here
//
//     min ½ ‖λ‖²   with   G λ = G λ₀,   λ in what the law leaves to the contacts at the velocities of λ₀:
//
// the cone where they stick, the edge of it that opposes the slip where they slide, nothing where they are open. So the
// answer obeys the same law as λ₀, to the same residual. Rows with compliance keep their impulse: σ would change.
#pragma once

#include "stiction/contact/problem.h"

namespace stiction {

struct LeastImpulse {
  VectorX impulse;   // of all with the motion of λ₀ and in the sets, the one of least norm
  VectorX internal;  // λ₀ − impulse: what λ₀ squeezes beyond that
  double mismatch =
      0.0;  // max |G (impulse − λ₀)| over the largest free velocity, no unit: how exactly it is the motion
  bool converged = false;
};

// Semismooth Newton on the dual, dense, O(m³): a diagnostic. Directions of G with eigenvalues below `rank_tolerance` ×
// the largest count as none. Throws std::invalid_argument where the impulse has another size or is not finite.
LeastImpulse find_least_impulse(const ContactProblem& problem, VectorView impulse, double rank_tolerance = 1e-12);

}  // namespace stiction
