#include "stiction/solvers/auto/infeasibility.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/dense.h"

namespace stiction {
namespace {

constexpr double huge = 1e10;  // of the impulse that the problem's numbers suggest

// Contacts push along their normals alone.
struct FrictionlessLaw {
  double relaxation() const { return 1.0; }
  void end_sweep() {}
  void contact(int, const Matrix3& w, const double* sigma, double* lambda) const {
    lambda[0] = lambda[1] = 0.0;
    if (w(2, 2) > 0.0) lambda[2] = std::max(0.0, lambda[2] - sigma[2] / w(2, 2));
  }
};

// The row of a constraint that may take part, and whether it may only push; −1: none does.
int first_part(const Constraint& c) {
  switch (c.kind) {
    case ConstraintKind::frictional:
      return c.first_row + 2;
    case ConstraintKind::unilateral:
    case ConstraintKind::bilateral:
      return c.first_row;
    default:
      return -1;
  }
}

}  // namespace

bool InfeasibilityProof::is_proof(const ContactProblem& problem, const VectorX& w) {
  if (!problem.is_symmetric() || w.size() != problem.num_rows() || !w.allFinite()) return false;
  for (const Constraint& c : problem.constraints()) {
    for (int r = c.first_row; r < c.first_row + c.rows; ++r) {
      const bool takes_part = first_part(c) >= 0 && r >= first_part(c);
      if (!takes_part && w[r] != 0.0) return false;
      if (c.kind != ConstraintKind::bilateral && !(w[r] >= 0.0)) return false;
    }
  }
  VectorX moved(w.size());
  problem.velocity(w, moved);
  moved -= problem.free_velocity();
  // What rounding may have hidden in e counts as part of it.
  double size = 0.0;
  for (Eigen::Index r = 0; r < w.size(); ++r) size += std::abs(w[r]);
  const double rounding = 1e-15 * size * problem.largest_diagonal();
  const double work = w.dot(problem.free_velocity());
  const double largest_impulse = problem.largest_free_velocity() / problem.largest_diagonal();
  const double reach = (moved.cwiseAbs().array() + rounding).maxCoeff() * static_cast<double>(w.size());
  // 1e-15 of rounding leaves room for no more than 1e10 where g·w is a fair part of |w| |g|.
  return work < -1e-3 * size * problem.largest_free_velocity() &&
         -work >= std::min(huge, 1e12 / w.size()) * reach * largest_impulse;
}

// The part of the ray in the null space of G + R on the rows that take part.
bool InfeasibilityProof::clean(const ContactProblem& problem) {
  constexpr double part = 1e-4, null = 1e-12;
  const double largest = ray_.cwiseAbs().maxCoeff();
  if (!(largest > 0.0) || !std::isfinite(largest)) return false;
  std::vector<int> rows;
  for (int r = 0; r < problem.num_rows(); ++r) {
    if (std::abs(ray_[r]) > part * largest) rows.push_back(r);
  }
  const int n = static_cast<int>(rows.size());
  if (n > max_rows) return false;
  MatrixX matrix(n, n);
  VectorX unit = VectorX::Zero(problem.num_rows()), column(problem.num_rows()), kept(n);
  for (int j = 0; j < n; ++j) {
    unit[rows[j]] = 1.0;
    problem.apply(unit, column);
    unit[rows[j]] = 0.0;
    for (int i = 0; i < n; ++i) matrix(i, j) = column[rows[i]];
    matrix(j, j) += problem.compliance()[rows[j]];
    kept[j] = ray_[rows[j]];
  }
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (matrix + matrix.transpose()));
  VectorX cleaned = VectorX::Zero(n);
  for (int k = 0; k < n; ++k) {
    if (eigen.values[k] > null * problem.largest_diagonal()) break;
    cleaned += eigen.vectors.col(k).dot(kept) * eigen.vectors.col(k);
  }
  ray_.setZero();
  for (int j = 0; j < n; ++j) ray_[rows[j]] = cleaned[j] / largest;
  return true;
}

bool InfeasibilityProof::find(const ContactProblem& problem, const SolveGoal& goal) {
  if (!problem.is_symmetric() || problem.num_constraints() == 0) return false;
  FrictionlessLaw law;
  ray_.setZero(problem.num_rows());
  engine_.start(problem, ray_);
  // What grows without end has gained as much in the second half of the sweeps as in the first.
  constexpr double runs_away = 0.3;
  for (int k = 0; k < max_sweeps; ++k) {
    if (!goal.spend_and_ask(AutoCost::sweep_of(problem.num_constraints()))) return false;
    if (k == first_sweeps / 2 || k == max_sweeps / 2) before_ = engine_.impulse();
    engine_.sweep(law);
    if (k + 1 != first_sweeps && k + 1 != max_sweeps) continue;
    ray_ = engine_.impulse() - before_;
    if (!(ray_.cwiseAbs().maxCoeff() > runs_away * engine_.impulse().cwiseAbs().maxCoeff())) return false;
  }
  for (const Constraint& c : problem.constraints()) {
    const int first = first_part(c);
    for (int r = c.first_row; r < c.first_row + c.rows; ++r) {
      if (first < 0 || r < first || (c.kind != ConstraintKind::bilateral && ray_[r] < 0.0)) ray_[r] = 0.0;
    }
  }
  if (!clean(problem)) return false;
  return is_proof(problem, ray_);
}

}  // namespace stiction
