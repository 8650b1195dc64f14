// Sparse LU of K = ρ I + Σ_i A_iᵀ B_i A_i over the velocity nodes of a factored problem (specification 6.7).
//
// Blocks of at most 6×6, padded to eight rows, minimum degree on the node graph, partial pivoting inside a block only;
// the symbolic part lives as long as the graph. K may be unsymmetric through B_i.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/constraint.h"
#include "stiction/contact/delassus.h"

namespace stiction {

class NodeLu {
 public:
  // Returns at once, without allocating, when the graph is the one seen last.
  void analyse(const DelassusFactored& factored);

  // Assemble from one 3×3 matrix per constraint (a constraint of one row uses (0, 0)) and factor.
  // False at a singular or non-finite pivot.
  bool factor(const DelassusFactored& factored, std::span<const Matrix3> weight, double identity = 1.0);

  // One pack per node. x may be b.
  void solve(const Pack8* b, Pack8* x) const;

  int determinant_sign() const { return determinant_sign_; }
  int num_nodes() const { return n_; }

 private:
  struct Block {
    Pack8 column[DelassusFactored::max_node_size];
  };
  int n_ = 0;
  int determinant_sign_ = 1;
  std::vector<int> order_, position_;
  std::vector<int> lower_begin_, lower_column_, upper_begin_, upper_column_;
  std::vector<int> graph_begin_, graph_node_;  // segments seen by analyse(), to recognise them
  std::vector<int> node_size_;
  std::vector<int> target_;  // where each pair of segments of a constraint is added
  std::vector<Block> lower_, upper_, diagonal_, pivot_inverse_, work_row_;
  mutable std::vector<Pack8> work_solve_;
};

// w = Aᵀ λ (one pack per node) and σ = A w, the two products of the factored form. λ and σ by problem rows.
void multiply_transposed(const DelassusFactored& factored, std::span<const Constraint> constraints,
                         const double* impulse, Pack8* node_velocity);
void multiply(const DelassusFactored& factored, std::span<const Constraint> constraints, const Pack8* node_velocity,
              double* velocity);

}  // namespace stiction
