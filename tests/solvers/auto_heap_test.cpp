// Which problems `auto` takes for heaps that give, and what becomes of those that sweeps do not solve.
#include "stiction/solvers/auto/auto_heap.h"

#include <gtest/gtest.h>

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

TEST(AutoHeap, TakesHeapsThatGiveAndNoOthers) {
  const ContactProblem rigid = spheres();
  AutoHeap heap;
  EXPECT_TRUE(heap.takes(with_compliance(rigid, 1e-2)));
  EXPECT_TRUE(heap.takes(with_compliance(rigid, 1e-1)));
  EXPECT_FALSE(heap.takes(rigid));
  EXPECT_FALSE(heap.takes(with_compliance(rigid, 5e-3)));
  EXPECT_FALSE(heap.takes(with_compliance(rigid, 1e-2, 4)));  // four points per pair, as faces have
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

}  // namespace
}  // namespace stiction
