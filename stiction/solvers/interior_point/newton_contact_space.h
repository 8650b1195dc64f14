// The Newton step in contact space: sparse block LU of G + block diagonal (theory §4.4, (4-6)).
//
//     (Ĝ + blockdiag(D A Arw(y) P + R + η)) Δλ = −r_p + D A r_c,     Δy = A (r_c − Arw(y) P Δλ),     A = Arw(x)⁻¹
//
// G is used as it is: scaling it by 1/√(w_i w_j) is the same as weighting the diagonal blocks by w_i and the vectors by
// √w_i, because LU without exchanges between blocks commutes with block scalars. A dense G gets the full block pattern.
#pragma once

#include "stiction/solvers/interior_point/newton_system.h"
#include "stiction/solvers/linear_algebra/block_lu.h"

namespace stiction {

class NewtonContactSpace : public NewtonSystem {
 public:
  // Dense or sparse. Both must outlive the use of this object.
  void load(const ContactProblem& problem, const ConeProblem& cones);

  double eta = 1e-10;  // η of (4-6), relative to w_i; from 1e-6 on the tangent of the path is wrong

  void velocity(const Rows3& impulse, Rows3& sigma) override;
  bool factor(const ConeVector& at, double delta) override;
  void solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) override;
  int determinant_sign() const override { return lu_.determinant_sign(); }
  bool factor_stick(double stick_eta) override;
  void stick_step(const Rows3& sigma, Rows3& impulse) override;

 private:
  void copy_dense(const ContactProblem& problem);
  void lock_tangents(int i);
  void solve_weighted(const Rows3& right, Rows3& out);

  const ContactProblem* problem_ = nullptr;
  const ConeProblem* cones_ = nullptr;
  const DelassusSparse* delassus_ = nullptr;
  DelassusSparse from_dense_;
  BlockLu lu_;
  ArrayX weight_;                              // w_i
  Eigen::Array<double, Eigen::Dynamic, 6> a_;  // Arw(x)⁻¹
  Rows3 d_;                                    // last row of D
  Eigen::Array<double, Eigen::Dynamic, 9> block_;
  std::vector<Matrix3> diagonal_;
  Rows3 right_;
  std::vector<double> rows_, product_;  // problem rows
  std::vector<double> packed_;          // three per constraint
};

}  // namespace stiction
