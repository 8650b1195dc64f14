// A contact problem in another form: dense, sparse, symmetric, rescaled.
#include <cmath>

#include "stiction/contact/problem.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// Collects the blocks of G between constraints as entries of a sparse matrix.
class BlockEntries {
 public:
  explicit BlockEntries(std::span<const Constraint> constraints) : constraints_(constraints) {}

  void add(int i, int j, const Matrix3& block) {
    for (int r = 0; r < constraints_[i].rows; ++r) {
      for (int c = 0; c < constraints_[j].rows; ++c) {
        if (block(r, c) != 0.0)
          entries_.emplace_back(constraints_[i].first_row + r, constraints_[j].first_row + c, block(r, c));
      }
    }
  }
  SparseRows matrix(int m) const {
    SparseRows matrix(m, m);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    return matrix;
  }

 private:
  std::span<const Constraint> constraints_;
  std::vector<Eigen::Triplet<double>> entries_;
};

// A Aᵀ: only constraints that share a node meet. One half is computed, so that G is symmetric to the last bit.
void multiply_out(const DelassusFactored& f, int n, BlockEntries& out) {
  std::vector<std::vector<std::pair<int, int>>> at_node(f.num_nodes());  // (constraint, segment)
  for (int i = 0; i < n; ++i) {
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) at_node[f.segment_node[s]].emplace_back(i, s);
  }
  std::vector<Matrix3> row(n, Matrix3::Zero());
  std::vector<char> marked(n, 0);
  std::vector<int> neighbours;
  for (int i = 0; i < n; ++i) {
    neighbours.clear();
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (const auto& [j, t] : at_node[f.segment_node[s]]) {
        if (j < i) continue;
        if (!marked[j]) neighbours.push_back(j);
        marked[j] = 1;
        for (int a = 0; a < 3; ++a) {
          for (int b = 0; b < 3; ++b) row[j](a, b) += sum(f.segment[s].row[a] * f.segment[t].row[b]);
        }
      }
    }
    for (int j : neighbours) {
      if (j == i) {
        out.add(i, i, 0.5 * (row[i] + row[i].transpose()));
      } else {
        out.add(i, j, row[j]);
        out.add(j, i, row[j].transpose());
      }
      row[j].setZero();
      marked[j] = 0;
    }
  }
}

}  // namespace

MatrixX ContactProblem::to_dense() const {
  const int m = num_rows();
  if (form() == DelassusForm::dense) return dense().matrix();
  if (form() == DelassusForm::sparse) return MatrixX(to_sparse());
  const auto& f = factored();
  MatrixX a = MatrixX::Zero(m, 8 * f.num_nodes());
  for (int i = 0; i < num_constraints(); ++i) {
    const Constraint& c = constraints_[i];
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (int r = 0; r < c.rows; ++r) {
        for (int k = 0; k < 8; ++k) a(c.first_row + r, 8 * f.segment_node[s] + k) = f.segment[s].row[r][k];
      }
    }
  }
  MatrixX g = a * a.transpose();
  return 0.5 * (g + g.transpose());  // a product need not be symmetric to the last bit
}

Eigen::SparseMatrix<double, Eigen::RowMajor> ContactProblem::to_sparse() const {
  if (form() == DelassusForm::dense) return dense().matrix().sparseView(0.0, 0.0);
  BlockEntries entries(constraints_);
  if (form() == DelassusForm::sparse) {
    const auto& g = sparse();
    for (int i = 0; i < num_constraints(); ++i) {
      for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) entries.add(i, g.column[k], g.block[k]);
    }
  } else {
    multiply_out(factored(), num_constraints(), entries);
  }
  return entries.matrix(num_rows());
}

ContactProblem ContactProblem::in_form(DelassusForm form_wanted) const {
  if (form_wanted == form()) return *this;
  if (form_wanted == DelassusForm::dense) return from_dense(constraints_, to_dense(), free_velocity_, compliance_);
  if (form_wanted == DelassusForm::sparse) return from_sparse(constraints_, to_sparse(), free_velocity_, compliance_);
  refuse("contact problem: a matrix G cannot be put back into factored form; use from_inertia");
}

ContactProblem ContactProblem::symmetric_part() const {
  ContactProblem result;
  symmetric_part_into(result);
  return result;
}

void ContactProblem::symmetric_part_into(ContactProblem& out) const {
  if (&out != this) out = *this;
  if (auto* dense_form = std::get_if<DelassusDense>(&out.delassus_)) {
    for (int j = 0; j < dense_form->size; ++j) {
      for (int i = 0; i < j; ++i) {
        double &upper = dense_form->column(j)[i], &lower = dense_form->column(i)[j];
        upper = lower = 0.5 * (upper + lower);
      }
    }
  } else if (auto* sparse_form = std::get_if<DelassusSparse>(&out.delassus_)) {
    for (int k = 0; k < sparse_form->num_blocks(); ++k) {
      const int t = sparse_form->transposed[k];
      if (t < k) continue;
      const Matrix3 mean = 0.5 * (sparse_form->block[k] + sparse_form->block[t].transpose());
      sparse_form->block[k] = mean;
      sparse_form->block[t] = mean.transpose();
    }
  }
  out.finish();
}

ContactProblem ContactProblem::scaled(VectorView row_scale, const std::vector<Constraint>& constraints) const {
  ContactProblem result;
  scaled_into(row_scale, constraints, result);
  return result;
}

void ContactProblem::scaled_into(VectorView row_scale, const std::vector<Constraint>& constraints,
                                 ContactProblem& out) const {
  if (row_scale.size() != num_rows()) {
    refuse("contact problem: row_scale has ", row_scale.size(), " entries but the problem has ", num_rows(), " rows");
  }
  for (Eigen::Index k = 0; k < row_scale.size(); ++k) {
    if (!std::isfinite(row_scale[k])) refuse("contact problem: row_scale[", k, "] is ", row_scale[k]);
  }
  if (constraints.size() != constraints_.size()) {
    refuse("contact problem: ", constraints.size(), " constraints cannot replace ", constraints_.size());
  }
  for (int i = 0; i < num_constraints(); ++i) {
    if (constraints[i].rows != constraints_[i].rows) {
      refuse("contact problem: constraint ", i, " has ", constraints_[i].rows, " rows; its replacement has ",
             constraints[i].rows);
    }
  }
  out = *this;
  out.constraints_ = constraints;
  out.free_velocity_.array() *= row_scale.array();
  out.compliance_.array() *= row_scale.array().square();
  out.check_layout();
  if (auto* dense_form = std::get_if<DelassusDense>(&out.delassus_)) {
    for (int j = 0; j < dense_form->size; ++j) {
      for (int i = 0; i < dense_form->size; ++i) dense_form->column(j)[i] *= row_scale[i] * row_scale[j];
    }
  } else if (auto* sparse_form = std::get_if<DelassusSparse>(&out.delassus_)) {
    for (int i = 0; i < sparse_form->num_block_rows(); ++i) {
      for (int k = sparse_form->row_begin[i]; k < sparse_form->row_begin[i + 1]; ++k) {
        const Constraint &ci = constraints_[i], &cj = constraints_[sparse_form->column[k]];
        for (int r = 0; r < ci.rows; ++r) {
          for (int c = 0; c < cj.rows; ++c) {
            sparse_form->block[k](r, c) *= row_scale[ci.first_row + r] * row_scale[cj.first_row + c];
          }
        }
      }
    }
  } else {
    auto& f = std::get<DelassusFactored>(out.delassus_);
    for (int i = 0; i < num_constraints(); ++i) {
      for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
        for (int r = 0; r < constraints_[i].rows; ++r) {
          f.segment[s].row[r] *= broadcast8(row_scale[constraints_[i].first_row + r]);
        }
      }
    }
  }
  out.finish();
}

}  // namespace stiction
