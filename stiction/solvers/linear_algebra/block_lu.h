// Sparse LU of a matrix of 3×3 blocks with a symmetric pattern: G + block diagonal, in contact space
// (theory §4.4).
//
// Row-wise, blocks padded to 3×4, approximate-minimum-degree order, no pivoting between blocks, partial pivoting inside
// each 3×3 inverse (cofactor inverses leave residuals of 3e-7 instead of 5e-10). The symbolic part is kept while the
// pattern holds.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/delassus.h"
#include "stiction/solvers/interrupt.h"
#include "stiction/solvers/linear_algebra/symbolic_fill.h"

namespace stiction {

class BlockLu {
 public:
  // Ordering and fill of the pattern. Returns at once, without allocating, when the pattern is the one seen last.
  void analyse(const DelassusSparse& pattern);

  // LU of left_i · G_ij + δ_ij diagonal_i for all blocks of `delassus`. An empty `left` means the identity.
  // Constraints with skip[i] != 0 are left out (their row and column vanish); an empty `skip` keeps all.
  // The caller puts ones on the diagonal of unused rows of one-row constraints. False at a singular or non-finite
  // pivot, and where it is asked to stop.
  bool factor(const DelassusSparse& delassus, std::span<const Matrix3> diagonal, std::span<const Matrix3> left = {},
              std::span<const char> skip = {}, Interrupt* interrupt = nullptr);

  // Vectors hold three entries per constraint, also for constraints of one row (entries 1 and 2 then pass through the
  // identity). x may be b. Skipped constraints get zero.
  void solve(const double* b, double* x) const;

  int determinant_sign() const { return determinant_sign_; }
  int fill_blocks() const { return static_cast<int>(lower_.size() + upper_.size()); }  // blocks of L and U

 private:
  struct Block {
    Pack4 column[3];
  };
  void scatter_row(int row, const DelassusSparse& delassus, std::span<const Matrix3> diagonal,
                   std::span<const Matrix3> left);
  int eliminate_row(int row);
  bool invert_pivot(int row);

  SymbolicFill fill_;
  int determinant_sign_ = 1;
  std::vector<int> pattern_begin_, pattern_column_;  // the pattern that fill_ belongs to
  std::vector<Block> lower_, upper_, pivot_inverse_, work_row_;
  std::vector<int> kept_column_, kept_count_;  // U without skipped constraints: columns, and how many in each row
  std::vector<char> skipped_;                  // in elimination order
  mutable std::vector<Pack4> work_solve_;
};

}  // namespace stiction
