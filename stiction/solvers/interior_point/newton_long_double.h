// The Newton step in velocity space (see newton_velocity_space.h), dense and in long double: the last stage, for tiny
// systems whose masses differ so much that a step in double is lost in rounding. Points stay in double.
#pragma once

#include <Eigen/LU>

#include "stiction/solvers/interior_point/newton_system.h"

namespace stiction {

class NewtonLongDouble : public NewtonSystem {
 public:
  // Factored. Both must outlive the use of this object.
  void load(const ContactProblem& problem, const ConeProblem& cones);

  static constexpr long double eta = 0.0L;         // of cones: here the blocks themselves are regular enough
  static constexpr long double line_eta = 1e-13L;  // of bilateral rows

  void velocity(const Rows3& impulse, Rows3& sigma) override;
  bool factor(const ConeVector& at, double delta) override;
  void solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) override;
  int determinant_sign() const override;
  bool factor_stick(double stick_eta) override;
  void stick_step(const Rows3& sigma, Rows3& impulse) override;

 private:
  using Real = long double;
  using Vector3L = Eigen::Matrix<Real, 3, 1>;
  using Matrix3L = Eigen::Matrix<Real, 3, 3>;
  using VectorL = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using MatrixL = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  Vector3L compliance(int i) const;
  void eliminate_cone(int i, const ConeVector& at, Real delta);
  void eliminate_scalar(const ScalarConstraint& s, const ConeVector& at);
  bool assemble_and_factor();

  const ConeProblem* cones_ = nullptr;
  double delta_ = 0.0;
  MatrixL a_;       // A/√w, three rows per constraint
  MatrixL k_, ba_;  // K and B̄ A
  Eigen::PartialPivLU<MatrixL> lu_;
  // Δλ = c_ r_c − b_ (r_p + A Δw), three rows each: c_ = S Q and b_ = B̄ for friction cones, S/c and S a/c for scalars
  // (acting on the reduced right side), b_ = 1/E where there is no cone.
  std::vector<Matrix3L> b_, c_;
  VectorL right_, step_, rows_;
};

}  // namespace stiction
