// The plain linear complementarity problem (theory §2.2): find z with
//
//     w = M z + q,   w ≥ 0,   z ≥ 0,   wᵀ z = 0.
//
// M is any square matrix; what a method asks of it (copositive, positive semidefinite, …) is the method's business.
#pragma once

#include "stiction/math/types.h"

namespace stiction {

struct LinearComplementarityProblem {
  MatrixX matrix;  // M
  VectorX offset;  // q

  int size() const { return static_cast<int>(offset.size()); }
  // Throws std::invalid_argument with the argument, index and value where sizes differ or an entry is not finite.
  void validate() const;
};

}  // namespace stiction
