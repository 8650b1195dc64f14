#include "stiction/sim/inverse_step.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/constraints/row_builder.h"
#include "stiction/constraints/stick_memory.h"
#include "stiction/constraints/warm_start.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/math/metric_projection.h"
#include "stiction/math/refuse.h"
#include "stiction/math/set_box.h"
#include "stiction/math/set_disc.h"
#include "stiction/math/set_half_line.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/contact_finder.h"
#include "stiction/sim/fluid_forces.h"
#include "stiction/sim/servo_limits.h"
#include "stiction/sim/transmissions.h"
#include "stiction/sim/turning.h"
#include "stiction/sim/world_forces.h"
#include "stiction/solvers/solver.h"

namespace stiction {
namespace {

std::vector<int> unactuated_velocities(const Model& model, const std::vector<int>& given) {
  std::vector<int> list = given;
  if (list.empty()) {
    std::vector<char> driven(model.dofs.size(), 0);
    for (const Actuator& a : model.actuators) {
      if (a.dof >= 0) driven[a.dof] = 1;
      if (a.tendon < 0) continue;
      for (const TendonTerm& term : model.tendons[a.tendon].terms) driven[term.dof] = 1;
    }
    for (int j = 0; j < model.num_velocities(); ++j) {
      const bool has_motor =
          model.actuators.empty() ? num_velocities_of(model.bodies[model.dofs[j].body].joint) == 1 : driven[j] != 0;
      if (!has_motor) list.push_back(j);
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

// The same for friction torques within b = r λ_N; no shift.
void update_torque(const Constraint& c, const double* g, const double* r, double rho, double normal, double* lambda) {
  const double bound = c.friction * std::max(0.0, normal);
  if (c.kind == ConstraintKind::torsional) {
    lambda[0] = SetBox{bound}.project(-(g[0] - rho * lambda[0]) / (r[0] + rho));
    return;
  }
  const Vector2 x(-(g[0] - rho * lambda[0]) / (r[0] + rho), -(g[1] - rho * lambda[1]) / (r[1] + rho));
  const Vector2 inside = SetDisc{bound}.project(x);
  lambda[0] = inside[0], lambda[1] = inside[1], lambda[2] = 0.0;
}

// One visit of a constraint: s = Γ(R λ + g), λ ← P^{R+ρI}_K( −(R + ρI)⁻¹ (g + s − ρ λ) ).
void update_impulse(const Constraint& c, const double* g, const double* r, double rho, bool with_shift,
                    double* lambda) {
  if (c.rows == 1) {
    const double x = -(g[0] - rho * lambda[0]) / (r[0] + rho);  // one row: no shift, and no metric is noticed
    switch (c.kind) {
      case ConstraintKind::unilateral:
        lambda[0] = SetHalfLine{}.project(x);
        break;
      case ConstraintKind::dry_friction:
        lambda[0] = SetBox{c.bound}.project(x);
        break;
      default:
        lambda[0] = x;
    }
    return;
  }
  const Vector3 d(r[0] + rho, r[1] + rho, r[2] + rho), old(lambda[0], lambda[1], lambda[2]);
  Vector3 free(g[0], g[1], g[2]);
  const Vector3 sigma = free + Vector3(r[0], r[1], r[2]).cwiseProduct(old);
  const SetAnisotropicCone cone{c.friction, c.friction_2};
  if (with_shift && c.kind != ConstraintKind::bilateral) free += cone.de_saxce_shift(sigma);
  Vector3 x = -(free - rho * old).cwiseQuotient(d);
  if (c.kind == ConstraintKind::frictional) {
    x = d[0] == d[1] ? project_in_metric(SetCoulombCone{c.friction}, x, RoundMetric{d[0], d[2]})
                     : project_in_metric(SetCoulombCone{c.friction}, x, d);
  } else if (c.kind == ConstraintKind::anisotropic) {
    x = project_in_metric(cone, x, d);
  }
  Eigen::Map<Vector3>{lambda} = x;
}

}  // namespace

struct InverseStep::Workspace {
  std::shared_ptr<const Model> model;
  InverseStepSettings settings;
  SimulatorSettings simulator_settings;
  std::vector<int> unactuated;

  DynamicsData dynamics;
  ContactFinder contact_finder;
  CollisionCache cache;
  std::vector<double> reach;
  std::vector<ContactPoint> points;
  Actuation actuation, free_actuation;  // as servos act at v_ref; as if they had no limits
  bool has_limited_servos = false;      // the two differ
  ServoLimits servo_limits;
  Transmissions transmissions;
  WorldForces world_forces;
  FluidForces fluid_forces;
  Turning turning;
  RowBuilder row_builder;
  RowSet rows;
  StickMemory stick_memory;
  std::unique_ptr<ContactSolver> solver, finisher;  // least_squares
  VectorX acceleration, v_constraint, along_lengths;
  std::vector<Pack4> velocity_lanes;
  VectorX asked;      // τ without constraints at v_ref
  VectorX exchanged;  // by which Turning corrects the bias in the step
  VectorX lifted;     // lift in it
  VectorX g, r;       // J v_ref + γ, R by row
  InverseStepResult result;

  Workspace(const Simulator& simulator, const InverseStepSettings& s)
      : model(simulator.shared_model()),
        settings(s),
        simulator_settings(simulator.settings()),
        dynamics(*model),
        contact_finder(model, simulator.settings().collision),
        actuation(*model),
        free_actuation(*model),
        servo_limits(*model),
        transmissions(*model),
        world_forces(*model),
        fluid_forces(*model),
        turning(*model),
        row_builder(model),
        stick_memory(*model) {
    settings.validate(model->num_velocities());
    unactuated = unactuated_velocities(*model, settings.unactuated);
  }

  void make_rows(const State& state, VectorView v_ref);
  void start_from_last_step(const State& state);
  VectorX force_without_constraints(const Simulator& simulator, const VectorX& velocity);
  VectorX transpose_product(const VectorX& impulse);
  ContactProblem problem(const MatrixX& delassus, const VectorX& free) const;
  bool stays(const Constraint& c) const;
  void solve_exactly();
  void solve_freed(const ContactProblem& freed);
  void solve_least_squares(VectorView v_ref);
  double turn(const Simulator& simulator, VectorView v_ref);
  void finish(const Simulator& simulator, VectorView v_ref);
};

// Rows as the step would have them, were v_ref its free velocity; every contact point that is near becomes one.
void InverseStep::Workspace::make_rows(const State& state, VectorView v_ref) {
  cache = state.collision;
  if (state.found.is_at(state.q)) {
    points = state.found.points;
  } else {
    contact_finder.place(dynamics);
    contact_finder.find_ways(dynamics, simulator_settings.time_step, reach);
    contact_finder.find(reach, cache, points);
  }
  row_builder.build({.dynamics = dynamics,
                     .q = state.q.data(),
                     .v = state.v.data(),
                     .v_free = v_ref.data(),
                     .contacts = points,
                     .contact_margin = std::numeric_limits<double>::infinity(),
                     .time_step = simulator_settings.time_step,
                     .settings = simulator_settings.constraints,
                     .lengths = transmissions.lengths()},
                    rows);
  stick_memory.recall({dynamics, state.v.data(), points, row_builder, state.warm_starts, simulator_settings.time_step,
                       state.step, simulator_settings.constraints},
                      rows);
  relax_tangents(state.warm_starts, row_builder, rows);
  result.constraints.clear();
  result.ids.clear();
  for (const StepConstraint& constraint : rows.constraints) {
    result.constraints.push_back(constraint.law);
    result.ids.push_back(constraint.id);
  }
  int num_rows = 0;
  for (Constraint& c : result.constraints) c.first_row = std::exchange(num_rows, num_rows + c.rows);
  g.resize(num_rows);
  r.resize(num_rows);
  result.impulse.setZero(num_rows);
  result.constraint_velocity.setZero(num_rows);
  for (int i = 0; i < rows.num_constraints(); ++i) {
    const Constraint& c = result.constraints[i];
    for (int k = 0; k < c.rows; ++k) {
      g[c.first_row + k] = rows[i].free_velocity[k];
      r[c.first_row + k] = rows[i].compliance[k];
    }
  }
}

void InverseStep::Workspace::start_from_last_step(const State& state) {
  recall_guesses(state.warm_starts, row_builder, rows);
  for (int i = 0; i < rows.num_constraints(); ++i) {
    for (int k = 0; k < rows[i].law.rows; ++k) result.impulse[result.constraints[i].first_row + k] = rows[i].guess[k];
  }
}

// Theory (6-2) with λ = 0, less what acts by itself.
VectorX InverseStep::Workspace::force_without_constraints(const Simulator& simulator, const VectorX& velocity) {
  acceleration = (velocity - simulator.state().v) / simulator_settings.time_step;
  VectorX tau(velocity.size());
  const auto wrenches = simulator.external_forces();
  inverse_dynamics(*model, dynamics, acceleration.data(), wrenches.data(), static_cast<int>(wrenches.size()),
                   tau.data());
  tau -= actuation.force() + exchanged;
  if (world_forces.any()) tau -= world_forces.force();
  if (fluid_forces.any()) tau -= fluid_forces.force() + lifted;
  if (transmissions.any()) {
    along_lengths.setZero(velocity.size());
    transmissions.add_force_at(*model, velocity.data(), along_lengths.data());
    tau -= along_lengths;
  }
  if (const double* added = actuation.added_diagonal()) {
    for (Eigen::Index j = 0; j < tau.size(); ++j) tau[j] += added[j] * acceleration[j];
  }
  fluid_forces.add_product(*model, acceleration.data(), tau.data());
  return tau;
}

// Jᵀ λ = (M + added) · (M + added)⁻¹ Jᵀ λ, the latter through the factor in which rows are kept.
VectorX InverseStep::Workspace::transpose_product(const VectorX& impulse) {
  const int nv = model->num_velocities();
  std::vector<Pack4> packs(rows.num_constraints());
  for (int i = 0; i < rows.num_constraints(); ++i) {
    const Constraint& c = result.constraints[i];
    for (int k = 0; k < c.rows; ++k) packs[i][k] = impulse[c.first_row + k];
  }
  v_constraint.setZero(nv);
  if (rows.num_constraints() > 0) rows.multiply_transposed(packs, velocity_lanes, v_constraint);
  velocity_from_factor(*model, dynamics, v_constraint.data(), v_constraint.data());
  VectorX product(nv);
  multiply_inertia(*model, dynamics, v_constraint.data(), product.data());
  if (const double* added = actuation.added_diagonal()) {
    for (int j = 0; j < nv; ++j) product[j] += added[j] * v_constraint[j];
  }
  fluid_forces.add_product(*model, v_constraint.data(), product.data());
  return product;
}

ContactProblem InverseStep::Workspace::problem(const MatrixX& delassus, const VectorX& free) const {
  return ContactProblem::from_dense(result.constraints, delassus, free, r);
}

// Whether a constraint stays where it starts: it sticks, to the tolerance. The iteration would only follow the rounding
// of σ, divided by ρ. (Whatever slides is visited: residuals are quadratic in the direction of its impulse.)
bool InverseStep::Workspace::stays(const Constraint& c) const {
  double sigma = 0.0, lambda = 0.0;
  for (int k = c.first_row; k < c.first_row + c.rows; ++k) {
    sigma += std::abs(r[k] * result.impulse[k] + g[k]);
    lambda += std::abs(result.impulse[k]);
  }
  return sigma * std::max(1.0, lambda / simulator_settings.time_step) <= settings.tolerance;
}

void InverseStep::Workspace::solve_exactly() {
  const int m = static_cast<int>(g.size());
  const ContactProblem given = problem(MatrixX::Zero(m, m), g);  // v_ref is given: impulses do not change it
  const JudgeSettings law{.model = settings.contact_model, .time_step = simulator_settings.time_step};
  const auto note = [&] {
    result.residuals = judge(given, result.impulse, law);
    result.impulse_history.push_back(result.impulse.norm());
    result.residual_history.push_back(result.residuals.eps_abs);
    return result.residuals.eps_abs <= settings.tolerance;
  };
  std::vector<Constraint> visited;
  const bool fits = note();
  for (const Constraint& c : result.constraints) {
    if (!fits || !stays(c) || is_coupled(c.kind)) visited.push_back(c);
  }
  bool done = visited.empty();
  for (result.iterations = 0; !done && result.iterations < settings.max_iterations; ++result.iterations) {
    for (const Constraint& c : visited) {
      if (is_coupled(c.kind)) {
        const Constraint& contact = result.constraints[c.partner];
        update_torque(c, g.data() + c.first_row, r.data() + c.first_row, settings.proximal,
                      result.impulse[contact.first_row + contact.rows - 1], result.impulse.data() + c.first_row);
        continue;
      }
      update_impulse(c, g.data() + c.first_row, r.data() + c.first_row, settings.proximal,
                     settings.contact_model == ContactModel::ncp, result.impulse.data() + c.first_row);
    }
    done = note();
  }
  result.status = InverseStatus::converged;
  if (!done) {
    const auto& norms = result.impulse_history;
    const bool grows = norms.back() > 1.5 * norms[norms.size() / 2];
    result.status = grows ? InverseStatus::unreachable : InverseStatus::iteration_limit;
  }
  given.velocity(result.impulse, result.constraint_velocity);
}

// The residuals of the judge are quadratic in the direction of sliding, so a solver may stop where velocities are right
// to the square root of its tolerance only. A few steps of Newton's method follow, kept where the natural map, which is
// linear in that direction, says that they helped.
void InverseStep::Workspace::solve_freed(const ContactProblem& freed) {
  const JudgeSettings law{.model = settings.contact_model, .time_step = simulator_settings.time_step};
  if (!solver) {
    solver = make_solver(settings.contact_model == ContactModel::ccp ? "ccp-newton" : "auto");
    solver->settings().tolerance = 0.5 * simulator_settings.tolerance;
    solver->settings().max_iterations = settings.max_iterations;
    finisher = make_solver("ncp-newton");
    finisher->settings().tolerance = 1e-16;  // as far as rounding lets it
    finisher->settings().max_iterations = 8;
    finisher->set_option("first_sweeps", 0.0);
  }
  ContactSolution solution;
  solution.impulse = result.impulse;
  result.iterations = solver->solve(freed, solution).iterations;
  result.impulse = solution.impulse;
  result.residuals = judge(freed, result.impulse, law);
  if (settings.contact_model != ContactModel::ncp) return;
  result.iterations += finisher->solve(freed, solution).iterations;
  const Residuals finished = judge(freed, solution.impulse, law);
  if (!(finished.natural_map < result.residuals.natural_map && finished.eps_nat <= simulator_settings.tolerance))
    return;
  result.impulse = solution.impulse;
  result.residuals = finished;
}

void InverseStep::Workspace::solve_least_squares(VectorView v_ref) {
  const int m = static_cast<int>(g.size()), u = static_cast<int>(unactuated.size());
  const double give = 1.0 - settings.unactuated_share, dt = simulator_settings.time_step;
  MatrixX inertia(u, u), jacobian(m, u);
  Eigen::VectorXd defect(u);  // r of the objective
  MatrixX whole = inertia_matrix(*model, dynamics);
  for (Eigen::Index j = 0; j < whole.cols() && fluid_forces.any(); ++j) {
    VectorX column = whole.col(j);
    fluid_forces.add_product(*model, VectorX(VectorX::Unit(whole.cols(), j)).data(), column.data());
    whole.col(j) = column;
  }
  const double* added = actuation.added_diagonal();
  for (int i = 0; i < u; ++i) {
    for (int j = 0; j < u; ++j) inertia(i, j) = whole(unactuated[i], unactuated[j]);
    if (added) inertia(i, i) += added[unactuated[i]];
    defect[i] = dt * asked[unactuated[i]];
  }
  VectorX unit;
  for (int row = 0; row < m; ++row) {
    unit.setZero(m);
    unit[row] = 1.0;
    const VectorX column = transpose_product(unit);
    for (int j = 0; j < u; ++j) jacobian(row, j) = column[unactuated[j]];
  }
  const Eigen::LLT<MatrixX> factor(inertia);
  // d per impulse; Eigen's triangular solve does not take a matrix without columns.
  const MatrixX response =
      jacobian.rows() > 0 ? MatrixX(give * factor.solve(jacobian.transpose())) : MatrixX(jacobian.transpose());
  const Eigen::VectorXd falling = -give * factor.solve(defect);  // d without impulses
  MatrixX delassus = jacobian * response;
  delassus = (0.5 * (delassus + delassus.transpose())).eval();
  VectorX free = g;
  for (int row = 0; row < m; ++row) free[row] += jacobian.row(row).dot(falling);
  const ContactProblem freed = problem(delassus, free);

  solve_freed(freed);
  const bool fits = result.residuals.eps_nat <= simulator_settings.tolerance;
  result.status = fits ? InverseStatus::converged : InverseStatus::iteration_limit;
  freed.velocity(result.impulse, result.constraint_velocity);
  result.velocity = v_ref;
  Eigen::VectorXd d = falling;
  for (int row = 0; row < m; ++row) d += response.col(row) * result.impulse[row];
  for (int i = 0; i < u; ++i) result.velocity[unactuated[i]] += d[i];
}

// What turns is asked for as the step takes it (Turning), which depends on λ: from the explicit step that it would take
// to the free velocity wanted. Returns by how much what is asked changed.
double InverseStep::Workspace::turn(const Simulator& simulator, VectorView v_ref) {
  const bool turns = simulator_settings.implicit_turning;
  if (!turns && !fluid_forces.any()) return 0.0;
  const State& state = simulator.state();
  transpose_product(result.impulse);  // fills v_constraint
  const VectorX before = asked;
  VectorX free_velocity = result.velocity - v_constraint;
  const double dt = simulator_settings.time_step;
  const bool is_slowed = fluid_forces.any() && fluid_forces.is_implicit();
  if (is_slowed) {  // the step turns without the fluid
    lifted.setZero();
    fluid_forces.correct_back({*model, dynamics, state.v.data(), actuation.added_diagonal(), dt}, free_velocity.data(),
                              lifted.data());
  }
  constexpr int max_repetitions = 20;  // they contract by about Δt ω
  double change = 1.0;
  for (int k = 0; turns && k < max_repetitions && change > 1e-14 * before.norm(); ++k) {
    VectorX start = dt * exchanged, force = VectorX::Zero(exchanged.size());
    solve_inertia(*model, dynamics, start.data());
    start = free_velocity - start;
    if (has_limited_servos) {
      // The step turns with all servos free: the same forces but theirs.
      VectorX total(start.size());
      start -= state.v;
      multiply_inertia(*model, dynamics, start.data(), total.data());
      if (const double* added = actuation.added_diagonal())
        total += ConstVectorMap(added, start.size()).cwiseProduct(start);
      start = total + dt * (free_actuation.force() - actuation.force());
      factor_inertia(*model, free_actuation.added_diagonal(), dynamics);
      solve_inertia(*model, dynamics, start.data());
      start += state.v;
      turning.correct(*model, dynamics, state.v.data(), free_actuation.added_diagonal(), dt, start.data(),
                      force.data());
      factor_inertia(*model, actuation.added_diagonal(), dynamics);
    } else {
      turning.correct(*model, dynamics, state.v.data(), actuation.added_diagonal(), dt, start.data(), force.data());
    }
    change = (force - exchanged).norm();
    exchanged = force;
  }
  if (is_slowed) factor_inertia(*model, actuation.added_diagonal(), dynamics, fluid_forces.added_rows());
  asked = force_without_constraints(simulator, v_ref);
  return (asked - before).norm();
}

void InverseStep::Workspace::finish(const Simulator& simulator, VectorView v_ref) {
  if (settings.method == InverseMethod::least_squares) asked = force_without_constraints(simulator, result.velocity);
  result.constraint_impulse = transpose_product(result.impulse);
  result.joint_force = asked - result.constraint_impulse / simulator_settings.time_step;
  result.velocity_defect = (result.velocity - VectorX(v_ref)).norm();
  result.unactuated_force.setZero(asked.size());
  for (const int j : unactuated) result.unactuated_force[j] = result.joint_force[j];
  result.unactuated_norm = result.unactuated_force.norm();
}

InverseStep::InverseStep(const Simulator& simulator, const InverseStepSettings& settings)
    : workspace_(std::make_unique<Workspace>(simulator, settings)) {}
InverseStep::~InverseStep() = default;
InverseStep::InverseStep(InverseStep&&) noexcept = default;

const InverseStepResult& InverseStep::solve(const Simulator& simulator, VectorView v_ref) {
  Workspace& w = *workspace_;
  if (simulator.shared_model() != w.model) refuse("inverse step: the simulator has another model");
  if (v_ref.size() != w.model->num_velocities()) {
    refuse("inverse step: v_ref has ", v_ref.size(), " entries but the model has ", w.model->num_velocities());
  }
  for (Eigen::Index j = 0; j < v_ref.size(); ++j) {
    if (!std::isfinite(v_ref[j])) refuse("inverse step: v_ref[", j, "] is ", v_ref[j]);
  }
  const State& state = simulator.state();
  w.simulator_settings = simulator.settings();
  w.result.impulse_history.clear(), w.result.residual_history.clear();
  update_kinematics(*w.model, state.q.data(), state.v.data(), w.dynamics);
  update_inertia(*w.model, w.dynamics);
  w.actuation.update(*w.model, state.q.data(), state.v.data(), state.control.data(), state.activation.data(),
                     w.simulator_settings.time_step, w.simulator_settings.implicit);
  w.transmissions.update(*w.model, w.dynamics, state.q.data(), state.v.data(), state.control.data(),
                         state.activation.data(), w.simulator_settings.time_step, w.simulator_settings.implicit,
                         nullptr);
  w.world_forces.update(*w.model, w.dynamics);
  w.fluid_forces.update(*w.model, w.dynamics, state.v.data(), w.simulator_settings.time_step,
                        w.simulator_settings.implicit);
  w.free_actuation = w.actuation;
  w.servo_limits.hold_at(state.v.data(), v_ref.data(), w.actuation);
  w.has_limited_servos = w.actuation.force() != w.free_actuation.force();
  factor_inertia(*w.model, w.actuation.added_diagonal(), w.dynamics, w.fluid_forces.added_rows());
  w.make_rows(state, v_ref);
  if (w.settings.from_last_step) w.start_from_last_step(state);
  w.result.velocity = v_ref;
  w.exchanged.setZero(v_ref.size());
  w.lifted.setZero(v_ref.size());
  w.asked = w.force_without_constraints(simulator, w.result.velocity);
  if (w.settings.method == InverseMethod::exact) {
    w.solve_exactly();
    w.turn(simulator, v_ref);
  } else {
    constexpr int max_repetitions = 30;  // they contract by about Δt ω, and more slowly where turning fades
    w.solve_least_squares(v_ref);
    for (int k = 0; k < max_repetitions && w.turn(simulator, v_ref) > 1e-10 * w.asked.norm(); ++k) {
      w.solve_least_squares(v_ref);
    }
  }
  w.finish(simulator, v_ref);
  return w.result;
}

InverseStepResult inverse_step(const Simulator& simulator, VectorView v_ref, const InverseStepSettings& settings) {
  return InverseStep(simulator, settings).solve(simulator, v_ref);
}

}  // namespace stiction
