// Elimination order and fill of a sparse LU with a symmetric pattern: what the numerical factorisations share.
#pragma once

#include <span>
#include <vector>

namespace stiction {

// Rows of U (columns > row) and rows of L (columns < row) in elimination order, ascending, the diagonal left out.
struct SymbolicFill {
  std::vector<int> order;     // order[new] = old
  std::vector<int> position;  // position[old] = new
  std::vector<int> upper_begin, upper_column;
  std::vector<int> lower_begin, lower_column;

  // Approximate minimum degree on a structurally symmetric graph in compressed rows (self-edges allowed), then fill.
  void compute(std::span<const int> row_begin, std::span<const int> column);
};

}  // namespace stiction
