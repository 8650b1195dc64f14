#include "stiction/solvers/linear_algebra/damped_factorisation.h"

#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

void check_analyse(const ContactProblem& problem, FactorisationSpace wanted, VectorView row_scale,
                   std::span<const char> active) {
  const int m = problem.num_rows();
  if (row_scale.size() != 0 && row_scale.size() != m) {
    refuse("damped factorisation: row_scale has ", row_scale.size(), " entries but the problem has ", m, " rows");
  }
  for (int r = 0; r < row_scale.size(); ++r) {
    if (!(row_scale[r] > 0.0) || !std::isfinite(row_scale[r])) {
      refuse("damped factorisation: row_scale[", r, "] is ", row_scale[r], "; it must be positive");
    }
  }
  if (!active.empty() && static_cast<int>(active.size()) != m) {
    refuse("damped factorisation: active has ", active.size(), " entries but the problem has ", m, " rows");
  }
  if (wanted == FactorisationSpace::velocity && problem.form() != DelassusForm::factored) {
    refuse("damped factorisation: velocity space wants a factored problem");
  }
}

FactorisationSpace automatic_space(const ContactProblem& problem) {
  if (problem.form() == DelassusForm::dense || problem.num_rows() <= DampedFactorisation::dense_rows) {
    return FactorisationSpace::dense;
  }
  return problem.form() == DelassusForm::factored ? FactorisationSpace::velocity : FactorisationSpace::sparse;
}

}  // namespace

void DampedFactorisation::analyse(const ContactProblem& problem, FactorisationSpace wanted, VectorView row_scale,
                                  std::span<const char> active) {
  check_analyse(problem, wanted, row_scale, active);
  const int m = problem.num_rows(), n = problem.num_constraints();
  problem_ = &problem;
  space_ = wanted == FactorisationSpace::automatic ? automatic_space(problem) : wanted;
  symmetric_ = problem.is_symmetric();
  count_ = 0;
  if (row_scale.size() == 0) {
    scale_.setOnes(m);
  } else {
    scale_ = row_scale;
  }
  active_.assign(active.begin(), active.end());
  diagonal_.resize(m);
  work_.resize(m);
  if (space_ == FactorisationSpace::dense) {
    assemble_dense();
  } else if (space_ == FactorisationSpace::sparse) {
    if (problem.form() != DelassusForm::sparse) converted_ = problem.in_form(DelassusForm::sparse);
    block_diagonal_.resize(n);
    block_left_.resize(n);
    wide_.setZero(3 * n);
    block_lu_.analyse(problem.form() == DelassusForm::sparse ? problem.sparse() : converted_.sparse());
  } else {
    node_weight_.resize(n);
    node_work_.resize(problem.factored().num_nodes());
    node_lu_.analyse(problem.factored());
  }
}

bool DampedFactorisation::factor(double damping) {
  assert(problem_ && damping > 0.0);
  diagonal_ = problem_->compliance().array() + damping / scale_.array().square();
  ++count_;
  switch (space_) {
    case FactorisationSpace::dense:
      return factor_dense();
    case FactorisationSpace::sparse:
      return factor_sparse();
    default:
      return factor_velocity();
  }
}

void DampedFactorisation::solve(VectorView b, VectorOut x) const {
  work_ = b.cwiseQuotient(scale_);
  for (size_t r = 0; r < active_.size(); ++r) {
    if (!active_[r]) work_[r] = 0.0;
  }
  switch (space_) {
    case FactorisationSpace::dense:
      solve_dense();
      break;
    case FactorisationSpace::sparse:
      solve_sparse();
      break;
    default:
      solve_velocity();
  }
  x = work_.cwiseQuotient(scale_);
}

void DampedFactorisation::apply(VectorView x, VectorOut out) const {
  work_ = x.cwiseProduct(scale_);
  for (size_t r = 0; r < active_.size(); ++r) {
    if (!active_[r]) work_[r] = 0.0;
  }
  problem_->apply(work_, out);
  out += problem_->compliance().cwiseProduct(work_);
  out.array() *= scale_.array();
  for (size_t r = 0; r < active_.size(); ++r) {
    if (!active_[r]) out[r] = 0.0;
  }
}

// G on the rows kept, zero elsewhere.
void DampedFactorisation::assemble_dense() {
  const int m = problem_->num_rows(), n = problem_->num_constraints();
  dense_.setZero(m, m);
  if (problem_->form() == DelassusForm::dense) {
    dense_ = problem_->dense().matrix();
    if (active_.empty()) return;
    for (int r = 0; r < m; ++r) {
      if (active_[r]) continue;
      dense_.row(r).setZero();
      dense_.col(r).setZero();
    }
  } else if (problem_->form() == DelassusForm::sparse) {
    const DelassusSparse& g = problem_->sparse();
    for (int i = 0; i < n; ++i) {
      for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) add_dense_block(i, g.column[k], g.block[k]);
    }
  } else {
    const DelassusFactored& f = problem_->factored();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        Matrix3 block = Matrix3::Zero();
        int s = f.segment_begin[i], t = f.segment_begin[j];
        while (s < f.segment_begin[i + 1] && t < f.segment_begin[j + 1]) {
          if (f.segment_node[s] == f.segment_node[t]) {
            for (int a = 0; a < 3; ++a) {
              for (int b = 0; b < 3; ++b) block(a, b) += sum(f.segment[s].row[a] * f.segment[t].row[b]);
            }
            ++s;
            ++t;
          } else if (f.segment_node[s] < f.segment_node[t]) {
            ++s;
          } else {
            ++t;
          }
        }
        add_dense_block(i, j, block);
        if (i != j) add_dense_block(j, i, block.transpose());
      }
    }
  }
}

void DampedFactorisation::add_dense_block(int i, int j, const Matrix3& block) {
  const Constraint &ci = problem_->constraint(i), &cj = problem_->constraint(j);
  for (int c = 0; c < cj.rows; ++c) {
    if (!is_active(cj.first_row + c)) continue;
    for (int r = 0; r < ci.rows; ++r) {
      if (is_active(ci.first_row + r)) dense_(ci.first_row + r, cj.first_row + c) = block(r, c);
    }
  }
}

bool DampedFactorisation::factor_dense() {
  const int m = problem_->num_rows();
  dense_damped_ = dense_;
  for (int r = 0; r < m; ++r) dense_damped_(r, r) = is_active(r) ? dense_(r, r) + diagonal_[r] : 1.0;
  use_cholesky_ = symmetric_;
  if (use_cholesky_) {
    cholesky_.compute(dense_damped_);
    use_cholesky_ = cholesky_.info() == Eigen::Success;
  }
  // A published G can be indefinite by more than the damping: LU then still solves the system as it stands.
  if (!use_cholesky_) lu_.compute(dense_damped_);
  const double trace = use_cholesky_ ? cholesky_.matrixLLT().diagonal().sum() : lu_.matrixLU().diagonal().sum();
  if (!std::isfinite(trace)) return false;
  return use_cholesky_ || (lu_.matrixLU().diagonal().array() != 0.0).all();
}

void DampedFactorisation::solve_dense() const {
  if (use_cholesky_) {
    cholesky_.solveInPlace(work_);
  } else {
    // A right-hand side of its own: the row exchanges of Eigen's solve() would otherwise make a temporary.
    wide_ = work_;
    work_.noalias() = lu_.solve(wide_);
  }
}

// Rows left out are cleared by the left factor and get a one on the diagonal. Their columns stay, which does no harm:
// with a zero right-hand side their unknowns are zero.
bool DampedFactorisation::factor_sparse() {
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    block_diagonal_[i].setZero();
    block_left_[i].setZero();
    for (int r = 0; r < 3; ++r) {
      const bool kept = r < c.rows && is_active(c.first_row + r);
      block_diagonal_[i](r, r) = kept ? diagonal_[c.first_row + r] : 1.0;
      block_left_[i](r, r) = kept ? 1.0 : 0.0;
    }
  }
  const DelassusSparse& g = problem_->form() == DelassusForm::sparse ? problem_->sparse() : converted_.sparse();
  return active_.empty() ? block_lu_.factor(g, block_diagonal_) : block_lu_.factor(g, block_diagonal_, block_left_);
}

void DampedFactorisation::solve_sparse() const {
  const int n = problem_->num_constraints();
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < c.rows; ++r) wide_[3 * i + r] = work_[c.first_row + r];
    for (int r = c.rows; r < 3; ++r) wide_[3 * i + r] = 0.0;
  }
  block_lu_.solve(wide_.data(), wide_.data());
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < c.rows; ++r) work_[c.first_row + r] = wide_[3 * i + r];
  }
}

bool DampedFactorisation::factor_velocity() {
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    node_weight_[i].setZero();
    for (int r = 0; r < c.rows; ++r) {
      if (is_active(c.first_row + r)) node_weight_[i](r, r) = 1.0 / diagonal_[c.first_row + r];
    }
  }
  return node_lu_.factor(problem_->factored(), node_weight_);
}

void DampedFactorisation::solve_velocity() const {
  const DelassusFactored& f = problem_->factored();
  work_.array() /= diagonal_.array();  // E⁻¹ b
  wide_.resize(work_.size());
  multiply_transposed(f, problem_->constraints(), work_.data(), node_work_.data());
  node_lu_.solve(node_work_.data(), node_work_.data());
  multiply(f, problem_->constraints(), node_work_.data(), wide_.data());
  for (int r = 0; r < work_.size(); ++r) {
    if (is_active(r)) work_[r] -= wide_[r] / diagonal_[r];
  }
}

}  // namespace stiction
