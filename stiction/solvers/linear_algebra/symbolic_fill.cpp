#include "stiction/solvers/linear_algebra/symbolic_fill.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

std::vector<int> minimum_degree_order(std::span<const int> row_begin, std::span<const int> column) {
  const int n = static_cast<int>(row_begin.size()) - 1;
  if (column.size() == static_cast<std::size_t>(n) * n) {  // everything with everything: no order is better
    std::vector<int> as_it_is(n);
    std::iota(as_it_is.begin(), as_it_is.end(), 0);
    return as_it_is;
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(n, n);
  graph.resizeNonZeros(static_cast<Eigen::Index>(column.size()));
  std::copy(row_begin.begin(), row_begin.end(), graph.outerIndexPtr());
  std::copy(column.begin(), column.end(), graph.innerIndexPtr());
  std::fill_n(graph.valuePtr(), column.size(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::internal::minimum_degree_ordering(graph, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

}  // namespace

bool SymbolicFill::compute(std::span<const int> row_begin, std::span<const int> column, double most_products) {
  const int n = static_cast<int>(row_begin.size()) - 1;
  order = minimum_degree_order(row_begin, column);
  position.resize(n);
  for (int k = 0; k < n; ++k) position[order[k]] = k;

  // Row k of U = its own neighbours later in the order, united with the rows of its children in the elimination tree.
  std::vector<int> mark(n, -1), first_child(n, -1), next_sibling(n, -1), count(n + 1, 0);
  upper_begin.assign(1, 0);
  upper_column.clear();
  products = 0.0;
  for (int k = 0; k < n; ++k) {
    mark[k] = k;
    const auto add = [&](int later) {
      if (later > k && mark[later] != k) {
        mark[later] = k;
        upper_column.push_back(later);
        ++count[later + 1];
      }
    };
    const int old = order[k];
    for (int e = row_begin[old]; e < row_begin[old + 1]; ++e) add(position[column[e]]);
    for (int child = first_child[k]; child >= 0; child = next_sibling[child]) {
      for (int e = upper_begin[child]; e < upper_begin[child + 1]; ++e) add(upper_column[e]);
    }
    const double blocks = static_cast<double>(upper_column.size()) - upper_begin[k];
    products += blocks * blocks;
    if (products > most_products) return false;
    std::sort(upper_column.begin() + upper_begin[k], upper_column.end());
    upper_begin.push_back(static_cast<int>(upper_column.size()));
    if (upper_begin[k] < upper_begin[k + 1]) {
      const int parent = upper_column[upper_begin[k]];
      next_sibling[k] = first_child[parent];
      first_child[parent] = k;
    }
  }

  lower_begin.assign(n + 1, 0);
  for (int k = 0; k < n; ++k) lower_begin[k + 1] = lower_begin[k] + count[k + 1];
  lower_column.resize(upper_column.size());
  std::vector<int> next(lower_begin.begin(), lower_begin.end() - 1);
  for (int k = 0; k < n; ++k) {
    for (int e = upper_begin[k]; e < upper_begin[k + 1]; ++e) lower_column[next[upper_column[e]]++] = k;
  }
  return true;
}

}  // namespace stiction
