// What every registered solver must do, whatever its method. The suite runs over solver_names(), so a new solver
// inherits it by its line in the registry. The judge is the authority on residuals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace stiction {
namespace {

using testing::Mechanics;
using testing::random_mechanics;
using testing::random_problem;
using testing::RandomProblemOptions;

constexpr double tolerance = 1e-9;

// ---- shared problems ----------------------------------------------------------------------------------------------

struct Family {
  std::string name;
  RandomProblemOptions options;
};

// More velocities than rows, so that λ is unique, too.
constexpr RandomProblemOptions isostatic{.seed = 5, .bodies = 6, .contacts = 6, .limits = 1, .dry_friction = 1};

std::vector<Family> families() {
  std::vector<Family> list;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::string suffix = "_" + std::to_string(seed);
    list.push_back({"contacts" + suffix, {.seed = seed, .bodies = 5, .contacts = 6, .friction = 0.4}});
    list.push_back({"hyperstatic" + suffix, {.seed = 10 + seed, .bodies = 3, .contacts = 9, .friction = 0.3}});
    list.push_back({"mixed" + suffix,
                    {.seed = 20 + seed,
                     .bodies = 6,
                     .contacts = 6,
                     .limits = 2,
                     .bilateral = 2,
                     .dry_friction = 2,
                     .friction = -1.0}});
    list.push_back({"compliant" + suffix,
                    {.seed = 30 + seed,
                     .bodies = 4,
                     .contacts = 8,
                     .limits = 2,
                     .bilateral = 2,
                     .dry_friction = 2,
                     .friction = -1.0,
                     .compliance = 0.1}});
  }
  return list;
}

ContactProblem rebuilt(const ContactProblem& like, const MatrixX& g, const VectorX& free, const VectorX& compliance,
                       std::vector<Constraint> constraints = {}) {
  if (constraints.empty()) constraints.assign(like.constraints().begin(), like.constraints().end());
  return ContactProblem::from_dense(std::move(constraints), g, free, compliance);
}

// ---- the suite ----------------------------------------------------------------------------------------------------

class AllSolvers : public ::testing::TestWithParam<std::string_view> {
 protected:
  struct Solved {
    SolveReport report;
    ContactSolution solution;
    bool converged() const { return report.status == SolveStatus::converged; }
  };

  static std::unique_ptr<ContactSolver> make(std::string_view name = GetParam()) {
    auto solver = make_solver(name);
    solver->settings().tolerance = tolerance;
    solver->settings().max_iterations = 20000;  // slow is not wrong; how slow is for the benchmarks to say
    return solver;
  }
  static Solved solve(const ContactProblem& problem, std::string_view name = GetParam()) {
    Solved result;
    result.report = make(name)->solve(problem, result.solution);
    return result;
  }
  ContactModel model() const { return solver_->traits().model; }
  // A method that adds compliance of its own is asked about problems that have their own.
  bool applies(const RandomProblemOptions& options) const {
    return options.compliance > 0.0 || !solver_->traits().needs_compliance;
  }
  RandomProblemOptions suited(RandomProblemOptions options) const {
    if (solver_->traits().needs_compliance) options.compliance = 0.1;
    return options;
  }
  double residual(const ContactProblem& problem, const VectorX& impulse) const {
    return judge(problem, impulse, {.model = model()}).eps_nat;
  }
  void expect_solved(const ContactProblem& problem, const Solved& result, const std::string& what) const {
    EXPECT_TRUE(result.solution.impulse.allFinite()) << what;
    EXPECT_TRUE(result.converged()) << what << ": " << to_string(result.report.status) << " after "
                                    << result.report.iterations << " iterations, residual "
                                    << residual(problem, result.solution.impulse);
    if (result.converged()) {
      EXPECT_LE(residual(problem, result.solution.impulse), 10.0 * tolerance) << what;
    }
  }
  // Velocities relative to the free ones.
  static double velocity_gap(const ContactProblem& problem, const VectorX& a, const VectorX& b) {
    return (a - b).cwiseAbs().maxCoeff() / problem.largest_free_velocity();
  }

  std::unique_ptr<ContactSolver> solver_ = make();
};

TEST_P(AllSolvers, SaysWhatItIs) {
  EXPECT_EQ(solver_->traits().name, GetParam());
  EXPECT_GE(solver_->traits().summary.size(), 10u);
  EXPECT_GE(solver_->options().size(), 4u);
  EXPECT_THROW(solver_->set_option("no such option", 1.0), std::invalid_argument);
}

TEST_P(AllSolvers, ConvergesByTheJudgeOnSharedProblems) {
  for (const Family& family : families()) {
    if (!applies(family.options)) continue;
    const ContactProblem problem = random_problem(family.options);
    const Solved result = solve(problem);
    expect_solved(problem, result, family.name);
    VectorX velocity(problem.num_rows());
    problem.velocity(result.solution.impulse, velocity);
    EXPECT_EQ(velocity, result.solution.velocity) << family.name;
  }
}

TEST_P(AllSolvers, HonoursTheRelativeTolerance) {
  const ContactProblem problem = random_problem(suited(isostatic));
  ContactSolution solution;
  solver_->settings().use_relative = true;
  const SolveReport report = solver_->solve(problem, solution);
  ASSERT_EQ(report.status, SolveStatus::converged) << to_string(report.status);
  EXPECT_LE(judge(problem, solution.impulse, {.model = model()}).eps_rel, 10.0 * tolerance);
}

TEST_P(AllSolvers, AgreesInVelocityWithTheFirstOfItsModel) {
  const auto names = solver_names();
  const auto first = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
    const SolverTraits traits = make_solver(name)->traits();  // a copy: the solver ends here
    return traits.model == model() && !traits.needs_compliance;
  });
  if (first == names.end() || *first == GetParam()) return;
  for (const Family& family : families()) {
    if (!applies(family.options)) continue;
    const ContactProblem problem = random_problem(family.options);
    const Solved mine = solve(problem), reference = solve(problem, *first);
    if (!mine.converged() || !reference.converged()) continue;  // the test above speaks of it
    EXPECT_LE(velocity_gap(problem, mine.solution.velocity, reference.solution.velocity), 1e-5)
        << family.name << " against " << *first;
  }
}

TEST_P(AllSolvers, PermutedConstraintsPermuteTheSolution) {
  const ContactProblem problem = random_problem(suited(isostatic));
  const int n = problem.num_constraints(), m = problem.num_rows();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 3, order.end());
  std::swap(order[0], order[n - 2]);
  std::vector<Constraint> constraints;
  std::vector<int> row_of;  // row of the old problem for each row of the new
  for (int i : order) {
    constraints.push_back(problem.constraint(i));
    for (int r = 0; r < problem.constraint(i).rows; ++r) row_of.push_back(problem.constraint(i).first_row + r);
  }
  const MatrixX g = problem.to_dense();
  MatrixX permuted(m, m);
  VectorX free(m), compliance(m);
  for (int a = 0; a < m; ++a) {
    free[a] = problem.free_velocity()[row_of[a]];
    compliance[a] = problem.compliance()[row_of[a]];
    for (int b = 0; b < m; ++b) permuted(a, b) = g(row_of[a], row_of[b]);
  }
  const Solved one = solve(problem), two = solve(rebuilt(problem, permuted, free, compliance, constraints));
  ASSERT_TRUE(one.converged() && two.converged());
  const double size = one.solution.impulse.norm();
  for (int a = 0; a < m; ++a) EXPECT_NEAR(two.solution.impulse[a], one.solution.impulse[row_of[a]], 1e-5 * size);
}

TEST_P(AllSolvers, ScalingMatrixAndVelocityLeavesTheImpulse) {
  const ContactProblem problem = random_problem(suited(isostatic)).in_form(DelassusForm::dense);
  const Solved one = solve(problem);
  for (double s : {1e-8, 1e8}) {
    const ContactProblem scaled =
        rebuilt(problem, s * problem.to_dense(), s * problem.free_velocity(), s * problem.compliance());
    const Solved two = solve(scaled);
    EXPECT_EQ(one.converged(), two.converged()) << s;
    if (!one.converged() || !two.converged()) continue;
    EXPECT_LE((one.solution.impulse - two.solution.impulse).norm(), 1e-5 * one.solution.impulse.norm()) << s;
    EXPECT_LE((s * one.solution.velocity - two.solution.velocity).norm(), 1e-5 * s * problem.free_velocity().norm());
  }
}

TEST_P(AllSolvers, TurnedTangentsTurnTheImpulse) {
  const ContactProblem problem = random_problem(suited(isostatic));
  const int m = problem.num_rows();
  MatrixX turn = MatrixX::Identity(m, m);
  for (const Constraint& c : problem.constraints()) {
    if (c.kind != ConstraintKind::frictional) continue;
    // A pyramid has corners: only quarter turns leave it as it is.
    const double a = model() == ContactModel::lcp ? M_PI / 2.0 * (1 + c.first_row) : 0.5 + c.first_row;
    turn.block<2, 2>(c.first_row, c.first_row) << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
  }
  const ContactProblem turned = rebuilt(problem, turn * problem.to_dense() * turn.transpose(),
                                        turn * problem.free_velocity(), problem.compliance());
  const Solved one = solve(problem), two = solve(turned);
  ASSERT_TRUE(one.converged() && two.converged());
  EXPECT_LE((turn * one.solution.impulse - two.solution.impulse).norm(), 1e-5 * one.solution.impulse.norm());
}

TEST_P(AllSolvers, EmptyProblemReturnsAtOnce) {
  ContactSolution solution;
  const SolveReport report = solver_->solve(ContactProblem(), solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(solution.impulse.size(), 0);
  EXPECT_EQ(solution.velocity.size(), 0);
}

TEST_P(AllSolvers, BadArgumentsAreRefused) {
  const ContactProblem problem = random_problem(suited(isostatic));
  const auto refused = [&](const VectorX& guess) {
    ContactSolution solution;
    solution.impulse = guess;
    EXPECT_THROW(solver_->solve(problem, solution), std::invalid_argument);
  };
  refused(VectorX::Zero(problem.num_rows() + 1));
  refused(VectorX::Zero(1));
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    VectorX guess = VectorX::Zero(problem.num_rows());
    guess[4] = bad;
    refused(guess);
  }
  for (double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    solver_->settings().tolerance = bad;
    refused(VectorX());
  }
  solver_->settings().tolerance = tolerance;
  for (double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    solver_->settings().acceptable_tolerance = bad;
    refused(VectorX());
  }
  solver_->settings().acceptable_tolerance = 0.0;
  solver_->settings().max_iterations = -1;
  refused(VectorX());
  solver_->settings().max_iterations = 0;
  if (!solver_->traits().takes_viscous) {
    ContactSolution solution;
    const ContactProblem viscous =
        ContactProblem::from_dense({Constraint::make_viscous(0.5, 0.1)}, Matrix3::Identity(), Vector3(1, 0, -1));
    EXPECT_THROW(solver_->solve(viscous, solution), std::invalid_argument);
  }
}

// Nothing reaches 1e-300. Where the residual is small enough all the same the status says so, and only there.
TEST_P(AllSolvers, WhatIsAcceptableIsCalledSo) {
  const ContactProblem problem = random_problem(suited(isostatic));
  solver_->settings().tolerance = 1e-300;
  solver_->settings().max_iterations = 200;
  for (const double acceptable : {0.0, 1e-320, 1e3}) {
    solver_->settings().acceptable_tolerance = acceptable;
    ContactSolution solution;
    const SolveReport report = solver_->solve(problem, solution);
    const bool gave_up = report.status == SolveStatus::acceptable || report.status == SolveStatus::stalled ||
                         report.status == SolveStatus::iteration_limit;
    EXPECT_EQ(report.status == SolveStatus::acceptable, gave_up && report.residual <= acceptable)
        << to_string(report.status) << ' ' << report.residual << " with " << acceptable;
  }
}

class FormsOfAProblem {
 public:
  explicit FormsOfAProblem(const ContactProblem& factored)
      : list_{{"factored", factored},
              {"sparse", factored.in_form(DelassusForm::sparse)},
              {"dense", factored.in_form(DelassusForm::dense)}} {}
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<std::pair<std::string, ContactProblem>> list_;
};

TEST_P(AllSolvers, SameBitsTwice) {
  for (const auto& [form, problem] : FormsOfAProblem(random_problem(suited(isostatic)))) {
    const auto solver = make();
    ContactSolution one, again;
    const SolveReport report_one = solver->solve(problem, one), report_again = solver->solve(problem, again);
    const Solved other = solve(problem);
    const size_t bytes = sizeof(double) * one.impulse.size();
    EXPECT_EQ(std::memcmp(one.impulse.data(), again.impulse.data(), bytes), 0) << form << ", same solver";
    EXPECT_EQ(std::memcmp(one.impulse.data(), other.solution.impulse.data(), bytes), 0) << form << ", new solver";
    EXPECT_EQ(report_one.iterations, report_again.iterations) << form;
    EXPECT_EQ(report_one.iterations, other.report.iterations) << form;
    EXPECT_EQ(report_one.residual, other.report.residual) << form;
  }
}

TEST_P(AllSolvers, FormsAgreeInVelocity) {
  for (const Family& family : families()) {
    if (!applies(family.options)) continue;
    std::optional<Solved> reference;
    for (const auto& [form, problem] : FormsOfAProblem(random_problem(family.options))) {
      const Solved result = solve(problem);
      expect_solved(problem, result, family.name + ", " + form);
      if (!result.converged()) continue;
      if (!reference) reference = result;
      EXPECT_LE(velocity_gap(problem, result.solution.velocity, reference->solution.velocity), 1e-5)
          << family.name << ", " << form;
    }
  }
}

TEST_P(AllSolvers, IterationLimitIsAStatus) {
  for (const Family& family : families()) {
    const ContactProblem problem = random_problem(family.options);
    ContactSolution solution;
    solver_->settings().max_iterations = 1;
    const SolveReport report = solver_->solve(problem, solution);
    EXPECT_TRUE(solution.impulse.allFinite()) << family.name;
    // The dense part of `auto` always makes its few sweeps and steps; what is limited is going on after it.
    EXPECT_LE(report.iterations, GetParam() == "auto" ? 50 : 1) << family.name;
    if (report.status == SolveStatus::converged && applies(family.options)) {
      EXPECT_LE(residual(problem, solution.impulse), 10.0 * tolerance) << family.name;
    }
  }
}

TEST_P(AllSolvers, TakesAnisotropicContacts) {
  for (const bool frictionless_direction : {false, true}) {
    const Mechanics mechanics = random_mechanics(suited(isostatic));
    std::vector<Constraint> constraints = mechanics.constraints;
    for (int i = 0; i < 6; i += 2) {
      constraints[i] = Constraint::make_anisotropic(0.6, frictionless_direction ? 0.0 : 0.2 + 0.1 * i);
    }
    const ContactProblem factored = ContactProblem::from_inertia(constraints, mechanics.inertia, mechanics.jacobian,
                                                                 mechanics.free_velocity(), mechanics.compliance);
    for (const auto& [form, problem] : FormsOfAProblem(factored)) {
      const Solved result = solve(problem);
      EXPECT_TRUE(result.solution.impulse.allFinite());
      EXPECT_TRUE(result.converged()) << form << ": " << to_string(result.report.status);
      if (!result.converged()) continue;
      // The solver's tolerance refers to the rescaled problem, whose units differ by the frictions.
      EXPECT_LE(residual(problem, result.solution.impulse), 100.0 * tolerance)
          << form << (frictionless_direction ? ", frictionless direction" : "");
    }
  }
}

TEST_P(AllSolvers, TakesZeroFriction) {
  RandomProblemOptions options = suited(isostatic);
  options.friction = 0.0;
  for (const auto& [form, problem] : FormsOfAProblem(random_problem(options))) {
    const Solved result = solve(problem);
    expect_solved(problem, result, form);
    for (const Constraint& c : problem.constraints()) {
      if (c.kind != ConstraintKind::frictional) continue;
      EXPECT_LE(result.solution.impulse.segment<2>(c.first_row).norm(), 1e-8) << form;
    }
  }
}

TEST_P(AllSolvers, SeparatingContactsGetNoImpulse) {
  RandomProblemOptions options = suited(isostatic);
  options.dry_friction = 0;
  const ContactProblem like = random_problem(options);
  VectorX free(like.num_rows());
  for (const Constraint& c : like.constraints()) {
    free[c.first_row + c.rows - 1] = 1.0;
    if (c.rows == 3) free.segment<2>(c.first_row) << 0.2, -0.1;
  }
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
    const ContactProblem problem = rebuilt(like, like.to_dense(), free, like.compliance()).in_form(form);
    const Solved result = solve(problem);
    EXPECT_TRUE(result.converged()) << to_string(result.report.status);
    EXPECT_LE(result.solution.impulse.norm(), 1e-7);
  }
}

TEST_P(AllSolvers, WarmStartFromTheSolutionIsNoSlower) {
  // Methods that take no guess must not be disturbed by one.
  const bool takes_guess = solver_->traits().warm_starts;
  for (const Family& family : families()) {
    if (!applies(family.options)) continue;
    const ContactProblem problem = random_problem(family.options);
    Solved cold = solve(problem);
    if (!cold.converged()) continue;
    ContactSolution warm = cold.solution;
    const SolveReport report = make()->solve(problem, warm);
    EXPECT_EQ(report.status, SolveStatus::converged) << family.name;
    EXPECT_LE(report.iterations, cold.report.iterations) << family.name;
    EXPECT_TRUE(takes_guess || warm.impulse == cold.solution.impulse) << family.name;
    EXPECT_LE(residual(problem, warm.impulse), 10.0 * tolerance) << family.name;
  }
}

TEST_P(AllSolvers, BadGuessesDoNoHarm) {
  const ContactProblem problem = random_problem(suited(isostatic));
  ASSERT_TRUE(solve(problem).converged());
  for (double size : {1e-6, 1.0, 1e3}) {
    ContactSolution solution;
    solution.impulse = VectorX::LinSpaced(problem.num_rows(), -size, size);
    const SolveReport report = make()->solve(problem, solution);
    ASSERT_TRUE(solution.impulse.allFinite()) << size;
    EXPECT_EQ(report.status, SolveStatus::converged) << size;
    if (report.status == SolveStatus::converged) {
      EXPECT_LE(residual(problem, solution.impulse), 10.0 * tolerance) << size;
    }
  }
}

TEST_P(AllSolvers, TakesMatricesThatAreNotQuiteSymmetric) {
  const ContactProblem like = random_problem(suited(isostatic));
  MatrixX g = like.to_dense();
  for (int j = 0; j < g.cols(); ++j) {
    for (int i = 0; i < j; ++i) g(i, j) *= 1.0 + 1e-4 * std::sin(7.0 * i + 3.0 * j);
  }
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
    const ContactProblem problem = rebuilt(like, g, like.free_velocity(), like.compliance()).in_form(form);
    ASSERT_FALSE(problem.is_symmetric());
    const Solved result = solve(problem);
    EXPECT_EQ(result.report.symmetrised, solver_->traits().needs_symmetry);
    expect_solved(result.report.symmetrised ? problem.symmetric_part() : problem, result, "not symmetric");
  }
}

TEST_P(AllSolvers, StrangeProblemsGiveAStatusAndFiniteNumbers) {
  const ContactProblem like = random_problem({.seed = 8, .limits = 2, .bilateral = 2, .dry_friction = 2});
  const int m = like.num_rows();
  const MatrixX g = like.to_dense();
  const VectorX free = like.free_velocity();
  std::map<std::string, ContactProblem> problems;
  problems.emplace("G = 0", rebuilt(like, MatrixX::Zero(m, m), free, {}));
  problems.emplace("g = 0", rebuilt(like, g, VectorX::Zero(m), {}));
  MatrixX lonely = g;
  lonely.middleRows(3, 3).setZero();
  lonely.middleCols(3, 3).setZero();
  problems.emplace("a contact that moves nothing", rebuilt(like, lonely, free, {}));
  MatrixX doubled = g;
  doubled.middleRows(3, 3) = doubled.middleRows(0, 3).eval();
  doubled.middleCols(3, 3) = doubled.middleCols(0, 3).eval();
  problems.emplace("a contact given twice", rebuilt(like, doubled, free, {}));
  VectorX huge = free;
  huge[m - 1] = std::numeric_limits<double>::max();
  problems.emplace("the largest double", rebuilt(like, g, huge, {}));
  problems.emplace("products underflow", rebuilt(like, 1e-170 * g, free, {}));
  problems.emplace("products overflow", rebuilt(like, 1e170 * g, free, {}));
  problems.emplace("indefinite", rebuilt(like, g.cwiseAbs() - 0.5 * g, free, {}));
  VectorX spread(m);
  for (int k = 0; k < m; ++k) spread[k] = std::pow(10.0, 6.0 * std::sin(5.0 * k));
  problems.emplace("twelve orders of magnitude",
                   rebuilt(like, spread.asDiagonal() * g * spread.asDiagonal(), spread.cwiseProduct(free), {}));
  for (double mu : {1e-12, 1e6}) {
    std::vector<Constraint> constraints(like.constraints().begin(), like.constraints().end());
    for (Constraint& c : constraints) {
      if (c.kind == ConstraintKind::frictional) c = Constraint::make_frictional(mu);
    }
    problems.emplace("mu = " + std::to_string(mu), rebuilt(like, g, free, {}, constraints));
  }
  for (const auto& [name, dense] : problems) {
    for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
      const ContactProblem problem = dense.in_form(form);
      ContactSolution solution;
      solver_->settings().max_iterations = 50;
      const SolveReport report = solver_->solve(problem, solution);
      EXPECT_TRUE(solution.impulse.allFinite()) << name;
      // Where products of impulses leave the range of a double only finite numbers are asked for.
      if (name.starts_with("products")) continue;
      if (report.status == SolveStatus::converged && !solver_->traits().needs_compliance && !report.symmetrised) {
        EXPECT_LE(residual(problem, solution.impulse), 10.0 * tolerance) << name;
      }
    }
  }
}

TEST_P(AllSolvers, HistoryHasOneEntryPerIteration) {
  const ContactProblem problem = random_problem(suited(isostatic));
  ContactSolution solution;
  solver_->solve(problem, solution);
  EXPECT_TRUE(solver_->history().empty()) << "not asked for";
  solver_->settings().record_history = true;
  solution = {};
  const SolveReport report = solver_->solve(problem, solution);
  EXPECT_LE(static_cast<int>(solver_->history().size()), report.iterations + 1);
  int last = -1;
  for (const HistoryEntry& entry : solver_->history()) {
    EXPECT_GT(entry.iteration, last);
    EXPECT_FALSE(std::isnan(entry.residual));
    last = entry.iteration;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AllSolvers, ::testing::ValuesIn(solver_names()), [](const auto& instance) {
  std::string name(instance.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace stiction
