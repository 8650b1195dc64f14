#include "stiction/sim/runge_kutta.h"

#include <algorithm>
#include <cmath>

#include "stiction/sim/smooth_path.h"

namespace stiction {
namespace {

// Kutta's classical weights, and those of Dormand and Prince; the last row of each is the solution.
constexpr double rk4_nodes[] = {0.0, 0.5, 0.5, 1.0};
constexpr double rk4[5][4] = {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}, {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}};
constexpr double dp_nodes[] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
constexpr double dp[7][6] = {{},
                             {1.0 / 5.0},
                             {3.0 / 40.0, 9.0 / 40.0},
                             {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
                             {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
                             {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
                             {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
constexpr double dp_error[] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                               -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

}  // namespace

std::string_view to_string(Integrator integrator) {
  return integrator == Integrator::rk4 ? "rk4" : "rk45";
}

RungeKutta::RungeKutta(const Model& model, Integrator integrator) : model_(&model), integrator_(integrator) {
  const int nv = model.num_velocities();
  for (int k = 0; k < 7; ++k) k_xi_[k].setZero(nv), k_v_[k].setZero(nv);
  for (VectorX* x : {&xi_, &v_, &a_, &error_xi_, &error_v_}) x->setZero(nv);
  q_ = model.initial_position;
}

// (ξ, q, v) of h Σ weights k.
void RungeKutta::stage(const VectorX& q, const VectorX& v, double h, const double* weights, int count) {
  xi_.setZero();
  v_ = v;
  for (int k = 0; k < count; ++k) {
    if (weights[k] == 0.0) continue;
    xi_ += h * weights[k] * k_xi_[k];
    v_ += h * weights[k] * k_v_[k];
  }
  integrate(*model_, q, xi_, 1.0, q_);
}

void RungeKutta::step(const VectorX& q, const VectorX& v, double h, const Motion& motion, const Tolerance& tolerance) {
  const bool pair = integrator_ == Integrator::rk45;
  const int stages = pair ? 6 : 4;
  k_xi_[0] = v;
  for (int k = 1; k < stages; ++k) {
    stage(q, v, h, pair ? dp[k] : rk4[k], k);
    k_w_[k] = motion(h * (pair ? dp_nodes[k] : rk4_nodes[k]), q_, v_, k_v_[k]);
    rates_of_displacement(*model_, xi_, v_, k_xi_[k]);
  }
  const double* weights = pair ? dp[6] : rk4[4];
  stage(q, v, h, weights, stages);
  work_ = 0.0;
  for (int k = 0; k < stages; ++k) work_ += h * weights[k] * k_w_[k];
  power_ = motion(h, q_, v_, a_);
  error_ = 0.0;
  if (!pair) return;
  k_v_[6] = a_;
  rates_of_displacement(*model_, xi_, v_, k_xi_[6]);
  error_xi_.setZero(), error_v_.setZero();
  for (int k = 0; k < 7; ++k) {
    error_xi_ += h * dp_error[k] * k_xi_[k];
    error_v_ += h * dp_error[k] * k_v_[k];
  }
  const auto add = [&](const VectorX& e, const VectorX& scale) {
    for (Eigen::Index j = 0; j < e.size(); ++j) {
      error_ = std::max(error_, std::abs(e[j]) / (tolerance.absolute + tolerance.relative * std::abs(scale[j])));
    }
  };
  add(error_xi_, xi_);
  add(error_v_, v_);
  if (!std::isfinite(error_xi_.sum() + error_v_.sum())) error_ = 1e30;
}

double RungeKutta::next_step(double h) const {
  if (integrator_ == Integrator::rk4) return h;
  return h * std::clamp(0.9 * std::pow(std::max(error_, 1e-12), -0.2), 0.2, 5.0);
}

}  // namespace stiction
