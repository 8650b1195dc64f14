#include "stiction/solvers/solver_auto.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction {
namespace {

constexpr SolverTraits auto_traits{
    .name = "auto",
    .model = ContactModel::ncp,
    .summary = "the default: sweeps, active-set Newton, interior point, path following, whichever is enough"};

}  // namespace

const SolverTraits& SolverAuto::traits() const {
  return auto_traits;
}

void SolverAuto::add_options(std::vector<SolverOption>& list) {
  list.push_back({"use_dense", "allow sweeps and active-set Newton on dense G", &settings_.use_dense});
  list.push_back({"use_many_bodies", "allow relaxed Gauss–Seidel on the factored form", &settings_.use_many_bodies});
  list.push_back(
      {"use_contact_space", "allow probe, interior point, path following on G", &settings_.use_contact_space});
  list.push_back({"use_velocity_space", "allow the same on velocities", &settings_.use_velocity_space});
  list.push_back({"use_last_resort", "allow the heavily damped Newton", &settings_.use_last_resort});
  list.push_back({"use_islands", "split sparse problems into connected components", &settings_.use_islands});
  list.push_back({"dense_rows", "rows, largest problem for the dense part", &settings_.dense_rows});
  list.push_back({"dense_island_rows", "rows, largest sparse island tried as dense", &settings_.dense_island_rows});
  list.push_back({"dense_pile_rows", "rows, largest factored pile tried as dense", &settings_.dense_pile_rows});
  list.push_back(
      {"contact_space_rows", "rows, largest factored problem tried in contact space", &settings_.contact_space_rows});
  list.push_back({"island_constraints", "fewer constraints are not split", &settings_.island_constraints});
  list.push_back(
      {"stiff_mass_ratio", "mass ratio beyond which velocity space comes first", &settings_.stiff_mass_ratio});
}

AutoGoal SolverAuto::goal() const {
  AutoGoal goal;
  goal.tolerance = settings_.tolerance;
  goal.acceptable = settings_.acceptable_tolerance;
  goal.use_relative = settings_.use_relative;
  if (settings_.max_iterations > 0) goal.max_factorisations = settings_.max_iterations;
  return goal;
}

bool SolverAuto::limit_reached(const AutoOutcome& so_far) const {
  return settings_.max_iterations > 0 && so_far.iterations - so_far.cheap_iterations >= settings_.max_iterations;
}

bool SolverAuto::may_go_on(const AutoOutcome& so_far) const {
  return !so_far.converged && !so_far.accepted && !limit_reached(so_far);
}

SolverAuto::Island& SolverAuto::island(std::size_t k) {
  while (islands_.size() <= k) islands_.emplace_back();
  return islands_[k];
}

// The outcome of a later part joins that of the earlier ones, which worked on the same rows.
void SolverAuto::combine(AutoOutcome& so_far, const AutoOutcome& next) {
  so_far.iterations += next.iterations;
  so_far.cheap_iterations += next.cheap_iterations;
  so_far.factorisations += next.factorisations;
  so_far.accepted |= next.accepted;
  if (next.converged || next.residual < so_far.residual) {
    so_far.converged = next.converged;
    so_far.stage = next.stage;
    so_far.residual = next.residual;
  }
  if (settings_.record_history) history_.push_back({so_far.iterations, so_far.residual, 0.0, so_far.factorisations});
}

SolveReport SolverAuto::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  report_ = {};
  AutoOutcome outcome;
  switch (problem.form()) {
    case DelassusForm::dense:
      outcome = solve_dense(problem, solution);
      break;
    case DelassusForm::sparse:
      outcome = solve_sparse(problem, solution);
      break;
    case DelassusForm::factored:
      outcome = solve_factored(problem, solution);
      break;
  }
  report_.iterations = outcome.iterations;
  report_.factorisations = outcome.factorisations;
  report_.residual = outcome.residual;
  // So large an impulse that rounding alone moves σ by more than the tolerance proves nothing: two contacts that push
  // against each other without end, because nothing can separate them.
  const double rounding =
      1e-16 * solution.impulse.lpNorm<Eigen::Infinity>() * problem.largest_diagonal() / problem.largest_free_velocity();
  if (outcome.converged && rounding > settings_.tolerance) report_.status = SolveStatus::numerical_error;
  if (!outcome.converged) {
    report_.status = limit_reached(outcome) ? SolveStatus::iteration_limit : SolveStatus::stalled;
  }
  return report_;
}

AutoOutcome SolverAuto::solve_dense(const ContactProblem& problem, ContactSolution& solution) {
  Island& whole = island(0);
  AutoOutcome outcome;
  outcome.residual = std::numeric_limits<double>::infinity();
  if (settings_.use_dense && problem.num_rows() <= settings_.dense_rows) {
    outcome = whole.dense.solve(problem, goal(), solution.impulse);
    if (outcome.converged) {
      ++report_.stages[static_cast<int>(outcome.stage)];
      std::copy_n(whole.dense.velocity(), problem.num_rows(), solution.velocity.data());
      velocity_is_current_ = true;
      return outcome;
    }
    // Compliant problems were followed as far as they lead; an interior point takes ten to a hundred times as long.
    outcome.accepted = outcome.residual <= settings_.acceptable_tolerance;
  }
  outcome = finish_in_contact_space(whole, problem, outcome, solution.impulse);
  ++report_.stages[static_cast<int>(outcome.stage)];
  return outcome;
}

// Dense or sparse problems that the cheap stages did not solve.
AutoOutcome SolverAuto::finish_in_contact_space(Island& island, const ContactProblem& problem, AutoOutcome so_far,
                                                VectorX& impulse) {
  if (settings_.use_contact_space && may_go_on(so_far)) {
    combine(so_far, island.contact_space.solve(problem, goal(), impulse));
  }
  if (settings_.use_last_resort && may_go_on(so_far)) {
    const ContactProblem* sparse = &problem;
    if (problem.form() == DelassusForm::dense) {
      everything_.resize(problem.num_constraints());
      std::iota(everything_.begin(), everything_.end(), 0);
      sparse = &island.other_form.make_sparse(problem, everything_);
    }
    combine(so_far, island.last_resort.solve(*sparse, goal(), impulse));
  }
  return so_far;
}

// Connected components of the block graph, in the order of their first constraint.
void SolverAuto::find_islands(const ContactProblem& problem) {
  const DelassusSparse& g = problem.sparse();
  const int n = problem.num_constraints();
  island_of_.assign(n, -1);
  num_islands_ = 0;
  for (int first = 0; first < n; ++first) {
    if (island_of_[first] >= 0) continue;
    const int number = static_cast<int>(num_islands_++);
    stack_.assign(1, first);
    island_of_[first] = number;
    while (!stack_.empty()) {
      const int i = stack_.back();
      stack_.pop_back();
      for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
        const int j = g.column[k];
        if (island_of_[j] >= 0) continue;
        island_of_[j] = number;
        stack_.push_back(j);
      }
    }
  }
  for (std::size_t k = 0; k < num_islands_; ++k) island(k).constraints.clear();
  for (int i = 0; i < n; ++i) islands_[island_of_[i]].constraints.push_back(i);
}

AutoOutcome SolverAuto::solve_sparse(const ContactProblem& problem, ContactSolution& solution) {
  num_islands_ = 1;
  if (settings_.use_islands && problem.num_constraints() >= settings_.island_constraints) find_islands(problem);
  AutoOutcome total;
  if (num_islands_ == 1) {
    Island& whole = island(0);
    total = solve_island(whole, problem, solution.impulse);
    ++report_.stages[static_cast<int>(total.stage)];
    if (whole.velocity_is_current) solution.velocity.swap(whole.velocity);
    velocity_is_current_ = whole.velocity_is_current;
    return total;
  }
  total.converged = true;
  velocity_is_current_ = true;
  for (std::size_t k = 0; k < num_islands_; ++k) {
    Island& part = islands_[k];
    part.part.make_sparse(problem, part.constraints);
    part.part.gather(problem, part.constraints, solution.impulse, part.impulse);
    const AutoOutcome outcome = solve_island(part, part.part.problem(), part.impulse);
    part.part.scatter(problem, part.constraints, part.impulse, solution.impulse);
    velocity_is_current_ = velocity_is_current_ && part.velocity_is_current;
    if (velocity_is_current_) part.part.scatter(problem, part.constraints, part.velocity, solution.velocity);
    ++report_.stages[static_cast<int>(outcome.stage)];
    total.converged = total.converged && outcome.converged;
    total.residual = std::max(total.residual, outcome.residual);
    total.iterations += outcome.iterations;
    total.cheap_iterations += outcome.cheap_iterations;
    total.factorisations += outcome.factorisations;
  }
  return total;
}

// The guess, then one exact sweep from it. True where either passes; otherwise the better of the two remains.
bool SolverAuto::sweep_once(Island& island, const ContactProblem& sparse, AutoOutcome& outcome, VectorX& impulse) {
  const AutoResidualScale scale(sparse, settings_.use_relative);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  island.velocity.resize(sparse.num_rows());
  const auto residual = [&](const VectorX& lambda, bool is_zero) {
    if (is_zero) {
      island.velocity = sparse.free_velocity();
    } else {
      sparse.velocity(lambda, island.velocity);
    }
    return auto_residual(scale, sparse.constraints(), lambda.data(), island.velocity.data(), infinity);
  };
  outcome.stage = AutoStage::warm_start;
  outcome.residual = residual(impulse, impulse.isZero(0.0));  // a cold start costs no product
  outcome.converged = outcome.residual <= settings_.tolerance;
  if (outcome.converged) return true;
  island.swept = impulse;
  island.sweep.load(sparse);
  island.sweep.sweep(island.swept.data(), false);
  AutoOutcome swept;
  swept.stage = AutoStage::sweep;
  swept.iterations = 1;
  swept.residual = residual(island.swept, false);
  swept.converged = swept.residual <= settings_.tolerance;
  if (swept.residual < outcome.residual) impulse = island.swept;
  combine(outcome, swept);
  return outcome.converged;
}

AutoOutcome SolverAuto::solve_island(Island& island, const ContactProblem& sparse, VectorX& impulse) {
  AutoOutcome outcome;
  island.velocity_is_current = sweep_once(island, sparse, outcome, impulse);
  if (island.velocity_is_current) return outcome;
  if (settings_.use_dense && sparse.num_rows() <= settings_.dense_island_rows && may_go_on(outcome)) {
    everything_.resize(sparse.num_constraints());
    std::iota(everything_.begin(), everything_.end(), 0);
    const ContactProblem& dense = island.other_form.make_dense(sparse, everything_);
    combine(outcome, island.dense.solve(dense, goal(), impulse));
    if (outcome.converged) {
      std::copy_n(island.dense.velocity(), sparse.num_rows(), island.velocity.data());
      island.velocity_is_current = true;
      return outcome;
    }
  }
  return finish_in_contact_space(island, sparse, outcome, impulse);
}

// Free bodies whose masses differ by more than stiff_mass_ratio. ‖A_s‖² of a contact's part on one body is the inverse
// of the mass felt there; on articulated chains it says nothing, so those do not count.
bool SolverAuto::is_stiff(const ContactProblem& problem) const {
  const DelassusFactored& f = problem.factored();
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (f.segment_begin[i + 1] - f.segment_begin[i] > 2) return false;
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      const auto& row = f.segment[s].row;
      const double norm = sum(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
      if (norm > 0.0) smallest = std::min(smallest, norm);
      largest = std::max(largest, norm);
    }
  }
  return largest > settings_.stiff_mass_ratio * smallest;
}

// Whether the guess will do; its σ is then in the solution.
bool SolverAuto::is_solved(const ContactProblem& problem, ContactSolution& solution, AutoOutcome& outcome) {
  constexpr double safety = 0.99;  // as in AutoDense
  const double limit = safety * settings_.tolerance;
  problem.velocity(solution.impulse, solution.velocity);
  const double residual = auto_residual(AutoResidualScale(problem, settings_.use_relative), problem.constraints(),
                                        solution.impulse.data(), solution.velocity.data(), limit);
  if (!(residual <= limit)) return false;
  outcome.residual = residual;
  outcome.converged = velocity_is_current_ = true;
  return true;
}

AutoOutcome SolverAuto::solve_factored(const ContactProblem& problem, ContactSolution& solution) {
  Island& whole = island(0);
  const int rows = problem.num_rows();
  const bool pile = rows > problem.factored().num_velocities();
  // Redundant contacts make active-set Newton wander: from some ten bodies on the interior point is quicker.
  const bool small = rows <= (pile ? std::min(settings_.dense_rows, settings_.dense_pile_rows) : settings_.dense_rows);
  const bool stiff = is_stiff(problem);
  AutoOutcome outcome;
  outcome.residual = std::numeric_limits<double>::infinity();
  if (rows <= settings_.dense_rows && is_solved(problem, solution, outcome)) {  // what rests needs no G
    ++report_.stages[static_cast<int>(outcome.stage)];
    return outcome;
  }
  everything_.resize(problem.num_constraints());
  std::iota(everything_.begin(), everything_.end(), 0);
  if (small && !stiff && settings_.use_dense) {
    combine(outcome, whole.dense.solve(whole.part.make_dense(problem, everything_), goal(), solution.impulse));
  } else if (!small && !pile && !stiff && settings_.use_many_bodies) {
    combine(outcome, many_bodies_.solve(problem, goal(), solution.impulse));
    if (outcome.converged) {
      solution.velocity = many_bodies_.velocity();
      velocity_is_current_ = true;
    }
  }
  if (settings_.use_velocity_space && may_go_on(outcome)) {
    combine(outcome, velocity_space_.solve(problem, goal(), solution.impulse));
  }
  if ((pile || stiff || small) && settings_.use_many_bodies && may_go_on(outcome)) {
    combine(outcome, many_bodies_.solve(problem, goal(), solution.impulse));
  }
  // G of a pile has several times the rows and the fill of the node matrix: a factorisation that takes three times as
  // long at 300 bodies takes ten times as long at 3000.
  const bool may_multiply_out = rows <= settings_.contact_space_rows;
  if (may_multiply_out && (settings_.use_contact_space || settings_.use_last_resort) && may_go_on(outcome)) {
    outcome =
        finish_in_contact_space(whole, whole.other_form.make_sparse(problem, everything_), outcome, solution.impulse);
  }
  ++report_.stages[static_cast<int>(outcome.stage)];
  return outcome;
}

}  // namespace stiction
