#include "stiction/solvers/solver.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "stiction/math/refuse.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::acceptable:
      return "acceptable";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::interrupted:
      return "interrupted";
    case SolveStatus::stalled:
      return "stalled";
    case SolveStatus::regularised:
      return "regularised";
    case SolveStatus::rounding:
      return "rounding";
    case SolveStatus::ray:
      return "ray";
    case SolveStatus::no_solution:
      return "no_solution";
    case SolveStatus::numerical_error:
      return "numerical_error";
  }
  return "unknown";
}

// The problem that do_solve sees where it is not the caller's own, kept so that a second solve can reuse it.
// λ = S λ' with S = diag(μ_1, μ_2, 1) turns an anisotropic cone into the round one with μ = 1, and σ' = S σ turns its
// de Saxcé shift into the isotropic one: an exact equivalence, so no solver needs to know of anisotropy.
struct ContactSolver::Reduced {
  ContactProblem problem;
  ContactSolution solution;
  std::vector<Constraint> constraints;
  VectorX scale;  // diagonal of S

  void make(const ContactProblem& from, bool symmetrise) {
    constraints.assign(from.constraints().begin(), from.constraints().end());
    scale.setOnes(from.num_rows());
    for (Constraint& c : constraints) {
      if (c.kind != ConstraintKind::anisotropic) continue;
      scale[c.first_row] = c.friction;
      scale[c.first_row + 1] = c.friction_2;
      c = Constraint::make_frictional(1.0);
    }
    if (from.has_kind(ConstraintKind::anisotropic)) {
      from.scaled_into(scale, constraints, problem);
      if (symmetrise) problem.symmetric_part_into(problem);
    } else {
      from.symmetric_part_into(problem);
    }
  }

  // Where a direction has no friction S is singular: nothing acts there, and zero is as good as any other guess.
  void divide(const VectorX& from, VectorX& to) const {
    to.resize(from.size());
    for (Eigen::Index k = 0; k < from.size(); ++k) to[k] = scale[k] > 0.0 ? from[k] / scale[k] : 0.0;
  }

  void read_guess(const ContactSolution& from) {
    divide(from.impulse, solution.impulse);
    solution.velocity.resize(scale.size());
    // Rows of another size are not those of this problem; none at all say so to the solver.
    const bool has_memory = from.memory.rows.size() == scale.size();
    solution.memory.rows.resize(has_memory ? scale.size() : 0);
    if (has_memory) solution.memory.rows.array() = scale.array() * from.memory.rows.array();
    solution.memory.number = from.memory.number;
  }

  void write_result(ContactSolution& to) const {
    to.impulse.array() = scale.array() * solution.impulse.array();
    if (solution.memory.rows.size() == scale.size()) divide(solution.memory.rows, to.memory.rows);
    to.memory.number = solution.memory.number;
  }
};
void ContactSolver::ReducedDeleter::operator()(Reduced* reduced) const {
  delete reduced;
}

namespace {

void check_guess(const ContactProblem& problem, ContactSolution& solution) {
  const int m = problem.num_rows();
  if (solution.impulse.size() == 0) solution.impulse.setZero(m);
  if (solution.impulse.size() != m) {
    refuse("solve: the guess has ", solution.impulse.size(), " entries but the problem has ", m, " rows");
  }
  if (std::isfinite((solution.impulse.array() * 0.0).sum())) return;
  for (int i = 0; i < m; ++i) {
    if (!std::isfinite(solution.impulse[i])) {
      refuse("solve: the guess is not finite: entry ", i, " is ", solution.impulse[i]);
    }
  }
}

}  // namespace

SolveReport ContactSolver::solve(const ContactProblem& problem, ContactSolution& solution) {
  const SolverSettings& wanted = settings();
  validate_settings();
  history_.clear();
  velocity_is_current_ = false;
  check_guess(problem, solution);
  solution.velocity.resize(problem.num_rows());
  if (problem.num_rows() == 0) return {};
  if (problem.has_kind(ConstraintKind::viscous) && !traits().takes_viscous) {
    refuse("solve: ", traits().name, " takes no viscous contacts; max-dissipation does");
  }

  if (problem.is_coupled()) return solve_coupled(problem, solution);
  const bool anisotropic = problem.has_kind(ConstraintKind::anisotropic);
  const bool symmetrise = traits().needs_symmetry && !problem.is_symmetric();
  if (anisotropic || symmetrise) return solve_reduced(problem, symmetrise, solution);
  SolveReport report = do_solve(problem, solution);
  // Forms of G round differently, by the size of λ: where that could be seen in the residual it is taken again.
  const double size = problem.largest_diagonal() * solution.impulse.lpNorm<Eigen::Infinity>();
  const double rounding = std::numeric_limits<double>::epsilon() * size / problem.largest_free_velocity();
  if (velocity_is_current_ && rounding <= 1e-4 * wanted.tolerance) {
    grade(report);
  } else {
    measure_result(problem, solution, report);
  }
  return report;
}

// Methods find their limits among the settings, which are those of before again, whatever happens on the way.
SolveReport ContactSolver::solve(const ContactProblem& problem, ContactSolution& solution, const SolveLimits& limits) {
  struct Lent {
    SolverSettings& settings;
    const int max_iterations = settings.max_iterations;
    Interrupt* const interrupt = settings.interrupt;
    ~Lent() { settings.max_iterations = max_iterations, settings.interrupt = interrupt; }
  } lent{settings()};
  if (limits.max_iterations != 0) lent.settings.max_iterations = limits.max_iterations;
  if (limits.interrupt != nullptr) lent.settings.interrupt = limits.interrupt;
  return solve(problem, solution);
}

// The reduced problem is measured in other coordinates: what converges there may miss the caller's tolerance. It is
// then asked for more, unless it was the symmetric part, which is another problem.
SolveReport ContactSolver::solve_reduced(const ContactProblem& problem, bool symmetrise, ContactSolution& solution) {
  constexpr int most_tries = 3;
  if (!reduced_) reduced_.reset(new Reduced);
  reduced_->make(problem, symmetrise);
  SolverSettings& wanted = settings();
  const double tolerance = wanted.tolerance;
  const int most_iterations = wanted.max_iterations;
  struct Restore {  // whatever happens on the way
    SolverSettings& settings;
    double tolerance;
    int max_iterations;
    void operator()() const { settings.tolerance = tolerance, settings.max_iterations = max_iterations; }
    ~Restore() { (*this)(); }
  } restore{wanted, tolerance, most_iterations};
  SolveReport total;
  for (int tries = 1;; ++tries) {
    reduced_->read_guess(solution);
    SolveReport report = do_solve(reduced_->problem, reduced_->solution);
    const double asked = wanted.tolerance;
    restore();
    reduced_->write_result(solution);
    const bool converged_there = report.status == SolveStatus::converged;
    report.symmetrised = symmetrise;
    report.iterations += total.iterations;
    report.factorisations += total.factorisations;
    measure_result(problem, solution, report);
    total = report;
    const bool limit = most_iterations > 0 && total.iterations >= most_iterations;
    const bool more_helps = converged_there && !symmetrise && !report.regularised;
    if (report.status == SolveStatus::converged || !more_helps || tries == most_tries || limit) return total;
    wanted.tolerance = asked * std::max(1e-4, 0.3 * tolerance / report.residual);
    if (most_iterations > 0) wanted.max_iterations = most_iterations - total.iterations;
  }
}

SolveGoal ContactSolver::start_goal(int default_iterations) {
  const SolverSettings& wanted = settings();
  budget_.start(wanted.max_iterations > 0 ? wanted.max_iterations : default_iterations, wanted.interrupt);
  SolveGoal goal;
  goal.model = traits().model;
  goal.tolerance = wanted.tolerance;
  goal.acceptable = wanted.acceptable_tolerance;
  goal.use_relative = wanted.use_relative;
  goal.budget = &budget_;
  return goal;
}

SolveReport ContactSolver::report_of(const SolveOutcome& outcome) const {
  SolveReport report;
  report.iterations = outcome.iterations;
  report.factorisations = outcome.factorisations;
  report.residual = outcome.residual;
  if (outcome.converged) {
    report.status = SolveStatus::converged;
  } else if (outcome.infeasible) {
    report.status = SolveStatus::no_solution;
  } else if (budget_.was_interrupted()) {
    report.status = SolveStatus::interrupted;
  } else if (outcome.broken) {
    report.status = SolveStatus::numerical_error;
  } else {
    report.status = budget_.was_refused() ? SolveStatus::iteration_limit : SolveStatus::stalled;
  }
  return report;
}

// The status that an iterate deserves, by the residual that it has.
void ContactSolver::grade(SolveReport& report) {
  const SolverSettings& wanted = settings();
  const bool finished = report.status == SolveStatus::converged || report.status == SolveStatus::no_solution;
  if (!finished && wanted.interrupt != nullptr && wanted.interrupt->requested()) {
    report.status = SolveStatus::interrupted;
  }
  const bool passes = report.residual <= wanted.tolerance;
  const bool broken = report.status == SolveStatus::numerical_error || report.status == SolveStatus::no_solution ||
                      report.status == SolveStatus::interrupted;
  if (passes && !broken) report.status = SolveStatus::converged;
  if (!passes && report.status == SolveStatus::converged) {
    const bool of_another = report.regularised || report.symmetrised;
    report.status = of_another ? SolveStatus::regularised : SolveStatus::stalled;
  }
  const bool gave_up = report.status == SolveStatus::stalled || report.status == SolveStatus::iteration_limit ||
                       report.status == SolveStatus::rounding;
  if (gave_up && report.residual <= wanted.acceptable_tolerance) report.status = SolveStatus::acceptable;
}

// Whatever the method believed: λ as it is returned, σ computed from it, the caller's problem and the caller's law.
void ContactSolver::measure_result(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  // Numbers near the ends of the double's range can overflow inside any method; what comes back is finite all the same.
  if (!std::isfinite((solution.impulse.array() * 0.0).sum())) {
    solution.impulse.setZero();
    report.status = SolveStatus::numerical_error;
  }
  problem.velocity(solution.impulse, solution.velocity);
  report.residual = result_residual(problem, solution.impulse, solution.velocity);
  grade(report);
}

double ContactSolver::result_residual(const ContactProblem& problem, VectorView impulse, VectorView velocity) const {
  return stopping_residual(problem, traits().model, impulse, velocity).measure(settings().use_relative);
}

std::vector<SolverOption> ContactSolver::options() {
  SolverSettings& common = settings();
  std::vector<SolverOption> list{
      {"tolerance", "stop at this ε_nat of the model solved", &common.tolerance},
      {"use_relative", "the tolerance refers to ε_rel instead of ε_nat", &common.use_relative},
      {"max_iterations", "largest number of iterations; 0 takes the solver's default", &common.max_iterations},
      {"acceptable_tolerance", "a residual that will do where the tolerance is not reached; 0: none",
       &common.acceptable_tolerance},
      {"record_history", "keep one entry per iteration", &common.record_history},
  };
  add_options(list);
  return list;
}

void SolverSettings::validate() const {
  require(tolerance > 0.0 && std::isfinite(tolerance), "tolerance", tolerance, "positive and finite");
  require(acceptable_tolerance >= 0.0 && std::isfinite(acceptable_tolerance), "acceptable_tolerance",
          acceptable_tolerance, "at least 0 and finite");
  require(max_iterations >= 0, "max_iterations", max_iterations, "at least 0");
}

void ContactSolver::set_option(std::string_view name, double value) {
  const auto assign_valid = [&](auto& setting, auto wanted) {
    const auto before = std::exchange(setting, wanted);
    try {
      validate_settings();
    } catch (const std::invalid_argument& refused) {
      setting = before;
      refuse("option ", name, " of ", traits().name, ": ", refused.what());
    }
  };
  std::ostringstream known;
  for (const SolverOption& option : options()) {
    if (option.name == name) {
      if (!std::isfinite(value)) refuse("option ", name, " is ", value, "; it must be finite");
      if (auto* real = std::get_if<double*>(&option.value)) {
        assign_valid(**real, value);
      } else if (auto* whole = std::get_if<int*>(&option.value)) {
        if (value != std::floor(value) || std::abs(value) > 1e9) {
          refuse("option ", name, " is ", value, "; it must be a whole number");
        }
        assign_valid(**whole, static_cast<int>(value));
      } else {
        *std::get<bool*>(option.value) = value != 0.0;
      }
      return;
    }
    known << ' ' << option.name;
  }
  refuse(traits().name, " has no option '", name, "'; it has:", known.str());
}

}  // namespace stiction
