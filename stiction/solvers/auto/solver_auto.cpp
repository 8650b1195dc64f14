#include "stiction/solvers/auto/solver_auto.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stiction/math/refuse.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr SolverTraits auto_traits{
    .name = "auto",
    .model = ContactModel::ncp,
    .summary = "the default: sweeps, active-set Newton, interior point, path following, whichever is enough",
    .is_decisive = true};

}  // namespace

void SolverAutoSettings::validate() const {
  validate_options();
  tuning.validate();
}

void SolverAutoSettings::validate_options() const {
  SolverSettings::validate();
  const auto not_negative = [](const char* name, int value) { require(value >= 0, name, value, "at least 0"); };
  require(dense_rows >= 0 && dense_rows <= 2000, "dense_rows", dense_rows, "0 … 2000");
  not_negative("dense_island_rows", dense_island_rows);
  not_negative("dense_pile_rows", dense_pile_rows);
  not_negative("contact_space_rows", contact_space_rows);
  not_negative("insist_rows", insist_rows);
  require(sparse_fill >= 0.0 && sparse_fill <= 1.0, "sparse_fill", sparse_fill, "0 … 1");
  not_negative("island_constraints", island_constraints);
  require(stiff_mass_ratio > 0.0 && std::isfinite(stiff_mass_ratio), "stiff_mass_ratio", stiff_mass_ratio,
          "positive and finite");
}

SolverAuto::SolverAuto(const SolverAutoSettings& settings) : settings_(settings) {
  settings.validate();
  heap_.settings = settings.tuning.heap;
  many_bodies_.settings = settings.tuning.many_bodies;
  velocity_space_.settings = settings.tuning.velocity_space;
}

const SolverTraits& SolverAuto::traits() const {
  return auto_traits;
}

void SolverAuto::add_options(std::vector<SolverOption>& list) {
  list.push_back({"use_dense", "allow sweeps and active-set Newton on dense G", &settings_.use_dense});
  list.push_back({"use_heap", "allow accelerated sweeps on heaps whose contacts give", &settings_.use_heap});
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
  list.push_back({"insist_rows", "rows; a smaller problem is solved to the end where its guess is acceptable already",
                  &settings_.insist_rows});
  list.push_back(
      {"stiff_mass_ratio", "mass ratio beyond which velocity space comes first", &settings_.stiff_mass_ratio});
}

SolveGoal SolverAuto::goal(double share) const {
  SolveGoal goal = goal_;
  goal.share = share;
  return goal;
}

bool SolverAuto::may_go_on(const SolveOutcome& so_far) {
  return !so_far.converged && !so_far.accepted && !so_far.infeasible && !budget_.was_refused() &&
         !budget_.was_interrupted();
}

SolverAuto::Island& SolverAuto::island(std::size_t k) {
  while (islands_.size() <= k) {
    Island& added = islands_.emplace_back();
    added.dense.settings = settings_.tuning.dense;
    added.contact_space.settings = settings_.tuning.contact_space;
    added.last_resort.settings = settings_.tuning.last_resort;
  }
  return islands_[k];
}

// The outcome of a later part joins that of the earlier ones, which worked on the same rows.
void SolverAuto::combine(SolveOutcome& so_far, const SolveOutcome& next) {
  so_far.iterations += next.iterations;
  so_far.factorisations += next.factorisations;
  so_far.accepted |= next.accepted;
  so_far.infeasible = (so_far.infeasible || next.infeasible) && !next.converged;
  if (next.converged || next.residual < so_far.residual) {
    so_far.converged = next.converged;
    so_far.stage = next.stage;
    so_far.residual = next.residual;
  }
  if (settings_.record_history) history_.push_back({so_far.iterations, so_far.residual, 0.0, so_far.factorisations});
}

SolveOutcome SolverAuto::solve_in_its_form(const ContactProblem& problem, ContactSolution& solution) {
  switch (problem.form()) {
    case DelassusForm::dense:
      return solve_dense(problem, solution);
    case DelassusForm::sparse:
      return solve_sparse(problem, Effort::all, solution);
    case DelassusForm::factored:
      break;
  }
  return solve_factored(problem, solution);
}

// At rest a guess that is acceptable makes the next one acceptable, and so on without end: solved once, it is solved in
// the steps to come as well, which is worth many factorisations.
bool SolverAuto::is_acceptable(const ContactProblem& problem, const VectorX& impulse) {
  guess_velocity_.resize(problem.num_rows());
  problem.velocity(impulse, guess_velocity_);
  const StoppingResidual residual = stopping_residual(problem, traits().model, impulse, guess_velocity_);
  return residual.measure(settings_.use_relative) <= settings_.acceptable_tolerance;
}

SolveReport SolverAuto::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  report_ = {};
  size_ = 1.0;
  report_.stages.names = AutoStage::names;
  goal_ = start_goal(SolverAutoSettings::default_iterations);
  const bool may_insist = goal_.acceptable > goal_.tolerance && problem.num_rows() <= settings_.insist_rows;
  if (may_insist) guess_ = solution.impulse;
  SolveOutcome outcome = solve_in_its_form(problem, solution);
  if (may_insist && outcome.accepted && !outcome.converged && is_acceptable(problem, guess_)) {
    goal_.acceptable = 0.0;
    report_.stages.counts = {};
    combine(outcome, solve_in_its_form(problem, solution));
  }
  report_.iterations = budget_.iterations();
  report_.factorisations = outcome.factorisations;
  report_.residual = outcome.residual;
  // So large an impulse that rounding alone moves σ by more than the tolerance proves nothing: two contacts that push
  // against each other without end, because nothing can separate them.
  const double rounding =
      1e-16 * solution.impulse.lpNorm<Eigen::Infinity>() * problem.largest_diagonal() / problem.largest_free_velocity();
  if (outcome.converged && rounding > settings_.tolerance) {
    report_.status = proof_.find(problem, goal()) ? SolveStatus::no_solution : SolveStatus::numerical_error;
  }
  if (!outcome.converged) report_.status = kind_of_failure(problem, solution.impulse, outcome);
  report_.iterations = budget_.iterations();
  return report_;
}

// What rounding λ and σ makes of the residual: u (|G| |λ| + |g|) with |G_ij| ≤ √(G_ii G_jj), as a root of energies.
SolveStatus SolverAuto::kind_of_failure(const ContactProblem& problem, const VectorX& impulse,
                                        const SolveOutcome& outcome) const {
  constexpr double unit = 4.5e-16;  // two roundings
  if (outcome.infeasible) return SolveStatus::no_solution;
  if (budget_.was_interrupted()) return SolveStatus::interrupted;
  double energy = 0.0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    for (int r = 0; r < c.rows; ++r) {
      const double stiffness = problem.diagonal_block(i)(r, r) + problem.compliance()[c.first_row + r];
      energy += stiffness * impulse[c.first_row + r] * impulse[c.first_row + r];
    }
  }
  const double size = std::sqrt(problem.largest_diagonal() * energy) / problem.largest_free_velocity();
  if (outcome.residual <= unit * (size + 1.0)) return SolveStatus::rounding;
  return budget_.was_refused() ? SolveStatus::iteration_limit : SolveStatus::stalled;
}

SolveOutcome SolverAuto::solve_dense(const ContactProblem& problem, ContactSolution& solution) {
  Island& whole = island(0);
  SolveOutcome outcome;
  outcome.residual = std::numeric_limits<double>::infinity();
  if (settings_.use_dense && problem.num_rows() <= settings_.dense_rows) {
    const bool cold = solution.impulse.isZero(0.0);
    outcome = whole.dense.solve(problem, goal(), solution.impulse);
    // What a guess does not lead to, nothing may: all of it from zero takes less than a single interior point.
    if (!cold && !outcome.converged && outcome.residual > settings_.acceptable_tolerance && may_go_on(outcome)) {
      whole.impulse.setZero(problem.num_rows());
      const double before = outcome.residual;
      combine(outcome, whole.dense.solve(problem, goal(), whole.impulse));
      if (outcome.residual < before) solution.impulse = whole.impulse;
    }
    if (outcome.converged) {
      report_.stages.add(outcome.stage);
      std::copy_n(whole.dense.velocity(), problem.num_rows(), solution.velocity.data());
      velocity_is_current_ = true;
      return outcome;
    }
    // Compliant problems were followed as far as they lead; an interior point takes ten to a hundred times as long.
    outcome.accepted = outcome.residual <= settings_.acceptable_tolerance;
  }
  // Bodies that do not touch leave blocks of zeros, which need not be factored.
  if (problem.num_rows() > settings_.dense_rows && may_go_on(outcome)) {
    const ContactProblem& sparse = as_sparse_.make_sparse(problem, all_constraints(problem));
    const double blocks = static_cast<double>(problem.num_constraints()) * problem.num_constraints();
    if (sparse.sparse().num_blocks() < settings_.sparse_fill * blocks)
      return solve_sparse(sparse, Effort::all, solution);
  }
  outcome = finish_in_contact_space(whole, problem, outcome, 1.0, Effort::all, solution.impulse);
  report_.stages.add(outcome.stage);
  return outcome;
}

std::span<const int> SolverAuto::all_constraints(const ContactProblem& problem) {
  everything_.resize(problem.num_constraints());
  std::iota(everything_.begin(), everything_.end(), 0);
  return everything_;
}

// Dense or sparse problems that the cheap stages did not solve.
SolveOutcome SolverAuto::finish_in_contact_space(Island& island, const ContactProblem& problem, SolveOutcome so_far,
                                                 double share, Effort effort, VectorX& impulse) {
  const bool in_contact_space = settings_.use_contact_space && may_go_on(so_far);
  share *= size_;
  if (in_contact_space) combine(so_far, island.contact_space.solve(problem, goal(share), impulse));
  if (effort == Effort::usual) return so_far;
  if (settings_.use_last_resort && may_go_on(so_far)) {
    const ContactProblem* sparse = &problem;
    if (problem.form() == DelassusForm::dense) {
      sparse = &island.other_form.make_sparse(problem, all_constraints(problem));
    }
    combine(so_far, island.last_resort.solve(*sparse, goal(share), impulse));
  }
  // Paths of thousands of factorisations come last.
  if (in_contact_space && may_go_on(so_far)) {
    combine(so_far, island.contact_space.follow_long_paths(problem, impulse));
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

SolveOutcome SolverAuto::solve_sparse(const ContactProblem& problem, Effort effort, ContactSolution& solution) {
  num_islands_ = 1;
  if (settings_.use_islands && problem.num_constraints() >= settings_.island_constraints) find_islands(problem);
  SolveOutcome total;
  if (num_islands_ == 1) {
    Island& whole = island(0);
    total = solve_island(whole, problem, 1.0, effort, solution.impulse);
    report_.stages.add(total.stage);
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
    const double share = static_cast<double>(part.part.problem().num_rows()) / problem.num_rows();
    const SolveOutcome outcome = solve_island(part, part.part.problem(), share, effort, part.impulse);
    part.part.scatter(problem, part.constraints, part.impulse, solution.impulse);
    velocity_is_current_ = velocity_is_current_ && part.velocity_is_current;
    if (velocity_is_current_) part.part.scatter(problem, part.constraints, part.velocity, solution.velocity);
    report_.stages.add(outcome.stage);
    total.converged = total.converged && outcome.converged;
    total.infeasible = total.infeasible || outcome.infeasible;
    total.residual = std::max(total.residual, outcome.residual);
    total.iterations += outcome.iterations;
    total.factorisations += outcome.factorisations;
  }
  return total;
}

// The guess, then one exact sweep from it. True where either passes; otherwise the better of the two remains.
bool SolverAuto::sweep_once(Island& island, const ContactProblem& sparse, const SolveGoal& wanted,
                            SolveOutcome& outcome, VectorX& impulse) {
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
  if (!wanted.spend_and_ask(AutoCost::sparse_sweep)) return false;
  island.swept = impulse;
  island.sweep.load(sparse);
  island.sweep.sweep(island.swept.data(), false);
  SolveOutcome swept;
  swept.stage = AutoStage::sweep;
  swept.iterations = 1;
  swept.residual = residual(island.swept, false);
  swept.converged = swept.residual <= settings_.tolerance;
  if (swept.residual < outcome.residual) impulse = island.swept;
  combine(outcome, swept);
  return outcome.converged;
}

SolveOutcome SolverAuto::solve_island(Island& island, const ContactProblem& sparse, double share, Effort effort,
                                      VectorX& impulse) {
  SolveOutcome outcome;
  island.velocity_is_current = sweep_once(island, sparse, goal(share), outcome, impulse);
  if (island.velocity_is_current) return outcome;
  if (settings_.use_dense && sparse.num_rows() <= settings_.dense_island_rows && may_go_on(outcome)) {
    const ContactProblem& dense = island.other_form.make_dense(sparse, all_constraints(sparse));
    combine(outcome, island.dense.solve(dense, goal(share), impulse));
    if (outcome.converged) {
      std::copy_n(island.dense.velocity(), sparse.num_rows(), island.velocity.data());
      island.velocity_is_current = true;
      return outcome;
    }
  }
  return finish_in_contact_space(island, sparse, outcome, share, effort, impulse);
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
bool SolverAuto::is_solved(const ContactProblem& problem, ContactSolution& solution, SolveOutcome& outcome) {
  const double limit = auto_safety * settings_.tolerance;
  problem.velocity(solution.impulse, solution.velocity);
  const double residual = auto_residual(AutoResidualScale(problem, settings_.use_relative), problem.constraints(),
                                        solution.impulse.data(), solution.velocity.data(), limit);
  if (!(residual <= limit)) return false;
  outcome.residual = residual;
  outcome.converged = velocity_is_current_ = true;
  return true;
}

// Whether a factored problem falls apart into islands of at most dense_island_rows rows.
bool SolverAuto::has_small_islands_only(const ContactProblem& problem) {
  if (!settings_.use_islands || problem.num_constraints() < settings_.island_constraints ||
      problem.num_rows() <= settings_.dense_island_rows) {
    return false;
  }
  const DelassusFactored& f = problem.factored();
  stack_.resize(f.num_nodes());  // parent of each node
  std::iota(stack_.begin(), stack_.end(), 0);
  const auto root = [&](int k) {
    while (stack_[k] != k) k = stack_[k] = stack_[stack_[k]];
    return k;
  };
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int s = f.segment_begin[i] + 1; s < f.segment_begin[i + 1]; ++s) {
      stack_[root(f.segment_node[s])] = root(f.segment_node[f.segment_begin[i]]);
    }
  }
  island_of_.assign(f.num_nodes(), 0);  // rows at each root
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (f.segment_begin[i] == f.segment_begin[i + 1]) continue;  // touches nothing
    int& rows = island_of_[root(f.segment_node[f.segment_begin[i]])];
    rows += problem.constraint(i).rows;
    if (rows > settings_.dense_island_rows) return false;
  }
  return true;
}

// G of a pile that is multiplied out can fill up with hundreds of constraints, and the limit of a step is made for
// factorisations of bodies.
bool SolverAuto::can_pay_in_contact_space(const ContactProblem& sparse) {
  const AutoContactSpaceSettings& s = settings_.tuning.contact_space;
  const DelassusSparse& g = sparse.sparse();
  const double most = s.usual_products * std::max(1.0, budget_.left() / s.least_factorisations);
  if (!fill_.compute(g.row_begin, g.column, most)) return false;
  size_ = std::max(1.0, fill_.products / s.usual_products);
  return true;
}

// What is too large for anything else, and was given up by the slow sweeps of before: as near as the rest of the budget
// leads.
void SolverAuto::sweep_what_is_left(const ContactProblem& problem, SolveOutcome& so_far, VectorX& impulse) {
  if (settings_.use_heap && may_go_on(so_far) && heap_.may_sweep(problem)) {
    combine(so_far, heap_.solve(problem, goal(), impulse));
  }
}

// An interior point from beside what sweeps left, within a budget of its own, so that no step takes seconds.
void SolverAuto::finish_large_heap(const ContactProblem& problem, SolveOutcome& so_far, VectorX& impulse) {
  const double most = std::min<double>(heap_.settings.factorisations_beyond, std::floor(budget_.left()));
  if (!settings_.use_velocity_space || most < 1.0) return;
  heap_budget_.start(static_cast<int>(most), settings_.interrupt);
  SolveGoal within = goal();
  within.budget = &heap_budget_;
  const SolveOutcome outcome = velocity_space_.solve(problem, within, impulse);
  combine(so_far, outcome);
  budget_.take(heap_budget_.spent());
  // Where a factorisation is too dear: as many sweeps once more, from the best, where extrapolation begins anew.
  if (outcome.factorisations == 0 && may_go_on(so_far)) combine(so_far, heap_.solve(problem, goal(), impulse));
}

SolveOutcome SolverAuto::solve_factored(const ContactProblem& problem, ContactSolution& solution) {
  if (has_small_islands_only(problem)) {
    return solve_sparse(as_sparse_.make_sparse(problem, all_constraints(problem)), Effort::all, solution);
  }
  Island& whole = island(0);
  const int rows = problem.num_rows();
  const bool pile = rows > problem.factored().num_velocities();
  // Redundant contacts make active-set Newton wander: from some ten bodies on the interior point is quicker.
  const bool small = rows <= (pile ? std::min(settings_.dense_rows, settings_.dense_pile_rows) : settings_.dense_rows);
  const bool stiff = is_stiff(problem);
  SolveOutcome outcome;
  outcome.residual = std::numeric_limits<double>::infinity();
  if (rows <= settings_.dense_rows && is_solved(problem, solution, outcome)) {  // what rests needs no G
    report_.stages.add(outcome.stage);
    return outcome;
  }
  if (settings_.use_heap && heap_.takes(problem)) {
    combine(outcome, heap_.solve(problem, goal(), solution.impulse));
    if (may_go_on(outcome) && !heap_.leaves_to_others(problem)) finish_large_heap(problem, outcome, solution.impulse);
    if (!may_go_on(outcome) || !heap_.leaves_to_others(problem)) {
      report_.stages.add(outcome.stage);
      return outcome;
    }
  }
  if (small && !stiff && settings_.use_dense) {
    const ContactProblem& dense = whole.part.make_dense(problem, all_constraints(problem));
    combine(outcome, whole.dense.solve(dense, goal(), solution.impulse));
  } else if (!small && !pile && !stiff && settings_.use_many_bodies) {
    combine(outcome, many_bodies_.solve(problem, goal(), solution.impulse));
    if (outcome.converged) {
      solution.velocity = many_bodies_.velocity();
      velocity_is_current_ = true;
    }
  }
  // With fewer rows than velocities the smaller matrix is G, and it may fall apart into islands.
  const bool may_multiply_out = rows <= settings_.contact_space_rows;
  if (!small && !pile && !stiff && may_multiply_out && settings_.use_contact_space && may_go_on(outcome)) {
    const StageCounts stages = report_.stages;
    const ContactProblem& sparse = as_sparse_.make_sparse(problem, all_constraints(problem));
    if (can_pay_in_contact_space(sparse)) combine(outcome, solve_sparse(sparse, Effort::usual, solution));
    if (outcome.converged) return outcome;
    report_.stages = stages;
    velocity_is_current_ = false;
  }
  if (settings_.use_velocity_space && may_go_on(outcome)) {
    combine(outcome, velocity_space_.solve(problem, goal(), solution.impulse));
  }
  if ((pile || stiff || small) && settings_.use_many_bodies && may_go_on(outcome)) {
    combine(outcome, many_bodies_.solve(problem, goal(), solution.impulse));
  }
  if (!may_multiply_out && outcome.factorisations == 0) sweep_what_is_left(problem, outcome, solution.impulse);
  // G of a pile has several times the rows and the fill of the node matrix: a factorisation that takes three times as
  // long at 300 bodies takes ten times as long at 3000.
  if (may_multiply_out && (settings_.use_contact_space || settings_.use_last_resort) && may_go_on(outcome)) {
    const ContactProblem& sparse = whole.other_form.make_sparse(problem, all_constraints(problem));
    if (can_pay_in_contact_space(sparse)) {
      outcome = finish_in_contact_space(whole, sparse, outcome, 1.0, Effort::all, solution.impulse);
    }
  }
  report_.stages.add(outcome.stage);
  return outcome;
}

}  // namespace stiction
