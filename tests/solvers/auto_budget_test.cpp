// What `auto` may spend, how it is stopped, what it hands over to, and which kind of failure it reports.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "../support/hard_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/auto/infeasibility.h"
#include "stiction/solvers/auto/solver_auto.h"
#include "stiction/solvers/linear_algebra/block_lu.h"
#include "stiction/solvers/linear_algebra/node_lu.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

constexpr DelassusForm forms[] = {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored};

ContactProblem in(const ContactProblem& problem, DelassusForm form) {
  return form == DelassusForm::factored ? problem : problem.in_form(form);
}

std::vector<ContactProblem> hard_problems() {
  using namespace testing;
  return {three_point_heap({.seed = 2, .bodies = 20, .friction = 1.0}).problem(),
          three_point_heap({.seed = 1, .bodies = 20, .partners = 3, .friction = 2.0}).problem(),
          spheres_in_box({.seed = 1, .count = 3, .friction = 1.5}).problem(),
          spheres_in_box({.seed = 1, .count = 3, .friction = 0.9, .mass_ratio = 1e4}).problem(),
          wedges({.seed = 3, .bodies = 6}).problem(),
          box_columns({.seed = 4, .columns = 3, .height = 4}).problem(),
          mass_ratio_stack(1e6).problem(),
          random_problem({.seed = 5, .bodies = 5, .contacts = 12, .limits = 2, .bilateral = 2, .dry_friction = 2})};
}

TEST(AutoBudget, BoundsEverything) {
  for (const ContactProblem& problem : hard_problems()) {
    for (const DelassusForm form : forms) {
      const ContactProblem given = in(problem, form);
      for (const int limit : {1, 2, 7, 40, 150, 300}) {
        SolverAuto solver;
        solver.settings().tolerance = 1e-13;  // hardly reached: every part is tried
        solver.settings().max_iterations = limit;
        ContactSolution solution;
        const SolveReport report = solver.solve(given, solution);
        EXPECT_LE(report.iterations, limit);
        if (report.status == SolveStatus::iteration_limit) {
          EXPECT_GE(report.iterations, limit - 40) << limit;
        }
      }
    }
  }
}

TEST(AutoBudget, WithoutALimitTheDefaultHolds) {
  const ContactProblem problem = testing::three_point_heap({.seed = 2, .bodies = 10, .friction = 1.0}).problem();
  SolverAuto solver;
  solver.settings().tolerance = 1e-17;
  ContactSolution solution;
  EXPECT_LE(solver.solve(problem, solution).iterations, SolverAutoSettings::default_iterations);
}

TEST(AutoPortfolio, SolvesWhatItsNeighboursSolve) {
  for (const double friction : {1.0, 2.0}) {
    for (unsigned seed = 0; static_cast<int>(seed) < testing::fewer_sanitized(4, 1); ++seed) {
      const ContactProblem problem =
          testing::three_point_heap({.seed = seed, .partners = 3, .friction = friction}).problem();
      for (const DelassusForm form : {DelassusForm::sparse, DelassusForm::factored}) {
        const ContactProblem given = in(problem, form);
        SolverAuto solver;
        ContactSolution solution;
        EXPECT_EQ(solver.solve(given, solution).status, SolveStatus::converged) << friction << " seed " << seed;
        EXPECT_LE(judge(given, solution.impulse).eps_nat, 1e-8);
      }
    }
  }
}

// Blocks of zeros are not factored: the dense form of a sparse problem takes the same way, to the last bit.
TEST(AutoPortfolio, ALargeDenseProblemWithManyZerosIsTakenAsASparseOne) {
  const ContactProblem problem = testing::spheres_in_box({.seed = 2, .count = 4, .friction = 0.9}).problem();
  ASSERT_GT(problem.num_rows(), SolverAutoSettings{}.dense_rows);
  ContactSolution dense, sparse;
  SolverAuto first, second;
  const ContactProblem filled = problem.in_form(DelassusForm::dense);
  const SolveReport a = first.solve(filled, dense);
  const SolveReport b = second.solve(filled.in_form(DelassusForm::sparse), sparse);
  EXPECT_EQ(a.status, SolveStatus::converged);
  EXPECT_EQ(a.stages.counts, b.stages.counts);
  EXPECT_EQ(a.factorisations, b.factorisations);
  EXPECT_EQ(dense.impulse, sparse.impulse);
}

// ---- interruption

class EverySolver : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EverySolver, StopsWhenAskedAndReturnsTheBestSoFar) {
  const ContactProblem problem = testing::three_point_heap({.seed = 3, .bodies = 20, .friction = 1.0}).problem();
  const auto solver = make_solver(GetParam());
  Interrupt interrupt;
  interrupt.request();
  solver->settings().interrupt = &interrupt;
  solver->settings().tolerance = 1e-14;
  ContactSolution solution;
  const SolveReport report = solver->solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::interrupted);
  EXPECT_LE(report.iterations, 1);
  EXPECT_TRUE(solution.impulse.allFinite());
  interrupt.clear();
  solution = {};
  solver->settings().max_iterations = 3;
  EXPECT_NE(solver->solve(problem, solution).status, SolveStatus::interrupted);
}

// Nothing that takes long goes by without a look: as many looks as iterations, whatever those are.
TEST_P(EverySolver, LooksInEveryIteration) {
  const ContactProblem problem = testing::three_point_heap({.seed = 3, .bodies = 12, .friction = 1.0}).problem();
  const auto solver = make_solver(GetParam());
  solver->settings().tolerance = 1e-13;
  solver->settings().max_iterations = 40;
  int looks = 0;
  Interrupt watching([&] { return ++looks < 0; }, std::chrono::milliseconds(0));
  solver->settings().interrupt = &watching;
  ContactSolution solution;
  const int iterations = solver->solve(problem, solution).iterations;
  EXPECT_GE(looks + 5, iterations);  // the first look does not ask, and parts are rounded up
  ASSERT_GE(looks, 2);
  const int before = looks / 2;
  looks = 0;
  Interrupt stopping([&] { return ++looks >= before; }, std::chrono::milliseconds(0));
  solver->settings().interrupt = &stopping;
  solution = {};
  EXPECT_EQ(solver->solve(problem, solution).status, SolveStatus::interrupted);
  EXPECT_EQ(looks, before);
  EXPECT_TRUE(solution.impulse.allFinite());
}

INSTANTIATE_TEST_SUITE_P(All, EverySolver, ::testing::ValuesIn(solver_names()), [](const auto& param) {
  std::string name(param.param);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST(Interruption, APolledFunctionIsAskedDuringTheSolve) {
  const ContactProblem problem = testing::spheres_in_box({.seed = 1, .count = 4, .friction = 1.5}).problem();
  SolverAuto solver;
  solver.settings().tolerance = 1e-15;
  ContactSolution solution;
  const int usual = solver.solve(problem, solution).iterations;
  int asked = 0;
  Interrupt interrupt([&] { return ++asked == 10; }, std::chrono::milliseconds(0));
  solver.settings().interrupt = &interrupt;
  solution = {};
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::interrupted);
  EXPECT_EQ(asked, 10);
  EXPECT_LT(report.iterations, usual);
}

// A factorisation that takes long is given up where it is, and fails.
TEST(Interruption, StopsInsideOfAFactorisation) {
  const testing::Mechanics heap = testing::spheres_in_box({.seed = 1, .count = 12, .friction = 0.9});
  const ContactProblem factored = heap.problem();
  const ContactProblem sparse = factored.in_form(DelassusForm::sparse);
  const std::vector<Matrix3> weight(factored.num_constraints(), Matrix3::Identity());
  NodeLu nodes;
  nodes.analyse(factored.factored());
  BlockLu blocks;
  const auto factor = [&](Interrupt* interrupt, bool in_nodes) {
    return in_nodes ? nodes.factor(factored.factored(), weight, 1.0, interrupt)
                    : blocks.factor(sparse.sparse(), weight, {}, {}, interrupt);
  };
  for (const bool in_nodes : {true, false}) {
    int looks = 0;
    Interrupt watching([&] { return ++looks < 0; }, std::chrono::milliseconds(0));
    EXPECT_TRUE(factor(&watching, in_nodes));
    ASSERT_GE(looks, 2) << in_nodes;
    looks = 0;
    Interrupt stopping([&] { return ++looks == 2; }, std::chrono::milliseconds(0));
    EXPECT_FALSE(factor(&stopping, in_nodes));
    EXPECT_EQ(looks, 2);
    EXPECT_TRUE(factor(nullptr, in_nodes));
  }
}

TEST(Interruption, ComesFromAnotherThread) {
  const ContactProblem problem = testing::spheres_in_box({.seed = 1, .count = 5, .friction = 1.5}).problem();
  SolverAuto solver;
  solver.settings().tolerance = 1e-15;
  solver.settings().max_iterations = 1000000000;
  Interrupt interrupt;
  solver.settings().interrupt = &interrupt;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    interrupt.request();
  });
  // Again and again until it comes.
  SolveStatus status = SolveStatus::converged;
  while (status != SolveStatus::interrupted) {
    ContactSolution solution;
    status = solver.solve(problem, solution).status;
  }
  other.join();
}

// ---- kinds of failure

// A plate between two walls that close in on it.
ContactProblem plate(double left, double right, double friction) {
  MatrixX a(6, 3);
  a << 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0;
  VectorX g = VectorX::Zero(6);
  g[2] = left;
  g[5] = right;
  return ContactProblem::from_dense(std::vector<Constraint>(2, Constraint::make_frictional(friction)),
                                    a * a.transpose(), g);
}

TEST(KindOfFailure, ContradictionsAreProved) {
  for (const double friction : {0.0, 0.5, 3.0}) {
    for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
      SolverAuto solver;
      ContactSolution solution;
      EXPECT_EQ(solver.solve(plate(-1.0, -0.5, friction).in_form(form), solution).status, SolveStatus::no_solution);
      solution = {};
      EXPECT_EQ(solver.solve(plate(-1.0, 1.0, friction).in_form(form), solution).status, SolveStatus::converged);
    }
  }
  // Two bilateral rows of one velocity that want different things.
  const std::vector<Constraint> rows(2, Constraint::make_bilateral(1));
  SolverAuto solver;
  ContactSolution solution;
  const ContactProblem rods = ContactProblem::from_dense(rows, MatrixX::Ones(2, 2), Eigen::Vector2d(1.0, 2.0));
  EXPECT_EQ(solver.solve(rods, solution).status, SolveStatus::no_solution);
}

TEST(KindOfFailure, AProofIsCheckedRowByRow) {
  const ContactProblem closing = plate(-1.0, -0.5, 0.5), open = plate(-1.0, 1.5, 0.5);
  VectorX w = VectorX::Zero(6);
  w[2] = w[5] = 1.0;
  EXPECT_TRUE(InfeasibilityProof::is_proof(closing, w));
  EXPECT_FALSE(InfeasibilityProof::is_proof(open, w)) << "g·w > 0";
  VectorX one = w;
  one[5] = 0.0;
  EXPECT_FALSE(InfeasibilityProof::is_proof(closing, one)) << "it moves the plate";
  VectorX pull = -w;
  EXPECT_FALSE(InfeasibilityProof::is_proof(open, pull)) << "contacts do not pull";
  VectorX tangent = w;
  tangent[0] = 1.0;
  tangent[3] = -1.0;
  EXPECT_FALSE(InfeasibilityProof::is_proof(closing, tangent)) << "nothing bounds tangential velocities";
}

// What has a solution is never called unsolvable.
TEST(KindOfFailure, WhatIsSolvedElsewhereIsNotDisproved) {
  for (const ContactProblem& problem : hard_problems()) {
    InfeasibilityProof proof;
    EXPECT_FALSE(proof.find(problem, {}));
  }
}

TEST(KindOfFailure, RoundingIsToldFromStalling) {
  const ContactProblem problem = testing::random_problem({.seed = 7, .bodies = 4, .contacts = 8});
  SolverAuto solver;
  solver.settings().tolerance = 1e-18;  // beyond what numbers hold
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::rounding) << to_string(report.status) << report.residual;
}

}  // namespace
}  // namespace stiction
