// The contact problem: find impulses λ with velocities σ = (G + R) λ + g that obey every constraint's law.
//
//   G  Delassus matrix, m × m, in one of three forms (delassus.h)
//   g  free velocity in constraint space, J v_f + γ, m/s (rad/s for joint rows)
//   R  diagonal compliance, velocity per impulse as G, 1/kg; zero for rigid contact
//
// A problem is validated once, when it is made, and does not change afterwards. Bad input throws
// std::invalid_argument with the argument, index and value.
#pragma once

#include <Eigen/SparseCore>
#include <span>
#include <variant>
#include <vector>

#include "stiction/contact/constraint.h"
#include "stiction/contact/delassus.h"
#include "stiction/math/types.h"

namespace stiction {

// What ε_nat measures a constraint against, as shares of V = largest_free_velocity(). An impulse λ moves its own
// constraint by about `impulse`·λ·V.
struct ConstraintScale {
  static constexpr double floor = 1e-3;        // least impulse that counts as one, as the speed that it makes
  static constexpr double range = 1e3;         // V counts unless it exceeds the constraint's own speeds this much
  static constexpr double least_speed = 1e-4;  // the rounding of V is not measured against less

  double impulse = 1.0;  // mean of diag(G + R) of the constraint over V, 1/(N·s)
  double push = 1.0;     // |g_N|/V, floor … 1; of single rows and bilateral constraints ‖g‖/V
  double speed = 1.0;    // range·‖g‖/V, least_speed … 1: 1 unless the constraint is slow beside the fastest
};

class ContactProblem {
 public:
  // Constraints are laid out in the order given; their first_row is filled in here. An empty compliance means rigid.
  static ContactProblem from_dense(std::vector<Constraint> constraints, const Eigen::Ref<const MatrixX>& delassus,
                                   VectorView free_velocity, VectorView compliance = VectorX());
  static ContactProblem from_sparse(std::vector<Constraint> constraints,
                                    const Eigen::SparseMatrix<double, Eigen::RowMajor>& delassus,
                                    VectorView free_velocity, VectorView compliance = VectorX());
  static ContactProblem from_factored(std::vector<Constraint> constraints, DelassusFactored factored,
                                      VectorView free_velocity, VectorView compliance = VectorX());
  // From mechanics: G = J M⁻¹ Jᵀ factored through a Cholesky factor of each connected component of M, which must be
  // symmetric and positive definite. g = J v_f + γ is given as free_velocity.
  static ContactProblem from_inertia(std::vector<Constraint> constraints,
                                     const Eigen::SparseMatrix<double, Eigen::RowMajor>& inertia,
                                     const Eigen::SparseMatrix<double, Eigen::RowMajor>& jacobian,
                                     VectorView free_velocity, VectorView compliance = VectorX());

  ContactProblem() = default;  // the empty problem

  int num_constraints() const { return static_cast<int>(constraints_.size()); }
  int num_rows() const { return static_cast<int>(free_velocity_.size()); }
  std::span<const Constraint> constraints() const { return constraints_; }
  const Constraint& constraint(int i) const { return constraints_[i]; }
  bool has_kind(ConstraintKind kind) const { return (kinds_ >> static_cast<int>(kind)) & 1u; }

  const VectorX& free_velocity() const { return free_velocity_; }  // g
  const VectorX& compliance() const { return compliance_; }        // R, always num_rows() long
  bool is_rigid() const { return rigid_; }                         // R = 0

  DelassusForm form() const { return static_cast<DelassusForm>(delassus_.index()); }
  const DelassusDense& dense() const { return std::get<DelassusDense>(delassus_); }
  const DelassusSparse& sparse() const { return std::get<DelassusSparse>(delassus_); }
  const DelassusFactored& factored() const { return std::get<DelassusFactored>(delassus_); }

  // Block (i, i) of G, without R; a constraint of one row fills only (0, 0), the rest is zero.
  const Matrix3& diagonal_block(int i) const { return diagonal_[i]; }
  double largest_diagonal() const { return largest_diagonal_; }  // max diag(G); 1 if G = 0
  double largest_free_velocity() const {
    return largest_free_velocity_;
  }  // max |g|, at least a floor given by who wrote the problem; 1 if both are 0
  // Whether bounds of some constraints are normal impulses of others: torsional and rolling friction.
  bool is_coupled() const { return has_kind(ConstraintKind::torsional) || has_kind(ConstraintKind::rolling); }
  const ConstraintScale& scale(int i) const { return scale_[i]; }
  std::span<const ConstraintScale> scales() const { return scale_; }
  double asymmetry() const { return asymmetry_; }  // max |G − Gᵀ| / max |G|
  bool is_symmetric() const { return asymmetry_ <= symmetry_tolerance; }
  static constexpr double symmetry_tolerance = 1e-12;

  // out = G impulse; out is another vector. No allocation except, for the factored form, a scratch vector of
  // num_nodes() packs per thread.
  void apply(VectorView impulse, VectorOut out) const;
  // out = (G + R) impulse + g.
  void velocity(VectorView impulse, VectorOut out) const;

  MatrixX to_dense() const;                                        // G as a matrix, for inspection and small solvers
  Eigen::SparseMatrix<double, Eigen::RowMajor> to_sparse() const;  // G with exact zeros dropped
  ContactProblem in_form(DelassusForm form) const;                 // the same problem in another form (not to factored)
  ContactProblem symmetric_part() const;                           // G replaced by (G + Gᵀ)/2
  // Rows and columns scaled: λ = S λ', σ' = S σ, G' = S G S, g' = S g, R' = S² R, with other constraints of the same
  // numbers of rows in place.
  ContactProblem scaled(VectorView row_scale, const std::vector<Constraint>& constraints) const;
  // The same into a problem whose storage is taken over: no allocation where it had this form and size before.
  void symmetric_part_into(ContactProblem& out) const;  // out may be this problem
  void scaled_into(VectorView row_scale, const std::vector<Constraint>& constraints, ContactProblem& out) const;

 private:
  friend class ProblemPart;
  friend class ProblemWriter;
  friend class HeldBounds;
  void lay_out(std::vector<Constraint> constraints, VectorView free_velocity, VectorView compliance);
  void check_layout();
  void finish();
  void check_empty_row(int i) const;
  void find_scales();  // once diagonal blocks and the largest values are known
  Matrix3 read_diagonal_block(int i) const;
  void apply_dense(VectorView impulse, VectorOut out) const;
  void apply_sparse(VectorView impulse, VectorOut out) const;
  void apply_factored(VectorView impulse, VectorOut out) const;

  std::vector<Constraint> constraints_;
  unsigned kinds_ = 0;
  std::variant<DelassusDense, DelassusSparse, DelassusFactored> delassus_;
  VectorX free_velocity_;
  VectorX compliance_;
  bool rigid_ = true;
  std::vector<Matrix3> diagonal_;
  std::vector<ConstraintScale> scale_;
  double largest_diagonal_ = 1.0;
  double largest_free_velocity_ = 1.0;
  double asymmetry_ = 0.0;
};

}  // namespace stiction
