#include "stiction/constraints/assemble.h"

#include <algorithm>
#include <cstring>

namespace stiction {
namespace {

// Three rows of A_i A_jᵀ, each a pack over the rows of j.
struct Block {
  Pack4 row[3] = {};
};

inline void add_product(const Pack4* a, const Pack4* b, int count, Block& g) {
  for (int e = 0; e < count; ++e) {
    g.row[0] += a[e][0] * b[e];
    g.row[1] += a[e][1] * b[e];
    g.row[2] += a[e][2] * b[e];
  }
}

// The rows of a block as three neighbouring columns.
inline void write_columns(const Block& block, double* to, int stride) {
  for (int r = 0; r < 3; ++r)
    std::memcpy(to + r * static_cast<std::ptrdiff_t>(stride), &block.row[r], 3 * sizeof(double));
}

inline Block transposed(const Block& block) {
  const Pack4 low = __builtin_shufflevector(block.row[0], block.row[1], 0, 4, 1, 5);   // 00 10 01 11
  const Pack4 high = __builtin_shufflevector(block.row[0], block.row[1], 2, 6, 3, 7);  // 02 12 ·  ·
  Block t;
  t.row[0] = __builtin_shufflevector(low, block.row[2], 0, 1, 4, 7);
  t.row[1] = __builtin_shufflevector(low, block.row[2], 2, 3, 5, 7);
  t.row[2] = __builtin_shufflevector(high, block.row[2], 0, 1, 6, 7);
  return t;
}

Block product(const Model& model, const RowSet& rows, int i, int j) {
  Block g;
  int s = rows.segment_begin[i], t = rows.segment_begin[j];
  const int s_end = rows.segment_begin[i + 1], t_end = rows.segment_begin[j + 1];
  while (s < s_end && t < t_end) {
    const auto &a = rows.segments[s], &b = rows.segments[t];
    if (a.node == b.node) {
      add_product(rows.columns.data() + a.first_column, rows.columns.data() + b.first_column, model.nodes[a.node].size,
                  g);
      ++s, ++t;
    } else if (a.node < b.node) {
      ++s;
    } else {
      ++t;
    }
  }
  return g;
}

bool is_one_tree(const RowSet& rows, std::span<const int> constraints) {
  const auto tree = [&](int i) { return rows.trees[i][0] >= 0 ? rows.trees[i][0] : rows.trees[i][1]; };
  const int first = tree(constraints.front());
  return std::all_of(constraints.begin(), constraints.end(), [&](int i) {
    return (rows.trees[i][0] < 0 || rows.trees[i][0] == first) && (rows.trees[i][1] < 0 || rows.trees[i][1] == first);
  });
}

}  // namespace

const ContactProblem& ProblemAssembler::assemble(const Model& model, const RowSet& rows,
                                                 std::span<const int> constraints) {
  laws_.resize(constraints.size());
  int num_rows = 0;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    laws_[k] = rows.constraint[constraints[k]];
    num_rows += laws_[k].rows;
  }
  const bool dense = num_rows <= dense_rows && is_one_tree(rows, constraints);
  writer_.begin(dense ? DelassusForm::dense : DelassusForm::factored, laws_);
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const int first = writer_.first_row(static_cast<int>(k));
    for (int r = 0; r < laws_[k].rows; ++r) {
      writer_.free_velocity()[first + r] = rows.free_velocity[constraints[k]][r];
      writer_.compliance()[first + r] = rows.compliance[constraints[k]][r];
    }
  }
  if (dense) {
    write_dense(model, rows, constraints);
  } else {
    write_factored(model, rows, constraints);
  }
  return writer_.finish();
}

void ProblemAssembler::write_dense(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  DelassusDense& g = writer_.dense();
  g.resize(writer_.num_rows());
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const int fi = writer_.first_row(static_cast<int>(i)), ri = laws_[i].rows;
    for (std::size_t j = 0; j <= i; ++j) {
      const int fj = writer_.first_row(static_cast<int>(j)), rj = laws_[j].rows;
      const Block block = product(model, rows, constraints[i], constraints[j]);
      if (ri == 3 && rj == 3) {
        write_columns(block, g.column(fi) + fj, g.stride);
        write_columns(transposed(block), g.column(fj) + fi, g.stride);
        continue;
      }
      for (int c = 0; c < rj; ++c) {
        for (int r = 0; r < ri; ++r) {
          g.column(fj + c)[fi + r] = block.row[r][c];
          g.column(fi + r)[fj + c] = block.row[r][c];
        }
      }
    }
  }
}

void ProblemAssembler::write_factored(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  DelassusFactored& f = writer_.factored();
  node_number_.resize(model.nodes.size(), -1);
  used_nodes_.clear();
  for (const int i : constraints) {
    for (int s = rows.segment_begin[i]; s < rows.segment_begin[i + 1]; ++s) {
      int& number = node_number_[rows.segments[s].node];
      if (number < 0) {
        number = 0;
        used_nodes_.push_back(rows.segments[s].node);
      }
    }
  }
  std::sort(used_nodes_.begin(), used_nodes_.end());  // ascending in the model, so ascending within a constraint
  f.node_size.resize(used_nodes_.size());
  for (std::size_t k = 0; k < used_nodes_.size(); ++k) {
    node_number_[used_nodes_[k]] = static_cast<int>(k);
    f.node_size[k] = model.nodes[used_nodes_[k]].size;
  }
  f.segment_begin.assign(1, 0);
  f.segment_node.clear();
  f.segment.clear();
  for (const int i : constraints) {
    for (int s = rows.segment_begin[i]; s < rows.segment_begin[i + 1]; ++s) {
      const auto& from = rows.segments[s];
      const Pack4* column = rows.columns.data() + from.first_column;
      DelassusFactored::Segment to{};
      for (int e = 0; e < model.nodes[from.node].size; ++e) {
        for (int r = 0; r < 3; ++r) to.row[r][e] = column[e][r];
      }
      f.segment_node.push_back(node_number_[from.node]);
      f.segment.push_back(to);
    }
    f.segment_begin.push_back(static_cast<int>(f.segment.size()));
  }
  for (const int node : used_nodes_) node_number_[node] = -1;
}

}  // namespace stiction
