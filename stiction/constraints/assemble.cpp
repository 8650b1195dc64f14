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

// Packs [first, first + Packs) of the columns of G that belong to one constraint: Σ over its velocities e of
// (row e of the panel) times (entry of the constraint in it). Three columns share every load.
template <int Packs>
void add_columns(const RowSet& rows, const Model& model, int constraint, const double* panel, int stride, int first_dof,
                 int first, double* to, int count) {
  Pack8 sum[3][Packs] = {};
  for (int s = rows.segment_begin[constraint]; s < rows.segment_begin[constraint + 1]; ++s) {
    const VelocityNode& node = model.nodes[rows.segments[s].node];
    const Pack4* column = rows.columns.data() + rows.segments[s].first_column;
    const double* line = panel + static_cast<std::ptrdiff_t>(stride) * (node.first_velocity - first_dof) + 8 * first;
    for (int e = 0; e < node.size; ++e, line += stride) {
      for (int p = 0; p < Packs; ++p) {
        const Pack8 x = load(line + 8 * p);
        for (int r = 0; r < 3; ++r) sum[r][p] += column[e][r] * x;
      }
    }
  }
  for (int r = 0; r < count; ++r) {
    for (int p = 0; p < Packs; ++p) {
      std::memcpy(to + static_cast<std::ptrdiff_t>(stride) * r + 8 * (first + p), &sum[r][p], sizeof(Pack8));
    }
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

// G = A Aᵀ of one tree. A is spread into a panel, one line of rows per velocity of the tree, so that every column of G
// is a sum of few lines.
void ProblemAssembler::write_dense(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  const auto& trees = rows.trees[constraints.front()];
  const Tree& tree = model.trees[trees[0] >= 0 ? trees[0] : trees[1]];
  const int m = writer_.num_rows(), stride = padded8(m);
  DelassusDense& g = writer_.dense();
  g.size = m;
  g.stride = stride;
  g.data.resize(static_cast<Eigen::Index>(stride) * m);
  panel_.assign(static_cast<std::size_t>(stride) * tree.num_velocities, 0.0);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const int c = constraints[i], first_row = writer_.first_row(static_cast<int>(i));
    for (int s = rows.segment_begin[c]; s < rows.segment_begin[c + 1]; ++s) {
      const VelocityNode& node = model.nodes[rows.segments[s].node];
      const Pack4* column = rows.columns.data() + rows.segments[s].first_column;
      double* line = panel_.data() + static_cast<std::ptrdiff_t>(stride) * (node.first_velocity - tree.first_velocity);
      for (int e = 0; e < node.size; ++e, line += stride) {
        for (int r = 0; r < laws_[i].rows; ++r) line[first_row + r] = column[e][r];
      }
    }
  }
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    double* to = g.column(writer_.first_row(static_cast<int>(i)));
    const auto add = [&]<int Packs>(std::integral_constant<int, Packs>, int first) {
      add_columns<Packs>(rows, model, constraints[i], panel_.data(), stride, tree.first_velocity, first, to,
                         laws_[i].rows);
    };
    int first = 0;
    for (; stride / 8 - first >= 4; first += 4) add(std::integral_constant<int, 4>{}, first);
    switch (stride / 8 - first) {
      case 3:
        add(std::integral_constant<int, 3>{}, first);
        break;
      case 2:
        add(std::integral_constant<int, 2>{}, first);
        break;
      case 1:
        add(std::integral_constant<int, 1>{}, first);
        break;
      default:
        break;
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
