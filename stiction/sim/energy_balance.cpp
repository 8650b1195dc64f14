#include "stiction/sim/energy_balance.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/mechanics.h"

namespace stiction {
namespace {

constexpr double seconds_remembered = 1.0;  // s, of the certificate
constexpr double share_of_impacts = 0.1;
constexpr double rounding = 1e-12;  // of the energies whose difference is taken

// Products by velocity that the works of a step are sums of, four velocities at a time.
struct Products {
  Pack4 actuators{}, damped{}, applied{}, constraints{};

  STICTION_INLINE void add(const Pack4& mean, const Pack4& actuator_force, const Pack4& damping_force,
                           const Pack4& joint_force, const Pack4& force, const Pack4& constraint_velocity) {
    actuators += actuator_force * mean;
    damped += damping_force * mean;
    applied += joint_force * mean;
    constraints += force * constraint_velocity;
  }
};

}  // namespace

EnergyBalance::EnergyBalance(const Model& model, double time_step)
    : time_step_(time_step),
      fading_(std::exp(-time_step / seconds_remembered)),
      least_energy_(0.5 * total_mass(model) * (time_step * time_step * model.gravity.squaredNorm())) {
  for (VectorX* x : {&mean_, &applied_, &loop_velocity_}) x->setZero(model.num_velocities());
}

void EnergyBalance::find_energy(const DynamicsData& dynamics, const FreeSpin& free_spin,
                                const Actuation::Springs& springs, const VectorX& v) {
  const MechanicalEnergy energy = mechanical_energy(dynamics, v.data());
  memory_.kinetic = energy.kinetic;
  memory_.potential = energy.gravity + springs.energy;
  const double power = ConstVectorMap(dynamics.bias.data(), v.size()).dot(v) +
                       free_spin.straight_flight_power(dynamics, v.data()) + springs.power;
  memory_.half_step_ago = memory_.kinetic + memory_.potential - 0.5 * time_step_ * power;
  memory_.is_known = true;
}

void EnergyBalance::open(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation::Springs& stored,
                         const VectorX& v, StepReport& report) {
  if (!memory_.is_known) find_energy(dynamics, free_spin, stored, v);
  report.kinetic_energy = memory_.kinetic;
  report.potential_energy = memory_.potential;
}

// λ·J v̄ without a product with M: constraint_work is λ·J (v_f + v⁺)/2, and λ·J (v_f − v) = Δt force·M⁻¹Jᵀλ.
void EnergyBalance::account(const Motion& m, StepReport& report) {
  const double *v = m.v.data(), *end = m.v_end.data(), *damped_at = m.implicit ? end : v;
  const double *actuators = m.actuation.actuator_force().data(), *damping = m.actuation.damping().data();
  const double *joint_force = m.joint_force.data(), *force = m.force.data();
  const double* by_constraints = m.v_constraint.data();
  const int n = static_cast<int>(m.v.size());
  Products products;
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    products.add(0.5 * (load4(v + j) + load4(end + j)), load4(actuators + j), load4(damping + j) * load4(damped_at + j),
                 load4(joint_force + j), load4(force + j), load4(by_constraints + j));
  }
  for (; j < n; ++j) {
    products.add(Pack4{0.5 * (v[j] + end[j])}, Pack4{actuators[j]}, Pack4{damping[j] * damped_at[j]},
                 Pack4{joint_force[j]}, Pack4{force[j]}, Pack4{by_constraints[j]});
  }
  report.actuator_work = time_step_ * sum_halves(products.actuators);
  report.damped = time_step_ * sum_halves(products.damped);
  report.applied_work = time_step_ * sum_halves(products.applied);
  if (!m.external_forces.empty()) {
    mean_ = 0.5 * (m.v + m.v_end);
    applied_.setZero();
    for (const BodyWrench& w : m.external_forces) {
      add_body_wrench(m.model, m.dynamics, w.body, w.force, w.torque, w.point, applied_.data());
    }
    report.applied_work += time_step_ * applied_.dot(mean_);
  }
  report.damped += m.damped_elsewhere;
  // λ·J v̄ below is of both bodies of a constraint. What it is on a kinematic one, whoever moves that has done to the
  // others; the same for loops, which together do none.
  report.applied_work -= m.work_on_kinematic;
  work_of_constraints_ = 0.0;
  if (m.rows.num_constraints() > 0) {
    work_of_constraints_ = report.constraint_work - 0.5 * time_step_ * sum_halves(products.constraints);
    if (!m.model.loops.empty()) work_of_constraints_ -= work_of_loops(m);
    // Servo rows are in v_constraint, but not in constraint_work: their λ·J (v_f − v)/2 goes out again.
    for (std::size_t k = 0; k < m.servos.size(); ++k) {
      const int dof = m.servos[k].dof;
      const double change = end[dof] - by_constraints[dof] - v[dof];
      work_of_constraints_ += 0.5 * m.servo_impulse[k][0] * m.servos[k].sign * change;
    }
    for (std::size_t k = 0; k < m.coupled.size(); ++k) {
      const int length = m.coupled[k].dof - n;
      const double change =
          m.lengths->rate(length, end) - m.lengths->rate(length, by_constraints) - m.lengths->rate(length, v);
      work_of_constraints_ += 0.5 * m.coupled_impulse[k][0] * m.coupled[k].sign * change;
    }
  }
  explained_ = report.actuator_work + report.applied_work - report.damped + work_of_constraints_;
}

double EnergyBalance::work_of_loops(const Motion& m) {
  loop_impulse_.assign(m.rows.num_constraints(), Pack4{});
  double work = 0.0;
  for (int i = 0; i < m.rows.num_constraints(); ++i) {
    const StepConstraint& loop = m.rows[i];
    if (loop.id.source != ConstraintSource::loop) continue;
    loop_impulse_[i] = m.impulse[i];
    const Pack4 end = m.velocity[i] - m.impulse[i] * loop.compliance - loop.offset;
    work += 0.5 * sum(m.impulse[i] * (end + (loop.free_velocity - loop.offset)));
  }
  m.rows.multiply_transposed(loop_impulse_, lanes_, loop_velocity_);
  velocity_from_factor(m.model, m.dynamics, loop_velocity_.data(), loop_velocity_.data());
  return work - 0.5 * time_step_ * m.force.dot(loop_velocity_);
}

void EnergyBalance::close(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation::Springs& stored,
                          const VectorX& v, double tolerance, StepReport& report) {
  const double before = memory_.half_step_ago, kinetic = memory_.kinetic, potential = memory_.potential;
  find_energy(dynamics, free_spin, stored, v);
  report.energy_error = memory_.half_step_ago - before - explained_;
  memory_.gained = std::max(0.0, fading_ * memory_.gained + report.energy_error);
  memory_.moving = std::max({fading_ * memory_.moving, kinetic, memory_.kinetic, least_energy_});
  memory_.taken = fading_ * memory_.taken + std::max(0.0, -work_of_constraints_);
  const double digits = rounding * (memory_.kinetic + std::abs(memory_.potential) + std::abs(potential));
  report.energy_certified = report.num_braked_trees == 0 && std::isfinite(report.energy_error) &&
                            memory_.gained <= tolerance * memory_.moving + share_of_impacts * memory_.taken + digits;
}

}  // namespace stiction
