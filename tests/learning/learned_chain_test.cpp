#include "stiction/learning/learned_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/refused.h"
#include "stiction/learning/throws.h"
#include "stiction/model/model_builder.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

constexpr double dt = 2e-3;
constexpr double length = 0.4;

// Three bars from a pin at (0, 0, height), along x; the joint of the last one is of any kind.
ModelBuilder chain(double height, JointKind last, double damping = 0.0, double friction = 0.5) {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = friction}});
  int parent = -1;
  for (int k = 0; k < 3; ++k) {
    BodyOptions options{.name = "bar" + std::to_string(k), .parent = parent};
    options.pose = Pose(parent < 0 ? Vector3(0, 0, height) : Vector3(length, 0, 0));
    options.joint = {.kind = k == 2 ? last : JointKind::revolute,
                     .axis = last == JointKind::prismatic && k == 2 ? Vector3::UnitX() : Vector3::UnitY()};
    if (k == 1) options.joint.damping = damping;
    const int body = builder.add_body(options);
    ShapeOptions bar{.name = "shape" + std::to_string(k),
                     .body = body,
                     .pose = Pose(Vector3(0.5 * length, 0, 0)),
                     .geometry = Box{{0.5 * length, 0.03, 0.02}},
                     .material = {.friction = friction},
                     .density = 1000};
    if (k < 2) bar.mask = bar.group = 0;
    builder.add_shape(bar);
    parent = body;
  }
  return builder;
}

ContactNetworks networks() {
  return ContactNetworks::random(FeatureSet::patch, dt, {8, 6}, 3);
}

// Without contact there is nothing to cut: the bits of the simulator below.
TEST(LearnedChain, FallsAsTheSimulatorDoes) {
  const auto model = chain(2.0, JointKind::revolute).build();
  LearnedChain learned(model, "bar2", networks());
  Simulator plain(model, {.time_step = dt, .solver = "lcp-dantzig", .implicit_turning = false});
  learned.step(100);
  plain.step(100);
  EXPECT_EQ(learned.state().q, plain.state().q);
  EXPECT_EQ(learned.report().num_contact_steps, 0);
}

// A patch that is said to stick: endless friction. The tree that is stepped agrees with the two sides of the cut.
TEST(LearnedChain, TheWholeTreeEndsAsTheTwoSidesOfTheCut) {
  for (const JointKind last : {JointKind::revolute, JointKind::ball, JointKind::prismatic}) {
    ModelBuilder builder = chain(0.5, last);
    const auto model = builder.build();
    LearnedChain learned(model, "bar2", networks(), {.tolerance = 1e-9});
    learned.force_state(PatchState::sticking);
    VectorX q = model->initial_position;
    // The last bar points steeply down, its end on the ground.
    q[0] = 0.2;
    q[1] = 0.3;
    learned.set_position(q);
    double worst = 0.0;
    for (int i = 0; i < 400; ++i) {
      const LearnedChainReport& report = learned.step();
      if (report.outcome.dimension < 0 || !report.powell.converged()) continue;
      if (learned.simulator().report().num_rechecks > 0) continue;  // the tree's step saw more points than the cut
      worst = std::max(worst, report.mismatch);
    }
    EXPECT_GT(learned.report().num_contact_steps, 50) << to_string(last);
    EXPECT_LT(worst, 1e-6) << to_string(last);
    EXPECT_LT(learned.report().num_unconverged, 0.1 * learned.report().num_contact_steps) << to_string(last);
    EXPECT_LT(learned.report().largest_penetration, 1e-4) << to_string(last);
  }
}

// The truth of a patch that sticks: a material with very large friction. From the same state both end a step alike.
TEST(LearnedChain, SticksAsVeryLargeFrictionDoes) {
  LearnedChain learned(chain(0.5, JointKind::revolute).build(), "bar2", networks(), {.tolerance = 1e-9});
  learned.force_state(PatchState::sticking);
  Simulator rough(chain(0.5, JointKind::revolute, 0.0, 1e3).build(),
                  {.time_step = dt, .constraints = {.hold_sticking = false}, .implicit_turning = false});
  VectorX q = learned.state().q;
  q[0] = 0.2;
  q[1] = 0.3;
  learned.set_position(q);
  int compared = 0;
  double worst = 0.0;
  for (int i = 0; i < 400; ++i) {
    rough.set_position(learned.state().q);
    rough.set_velocity(learned.state().v);
    const LearnedChainReport& report = learned.step();
    rough.step();
    if (report.outcome.dimension < 0 || !report.powell.converged()) continue;
    const auto sticks = [](const Contact& c) {
      return c.regime == ContactRegime::sticking && std::abs(c.point.gap) < 1e-6;
    };
    if (!std::all_of(rough.contacts().begin(), rough.contacts().end(), sticks)) continue;
    ++compared;
    const double e = (rough.state().v - learned.state().v).cwiseAbs().maxCoeff() / (0.1 + rough.state().v.norm());
    worst = std::max(worst, e);
  }
  EXPECT_GT(compared, 100);
  EXPECT_LT(worst, 5e-9);  // each ends at a tolerance of 1e-9 of its own
}

TEST(LearnedChain, AnotherLinkThatTouchesIsCounted) {
  ModelBuilder builder = chain(0.5, JointKind::revolute);
  const auto model = builder.build();
  LearnedChain alone(model, "bar2", networks());
  alone.step(200);
  EXPECT_EQ(alone.report().num_other_contact_steps, 0);
  builder.add_shape({.name = "elbow", .body = builder.find_body("bar1"), .geometry = Sphere{0.2}});
  LearnedChain two(builder.build(), "bar2", networks());
  two.step(400);
  EXPECT_GT(two.report().num_other_contact_steps, 50);
}

TEST(LearnedChain, AnyWeightsNeitherPenetrateNorBlowUp) {
  for (int seed = 0; seed < testing::fewer_sanitized(6, 2); ++seed) {
    LearnedChain learned(chain(0.5, JointKind::revolute).build(), "bar2",
                         ContactNetworks::random(FeatureSet::patch, dt, {8, 6}, static_cast<std::uint64_t>(seed)));
    learned.step(400);
    EXPECT_GT(learned.report().num_contact_steps, 50);
    EXPECT_LT(learned.report().largest_penetration, 1e-3);
    EXPECT_LT(learned.state().v.norm(), 50.0);
    for (const Contact& contact : learned.simulator().contacts()) EXPECT_GE(contact.impulse.z(), -1e-12);
  }
}

TEST(LearnedChain, RefusesWhatItDoesNotKnow) {
  EXPECT_REFUSED(LearnedChain(chain(1, JointKind::revolute).build(), "bar1", networks()), "\"bar2\" hangs on \"bar1\"");
  EXPECT_REFUSED(LearnedChain(chain(1, JointKind::revolute).build(), "bar7", networks()), "bar7");
  EXPECT_REFUSED(LearnedChain(chain(1, JointKind::universal).build(), "bar2", networks()), "has several parts");
  EXPECT_REFUSED(LearnedChain(chain(1, JointKind::revolute, 0.1).build(), "bar2", networks()), "has damping");
  ModelBuilder bouncing = chain(1, JointKind::revolute);
  bouncing.add_shape({.name = "trampoline", .geometry = Plane{}, .material = {.restitution = 0.5}});
  EXPECT_REFUSED(LearnedChain(bouncing.build(), "bar2", networks()), "restitution of shape \"trampoline\" is 0.5");
  EXPECT_REFUSED(LearnedChain(ThrownBody::box({0.1, 0.1, 0.1}).model(), "thrown", networks()),
                 "there is no joint to cut");
  ModelBuilder wet = chain(1, JointKind::revolute);
  wet.set_fluid({.density = 1000.0});
  EXPECT_REFUSED(LearnedChain(wet.build(), "bar2", networks()), "it has a fluid");
}

}  // namespace
}  // namespace stiction
