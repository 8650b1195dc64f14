#include "stiction/sim/energy_balance.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/mechanics.h"
#include "stiction/sim/position_projection.h"

namespace stiction {
namespace {

constexpr double memory = 1.0;  // s, of the certificate
constexpr double share_of_impacts = 0.1;
constexpr double rounding = 1e-12;  // of the energies whose difference is taken

// What Ê differs by from T + V.
double half_step_energy(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation& actuation,
                        const VectorX& q, const VectorX& v, double time_step) {
  const double power = ConstVectorMap(dynamics.bias.data(), v.size()).dot(v);
  return 0.5 * time_step *
         (power + free_spin.straight_flight_power(dynamics, v.data()) + actuation.spring_power(q.data(), v.data()));
}

}  // namespace

EnergyBalance::EnergyBalance(const Model& model) : mass_(total_mass(model)) {
  for (VectorX* x : {&mean_, &momentum_, &applied_, &loop_velocity_}) x->setZero(model.num_velocities());
}

void EnergyBalance::account(const Motion& m, StepReport& report) {
  const double dt = m.time_step;
  mean_ = 0.5 * (m.v + m.end_velocity);
  report.actuator_work = dt * m.actuation.actuator_power(m.v.data(), m.end_velocity.data(), dt);
  report.damped = dt * m.actuation.damped_power(m.v.data(), m.end_velocity.data(), m.implicit);
  applied_ = m.joint_force;
  for (const BodyWrench& w : m.external_forces) {
    add_body_wrench(m.model, m.dynamics, w.body, w.force, w.torque, w.point, applied_.data());
  }
  report.applied_work = dt * applied_.dot(mean_);
  work_of_constraints_ = 0.0;
  if (m.rows.size() > 0) {
    multiply_inertia(m.model, m.dynamics, mean_.data(), momentum_.data());
    if (const double* added = m.actuation.added_diagonal()) {
      for (Eigen::Index j = 0; j < mean_.size(); ++j) momentum_[j] += added[j] * mean_[j];
    }
    work_of_constraints_ = momentum_.dot(m.constraint_velocity) - work_of_loops(m);
  }
  explained_ = report.actuator_work + report.applied_work - report.damped + work_of_constraints_;
  before_ = report.kinetic_energy + report.potential_energy -
            half_step_energy(m.dynamics, m.free_spin, m.actuation, m.q, m.v, dt);
}

// After momentum_ is (M + added) v̄.
double EnergyBalance::work_of_loops(const Motion& m) {
  if (m.model.loops.empty()) return 0.0;
  loop_impulse_.assign(m.rows.size(), Pack4{});
  for (int i = 0; i < m.rows.size(); ++i) {
    if (m.rows[i].id.source == ConstraintSource::loop) loop_impulse_[i] = m.impulse[i];
  }
  sum_factor_impulse(m.rows, loop_impulse_, lanes_, loop_velocity_);
  velocity_from_factor(m.model, m.dynamics, loop_velocity_.data(), loop_velocity_.data());
  return momentum_.dot(loop_velocity_);
}

void EnergyBalance::close(const Model& model, const DynamicsData& dynamics, const FreeSpin& free_spin,
                          const Actuation& actuation, const VectorX& q, const VectorX& v, double time_step,
                          double tolerance, StepReport& report) {
  const MechanicalEnergy energy = mechanical_energy(dynamics, v.data());
  const double potential = energy.gravity + actuation.spring_energy(q.data());
  const double after = energy.kinetic + potential - half_step_energy(dynamics, free_spin, actuation, q, v, time_step);
  report.energy_error = after - before_ - explained_;
  const double fading = std::exp(-time_step / memory), fall = time_step * model.gravity.norm();
  gained_ = std::max(0.0, fading * gained_ + report.energy_error);
  moving_ = std::max({fading * moving_, report.kinetic_energy, energy.kinetic, 0.5 * mass_ * fall * fall});
  taken_ = fading * taken_ + std::max(0.0, -work_of_constraints_);
  const double digits = rounding * (energy.kinetic + std::abs(potential) + std::abs(report.potential_energy));
  report.energy_certified =
      std::isfinite(report.energy_error) && gained_ <= tolerance * moving_ + share_of_impacts * taken_ + digits;
}

}  // namespace stiction
