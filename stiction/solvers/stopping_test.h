// The solvers' own stopping test: ε_nat and ε_rel of the model they solve. Kept apart from the judge on purpose: the
// judge must not inherit a mistake made here.
#pragma once

#include <optional>

#include "stiction/contact/model.h"
#include "stiction/contact/problem.h"

namespace stiction {

struct StoppingResidual {
  double natural = 0.0;   // ε_nat
  double relative = 0.0;  // ε_rel
  double primal = 0.0;    // largest ε_p of ε_nat alone: how far impulses leave their sets

  double measure(bool use_relative) const { return use_relative ? relative : natural; }
};

// λ and σ in the problem's own units, σ = (G + R) λ + g consistent with λ. Values that are not finite give infinity.
// Constraints of kind `left_out` are passed over.
StoppingResidual stopping_residual(const ContactProblem& problem, ContactModel model, VectorView impulse,
                                   VectorView velocity, std::optional<ConstraintKind> left_out = {});

// ε_nat of one constraint, λ and σ being its own rows.
double natural_residual(const ContactProblem& problem, ContactModel model, int constraint, const double* impulse,
                        const double* velocity);

}  // namespace stiction
