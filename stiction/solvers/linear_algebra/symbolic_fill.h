// Elimination order and fill of a sparse LU with a symmetric pattern: what the numerical factorisations share.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace stiction {

// Rows of U (columns > row) and rows of L (columns < row) in elimination order, ascending, the diagonal left out.
struct SymbolicFill {
  std::vector<int> order;     // order[new] = old
  std::vector<int> position;  // position[old] = new
  std::vector<int> upper_begin, upper_column;
  std::vector<int> lower_begin, lower_column;

  double products = 0.0;  // of blocks, Σ (blocks of a row of U)²: what a factorisation takes

  // Approximate minimum degree on a structurally symmetric graph in compressed rows (self-edges allowed), then fill.
  // False as soon as there are more products than allowed: `products` is then what was counted until there, and nothing
  // else holds. With thousands of nodes the fill takes far longer than the order.
  bool compute(std::span<const int> row_begin, std::span<const int> column,
               double most_products = std::numeric_limits<double>::infinity());
};

}  // namespace stiction
