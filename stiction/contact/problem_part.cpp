#include "stiction/contact/problem_part.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

template <class Form>
Form& form_of(std::variant<DelassusDense, DelassusSparse, DelassusFactored>& delassus) {
  if (!std::holds_alternative<Form>(delassus)) delassus.emplace<Form>();
  return std::get<Form>(delassus);
}

}  // namespace

void ProblemPart::number(const ContactProblem& whole, std::span<const int> kept) {
  position_.assign(whole.num_constraints(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) position_[kept[i]] = static_cast<int>(i);
}

void ProblemPart::copy_rows(const ContactProblem& whole, std::span<const int> kept) {
  const std::size_t n = kept.size();
  part_.constraints_.resize(n);
  part_.diagonal_.resize(n);
  part_.scale_.resize(n);
  int row = 0;
  part_.kinds_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Constraint& c = part_.constraints_[i];
    c = whole.constraints_[kept[i]];
    c.first_row = row;
    if (c.partner >= 0) c.partner = position_[c.partner];
    row += c.rows;
    part_.kinds_ |= 1u << static_cast<int>(c.kind);
    part_.diagonal_[i] = whole.diagonal_[kept[i]];
    part_.scale_[i] = whole.scale_[kept[i]];
  }
  part_.free_velocity_.resize(row);
  part_.compliance_.resize(row);
  gather(whole, kept, whole.free_velocity_, part_.free_velocity_);
  gather(whole, kept, whole.compliance_, part_.compliance_);
  part_.rigid_ = whole.rigid_;
  part_.asymmetry_ = whole.asymmetry_;
  part_.largest_diagonal_ = whole.largest_diagonal_;
  part_.largest_free_velocity_ = whole.largest_free_velocity_;
}

void ProblemPart::gather(const ContactProblem& whole, std::span<const int> kept, const VectorX& from,
                         VectorX& part) const {
  part.resize(part_.num_rows());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Constraint &c = whole.constraints_[kept[i]], &own = part_.constraints_[i];
    for (int r = 0; r < c.rows; ++r) part[own.first_row + r] = from[c.first_row + r];
  }
}

void ProblemPart::scatter(const ContactProblem& whole, std::span<const int> kept, const VectorX& part,
                          VectorX& to) const {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Constraint &c = whole.constraints_[kept[i]], &own = part_.constraints_[i];
    for (int r = 0; r < c.rows; ++r) to[c.first_row + r] = part[own.first_row + r];
  }
}

// Segments of the kept constraints, sorted by velocity node.
void ProblemPart::list_nodes(const ContactProblem& whole, std::span<const int> kept) {
  const DelassusFactored& f = whole.factored();
  const int nodes = f.num_nodes();
  node_begin_.assign(nodes + 2, 0);
  for (const int i : kept) {
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) ++node_begin_[f.segment_node[s] + 2];
  }
  for (int k = 1; k <= nodes; ++k) node_begin_[k + 1] += node_begin_[k];
  node_member_.resize(node_begin_[nodes + 1]);
  member_constraint_.resize(node_member_.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (int s = f.segment_begin[kept[i]]; s < f.segment_begin[kept[i] + 1]; ++s) {
      const int at = node_begin_[f.segment_node[s] + 1]++;  // ends where the next node begins
      node_member_[at] = s;
      member_constraint_[at] = static_cast<int>(i);
    }
  }
}

void ProblemPart::append_dense_row(const ContactProblem& whole, std::span<const int> kept, int i,
                                   DelassusSparse& to) const {
  const Constraint& a = whole.constraints_[kept[i]];
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const Constraint& b = whole.constraints_[kept[j]];
    Matrix3 block = Matrix3::Zero();
    bool is_zero = true;  // and so is its mirror image
    for (int r = 0; r < a.rows; ++r) {
      for (int k = 0; k < b.rows; ++k) {
        block(r, k) = whole.dense()(a.first_row + r, b.first_row + k);
        is_zero = is_zero && block(r, k) == 0.0 && whole.dense()(b.first_row + k, a.first_row + r) == 0.0;
      }
    }
    if (is_zero && static_cast<int>(j) != i) continue;
    to.column.push_back(static_cast<int>(j));
    to.block.push_back(block);
  }
}

void ProblemPart::append_sparse_row(const ContactProblem& whole, int kept, DelassusSparse& to) const {
  const DelassusSparse& from = whole.sparse();
  for (int k = from.row_begin[kept]; k < from.row_begin[kept + 1]; ++k) {
    const int j = position_[from.column[k]];
    if (j < 0) continue;
    to.column.push_back(j);
    to.block.push_back(from.block[k]);
  }
}

// Constraints meet where they touch the same velocity node: G_ij = Σ over common nodes of A_i A_jᵀ.
void ProblemPart::append_factored_row(const ContactProblem& whole, int kept, int i, DelassusSparse& to) {
  const DelassusFactored& f = whole.factored();
  const std::size_t begin = to.column.size();
  const auto each_pair = [&](const auto& use) {
    for (int s = f.segment_begin[kept]; s < f.segment_begin[kept + 1]; ++s) {
      const int node = f.segment_node[s];
      for (int at = node_begin_[node]; at < node_begin_[node + 1]; ++at) {
        use(s, node_member_[at], member_constraint_[at]);
      }
    }
  };
  mark_[i] = i;
  to.column.push_back(i);
  each_pair([&](int, int, int j) {
    if (mark_[j] == i) return;
    mark_[j] = i;
    to.column.push_back(j);
  });
  std::sort(to.column.begin() + static_cast<std::ptrdiff_t>(begin), to.column.end());
  to.block.resize(to.column.size(), Matrix3::Zero());
  each_pair([&](int s, int other, int j) {
    const auto at = std::lower_bound(to.column.begin() + static_cast<std::ptrdiff_t>(begin), to.column.end(), j);
    Matrix3& block = to.block[at - to.column.begin()];
    for (int r = 0; r < part_.constraints_[i].rows; ++r) {
      for (int q = 0; q < part_.constraints_[j].rows; ++q) {
        block(r, q) += sum(f.segment[s].row[r] * f.segment[other].row[q]);
      }
    }
  });
}

const ContactProblem& ProblemPart::make_sparse(const ContactProblem& whole, std::span<const int> kept) {
  number(whole, kept);
  copy_rows(whole, kept);
  DelassusSparse& to = form_of<DelassusSparse>(part_.delassus_);
  const int n = static_cast<int>(kept.size());
  to.row_begin.assign(1, 0);
  to.column.clear();
  to.block.clear();
  to.diagonal.resize(n);
  if (whole.form() == DelassusForm::factored) {
    list_nodes(whole, kept);
    mark_.assign(n, -1);
  }
  const auto find = [&](int i, int j) {
    const auto begin = to.column.begin() + to.row_begin[i], end = to.column.begin() + to.row_begin[i + 1];
    return static_cast<int>(std::lower_bound(begin, end, j) - to.column.begin());
  };
  for (int i = 0; i < n; ++i) {
    if (whole.form() == DelassusForm::dense) append_dense_row(whole, kept, i, to);
    if (whole.form() == DelassusForm::sparse) append_sparse_row(whole, kept[i], to);
    if (whole.form() == DelassusForm::factored) append_factored_row(whole, kept[i], i, to);
    to.row_begin.push_back(static_cast<int>(to.column.size()));
    to.diagonal[i] = find(i, i);
  }
  to.transposed.resize(to.column.size());
  for (int i = 0; i < n; ++i) {
    for (int k = to.row_begin[i]; k < to.row_begin[i + 1]; ++k) to.transposed[k] = find(to.column[k], i);
  }
  return part_;
}

void ProblemPart::copy_dense(const ContactProblem& whole, std::span<const int> kept, DelassusDense& to) const {
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const Constraint &b = part_.constraints_[j], &from_b = whole.constraints_[kept[j]];
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Constraint &a = part_.constraints_[i], &from_a = whole.constraints_[kept[i]];
      for (int q = 0; q < b.rows; ++q) {
        const double* from = whole.dense().column(from_b.first_row + q) + from_a.first_row;
        double* column = to.column(b.first_row + q) + a.first_row;
        for (int r = 0; r < a.rows; ++r) column[r] = from[r];
      }
    }
  }
}

void ProblemPart::copy_sparse(const ContactProblem& whole, std::span<const int> kept, DelassusDense& to) const {
  const DelassusSparse& from = whole.sparse();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Constraint& a = part_.constraints_[i];
    for (int k = from.row_begin[kept[i]]; k < from.row_begin[kept[i] + 1]; ++k) {
      if (position_[from.column[k]] < 0) continue;
      const Constraint& b = part_.constraints_[position_[from.column[k]]];
      for (int q = 0; q < b.rows; ++q) {
        for (int r = 0; r < a.rows; ++r) to.column(b.first_row + q)[a.first_row + r] = from.block[k](r, q);
      }
    }
  }
}

// G = Σ over nodes of X Xᵀ, X the rows of A at that node. Xᵀ is laid out lane by lane over all rows of the part, so
// that a column of G is a sum of whole packs: no sums across lanes.
void ProblemPart::copy_factored(const ContactProblem& whole, DelassusDense& to) {
  const DelassusFactored& f = whole.factored();
  const int stride = to.stride;
  lanes_.resize(static_cast<std::size_t>(DelassusFactored::max_node_size) * stride);
  for (int node = 0; node < f.num_nodes(); ++node) {
    const int begin = node_begin_[node], end = node_begin_[node + 1], size = f.node_size[node];
    if (begin == end) continue;
    std::fill(lanes_.begin(), lanes_.begin() + static_cast<std::ptrdiff_t>(size) * stride, 0.0);
    for (int x = begin; x < end; ++x) {
      const Constraint& c = part_.constraints_[member_constraint_[x]];
      for (int r = 0; r < c.rows; ++r) {
        for (int lane = 0; lane < size; ++lane) {
          lanes_[lane * stride + c.first_row + r] = f.segment[node_member_[x]].row[r][lane];
        }
      }
    }
    for (int x = begin; x < end; ++x) {
      const Constraint& c = part_.constraints_[member_constraint_[x]];
      for (int r = 0; r < c.rows; ++r) {
        const Pack8& row = f.segment[node_member_[x]].row[r];
        VectorMap column(to.column(c.first_row + r), stride);
        for (int lane = 0; lane < size; ++lane) {
          column.noalias() += row[lane] * ConstVectorMap(lanes_.data() + lane * stride, stride);
        }
      }
    }
  }
}

const ContactProblem& ProblemPart::make_dense(const ContactProblem& whole, std::span<const int> kept) {
  number(whole, kept);
  copy_rows(whole, kept);
  DelassusDense& to = form_of<DelassusDense>(part_.delassus_);
  to.resize(part_.num_rows());
  switch (whole.form()) {
    case DelassusForm::dense:
      copy_dense(whole, kept, to);
      break;
    case DelassusForm::sparse:
      copy_sparse(whole, kept, to);
      break;
    case DelassusForm::factored:
      list_nodes(whole, kept);
      copy_factored(whole, to);
      break;
  }
  return part_;
}

const ContactProblem& ProblemPart::make_factored(const ContactProblem& whole, std::span<const int> kept,
                                                 const VectorX& velocity) {
  copy_rows(whole, kept);
  gather(whole, kept, velocity, part_.free_velocity_);
  const DelassusFactored& from = whole.factored();
  DelassusFactored& to = form_of<DelassusFactored>(part_.delassus_);
  constexpr int left_out = -1;
  node_position_.assign(from.num_nodes(), left_out);
  to.segment_begin.assign(1, 0);
  to.segment_node.clear();
  to.segment.clear();
  for (const int i : kept) {
    for (int s = from.segment_begin[i]; s < from.segment_begin[i + 1]; ++s) {
      to.segment.push_back(from.segment[s]);
      to.segment_node.push_back(from.segment_node[s]);
      node_position_[from.segment_node[s]] = 0;
    }
    to.segment_begin.push_back(static_cast<int>(to.segment.size()));
  }
  to.node_size.clear();
  for (int node = 0; node < from.num_nodes(); ++node) {
    if (node_position_[node] == left_out) continue;
    node_position_[node] = to.num_nodes();
    to.node_size.push_back(from.node_size[node]);
  }
  for (int& node : to.segment_node) node = node_position_[node];
  return part_;
}

}  // namespace stiction
