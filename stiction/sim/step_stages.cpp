// The stages of a step (theory §3.1), each a function of a room below.
#include <algorithm>
#include <cmath>

#include "stiction/constraints/corrections.h"
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
  const std::uint64_t inputs = Sleeping::sum_inputs(state.control, joint_force, external_forces);
  if (state.rest_inputs != inputs && state.rest_inputs != 0) wake();
  state.rest_inputs = inputs;
  sleeping.find(*model, points, settings.sleep_after, state.rest_steps);
  points = sleeping.awake_points(*model, points);
  report.num_sleeping_bodies = sleeping.num_sleeping_bodies(*model);
}

void Simulator::Workspace::solve_free_velocity() {
  const int nv = model->num_velocities();
  for (int j = 0; j < nv; ++j) generalized_force[j] = actuation.force()[j] + joint_force[j] - dynamics.bias[j];
  for (const BodyWrench& w : external_forces) {
    add_body_wrench(*model, dynamics, w.body, w.force, w.torque, w.point, generalized_force.data());
  }
  if (has_turned) generalized_force += turning_force;  // servos are taken otherwise than at first
  factor_inertia(*model, actuation.added_diagonal(), dynamics);
  free_velocity = time_step * generalized_force;
  solve_inertia(*model, dynamics, free_velocity.data());
  free_velocity += state.v;
  if (settings.implicit_turning && !has_turned) {
    const bool may_solve_again = servo_limits.has_any();
    if (may_solve_again) turning_force = -generalized_force;
    free_spin.correct(dynamics, state.v.data(), time_step, free_velocity.data(), generalized_force.data());
    turning.correct(*model, dynamics, state.v.data(), actuation.added_diagonal(), time_step, free_velocity.data(),
                    generalized_force.data());
    if (may_solve_again) turning_force += generalized_force;
    has_turned = may_solve_again;
  }
  for (std::size_t t = 0; settings.sleeping && t < model->trees.size(); ++t) {
    if (!sleeping.is_asleep(static_cast<int>(t))) continue;
    free_velocity.segment(model->trees[t].first_velocity, model->trees[t].num_velocities).setZero();
  }
  if (!std::isfinite((free_velocity.array() * 0.0).sum())) {
    for (int j = 0; j < nv; ++j) {
      if (!std::isfinite(free_velocity[j])) {
        throw std::runtime_error("step at time " + std::to_string(state.time) + ": the free velocity v[" +
                                 std::to_string(j) + "] is not finite; positions, velocities or forces grew too large");
      }
    }
  }
}

void Simulator::Workspace::make_rows() {
  row_builder.build({.dynamics = dynamics,
                     .q = state.q.data(),
                     .v = state.v.data(),
                     .v_free = free_velocity.data(),
                     .contacts = points,
                     .roles = roles.empty() ? nullptr : roles.data(),
                     .contact_margin = settings.collision.margin,
                     .time_step = time_step,
                     .settings = settings.constraints,
                     .asleep = settings.sleeping ? sleeping.asleep() : nullptr,
                     .servos = servo_limits.rows()},
                    rows);
  carry_guesses();
  stick_memory.recall(stick_inputs(), rows);
  islands.find(rows, static_cast<int>(model->trees.size()));
  leave_out_rows();
  num_slots = islands.size();
  for (int k = 0; k < num_slots; ++k) assemble_island(k);
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

// Its problem, and the guess to start from.
void Simulator::Workspace::assemble_island(int k) {
  IslandSlot& island = slot(k);
  const auto members = islands.constraints(k);
  const ContactProblem& problem = island.assembler.assemble(*model, rows, members);
  island.solution.impulse.resize(problem.num_rows());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Constraint& c = problem.constraint(static_cast<int>(i));
    for (int r = 0; r < c.rows; ++r) island.solution.impulse[c.first_row + r] = rows[members[i]].guess[r];
  }
}

// What was jammed in the last step is left as it is: a jam outlasts a step, and to find it again costs a hundred
// factorisations. One of which nothing has changed, no depth and no contact, is not tried again; others are, now and
// then. Both lists ascend.
void Simulator::Workspace::carry_jams() {
  constexpr int try_every = 64;                      // steps
  constexpr double same = 0.1;                       // of a depth: no change
  const auto for_each_left = [this](auto&& visit) {  // visit(where it was left, row or null)
    int i = 0;
    for (const WarmStart& before : state.warm_starts) {
      if (before.left_depth == 0.0) continue;
      while (i < rows.size() && rows[i].id < before.id) ++i;
      visit(before, i < rows.size() && rows[i].id == before.id ? &rows[i] : nullptr);
    }
  };
  bool changed = false;
  for_each_left([&](const WarmStart& before, const RowSet::Row* row) {
    const bool stays =
        row && before.left_depth > 0.0 && std::abs(-row->error[2] - before.left_depth) <= same * before.left_depth;
    changed = changed || !stays;
  });
  if (changed && state.step % try_every == 0) return;
  for_each_left([&](const WarmStart& before, RowSet::Row* row) {
    if (!row) return;
    leave_at_depth(std::abs(before.left_depth), time_step, settings.constraints, *row);
    row->jam_changed = changed;
  });
}

// Guesses by identity: both lists ascend.
void Simulator::Workspace::carry_guesses() {
  carry_jams();
  if (!settings.warm_start) return;
  auto before = state.warm_starts.begin();
  for (int i = 0; i < rows.size(); ++i) {
    while (before != state.warm_starts.end() && before->id < rows[i].id) ++before;
    if (before == state.warm_starts.end()) break;
    if (before->id == rows[i].id) set_guess(i, *before);
  }
  if (report.num_rechecks == 0) return;
  auto last = next_warm_starts.begin();  // of the last round
  for (int i = 0; i < rows.size(); ++i) {
    while (last != next_warm_starts.end() && last->id < rows[i].id) ++last;
    if (last != next_warm_starts.end() && last->id == rows[i].id) set_guess(i, *last);
  }
}

void Simulator::Workspace::set_guess(int i, const WarmStart& from) {
  const double* x = from.impulse;
  if (rows[i].id.source == ConstraintSource::contact) {
    const Vector3 local = row_builder.frame(i).transpose() * Vector3(x[0], x[1], x[2]);
    rows[i].guess = Pack4{local[0], local[1], local[2], 0.0};
  } else {
    rows[i].guess = Pack4{x[0], x[1], x[2], 0.0};
  }
}

// An island whose corrections contradict each other is solved again without them. Solvers that also fail where there is
// a solution are left with the problem that they are compared on.
void Simulator::Workspace::solve_island(int k) {
  constexpr std::size_t most_constraints = 500;  // in larger ones folds of the path are what fails
  constexpr std::size_t few_constraints = 100;   // these have few folds: what has a solution is found soon
  constexpr int first_try = 100;                 // factorisations, for few constraints
  IslandSlot& island = slots[k];
  // Small islands need nothing that a solver keeps: one thread solves them all with the same memory, which stays hot.
  const bool dense = island.assembler.problem().form() == DelassusForm::dense;
  ContactSolver& solver = *(settings.threads > 1 || !dense ? island : slots.front()).solver;
  const auto members = islands.constraints(k);
  const auto may_be_jammed = [&] {
    return members.size() <= most_constraints && solver.traits().is_decisive &&
           has_corrections(rows, members, time_step, settings.constraints);
  };
  SolveReport before;
  int& limit = solver.settings().max_iterations;
  const int usual_limit = limit;
  // All tries of the step share its limit. One iteration is always left, for 0 means no limit.
  const auto solve = [&](int most) {
    before = island.report;
    const int left = std::max(1, usual_limit - spent_iterations - before.iterations);
    limit = usual_limit == 0 ? most : most == 0 ? left : std::min(left, most);
    island.report = solver.solve(island.assembler.problem(), island.solution);
    limit = usual_limit;
    island.report.iterations += before.iterations;
    island.report.factorisations += before.factorisations;
  };
  island.report = {};
  island.jammed = false;
  const bool in_haste = members.size() <= few_constraints && may_be_jammed();
  solve(in_haste ? first_try : 0);
  if (island.report.status <= SolveStatus::acceptable || !may_be_jammed()) return;

  JamTrial& trial = island.trial;
  trial.solution = island.solution;
  trial.rows.clear();
  for (const int i : members) trial.rows.push_back(rows[i]);
  drop_corrections(rows, members, time_step, settings.constraints);
  assemble_island(k);
  solve(0);
  island.jammed = island.report.status <= SolveStatus::acceptable;
  if (island.jammed) return;

  // It was no jam: everything is as it was, and nothing is left untried.
  for (std::size_t i = 0; i < members.size(); ++i) rows[members[i]] = trial.rows[i];
  assemble_island(k);
  island.solution = trial.solution;
  if (in_haste) {
    solve(0);
  } else {
    before.iterations = island.report.iterations;
    before.factorisations = island.report.factorisations;
    island.report = before;
  }
}

void Simulator::Workspace::solve_islands() {
  report.status = SolveStatus::converged;
  report.num_jammed_islands = 0;
  pool.for_each(num_slots, [this](int k) { solve_island(k); });
  stop_if_asked();
  int most = 0;
  for (int k = 0; k < num_slots; ++k) most = std::max(most, slots[k].report.iterations);
  spent_iterations += most;
  impulse.assign(rows.size(), Pack4{});  // what was left out is in no island
  regime.assign(rows.size(), ContactRegime::open);
  velocity.assign(rows.size(), Pack4{});
  for (int k = 0; k < num_slots; ++k) {
    const IslandSlot& island = slots[k];
    report.iterations += island.report.iterations;
    report.factorisations += island.report.factorisations;
    report.status = std::max(report.status, island.report.status);
    const auto members = islands.constraints(k);
    // Found in this step, or left as it was found.
    report.num_jammed_islands += island.jammed || std::any_of(members.begin(), members.end(),
                                                              [this](int i) { return rows[i].left_depth > 0.0; });
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Constraint& c = island.assembler.problem().constraint(static_cast<int>(i));
      impulse[members[i]] = pack_rows(c, island.solution.impulse);
      velocity[members[i]] = pack_rows(c, island.solution.velocity);
    }
  }
  end_velocity = free_velocity;
  if (rows.size() == 0) return;
  sum_factor_impulse(rows, impulse, velocity_lanes, factor_impulse);
  velocity_from_factor(*model, dynamics, factor_impulse.data(), factor_impulse.data());
  end_velocity += factor_impulse;
}

void Simulator::Workspace::judge_islands() {
  report.residuals = {};
  report.worst_contact = -1;
  if (settings.judge) {
    for (int k = 0; k < num_slots; ++k) {
      IslandSlot& island = slots[k];
      island.residuals =
          judge(island.assembler.problem(), island.solution.impulse, {.model = contact_model, .time_step = time_step});
      const Residuals& r = island.residuals;
      Residuals& worst = report.residuals;
      if (r.eps_nat >= worst.eps_nat) {
        const int i = islands.constraints(k)[std::max(0, r.worst_constraint)];
        worst.worst_constraint = i;
        report.worst_contact = rows[i].id.source == ConstraintSource::contact ? i : -1;
      }
      worst.eps_abs = std::max(worst.eps_abs, r.eps_abs);
      worst.eps_rel = std::max(worst.eps_rel, r.eps_rel);
      worst.eps_nat = std::max(worst.eps_nat, r.eps_nat);
      worst.natural_map = std::max(worst.natural_map, r.natural_map);
      worst.signorini_complementarity = std::max(worst.signorini_complementarity, r.signorini_complementarity);
      worst.signorini_penetration = std::max(worst.signorini_penetration, r.signorini_penetration);
      worst.coulomb = std::max(worst.coulomb, r.coulomb);
      worst.dissipation = std::max(worst.dissipation, r.dissipation);
      worst.normal_separation = std::max(worst.normal_separation, r.normal_separation);
    }
  }
  account_energy();
  const double eps = report.residuals.eps_nat;
  report.law_certified = settings.judge ? eps <= settings.tolerance : report.converged();
  report.accepted = report.law_certified ||
                    (settings.judge ? eps <= settings.acceptable_tolerance : report.status == SolveStatus::acceptable);
}

// Regimes, and the work of the impulses by (1-16): with G λ = σ − R λ − g and J v_f = g − γ no product is needed.
void Simulator::Workspace::account_energy() {
  report.num_contacts = row_builder.num_contacts();
  report.num_sticking = report.num_sliding = report.num_open = 0;
  report.num_limits = report.num_dry_frictions = report.num_loops = 0;
  report.num_islands = num_slots;
  report.constraint_work = report.dissipated = report.largest_penetration = 0.0;
  report.num_servos = servo_limits.num_servos();
  report.num_saturated_servos = servo_limits.num_saturated();
  for (int i = 0; i < rows.size() - num_servo_rows(); ++i) {
    const Pack4 lambda = impulse[i], carried = lambda * rows[i].compliance;
    const Pack4 end = velocity[i] - carried - rows[i].offset;  // c = J v⁺
    const Pack4 change = velocity[i] - carried - rows[i].free_velocity;
    report.constraint_work += sum(lambda * (0.5 * change + rows[i].free_velocity - rows[i].offset));
    const Constraint& c = rows[i].law;
    switch (rows[i].id.source) {
      case ConstraintSource::contact:
        report.dissipated -= lambda[0] * end[0] + lambda[1] * end[1];
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
  for (int k = 0; k < num_slots; ++k) {
    const auto members = islands.constraints(k);
    for (std::size_t i = 0; i < members.size() && rows[members[i]].id.source == ConstraintSource::contact; ++i) {
      switch (regime[members[i]] = contact_regime(slots[k].assembler.problem(), static_cast<int>(i),
                                                  slots[k].solution.impulse, slots[k].solution.velocity)) {
        case ContactRegime::open:
          break;
        case ContactRegime::sticking:
          ++report.num_sticking;
          break;
        case ContactRegime::sliding:
          ++report.num_sliding;
          break;
      }
    }
  }
  report.num_open = report.num_contacts - report.num_sticking - report.num_sliding;
  energy_balance.open(dynamics, free_spin, actuation, state.q, state.v, report);
  for (const ContactPoint& point : points) {
    report.largest_penetration = std::max(report.largest_penetration, -point.gap);
  }
}

void Simulator::Workspace::account_works() {
  energy_balance.account({.model = *model,
                          .dynamics = dynamics,
                          .actuation = actuation,
                          .v = state.v,
                          .end_velocity = end_velocity,
                          .constraint_velocity = factor_impulse,
                          .force = generalized_force,
                          .joint_force = joint_force,
                          .external_forces = external_forces,
                          .rows = rows,
                          .impulse = impulse,
                          .velocity = velocity,
                          .servos = servo_limits.rows(),
                          .servo_impulse = servo_impulse(),
                          .implicit = settings.implicit},
                         report);
}

void Simulator::Workspace::close_energy() {
  update_dynamics();
  energy_balance.close(dynamics, free_spin, actuation, state.q, state.v, settings.energy_tolerance, report);
}

// q⁺, and v⁺ there.
void Simulator::Workspace::find_end() {
  account_works();
  moved_velocity = &end_velocity;
  if (settings.constraints.projects_joints(*model) && rows.size() > 0) {
    row_end_velocity.resize(rows.size());
    for (int i = 0; i < rows.size(); ++i)
      row_end_velocity[i] = velocity[i] - rows[i].compliance * impulse[i] - rows[i].offset;
    // v⁺ + u moves the positions; v⁺ alone stays the velocity.
    projected_velocity =
        end_velocity + projection.project(*model, dynamics, rows, row_end_velocity, time_step, settings.constraints);
    moved_velocity = &projected_velocity;
  }
  integrate(*model, state.q, *moved_velocity, time_step, next_position);
  free_spin.carry_centers(state.q.data(), moved_velocity->data(), time_step, next_position.data(), end_velocity.data());
  remember_impulses();
}

void Simulator::Workspace::remember_impulses() {
  const StickMemory::Inputs stuck = stick_inputs();
  const int n = rows.size() - num_servo_rows();
  next_warm_starts.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    WarmStart& next = next_warm_starts[i];
    next.id = rows[i].id;
    Vector3 x(impulse[i][0], impulse[i][1], impulse[i][2]);
    const bool contact = next.id.source == ConstraintSource::contact;
    if (contact) x = row_builder.frame(i) * x;
    for (int r = 0; r < 3; ++r) next.impulse[r] = x[r];
    next.left_depth = rows[i].jam_changed ? -rows[i].left_depth : rows[i].left_depth;
    if (contact) {
      const Pack4 end = velocity[i] - rows[i].compliance * impulse[i] - rows[i].offset;
      stick_memory.store(stuck, rows, i, regime[i] == ContactRegime::sticking, end, next);
    } else {
      StickMemory::store_nothing(next);
    }
  }
  if (settings.sleeping) sleeping.keep_warm_starts(*model, state.warm_starts, next_warm_starts);
  servo_limits.remember(state.v.data(), end_velocity.data(), servo_impulse(), next_warm_starts);
}

}  // namespace stiction
