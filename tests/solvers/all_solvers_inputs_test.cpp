// What every registered solver must do with bad, empty, strange and easy input, and what it must say of it.
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "tests/solvers/all_solvers.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

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

// Whatever the range of an option is, it is known when the option is set: no number out of three absurd ones comes
// through to a solve that then refuses it.
TEST_P(AllSolvers, OptionsOutOfRangeAreRefusedWhenSet) {
  const ContactProblem problem = random_problem(suited(isostatic));
  int refusals = 0;
  for (const SolverOption& option : solver_->options()) {
    if (std::holds_alternative<bool*>(option.value)) continue;
    const auto value = [&] {
      const auto* real = std::get_if<double*>(&option.value);
      return real ? **real : static_cast<double>(*std::get<int*>(option.value));
    };
    const double before = value();
    for (const double absurd : {-1e6, -1.0, 1e8}) {
      try {
        solver_->set_option(option.name, absurd);
      } catch (const std::invalid_argument& refusal) {
        ++refusals;
        EXPECT_NE(std::string(refusal.what()).find(option.name), std::string::npos) << refusal.what();
        EXPECT_EQ(value(), before) << option.name;
      }
    }
    solver_->set_option(option.name, before);
    EXPECT_THROW(solver_->set_option(option.name, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
    EXPECT_EQ(value(), before) << option.name;
  }
  EXPECT_GE(refusals, 2 * 3);  // tolerance, acceptable_tolerance, max_iterations have no negative values
  ContactSolution solution;
  EXPECT_NO_THROW(solver_->solve(problem, solution));
}

TEST(SolverSettings, RangesAreNamed) {
  const auto solver = make_solver("raisim");
  EXPECT_REFUSED(solver->set_option("decay", 1.5), "option decay of raisim: decay is 1.5; it must be in (0, 1]");
  EXPECT_REFUSED(solver->set_option("tolerance", -2e-9), "tolerance is -2e-09; it must be positive");
  EXPECT_REFUSED(make_solver("ncp-admm")->set_option("anderson", 31), "anderson is 31; it must be in 0 … 30");
  EXPECT_REFUSED(make_solver("ncp-staggered")->set_option("tau", 1), "tau is 1; it must be above 1");
  EXPECT_REFUSED(make_solver("lcp-anitescu-potra")->set_option("directions", 3), "directions is 3");
  EXPECT_REFUSED(make_solver("max-dissipation")->set_option("restitution", 1.1), "restitution is 1.1");
  EXPECT_REFUSED(make_solver("ncp-ip")->set_option("delta", 1.0), "delta is 1; it must be in [0, 1)");
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

}  // namespace
}  // namespace stiction
