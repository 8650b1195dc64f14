// `auto` in contact space: every problem of the FCLIB collection, as published and disturbed, judged by the judge.
#include "stiction/solvers/auto/auto_contact_space.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/fclib.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/fclib_files.h"
#include "tests/support/random_problems.h"

namespace stiction {
namespace {

struct Named {
  std::string name;
  ContactProblem problem;
};

const std::vector<Named>& collection() {
  static const std::vector<Named> problems = [] {
    std::vector<Named> out;
    for (const std::string& path : testing::fclib_files()) {
      const ContactProblem problem = read_fclib(path, FclibGlobal::condensed).problem;
      out.push_back({std::filesystem::path(path).stem().string(), problem.in_form(DelassusForm::sparse)});
    }
    return out;
  }();
  return problems;
}

SolveGoal relative_goal(double tolerance = 1e-8) {
  SolveGoal goal;
  goal.tolerance = tolerance;
  goal.use_relative = true;
  return goal;
}

// RockPile takes hundreds of factorisations; variants of it are sampled.
bool is_long(const Named& named) {
  return named.name.starts_with("RockPile");
}

void expect_solved(const ContactProblem& problem, const std::string& what, double tolerance = 1e-8) {
  AutoContactSpace space;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  const SolveOutcome outcome = space.solve(problem, relative_goal(tolerance), impulse);
  EXPECT_TRUE(outcome.converged) << what;
  EXPECT_LE(judge(problem, impulse).eps_rel, tolerance * 1.0001) << what;
}

ContactProblem rebuilt(const ContactProblem& problem, const Eigen::SparseMatrix<double, Eigen::RowMajor>& matrix,
                       const VectorX& free_velocity, std::vector<Constraint> constraints) {
  return ContactProblem::from_sparse(std::move(constraints), matrix, free_velocity, problem.compliance());
}

std::vector<Constraint> constraints_of(const ContactProblem& problem) {
  return {problem.constraints().begin(), problem.constraints().end()};
}

TEST(AutoContactSpace, SolvesAllOfFclibAsPublished) {
  ASSERT_EQ(collection().size(), 27u);
  std::map<SolveStage, int> stages;
  for (const Named& named : collection()) {
    AutoContactSpace space;
    VectorX impulse = VectorX::Zero(named.problem.num_rows());
    const SolveOutcome outcome = space.solve(named.problem, relative_goal(), impulse);
    EXPECT_TRUE(outcome.converged) << named.name;
    EXPECT_LE(judge(named.problem, impulse).eps_rel, 1e-8) << named.name;
    EXPECT_GE(outcome.factorisations, 1) << named.name;
    ++stages[outcome.stage];
  }
  EXPECT_GE(stages[AutoStage::stick_probe], 2);
  EXPECT_GE(stages[AutoStage::interior_point], 20);
  EXPECT_GE(stages[AutoStage::arclength], 1);
}

TEST(AutoContactSpace, SolvesFclibTo1em10) {
  for (const Named& named : collection()) {
    if (!is_long(named)) expect_solved(named.problem, named.name, 1e-10);
  }
}

TEST(AutoContactSpace, SolvesFclibWithOtherFriction) {
  for (double mu : {0.0, 1e-8, 1e-4, 1e-2, 1.5, 2.0}) {
    for (const Named& named : collection()) {
      if (is_long(named) && mu != 1e-2) continue;
      std::vector<Constraint> constraints = constraints_of(named.problem);
      for (Constraint& c : constraints) {
        if (c.kind == ConstraintKind::frictional) c = Constraint::make_frictional(mu);
      }
      const ContactProblem problem =
          rebuilt(named.problem, named.problem.to_sparse(), named.problem.free_velocity(), constraints);
      expect_solved(problem, named.name + " with friction " + std::to_string(mu));
    }
  }
}

TEST(AutoContactSpace, SolvesFclibScaled) {
  for (double g_scale : {1e-8, 1.0, 1e8}) {
    for (double v_scale : {1e-8, 1e8}) {
      for (const Named& named : collection()) {
        if (is_long(named) || named.problem.num_constraints() > 300) continue;
        expect_solved(rebuilt(named.problem, g_scale * named.problem.to_sparse(),
                              v_scale * named.problem.free_velocity(), constraints_of(named.problem)),
                      named.name + " scaled");
      }
    }
  }
}

// Contacts in another order and tangents turned: a similarity by an orthogonal matrix.
TEST(AutoContactSpace, SolvesFclibPermutedAndRotated) {
  std::mt19937_64 generator(11);
  for (const Named& named : collection()) {
    if (is_long(named)) continue;
    const ContactProblem& p = named.problem;
    std::vector<int> order(p.num_constraints());
    for (int i = 0; i < p.num_constraints(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), generator);
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<Constraint> constraints;
    int row = 0;
    for (int i : order) {
      const Constraint& c = p.constraint(i);
      constraints.push_back(c);
      if (c.kind == ConstraintKind::frictional) {
        const double a = std::uniform_real_distribution<double>(-3.0, 3.0)(generator);
        entries.emplace_back(row, c.first_row, std::cos(a));
        entries.emplace_back(row, c.first_row + 1, std::sin(a));
        entries.emplace_back(row + 1, c.first_row, -std::sin(a));
        entries.emplace_back(row + 1, c.first_row + 1, std::cos(a));
        entries.emplace_back(row + 2, c.first_row + 2, 1.0);
      } else {
        for (int r = 0; r < c.rows; ++r) entries.emplace_back(row + r, c.first_row + r, 1.0);
      }
      row += c.rows;
    }
    Eigen::SparseMatrix<double, Eigen::RowMajor> turn(p.num_rows(), p.num_rows());
    turn.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseMatrix<double, Eigen::RowMajor> matrix = turn * p.to_sparse() * turn.transpose();
    expect_solved(ContactProblem::from_sparse(constraints, matrix, VectorX(turn * p.free_velocity())),
                  named.name + " permuted");
  }
}

testing::RandomProblemOptions mixed(unsigned seed) {
  testing::RandomProblemOptions options;
  options.seed = seed;
  options.bodies = 5;
  options.contacts = 8;
  options.limits = 4;
  options.bilateral = 3;
  options.dry_friction = 4;
  options.friction = -1.0;
  options.compliance = seed % 3 == 1 ? 0.05 : 0.0;
  return options;
}

TEST(AutoContactSpace, SolvesMixedKindsDenseAndSparse) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const ContactProblem factored = testing::random_problem(mixed(seed));
    for (DelassusForm form : {DelassusForm::sparse, DelassusForm::dense}) {
      const ContactProblem problem = factored.in_form(form);
      AutoContactSpace space;
      VectorX impulse = VectorX::Zero(problem.num_rows());
      SolveGoal goal;
      goal.tolerance = 1e-9;
      EXPECT_TRUE(space.solve(problem, goal, impulse).converged) << seed;
      EXPECT_LE(judge(problem, impulse).eps_nat, 1.0001e-9) << seed;
    }
  }
}

// One row of each kind with a unit G: the answers are known.
TEST(AutoContactSpace, ClosedFormsOfTheScalarKinds) {
  const std::vector<Constraint> constraints{
      Constraint::make_unilateral(),      Constraint::make_unilateral(),       Constraint::make_dry_friction(0.5),
      Constraint::make_dry_friction(0.5), Constraint::make_dry_friction(10.0), Constraint::make_bilateral(1),
      Constraint::make_dry_friction(0.0), Constraint::make_frictional(0.0),    Constraint::make_unilateral(),
  };
  VectorX g(11), r = VectorX::Zero(11), expected(11);
  g << -1, 2, -3, 3, -3, 7, 5, 1, 2, -4, -6;
  r[10] = 2.0;  // compliance of the last half-line: λ = 6/(1 + 2)
  expected << 1, 0, 0.5, -0.5, 3, -7, 0, 0, 0, 4, 2;
  const ContactProblem problem = ContactProblem::from_dense(constraints, MatrixX::Identity(11, 11), g, r);
  AutoContactSpace space;
  VectorX impulse = VectorX::Zero(11);
  SolveGoal goal;
  goal.tolerance = 1e-9;
  EXPECT_TRUE(space.solve(problem, goal, impulse).converged);
  EXPECT_LE((impulse - expected).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_EQ(impulse[6], 0.0);
  EXPECT_EQ(impulse[7], 0.0);
  EXPECT_EQ(impulse[8], 0.0);
}

TEST(AutoContactSpace, AcceptsAGoodGuessUntouchedAndNeverWorsensOne) {
  const ContactProblem problem = testing::random_problem(mixed(2)).in_form(DelassusForm::sparse);
  AutoContactSpace space;
  SolveGoal goal;
  goal.tolerance = 1e-9;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  ASSERT_TRUE(space.solve(problem, goal, impulse).converged);
  const VectorX solved = impulse;
  const SolveOutcome again = space.solve(problem, goal, impulse);
  EXPECT_EQ(again.stage, AutoStage::warm_start);
  EXPECT_EQ(again.factorisations, 0);
  EXPECT_EQ((impulse - solved).norm(), 0.0);
  // An unreachable goal: the best of all stages comes back, marked.
  goal.tolerance = 1e-300;
  SolveBudget budget;
  budget.start(30, nullptr);
  goal.budget = &budget;
  const double before = judge(problem, impulse).eps_nat;
  const SolveOutcome best = space.solve(problem, goal, impulse);
  EXPECT_FALSE(best.converged);
  EXPECT_LE(best.factorisations, 30);
  EXPECT_LE(judge(problem, impulse).eps_nat, before + 1e-15);
}

// From beside a guess that is off by a millionth everywhere, so that every contact that slides has left its cone or its
// friction is too small.
TEST(AutoContactSpace, AGuessThatIsNearSavesMostFactorisations) {
  int cold = 0, near = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = testing::random_problem(mixed(seed)).in_form(DelassusForm::dense);
    AutoContactSpace space;
    SolveGoal goal;
    goal.tolerance = 1e-9;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    cold += space.solve(problem, goal, impulse).factorisations;
    for (Eigen::Index k = 0; k < impulse.size(); ++k) impulse[k] *= k % 2 == 0 ? 1.000001 : 0.999999;
    ASSERT_GT(judge(problem, impulse).eps_nat, 1e-8) << seed;
    const SolveOutcome outcome = space.solve(problem, goal, impulse);
    EXPECT_TRUE(outcome.converged) << seed;
    EXPECT_LE(judge(problem, impulse).eps_nat, 1.0001e-9) << seed;
    near += outcome.factorisations;
  }
  EXPECT_LT(near, 0.6 * cold) << "of " << cold;
}

TEST(AutoContactSpace, SecondSolveAllocatesNothingAndRepeatsTheBits) {
  for (const Named& named : collection()) {
    if (named.problem.num_constraints() < 20 || is_long(named)) continue;
    AutoContactSpace space;
    VectorX impulse = VectorX::Zero(named.problem.num_rows());
    space.solve(named.problem, relative_goal(), impulse);
    const VectorX first = impulse;
    impulse.setZero();
    const testing::AllocationGuard guard;
    space.solve(named.problem, relative_goal(), impulse);
    EXPECT_EQ(guard.count(), 0) << named.name;
    EXPECT_EQ((impulse - first).norm(), 0.0) << named.name;
  }
}

TEST(AutoContactSpace, RefusesFactoredProblems) {
  const ContactProblem problem = testing::random_problem(mixed(0));
  AutoContactSpace space;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  EXPECT_THROW(space.solve(problem, {}, impulse), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
