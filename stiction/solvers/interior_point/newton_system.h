// The linear algebra of one Newton step on x ∘ y = κ e, σ = (G + R) λ + g, σ = σ(y): what the interior point and the
// path follower ask for, whatever the space in which it is solved.
//
//     D Δy = r_p + (G + R + η) Δλ,      Arw(x) Δy + Arw(y) P Δλ = r_c,      D = ∂σ/∂y                   theory (4-5)
//
// η is a proximal weight: it keeps hyperstatic problems regular and vanishes from the solution because only Δλ is
// weighted.
#pragma once

#include "stiction/solvers/interior_point/cone_problem.h"
#include "stiction/solvers/interrupt.h"

namespace stiction {

class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  virtual void velocity(const Rows3& impulse, Rows3& sigma) = 0;  // σ = (G + R) λ + g
  // Factor (4-5) at a point inside the cones. False when it is singular.
  virtual bool factor(const ConeVector& at, double delta) = 0;
  // Solve with the last factor; `direction` gets Δλ, Δx, Δy.
  virtual void solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) = 0;
  // The same without what sharpen() adds: enough where a direction only tells how far to go.
  virtual void solve_roughly(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
    solve(at, rp, rc, direction);
  }
  // From now on directions of solve() for the last digits, at the price of another substitution each.
  virtual void sharpen() {}
  virtual int determinant_sign() const = 0;  // of the matrix of (4-6)

  // All constraints stick: factor G + R + η, then λ ← λ − (G + R + η)⁻¹ σ.
  virtual bool factor_stick(double eta) = 0;
  virtual void stick_step(const Rows3& sigma, Rows3& impulse) = 0;

  int factorisations = 0;
  Interrupt* interrupt = nullptr;  // what may stop a factorisation, which then fails
};

}  // namespace stiction
