// Which problems `auto` takes for heaps that give, and what becomes of those that sweeps do not solve.
#include "stiction/solvers/auto/auto_heap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/sequence.h"
#include "stiction/solvers/auto/solver_auto.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

ContactProblem with_compliance(const ContactProblem& from, double rho, int copies = 1, double tangents = 0.0) {
  DelassusFactored f;
  std::vector<Constraint> constraints;
  std::vector<double> g, compliance;
  const DelassusFactored& old = from.factored();
  f.node_size = old.node_size;
  f.segment_begin.push_back(0);
  for (int i = 0; i < from.num_constraints(); ++i) {
    const Constraint& c = from.constraint(i);
    for (int copy = 0; copy < copies; ++copy) {
      constraints.push_back(c);
      for (int r = 0; r < c.rows; ++r) {
        g.push_back(from.free_velocity()[c.first_row + r]);
        compliance.push_back((r == 2 ? rho : tangents) * from.diagonal_block(i).trace() / 3.0);
      }
      for (int s = old.segment_begin[i]; s < old.segment_begin[i + 1]; ++s) {
        f.segment_node.push_back(old.segment_node[s]);
        f.segment.push_back(old.segment[s]);
      }
      f.segment_begin.push_back(static_cast<int>(f.segment.size()));
    }
  }
  const auto size = static_cast<Eigen::Index>(g.size());
  return ContactProblem::from_factored(constraints, f, ConstVectorMap(g.data(), size),
                                       ConstVectorMap(compliance.data(), size));
}

ContactProblem spheres() {
  return read_sequence(testing::scene_file("robot-problems/spheres-216.hdf5")).steps[20].problem;
}

// Unit spheres on a cubic lattice of side³ places, each touching the one before along x, y and z, and the lowest the
// ground: solid, and so large that a factorisation is out of the question.
ContactProblem lattice(int side, double rho) {
  DelassusFactored f;
  f.node_size.assign(static_cast<std::size_t>(side) * side * side, 6);
  f.segment_begin.push_back(0);
  std::vector<Constraint> constraints;
  std::vector<double> g, compliance;
  const double angular = std::sqrt(2.5);  // r²/I of a sphere
  const auto add = [&](int node, int axis, double sign) {
    DelassusFactored::Segment s{};
    for (int r = 0; r < 3; ++r) {
      const int direction = (axis + 1 + r) % 3;  // rows t1, t2, n, with n the axis
      s.row[r][direction] = sign;
      if (r < 2) s.row[r][3 + (axis + 2 - r) % 3] = r == 0 ? -angular : angular;
    }
    f.segment_node.push_back(node);
    f.segment.push_back(s);
  };
  for (int k = 0; k < f.num_nodes(); ++k) {
    const int at[] = {k % side, k / side % side, k / side / side}, stride[] = {1, side, side * side};
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] == 0 && axis != 2) continue;
      if (at[axis] > 0) add(k - stride[axis], axis, -1.0);
      add(k, axis, 1.0);
      f.segment_begin.push_back(static_cast<int>(f.segment.size()));
      constraints.push_back(Constraint::make_frictional(0.5));
      for (int r = 0; r < 3; ++r) {
        g.push_back(axis == 2 && r == 2 && at[2] == 0 ? -0.05 : 1e-3 * ((7 * k + r) % 5 - 2));
        compliance.push_back(r == 2 ? rho * (at[axis] > 0 ? 16.0 : 8.0) / 3.0 : 0.0);  // of tr(G_ii)/3
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(g.size());
  return ContactProblem::from_factored(constraints, f, ConstVectorMap(g.data(), size),
                                       ConstVectorMap(compliance.data(), size));
}

TEST(AutoHeap, TakesHeapsThatGiveAndNoOthers) {
  const ContactProblem rigid = spheres();
  AutoHeap heap;
  EXPECT_TRUE(heap.takes(with_compliance(rigid, 1e-2)));
  EXPECT_TRUE(heap.takes(with_compliance(rigid, 1e-1)));
  EXPECT_FALSE(heap.takes(rigid));
  EXPECT_FALSE(heap.takes(with_compliance(rigid, 5e-3)));
  EXPECT_FALSE(heap.takes(with_compliance(rigid, 1e-2, 4)));       // four points per pair, as faces have
  EXPECT_TRUE(heap.takes(with_compliance(rigid, 1e-2, 4, 1e-2)));  // whose tangents give, too
  EXPECT_FALSE(heap.takes(with_compliance(rigid, 1e-2, 4, 1e-3)));
  heap.settings.least_nodes = rigid.factored().num_nodes() + 1;
  EXPECT_FALSE(heap.takes(with_compliance(rigid, 1e-2)));
}

TEST(AutoHeap, IsWhatAutoDoesWithThem) {
  const ContactProblem soft = with_compliance(spheres(), 1e-2);
  SolverAuto solver;
  solver.settings().tolerance = 1e-6;
  ContactSolution solution;
  const SolveReport report = solver.solve(soft, solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.stages.of("accelerated"), 1);
  EXPECT_EQ(report.factorisations, 0);
  EXPECT_LE(judge(soft, solution.impulse).eps_nat, 1e-6);
  solver.set_option("use_heap", 0);
  ContactSolution other;
  EXPECT_EQ(solver.solve(soft, other).stages.of("accelerated"), 0);
}

// Sweeps are cut off early: with nothing beyond them a heap of 216 is handed back, better than it was; otherwise the
// others have what they may spend. Of a heap at rest zero is a good guess, the residual being gΔt: four sweeps do not
// reach that, and must not make it worse; twenty go below it.
TEST(AutoHeap, WhatSweepsLeaveHasABudgetOfItsOwn) {
  const ContactProblem soft = with_compliance(spheres(), 1e-2);
  const double of_zero = judge(soft, VectorX::Zero(soft.num_rows())).eps_nat;
  SolverAutoSettings settings;
  settings.tolerance = 1e-9;
  settings.tuning.heap.factorisations_beyond = 0;
  for (const auto& [sweeps, gain] : {std::pair(4, 1.0), std::pair(20, 0.1)}) {
    settings.tuning.heap.most_sweeps = sweeps;
    ContactSolution handed_back;
    SolverAuto hands_back(settings);
    const SolveReport back = hands_back.solve(soft, handed_back);
    EXPECT_GT(back.status, SolveStatus::acceptable) << sweeps;
    EXPECT_EQ(back.factorisations, 0) << sweeps;
    EXPECT_LE(judge(soft, handed_back.impulse).eps_nat, gain * of_zero) << sweeps;
  }
  settings.tuning.heap.most_sweeps = 4;
  for (const int most : {1, 5}) {
    settings.tuning.heap.factorisations_beyond = most;
    SolverAuto solver(settings);
    ContactSolution solution;
    EXPECT_LE(solver.solve(soft, solution).factorisations, most);
  }
  settings.tuning.heap.most_nodes_for_others = 1000;
  SolverAuto goes_on(settings);
  ContactSolution solved;
  EXPECT_EQ(goes_on.solve(soft, solved).status, SolveStatus::converged);
}

// One iteration is some two milliseconds: what takes longer counts as more.
TEST(AutoCost, OfSweepsGrowsWithTheConstraints) {
  EXPECT_EQ(AutoCost::sweep_of(10), AutoCost::sweep);
  EXPECT_EQ(AutoCost::sweep_of(100000), 2.0 * AutoCost::sweep_of(50000));
  EXPECT_GE(AutoCost::sweep_of(100000), 10.0);
  EXPECT_LT(AutoCost::accelerated_sweep_of(100, 100), AutoCost::sweep);
  EXPECT_DOUBLE_EQ(AutoCost::accelerated_sweep_of(4e5, 4e5), 2.0 * AutoCost::accelerated_sweep_of(2e5, 2e5));
  EXPECT_GE(AutoCost::accelerated_sweep_of(4e5, 4e5), 10.0);
  EXPECT_DOUBLE_EQ(AutoCost::accelerated_sweep_of(0.0, 6e5), AutoCost::accelerated_sweep_of(2e5, 2e5));  // idle
}

// 4096 bodies: sweeps of all kinds are as many as the limit pays for by their size, nothing is factored, and the result
// is handed back better than the guess.
TEST(AutoHeap, LargeOnesAreHandedBackWithinTheirBudget) {
  for (const double rho : {0.0, 1e-2}) {
    const ContactProblem problem = lattice(16, rho);
    EXPECT_EQ(AutoHeap().takes(problem), rho > 0.0);
    SolverAuto solver;
    solver.settings().tolerance = 1e-14;
    solver.settings().max_iterations = 20;
    solver.settings().record_history = true;
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    const int n = problem.num_constraints();
    const double cost = AutoCost::accelerated_sweep_of(0, n);  // if all were idle
    EXPECT_EQ(report.status, SolveStatus::iteration_limit) << rho;
    EXPECT_LE(report.iterations, 20);
    EXPECT_EQ(report.factorisations, 0);
    ASSERT_FALSE(solver.history().empty());
    EXPECT_LE(solver.history().back().iteration, 20 / cost) << rho;
    EXPECT_GE(solver.history().back().iteration, 5 / AutoCost::accelerated_sweep_of(n, n)) << "it is there to be used";
    EXPECT_LT(judge(problem, solution.impulse).eps_nat, judge(problem, VectorX::Zero(problem.num_rows())).eps_nat);
  }
}

// Where the budget cannot pay for the order alone nothing is looked at; where it pays for no factorisation nothing but
// the order is paid.
TEST(AutoHeap, WhetherAFactorisationIsTooDearIsKnownBeforeItIsPrepared) {
  const ContactProblem problem = lattice(16, 0.0);
  AutoVelocitySpace space;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  SolveBudget budget;
  SolveGoal goal;
  goal.budget = &budget;
  const double ordering = 4096 / space.settings.nodes_ordered;
  budget.start(static_cast<int>(ordering) + space.settings.least_factorisations, nullptr);
  EXPECT_FALSE(space.solve(problem, goal, impulse).converged);
  EXPECT_EQ(budget.spent(), 0.0);
  budget.start(300, nullptr);
  EXPECT_EQ(space.solve(problem, goal, impulse).factorisations, 0);
  EXPECT_NEAR(budget.spent(), ordering, 1e-9);
  EXPECT_TRUE(impulse.isZero(0.0));
}

}  // namespace
}  // namespace stiction
