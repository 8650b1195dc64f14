#include "stiction/constraints/problem_builder.h"

#include <algorithm>
#include <limits>

#include "stiction/math/native_pack.h"

namespace stiction {
namespace {

// A: a line of rows for each velocity that a constraint has.
struct Panel {
  double* data;
  int* line_end;  // as ProblemBuilder::line_end_
  int stride, first_velocity;
  double* line(int velocity) const { return data + static_cast<std::ptrdiff_t>(stride) * (velocity - first_velocity); }
  int end_of_line(int velocity) const { return line_end[velocity - first_velocity]; }
  // The line with rows up to `end` in it; zero at first.
  double* begin_rows(int velocity, int end) const {
    double* const begin = line(velocity);
    int& now = line_end[velocity - first_velocity];
    if (now == 0) {
      for (int k = 0; k < stride; k += native_lanes) store_native(begin + k, NativePack{});
    }
    now = end;
    return begin;
  }
};

// Writes A_i into the panel. Three rows are stored as a pack of four: the fourth entry is zero, and falls on the next
// constraint, which is not there yet, or behind the last.
void spread(const RowSet& rows, int i, const Constraint& law, const Panel& panel) {
  const Pack4* column = rows.columns.data() + rows.first_column(i);
  const Pack4* const end = rows.columns.data() + rows.end_column(i);
  const int* velocity = rows.velocity.data() + rows.first_column(i);
  const int end_row = law.first_row + law.rows;
  if (law.rows == 3) {
    for (; column != end; ++column, ++velocity) {
      store4(panel.begin_rows(*velocity, end_row) + law.first_row, *column);
    }
  } else {
    for (; column != end; ++column, ++velocity) {
      panel.begin_rows(*velocity, end_row)[law.first_row] = (*column)[0];
    }
  }
}

// Packs [first, first + Packs) of the columns of G that belong to constraint i, which has `Rows` rows: Σ over its
// velocities of (line of the panel) times (entry of the constraint in it). All columns share every load.
template <int Packs, int Rows>
void add_columns(const RowSet& rows, int i, const Panel& panel, int first, double* to, int stride) {
  NativePack sum[Rows][Packs] = {};
  const int begin = rows.first_column(i);
  const int* velocity = rows.velocity.data() + begin;
  // Towards the end of a chain lines end sooner: what lies before these packs adds nothing.
  int end = rows.end_column(i);
  while (end > begin && panel.end_of_line(velocity[end - 1 - begin]) <= native_lanes * first) --end;
  const double* entry = reinterpret_cast<const double*>(rows.columns.data() + begin);
  for (int c = begin; c < end; ++c, ++velocity, entry += 4) {
    const double* line = panel.line(*velocity) + native_lanes * first;
    STICTION_UNROLL
    for (int p = 0; p < Packs; ++p) {
      const NativePack x = load_native(line + native_lanes * p);
      STICTION_UNROLL
      for (int r = 0; r < Rows; ++r) sum[r][p] += entry[r] * x;
    }
  }
  to += native_lanes * first;
  STICTION_UNROLL
  for (int r = 0; r < Rows; ++r, to += stride) {
    STICTION_UNROLL
    for (int p = 0; p < Packs; ++p) store_native(to + native_lanes * p, sum[r][p]);
  }
}

// The packs of these columns from the diagonal down; the sums of as many as fit stay in registers.
template <int Rows>
void write_columns(const RowSet& rows, int i, const Constraint& law, const Panel& panel, double* to, int stride) {
  for_packs<native_registers == 32 ? 4 : 3>(
      law.first_row / native_lanes, stride / native_lanes,
      [&](auto packs, int first) { add_columns<packs, Rows>(rows, i, panel, first, to, stride); });
}

// Copies what lies below the diagonal of a symmetric matrix above it, by tiles of four. Tiles on the diagonal are
// there: columns begin with the whole pack that holds their diagonal.
void mirror(DelassusDense& g) {
  for (int r = 4; r < g.size; r += 4) {
    const int count = std::min(4, g.size - r);
    for (int c = 0; c < r; c += 4) {
      const double* from = g.column(c) + r;
      const Pack4 a = load4(from), b = load4(from + g.stride), d = load4(from + 2 * g.stride),
                  e = load4(from + 3 * g.stride);
      const Pack4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                  ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
      const Pack4 de_even = __builtin_shufflevector(d, e, 0, 4, 2, 6),
                  de_odd = __builtin_shufflevector(d, e, 1, 5, 3, 7);
      double* to = g.column(r) + c;
      store4(to, __builtin_shufflevector(ab_even, de_even, 0, 1, 4, 5));
      if (count > 1) store4(to + g.stride, __builtin_shufflevector(ab_odd, de_odd, 0, 1, 4, 5));
      if (count > 2) store4(to + 2 * g.stride, __builtin_shufflevector(ab_even, de_even, 2, 3, 6, 7));
      if (count > 3) store4(to + 3 * g.stride, __builtin_shufflevector(ab_odd, de_odd, 2, 3, 6, 7));
    }
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
    store4(to, sum[r]);
    store4(to + 4, Pack4{});
  }
}

bool is_single_free_body(const Model& model, int tree) {
  const Tree& t = model.trees[tree];
  return t.num_bodies == 1 && model.bodies[t.first_body].joint == JointType::free;
}

// Mechanisms of few rows whose loops and contacts join several trees: G costs less than one product with its factors.
// Not free bodies alone, which are piles, nor masses so different that velocity space is where they are solved.
bool is_mechanism(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  constexpr double largest_ratio = 1e3;  // of what nodes give way by
  const auto has_joints = [&](int i) {
    return std::any_of(rows[i].trees.begin(), rows[i].trees.end(),
                       [&](int t) { return t >= 0 && !is_single_free_body(model, t); });
  };
  if (std::none_of(constraints.begin(), constraints.end(), has_joints)) return false;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (const int i : constraints) {
    const auto segments = rows.segments_of(i);
    if (segments.size() > 2) return true;  // on long chains these sizes say nothing
    for (const RowSet::Segment& segment : segments) {
      const Pack4* column = rows.columns.data() + segment.first_column;
      Pack4 squares{};
      for (int e = 0; e < model.nodes[segment.node].size; ++e) squares += column[e] * column[e];
      const double size = squares[0] + squares[1] + squares[2];
      if (size > 0.0) smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
  }
  return largest <= largest_ratio * smallest;
}

}  // namespace

bool ProblemBuilder::is_one_tree(const RowSet& rows, std::span<const int> constraints) {
  const auto tree = [&](int i) { return rows[i].trees[0] >= 0 ? rows[i].trees[0] : rows[i].trees[1]; };
  const int first = tree(constraints.front());
  return std::all_of(constraints.begin(), constraints.end(), [&](int i) {
    return (rows[i].trees[0] < 0 || rows[i].trees[0] == first) && (rows[i].trees[1] < 0 || rows[i].trees[1] == first);
  });
}

bool ProblemBuilder::find_tree(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  const auto& trees = rows[constraints.front()].trees;
  const Tree& tree = model.trees[trees[0] >= 0 ? trees[0] : trees[1]];
  range_ = {tree.first_velocity, tree.first_velocity + tree.num_velocities};
  return true;
}

// The velocities that the constraints have, where few lie between the first and the last of them.
bool ProblemBuilder::find_range(const RowSet& rows, std::span<const int> constraints) {
  range_ = {std::numeric_limits<int>::max(), 0};
  for (const int i : constraints) {
    const int begin = rows.first_column(i), end = rows.end_column(i);
    if (begin == end) continue;
    range_.first = std::min(range_.first, rows.velocity[begin]);  // ascending within a constraint
    range_.end = std::max(range_.end, rows.velocity[end - 1] + 1);
  }
  return range_.end - range_.first <= panel_velocities;
}

const ContactProblem& ProblemBuilder::build(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  int num_rows = 0;
  for (const int i : constraints) num_rows += rows[i].law.rows;
  const bool dense =
      num_rows <= dense_rows && is_one_tree(rows, constraints)
          ? find_tree(model, rows, constraints)
          : num_rows <= mechanism_rows && is_mechanism(model, rows, constraints) && find_range(rows, constraints);
  write_rows(dense ? DelassusForm::dense : DelassusForm::factored, num_rows, rows, constraints);
  if (dense) {
    write_dense(rows, constraints);
  } else {
    write_factored(model, rows, constraints);
  }
  return writer_.finish();
}

const ContactProblem& ProblemBuilder::build_factored(const Model& model, const RowSet& rows,
                                                     std::span<const int> constraints) {
  int num_rows = 0;
  for (const int i : constraints) num_rows += rows[i].law.rows;
  write_rows(DelassusForm::factored, num_rows, rows, constraints);
  write_factored(model, rows, constraints);
  return writer_.finish();
}

// Laws, g and R.
void ProblemBuilder::write_rows(DelassusForm form, int num_rows, const RowSet& rows, std::span<const int> constraints) {
  Constraint* law = writer_.begin(form, static_cast<int>(constraints.size()), num_rows);
  double *g = writer_.free_velocity().data(), *compliance = writer_.compliance().data();
  int row = 0;
  for (const int i : constraints) {
    const StepConstraint& from = rows[i];
    *law = from.law;
    law->first_row = row;
    if (is_coupled(law->kind)) {  // constraints of an island ascend
      const auto at = std::lower_bound(constraints.begin(), constraints.end(), from.law.partner);
      law->partner =
          at != constraints.end() && *at == from.law.partner ? static_cast<int>(at - constraints.begin()) : -1;
    }
    for (int r = 0; r < from.law.rows; ++r, ++row) {
      g[row] = from.free_velocity[r];
      compliance[row] = from.compliance[r];
    }
    ++law;
  }
}

// G = A Aᵀ. A is spread into a panel, one line of rows per velocity of the tree, so that every column of G is a sum of
// few lines.
void ProblemBuilder::write_dense(const RowSet& rows, std::span<const int> constraints) {
  const int m = writer_.num_rows(), stride = padded8(m), n = static_cast<int>(constraints.size());
  DelassusDense& g = writer_.dense();
  g.size = m;
  g.stride = stride;
  g.data.resize(static_cast<Eigen::Index>(stride) * m);
  if (n == 1) return write_block(rows, constraints[0], m, g.column(0));
  const int panel_stride = padded8(m + 1);  // the last pack of four reaches one row farther
  const int num_lines = std::max(0, range_.end - range_.first);
  panel_.resize(static_cast<std::size_t>(panel_stride) * num_lines);
  line_end_.assign(num_lines, 0);
  const Panel panel{panel_.data(), line_end_.data(), panel_stride, range_.first};
  const std::span<const Constraint> laws = writer_.problem().constraints();
  for (int i = 0; i < n; ++i) spread(rows, constraints[i], laws[i], panel);
  for (int i = 0; i < n; ++i) {
    double* const to = g.column(laws[i].first_row);
    if (laws[i].rows == 3) {
      write_columns<3>(rows, constraints[i], laws[i], panel, to, stride);
    } else {
      write_columns<1>(rows, constraints[i], laws[i], panel, to, stride);
    }
  }
  mirror(g);
}

void ProblemBuilder::write_factored(const Model& model, const RowSet& rows, std::span<const int> constraints) {
  DelassusFactored& f = writer_.factored();
  node_number_.resize(model.nodes.size(), -1);
  used_nodes_.clear();
  for (const int i : constraints) {
    for (const RowSet::Segment& segment : rows.segments_of(i)) {
      int& number = node_number_[segment.node];
      if (number < 0) {
        number = 0;
        used_nodes_.push_back(segment.node);
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
    for (const RowSet::Segment& from : rows.segments_of(i)) {
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
