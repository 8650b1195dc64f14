// What accelerated sweeps promise beside what every solver does: batches that share no body, a column's exact impulses,
// the limit of rigid contact, and that acceleration pays.
#include "stiction/solvers/accelerated/solver_accelerated.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "stiction/contact/judge.h"
#include "stiction/math/dense.h"
#include "stiction/problem_files/sequence.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/random_problems.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

// The same problem with R_N = ρ tr(G_ii)/3 on every contact.
ContactProblem softened(const ContactProblem& from, double rho) {
  VectorX compliance = from.compliance();
  for (int i = 0; i < from.num_constraints(); ++i) {
    const Constraint& c = from.constraint(i);
    if (c.kind == ConstraintKind::frictional) {
      compliance[c.first_row + 2] = rho * from.diagonal_block(i).trace() / 3.0;
    }
  }
  return ContactProblem::from_factored({from.constraints().begin(), from.constraints().end()}, from.factored(),
                                       from.free_velocity(), compliance);
}

ContactProblem spheres(std::size_t step) {
  return read_sequence(testing::scene_file("robot-problems/spheres-216.hdf5")).steps[step].problem;
}

// All kinds of constraints, each on at most two nodes. A bilateral block of random_problem may touch three bodies, and
// bodies with a diagonal M that a bilateral row touches are several nodes each. Here every tenth contact is a ball
// joint instead, every third limit holds both ways, and centres of mass lie beside the origins, so that bodies are one
// node.
ContactProblem random_pairs(const testing::RandomProblemOptions& options) {
  testing::Mechanics mechanics = testing::random_mechanics(options);
  int contacts = 0, limits = 0;
  for (Constraint& c : mechanics.constraints) {
    if (c.kind == ConstraintKind::frictional) {
      if (++contacts % 10 == 0) c = Constraint::make_bilateral(3);
    } else if (c.kind == ConstraintKind::unilateral) {
      if (++limits % 3 == 0) c = Constraint::make_bilateral(1);
    }
  }
  for (int body = 0; body < options.bodies; ++body) {
    const int linear = 6 * body, angular = linear + 3;
    const Vector3 moment = mechanics.inertia.coeff(linear, linear) * Vector3(0.1, 0.05, -0.08);  // m c
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3, last = (k + 2) % 3;
      for (const auto& [row, column, value] : {std::tuple(next, last, moment[k]), std::tuple(last, next, -moment[k])}) {
        mechanics.inertia.coeffRef(linear + row, angular + column) = value;
        mechanics.inertia.coeffRef(angular + column, linear + row) = value;
      }
    }
  }
  return mechanics.problem();
}

TEST(ConstraintBatches, HoldEveryConstraintOnceAndShareNoNode) {
  const ContactProblem problem =
      random_pairs({.bodies = 60, .contacts = 150, .limits = 10, .dry_friction = 10, .compliance = 0.01});
  ASSERT_TRUE(ConstraintBatches::takes(problem));
  for (const ConstraintKind kind : {ConstraintKind::frictional, ConstraintKind::bilateral, ConstraintKind::unilateral,
                                    ConstraintKind::dry_friction}) {
    ASSERT_TRUE(problem.has_kind(kind));
  }
  ConstraintBatches batches;
  ConstraintBatches::Point x;
  batches.load(problem, VectorX::Zero(problem.num_rows()), x);
  const DelassusFactored& f = problem.factored();
  std::vector<int> seen(problem.num_constraints(), 0);
  for (int q = 0; q < batches.num_batches(); ++q) {
    std::set<int> nodes;
    for (int k = 0; k < ConstraintBatches::lanes; ++k) {
      const int i = batches.constraint(q, k);
      if (i < 0) continue;
      ++seen[i];
      for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
        EXPECT_TRUE(nodes.insert(f.segment_node[s]).second) << "batch " << q << " shares node " << f.segment_node[s];
      }
    }
  }
  for (int i = 0; i < problem.num_constraints(); ++i) EXPECT_EQ(seen[i], 1) << i;
  EXPECT_LT(batches.num_batches(), problem.num_constraints() / 2);  // or nothing is done four at a time
}

TEST(ConstraintBatches, MeasureAsTheJudgeDoes) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const ContactProblem problem =
        random_pairs({.seed = seed, .bodies = 20, .contacts = 40, .limits = 6, .dry_friction = 5, .compliance = 0.01});
    ASSERT_TRUE(ConstraintBatches::takes(problem));
    ConstraintBatches batches;
    ConstraintBatches::Point x;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    batches.load(problem, impulse, x);
    batches.place(x);
    for (int sweep = 0; sweep < 6; ++sweep) {
      batches.store(x, impulse);
      const double judged = judge(problem, impulse).eps_nat;
      EXPECT_NEAR(batches.residual(x), judged, 1e-9 + 1e-6 * judged) << seed << " after " << sweep;
      batches.sweep(x);
    }
  }
}

// A grid of 30 × 12 bodies, each on its neighbours, the lowest row on the ground.
ContactProblem grid(double rho) {
  constexpr int width = 30, height = 12;
  DelassusFactored f;
  f.segment_begin.push_back(0);
  std::vector<Constraint> constraints;
  const auto add = [&](int lower, int upper, bool upright) {
    constraints.push_back(Constraint::make_frictional(0.5));
    for (const auto& [node, sign] : {std::pair(lower, -1.0), std::pair(upper, 1.0)}) {
      if (node < 0) continue;
      DelassusFactored::Segment segment{};
      for (int r = 0; r < 3; ++r) segment.row[r][(r + (upright ? 0 : 1)) % 3] = sign;
      f.segment_node.push_back(node);
      f.segment.push_back(segment);
    }
    f.segment_begin.push_back(static_cast<int>(f.segment.size()));
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int node = width * y + x;
      f.node_size.push_back(3);
      add(y > 0 ? node - width : -1, node, true);
      if (x > 0) add(node - 1, node, false);
    }
  }
  const auto n = static_cast<Eigen::Index>(constraints.size());
  VectorX g = VectorX::Zero(3 * n), compliance = VectorX::Zero(3 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    g[3 * i + 2] = 1e-3 * std::sin(7.0 * static_cast<double>(i));
    compliance[3 * i + 2] = 2.0 * rho;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    if (f.segment_begin[i + 1] - f.segment_begin[i] == 1) g[3 * i + 2] -= 0.05;
  }
  return ContactProblem::from_factored(constraints, f, g, compliance);
}

// What threads rely on: groups of one phase share no node. Every constraint is in one batch, at its own place.
TEST(ConstraintBatches, GroupsOfAPhaseShareNoNode) {
  const ContactProblem problem = grid(0.01);
  ConstraintBatches batches;
  batches.constraints_per_domain = 80;
  ConstraintBatches::Point x;
  batches.load(problem, VectorX::Zero(problem.num_rows()), x);
  const DelassusFactored& f = problem.factored();
  const NodeDomains& domains = batches.domains();
  EXPECT_GE(domains.num_domains(), 4);
  std::vector<int> seen(problem.num_constraints(), 0);
  for (int phase = 0; phase < NodeDomains::num_phases; ++phase) {
    std::vector<int> owner(f.num_nodes(), -1);
    for (int group = domains.phase_begin(phase); group < domains.phase_begin(phase + 1); ++group) {
      const auto [begin, end] = batches.batches(group);
      EXPECT_LT(begin, end) << group;
      for (int q = begin; q < end; ++q) {
        for (int k = 0; k < ConstraintBatches::lanes; ++k) {
          const int i = batches.constraint(q, k);
          if (i < 0) continue;
          ++seen[i];
          for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
            int& of = owner[f.segment_node[s]];
            EXPECT_TRUE(of == -1 || of == group) << "groups " << of << " and " << group << " in phase " << phase;
            of = group;
          }
        }
      }
    }
  }
  for (int i = 0; i < problem.num_constraints(); ++i) EXPECT_EQ(seen[i], 1) << i;
}

TEST(ConstraintBatches, DomainsMeasureAsTheJudgeDoes) {
  const ContactProblem problem = grid(0.01);
  ConstraintBatches batches;
  batches.constraints_per_domain = 80;
  ConstraintBatches::Point x;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  batches.load(problem, impulse, x);
  batches.place(x);
  for (int sweep = 0; sweep < 6; ++sweep) {
    batches.store(x, impulse);
    const double judged = judge(problem, impulse).eps_nat;
    EXPECT_NEAR(batches.residual(x), judged, 1e-9 + 1e-6 * judged) << sweep;
    batches.sweep(x);
  }
}

// With nobody, with members that take pieces, and with one that never comes.
TEST(SolverAccelerated, SameBitsForAnyTeam) {
  const ContactProblem problem = grid(0.01);
  const auto solve = [&problem](int members) {
    WorkTeam team;
    std::vector<std::thread> threads;
    for (int k = 0; k < members; ++k) threads.emplace_back([&team] { team.serve(); });
    AcceleratedSweeps sweeps;
    sweeps.settings.constraints_per_domain = 80;
    sweeps.team = members < 0 ? nullptr : &team;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    const SolveOutcome outcome = sweeps.solve(problem, {.tolerance = 1e-8}, impulse);
    EXPECT_TRUE(outcome.converged) << outcome.residual;
    team.dismiss();
    for (std::thread& thread : threads) thread.join();
    return impulse;
  };
  const VectorX alone = solve(-1);
  EXPECT_LE(judge(problem, alone).eps_nat, 1e-8);
  for (const int members : {0, 1, 3}) EXPECT_EQ(alone, solve(members)) << members;
}

TEST(ConstraintBatches, RobotsHaveNone) {
  EXPECT_FALSE(ConstraintBatches::takes(testing::random_problem({}).in_form(DelassusForm::dense)));
}

// Point masses in a column under gravity: (G + R) λ = −g with nothing else to decide.
TEST(SolverAccelerated, ColumnBearsWhatLiesAbove) {
  constexpr int n = 40;
  constexpr double speed = 0.05, rho = 0.01;  // gΔt
  DelassusFactored f;
  std::vector<Constraint> constraints;
  f.segment_begin.push_back(0);
  for (int i = 0; i < n; ++i) {
    f.node_size.push_back(3);
    constraints.push_back(Constraint::make_frictional(0.5));
    for (int side = i > 0 ? 0 : 1; side < 2; ++side) {
      DelassusFactored::Segment segment{};
      for (int r = 0; r < 3; ++r) segment.row[r][r] = side == 0 ? -1.0 : 1.0;  // 1 kg
      f.segment_node.push_back(i - 1 + side);
      f.segment.push_back(segment);
    }
    f.segment_begin.push_back(static_cast<int>(f.segment.size()));
  }
  VectorX g = VectorX::Zero(3 * n), compliance = VectorX::Zero(3 * n);
  g[2] = -speed;
  for (int i = 0; i < n; ++i) compliance[3 * i + 2] = rho;
  const ContactProblem problem = ContactProblem::from_factored(constraints, f, g, compliance);
  MatrixX w = problem.to_dense();
  w.diagonal() += compliance;
  MatrixX normal(n, n);
  VectorX right(n);
  for (int i = 0; i < n; ++i) {
    right[i] = -g[3 * i + 2];
    for (int j = 0; j < n; ++j) normal(i, j) = w(3 * i + 2, 3 * j + 2);
  }
  const VectorX exact = solve_symmetric(normal, right);
  SolverAccelerated solver;
  solver.settings().tolerance = 1e-11;
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  ASSERT_EQ(report.status, SolveStatus::converged) << report.residual;
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(solution.impulse[3 * i + 2], exact[i], 1e-8 * exact[0]) << i;
    EXPECT_NEAR(solution.impulse[3 * i], 0.0, 1e-12);
  }
}

TEST(SolverAccelerated, SolvesSoftSpheresWithoutFactorisations) {
  SolverAccelerated solver;
  solver.settings().tolerance = 1e-9;
  for (const std::size_t step : {0u, 10u, 20u}) {
    const ContactProblem problem = softened(spheres(step), 1e-2);
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::converged) << step << ": " << report.residual;
    EXPECT_EQ(report.factorisations, 0);
    EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1e-9) << step;
    ContactSolution other;
    ASSERT_EQ(make_solver("auto")->solve(problem, other).status, SolveStatus::converged);
    EXPECT_LE((solution.velocity - other.velocity).cwiseAbs().maxCoeff(), 1e-6 * problem.largest_free_velocity());
  }
}

TEST(SolverAccelerated, TendsToTheRigidImpulsesAsComplianceVanishes) {
  // More velocities than rows: λ is unique.
  const ContactProblem rigid = testing::random_problem({.seed = 5, .bodies = 12, .contacts = 12});
  ContactSolution exact;
  ASSERT_EQ(make_solver("auto")->solve(rigid, exact).status, SolveStatus::converged);
  double last = std::numeric_limits<double>::infinity();
  for (const double rho : {1e-2, 1e-4, 1e-6}) {
    SolverAccelerated solver;
    ContactSolution solution;
    ASSERT_EQ(solver.solve(softened(rigid, rho), solution).status, SolveStatus::converged) << rho;
    const double away = (solution.impulse - exact.impulse).norm() / exact.impulse.norm();
    EXPECT_LT(away, 0.1 * last) << rho;
    last = away;
  }
  EXPECT_LT(last, 1e-4);
}

TEST(SolverAccelerated, AccelerationSavesSweeps) {
  const ContactProblem problem = softened(spheres(20), 1e-2);
  SolverAccelerated plain, accelerated;
  plain.set_option("window", 0);
  plain.settings().max_iterations = 20000;
  ContactSolution a, b;
  const SolveReport slow = plain.solve(problem, a), fast = accelerated.solve(problem, b);
  ASSERT_EQ(slow.status, SolveStatus::converged);
  ASSERT_EQ(fast.status, SolveStatus::converged);
  EXPECT_LT(fast.iterations, slow.iterations);
}

// Where bodies rest, zero has a residual of gΔt alone, and the first sweeps, some sixteen, have larger ones.
TEST(SolverAccelerated, CutShortReturnsTheBestIterate) {
  const ContactProblem problem = softened(spheres(20), 1e-2);
  const double of_zero = judge(problem, VectorX::Zero(problem.num_rows())).eps_nat;
  double last = of_zero;
  for (const int sweeps : {1, 3, 8, 19, 32}) {
    SolverAccelerated solver;
    solver.settings().max_iterations = sweeps;
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(report.iterations, sweeps);
    EXPECT_EQ(report.status, SolveStatus::iteration_limit) << sweeps << ": " << to_string(report.status);
    const double eps = judge(problem, solution.impulse).eps_nat;
    EXPECT_LE(eps, 1.0001 * last) << sweeps;
    last = eps;
  }
  EXPECT_LT(last, 0.01 * of_zero);
}

// A part of another solver has a limit beside the budget. What it ends with is measured, in the middle of a step, too.
TEST(SolverAccelerated, EndsAtTheLimitOfAPartWithAMeasure) {
  const ContactProblem problem = softened(spheres(20), 1e-2);
  const double of_zero = judge(problem, VectorX::Zero(problem.num_rows())).eps_nat;
  for (const auto& [most, gain] : {std::pair(1, 1.0), std::pair(18, 0.1), std::pair(19, 0.1)}) {
    AcceleratedSweeps sweeps;
    sweeps.settings.most_sweeps = most;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    const SolveOutcome outcome = sweeps.solve(problem, {}, impulse);
    EXPECT_EQ(outcome.iterations, most);
    EXPECT_LE(outcome.residual, gain * of_zero) << most;
    EXPECT_NEAR(outcome.residual, judge(problem, impulse).eps_nat, 1e-6 * outcome.residual) << most;
  }
}

// Taking the residual finds what is idle, which sweeps then pass over: it is taken as often without a history.
TEST(SolverAccelerated, DoesTheSameWhereItIsRecorded) {
  const ContactProblem problem = softened(spheres(20), 1e-2);
  SolverAccelerated silent, recorded;
  recorded.settings().record_history = true;
  ContactSolution a, b;
  EXPECT_EQ(silent.solve(problem, a).iterations, recorded.solve(problem, b).iterations);
  EXPECT_EQ(a.impulse, b.impulse);
  EXPECT_GT(recorded.history().size(), 5u);
}

TEST(SolverAccelerated, AllocatesNothingForAnotherGuess) {
  const ContactProblem problem = softened(spheres(20), 1e-2);
  SolverAccelerated solver;
  ContactSolution cold, warm;
  solver.solve(problem, cold);
  warm = cold;
  warm.impulse *= 0.9;
  const testing::AllocationGuard guard;
  solver.solve(problem, warm);
  EXPECT_EQ(guard.count(), 0);
}

TEST(SolverAccelerated, RefusesSettingsOutOfRange) {
  SolverAccelerated solver;
  EXPECT_THROW(solver.set_option("window", 17), std::invalid_argument);
  EXPECT_THROW(solver.set_option("window", -1), std::invalid_argument);
  EXPECT_THROW(solver.set_option("sweeps_per_step", 0), std::invalid_argument);
  EXPECT_THROW(solver.set_option("growth", 1.0), std::invalid_argument);
  EXPECT_THROW(solver.set_option("pause", -1), std::invalid_argument);
}

// A linear map of n dimensions: n differences span everything, and the next point is the fixed one.
TEST(AndersonWindow, FindsTheFixedPointOfALinearMap) {
  constexpr int n = 4;
  const double factor[n] = {0.9, 0.5, -0.3, 0.7}, fixed[n] = {1.0, -2.0, 3.0, 0.5};
  AndersonWindow window;
  window.start(n, {.columns = n, .growth = 100.0, .pause = 10, .ridge = 0.0});
  AndersonWindow::Array x(n, 0.0), image(n);
  for (int step = 0; step <= n; ++step) {
    for (int k = 0; k < n; ++k) image[k] = fixed[k] + factor[k] * (x[k] - fixed[k]);
    window.advance(x, image);
  }
  for (int k = 0; k < n; ++k) EXPECT_NEAR(x[k], fixed[k], 1e-9) << k;
}

// Every extrapolation is followed by a growth: pauses of 2, 4, 8, 8 plain steps, since nothing is gained between.
TEST(AndersonWindow, PausesLongerWhereNothingIsGained) {
  AndersonWindow window;
  window.start(4, {.columns = 3, .growth = 1.2, .pause = 2, .longest_pause = 4});
  AndersonWindow::Array x(4, 0.0);
  const auto moved = [&x](double by) {
    AndersonWindow::Array image = x;
    for (double& value : image) value += by;
    return image;
  };
  for (const int pause : {2, 4, 8, 8}) {
    EXPECT_EQ(window.advance(x, moved(1.0)), AndersonWindow::Next::image);
    EXPECT_EQ(window.advance(x, moved(50.0)), AndersonWindow::Next::last_image);
    for (int k = 0; k < pause; ++k) {
      const AndersonWindow::Array image = moved(50.0);
      EXPECT_EQ(window.advance(x, image), AndersonWindow::Next::image) << pause << " step " << k;
      EXPECT_EQ(x, image);
    }
  }
  EXPECT_EQ(window.num_resets(), 4);
}

TEST(AndersonWindow, GoesBackWhereTheChangeGrows) {
  AndersonWindow window;
  window.start(4, {.columns = 3, .growth = 1.2, .pause = 2});
  AndersonWindow::Array x(4, 0.0), first(4, 1.0), wild(4, 50.0), plain(4, 2.0);
  EXPECT_EQ(window.advance(x, first), AndersonWindow::Next::image);
  EXPECT_EQ(window.advance(x, wild), AndersonWindow::Next::last_image);
  EXPECT_EQ(x, first);
  EXPECT_EQ(window.num_resets(), 1);
  EXPECT_EQ(window.advance(x, wild), AndersonWindow::Next::image);  // plain steps, whatever they do
  EXPECT_EQ(window.advance(x, plain), AndersonWindow::Next::image);
  EXPECT_EQ(x, plain);
}

}  // namespace
}  // namespace stiction
