// Tries of an island: jams, limits that they share, what comes back.
#include "stiction/sim/island_solver.h"

#include <gtest/gtest.h>

#include "tests/sim/worlds.h"

namespace stiction {
namespace {

constexpr double dt = 1e-3, depth = 0.01;

// Cubes that are `depth` inside of a wall on either side, one island each.
class WedgedCubes : public ::testing::Test {
 protected:
  static std::shared_ptr<const Model> make() {
    ModelBuilder builder;
    for (const char* name : {"a", "b"}) {
      testing::add_free(builder, name, Box{{0.1, 0.1, 0.1}}, 1.0, Pose(), 0.5);
    }
    return builder.build();
  }
  WedgedCubes() {
    settings_.time_step = dt;
    settings_.acceptable_tolerance = 0.0;
    for (int cube = 0; cube < 2; ++cube) {
      for (const double side : {1.0, -1.0}) add_wall(cube, side);
    }
    islands_.find(rows_, 2);
  }
  void add_wall(int cube, double side) {
    StepConstraint& wall = rows_.begin_constraint(
        Constraint::make_frictional(0.5), {.first = cube, .second = 2, .feature = side > 0.0 ? 0U : 1U}, cube, -1);
    wall.error = Pack4{0.0, 0.0, -depth, 0.0};
    wall.offset = Pack4{0.0, 0.0, settings_.constraints.one_sided_offset(-depth, dt, true), 0.0};
    wall.free_velocity = wall.offset + Pack4{0.0, 0.02, 0.0, 0.0};
    const VelocityNode& node = model_->nodes[model_->node_of[6 * cube]];
    Pack4* column = rows_.add_segment(model_->node_of[6 * cube], node.first_velocity, node.size);
    column[0] = Pack4{0.0, 0.0, side, 0.0};
    column[1] = Pack4{1.0, 0.0, 0.0, 0.0};
    column[2] = Pack4{0.0, 1.0, 0.0, 0.0};
  }
  void solve(IslandSolver& solver, Interrupt* interrupt = nullptr) {
    solver.build_problems(rows_, islands_);
    solver.solve(rows_, islands_, interrupt);
  }
  std::shared_ptr<const Model> model_ = make();
  SimulatorSettings settings_;
  RowSet rows_;
  Islands islands_;
};

TEST_F(WedgedCubes, AreJammedAndStayAsDeepAsTheyAre) {
  for (const int threads : {1, 2}) {
    settings_.threads = threads;
    RowSet before = rows_;
    IslandSolver solver(model_, settings_);
    solve(solver);
    ASSERT_EQ(solver.size(), 2);
    solver.judge_all();
    for (int k = 0; k < 2; ++k) {
      EXPECT_TRUE(solver.is_jammed(k));
      EXPECT_LE(solver.residuals(k).eps_nat, settings_.tolerance);
      EXPECT_GT(solver.report(k).iterations, 0) << "the try that failed counts";
    }
    for (const StepConstraint& wall : rows_.constraints) {
      EXPECT_EQ(wall.left_depth, depth);
      EXPECT_EQ(wall.offset[2], 0.0);
    }
    rows_ = before;
  }
}

TEST_F(WedgedCubes, AreLeftToOtherSolversAsTheyAre) {
  settings_.solver = "ncp-gs";
  IslandSolver solver(model_, settings_);
  solve(solver);
  EXPECT_FALSE(solver.is_jammed(0));
  EXPECT_GT(solver.report(0).status, SolveStatus::acceptable);
  for (const StepConstraint& wall : rows_.constraints) EXPECT_LT(wall.offset[2], 0.0);
}

// No solution: every try takes what it may.
TEST_F(WedgedCubes, RoundsOfAStepShareItsLimitButForWhatIsTheirs) {
  settings_.solver = "ncp-pgs";
  settings_.max_iterations = 20;
  IslandSolver solver(model_, settings_);
  const auto iterations = [&] {
    solve(solver);
    EXPECT_EQ(solver.report(0).iterations, solver.report(1).iterations);
    return solver.report(0).iterations;
  };
  solver.begin_step();
  EXPECT_EQ(iterations(), 20);
  EXPECT_EQ(iterations(), 5) << "a quarter";
  EXPECT_EQ(iterations(), 2);
  EXPECT_EQ(iterations(), 1);
  for (int k = 0; k < 40; ++k) EXPECT_EQ(iterations(), 1) << "one is always left";
  solver.begin_step();
  EXPECT_EQ(iterations(), 20);
  solver.begin_step();
  solver.set_option("max_iterations", 25);
  EXPECT_EQ(iterations(), 25);
  EXPECT_EQ(iterations(), 6);
}

TEST_F(WedgedCubes, AnInterruptIsOfOneSolve) {
  settings_.solver = "ncp-pgs";
  IslandSolver solver(model_, settings_);
  Interrupt interrupt;
  interrupt.request();
  solve(solver, &interrupt);
  EXPECT_EQ(solver.report(0).status, SolveStatus::interrupted);
  solver.begin_step();
  solve(solver);
  EXPECT_NE(solver.report(0).status, SolveStatus::interrupted);
}

TEST_F(WedgedCubes, OptionsOutlastForgetting) {
  settings_.solver = "ncp-pgs";
  IslandSolver solver(model_, settings_);
  solver.set_option("max_iterations", 4);
  EXPECT_THROW(solver.set_option("no_such_option", 1.0), std::invalid_argument);
  solver.forget();
  EXPECT_EQ(solver.size(), 0);
  solve(solver);
  EXPECT_EQ(solver.report(0).iterations, 4);
  ASSERT_EQ(solver.options().size(), 1U);
}

// A box that is pushed along a carriage. The methods for G itself are switched off: what is left works on factors.
TEST(Mechanism, OfSeveralTreesIsTriedWithFactorsWhereItsMatrixLedNowhere) {
  ModelBuilder builder;
  JointOptions slide;
  slide.kind = JointKind::prismatic;
  builder.add_body({.name = "carriage",
                    .parent = -1,
                    .pose = Pose(),
                    .joint = slide,
                    .joints = {},
                    .inertia = Inertia{1.0, Vector3::Zero(), Matrix3::Identity()}});
  testing::add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(), 0.5);
  const std::shared_ptr<const Model> model = builder.build();
  RowSet rows;
  StepConstraint& contact = rows.begin_constraint(Constraint::make_frictional(0.5), {.second = 1}, 0, 1);
  contact.free_velocity = Pack4{0.01, 0.02, -0.5, 0.0};
  for (const int first : {0, 1}) {  // of the carriage, which moves along x, and of the box
    const VelocityNode& node = model->nodes[model->node_of[first]];
    Pack4* column = rows.add_segment(model->node_of[first], node.first_velocity, node.size);
    if (first == 0) {
      column[0] = Pack4{-1.0, 0.0, 0.0, 0.0};
    } else {
      for (int k = 0; k < 3; ++k) column[k][k] = 1.0;
    }
  }
  Islands islands;
  islands.find(rows, 2);
  SimulatorSettings settings;
  settings.time_step = dt;
  IslandSolver solver(model, settings);
  solver.build_problems(rows, islands);
  ASSERT_EQ(solver.problem(0).form(), DelassusForm::dense);
  for (const char* option : {"use_dense", "use_contact_space", "use_last_resort"}) solver.set_option(option, 0.0);
  solver.solve(rows, islands, nullptr);
  EXPECT_EQ(solver.problem(0).form(), DelassusForm::factored);
  EXPECT_EQ(solver.report(0).status, SolveStatus::converged);
  solver.judge_all();
  EXPECT_LE(solver.residuals(0).eps_nat, settings.tolerance);
}

}  // namespace
}  // namespace stiction
