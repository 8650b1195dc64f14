#include "stiction/solvers/sweeps/solver_raisim.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"

namespace stiction {
namespace {

using testing::random_problem;
using testing::RandomProblemOptions;

struct Sample {
  Matrix3 w;
  Vector3 q;
  double mu;
};

// Sliding contacts with strong coupling between normal and tangents.
std::vector<Sample> sliding_samples(int count) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Sample> samples;
  while (static_cast<int>(samples.size()) < count) {
    Matrix3 a;
    for (int k = 0; k < 9; ++k) a.data()[k] = normal(generator);
    Sample s{a * a.transpose() + 0.2 * Matrix3::Identity(), Vector3(), 0.1 + uniform(generator)};
    for (int k = 0; k < 2; ++k) s.q[k] = normal(generator);  // one by one: compilers order arguments differently
    s.q[2] = -uniform(generator);
    const Vector3 l = solve_one_contact(s.w, s.q, s.mu);
    if ((s.w * l + s.q).head<2>().norm() > 0.05) samples.push_back(s);
  }
  return samples;
}

// Theory (1-8): c_T ∝ −λ_T − (μ² λ_N / G_NN) G_NT, and a different direction than maximum dissipation.
TEST(SolverRaisim, SlidingDirectionIsBentWithMuSquared) {
  int bent = 0;
  for (const Sample& s : sliding_samples(300)) {
    const Vector3 l = raisim_slide(s.w, s.q, s.mu, 0.0, 1e-14);
    const Vector3 c = s.w * l + s.q;
    EXPECT_NEAR(c[2], 0.0, 1e-12 * std::max(1.0, l.norm()));
    EXPECT_NEAR(l.head<2>().norm(), s.mu * l[2], 1e-12 * std::max(1.0, l.norm()));
    const Vector2 law = -(l.head<2>() + s.mu * s.mu * l[2] / s.w(2, 2) * s.w.col(2).head<2>());
    EXPECT_LE((c.head<2>().normalized() - law.normalized()).norm(), 1e-8);
    bent += (c.head<2>().normalized() + l.head<2>().normalized()).norm() > 1e-2;
  }
  EXPECT_GT(bent, 150);
}

// The method promises no convergence. Where it converges, which it must nearly everywhere, it is exact.
TEST(SolverRaisim, OneContactWithCorrectionIsTheExactSolution) {
  constexpr int count = 1000;
  int solved = 0, ellipses = 0, solved_ellipses = 0;
  for (const Sample& s : sliding_samples(count)) {
    const auto problem = ContactProblem::from_dense({Constraint::make_frictional(s.mu)}, s.w, s.q);
    SolverRaisim solver(true);
    solver.settings().tolerance = 1e-300;
    solver.settings().max_iterations = 500;
    ContactSolution solution;
    const bool is_solved = solver.solve(problem, solution).residual <= 1e-9;
    const bool is_ellipse = s.mu * s.w.col(2).head<2>().norm() < 0.5 * s.w(2, 2);
    ellipses += is_ellipse;
    if (!is_solved) continue;
    ++solved;
    solved_ellipses += is_ellipse;
    const Vector2 lt = solution.impulse.head<2>().normalized(), ct = solution.velocity.head<2>().normalized();
    EXPECT_LE((lt + ct).norm(), 1e-7);
    const Vector3 exact = solve_one_contact(s.w, s.q, s.mu);
    EXPECT_LE((solution.impulse - exact).norm(), 1e-7 * exact.norm());
  }
  EXPECT_GE(solved, 0.995 * count);
  EXPECT_GT(ellipses, count / 2);
  EXPECT_EQ(solved_ellipses, ellipses);
}

TEST(SolverRaisim, TakeOffStickAndFrictionless) {
  const Matrix3 w = Vector3(2.0, 2.0, 4.0).asDiagonal();
  for (bool de_saxce : {false, true}) {
    SolverRaisim solver(de_saxce);
    ContactSolution open, stick, smooth;
    solver.solve(ContactProblem::from_dense({Constraint::make_frictional(0.5)}, w, Vector3(1, 0, 1)), open);
    EXPECT_TRUE(open.impulse.isZero());
    solver.solve(ContactProblem::from_dense({Constraint::make_frictional(0.5)}, w, Vector3(0.2, 0, -4)), stick);
    EXPECT_LE((stick.impulse - Vector3(-0.1, 0.0, 1.0)).norm(), 1e-14);
    solver.solve(ContactProblem::from_dense({Constraint::make_frictional(0.0)}, w, Vector3(0.2, 0, -4)), smooth);
    EXPECT_LE((smooth.impulse - Vector3(0.0, 0.0, 1.0)).norm(), 1e-14);
  }
}

// μ ‖W_NT‖ > W_NN: the section is a hyperbola, and only half of the angles exist.
TEST(SolverRaisim, SectionThatIsNoEllipse) {
  Matrix3 w;
  w << 4.0, 0.0, 1.5, 0.0, 4.0, 0.0, 1.5, 0.0, 1.0;
  for (double angle = 0.0; angle < 6.2; angle += 0.3) {
    const Vector3 q(3.0 * std::cos(angle), 3.0 * std::sin(angle), -0.2);
    const Vector3 l = raisim_slide(w, q, 2.0, 0.0, 1e-14);
    EXPECT_GT(l[2], 0.0);
    EXPECT_NEAR((w * l + q)[2], 0.0, 1e-10 * l.norm());
  }
}

TEST(SolverRaisim, CoupledProblemsMeetTheirModel) {
  RandomProblemOptions options{.seed = 6, .bodies = 6, .contacts = 6, .limits = 2, .bilateral = 2, .dry_friction = 1};
  options.compliance = 0.05;
  for (unsigned seed = 0; seed < 5; ++seed) {
    options.seed = seed;
    const ContactProblem factored = random_problem(options);
    for (bool de_saxce : {false, true}) {
      for (DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
        const ContactProblem problem = factored.in_form(form);
        SolverRaisim solver(de_saxce);
        ContactSolution solution;
        EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged) << seed << de_saxce;
        EXPECT_LE(judge(problem, solution.impulse, {.model = solver.traits().model}).eps_nat, 1.1e-8)
            << seed << de_saxce;
      }
    }
  }
}

}  // namespace
}  // namespace stiction
