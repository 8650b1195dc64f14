// Sparse LU of a matrix of 3×3 blocks with a symmetric pattern: G + block diagonal, in contact space
// (specification 6.4).
//
// Row-wise, blocks padded to 3×4, approximate-minimum-degree order, no pivoting between blocks, partial pivoting inside
// each 3×3 inverse. The symbolic part is kept while the pattern holds. Constraints of one row carry an identity in
// their unused rows (the caller's diagonal sees to it, see factor()).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/contact/delassus.h"

namespace stiction {

class BlockLu {
 public:
  // Ordering and fill of the pattern. Returns at once, without allocating, when the pattern is the one seen last.
  void analyse(const DelassusSparse& pattern);

  // LU of left_i · G_ij + δ_ij diagonal_i for all blocks of `delassus`. An empty `left` means the identity.
  // Constraints with skip[i] != 0 are left out (their row and column vanish); an empty `skip` keeps all.
  // The caller puts ones on the diagonal of unused rows of one-row constraints. False at a singular or non-finite
  // pivot.
  bool factor(const DelassusSparse& delassus, std::span<const Matrix3> diagonal, std::span<const Matrix3> left = {},
              std::span<const char> skip = {});

  // Vectors hold three entries per constraint, also for constraints of one row (entries 1 and 2 then pass through the
  // identity). x may be b. Skipped constraints get zero.
  void solve(const double* b, double* x) const;

  int determinant_sign() const { return determinant_sign_; }
  double fill_blocks() const;  // blocks of L and U, for reports

 private:
  int n_ = 0;
  int determinant_sign_ = 1;
  std::vector<int> order_, position_;  // order_[new] = old, position_[old] = new
  std::vector<int> lower_begin_, lower_column_, upper_begin_, upper_column_;
  std::vector<int> pattern_begin_, pattern_column_;  // pattern seen by analyse(), to recognise it
  std::vector<int> kept_upper_, kept_upper_count_;   // columns of U without the skipped ones
  std::vector<int> permuted_begin_, permuted_column_, permuted_block_;
  std::vector<double> lower_, upper_, work_row_, pivot_inverse_;
  std::vector<char> skipped_;
  mutable std::vector<double> work_solve_;
};

}  // namespace stiction
