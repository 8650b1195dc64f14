#include "stiction/solvers/interior_point/local_path.h"

#include <gtest/gtest.h>

#include "stiction/problem_files/sequence.h"
#include "stiction/solvers/interior_point/interior_point.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

// A step of the wall at which the interior point stalls, and where it stands then.
struct Stalled {
  ContactProblem problem;
  ConeProblem cones;
  NewtonVelocitySpace system;
  InteriorPoint interior_point;
  ConeTask task;

  explicit Stalled(int step) {
    problem = read_sequence(testing::scene_file("robot-problems/wall-ball.hdf5")).steps[step].problem;
    cones.load(problem);
    system.load(problem, cones);
    SolveGoal goal;
    goal.tolerance = 1e-7;
    task.begin(cones, system, goal, VectorX::Zero(problem.num_rows()));
    interior_point.resize(cones.size());
    cones.start_cold(1.0, interior_point.point.at);
    EXPECT_FALSE(interior_point.run(task, {.step_rule = InteriorPointOptions::StepRule::by_predictor, .watch = true}));
    EXPECT_FALSE(interior_point.blocking.empty());
  }
};

bool touch(const DelassusFactored& f, int i, int j) {
  for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
    for (int t = f.segment_begin[j]; t < f.segment_begin[j + 1]; ++t) {
      if (f.segment_node[s] == f.segment_node[t]) return true;
    }
  }
  return false;
}

// A point of the central path of what lies around: r_p = 0 and x ∘ y = κ' e there, κ' below κ; nothing else has moved.
TEST(LocalPath, PutsWhatLiesAroundOnItsPathAndLeavesTheRest) {
  for (const int step : {58, 59}) {
    Stalled stalled(step);
    PathPoint& point = stalled.interior_point.point;
    const ConeVector before = point.at;
    const double kappa = point.kappa, delta = 0.8;
    LocalPath local;
    ASSERT_TRUE(local.cross(stalled.problem, stalled.cones, stalled.interior_point.blocking, kappa, 1, point.at));
    ASSERT_TRUE(point.evaluate(stalled.task, delta));
    EXPECT_GT(local.factorisations(), 0.0);
    int kept = 0, moved = 0;
    for (int i = 0; i < stalled.cones.size(); ++i) {
      bool inside = false;
      for (const int j : stalled.interior_point.blocking) inside |= touch(stalled.problem.factored(), i, j);
      if (!inside) {
        ++kept;
        EXPECT_TRUE((point.at.impulse.row(i) == before.impulse.row(i)).all()) << i;
        EXPECT_TRUE((point.at.y.row(i) == before.y.row(i)).all()) << i;
        continue;
      }
      ++moved;
      const ConePoint<double> product = jordan_product(get(point.at.x, i), get(point.at.y, i));
      EXPECT_LE(product.n, 0.35 * kappa) << i;
      EXPECT_GT(product.n, 0.0) << i;
      EXPECT_LE(tangent_norm(product), 0.1 * product.n) << i;
      EXPECT_LE(point.rp.row(i).abs().maxCoeff(), 1e-4) << i;
    }
    EXPECT_GE(moved, 4);
    EXPECT_GE(kept, 4);
  }
}

// With all bodies the part is the whole.
TEST(LocalPath, MayTakeTheWhole) {
  Stalled stalled(58);
  PathPoint& point = stalled.interior_point.point;
  const double kappa = point.kappa;
  LocalPath local;
  ASSERT_TRUE(local.cross(stalled.problem, stalled.cones, stalled.interior_point.blocking, kappa, 1000, point.at));
  ASSERT_TRUE(point.evaluate(stalled.task, 0.8));
  EXPECT_LE(point.kappa, 0.35 * kappa);
  EXPECT_LE(point.rp_norm, 1e-4);
}

TEST(LocalPath, TheSameBitsAgain) {
  Stalled stalled(58);
  LocalPath local;
  ConeVector first = stalled.interior_point.point.at, second = first;
  const auto& blocking = stalled.interior_point.blocking;
  ASSERT_TRUE(local.cross(stalled.problem, stalled.cones, blocking, stalled.interior_point.point.kappa, 5, first));
  ASSERT_TRUE(local.cross(stalled.problem, stalled.cones, blocking, stalled.interior_point.point.kappa, 5, second));
  EXPECT_TRUE((first.impulse == second.impulse).all());
  EXPECT_TRUE((first.y == second.y).all());
}

}  // namespace
}  // namespace stiction
