// scenes/gripper.xml: redundant loops, limits, dry friction and contacts in one island, every step certified.
#include <gtest/gtest.h>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/sim/simulator.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

TEST(Gripper, LiftsItsBoxAndEveryStepIsCertified) {
  const auto model = load_mjcf(testing::scene_file("gripper.xml")).model;
  Simulator simulator(model);
  simulator.reset(model->find_keyframe("start"));
  const int box = model->bodies[model->num_bodies() - 1].first_position;
  const double before = simulator.state().q[box + 2];
  VectorX control = simulator.state().control;
  int most_contacts = 0;
  for (int k = 0; k < 2000; ++k) {
    if (k >= 500) control[1] = 0.1 * std::min(1.0, (k - 500) / 500.0);  // up by 10 cm in a second
    simulator.set_control(control);
    const StepReport& report = simulator.step();
    ASSERT_TRUE(report.certified()) << "step " << k << ": eps_nat " << report.residuals.eps_nat << ", geometry "
                                    << report.geometry_certified << ", energy " << report.energy_certified;
    EXPECT_GE(report.num_redundant_rows, 4) << k;
    EXPECT_LE(report.largest_loop_mismatch, 1e-7) << k;
    most_contacts = std::max(most_contacts, report.num_contacts);
  }
  EXPECT_GE(most_contacts, 4);
  EXPECT_NEAR(simulator.state().q[box + 2] - before, 0.1, 0.02);
}

}  // namespace
}  // namespace stiction
