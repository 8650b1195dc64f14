#include "stiction/solvers/linear_algebra/node_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

constexpr int ahead = 3;                        // runs
constexpr double products_between_looks = 2e5;  // some ten milliseconds

}  // namespace

// The graph of nodes that some constraint couples, as sorted compressed rows in graph_*; true if it is the one of
// fill_.
bool NodeLu::same_graph(const DelassusFactored& factored) {
  const int n = factored.num_nodes();
  const int constraints = static_cast<int>(factored.segment_begin.size()) - 1;
  // Constraints at each node, then for each node the other nodes of these constraints.
  static thread_local std::vector<int> at_begin, at_constraint;
  at_begin.assign(n + 2, 0);
  for (int node : factored.segment_node) ++at_begin[node + 2];
  for (int k = 0; k < n; ++k) at_begin[k + 2] += at_begin[k + 1];
  at_constraint.resize(factored.segment_node.size());
  for (int i = 0; i < constraints; ++i) {
    for (int s = factored.segment_begin[i]; s < factored.segment_begin[i + 1]; ++s) {
      at_constraint[at_begin[factored.segment_node[s] + 1]++] = i;
    }
  }
  seen_.assign(n, -1);
  graph_begin_.assign(1, 0);
  graph_node_.clear();
  for (int k = 0; k < n; ++k) {
    seen_[k] = k;
    graph_node_.push_back(k);
    for (int e = at_begin[k]; e < at_begin[k + 1]; ++e) {
      const int i = at_constraint[e];
      for (int s = factored.segment_begin[i]; s < factored.segment_begin[i + 1]; ++s) {
        const int other = factored.segment_node[s];
        if (seen_[other] == k) continue;
        seen_[other] = k;
        graph_node_.push_back(other);
      }
    }
    std::sort(graph_node_.begin() + graph_begin_[k], graph_node_.end());
    graph_begin_.push_back(static_cast<int>(graph_node_.size()));
  }
  return graph_begin_ == edge_begin_ && graph_node_ == edge_node_;
}

void NodeLu::find_targets(const DelassusFactored& factored) {
  const int n = factored.num_nodes();
  const int uppers = static_cast<int>(fill_.upper_column.size());
  const auto place = [&](int row, int column) {
    if (row == column) return row;
    const auto& begin = row < column ? fill_.upper_begin : fill_.lower_begin;
    const auto& columns = row < column ? fill_.upper_column : fill_.lower_column;
    const auto found = std::lower_bound(columns.begin() + begin[row], columns.begin() + begin[row + 1], column);
    return n + (row < column ? 0 : uppers) + static_cast<int>(found - columns.begin());
  };
  is_fill_.assign(matrix_.size(), true);
  target_.clear();
  run_begin_.clear();
  target_begin_.clear();
  const int constraints = static_cast<int>(factored.segment_begin.size()) - 1;
  const auto nodes_of = [&](int i) {
    const int begin = factored.segment_begin[i];
    return std::span(factored.segment_node).subspan(begin, factored.segment_begin[i + 1] - begin);
  };
  for (int i = 0; i < constraints; ++i) {
    const std::span<const int> nodes = nodes_of(i);
    if (i > 0 && std::ranges::equal(nodes, nodes_of(i - 1))) continue;
    run_begin_.push_back(i);
    target_begin_.push_back(static_cast<int>(target_.size()));
    for (const int s : nodes) {
      for (const int t : nodes) {
        const int block = place(fill_.position[s], fill_.position[t]);
        target_.push_back({block, block >= n && is_fill_[block]});  // the diagonal begins with the identity
        is_fill_[block] = false;
      }
    }
  }
  run_begin_.push_back(constraints);
  target_begin_.push_back(static_cast<int>(target_.size()));
}

bool NodeLu::analyse(const DelassusFactored& factored, double most_products) {
  const bool is_known = factored.segment_begin == segment_begin_ && factored.segment_node == segment_node_ &&
                        factored.node_size == node_size_;
  if (is_known && fill_.products > most_products) return is_ready_ = false;
  if (is_known && is_ready_) return true;
  segment_begin_ = factored.segment_begin;
  segment_node_ = factored.segment_node;
  node_size_ = factored.node_size;
  const bool is_same = same_graph(factored);
  if (!is_same) {
    std::swap(edge_begin_, graph_begin_);
    std::swap(edge_node_, graph_node_);
  }
  if (!is_same || (!has_fill_ && fill_.products <= most_products)) {
    has_fill_ = fill_.compute(edge_begin_, edge_node_, most_products);
  }
  is_ready_ = has_fill_ && fill_.products <= most_products;
  if (!is_ready_) return false;
  const std::size_t n = node_size_.size();
  matrix_.resize(n + 2 * fill_.upper_column.size());
  pivot_inverse_.resize(n);
  in_row_.resize(n);
  work_solve_.resize(n);
  find_targets(factored);
  return true;
}

void NodeLu::assemble(const DelassusFactored& factored, std::span<const Matrix3> weight, double identity) {
  const int n = num_nodes();
  for (int k = 0; k < n; ++k) {
    Block6& diagonal = matrix_[k];
    diagonal.set_zero();
    // Columns beyond a node's size are the identity, so that every pivot is a full 6×6 block.
    const int size = node_size_[fill_.order[k]];
    for (int c = 0; c < width; ++c) diagonal(c, c) = c < size ? identity : 1.0;
  }
  const int runs = static_cast<int>(target_begin_.size()) - 1;
  for (int run = 0; run < runs; ++run) {
    // Blocks lie in elimination order, runs do not: with thousands of bodies each block would be waited for.
    if (run + ahead < runs) {
      for (int k = target_begin_[run + ahead]; k < target_begin_[run + ahead + 1]; ++k) {
        for (const auto& pair : matrix_[target_[k].block].pack) __builtin_prefetch(&pair, 1);
      }
    }
    add_run(factored, weight, run);
  }
}

// The blocks of a run are summed in registers, one at a time.
void NodeLu::add_run(const DelassusFactored& factored, std::span<const Matrix3> weight, int run) {
  const int first = run_begin_[run], last = run_begin_[run + 1];
  const int nodes = factored.segment_begin[first + 1] - factored.segment_begin[first];
  const DelassusFactored::Segment* segments = factored.segment.data() + factored.segment_begin[first];
  const Target* target = target_.data() + target_begin_[run];
  for (int s = 0; s < nodes; ++s) {
    for (int t = 0; t < nodes; ++t) {
      Block6 sum;
      sum.set_zero();
      for (int i = first; i < last; ++i) {
        const auto& left = segments[(i - first) * nodes + s];
        const auto& right = segments[(i - first) * nodes + t];
        const double* b = weight[i].data();
        for (int c = 0; c < 3; ++c) {
          const Column6 product(left.row[0] * broadcast8(b[3 * c]) + left.row[1] * broadcast8(b[3 * c + 1]) +
                                left.row[2] * broadcast8(b[3 * c + 2]));  // of A_sᵀ B
          const double* row = reinterpret_cast<const double*>(&right.row[c]);
          add_outer(product, [row](int p) { return load2_twice(row + 2 * p); }, sum);
        }
      }
      Block6& block = matrix_[target->block];
      if ((target++)->is_first) {
        block = sum;
      } else {
        block += sum;
      }
    }
  }
}

// Column p of Gauss–Jordan. Rows are exchanged only for a pivot that gains much: a lane that is written alone and then
// read as part of its pack makes the processor wait.
template <int p>
bool NodeLu::eliminate_column(PaddedBlock& a, int* exchanged) {
  constexpr double much = 4.0;
  int best = p;
  for (int r = p + 1; r < width; ++r) {
    const double gain = best == p ? much : 1.0;
    if (std::abs(a.column[p][r]) > gain * std::abs(a.column[p][best])) best = r;
  }
  exchanged[p] = best;
  if (best != p) {
    for (int c = 0; c < width; ++c) {
      const double swapped = a.column[c][p];
      a.column[c][p] = a.column[c][best];
      a.column[c][best] = swapped;
    }
    determinant_sign_ = -determinant_sign_;
  }
  const double pivot = a.column[p][p];
  if (pivot == 0.0 || !std::isfinite(pivot)) return false;
  if (pivot < 0.0) determinant_sign_ = -determinant_sign_;
  const double inverse = 1.0 / pivot;
  const Pack8 eliminated = a.column[p];
  a.column[p] = with_lane(Pack8{}, p, broadcast8(1.0));
  for (int c = 0; c < width; ++c) {
    const Pack8 factor = broadcast8(a.column[c][p] * inverse);
    a.column[c] = with_lane(a.column[c] - eliminated * factor, p, factor);
  }
  return true;
}

// In place; the exchanges are undone on the columns at the end.
bool NodeLu::invert_pivot(Block6& block) {
  int exchanged[width];
  PaddedBlock a;
  for (int p = 0; p < Block6::pairs; ++p) {
    a.column[2 * p] = block.column<0>(p);
    a.column[2 * p + 1] = block.column<1>(p);
  }
  if (!(eliminate_column<0>(a, exchanged) && eliminate_column<1>(a, exchanged) && eliminate_column<2>(a, exchanged) &&
        eliminate_column<3>(a, exchanged) && eliminate_column<4>(a, exchanged) && eliminate_column<5>(a, exchanged))) {
    return false;
  }
  for (int p = width - 1; p >= 0; --p) {
    if (exchanged[p] != p) std::swap(a.column[p], a.column[exchanged[p]]);
  }
  for (int p = 0; p < Block6::pairs; ++p) block.set_pair(p, a.column[2 * p], a.column[2 * p + 1]);
  Pack8 check{};
  for (int c = 0; c < width; ++c) check += a.column[c];
  return std::isfinite(sum(check));
}

bool NodeLu::factor(const DelassusFactored& factored, std::span<const Matrix3> weight, double identity,
                    Interrupt* interrupt) {
  analyse(factored);
  assemble(factored, weight, identity);
  determinant_sign_ = 1;
  const int n = num_nodes();
  Block6* upper = matrix_.data() + n;
  Block6* lower = upper + fill_.upper_column.size();
  const auto open = [this](Block6& block, int column) {
    if (is_fill_[&block - matrix_.data()]) block.set_zero();
    in_row_[column] = &block;
  };
  InterruptedWork work(interrupt, products_between_looks);
  for (int row = 0; row < n; ++row) {
    int products = 0;
    for (int e = fill_.lower_begin[row]; e < fill_.lower_begin[row + 1]; ++e) open(lower[e], fill_.lower_column[e]);
    in_row_[row] = &matrix_[row];
    for (int e = fill_.upper_begin[row]; e < fill_.upper_begin[row + 1]; ++e) open(upper[e], fill_.upper_column[e]);
    for (int e = fill_.lower_begin[row]; e < fill_.lower_begin[row + 1]; ++e) {
      const int k = fill_.lower_column[e];
      lower[e] = Left6(lower[e]) * pivot_inverse_[k];
      const Left6 l(lower[e]);
      products += fill_.upper_begin[k + 1] - fill_.upper_begin[k];
      for (int u = fill_.upper_begin[k]; u < fill_.upper_begin[k + 1]; ++u) {
        subtract_product(l, upper[u], *in_row_[fill_.upper_column[u]]);
      }
    }
    pivot_inverse_[row] = matrix_[row];
    if (!invert_pivot(pivot_inverse_[row]) || work.stops_after(products)) return false;
  }
  return true;
}

void NodeLu::solve(const Pack8* b, Pack8* x) const {
  const int n = num_nodes();
  const Block6* upper = matrix_.data() + n;
  const Block6* lower = upper + fill_.upper_column.size();
  Pack8* y = work_solve_.data();
  for (int i = 0; i < n; ++i) {
    Sum6 sum;
    for (int e = fill_.lower_begin[i]; e < fill_.lower_begin[i + 1]; ++e) {
      sum.add_product(lower[e], y[fill_.lower_column[e]]);
    }
    y[i] = b[fill_.order[i]] - sum.value();
  }
  for (int i = n - 1; i >= 0; --i) {
    Sum6 sum, result;
    for (int e = fill_.upper_begin[i]; e < fill_.upper_begin[i + 1]; ++e) {
      sum.add_product(upper[e], y[fill_.upper_column[e]]);
    }
    result.add_product(pivot_inverse_[i], y[i] - sum.value());
    x[fill_.order[i]] = y[i] = result.value();
  }
}

void multiply_transposed(const DelassusFactored& factored, std::span<const Constraint> constraints,
                         const double* impulse, Pack8* node_velocity) {
  std::fill_n(node_velocity, factored.num_nodes(), Pack8{});
  for (size_t i = 0; i < constraints.size(); ++i) {
    const double* l = impulse + constraints[i].first_row;
    const int begin = factored.segment_begin[i], end = factored.segment_begin[i + 1];
    if (constraints[i].rows == 3) {
      const Pack8 l0 = broadcast8(l[0]), l1 = broadcast8(l[1]), l2 = broadcast8(l[2]);
      for (int s = begin; s < end; ++s) {
        const auto& a = factored.segment[s];
        node_velocity[factored.segment_node[s]] += a.row[0] * l0 + a.row[1] * l1 + a.row[2] * l2;
      }
    } else {
      for (int s = begin; s < end; ++s) {
        node_velocity[factored.segment_node[s]] += factored.segment[s].row[0] * broadcast8(l[0]);
      }
    }
  }
}

void multiply(const DelassusFactored& factored, std::span<const Constraint> constraints, const Pack8* node_velocity,
              double* velocity) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    double* s = velocity + constraints[i].first_row;
    Pack8 sum0{}, sum1{}, sum2{};
    for (int k = factored.segment_begin[i]; k < factored.segment_begin[i + 1]; ++k) {
      const auto& a = factored.segment[k];
      const Pack8 w = node_velocity[factored.segment_node[k]];
      sum0 += a.row[0] * w;
      sum1 += a.row[1] * w;
      sum2 += a.row[2] * w;
    }
    s[0] = sum(sum0);
    if (constraints[i].rows == 3) {
      s[1] = sum(sum1);
      s[2] = sum(sum2);
    }
  }
}

}  // namespace stiction
