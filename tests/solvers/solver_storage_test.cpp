// What a solver keeps between solves: memory, and what it carries over in the solution. For every registered solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../support/allocation_guard.h"
#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace stiction {
namespace {

using testing::AllocationGuard;
using testing::Mechanics;
using testing::random_mechanics;
using testing::RandomProblemOptions;

constexpr RandomProblemOptions mixed{
    .seed = 20, .bodies = 6, .contacts = 6, .limits = 2, .bilateral = 2, .dry_friction = 2, .friction = -1.0};

ContactProblem anisotropic(RandomProblemOptions options) {
  Mechanics mechanics = random_mechanics(options);
  for (int i = 0; i < options.contacts; ++i) {
    mechanics.constraints[i] = Constraint::make_anisotropic(0.6, i == 0 ? 0.0 : 0.2 + 0.1 * i);
  }
  return mechanics.problem();
}

// G tilted by a part in ten thousand: methods that need symmetry take the symmetric part.
ContactProblem tilted(const ContactProblem& like) {
  MatrixX g = like.to_dense();
  for (int j = 0; j < g.cols(); ++j) {
    for (int i = 0; i < j; ++i) g(i, j) *= 1.0 + 1e-4 * std::sin(7.0 * i + 3.0 * j);
  }
  return ContactProblem::from_dense({like.constraints().begin(), like.constraints().end()}, g, like.free_velocity(),
                                    like.compliance());
}

class SolverStorage : public ::testing::TestWithParam<std::string_view> {
 protected:
  static std::unique_ptr<ContactSolver> make() {
    auto solver = make_solver(GetParam());
    solver->settings().tolerance = 1e-9;
    solver->settings().max_iterations = 20000;
    return solver;
  }
  static RandomProblemOptions options() {
    RandomProblemOptions suited = mixed;
    if (make()->traits().needs_compliance) suited.compliance = 0.1;
    return suited;
  }
  // The second solve of a size, cold and warm.
  static void expect_no_allocation(const ContactProblem& problem, const std::string& what) {
    const auto solver = make();
    ContactSolution solution;
    solver->solve(problem, solution);
    const ContactSolution first = solution;
    solution.impulse.setZero();
    {
      const AllocationGuard guard;
      solver->solve(problem, solution);
      EXPECT_EQ(guard.count(), 0) << what << ", cold";
    }
    solution = first;
    const AllocationGuard guard;
    solver->solve(problem, solution);
    EXPECT_EQ(guard.count(), 0) << what << ", warm";
  }
};

TEST_P(SolverStorage, SecondSolveAllocatesNothing) {
  const ContactProblem problem = random_mechanics(options()).problem();
  expect_no_allocation(problem, "factored");
  expect_no_allocation(problem.in_form(DelassusForm::sparse), "sparse");
  expect_no_allocation(problem.in_form(DelassusForm::dense), "dense");
  RandomProblemOptions hyperstatic = options();
  hyperstatic.bodies = 3;
  hyperstatic.contacts = 14;
  expect_no_allocation(random_mechanics(hyperstatic).problem(), "hyperstatic, factored");
}

// These do not see the caller's problem but a rescaled or symmetric one, which is made anew for each solve.
TEST_P(SolverStorage, SecondSolveOfAReducedProblemAllocatesNothing) {
  const ContactProblem problem = anisotropic(options());
  expect_no_allocation(problem, "anisotropic, factored");
  expect_no_allocation(problem.in_form(DelassusForm::sparse), "anisotropic, sparse");
  expect_no_allocation(problem.in_form(DelassusForm::dense), "anisotropic, dense");
  const ContactProblem both = tilted(problem);
  expect_no_allocation(both, "anisotropic and not symmetric, dense");
  expect_no_allocation(both.in_form(DelassusForm::sparse), "anisotropic and not symmetric, sparse");
  const ContactProblem asymmetric = tilted(random_mechanics(options()).problem());
  expect_no_allocation(asymmetric, "not symmetric, dense");
  expect_no_allocation(asymmetric.in_form(DelassusForm::sparse), "not symmetric, sparse");
}

INSTANTIATE_TEST_SUITE_P(Every, SolverStorage, ::testing::ValuesIn(solver_names()), [](const auto& instance) {
  std::string name(instance.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// z and the penalty of an anisotropic problem come back in its own units: the next step of a sequence, here the same
// problem with g turned a little, is then as much cheaper as for round cones.
TEST(SolverStorageOfAdmm, AnisotropicProblemsCarryTheDual) {
  for (const char* name : {"ncp-admm", "ccp-admm"}) {
    const ContactProblem problem = anisotropic(mixed).in_form(DelassusForm::dense);
    const auto solver = make_solver(name);
    ContactSolution solution;
    const SolveReport cold = solver->solve(problem, solution);
    ASSERT_EQ(cold.status, SolveStatus::converged) << name;
    ASSERT_EQ(solution.memory.rows.size(), problem.num_rows()) << name;
    EXPECT_TRUE(std::isfinite(solution.memory.number)) << name;
    // z = σ + Γ(σ): the tangential part of z is that of σ, wherever there is friction.
    for (const Constraint& c : problem.constraints()) {
      if (c.kind != ConstraintKind::anisotropic || c.friction_2 == 0.0) continue;
      const Vector2 z = solution.memory.rows.segment<2>(c.first_row), sigma = solution.velocity.segment<2>(c.first_row);
      EXPECT_LE((z - sigma).norm(), 1e-6 * std::max(1.0, sigma.norm())) << name;
    }
    const VectorX turned = problem.free_velocity() + 1e-4 * VectorX::LinSpaced(problem.num_rows(), -1.0, 1.0);
    const ContactProblem next = ContactProblem::from_dense({problem.constraints().begin(), problem.constraints().end()},
                                                           problem.to_dense(), turned, problem.compliance());
    ContactSolution without = solution;
    without.memory.rows.resize(0);
    without.memory.number = std::numeric_limits<double>::quiet_NaN();
    const SolveReport warm = solver->solve(next, solution), unaided = solver->solve(next, without);
    EXPECT_EQ(warm.status, SolveStatus::converged) << name;
    EXPECT_LT(warm.iterations, unaided.iterations) << name;
  }
}

}  // namespace
}  // namespace stiction
