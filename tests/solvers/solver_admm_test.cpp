#include "stiction/solvers/admm/solver_admm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/problem_files/fclib.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

using testing::mass_ratio_stack;
using testing::random_problem;
using testing::RandomProblemOptions;

ContactProblem one_contact(const Matrix3& g, const Vector3& velocity, double mu, const VectorX& compliance = {}) {
  return ContactProblem::from_dense({Constraint::make_frictional(mu)}, g, velocity, compliance);
}

Vector3 solve_one(ContactModel model, const ContactProblem& problem) {
  SolverAdmm solver(model);
  solver.settings().tolerance = 1e-11;
  ContactSolution solution;
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  return solution.impulse;
}

RandomProblemOptions mixed(unsigned seed) {
  return {.seed = seed, .bodies = 4, .contacts = 8, .limits = 3, .bilateral = 2, .dry_friction = 2, .friction = -1.0};
}

double objective(const ContactProblem& problem, const VectorX& impulse) {
  VectorX velocity(problem.num_rows());
  problem.velocity(impulse, velocity);
  return 0.5 * impulse.dot(velocity + problem.free_velocity());
}

const Matrix3 decoupled = Vector3(2.0, 2.0, 4.0).asDiagonal();

TEST(SolverAdmm, OneContactTakesOff) {
  EXPECT_EQ(solve_one(ContactModel::ncp, one_contact(decoupled, {0.3, 0.0, 0.5}, 0.5)).norm(), 0.0);
  // Inside the dual cone the convex model agrees; a fast tangential velocity makes it push although the contact opens.
  EXPECT_EQ(solve_one(ContactModel::ccp, one_contact(decoupled, {0.3, 0.0, 0.5}, 0.5)).norm(), 0.0);
  EXPECT_GT(solve_one(ContactModel::ccp, one_contact(decoupled, {3.0, 0.0, 0.5}, 0.5))[2], 0.1);
}

TEST(SolverAdmm, OneContactSticks) {
  const Vector3 expected(-0.1, 0.05, 1.0);  // −G⁻¹ g
  for (ContactModel model : {ContactModel::ncp, ContactModel::ccp}) {
    const Vector3 impulse = solve_one(model, one_contact(decoupled, {0.2, -0.1, -4.0}, 0.5));
    EXPECT_LE((impulse - expected).norm(), 1e-9);
  }
}

TEST(SolverAdmm, OneContactSlides) {
  // λ_N = 4/4, ‖λ_T‖ = μ λ_N against g_T = 5 (0.6, 0.8).
  const Vector3 decoupled_slide = solve_one(ContactModel::ncp, one_contact(decoupled, {3.0, 4.0, -4.0}, 0.5));
  EXPECT_LE((decoupled_slide - Vector3(-0.3, -0.4, 1.0)).norm(), 1e-9);
  // Coupled: 0.5 λ_1 + 4 λ_N = 4 with λ_1 = −0.5 λ_N.
  Matrix3 coupled = decoupled;
  coupled(0, 2) = coupled(2, 0) = 0.5;
  const Vector3 slide = solve_one(ContactModel::ncp, one_contact(coupled, {3.0, 0.0, -4.0}, 0.5));
  EXPECT_LE((slide - Vector3(-0.5, 0.0, 1.0) * (4.0 / 3.75)).norm(), 1e-9);
}

TEST(SolverAdmm, ConvexModelLiftsOffASlidingContact) {
  // On the ray s (−μ d, 1): minimise ½ (2 μ² + 4) s² − (5 μ + 4) s.
  const ContactProblem problem = one_contact(decoupled, {3.0, 4.0, -4.0}, 0.5);
  const double s = 6.5 / 4.5;
  const Vector3 impulse = solve_one(ContactModel::ccp, problem);
  EXPECT_LE((impulse - s * Vector3(-0.3, -0.4, 1.0)).norm(), 1e-8);
  VectorX velocity(3);
  problem.velocity(impulse, velocity);
  EXPECT_NEAR(velocity[2], 0.5 * velocity.head<2>().norm(), 1e-8);
}

TEST(SolverAdmm, NormalImpulseFollowsTheCompliance) {
  // λ_N = −g_N/(G_NN + R_N): the penetration velocity G λ + g is −R λ, and R → 0 is the rigid answer.
  for (double r : {1e-12, 1e-8, 1e-3, 0.5, 4.0}) {
    const ContactProblem problem = one_contact(decoupled, {0.0, 0.0, -4.0}, 0.5, Vector3(0.0, 0.0, r));
    const Vector3 impulse = solve_one(ContactModel::ncp, problem);
    EXPECT_NEAR(impulse[2], 4.0 / (4.0 + r), 1e-9) << r;
  }
}

TEST(SolverAdmm, RigidLimitIsContinuous) {
  RandomProblemOptions options{.seed = 11, .bodies = 3, .contacts = 5};
  SolverAdmm solver;
  ContactSolution rigid;
  ASSERT_EQ(solver.solve(random_problem(options), rigid).status, SolveStatus::converged);
  double last = std::numeric_limits<double>::infinity();
  for (double r : {1e-2, 1e-4, 1e-6}) {
    options.compliance = r;
    ContactSolution compliant;
    ASSERT_EQ(solver.solve(random_problem(options), compliant).status, SolveStatus::converged);
    const double distance = (compliant.velocity - rigid.velocity).norm();
    EXPECT_LT(distance, 0.1 * last);
    last = distance;
  }
  EXPECT_LE(last, 1e-4);
}

TEST(SolverAdmm, MixedKindsInEveryForm) {
  for (ContactModel model : {ContactModel::ncp, ContactModel::ccp}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      RandomProblemOptions options = mixed(seed);
      options.compliance = seed % 2 ? 0.01 : 0.0;
      const ContactProblem factored = random_problem(options);
      VectorX first;
      for (int space = 1; space <= 3; ++space) {
        const ContactProblem problem = space == 3   ? factored
                                       : space == 2 ? factored.in_form(DelassusForm::sparse)
                                                    : factored.in_form(DelassusForm::dense);
        SolverAdmm solver(model);
        solver.set_option("factorisation", space);
        ContactSolution solution;
        const SolveReport report = solver.solve(problem, solution);
        EXPECT_EQ(report.status, SolveStatus::converged) << seed << " space " << space;
        EXPECT_LE(judge(problem, solution.impulse, {.model = model}).eps_nat, 1.0001e-8) << seed << " space " << space;
        if (space == 1) first = solution.velocity;
        EXPECT_LE((solution.velocity - first).norm(), 1e-5) << seed << " space " << space;
      }
    }
  }
}

TEST(SolverAdmm, ConvexObjectiveIsNotAboveThatOfFeasiblePointsNearby) {
  const ContactProblem problem = random_problem({.seed = 7, .bodies = 4, .contacts = 8});
  SolverAdmm solver(ContactModel::ccp);
  solver.settings().tolerance = 1e-10;
  ContactSolution solution;
  ASSERT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  const double best = objective(problem, solution.impulse);
  for (int i = 0; i < problem.num_rows(); ++i) {
    for (double change : {1e-3, -1e-3}) {
      VectorX other = solution.impulse;
      other[i] += change;
      for (int k = 0; k < problem.num_constraints(); ++k) {  // back into the cone: shrink the tangents, keep λ_N ≥ 0
        auto block = other.segment<3>(3 * k);
        block[2] = std::max(0.0, block[2]);
        const double t = block.head<2>().norm(), limit = 0.5 * block[2];
        if (t > limit) block.head<2>() *= limit / t;
      }
      EXPECT_GE(objective(problem, other), best - 1e-9);
    }
  }
}

TEST(SolverAdmm, SpectralAndLinearRuleReachTheSameVelocity) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const ContactProblem problem = random_problem({.seed = seed, .bodies = 5, .contacts = 10});
    VectorX first;
    for (double tau : {0.0, 2.0, 4.0, 8.0, 16.0}) {
      SolverAdmm solver;
      solver.settings().tolerance = 1e-9;
      if (tau > 0.0) {
        solver.set_option("penalty_linear", 1);
        solver.set_option("tau", tau);
      }
      ContactSolution solution;
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::converged) << seed << " tau " << tau;
      if (tau == 0.0) first = solution.velocity;
      EXPECT_LE((solution.velocity - first).norm(), 1e-6) << seed << " tau " << tau;
    }
  }
}

TEST(SolverAdmm, AccelerationSolvesWhateverThePlainIterationSolves) {
  int plain_iterations = 0, accelerated_iterations = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = random_problem({.seed = seed, .bodies = 6, .contacts = 18, .friction = -1.0});
    SolverAdmm plain, accelerated;
    plain.set_option("anderson", 0);
    ContactSolution a, b;
    const SolveReport report_plain = plain.solve(problem, a), report = accelerated.solve(problem, b);
    if (report_plain.status == SolveStatus::converged) {
      EXPECT_EQ(report.status, SolveStatus::converged) << seed;
      plain_iterations += report_plain.iterations;
      accelerated_iterations += report.iterations;
    }
  }
  EXPECT_LT(accelerated_iterations, plain_iterations);
}

TEST(SolverAdmm, OverRelaxationAndNoEquilibrationReachTheSameVelocity) {
  const ContactProblem problem = random_problem(mixed(21));
  ContactSolution reference;
  SolverAdmm solver;
  ASSERT_EQ(solver.solve(problem, reference).status, SolveStatus::converged);
  for (const auto& [name, value] : {std::pair<const char*, double>{"over_relaxation", 1.5},
                                    {"over_relaxation", 0.7},
                                    {"equilibrate", 0.0},
                                    {"hold", 0.0},
                                    {"eta", 1e-4},
                                    {"p_step", 0.02}}) {
    SolverAdmm other;
    other.set_option(name, value);
    ContactSolution solution;
    EXPECT_EQ(other.solve(problem, solution).status, SolveStatus::converged) << name;
    EXPECT_LE((solution.velocity - reference.velocity).norm(), 1e-5) << name;
  }
}

TEST(SolverAdmm, MassRatioStack) {
  for (double ratio : {1.0, 1e2, 1e4, 1e6}) {
    const ContactProblem problem = mass_ratio_stack(ratio).problem();
    SolverAdmm solver;
    ContactSolution solution;
    EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged) << ratio;
    EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1.0001e-8) << ratio;
  }
}

TEST(SolverAdmm, NonSymmetricMatrixIsSolvedAsPublished) {
  const ContactProblem symmetric = random_problem({.seed = 2, .bodies = 4, .contacts = 8});
  MatrixX g = symmetric.to_dense();
  for (int c = 0; c < g.cols(); ++c) {
    for (int r = 0; r < c; ++r) g(r, c) *= 1.0 + 1e-3 * ((r + c) % 3 - 1);
  }
  const std::vector<Constraint> constraints(symmetric.constraints().begin(), symmetric.constraints().end());
  const ContactProblem dense = ContactProblem::from_dense(constraints, g, symmetric.free_velocity());
  ASSERT_FALSE(dense.is_symmetric());
  for (const ContactProblem& problem : {dense, dense.in_form(DelassusForm::sparse)}) {
    SolverAdmm solver;
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_FALSE(report.symmetrised);
    EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1.0001e-8);
  }
}

TEST(SolverAdmm, WarmStartOfASolvedProblemCostsNothingAndOfANearOneLittle) {
  const RandomProblemOptions options{.seed = 5, .bodies = 6, .contacts = 14};
  testing::Mechanics mechanics = testing::random_mechanics(options);
  SolverAdmm solver;
  ContactSolution solution;
  const SolveReport cold = solver.solve(mechanics.problem(), solution);
  ASSERT_EQ(cold.status, SolveStatus::converged);
  EXPECT_TRUE(std::isfinite(solution.memory.number));
  EXPECT_EQ(solution.memory.rows.size(), solution.impulse.size());
  EXPECT_EQ(solver.solve(mechanics.problem(), solution).iterations, 0);
  mechanics.velocity_free *= 1.001;
  const SolveReport warm = solver.solve(mechanics.problem(), solution);
  EXPECT_EQ(warm.status, SolveStatus::converged);
  EXPECT_LT(warm.iterations, cold.iterations);
}

TEST(SolverAdmm, HistoryAgreesWithTheReport) {
  const ContactProblem problem = random_problem(mixed(6));
  SolverAdmm solver;
  solver.settings().record_history = true;
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  ASSERT_EQ(static_cast<int>(solver.history().size()), report.iterations);
  EXPECT_EQ(solver.history().back().residual, report.residual);
  EXPECT_EQ(solver.history().back().factorisations, report.factorisations);
  EXPECT_GT(solver.history().back().penalty, 0.0);
  EXPECT_NEAR(judge(problem, solution.impulse).eps_nat, report.residual, 1e-12);
}

TEST(SolverAdmm, IterationLimitIsAStatusAndKeepsTheGuessIfNothingIsBetter) {
  const ContactProblem problem = random_problem(mixed(8));
  SolverAdmm solver;
  solver.settings().tolerance = 1e-9;
  ContactSolution good;
  ASSERT_EQ(solver.solve(problem, good).status, SolveStatus::converged);
  const double residual = judge(problem, good.impulse).eps_nat;
  solver.settings().tolerance = 1e-30;
  solver.settings().max_iterations = 3;
  EXPECT_EQ(solver.solve(problem, good).status, SolveStatus::iteration_limit);
  EXPECT_LE(judge(problem, good.impulse).eps_nat, residual * 1.001);
}

TEST(SolverAdmm, RefusesSettingsOutOfRange) {
  for (const auto& [name, value] : {std::pair<const char*, double>{"eta", 0.0},
                                    {"tau", 1.0},
                                    {"alpha", 0.5},
                                    {"over_relaxation", 2.0},
                                    {"anderson", 31},
                                    {"factorisation", 4},
                                    {"hold", -1}}) {
    EXPECT_THROW(SolverAdmm().set_option(name, value), std::invalid_argument) << name;
  }
  SolverAdmm solver;
  solver.settings().eta = 0.0;
  ContactSolution solution;
  EXPECT_THROW(solver.solve(random_problem({.contacts = 2}), solution), std::invalid_argument);
  EXPECT_THROW(SolverAdmm{ContactModel::lcp}, std::invalid_argument);
}

// All 27 published problems but RockPile, at ε_rel ≤ 1e-6 of the matrix as published, in 2–6 factorisations on average.
TEST(SolverAdmm, Fclib) {
  const char* names[] = {"Box_Stacks-i0122-82-5",
                         "BoxesStack-local_problem_test",
                         "Capsules-i101-404",
                         "Capsules-i103-990",
                         "Capsules-i125-1213",
                         "Confeti-ex03-Fc3D-SBM",
                         "Confeti-ex13-4contact-Fc3D-SBM",
                         "CubeH8",
                         "FC3D_Example1",
                         "FrictionContact3D_1c",
                         "GFC3D_Example0",
                         "GFC3D_Example00_badly_scaled",
                         "GFC3D_TwoRods1-condensed",
                         "GFC3D_TwoRods1",
                         "KaplasTower-i1061-4",
                         "LMGC_100_PR_PerioBox-i00361-60-03000",
                         "NESpheres_10_1",
                         "OneObject-i1028-138",
                         "Rover1039",
                         "Rover1041",
                         "Rover11035",
                         "Rover4144",
                         "Rover4396",
                         "Rover4516",
                         "Rover9770",
                         "Spheres-i099-356-679"};
  SolverAdmm solver;
  solver.settings().tolerance = 1e-6;
  solver.settings().use_relative = true;
  int factorisations = 0;
  for (const char* name : names) {
    const FclibProblem file = read_fclib(testing::scene_file("fclib/") + name + ".hdf5");
    ContactSolution solution;
    const SolveReport report = solver.solve(file.problem, solution);
    EXPECT_EQ(report.status, SolveStatus::converged) << name;
    EXPECT_LE(judge(file.problem, solution.impulse).eps_rel, 1.0001e-6) << name;
    factorisations += report.factorisations;
  }
  EXPECT_LE(factorisations, 6 * std::ssize(names));
}

}  // namespace
}  // namespace stiction
