// What actuators of one degree of freedom exert together (theory §3.9).
#include "stiction/sim/servo_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stiction {
namespace {

// The sum of line and rows is the law, for any actuators on one joint.
TEST(ServoLaw, IsASumOfRows) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const double dt = 1e-3;
  int most = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<ServoLine> lines(1 + trial % 3);
    for (ServoLine& line : lines) {
      line.slope = unit(random) < 0.15 ? 0.0 : std::pow(10.0, 4.0 * unit(random) - 1.0);
      line.force = 40.0 * (unit(random) - 0.5);
      line.lower = unit(random) < 0.2 ? -no_limit : 20.0 * (unit(random) - 0.8);
      line.upper = unit(random) < 0.2 ? no_limit : std::max(line.lower, -20.0) + 25.0 * unit(random);
    }
    const double effort = unit(random) < 0.5 ? no_limit : 15.0 * unit(random);
    ServoLaw law;
    law.build(lines, effort);
    std::vector<ServoRow> rows;
    const ServoTangent stays = law.split(0, dt, rows);
    most = std::max(most, static_cast<int>(rows.size()));
    for (int k = 0; k < 50; ++k) {
      const double v = std::pow(10.0, 5.0 * unit(random) - 3.0) * (unit(random) < 0.5 ? -1.0 : 1.0);
      double sum = 0.0, raw = 0.0, scale = 1.0;
      for (const ServoLine& line : lines) {
        raw += std::clamp(line.force - line.slope * v, line.lower, line.upper);
        scale += std::abs(line.force) + std::abs(line.slope * v);
      }
      sum = stays.force - stays.slope * v;
      for (const ServoRow& row : rows) {
        const double lambda = -(row.sign * v + row.offset) / row.compliance;
        const double bounded =
            std::isfinite(row.bound) ? std::clamp(lambda, -row.bound, row.bound) : std::max(0.0, lambda);
        sum += row.sign * bounded / dt;
      }
      const double expected = std::clamp(raw, -effort, effort);
      ASSERT_NEAR(law.at(v), expected, 1e-12 * scale);
      ASSERT_NEAR(sum, expected, 1e-11 * scale) << trial << " at " << v;
      const ServoTangent tangent = law.tangent(v);
      ASSERT_NEAR(tangent.force - tangent.slope * v, expected, 1e-11 * scale);
      if (law.place(v) == ServoLaw::Place::between) continue;
      const ServoTangent end = law.end(law.place(v));
      ASSERT_NEAR(end.force - end.slope * v, expected, 1e-11 * scale) << trial << " at " << v;
    }
  }
  EXPECT_GE(most, 5);
}

}  // namespace
}  // namespace stiction
