#include "stiction/sim/energy_balance.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/mechanics.h"
#include "stiction/sim/position_projection.h"

namespace stiction {
namespace {

constexpr double seconds_remembered = 1.0;  // s, of the certificate
constexpr double share_of_impacts = 0.1;
constexpr double rounding = 1e-12;  // of the energies whose difference is taken

}  // namespace

EnergyBalance::EnergyBalance(const Model& model, double time_step)
    : time_step_(time_step),
      fading_(std::exp(-time_step / seconds_remembered)),
      least_energy_(0.5 * total_mass(model) * (time_step * time_step * model.gravity.squaredNorm())) {
  for (VectorX* x : {&mean_, &applied_, &loop_velocity_}) x->setZero(model.num_velocities());
}

void EnergyBalance::find_energy(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation& actuation,
                                const VectorX& q, const VectorX& v) {
  const MechanicalEnergy energy = mechanical_energy(dynamics, v.data());
  memory_.kinetic = energy.kinetic;
  memory_.potential = energy.gravity + actuation.spring_energy(q.data());
  const double power = ConstVectorMap(dynamics.bias.data(), v.size()).dot(v) +
                       free_spin.straight_flight_power(dynamics, v.data()) + actuation.spring_power(q.data(), v.data());
  memory_.half_step_ago = memory_.kinetic + memory_.potential - 0.5 * time_step_ * power;
  memory_.is_known = true;
}

void EnergyBalance::open(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation& actuation,
                         const VectorX& q, const VectorX& v, StepReport& report) {
  if (!memory_.is_known) find_energy(dynamics, free_spin, actuation, q, v);
  report.kinetic_energy = memory_.kinetic;
  report.potential_energy = memory_.potential;
}

// λ·J v̄ without a product with M: constraint_work is λ·J (v_f + v⁺)/2, and λ·J (v_f − v) = Δt force·M⁻¹Jᵀλ.
void EnergyBalance::account(const Motion& m, StepReport& report) {
  mean_ = 0.5 * (m.v + m.end_velocity);
  const Actuation::Works works = m.actuation.works(mean_, m.implicit ? m.end_velocity : m.v, time_step_);
  report.actuator_work = works.actuators;
  report.damped = works.damped;
  report.applied_work = time_step_ * m.joint_force.dot(mean_);
  if (!m.external_forces.empty()) {
    applied_.setZero();
    for (const BodyWrench& w : m.external_forces) {
      add_body_wrench(m.model, m.dynamics, w.body, w.force, w.torque, w.point, applied_.data());
    }
    report.applied_work += time_step_ * applied_.dot(mean_);
  }
  work_of_constraints_ = 0.0;
  if (m.rows.size() > 0) {
    work_of_constraints_ = report.constraint_work - 0.5 * time_step_ * m.force.dot(m.constraint_velocity);
    if (!m.model.loops.empty()) work_of_constraints_ -= work_of_loops(m);
    // Servo rows are in constraint_velocity, but not in constraint_work: their λ·J (v_f − v)/2 goes out again.
    for (std::size_t k = 0; k < m.servos.size(); ++k) {
      const int j = m.servos[k].dof;
      const double change = m.end_velocity[j] - m.constraint_velocity[j] - m.v[j];
      work_of_constraints_ += 0.5 * m.servo_impulse[k][0] * m.servos[k].sign * change;
    }
  }
  explained_ = report.actuator_work + report.applied_work - report.damped + work_of_constraints_;
}

double EnergyBalance::work_of_loops(const Motion& m) {
  loop_impulse_.assign(m.rows.size(), Pack4{});
  double work = 0.0;
  for (int i = 0; i < m.rows.size(); ++i) {
    const RowSet::Row& row = m.rows[i];
    if (row.id.source != ConstraintSource::loop) continue;
    loop_impulse_[i] = m.impulse[i];
    const Pack4 end = m.velocity[i] - m.impulse[i] * row.compliance - row.offset;
    work += 0.5 * sum(m.impulse[i] * (end + (row.free_velocity - row.offset)));
  }
  sum_factor_impulse(m.rows, loop_impulse_, lanes_, loop_velocity_);
  velocity_from_factor(m.model, m.dynamics, loop_velocity_.data(), loop_velocity_.data());
  return work - 0.5 * time_step_ * m.force.dot(loop_velocity_);
}

void EnergyBalance::close(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation& actuation,
                          const VectorX& q, const VectorX& v, double tolerance, StepReport& report) {
  const double before = memory_.half_step_ago, kinetic = memory_.kinetic, potential = memory_.potential;
  find_energy(dynamics, free_spin, actuation, q, v);
  report.energy_error = memory_.half_step_ago - before - explained_;
  memory_.gained = std::max(0.0, fading_ * memory_.gained + report.energy_error);
  memory_.moving = std::max({fading_ * memory_.moving, kinetic, memory_.kinetic, least_energy_});
  memory_.taken = fading_ * memory_.taken + std::max(0.0, -work_of_constraints_);
  const double digits = rounding * (memory_.kinetic + std::abs(memory_.potential) + std::abs(potential));
  report.energy_certified = std::isfinite(report.energy_error) &&
                            memory_.gained <= tolerance * memory_.moving + share_of_impacts * memory_.taken + digits;
}

}  // namespace stiction
