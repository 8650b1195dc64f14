// The linear system of the Newton methods, in whichever form the problem has: find x with, for every constraint i,
//
//     left_i (G x)_i + diagonal_i x_i = right_i,        x_i = 0 where skip_i.
//
//   dense     elimination with partial pivoting of the rows that are not skipped
//   sparse    BlockLu
//   factored  velocity space: with w = Aᵀx and B_i = diagonal_i⁻¹ left_i,
//             (I + Σ A_iᵀ B_i A_i) w = Aᵀ diagonal⁻¹ right by NodeLu, then x_i = diagonal_i⁻¹ (right_i − left_i A_i w);
//             every diagonal_i must be invertible, which proximal or compliance terms see to
#pragma once

#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/linear_algebra/block_lu.h"
#include "stiction/solvers/linear_algebra/node_lu.h"

namespace stiction {

class ConstraintSystem {
 public:
  // Sizes and the symbolic factorisation. No allocation for a structure seen before.
  void start(const ContactProblem& problem, Interrupt* interrupt = nullptr);

  // To be filled for every constraint before solve(); a constraint of one row uses row and column 0.
  std::vector<Matrix3> left, diagonal;
  std::vector<char> skip;
  VectorX right;  // by problem rows

  // x into `out` (by problem rows). False where the factorisation failed or was stopped, or the result is not finite.
  bool solve(VectorOut out);

 private:
  bool solve_dense(VectorOut out);
  bool solve_sparse(VectorOut out);
  bool solve_factored(VectorOut out);

  const ContactProblem* problem_ = nullptr;
  Interrupt* interrupt_ = nullptr;
  BlockLu block_lu_;
  NodeLu node_lu_;
  std::vector<double> matrix_, work_;  // dense: active rows, row-major and padded; sparse: three entries per constraint
  std::vector<int> active_;            // dense: rows of the problem that are not skipped
  std::vector<Matrix3> weight_;
  std::vector<Pack8> nodes_;
};

}  // namespace stiction
