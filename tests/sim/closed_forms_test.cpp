// Motions with closed forms, at three time steps each: the error at the middle one and the order in which it shrinks.
// The forms are in tests/support/closed_forms_*.cpp, shared with the table of docs/closed-forms.md; here are the limits
// they are held to, and what is a yes or no.
#include "tests/support/closed_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace stiction {
namespace {

using testing::ClosedForm;
using testing::Shrinks;

class ClosedFormOfMotion : public ::testing::TestWithParam<ClosedForm> {};

TEST_P(ClosedFormOfMotion, IsReachedInItsOrder) {
  const ClosedForm& form = GetParam();
  std::array<double, 3> error{};
  for (std::size_t k = 0; k < 3; ++k) error[k] = form.measure(form.time_steps[k]) - form.exact;
  for (std::size_t k = 0; k < 3; ++k) {
    const bool exact = form.shrinks == Shrinks::exact, located = form.shrinks == Shrinks::located;
    if (!exact && !located) continue;
    EXPECT_LE(std::abs(error[k]), exact ? form.bound : form.bound * form.time_steps[k]) << form.time_steps[k];
  }
  if (form.shrinks == Shrinks::exact || form.shrinks == Shrinks::located) return;
  EXPECT_LE(std::abs(error[1]), form.bound);
  const double order = form.shrinks == Shrinks::first_order ? 1.0 : 2.0;
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(std::log2(std::abs(error[k] / error[k + 1])), order, 0.2) << form.time_steps[k];
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClosedFormOfMotion, ::testing::ValuesIn(testing::closed_forms()),
                         [](const auto& form) { return form.param.id; });

// The spring acts at the end of the step: with ω Δt = tan α every step turns (ω q, v) by α and shortens it by cos α.
TEST(ClosedFormOfScheme, SpringLosesWhatTheStepTakes) {
  int found = 0;
  for (const ClosedForm& form : testing::mechanism_forms()) {
    found += form.id == "SpringAmplitude" || form.id == "SpringPeriod";
    for (const double dt : form.time_steps) {
      const double alpha = std::atan(10.0 * dt), n = testing::num_steps(1.0, dt);
      if (form.id == "SpringAmplitude") {
        EXPECT_NEAR(form.measure(dt), std::pow(std::cos(alpha), n), 1e-12);
      } else if (form.id == "SpringPeriod") {
        EXPECT_NEAR(form.measure(dt), 2.0 * M_PI * dt / alpha, 1e-12);
      }
    }
  }
  EXPECT_EQ(found, 2);
}

constexpr double g = testing::gravity;
constexpr double share = 1e-5;  // how far from a threshold both of its sides are tried

// A sphere rolls without slipping iff μ ≥ 2/7 tan θ, a solid cylinder iff μ ≥ 1/3 tan θ. Just below, with
// μ = (1 − ε) times that, friction lacks ε of what rolling takes, and the contact slips by ε g sin θ t.
TEST(ClosedFormThreshold, SphereRollsIffFrictionSuffices) {
  const double slope = 0.5, threshold = 2.0 / 7.0 * std::tan(slope), slip = share * g * std::sin(slope);
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    EXPECT_NEAR(testing::roll_down(Sphere{0.1}, (1.0 + share) * threshold, slope, 1.0, dt).slip, 0.0, 1e-9) << dt;
    EXPECT_NEAR(testing::roll_down(Sphere{0.1}, (1.0 - share) * threshold, slope, 1.0, dt).slip, slip, 1e-9) << dt;
  }
}

// A cylinder rests on two points. While they slip by some 1e-6 m/s, the power that the tolerance of 1e-9 is about does
// not tell the direction of their friction well: parts across the slope that cancel each other are lost to it, and the
// first steps slip some more.
TEST(ClosedFormThreshold, CylinderRollsIffFrictionSuffices) {
  const double slope = 0.5, threshold = 1.0 / 3.0 * std::tan(slope), slip = share * g * std::sin(slope);
  const Cylinder round{0.1, 0.15};
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    EXPECT_NEAR(testing::roll_down(round, (1.0 + share) * threshold, slope, 1.0, dt).slip, 0.0, 1e-9) << dt;
    EXPECT_NEAR(testing::roll_down(round, (1.0 - share) * threshold, slope, 1.0, dt).slip, slip, 0.1 * slip) << dt;
  }
}

// A box of half width b and half height h topples on a slope iff tan θ > b/h. It falls by φ = ψ (cosh λt − 1) with
// ψ ≈ 3e-6 rad and λ = 4.8/s: over in three seconds.
TEST(ClosedFormThreshold, TopplesIffTheSlopeIsSteepEnough) {
  const Vector3 half(0.1, 0.1, 0.3);
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    const double below = std::atan((1.0 - share) * half[0] / half[2]);
    const double above = std::atan((1.0 + share) * half[0] / half[2]);
    EXPECT_LE(std::abs(testing::tip_on_slope(half, below, 4.0, dt)), 1e-9) << dt;
    EXPECT_GT(testing::tip_on_slope(half, above, 4.0, dt), 1.0) << dt;
  }
}

// On level ground, pushed by F at its upper edge, iff F 2 h > m g b.
TEST(ClosedFormThreshold, TopplesIffThePushIsStrongEnough) {
  const Vector3 half(0.1, 0.1, 0.3);
  const double threshold = half[0] / (2.0 * half[2]);
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    EXPECT_LE(std::abs(testing::tip_by_push(half, (1.0 - share) * threshold, 4.0, dt)), 1e-9) << dt;
    EXPECT_GT(testing::tip_by_push(half, (1.0 + share) * threshold, 4.0, dt), 1.0) << dt;
  }
}

// A ladder of length 2 l on a rough floor against a smooth wall stays iff μ ≥ l cos φ/(2 l sin φ + r), which is
// cot φ/2 for ends of radius r = 0: about its foot the wall's force μ m g has to carry the weight.
TEST(ClosedFormThreshold, LadderStaysIffTheFloorIsRoughEnough) {
  const double phi = 0.9, threshold = std::cos(phi) / (2.0 * std::sin(phi) + 0.02);
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    EXPECT_LE(std::abs(testing::lean(phi, (1.0 + share) * threshold, 4.0, dt)), 1e-9) << dt;
    EXPECT_GT(testing::lean(phi, (1.0 - share) * threshold, 4.0, dt), 0.1) << dt;
  }
}

double momentum(const testing::Row& row) {
  return std::accumulate(row.velocities.begin(), row.velocities.end(), 0.0);
}
double energy(const testing::Row& row) {
  return std::inner_product(row.velocities.begin(), row.velocities.end(), row.velocities.begin(), 0.0);
}

// Balls with gaps that no ball crosses in one step meet one after the other, and each hands its velocity on.
TEST(ClosedFormImpact, CradleHandsTheVelocityOn) {
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    const testing::Row row = testing::strike_row(5, 5.3e-3, 1.0, 0.1, dt);
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(row.velocities[k], k == 4 ? 1.0 : 0.0, 1e-9) << dt << " ball " << k;
    EXPECT_NEAR(momentum(row), 1.0, 1e-13);
    EXPECT_NEAR(energy(row), 1.0, 1e-9);
    EXPECT_EQ(row.num_uncertified_steps, 0);
  }
}

// Balls that touch are hit at once. Newton's law asks each contact to part as fast as it closed: the first with v, the
// others not at all. So all but the first go on together with 2 v/n and the first bounces back with (n − 2) v/n:
// momentum and energy are kept, but it is not the cradle that one sees, whose balls meet one after the other.
TEST(ClosedFormImpact, TouchingBallsAreHitAtOnce) {
  for (const int n : {2, 3, 5}) {
    for (const double dt : {4e-3, 2e-3, 1e-3}) {
      const testing::Row row = testing::strike_row(n, 0.0, 1.0, 0.1, dt);
      EXPECT_NEAR(row.velocities[0], -(n - 2.0) / n, 1e-8) << n;
      for (int k = 1; k < n; ++k) EXPECT_NEAR(row.velocities[k], 2.0 / n, 1e-8) << n << " ball " << k;
      EXPECT_NEAR(momentum(row), 1.0, 1e-13);
      EXPECT_NEAR(energy(row), 1.0, 1e-8);
    }
  }
}

// Three balls with gaps that one step crosses, δ v Δt: the first contact bounces, the second only closes its gap, since
// nothing approached there when the step began, and bounces in the next step. Momentum is kept, energy not.
TEST(ClosedFormImpact, GapsWithinAStepLoseEnergy) {
  const double dt = 4e-3;
  for (const double delta : {0.1, 0.25, 0.5, 0.9}) {
    const testing::Row row = testing::strike_row(3, delta * dt, 1.0, 0.2, dt);
    EXPECT_NEAR(row.velocities[0], -(1.0 - delta) / 3.0, 1e-8) << delta;
    EXPECT_NEAR(row.velocities[1], 2.0 / 3.0 * (1.0 - delta), 1e-8) << delta;
    EXPECT_NEAR(row.velocities[2], (2.0 + delta) / 3.0, 1e-8) << delta;
    EXPECT_NEAR(momentum(row), 1.0, 1e-13);
    EXPECT_NEAR(energy(row), 1.0 - 2.0 / 3.0 * delta * (1.0 - delta), 1e-8) << delta;
  }
}

}  // namespace
}  // namespace stiction
