// One constraint of a contact problem: which impulses it admits.
//
// Constraint i owns `rows` consecutive rows of the problem from `first_row` on. Its impulse λ_i lies in a closed convex
// set C_i and the law is the inclusion (theory (1-5))
//
//     λ_i ∈ C_i,   −(σ_i + Γ_i(σ_i)) ∈ N_{C_i}(λ_i).
//
// Rows of a contact are (t1, t2, n): two tangents, the normal last.
#pragma once

#include <cstdint>
#include <string_view>

namespace stiction {

enum class ConstraintKind : std::uint8_t {
  frictional,    // 3 rows, ‖λ_T‖ ≤ μ λ_N
  anisotropic,   // 3 rows, (λ_1/μ_1)² + (λ_2/μ_2)² ≤ λ_N², λ_N ≥ 0
  viscous,       // 3 rows, ‖λ_T‖² ≤ μ² λ_N² + bound², λ_N ≥ 0 (Drumwright–Shell)
  unilateral,    // 1 row, λ ≥ 0: frictionless contact, joint limit
  bilateral,     // 1 or 3 rows, λ free: loop closure, weld, anchor
  dry_friction,  // 1 row, |λ| ≤ bound: Coulomb friction of a joint
  // Friction torques of a contact, each bounded by its normal impulse: `partner` is the constraint that carries that.
  torsional,  // 1 row about the normal, |λ| ≤ r λ_N
  rolling,    // 3 rows, two about the tangents and an empty one (G, R and g zero, λ_3 = 0): ‖(λ_1, λ_2)‖ ≤ r λ_N
};

// Whether the bound of a constraint is the normal impulse of another one.
constexpr bool is_coupled(ConstraintKind kind) {
  return kind == ConstraintKind::torsional || kind == ConstraintKind::rolling;
}

std::string_view to_string(ConstraintKind kind);

struct Constraint {
  ConstraintKind kind = ConstraintKind::unilateral;
  int rows = 1;
  int first_row = 0;
  int partner = -1;         // torsional, rolling: the contact whose last row is λ_N; −1: none, and no impulse
  double friction = 0.0;    // μ (μ_1 where anisotropic), no unit; torsional, rolling: r, m
  double friction_2 = 0.0;  // μ_2; equal to `friction` unless anisotropic
  double bound = 0.0;       // largest impulse of dry friction, N·s; radius of the viscous term, N·s

  static Constraint make_frictional(double mu) { return {ConstraintKind::frictional, 3, 0, -1, mu, mu, 0.0}; }
  static Constraint make_anisotropic(double mu_1, double mu_2) {
    return {ConstraintKind::anisotropic, 3, 0, -1, mu_1, mu_2, 0.0};
  }
  static Constraint make_viscous(double mu, double radius) {
    return {ConstraintKind::viscous, 3, 0, -1, mu, mu, radius};
  }
  static Constraint make_unilateral() { return {ConstraintKind::unilateral, 1, 0, -1, 0.0, 0.0, 0.0}; }
  // A loop of m rows is a product of lines: give it as blocks of three rows and single rows.
  static Constraint make_bilateral(int rows) { return {ConstraintKind::bilateral, rows, 0, -1, 0.0, 0.0, 0.0}; }
  static Constraint make_dry_friction(double bound) {
    return {ConstraintKind::dry_friction, 1, 0, -1, 0.0, 0.0, bound};
  }
  static Constraint make_torsional(double r, int partner) {
    return {ConstraintKind::torsional, 1, 0, partner, r, r, 0.0};
  }
  static Constraint make_rolling(double r, int partner) { return {ConstraintKind::rolling, 3, 0, partner, r, r, 0.0}; }
};

}  // namespace stiction
