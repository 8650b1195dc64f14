#include "stiction/learning/learned_chain.h"

#include <gtest/gtest.h>

#include <numbers>

#include "../support/refused.h"
#include "stiction/learning/throws.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

constexpr double dt = 2e-3;
constexpr double length = 0.4;

// Three bars from a pin at (0, 0, height), along x; the joint of the last one is of any kind.
ModelBuilder chain(double height, JointKind last, double damping = 0.0) {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.5}});
  int parent = -1;
  for (int k = 0; k < 3; ++k) {
    BodyOptions options{.name = "bar" + std::to_string(k), .parent = parent};
    options.pose = Pose(parent < 0 ? Vector3(0, 0, height) : Vector3(length, 0, 0));
    options.joint = {.kind = k == 2 ? last : JointKind::revolute, .axis = last == JointKind::prismatic && k == 2 ? Vector3::UnitX() : Vector3::UnitY()};
    if (k == 1) options.joint.damping = damping;
    const int body = builder.add_body(options);
    ShapeOptions bar{.name = "shape" + std::to_string(k), .body = body, .pose = Pose(Vector3(0.5 * length, 0, 0)),
                     .geometry = Box{{0.5 * length, 0.03, 0.02}}, .material = {.friction = 0.5}, .density = 1000};
    if (k < 2) bar.mask = bar.group = 0;
    builder.add_shape(bar);
    parent = body;
  }
  return builder;
}

ContactNetworks networks() {
  return ContactNetworks::random(FeatureSet::patch, dt, {8, 6}, 3);
}

double highest_link(const Simulator& simulator) {
  return simulator.report().largest_penetration;
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

// A patch that is said to stick: endless friction. The tree that is stepped agrees with the two sides of the cut, and
// with the truth of a material with very large friction.
TEST(LearnedChain, SticksAsVeryLargeFrictionDoes) {
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
      ASSERT_GE(highest_link(learned.simulator()), 0.0);
    }
    EXPECT_GT(learned.report().num_contact_steps, 50) << to_string(last);
    EXPECT_LT(worst, 1e-6) << to_string(last);
    EXPECT_LT(learned.report().num_unconverged, 0.1 * learned.report().num_contact_steps) << to_string(last);
    EXPECT_LT(learned.report().largest_penetration, 1e-4) << to_string(last);
  }
}

TEST(LearnedChain, AnyWeightsNeitherPenetrateNorBlowUp) {
  for (int seed = 0; seed < 6; ++seed) {
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
  EXPECT_REFUSED(LearnedChain(ThrownBody::box({0.1, 0.1, 0.1}).model(), "thrown", networks()), "there is no joint to cut");
}

}  // namespace
}  // namespace stiction
