// Cassie: closed chains from an SDF file, assembled and simulated.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/io/sdf/sdf.h"
#include "stiction/sim/assembly.h"
#include "stiction/sim/simulator.h"
#include "tests/support/dense.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

const std::string cassie = testing::scene_file("cassie/cassie_v2.sdf");

double loop_error(Simulator& simulator) {
  double largest = 0.0;
  for (const Loop& loop : simulator.model().loops) {
    const Pose a = simulator.body_pose(loop.body_a) * loop.pose_a, b = simulator.body_pose(loop.body_b) * loop.pose_b;
    largest = std::max(largest, (a.position - b.position).norm());
  }
  return largest;
}

// Mass, centre of mass and inertia matrix where the file puts the links, from a tree that Pinocchio 4.1 was given by
// hand: 22 hinges, the four ball joints cut.
TEST(Cassie, MechanicsOfItsTree) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  append_sdf(builder, cassie, {}, ignored);
  const auto model = builder.build();
  EXPECT_EQ(28, model->num_velocities());
  ASSERT_EQ(4u, model->loops.size());
  for (const Loop& loop : model->loops) EXPECT_EQ(LoopKind::point, loop.kind);
  EXPECT_EQ(22u, model->actuators.size());
  DynamicsData data(*model);
  update_kinematics(*model, model->initial_position.data(), model->initial_velocity.data(), data);
  update_inertia(*model, data);
  EXPECT_NEAR(total_mass(*model), 32.94, 1e-12);
  const Vector3 expected(-0.044368847166548799, 0.00010857124470459609, 0.88040226937166166);
  EXPECT_NEAR((center_of_mass(data) - expected).norm(), 0.0, 1e-12);
  const MatrixX m = inertia_matrix(*model, data);
  EXPECT_NEAR(m.trace(), 112.14920683722835, 1e-9);
  EXPECT_NEAR(testing::log_determinant_of_positive(m), -87.947260267728112, 1e-8);
  // The poses of the file close the loops, but two joints of each foot stand 35° outside their limits.
  EXPECT_NEAR(assembly_error(model, model->initial_position), 0.6109, 1e-9);
}

TEST(Cassie, StartsAssembled) {
  const LoadedModel loaded = load_sdf(cassie);
  EXPECT_LE(assembly_error(loaded.model, loaded.model->initial_position), 1e-6);
  EXPECT_TRUE(std::any_of(loaded.ignored.begin(), loaded.ignored.end(),
                          [](const IgnoredElement& i) { return i.element == "initial position"; }));
  // Near where the file has it: cranks and feet turn into their ranges, the pelvis stays.
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  append_sdf(builder, cassie, {}, ignored);
  const VectorX move = loaded.model->initial_position - builder.build()->initial_position;
  EXPECT_LE(move.head<7>().cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LE(move.cwiseAbs().maxCoeff(), 0.7);
}

// Ten seconds of free fall: the loops stay closed, the most while the springs of the start swing out, most steps are
// certified (all here, but the last bits differ from compiler to compiler, and so do the first swings), and the fall is
// that of a point, but for the order of the integrator: no force of a loop leaks out.
TEST(Cassie, LoopsStayClosed) {
  const LoadedModel loaded = load_sdf(cassie);
  Simulator simulator(loaded.model, {.time_step = 1e-3});
  double early = 0.0, late = 0.0;
  const int num_steps = testing::sanitized ? 1500 : 10000;
  for (int k = 0; k < num_steps; ++k) {
    simulator.step();
    double& largest = k < 1000 ? early : late;
    largest = std::max(largest, loop_error(simulator));
  }
  EXPECT_LE(early, 1e-4);
  EXPECT_LE(late, 1e-7);
  EXPECT_LE(simulator.num_uncertified_steps(), num_steps / 10);
  // What Baumgarte's velocities did before: 1.4 m/s.
  const Vector3 expected(0, 0, -9.81e-3 * num_steps);
  EXPECT_NEAR((center_of_mass_velocity(simulator.dynamics()) - expected).norm(), 0.0, 0.05);
}

// It lands and collapses: loops, limits and contacts in one problem. No step fails, some are accepted only, no energy
// comes from anywhere, and in the end it lies still.
TEST(Cassie, CollapsesOnTheGround) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  append_sdf(builder, cassie, {}, ignored);
  builder.add_shape({.geometry = Plane{}});
  Simulator simulator(assembled(builder.build()), {.time_step = 1e-3});
  VectorX above = simulator.state().q;
  above[2] += 0.15;
  simulator.set_position(above);
  double largest_error = 0.0, start_energy = 0.0, largest_energy = 0.0;
  const int num_steps = testing::sanitized ? 500 : 3000;
  for (int k = 0; k < num_steps; ++k) {
    const StepReport& report = simulator.step();
    const double energy = report.kinetic_energy + report.potential_energy;
    if (k == 0) start_energy = energy;
    largest_energy = std::max(largest_energy, energy);
    largest_error = std::max(largest_error, loop_error(simulator));
  }
  EXPECT_TRUE(simulator.state().q.allFinite());
  EXPECT_LE(largest_error, 5e-3);
  EXPECT_LE(largest_energy, start_energy + 0.1);
  EXPECT_EQ(simulator.num_failed_steps(), 0) << simulator.worst_residual();
  EXPECT_LE(simulator.num_uncertified_steps(), 3 * num_steps / 4);
  if (!testing::sanitized) {
    EXPECT_LE(simulator.report().kinetic_energy, 1.0);
  }
}

}  // namespace
}  // namespace stiction
