// A contact problem as the interior point sees it: scaled per constraint, every law written with Lorentz cones, one
// array per component so that loops over contacts vectorise.
//
// Scaling (theory (4-1)). With w_i = tr(G_ii + R_ii)/rows and γ = max |g_i|/√w_i:
//     λ_i = (γ/√w_i) λ̂_i,   σ_i = γ √w_i σ̂_i,   Ĝ_ij = G_ij/√(w_i w_j),   R̂_i = R_i/w_i,   ĝ_i = g_i/(γ √w_i).
// A positive scalar per constraint leaves cones, the de Saxcé shift and the law unchanged. Hats are dropped below.
//
// Rows (λ, σ, r_p) are laid out as in the problem: a constraint of one row uses the first. Cone coordinates (x, y) are
//     frictional    x = P λ = (λ_T, μ λ_N),   σ = σ(y) of lorentz_cone.h
//     unilateral    x = (0, 0, λ),            σ = y_N; also the normal of a contact without friction, where λ_T = 0
//     dry friction  x = (λ, 0, bound),        σ = y_1; Δx_N = 0, so x ∘ y = κ e is a pair of complementarities
//     bilateral     no cone: x = y = (0, 0, 1) stand still and count for nothing; σ = 0
#pragma once

#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/math/vectorise.h"
#include "stiction/solvers/interior_point/lorentz_cone.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {

using ArrayX = Eigen::ArrayXd;
using Rows3 = Eigen::Array<double, Eigen::Dynamic, 3>;  // column-major: three arrays, one entry per constraint

inline ConePoint<double> get(const Rows3& a, Eigen::Index i) {
  const double* p = a.data() + i;
  const Eigen::Index n = a.rows();
  return {p[0], p[n], p[2 * n]};
}
inline void put(Rows3& a, Eigen::Index i, const ConePoint<double>& v) {
  double* p = a.data() + i;
  const Eigen::Index n = a.rows();
  p[0] = v.t1;
  p[n] = v.t2;
  p[2 * n] = v.n;
}

// A point of the path (λ, x, y), or a direction (Δλ, Δx, Δy).
struct ConeVector {
  Rows3 impulse, x, y;

  void resize(int n) {
    impulse.resize(n, 3);
    x.resize(n, 3);
    y.resize(n, 3);
  }
};

// A constraint whose law is not a friction cone.
struct ScalarConstraint {
  int index;
  ConstraintKind kind;
  int row;  // of the constraint's rows that carries the law: 2 for the normal of a contact without friction, else 0
  double bound;       // scaled bound of dry friction, at least `smallest_bound`
  double true_bound;  // as given, unscaled, N·s

  bool is_frictionless_contact() const { return row == 2; }
};

// The rows of a scalar constraint of which one is not zero.
inline ConePoint<double> scalar_row(const ScalarConstraint& s, double value) {
  return s.row == 2 ? ConePoint<double>{0.0, 0.0, value} : ConePoint<double>{value, 0.0, 0.0};
}

// The linearised complementarity of a scalar constraint with its second cone equation eliminated:
// a Δσ + c Δλ = r.
struct ScalarPair {
  double a, c, r;
};
ScalarPair scalar_pair(const ScalarConstraint& s, const ConePoint<double>& x, const ConePoint<double>& y,
                       const ConePoint<double>& rc);
// Δy that goes with Δσ and Δλ.
ConePoint<double> scalar_dual_step(const ScalarConstraint& s, const ConePoint<double>& x, const ConePoint<double>& y,
                                   const ConePoint<double>& rc, double velocity_step, double impulse_step);

class ConeProblem {
 public:
  static constexpr double smallest_friction = 1e-10;  // contacts below are solved without friction
  static constexpr double smallest_bound = 1e-12;     // scaled bounds below are clamped, and the result to them
  static constexpr double start_floor = 0.01;         // least c_i of a start

  void load(const ContactProblem& problem);

  int size() const { return static_cast<int>(friction_.size()); }
  double velocity_unit() const { return gamma_; }  // γ, which scales λ and y alike
  const ArrayX& friction() const { return friction_; }
  const ArrayX& root_weight() const { return root_weight_; }                  // √w_i
  const ArrayX& inverse_root_weight() const { return inverse_root_weight_; }  // 1/√w_i
  const Rows3& free_velocity() const { return free_velocity_; }
  const Rows3& compliance() const { return compliance_; }
  const std::vector<ScalarConstraint>& scalars() const { return scalars_; }

  void read_impulse(const VectorX& impulse, Rows3& scaled) const;
  void write_impulse(const Rows3& scaled, VectorX& impulse) const;                 // boxes clamped
  void write_rows(const Rows3& scaled, const ArrayX& factor, double* rows) const;  // rows_i = factor_i scaled_i
  void read_rows(const double* rows, double unit, Rows3& scaled) const;            // scaled_i = rows_i unit/√w_i

  void to_cone(ConeVector& point) const;            // x from λ
  void to_cone_direction(ConeVector& point) const;  // Δx from Δλ
  void from_cone(ConeVector& point) const;          // λ from x, except where there is no cone

  // Starts (§4.2): `scale` times (4-9), with c_i at least `floor`; that which keeps as much of λ as fits.
  void start_cold(double scale, ConeVector& point, double floor = start_floor) const;
  void start_from_impulse(ConeVector& point) const;
  // On the central path but for r_p: x ∘ y = κ e everywhere, as near as that goes to the impulse given and its
  // velocity.
  void start_near(const Rows3& sigma, double kappa, double delta, ConeVector& point) const;

  // r_p = σ − σ(y); returns its largest entry.
  double primal_residual(const Rows3& sigma, const Rows3& y, double delta, Rows3& rp) const;
  // The same with what r_p changes beyond the linear on the way to at + a·direction, spread over the whole direction:
  // bent = r_p − (σ(y + a Δy) − σ(y) − a D Δy)/a.
  void bent_primal_residual(const Rows3& rp, const ConeVector& at, const ConeVector& direction, double a, double delta,
                            Rows3& bent) const;
  // r_c = target e − x ∘ y − second_order Δx ∘ Δy. `direction` may be null when second_order is 0.
  void complementarity_residual(const ConeVector& at, double target, double second_order, const ConeVector* direction,
                                Rows3& rc) const;
  double mean_product(const ConeVector& at) const;                                         // κ = mean x·y
  double mean_product(const ConeVector& at, const ConeVector& direction, double a) const;  // after a step a
  double largest_step(const ConeVector& at, const ConeVector& direction) const;
  int tightest(const ConeVector& at, const ConeVector& direction) const;  // the constraint that ends the largest step
  // ε_nat, ε_rel of the NCP in the caller's scaling: what stopping_residual() computes, from scaled rows.
  StoppingResidual residual(const Rows3& impulse, const Rows3& sigma) const;
  double largest_normal(const ConeVector& at) const;  // max x_N over contacts and half-lines
  // Σ dist(λ_i, K_i)/Σ ‖λ_i‖ over friction cones.
  double relative_violation(const Rows3& impulse) const;

 private:
  void overwrite_scalar_residuals(const Rows3& impulse, const Rows3& sigma) const;

  std::vector<int> first_row_, rows_;
  ArrayX friction_;       // μ_i; 1 for scalar constraints
  ArrayX true_friction_;  // μ_i
  ArrayX cone_weight_;    // 1, or 0 where there is no cone
  ArrayX root_weight_, inverse_root_weight_;
  ArrayX impulse_measure_, velocity_measure_;  // λ̂ and σ̂ times these are the caller's scaled λ, σ of ε_rel
  ArrayX own_impulse_, own_push_, own_speed_;  // λ̂ times the first is λ' of ε_nat; ConstraintScale
  ArrayX start_;                               // c_i = max(start_floor, ‖g_i‖)
  Rows3 free_velocity_, compliance_;
  std::vector<ScalarConstraint> scalars_;
  double gamma_ = 1.0;
  double num_cones_ = 0.0;
  mutable ArrayX relative_, natural_, primal_;  // scratch of residual() and of the reductions
};

}  // namespace stiction
