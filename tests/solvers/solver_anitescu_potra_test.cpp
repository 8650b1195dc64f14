#include "stiction/solvers/pivoting/solver_anitescu_potra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"

namespace stiction {
namespace {

using testing::random_mechanics;

Vector3 slide(int directions, double angle, double mu) {
  const Vector3 g(4.0 * std::cos(angle), 4.0 * std::sin(angle), -1.0);
  const ContactProblem problem =
      ContactProblem::from_dense({Constraint::make_frictional(mu)}, MatrixX::Identity(3, 3), g);
  SolverAnitescuPotra solver;
  solver.set_option("directions", directions);
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.residual, 1e-14);
  return solution.impulse;
}

// A sliding contact is pulled to the corner of the polygon that opposes the slip best.
TEST(SolverAnitescuPotra, SlidingContactTakesTheBestCorner) {
  for (const int d : {4, 6, 8, 16}) {
    for (int k = 0; k < d; ++k) {
      const double corner = (2 * k + 1) * M_PI / d;
      const Vector3 impulse = slide(d, corner + M_PI + 0.3 * M_PI / d, 0.5);
      const double length = 0.5 / std::cos(M_PI / d);
      EXPECT_LE((impulse - Vector3(length * std::cos(corner), length * std::sin(corner), 1.0)).norm(), 1e-13)
          << d << ' ' << k;
    }
  }
}

TEST(SolverAnitescuPotra, FourDirectionsAreTheSquareExactly) {
  EXPECT_EQ(slide(4, 0.2, 0.5), Vector3(-0.5, -0.5, 1.0));
}

// More directions approach the exact law.
TEST(SolverAnitescuPotra, ManyDirectionsApproachTheCone) {
  const ContactProblem problem = random_mechanics({.seed = 7, .bodies = 4, .contacts = 6}).problem();
  SolverAnitescuPotra solver;
  double before = 1e300;
  for (const int d : {4, 8, 16, 32}) {
    solver.set_option("directions", d);
    ContactSolution solution;
    EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged) << d;
    const double coulomb = judge(problem, solution.impulse).coulomb;
    EXPECT_LT(coulomb, 0.6 * before) << d;
    EXPECT_LE(judge(problem, solution.impulse).signorini_penetration, 1e-10);
    EXPECT_LE(judge(problem, solution.impulse).signorini_complementarity, 1e-9);
    before = coulomb;
  }
}

TEST(SolverAnitescuPotra, OtherConstraintsHoldWithManyDirections) {
  const ContactProblem problem =
      random_mechanics({.seed = 8, .bodies = 4, .contacts = 5, .limits = 2, .bilateral = 2, .dry_friction = 2})
          .problem();
  SolverAnitescuPotra solver;
  solver.set_option("directions", 8);
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  // A multiple of the solution is no solution, and the solver's own measure says so.
  ContactSolution worse;
  worse.impulse = 1.01 * solution.impulse;
  solver.settings().max_iterations = 1;
  solver.set_option("regularisation", 0.0);
  EXPECT_GT(solver.solve(problem, worse).residual, 1e-4);
  for (const Constraint& c : problem.constraints()) {
    const double l = solution.impulse[c.first_row], s = solution.velocity[c.first_row];
    if (c.kind == ConstraintKind::unilateral) {
      EXPECT_NEAR(l, std::max(0.0, l - s), 1e-10);
    } else if (c.kind == ConstraintKind::dry_friction) {
      EXPECT_NEAR(l, std::clamp(l - s, -c.bound, c.bound), 1e-10);
    } else if (c.kind == ConstraintKind::bilateral) {
      EXPECT_NEAR(s, 0.0, 1e-10);
    }
  }
}

TEST(SolverAnitescuPotra, RefusesTooFewDirections) {
  const ContactProblem problem = random_mechanics({.seed = 7, .bodies = 2, .contacts = 2}).problem();
  SolverAnitescuPotra solver;
  EXPECT_THROW(solver.set_option("directions", 3), std::invalid_argument);
  EXPECT_THROW(solver.set_option("directions", 65), std::invalid_argument);
  ContactSolution solution;
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);  // with those of before
}

}  // namespace
}  // namespace stiction
