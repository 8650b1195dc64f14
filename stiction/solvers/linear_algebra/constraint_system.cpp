#include "stiction/solvers/linear_algebra/constraint_system.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

// Row-major Gauss elimination with partial pivoting of n rows; column n holds the right side and then the solution.
bool eliminate(double* a, int n, int stride) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * stride + k]) > std::abs(a[pivot * stride + k])) pivot = i;
    }
    if (!(std::abs(a[pivot * stride + k]) > 0.0)) return false;
    double* __restrict top = a + k * stride;
    if (pivot != k) std::swap_ranges(top + k, top + n + 1, a + pivot * stride + k);
    const double inverse = 1.0 / top[k];
    for (int i = k + 1; i < n; ++i) {
      double* __restrict row = a + i * stride;
      const double factor = row[k] * inverse;
      if (factor == 0.0) continue;
      for (int j = k + 1; j <= n; ++j) row[j] -= factor * top[j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    double sum = a[k * stride + n];
    for (int j = k + 1; j < n; ++j) sum -= a[k * stride + j] * a[j * stride + n];
    a[k * stride + n] = sum / a[k * stride + k];
  }
  return true;
}

// The inverse of a diagonal block; a constraint of one row uses (0, 0) alone.
Matrix3 invert(const Matrix3& block, int rows) {
  if (rows == 3) return block.partialPivLu().inverse();
  Matrix3 inverse = Matrix3::Zero();
  inverse(0, 0) = 1.0 / block(0, 0);
  return inverse;
}

}  // namespace

void ConstraintSystem::start(const ContactProblem& problem, Interrupt* interrupt) {
  problem_ = &problem;
  interrupt_ = interrupt;
  const int n = problem.num_constraints(), m = problem.num_rows();
  left.resize(n);
  diagonal.resize(n);
  skip.resize(n);
  right.resize(m);
  if (problem.form() == DelassusForm::dense) {
    matrix_.resize(static_cast<size_t>(m) * padded8(m + 1));
    active_.resize(m);
  } else if (problem.form() == DelassusForm::sparse) {
    block_lu_.analyse(problem.sparse());
    work_.resize(3 * n);
  } else {
    node_lu_.analyse(problem.factored());
    weight_.resize(n);
    nodes_.resize(problem.factored().num_nodes());
  }
}

bool ConstraintSystem::solve(VectorOut out) {
  const bool solved = problem_->form() == DelassusForm::dense    ? solve_dense(out)
                      : problem_->form() == DelassusForm::sparse ? solve_sparse(out)
                                                                 : solve_factored(out);
  return solved && out.allFinite();
}

bool ConstraintSystem::solve_dense(VectorOut out) {
  const DelassusDense& g = problem_->dense();
  int n = 0;
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < c.rows && !skip[i]; ++r) active_[n++] = c.first_row + r;
  }
  const int stride = padded8(n + 1);
  int row = 0;
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    if (skip[i]) continue;
    const Constraint& c = problem_->constraint(i);
    const int first = row;
    for (int r = 0; r < c.rows; ++r, ++row) {
      double* a = matrix_.data() + static_cast<size_t>(row) * stride;
      for (int j = 0; j < n; ++j) {
        const double* column = g.column(active_[j]) + c.first_row;
        double sum = 0.0;
        for (int k = 0; k < c.rows; ++k) sum += left[i](r, k) * column[k];
        a[j] = sum;
      }
      for (int k = 0; k < c.rows; ++k) a[first + k] += diagonal[i](r, k);
      a[n] = right[c.first_row + r];
    }
  }
  out.setZero();
  if (!eliminate(matrix_.data(), n, stride)) return false;
  for (int j = 0; j < n; ++j) out[active_[j]] = matrix_[static_cast<size_t>(j) * stride + n];
  return true;
}

bool ConstraintSystem::solve_sparse(VectorOut out) {
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < 3; ++r) work_[3 * i + r] = r < c.rows ? right[c.first_row + r] : 0.0;
    for (int r = c.rows; r < 3; ++r) diagonal[i](r, r) = 1.0;
  }
  if (!block_lu_.factor(problem_->sparse(), diagonal, left, skip, interrupt_)) return false;
  block_lu_.solve(work_.data(), work_.data());
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < c.rows; ++r) out[c.first_row + r] = work_[3 * i + r];
  }
  return true;
}

bool ConstraintSystem::solve_factored(VectorOut out) {
  const DelassusFactored& f = problem_->factored();
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    Vector3 x = Vector3::Zero();
    if (skip[i]) {
      weight_[i].setZero();
    } else {
      const Matrix3 inverse = invert(diagonal[i], c.rows);
      weight_[i].noalias() = inverse * left[i];
      for (int r = 0; r < c.rows; ++r) {
        for (int k = 0; k < c.rows; ++k) x[r] += inverse(r, k) * right[c.first_row + k];
      }
    }
    for (int r = 0; r < c.rows; ++r) out[c.first_row + r] = x[r];
  }
  if (!node_lu_.factor(f, weight_, 1.0, interrupt_)) return false;
  multiply_transposed(f, problem_->constraints(), out.data(), nodes_.data());
  node_lu_.solve(nodes_.data(), nodes_.data());
  multiply(f, problem_->constraints(), nodes_.data(), right.data());  // A w
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < c.rows; ++r) {
      for (int k = 0; k < c.rows; ++k) out[c.first_row + r] -= weight_[i](r, k) * right[c.first_row + k];
    }
  }
  return true;
}

}  // namespace stiction
