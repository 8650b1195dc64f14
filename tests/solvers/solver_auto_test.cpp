#include "stiction/solvers/auto/solver_auto.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/problem_files/sequence.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/fclib_files.h"
#include "tests/support/random_problems.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Stages = std::array<int, StageCounts::most>;

int at(const Stages& stages, SolveStage stage) {
  return stages[static_cast<int>(stage)];
}

std::string test_name(std::string name) {
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

// ---------------------------------------------------------------------------------------------------- sequences

struct SequenceCase {
  const char* name;
  double tolerance;
  int every;  // steps are sampled in pairs: one cold, the next warm from it
  bool dense_too;
};

class AutoSequence : public ::testing::TestWithParam<SequenceCase> {};

TEST_P(AutoSequence, EveryStepReachesTheToleranceColdAndWarm) {
  const SequenceCase& c = GetParam();
  const Sequence sequence = read_sequence(testing::scene_file("robot-problems/") + c.name + ".hdf5");
  for (const bool dense : {false, true}) {
    if (dense && !c.dense_too) continue;
    SolverAuto solver;
    solver.settings().tolerance = c.tolerance;
    const auto step = [&](std::size_t k) {
      return dense ? sequence.steps[k].problem.in_form(DelassusForm::dense) : sequence.steps[k].problem;
    };
    for (std::size_t k = 0; k + 1 < sequence.steps.size(); k += c.every) {
      const ContactProblem first = step(k), second = step(k + 1);
      ContactSolution solution;
      EXPECT_EQ(solver.solve(first, solution).status, SolveStatus::converged) << "cold, step " << k;
      EXPECT_LE(judge(first, solution.impulse).eps_nat, c.tolerance) << "cold, step " << k;
      VectorX guess = VectorX::Zero(second.num_rows());
      carry_over(sequence.steps[k].id, first, solution.impulse, sequence.steps[k + 1].id, second, guess);
      solution.impulse = guess;
      EXPECT_EQ(solver.solve(second, solution).status, SolveStatus::converged) << "warm, step " << k + 1;
      EXPECT_LE(judge(second, solution.impulse).eps_nat, c.tolerance) << "warm, step " << k + 1;
      VectorX velocity(second.num_rows());
      second.velocity(solution.impulse, velocity);
      EXPECT_LE((velocity - solution.velocity).lpNorm<Eigen::Infinity>(), 1e-11 * second.largest_free_velocity());
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    RobotProblems, AutoSequence,
    ::testing::Values(SequenceCase{"quadruped-stand", 1e-9, 5, true}, SequenceCase{"quadruped-fall", 1e-9, 2, true},
                      SequenceCase{"humanoid-fall", 1e-9, 5, true}, SequenceCase{"talos-fall", 1e-9, 5, true},
                      SequenceCase{"hand-cube", 1e-9, 2, true}, SequenceCase{"spheres-216", 1e-9, 6, false},
                      SequenceCase{"kapla", 1e-9, 5, false}, SequenceCase{"kapla-shake", 1e-9, 3, false},
                      SequenceCase{"wall-ball", 1e-6, 8, false}, SequenceCase{"ratio-stack", 1e-8, 4, false}),
    [](const auto& test) { return test_name(test.param.name); });

// ---------------------------------------------------------------------------------------------------- FCLIB

ContactProblem fclib_sparse(const std::string& file) {
  return read_fclib(file, FclibGlobal::condensed).problem.in_form(DelassusForm::sparse);
}

std::vector<Constraint> constraints_of(const ContactProblem& problem) {
  return {problem.constraints().begin(), problem.constraints().end()};
}

ContactProblem with_friction(const ContactProblem& problem, double mu) {
  std::vector<Constraint> constraints = constraints_of(problem);
  for (Constraint& c : constraints) {
    if (c.kind == ConstraintKind::frictional) c = Constraint::make_frictional(mu);
  }
  return ContactProblem::from_sparse(std::move(constraints), problem.to_sparse(), problem.free_velocity());
}

ContactProblem scaled_by(const ContactProblem& problem, double g_matrix, double g_vector) {
  return ContactProblem::from_sparse(constraints_of(problem), SparseRows(g_matrix * problem.to_sparse()),
                                     g_vector * problem.free_velocity());
}

// Rows transformed by an orthogonal matrix Q that keeps constraints together: G' = Q G Qᵀ, g' = Q g.
ContactProblem transformed(const ContactProblem& problem, const SparseRows& q, std::vector<Constraint> constraints) {
  SparseRows g = q * problem.to_sparse() * SparseRows(q.transpose());
  return ContactProblem::from_sparse(std::move(constraints), g, VectorX(q * problem.free_velocity()));
}

ContactProblem permuted(const ContactProblem& problem, unsigned seed) {
  std::vector<int> order(problem.num_constraints());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::vector<Constraint> constraints;
  std::vector<Eigen::Triplet<double>> entries;
  int row = 0;
  for (const int i : order) {
    const Constraint& c = problem.constraint(i);
    for (int r = 0; r < c.rows; ++r) entries.emplace_back(row++, c.first_row + r, 1.0);
    constraints.push_back(c);
  }
  SparseRows q(row, row);
  q.setFromTriplets(entries.begin(), entries.end());
  return transformed(problem, q, std::move(constraints));
}

ContactProblem turned(const ContactProblem& problem, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> angle(0.0, 6.283185307179586);
  std::vector<Eigen::Triplet<double>> entries;
  for (const Constraint& c : problem.constraints()) {
    const double a = angle(generator);
    if (c.kind == ConstraintKind::frictional) {
      entries.emplace_back(c.first_row, c.first_row, std::cos(a));
      entries.emplace_back(c.first_row, c.first_row + 1, -std::sin(a));
      entries.emplace_back(c.first_row + 1, c.first_row, std::sin(a));
      entries.emplace_back(c.first_row + 1, c.first_row + 1, std::cos(a));
      entries.emplace_back(c.first_row + 2, c.first_row + 2, 1.0);
    } else {
      for (int r = 0; r < c.rows; ++r) entries.emplace_back(c.first_row + r, c.first_row + r, 1.0);
    }
  }
  SparseRows q(problem.num_rows(), problem.num_rows());
  q.setFromTriplets(entries.begin(), entries.end());
  return transformed(problem, q, constraints_of(problem));
}

void expect_solved(const ContactProblem& problem, const std::string& what) {
  SolverAuto solver;
  solver.settings().tolerance = 1e-8;
  solver.settings().use_relative = true;
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::converged) << what << ", own residual " << report.residual;
  EXPECT_LE(judge(problem, solution.impulse).eps_rel, 1e-8 * (1.0 + 1e-6)) << what;
}

class AutoFclib : public ::testing::TestWithParam<std::string> {};

TEST_P(AutoFclib, AsPublished) {
  expect_solved(fclib_sparse(GetParam()), "as published");
}
TEST_P(AutoFclib, OtherFriction) {
  for (const double mu : {0.0, 1e-4, 1.5}) {
    expect_solved(with_friction(fclib_sparse(GetParam()), mu), "mu " + std::to_string(mu));
  }
}
TEST_P(AutoFclib, PermutedTurnedAndScaled) {
  const ContactProblem problem = fclib_sparse(GetParam());
  expect_solved(permuted(problem, 1), "permuted");
  expect_solved(turned(problem, 2), "turned");
  expect_solved(scaled_by(problem, 1e8, 1e-8), "G 1e8, g 1e-8");
  expect_solved(scaled_by(problem, 1e-8, 1e8), "G 1e-8, g 1e8");
}
INSTANTIATE_TEST_SUITE_P(Collection, AutoFclib, ::testing::ValuesIn(testing::fclib_files()),
                         [](const auto& test) { return test_name(std::filesystem::path(test.param).stem().string()); });

// ---------------------------------------------------------------------------------------------------- stages

TEST(SolverAuto, EachStageFinishesSomeStoredProblem) {
  Stages stages{};
  const auto add = [&](const ContactProblem& problem, const SolverAutoSettings& settings) {
    SolverAuto solver(settings);
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    for (std::size_t k = 0; k < stages.size(); ++k) stages[k] += report.stages.counts[k];
  };
  SolverAutoSettings settings;
  settings.use_relative = true;
  for (const std::string& file : testing::fclib_files()) add(fclib_sparse(file), settings);
  settings.use_dense = settings.use_contact_space = false;
  add(fclib_sparse(testing::scene_file("fclib/Rover1041.hdf5")), settings);
  settings = {};
  const std::string robots = testing::scene_file("robot-problems/");
  add(read_sequence(robots + "kapla.hdf5").steps[0].problem, settings);
  add(read_sequence(robots + "spheres-216.hdf5").steps[10].problem, settings);
  const Sequence wall = read_sequence(robots + "wall-ball.hdf5");
  for (std::size_t k = 0; k < wall.steps.size(); k += 20) add(wall.steps[k].problem, settings);
  for (const SolveStage stage :
       {AutoStage::sweep, AutoStage::active_set, AutoStage::stick_probe, AutoStage::interior_point,
        AutoStage::arclength, AutoStage::last_resort, AutoStage::velocity_probe, AutoStage::velocity_interior_point,
        AutoStage::many_bodies}) {
    EXPECT_GT(at(stages, stage), 0) << AutoStage::names[static_cast<int>(stage)];
  }
}

TEST(SolverAuto, TuningReachesTheParts) {
  const auto finished = [](const ContactProblem& problem, const SolverAutoSettings& settings, const char* stage) {
    SolverAuto solver(settings);
    ContactSolution solution;
    return solver.solve(problem, solution).stages.of(stage);
  };
  SolverAutoSettings usual, without;
  without.tuning.dense.use_newton = false;
  without.tuning.many_bodies.max_sweeps = 0;
  int before = 0, after = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = testing::random_problem({.seed = seed}).in_form(DelassusForm::dense);
    before += finished(problem, usual, "active_set");
    after += finished(problem, without, "active_set");
  }
  EXPECT_GT(before, 5);
  EXPECT_LT(after, before);
  const ContactProblem heap = read_sequence(testing::scene_file("robot-problems/spheres-216.hdf5")).steps[10].problem;
  EXPECT_EQ(finished(heap, usual, "many_bodies"), 1);
  EXPECT_EQ(finished(heap, without, "many_bodies"), 0);
  EXPECT_EQ(finished(heap, usual, "no such stage"), 0);
}

TEST(SolverAuto, AcceptsAGoodGuessInEveryForm) {
  const ContactProblem factored = testing::random_problem({});
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
    const ContactProblem problem = form == DelassusForm::factored ? factored : factored.in_form(form);
    SolverAuto solver;
    ContactSolution solution;
    ASSERT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
    const VectorX before = solution.impulse;
    const SolveReport again = solver.solve(problem, solution);
    EXPECT_GE(again.stages.of("warm_start"), 1);
    EXPECT_EQ(solution.impulse, before);
  }
}

// ---------------------------------------------------------------------------------------------------- kinds and forms

TEST(SolverAuto, MixedKindsComplianceAndForms) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    testing::RandomProblemOptions options;
    options.seed = seed;
    options.bodies = 6;
    options.contacts = 14;
    options.limits = 3;
    options.bilateral = 3;
    options.dry_friction = 3;
    options.friction = -1.0;
    options.compliance = seed % 3 ? 0.02 : 0.0;
    const ContactProblem factored = testing::random_problem(options);
    VectorX velocity;
    for (const DelassusForm form : {DelassusForm::factored, DelassusForm::sparse, DelassusForm::dense}) {
      const ContactProblem problem = form == DelassusForm::factored ? factored : factored.in_form(form);
      SolverAuto solver;
      solver.settings().tolerance = 1e-10;
      ContactSolution solution;
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::converged) << "seed " << seed << " form " << static_cast<int>(form);
      EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1.001e-10) << "seed " << seed;
    }
  }
}

TEST(SolverAuto, AnisotropicFriction) {
  const ContactProblem isotropic = testing::random_problem({});
  std::vector<Constraint> constraints = constraints_of(isotropic);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    constraints[i] = Constraint::make_anisotropic(0.2 + 0.1 * static_cast<double>(i % 3), 0.7);
  }
  const ContactProblem problem =
      ContactProblem::from_dense(constraints, isotropic.to_dense(), isotropic.free_velocity());
  SolverAuto solver;
  ContactSolution solution;
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1e-7);
}

TEST(SolverAuto, MassRatioStack) {
  for (const double ratio : {1.0, 1e2, 1e4, 1e6}) {
    const ContactProblem problem = testing::mass_ratio_stack(ratio).problem();
    SolverAuto solver;
    solver.settings().tolerance = 1e-8;
    ContactSolution solution;
    EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged) << "ratio " << ratio;
    EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1e-8) << "ratio " << ratio;
  }
}

// ---------------------------------------------------------------------------------------------------- conduct

TEST(SolverAuto, IslandsAreSolvedApartAndGiveTheSame) {
  const ContactProblem problem = fclib_sparse(testing::scene_file("fclib/Capsules-i101-404.hdf5"));
  SolverAuto whole, islands;
  whole.settings().use_islands = false;
  whole.settings().tolerance = islands.settings().tolerance = 1e-10;
  ContactSolution a, b;
  const SolveReport one = whole.solve(problem, a), many = islands.solve(problem, b);
  ASSERT_EQ(one.status, SolveStatus::converged);
  ASSERT_EQ(many.status, SolveStatus::converged);
  EXPECT_EQ(std::accumulate(one.stages.counts.begin(), one.stages.counts.end(), 0), 1);
  EXPECT_GT(std::accumulate(many.stages.counts.begin(), many.stages.counts.end(), 0), 1);
  EXPECT_LT((a.velocity - b.velocity).cwiseAbs().maxCoeff(), 1e-4 * problem.largest_free_velocity());
}

TEST(SolverAuto, SaysWhenItDoesNotConverge) {
  const ContactProblem problem = fclib_sparse(testing::scene_file("fclib/Rover1041.hdf5"));
  SolverAutoSettings settings;
  settings.use_dense = settings.use_contact_space = settings.use_last_resort = false;
  SolverAuto solver(settings);
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::stalled);
  EXPECT_GT(judge(problem, solution.impulse).eps_nat, settings.tolerance);
  EXPECT_LE(judge(problem, solution.impulse).eps_nat, judge(problem, VectorX::Zero(problem.num_rows())).eps_nat);
}

TEST(SolverAuto, SecondSolveAllocatesNothing) {
  const ContactProblem capsules = fclib_sparse(testing::scene_file("fclib/Capsules-i101-404.hdf5"));
  const ContactProblem small = testing::random_problem({});
  const ContactProblem tower = read_sequence(testing::scene_file("robot-problems/kapla.hdf5")).steps[0].problem;
  for (const ContactProblem& problem : {capsules, small, small.in_form(DelassusForm::dense), tower}) {
    SolverAuto solver;
    ContactSolution solution;
    solver.solve(problem, solution);
    solution.impulse.setZero();
    const testing::AllocationGuard guard;
    solver.solve(problem, solution);
    EXPECT_EQ(guard.count(), 0) << problem.num_rows() << " rows";
  }
}

// An impulse of 1e13 that does nothing, because nothing moves along it: here the numbers are such that σ is exact, but
// in general its rounding is a thousandth of the free velocity, and no residual says anything.
TEST(SolverAuto, HugeImpulsesProveNothing) {
  MatrixX a(6, 3);
  a << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.25, 0.5, 0.0,  // nothing moves along (−0.25, −0.5, 1)
      0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0;    // apart
  VectorX g = VectorX::Zero(6);
  g[5] = 1.0;
  const std::vector<Constraint> contacts(2, Constraint::make_frictional(1.0));
  const ContactProblem problem = ContactProblem::from_dense(contacts, a * a.transpose(), g);
  ContactSolution solution;
  const auto solver = make_solver("auto");
  solver->settings().tolerance = 1e-9;
  for (const double size : {1.0, 1e13}) {
    solution.impulse = VectorX::Zero(6);
    solution.impulse.head(3) = size * Vector3(-0.25, -0.5, 1.0);
    const SolveStatus status = solver->solve(problem, solution).status;
    EXPECT_EQ(status, size == 1.0 ? SolveStatus::converged : SolveStatus::numerical_error) << to_string(status);
  }
}

// Nothing moves along the normals: an impulse inside the cone does nothing, and grows without end. Whatever comes back,
// `converged` means that the judge agrees.
TEST(SolverAuto, NeverClaimsWhatTheJudgeDenies) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int converged = 0, given_up = 0;
  for (int k = 0; k < 300; ++k) {
    MatrixX a(9, 2);
    for (int i = 0; i < 3; ++i) {
      const double x = 0.3 * uniform(random), y = 0.3 * uniform(random);
      a.block<3, 2>(3 * i, 0) << 1.0, 0.0, 0.0, 1.0, x, y;
      a.block<3, 2>(3 * i, 0) *= std::exp(3.0 * uniform(random));
    }
    const VectorX g = VectorX::NullaryExpr(9, [&] { return uniform(random); });
    const std::vector<Constraint> contacts(3, Constraint::make_frictional(0.5));
    const ContactProblem problem = ContactProblem::from_dense(contacts, a * a.transpose(), g);
    const auto solver = make_solver("auto");
    solver->settings().tolerance = 1e-9;
    solver->settings().max_iterations = 100;
    ContactSolution solution;
    if (solver->solve(problem, solution).status != SolveStatus::converged) {
      ++given_up;
      continue;
    }
    ++converged;
    EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1e-8) << "problem " << k;
  }
  EXPECT_GT(converged, 10);
  EXPECT_GT(given_up, 10);
}

TEST(SolverAuto, SameBitsFromRunToRun) {
  const ContactProblem problem = fclib_sparse(testing::scene_file("fclib/Capsules-i101-404.hdf5"));
  SolverAuto a, b;
  ContactSolution x, y;
  a.solve(problem, x);
  b.solve(problem, y);
  EXPECT_EQ(x.impulse, y.impulse);
  x.impulse.setZero();
  a.solve(problem, x);
  EXPECT_EQ(x.impulse, y.impulse);
}

}  // namespace
}  // namespace stiction
