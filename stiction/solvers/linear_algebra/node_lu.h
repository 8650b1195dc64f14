// Sparse LU of K = ρ I + Σ_i A_iᵀ B_i A_i over the velocity nodes of a factored problem (theory §4.7).
//
// Blocks of at most 6×6, filled up with the identity, minimum degree on the node graph, partial pivoting inside a block
// only; the symbolic part lives as long as the graph: contacts may come and go between the same nodes. K may be
// unsymmetric through B_i.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "stiction/contact/constraint.h"
#include "stiction/contact/delassus.h"
#include "stiction/solvers/interrupt.h"
#include "stiction/solvers/linear_algebra/block6.h"
#include "stiction/solvers/linear_algebra/symbolic_fill.h"

namespace stiction {

class NodeLu {
 public:
  // Returns at once, without allocating, when the segments are those seen last. False, and nothing can be factored,
  // where a factorisation would take more products of blocks than allowed: the search for its fill ends there, and no
  // memory is asked for.
  bool analyse(const DelassusFactored& factored, double most_products = std::numeric_limits<double>::infinity());
  double num_products() const { return fill_.products; }  // of blocks, of one factorisation; or more than were allowed

  // Assemble from one 3×3 matrix per constraint (a constraint of one row uses (0, 0)) and factor.
  // False at a singular or non-finite pivot, and where it is asked to stop.
  bool factor(const DelassusFactored& factored, std::span<const Matrix3> weight, double identity = 1.0,
              Interrupt* interrupt = nullptr);

  // One pack per node. x may be b.
  void solve(const Pack8* b, Pack8* x) const;

  int determinant_sign() const { return determinant_sign_; }
  int num_nodes() const { return static_cast<int>(node_size_.size()); }

 private:
  static constexpr int width = DelassusFactored::max_node_size;
  static_assert(width == Block6::size);
  struct PaddedBlock {
    Pack8 column[width];
  };
  bool same_graph(const DelassusFactored& factored);
  void find_targets(const DelassusFactored& factored);
  void assemble(const DelassusFactored& factored, std::span<const Matrix3> weight, double identity);
  void add_run(const DelassusFactored& factored, std::span<const Matrix3> weight, int run);
  bool invert_pivot(Block6& block);
  template <int p>
  bool eliminate_column(PaddedBlock& block, int* exchanged);

  SymbolicFill fill_;
  int determinant_sign_ = 1;
  bool is_ready_ = false, has_fill_ = false;                   // for factor(); fill_ was found to its end
  std::vector<int> segment_begin_, segment_node_, node_size_;  // what targets_ belongs to
  std::vector<int> edge_begin_, edge_node_;                    // the node graph that fill_ belongs to
  std::vector<int> graph_begin_, graph_node_, seen_;           // scratch of same_graph()
  std::vector<int> run_begin_;  // runs of constraints that touch the same nodes, as the points of a manifold do
  struct Target {
    int block;      // in matrix_
    bool is_first;  // nothing was added there before
  };
  std::vector<Target> target_;     // where A_sᵀ B A_t goes, for every ordered pair of segments of a run
  std::vector<int> target_begin_;  // by run
  std::vector<Block6> matrix_;     // K: diagonal blocks, then those of U, then those of L, in elimination order
  std::vector<char> is_fill_;      // by block of matrix_: no run adds to it
  std::vector<Block6> pivot_inverse_;
  std::vector<Block6*> in_row_;  // by column: the block of the row being eliminated
  mutable std::vector<Pack8> work_solve_;
};

// w = Aᵀ λ (one pack per node) and σ = A w, the two products of the factored form. λ and σ by problem rows.
void multiply_transposed(const DelassusFactored& factored, std::span<const Constraint> constraints,
                         const double* impulse, Pack8* node_velocity);
void multiply(const DelassusFactored& factored, std::span<const Constraint> constraints, const Pack8* node_velocity,
              double* velocity);

}  // namespace stiction
