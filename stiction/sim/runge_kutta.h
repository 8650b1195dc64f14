// Explicit Runge–Kutta steps on the configuration manifold (theory §7.1): the classical one of order four, and
// Dormand and Prince's pair of orders five and four with an error estimate.
//
// The unknowns are y = (ξ, v, w): q = q_0 ⊕ ξ, the velocities, and one scalar that is integrated beside them (the work
// of forces). ξ̇ is nonlinear in ξ where something turns, see rates_of_displacement().
#pragma once

#include <functional>
#include <string_view>

#include "stiction/model/model.h"

namespace stiction {

enum class Integrator { rk4, rk45 };
std::string_view to_string(Integrator integrator);

class RungeKutta {
 public:
  // v̇ at (q, v) and the power of what is integrated beside it, W; `s` counts from the beginning of the step.
  using Motion = std::function<double(double s, const VectorX& q, const VectorX& v, VectorX& acceleration)>;

  RungeKutta(const Model& model, Integrator integrator);

  struct Tolerance {
    double relative = 1e-9, absolute = 1e-12;
  };
  // One step of h; acceleration at the beginning must be first_acceleration() and first_power().
  void step(const VectorX& q, const VectorX& v, double h, const Motion& motion, const Tolerance& tolerance);
  VectorX& first_acceleration() { return k_v_[0]; }
  double& first_power() { return k_w_[0]; }

  // The end of the last step: ξ, q, v, work; v̇ and power there (evaluated: first of the next step).
  const VectorX& displacement() const { return xi_; }
  const VectorX& position() const { return q_; }
  const VectorX& velocity() const { return v_; }
  const VectorX& acceleration() const { return a_; }
  double work() const { return work_; }
  double power() const { return power_; }
  double error() const { return error_; }  // relative to the tolerance; 0 without an estimate
  // Which h the error asks for next.
  double next_step(double h) const;

 private:
  void stage(const VectorX& q, const VectorX& v, double h, const double* weights, int count);

  const Model* model_;
  Integrator integrator_;
  VectorX k_xi_[7], k_v_[7];
  double k_w_[7] = {};
  VectorX xi_, q_, v_, a_, error_xi_, error_v_;
  double work_ = 0.0, power_ = 0.0, error_ = 0.0;
};

}  // namespace stiction
