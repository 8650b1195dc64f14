#include "stiction/constraints/assemble.h"

#include <algorithm>
#include <cstring>

namespace stiction {
namespace {

Pack8 load(const double* from) {
  Pack8 pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}

// A of one tree: a line of rows for each of its velocities.
struct Panel {
  double* data;
  int stride, first_velocity;
  double* line(int velocity) const { return data + static_cast<std::ptrdiff_t>(stride) * (velocity - first_velocity); }
};

// Packs [first, first + Packs) of the columns of G that belong to constraint i, which has `Rows` rows: Σ over its
// velocities of (line of the panel) times (entry of the constraint in it). All columns share every load.
template <int Packs, int Rows>
void add_columns(const RowSet& rows, int i, const Panel& panel, int first, double* to, int stride) {
  Pack8 sum[Rows][Packs] = {};
  const int end = rows.end_column(i);
  for (int c = rows.first_column(i); c < end; ++c) {
    const double* line = panel.line(rows.velocity[c]) + 8 * first;
    const double* entry = reinterpret_cast<const double*>(&rows.columns[c]);
    for (int p = 0; p < Packs; ++p) {
      const Pack8 x = load(line + 8 * p);
      for (int r = 0; r < Rows; ++r) sum[r][p] += entry[r] * x;
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int p = 0; p < Packs; ++p) {
      std::memcpy(to + static_cast<std::ptrdiff_t>(stride) * r + 8 * (first + p), &sum[r][p], sizeof(Pack8));
    }
  }
}

// All packs of these columns, four at a time.
template <int Rows>
void write_columns(const RowSet& rows, int i, const Panel& panel, double* to, int stride) {
  int first = 0;
  for (; stride / 8 - first >= 4; first += 4) add_columns<4, Rows>(rows, i, panel, first, to, stride);
  switch (stride / 8 - first) {
    case 3:
      add_columns<3, Rows>(rows, i, panel, first, to, stride);
      break;
    case 2:
      add_columns<2, Rows>(rows, i, panel, first, to, stride);
      break;
    case 1:
      add_columns<1, Rows>(rows, i, panel, first, to, stride);
      break;
    default:
      break;
  }
}

// The block of one constraint alone, columns of eight.
void write_block(const RowSet& rows, int i, int num_rows, double* to) {
  Pack4 sum[3] = {};
  const int end = rows.end_column(i);
  for (int c = rows.first_column(i); c < end; ++c) {
    const Pack4& entry = rows.columns[c];
    for (int r = 0; r < 3; ++r) sum[r] += entry[r] * entry;
  }
  for (int r = 0; r < num_rows; ++r, to += 8) {
    const Pack8 column = __builtin_shufflevector(sum[r], Pack4{}, 0, 1, 2, 3, 4, 5, 6, 7);
    std::memcpy(to, &column, sizeof column);
  }
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
  double *g = writer_.free_velocity().data(), *compliance = writer_.compliance().data();
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Pack4 &from = rows.free_velocity[constraints[k]], &from_compliance = rows.compliance[constraints[k]];
    for (int r = 0; r < laws_[k].rows; ++r) {
      *g++ = from[r];
      *compliance++ = from_compliance[r];
    }
  }
  if (dense) {
    write_dense(model, rows, constraints);
  } else {
    write_factored(model, rows, constraints);
  }
  return writer_.finish();
}

// G = A Aᵀ of one tree. A is spread into a panel, one line of rows per velocity of the tree, so that every column of G
// is a sum of few lines.
void ProblemAssembler::write_dense(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  const auto& trees = rows.trees[constraints.front()];
  const Tree& tree = model.trees[trees[0] >= 0 ? trees[0] : trees[1]];
  const int m = writer_.num_rows(), stride = padded8(m), n = static_cast<int>(constraints.size());
  DelassusDense& g = writer_.dense();
  g.size = m;
  g.stride = stride;
  g.data.resize(static_cast<Eigen::Index>(stride) * m);
  if (n == 1) return write_block(rows, constraints[0], m, g.column(0));
  // Three rows are stored as a pack of four: the fourth entry is zero, and falls on the next constraint, which is not
  // there yet, or behind the last.
  const int panel_stride = padded8(m + 1);
  panel_.assign(static_cast<std::size_t>(panel_stride) * tree.num_velocities, 0.0);
  const Panel panel{panel_.data(), panel_stride, tree.first_velocity};
  for (int i = 0; i < n; ++i) {
    const int end = rows.end_column(constraints[i]);
    const int row = writer_.first_row(i);
    for (int c = rows.first_column(constraints[i]); c < end; ++c) {
      double* const to = panel.line(rows.velocity[c]) + row;
      if (laws_[i].rows == 3) {
        std::memcpy(to, &rows.columns[c], sizeof(Pack4));
      } else {
        *to = rows.columns[c][0];
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    double* const to = g.column(writer_.first_row(i));
    if (laws_[i].rows == 3) {
      write_columns<3>(rows, constraints[i], panel, to, stride);
    } else {
      write_columns<1>(rows, constraints[i], panel, to, stride);
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
