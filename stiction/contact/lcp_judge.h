// The judge of plain linear complementarity problems: how far is z from w = M z + q, w, z ≥ 0, wᵀ z = 0?
//
// Shares no code with the methods that solve them. NaN anywhere gives infinite residuals.
#pragma once

#include "stiction/contact/linear_complementarity_problem.h"

namespace stiction {

struct LcpResiduals {
  double eps_abs = 0.0;      // largest of −z_i, −w_i, |z_i w_i|, in the problem's own units
  double eps_rel = 0.0;      // the same for the problem scaled to max |M| = 1 and max |q| = 1
  double eps_nat = 0.0;      // eps_rel with −z_i and |z_i w_i| divided by max(1, |ẑ_i|)
  double natural_map = 0.0;  // max |min(z_i, w_i)|, the measure of the complementarity literature

  double negative_unknown = 0.0;  // max(0, −z_i)
  double negative_slack = 0.0;    // max(0, −w_i)
  double complementarity = 0.0;   // max |z_i w_i|
  int worst_row = -1;             // carries eps_nat; −1 for the empty problem
};

// Throws std::invalid_argument where the problem is not valid or z has the wrong size.
LcpResiduals judge_lcp(const LinearComplementarityProblem& problem, VectorView unknown);

}  // namespace stiction
