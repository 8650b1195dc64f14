// The stages of a step (theory §3.1), each a function of a room below.
#include <algorithm>
#include <cmath>

#include "stiction/constraints/corrections.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/workspace.h"

namespace stiction {
namespace {

// The rows of a constraint as lanes.
Pack4 pack_rows(const Constraint& c, const VectorX& rows) {
  const double* x = rows.data() + c.first_row;
  return c.rows == 3 ? Pack4{x[0], x[1], x[2], 0.0} : Pack4{x[0], 0.0, 0.0, 0.0};
}

}  // namespace

void Simulator::Workspace::update_dynamics() {
  if (!kinematics_current) update_kinematics(*model, state.q.data(), state.v.data(), dynamics);
  if (!inertia_current) update_inertia(*model, dynamics);
  kinematics_current = inertia_current = true;
}

void Simulator::Workspace::find_sleepers() {
  if (!settings.sleeping) return;
  const std::uint64_t inputs = Sleeping::sum_inputs(state.control, state.activation, joint_force, external_forces);
  if (state.rest_inputs != inputs && state.rest_inputs != 0) wake();
  state.rest_inputs = inputs;
  sleeping.find(*model, transmissions.lengths(), points, settings.sleep_after, state.rest_steps);
  points = sleeping.awake_points(*model, points);
  report.num_sleeping_bodies = sleeping.num_sleeping_bodies(*model);
}

void Simulator::Workspace::solve_free_velocity() {
  const int nv = model->num_velocities();
  for (int j = 0; j < nv; ++j) generalized_force[j] = actuation.force()[j] + joint_force[j] - dynamics.bias[j];
  for (const BodyWrench& w : external_forces) {
    add_body_wrench(*model, dynamics, w.body, w.force, w.torque, w.point, generalized_force.data());
  }
  if (transmissions.any()) generalized_force += transmissions.force();
  if (world_forces.any()) generalized_force += world_forces.force();
  if (fluid_forces.any() && !fluid_forces.is_implicit()) generalized_force += fluid_forces.force();
  if (has_turned) generalized_force += turning_force;  // servos are taken otherwise than at first
  factor_inertia(*model, actuation.added_diagonal(), dynamics);
  body_v_free_current = false;
  v_free = time_step * generalized_force;
  solve_inertia(*model, dynamics, v_free.data());
  v_free += state.v;
  if (settings.implicit_turning && !has_turned) {
    const bool may_solve_again = servo_limits.has_any();
    if (may_solve_again) explicit_force = generalized_force;
    free_spin.correct(dynamics, state.v.data(), time_step, v_free.data(), generalized_force.data());
    report.num_braked_trees = turning.correct(*model, dynamics, state.v.data(), actuation.added_diagonal(), time_step,
                                              v_free.data(), generalized_force.data());
    if (may_solve_again) turning_force = generalized_force - explicit_force;
    has_turned = may_solve_again;
  }
  if (fluid_forces.any() && fluid_forces.is_implicit()) {
    fluid_forces.correct({*model, dynamics, state.v.data(), actuation.added_diagonal(), time_step}, v_free.data(),
                         generalized_force.data());
  }
  for (std::size_t t = 0; settings.sleeping && t < model->trees.size(); ++t) {
    if (!sleeping.is_asleep(static_cast<int>(t))) continue;
    v_free.segment(model->trees[t].first_velocity, model->trees[t].num_velocities).setZero();
  }
  if (!std::isfinite((v_free.array() * 0.0).sum())) {
    for (int j = 0; j < nv; ++j) {
      if (!std::isfinite(v_free[j])) {
        throw std::runtime_error(message("step at time ", state.time, ": the free velocity v[", j,
                                         "] is not finite; positions, velocities or forces grew too large"));
      }
    }
  }
}

void Simulator::Workspace::make_rows() {
  row_builder.build({.dynamics = dynamics,
                     .q = state.q.data(),
                     .v = state.v.data(),
                     .v_free = v_free.data(),
                     .contacts = points,
                     .roles = roles.empty() ? nullptr : roles.data(),
                     .contact_margin = settings.collision.margin,
                     .time_step = time_step,
                     .settings = settings.constraints,
                     .asleep = asleep(),
                     .servos = servo_limits.rows(),
                     .lengths = transmissions.lengths(),
                     .coupled_servos = transmissions.rows()},
                    rows);
}

// What the rows were in the last step, or in the last round of this one: jams, guesses, where contacts began to stick.
void Simulator::Workspace::recall_last_step() {
  recall_jams(state.warm_starts, state.step, time_step, settings.constraints, rows);
  if (settings.warm_start) {
    recall_guesses(state.warm_starts, row_builder, rows);
    if (report.num_rechecks > 0) recall_guesses(next_warm_starts, row_builder, rows);
  }
  stick_memory.recall(stick_inputs(), rows);
  if (settings.constraints.relative_tangent_compliance > 0.0) relax_tangents(state.warm_starts, row_builder, rows);
}

void Simulator::Workspace::find_islands() {
  islands.find(rows, static_cast<int>(model->trees.size()));
  leave_out_rows();
}

void Simulator::Workspace::leave_out_rows() {
  report.num_redundant_rows = 0;
  report.largest_loop_mismatch = 0.0;
  for (int k = 0; !model->loops.empty() && k < islands.size(); ++k) {
    const RedundantLoops::Found found =
        redundant_loops.leave_out(rows, islands.constraints(k), model->num_velocities());
    report.num_redundant_rows += found.rows;
    report.largest_loop_mismatch = std::max(report.largest_loop_mismatch, found.mismatch);
  }
  report.num_held_contacts = 0;
  for (int i = 0; i < row_builder.num_contacts(); ++i) report.num_held_contacts += rows[i].is_left_out();
  if (report.num_redundant_rows + report.num_held_contacts > 0) islands.remove_left_out(rows);
}

StickMemory::Inputs Simulator::Workspace::stick_inputs() const {
  return {dynamics,          state.v.data(), points,     row_builder,
          state.warm_starts, time_step,      state.step, settings.constraints};
}

void Simulator::Workspace::make_problems() {
  island_solver.build_problems(rows, islands);
}

void Simulator::Workspace::solve_islands() {
  island_solver.solve(rows, islands, interrupt);
  stop_if_asked();
  collect_solution();
  v_end = v_free;
  if (rows.num_constraints() == 0) {
    v_constraint.setZero();
  } else {
    rows.multiply_transposed(impulse, velocity_lanes, v_constraint);
    velocity_from_factor(*model, dynamics, v_constraint.data(), v_constraint.data());
    v_end += v_constraint;
  }
}

void Simulator::Workspace::collect_solution() {
  report.status = SolveStatus::converged;
  report.num_jammed_islands = report.coupling_rounds = 0;
  impulse.assign(rows.num_constraints(), Pack4{});  // what was left out is in no island
  velocity.assign(rows.num_constraints(), Pack4{});
  for (int k = 0; k < island_solver.size(); ++k) {
    const SolveReport& solved = island_solver.report(k);
    report.iterations += solved.iterations;
    report.factorisations += solved.factorisations;
    if (island_solver.problem(k).is_coupled()) report.coupling_rounds = std::max(report.coupling_rounds, solved.rounds);
    report.status = std::max(report.status, solved.status);
    const auto members = islands.constraints(k);
    // Found in this step, or left as it was found.
    report.num_jammed_islands +=
        island_solver.is_jammed(k) ||
        std::any_of(members.begin(), members.end(), [this](int i) { return rows[i].left_depth > 0.0; });
    const ContactProblem& problem = island_solver.problem(k);
    const ContactSolution& solution = island_solver.solution(k);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Constraint& c = problem.constraint(static_cast<int>(i));
      impulse[members[i]] = pack_rows(c, solution.impulse);
      velocity[members[i]] = pack_rows(c, solution.velocity);
    }
  }
}

void Simulator::Workspace::judge_islands() {
  report.residuals = {};
  report.worst_contact = -1;
  if (settings.judge) {
    island_solver.judge_all();
    for (int k = 0; k < island_solver.size(); ++k) {
      Residuals residuals = island_solver.residuals(k);
      residuals.worst_constraint = islands.constraints(k)[std::max(0, residuals.worst_constraint)];
      merge(residuals, report.residuals);
    }
    const int worst = report.residuals.worst_constraint;
    if (worst >= 0 && rows[worst].id.source == ConstraintSource::contact) report.worst_contact = worst;
  }
  report.friction_error = settings.judge ? friction_error() : 0.0;
  const double eps = report.residuals.eps_nat;
  const bool within = settings.absolute_tolerance > 0.0 ? report.residuals.eps_abs <= settings.absolute_tolerance
                                                        : eps <= settings.tolerance;
  report.law_certified = settings.judge ? within : report.converged();
  report.accepted = report.law_certified ||
                    (settings.judge ? eps <= settings.acceptable_tolerance : report.status == SolveStatus::acceptable);
}

// Largest distance of a friction force from the law's, N: beyond the cone, or not against the slip. A slip that the
// tolerance cannot tell from rest has no direction to be off from.
double Simulator::Workspace::friction_error() const {
  constexpr double told = 1e3;  // times the tolerance, of the fastest free velocity
  double fastest = time_step * model->gravity.norm(), worst = 0.0;
  for (int i = 0; i < row_builder.num_contacts(); ++i) {
    const Pack4& g = rows[i].free_velocity;
    fastest = std::max({fastest, std::abs(g[0]), std::abs(g[1]), std::abs(g[2])});
  }
  const double least_slip = told * settings.tolerance * fastest;
  for (int i = 0; i < row_builder.num_contacts(); ++i) {
    const Constraint& law = rows[i].law;
    if (law.kind != ConstraintKind::frictional || !(law.friction > 0.0 && law.friction_2 > 0.0)) continue;
    const Pack4 &l = impulse[i], &s = velocity[i];
    const double size = std::hypot(l[0] / law.friction, l[1] / law.friction_2), push = std::max(0.0, l[2]);
    const double force = std::hypot(l[0], l[1]), slip = std::hypot(s[0], s[1]);
    if (size > push) worst = std::max(worst, force * (1.0 - push / size));
    // What takes most power: −λ_N (μ₁² σ₁, μ₂² σ₂)/√(μ₁² σ₁² + μ₂² σ₂²).
    const double w1 = law.friction * s[0], w2 = law.friction_2 * s[1], power = std::hypot(w1, w2);
    if (!(power > 0.0) || slip < least_slip) continue;
    const double off1 = l[0] + push * law.friction * w1 / power, off2 = l[1] + push * law.friction_2 * w2 / power;
    worst = std::max(worst, std::hypot(off1, off2));
  }
  return worst / time_step;
}

// What the step consisted of, and the energy that it began with; what impulses and forces did.
void Simulator::Workspace::account() {
  count_constraints();
  count_regimes();
  const bool is_known = energy_balance.memory().is_known;
  energy_balance.open(dynamics, free_spin, is_known ? Actuation::Springs{} : stored_energy(state.q, state.v), state.v,
                      report);
  account_works();
}

// Constraints by kind, and the work of the impulses by (1-16): with G λ = σ − R λ − g and J v_f = g − γ no product is
// needed.
void Simulator::Workspace::count_constraints() {
  report.num_limits = report.num_dry_frictions = report.num_loops = report.num_friction_torques = 0;
  report.num_islands = island_solver.size();
  report.constraint_work = report.dissipated = report.surface_work = report.largest_penetration = 0.0;
  report.num_compliant_contacts = report.num_softened_contacts = report.num_relaxed_contacts = 0;
  report.largest_compliance = report.largest_static_depth = 0.0;
  report.largest_relaxed_slip = 0.0;
  report.num_servos = servo_limits.num_servos();
  report.num_saturated_servos = servo_limits.num_saturated();
  for (int i = 0; i < rows.num_constraints() - num_servo_rows(); ++i) {
    const Pack4 lambda = impulse[i], carried = lambda * rows[i].compliance;
    const Pack4 end = velocity[i] - carried - rows[i].offset;  // c = J v⁺
    const Pack4 change = velocity[i] - carried - rows[i].free_velocity;
    report.constraint_work += sum(lambda * (0.5 * change + rows[i].free_velocity - rows[i].offset));
    const Constraint& c = rows[i].law;
    switch (rows[i].id.source) {
      case ConstraintSource::contact:
        count_contact_friction(i, lambda, end);
        if (rows[i].compliance[2] > 0.0) count_compliance(rows[i], lambda[2]);
        if (rows[i].compliance[0] > 0.0) {
          const Pack4 slip = rows[i].compliance * (lambda - rows[i].last);
          ++report.num_relaxed_contacts;
          report.largest_relaxed_slip = std::max(report.largest_relaxed_slip, std::hypot(slip[0], slip[1]));
        }
        break;
      case ConstraintSource::torsion:
      case ConstraintSource::rolling:
        ++report.num_friction_torques;
        report.dissipated -= lambda[0] * velocity[i][0] + lambda[1] * velocity[i][1];
        report.surface_work -= lambda[0] * rows[i].offset[0];
        break;
      case ConstraintSource::dry_friction:
        ++report.num_dry_frictions;
        report.dissipated += c.bound * std::abs(end[0]);
        break;
      case ConstraintSource::loop:
        ++report.num_loops;
        break;
      default:
        ++report.num_limits;
    }
  }
  for (const ContactPoint& point : points) {
    report.largest_penetration = std::max(report.largest_penetration, -point.gap);
  }
}

// Friction takes what the surfaces slide against each other by; where they move by themselves, that is not what the
// bodies do.
void Simulator::Workspace::count_contact_friction(int i, const Pack4& lambda, const Pack4& end) {
  report.dissipated -= lambda[0] * end[0] + lambda[1] * end[1];
  if (!row_builder.has_moving_surface(i)) return;
  const Pack4 surface = row_builder.surface_velocity(i);
  const double work = lambda[0] * surface[0] + lambda[1] * surface[1];
  report.dissipated -= work;
  report.surface_work -= work;
}

void Simulator::Workspace::count_compliance(const StepConstraint& contact, double normal_impulse) {
  ++report.num_compliant_contacts;
  report.num_softened_contacts += contact.is_softened;
  const double step = contact.compliance[2] * time_step;
  report.largest_compliance = std::max(report.largest_compliance, step * time_step);
  report.largest_static_depth = std::max(report.largest_static_depth, step * normal_impulse);
}

void Simulator::Workspace::count_regimes() {
  regime.assign(rows.num_constraints(), ContactRegime::open);
  report.num_contacts = row_builder.num_contacts();
  report.num_sticking = report.num_sliding = 0;
  for (int k = 0; k < island_solver.size(); ++k) {
    const ContactProblem& problem = island_solver.problem(k);
    const ContactSolution& solution = island_solver.solution(k);
    const auto members = islands.constraints(k);
    for (std::size_t i = 0; i < members.size() && rows[members[i]].id.source == ConstraintSource::contact; ++i) {
      const ContactRegime found = contact_regime(problem, static_cast<int>(i), solution.impulse, solution.velocity);
      regime[members[i]] = found;
      report.num_sticking += found == ContactRegime::sticking;
      report.num_sliding += found == ContactRegime::sliding;
    }
  }
  report.num_open = report.num_contacts - report.num_sticking - report.num_sliding;
}

void Simulator::Workspace::account_works() {
  energy_balance.account({.model = *model,
                          .dynamics = dynamics,
                          .actuation = actuation,
                          .v = state.v,
                          .v_end = v_end,
                          .v_constraint = v_constraint,
                          .force = generalized_force,
                          .joint_force = joint_force,
                          .external_forces = external_forces,
                          .rows = rows,
                          .impulse = impulse,
                          .velocity = velocity,
                          .servos = servo_limits.rows(),
                          .servo_impulse = servo_impulse(),
                          .lengths = transmissions.lengths(),
                          .coupled = transmissions.rows(),
                          .coupled_impulse = coupled_impulse(),
                          .damped_elsewhere = transmissions.damped() + fluid_forces.taken(),
                          .work_on_kinematic = has_kinematic_bodies ? work_on_kinematic_bodies() : 0.0,
                          .implicit = settings.implicit},
                         report);
}

// Of springs, and of weights that are carried; kinematics at (q, v).
Actuation::Springs Simulator::Workspace::stored_energy(const VectorX& q, const VectorX& v) {
  Actuation::Springs sum = actuation.springs(q.data(), v.data());
  const auto add = [&](const Actuation::Springs& more) { sum.energy += more.energy, sum.power += more.power; };
  if (transmissions.any()) add(transmissions.springs(*model, dynamics, q.data(), v.data()));
  if (world_forces.any()) add(world_forces.carried(*model, dynamics));
  return sum;
}

// q⁺, and v⁺ there.
void Simulator::Workspace::find_end() {
  if (settings.constraints.projects_joints(*model) && rows.num_constraints() > 0) {
    row_v_end.resize(rows.num_constraints());
    for (int i = 0; i < rows.num_constraints(); ++i) row_v_end[i] = end_velocity(i);
    // v⁺ + u moves the positions; v⁺ alone stays the velocity.
    v_move = v_end + projection.project(*model, dynamics, rows, row_v_end, time_step, settings.constraints,
                                        report.largest_loop_mismatch,
                                        {.max_iterations = island_solver.iterations_left(), .interrupt = interrupt});
    island_solver.spend(projection.most_iterations());
    report.iterations += projection.iterations();
    stop_if_asked();
  } else {
    v_move = v_end;
  }
  integrate(*model, state.q, v_move, time_step, q_end);
  free_spin.carry_centers(state.q.data(), v_move.data(), time_step, q_end.data(), v_end.data());
}

// What the next step starts from, where this one is accepted; the next round of this one does so, too.
void Simulator::Workspace::remember() {
  const StickMemory::Inputs stuck = stick_inputs();
  const int n = rows.num_constraints() - num_servo_rows();
  next_warm_starts.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    WarmStart& next = next_warm_starts[i];
    next.id = rows[i].id;
    Vector3 x(impulse[i][0], impulse[i][1], impulse[i][2]);
    const bool contact = next.id.source == ConstraintSource::contact;
    if (contact) x = row_builder.frame(i) * x;
    if (next.id.source == ConstraintSource::rolling) x = row_builder.frame(rows[i].law.partner) * x;
    for (int r = 0; r < 3; ++r) next.impulse[r] = x[r];
    next.left_depth = rows[i].jam_changed ? -rows[i].left_depth : rows[i].left_depth;
    if (contact) {
      stick_memory.store(stuck, rows, i, regime[i] == ContactRegime::sticking, end_velocity(i), next);
    } else {
      StickMemory::store_nothing(next);
    }
  }
  if (settings.sleeping) sleeping.keep_warm_starts(*model, state.warm_starts, next_warm_starts);
  servo_limits.remember(state.v.data(), v_end.data(), servo_impulse(), next_warm_starts);
  transmissions.remember(coupled_impulse(), next_warm_starts);
  find_next_activation();
}

}  // namespace stiction
