// Thin cylinders that fall or lie level stay so: both ends have their contact, however far the margin reaches.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

const Quaternion lying(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()));

// How far the ends of a lying cylinder differ in height, m.
double lean(const Simulator& simulator, double half_length) {
  const VectorX& q = simulator.state().q;
  const Quaternion turn = Quaternion(Eigen::Vector4d(q.segment<4>(3))).normalized();
  return 2.0 * half_length * std::abs((turn * Vector3::UnitZ()).z());
}

int ends_in_contact(const Simulator& simulator) {
  bool low = false, high = false;
  for (const Contact& c : simulator.contacts()) (c.point.position.x() < simulator.state().q[0] ? low : high) = true;
  return (low ? 1 : 0) + (high ? 1 : 0);
}

TEST(LyingCylinder, DroppedLevelLandsOnBothEnds) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "rod", Cylinder{0.01, 0.05}, 0.1, Pose(lying, Vector3(0, 0, 0.31)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 5e-3});
  double most = 0.0;
  for (int i = 0; i < 200; ++i) {
    simulator.step();
    most = std::max(most, lean(simulator, 0.05));
    if (!simulator.contacts().empty()) {
      EXPECT_EQ(ends_in_contact(simulator), 2) << "step " << i;
    }
  }
  EXPECT_LT(most, 1e-6);
  EXPECT_EQ(ends_in_contact(simulator), 2);
  EXPECT_NEAR(simulator.state().q[2], 0.01, 1e-4);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0);
}

TEST(LyingCylinder, NeedleAtRestStaysLevel) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "needle", Cylinder{0.0005, 0.05}, 1e-3, Pose(lying, Vector3(0, 0, 0.0005)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 5e-3});
  for (int i = 0; i < 400; ++i) {
    simulator.step();
    ASSERT_EQ(ends_in_contact(simulator), 2) << "step " << i;
    ASSERT_LT(lean(simulator, 0.05), 1e-6) << "step " << i;
  }
  EXPECT_NEAR(simulator.state().q[2], 0.0005, 1e-6);
}

}  // namespace
}  // namespace stiction
