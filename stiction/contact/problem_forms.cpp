// A contact problem in another form: from mechanics, dense, sparse, symmetric, rescaled.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "stiction/contact/problem.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// Connected components of the graph of M; component[k] for each velocity, numbered by first appearance.
std::vector<std::vector<int>> inertia_components(const SparseRows& inertia) {
  const int nv = static_cast<int>(inertia.rows());
  std::vector<int> parent(nv);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
  };
  for (int row = 0; row < nv; ++row) {
    for (SparseRows::InnerIterator it(inertia, row); it; ++it) {
      const int a = root(row), b = root(static_cast<int>(it.col()));
      if (a != b) parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<int>> components;
  std::vector<int> number(nv, -1);
  for (int k = 0; k < nv; ++k) {
    const int r = root(k);
    if (number[r] < 0) {
      number[r] = static_cast<int>(components.size());
      components.emplace_back();
    }
    components[number[r]].push_back(k);
  }
  return components;
}

// Each component gets a dense Cholesky factor: beyond this, 128 MB and seconds, another form serves better.
constexpr int max_coupled_velocities = 4096;

void check_sparse_finite(const SparseRows& matrix, const char* name) {
  for (int row = 0; row < matrix.rows(); ++row) {
    for (SparseRows::InnerIterator it(matrix, row); it; ++it) {
      if (!std::isfinite(it.value())) {
        throw std::invalid_argument(std::string("contact problem: ") + name + "[" + std::to_string(row) + ", " +
                                    std::to_string(it.col()) + "] is not finite");
      }
    }
  }
}

}  // namespace

ContactProblem ContactProblem::from_inertia(std::vector<Constraint> constraints, const SparseRows& inertia,
                                            const SparseRows& jacobian, VectorView free_velocity,
                                            VectorView compliance) {
  const int nv = static_cast<int>(inertia.rows());
  if (inertia.cols() != nv || jacobian.cols() != nv) {
    throw std::invalid_argument("contact problem: M is " + std::to_string(nv) + " x " + std::to_string(inertia.cols()) +
                                " but J has " + std::to_string(jacobian.cols()) + " columns");
  }
  check_sparse_finite(inertia, "M");
  check_sparse_finite(jacobian, "J");
  if (jacobian.rows() != free_velocity.size()) {
    throw std::invalid_argument("contact problem: J has " + std::to_string(jacobian.rows()) + " rows but g has " +
                                std::to_string(free_velocity.size()) + " entries");
  }
  const auto components = inertia_components(inertia);
  constexpr int width = DelassusFactored::max_node_size;

  // Every component is cut into nodes of six columns of its own L⁻¹ Jᵀ.
  DelassusFactored factored;
  std::vector<int> first_node(components.size()), component_of(nv), local(nv);
  std::vector<MatrixX> inverse_factor(components.size());  // L⁻¹
  for (size_t k = 0; k < components.size(); ++k) {
    const auto& members = components[k];
    const int size = static_cast<int>(members.size());
    if (size > max_coupled_velocities) {
      throw std::invalid_argument("contact problem: M couples " + std::to_string(size) +
                                  " velocities; the factored form takes at most " +
                                  std::to_string(max_coupled_velocities) + ", condense the problem instead");
    }
    for (int a = 0; a < size; ++a) {
      component_of[members[a]] = static_cast<int>(k);
      local[members[a]] = a;
    }
    MatrixX block = MatrixX::Zero(size, size);
    for (int a = 0; a < size; ++a) {
      for (SparseRows::InnerIterator it(inertia, members[a]); it; ++it) block(a, local[it.col()]) = it.value();
    }
    const Eigen::LLT<MatrixX> cholesky(block);
    if (cholesky.info() != Eigen::Success) {
      throw std::invalid_argument(
          "contact problem: M is not positive definite on the velocities that move with velocity " +
          std::to_string(members[0]));
    }
    inverse_factor[k] = cholesky.matrixL().solve(MatrixX::Identity(size, size));
    first_node[k] = factored.num_nodes();
    for (int a = 0; a < size; a += width) factored.node_size.push_back(std::min(width, size - a));
  }

  factored.segment_begin.assign(1, 0);
  int row = 0;
  for (const Constraint& c : constraints) {
    std::vector<int> touched;
    for (int r = 0; r < c.rows && row + r < jacobian.rows(); ++r) {
      for (SparseRows::InnerIterator it(jacobian, row + r); it; ++it) {
        if (it.value() != 0.0) touched.push_back(component_of[it.col()]);
      }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (int k : touched) {
      const int size = static_cast<int>(components[k].size());
      MatrixX rows = MatrixX::Zero(size, c.rows);
      for (int r = 0; r < c.rows; ++r) {
        for (SparseRows::InnerIterator it(jacobian, row + r); it; ++it) {
          if (component_of[it.col()] == k) rows.col(r) += inverse_factor[k].col(local[it.col()]) * it.value();
        }
      }
      for (int a = 0, node = first_node[k]; a < size; a += width, ++node) {
        const int len = std::min(width, size - a);
        if (rows.middleRows(a, len).cwiseAbs().maxCoeff() == 0.0) continue;
        DelassusFactored::Segment segment{};
        for (int r = 0; r < c.rows; ++r) {
          for (int b = 0; b < len; ++b) segment.row[r][b] = rows(a + b, r);
        }
        factored.segment_node.push_back(node);
        factored.segment.push_back(segment);
      }
    }
    factored.segment_begin.push_back(static_cast<int>(factored.segment.size()));
    row += c.rows;
  }
  return from_factored(std::move(constraints), std::move(factored), free_velocity, compliance);
}

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
  const int m = num_rows(), n = num_constraints();
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int i, int j, const Matrix3& block) {
    for (int r = 0; r < constraints_[i].rows; ++r) {
      for (int c = 0; c < constraints_[j].rows; ++c) {
        if (block(r, c) != 0.0)
          entries.emplace_back(constraints_[i].first_row + r, constraints_[j].first_row + c, block(r, c));
      }
    }
  };
  if (form() == DelassusForm::dense) {
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) {
        if (dense()(i, j) != 0.0) entries.emplace_back(i, j, dense()(i, j));
      }
    }
  } else if (form() == DelassusForm::sparse) {
    for (int i = 0; i < n; ++i) {
      for (int k = sparse().row_begin[i]; k < sparse().row_begin[i + 1]; ++k)
        add(i, sparse().column[k], sparse().block[k]);
    }
  } else {
    const auto& f = factored();
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
          if (j < i) continue;  // the other half by symmetry, so that G is symmetric to the last bit
          if (!marked[j]) {
            marked[j] = 1;
            neighbours.push_back(j);
          }
          for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) row[j](a, b) += sum(f.segment[s].row[a] * f.segment[t].row[b]);
          }
        }
      }
      for (int j : neighbours) {
        if (j == i) {
          add(i, i, 0.5 * (row[i] + row[i].transpose()));
        } else {
          add(i, j, row[j]);
          add(j, i, row[j].transpose());
        }
        row[j].setZero();
        marked[j] = 0;
      }
    }
  }
  SparseRows matrix(m, m);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

ContactProblem ContactProblem::in_form(DelassusForm form_wanted) const {
  if (form_wanted == form()) return *this;
  if (form_wanted == DelassusForm::dense) return from_dense(constraints_, to_dense(), free_velocity_, compliance_);
  if (form_wanted == DelassusForm::sparse) return from_sparse(constraints_, to_sparse(), free_velocity_, compliance_);
  throw std::invalid_argument("contact problem: a matrix G cannot be put back into factored form; use from_inertia");
}

ContactProblem ContactProblem::symmetric_part() const {
  ContactProblem result = *this;
  if (auto* dense_form = std::get_if<DelassusDense>(&result.delassus_)) {
    for (int j = 0; j < dense_form->size; ++j) {
      for (int i = 0; i < j; ++i) {
        const double mean = 0.5 * (dense()(i, j) + dense()(j, i));
        dense_form->column(j)[i] = dense_form->column(i)[j] = mean;
      }
    }
  } else if (auto* sparse_form = std::get_if<DelassusSparse>(&result.delassus_)) {
    for (int k = 0; k < sparse_form->num_blocks(); ++k) {
      sparse_form->block[k] = 0.5 * (sparse().block[k] + sparse().block[sparse().transposed[k]].transpose());
    }
  }
  result.asymmetry_ = 0.0;
  result.finish();
  return result;
}

ContactProblem ContactProblem::scaled(VectorView row_scale, std::vector<Constraint> constraints) const {
  if (row_scale.size() != num_rows()) {
    throw std::invalid_argument("contact problem: row_scale has " + std::to_string(row_scale.size()) +
                                " entries but the problem has " + std::to_string(num_rows()) + " rows");
  }
  ContactProblem result = *this;
  result.lay_out(std::move(constraints), row_scale.cwiseProduct(free_velocity_),
                 row_scale.cwiseAbs2().cwiseProduct(compliance_));
  if (auto* dense_form = std::get_if<DelassusDense>(&result.delassus_)) {
    for (int j = 0; j < dense_form->size; ++j) {
      for (int i = 0; i < dense_form->size; ++i) dense_form->column(j)[i] *= row_scale[i] * row_scale[j];
    }
  } else if (auto* sparse_form = std::get_if<DelassusSparse>(&result.delassus_)) {
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
    auto& f = std::get<DelassusFactored>(result.delassus_);
    for (int i = 0; i < num_constraints(); ++i) {
      for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
        for (int r = 0; r < constraints_[i].rows; ++r) {
          f.segment[s].row[r] *= broadcast8(row_scale[constraints_[i].first_row + r]);
        }
      }
    }
  }
  result.finish();
  return result;
}

}  // namespace stiction
