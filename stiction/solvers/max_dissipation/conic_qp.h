// Primal–dual interior point for a small dense convex program with a quadratic objective:
//
//     min ½ xᵀ S x + cᵀ x   s.t.   s = B x + h,   s ∈ R₊^p × Q₃ × … × Q₃,   Q₃ = { s_0 ≥ ‖(s_1, s_2)‖ }
//
// with multipliers z in the same cone. Optimality: S x + c = Bᵀ z, s = B x + h, s ∘ z = 0. Nesterov–Todd scaling,
// Mehrotra's predictor and corrector, one factorisation of S + Bᵀ W⁻² B per iteration (dense, no pivoting).
#pragma once

#include <vector>

#include "stiction/math/types.h"

namespace stiction {

struct ConicQpCone {                 // s = (slope · x[normal] + offset, x[tangent_1], x[tangent_2]) ∈ Q₃
  int tangent_1, tangent_2, normal;  // variables
  double slope, offset;
};

struct ConicQpBound {  // s = sign · x[variable] + offset ≥ 0
  int variable;
  double sign, offset;
};

struct ConicQpProblem {
  MatrixX matrix;  // S
  VectorX linear;  // c
  MatrixX rows;    // dense linear constraints, one per column: s = columnᵀ x + row_offset ≥ 0
  VectorX row_offset;
  std::vector<ConicQpBound> bounds;
  std::vector<ConicQpCone> cones;
};

struct ConicQpStep {
  double residual = 0.0;  // max of ‖S x + c − Bᵀ z‖_∞, ‖s − B x − h‖_∞/ν, max s_k·z_k/ν, ν = max(1, ‖x‖_∞)
  double gap = 0.0;       // sᵀ z / number of cones
};

class ConicQp {
 public:
  // Start at x; slacks and multipliers are put well inside their cones.
  void start(const ConicQpProblem& problem, const VectorX& x);
  // One predictor–corrector iteration. False where the factorisation breaks down or a value is not finite.
  bool iterate(const ConicQpProblem& problem);
  ConicQpStep residual(const ConicQpProblem& problem);
  const VectorX& point() const { return x_; }

 private:
  // Slacks and multipliers in one vector each: rows, bounds, then three per cone.
  int num_linear(const ConicQpProblem& p) const { return static_cast<int>(p.rows.cols() + p.bounds.size()); }
  void multiply(const ConicQpProblem& p, const VectorX& x, bool with_offset, VectorX& out) const;  // B x (+ h)
  void multiply_transposed(const ConicQpProblem& p, const VectorX& z, VectorX& out) const;         // Bᵀ z
  void scale(const ConicQpProblem& p);                                                             // W from s, z
  void apply_w(const ConicQpProblem& p, bool inverse, const VectorX& in, VectorX& out) const;      // W or W⁻¹
  bool factor(const ConicQpProblem& p);
  void solve_factored(VectorX& b) const;
  void direction(const ConicQpProblem& p, double keep);  // dx, dz, ds for the right-hand side in target_
  double longest_step(const ConicQpProblem& p, const VectorX& s, const VectorX& ds) const;

  VectorX x_, s_, z_, dx_, ds_, dz_;
  VectorX lambda_;  // W z = W⁻¹ s
  VectorX target_;  // t: W dz + W⁻¹ ds
  VectorX dual_residual_, primal_residual_;
  VectorX weight_;  // per linear constraint √(s/z); per cone η and the unit vector w
  MatrixX factor_;
  VectorX work_, work_2_, rhs_, diagonal_;
};

}  // namespace stiction
