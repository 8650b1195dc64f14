// What every registered solver must find, whatever its method: the same as the others of its model, in every form,
// turned, permuted, scaled.
#include "tests/solvers/all_solvers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>

namespace stiction {
namespace {

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

// Torsional and rolling friction: whatever the method, by rounds. What it does not solve it says; the last three do not
// solve them all.
TEST_P(AllSolvers, TakesTorsionalAndRollingFriction) {
  const std::string name(GetParam());
  const bool may_fail = name == "ncp-ip" || name == "ccp-pgs" || name == "max-dissipation";
  for (unsigned seed = 40; seed < 43; ++seed) {
    const RandomProblemOptions options =
        suited({.seed = seed, .bodies = 5, .contacts = 6, .torsional = 4, .rolling = 3, .friction = 0.4});
    for (const auto& [form, problem] : FormsOfAProblem(random_problem(options))) {
      const Solved result = solve(problem);
      EXPECT_TRUE(result.solution.impulse.allFinite()) << seed << form;
      EXPECT_TRUE(result.converged() || may_fail)
          << seed << form << ": " << to_string(result.report.status) << ", " << result.report.residual;
      if (result.converged()) {
        EXPECT_LE(residual(problem, result.solution.impulse), 10.0 * tolerance) << seed << form;
      }
    }
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
      EXPECT_LE(residual(problem, result.solution.impulse), 1.001 * tolerance)
          << form << (frictionless_direction ? ", frictionless direction" : "");
    }
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
    if (!result.report.symmetrised) {
      expect_solved(problem, result, "not symmetric");
    } else {  // the symmetric part is solved, and the status does not claim that it was the problem given
      EXPECT_EQ(result.report.status, SolveStatus::regularised);
      EXPECT_LE(residual(problem.symmetric_part(), result.solution.impulse), 10.0 * tolerance);
      EXPECT_GT(residual(problem, result.solution.impulse), tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AllSolvers, ::testing::ValuesIn(solver_names()), [](const auto& instance) {
  std::string name(instance.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace stiction
