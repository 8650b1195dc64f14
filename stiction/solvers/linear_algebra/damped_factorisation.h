// The damped Delassus operator and its inverse, for methods that solve with G + R + δ I many times (ADMM, 2.3):
//
//     F(δ) = S (G + R) S + δ I,     x = F(δ)⁻¹ b
//
//   G, R   of the contact problem        S  diagonal row scale, s_r > 0 (the identity if none is given)
//   δ > 0  damping; only it changes between factorisations of one problem
//
// S is never multiplied into G: F(δ) = S (G + E) S with E = R + δ S⁻² diagonal, so each space factors G + E:
//
//   dense     LLᵀ of G + E, or LU with row exchanges where G is not symmetric; O(m³/3)
//   sparse    BlockLu, blocks of constraints; takes non-symmetric G as it is
//   velocity  NodeLu, for G = A Aᵀ by the Woodbury identity: (A Aᵀ + E)⁻¹ = E⁻¹ − E⁻¹ A (I + Aᵀ E⁻¹ A)⁻¹ Aᵀ E⁻¹.
//             E may differ from row to row. Rounding is amplified by the largest eigenvalue of F over δ, so δ should
//             stay above about 1e-8 of it.
//
// Rows can be left out (`active`): then F is the principal submatrix of the rows kept and x is zero elsewhere.
// Staggered projections solve their two halves this way, without building submatrices.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <span>
#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/linear_algebra/block_lu.h"
#include "stiction/solvers/linear_algebra/node_lu.h"

namespace stiction {

enum class FactorisationSpace : int { automatic = 0, dense = 1, sparse = 2, velocity = 3 };

class DampedFactorisation {
 public:
  // Largest problem that is multiplied out to a dense matrix although it came sparse or factored.
  static constexpr int dense_rows = 48;

  // Chooses the space, orders, and copies what factor() needs; the problem must live as long as it is used here.
  // Automatic: dense if the problem is dense or has at most dense_rows rows, else velocity for factored problems and
  // sparse for sparse ones. No allocation on a second problem of the same size and pattern, except where `sparse` is
  // forced on a problem of another form (it is converted) and in Eigen's blocked dense kernels above about 300 rows.
  // Throws std::invalid_argument for sizes that do not fit and for velocity space without a factored problem.
  void analyse(const ContactProblem& problem, FactorisationSpace wanted = FactorisationSpace::automatic,
               VectorView row_scale = VectorX(), std::span<const char> active = {});

  // False if a pivot is singular or not finite; solve() must not be called then.
  bool factor(double damping);
  // x = F(δ)⁻¹ b; b and x may be the same vector. Not to be called from two threads at once (shared scratch).
  void solve(VectorView b, VectorOut x) const;
  // out = S (G + R) S x, without damping, on the rows kept. x and out must differ.
  void apply(VectorView x, VectorOut out) const;

  FactorisationSpace space() const { return space_; }  // never automatic after analyse()
  int count() const { return count_; }                 // calls of factor() since analyse()

 private:
  bool is_active(int row) const { return active_.empty() || active_[row] != 0; }
  void assemble_dense();
  void add_dense_block(int i, int j, const Matrix3& block);
  bool factor_dense();
  bool factor_sparse();
  bool factor_velocity();
  void solve_dense() const;
  void solve_sparse() const;
  void solve_velocity() const;

  const ContactProblem* problem_ = nullptr;
  FactorisationSpace space_ = FactorisationSpace::automatic;
  int count_ = 0;
  bool symmetric_ = true;
  VectorX scale_;             // s, m entries
  std::vector<char> active_;  // empty: all rows
  VectorX diagonal_;          // E
  mutable VectorX work_;      // m entries
  mutable VectorX wide_;      // three per constraint

  MatrixX dense_, dense_damped_;  // G on the rows kept; G + E
  Eigen::LLT<MatrixX> cholesky_;
  Eigen::PartialPivLU<MatrixX> lu_;
  bool use_cholesky_ = false;

  ContactProblem converted_;  // only where sparse is forced on another form
  BlockLu block_lu_;
  std::vector<Matrix3> block_diagonal_, block_left_;

  NodeLu node_lu_;
  std::vector<Matrix3> node_weight_;
  mutable std::vector<Pack8> node_work_;
};

}  // namespace stiction
