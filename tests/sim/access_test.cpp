// Joints by name, contacts before the first step, what contacts do to a body, copies.
#include <gtest/gtest.h>

#include "stiction/sim/joint_handle.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

constexpr double gravity = 9.81;

std::shared_ptr<const Model> two_boxes() {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "low", Box{{0.2, 0.2, 0.1}}, 3.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  add_free(builder, "high", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.3)), 0.5);
  return builder.build();
}

TEST(Forward, TellsContactsAndForcesBeforeTheFirstStep) {
  Simulator simulator(two_boxes(), {.time_step = 1e-3});
  EXPECT_TRUE(simulator.contacts().empty());
  const auto contacts = simulator.forward();
  EXPECT_EQ(contacts.size(), 8U);
  EXPECT_EQ(simulator.state().step, 0);
  EXPECT_EQ(simulator.state().time, 0.0);
  EXPECT_EQ(simulator.state().q, simulator.model().initial_position);
  const int low = simulator.model().find_body("low"), high = simulator.model().find_body("high");
  EXPECT_NEAR(simulator.contact_force(high).force.z(), 2.0 * gravity, 1e-6);
  EXPECT_NEAR(simulator.contact_force(low).force.z(), 3.0 * gravity, 1e-6);
  EXPECT_NEAR(simulator.contact_force(low, -1).force.z(), 5.0 * gravity, 1e-6);
  EXPECT_NEAR(simulator.contact_force(low, high).force.z(), -2.0 * gravity, 1e-6);
  EXPECT_NEAR(simulator.contact_force(-1).force.z(), -5.0 * gravity, 1e-6);
  EXPECT_NEAR(simulator.contact_force(-1, low).force.z(), -5.0 * gravity, 1e-6);
  EXPECT_EQ(simulator.contact_force(high, -1).num_contacts, 0);
}

TEST(Forward, LeavesEveryBitAndTheReportAlone) {
  Simulator asked(two_boxes(), {.time_step = 1e-3}), plain(two_boxes(), {.time_step = 1e-3});
  for (int k = 0; k < 30; ++k) {
    const double time = asked.report().time;
    const auto foreseen = asked.forward();
    const std::vector<Contact> before(foreseen.begin(), foreseen.end());
    EXPECT_EQ(asked.report().time, time);
    asked.step();
    plain.step();
    ASSERT_TRUE(asked.state().to_bytes() == plain.state().to_bytes()) << k;
    EXPECT_EQ(asked.report().energy_error, plain.report().energy_error);
    const auto made = asked.contacts();
    ASSERT_EQ(before.size(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(before[i].force, made[i].force) << k;
  }
  EXPECT_EQ(asked.num_uncertified_steps(), plain.num_uncertified_steps());
}

TEST(Forward, SeesForcesAndPositionsAsTheyAreNow) {
  Simulator simulator(two_boxes(), {.time_step = 1e-3});
  const int high = simulator.model().find_body("high"), low = simulator.model().find_body("low");
  simulator.add_external_force(high, Vector3(0, 0, -10.0), Vector3(0, 0, 0.3));
  simulator.forward();
  EXPECT_NEAR(simulator.contact_force(high).force.z(), 2.0 * gravity + 10.0, 1e-6);
  simulator.set_body_pose(high, Pose(Vector3(0, 0, 5.0)));
  simulator.forward();
  EXPECT_EQ(simulator.contact_force(high).num_contacts, 0);
  EXPECT_NEAR(simulator.contact_force(low).force.z(), 3.0 * gravity, 1e-6);
}

// A box pushed from the side by f at height h: the moment of the contacts about its origin balances it.
TEST(ContactForce, TorqueIsAboutTheOriginOfTheBody) {
  ModelBuilder builder;
  add_ground(builder, 0.9);
  add_free(builder, "box", Box{{0.2, 0.2, 0.1}}, 3.0, Pose(Vector3(1.0, 2.0, 0.1)), 0.9);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.add_external_force(0, Vector3(8.0, 0.0, 0.0), Vector3(1.0, 2.0, 0.15));
  simulator.step(5);
  const ContactForce held = simulator.contact_force(0);
  EXPECT_LT((held.force - Vector3(-8.0, 0.0, 3.0 * gravity)).norm(), 1e-6);
  EXPECT_LT((held.torque - Vector3(0.0, -8.0 * 0.05, 0.0)).norm(), 1e-6);
  EXPECT_REFUSED(simulator.contact_force(4), "body 4");
  EXPECT_REFUSED(simulator.contact_force(0, 0), "same");
}

std::shared_ptr<const Model> leg() {
  ModelBuilder builder;
  BodyOptions thigh{.name = "thigh", .inertia = Inertia::of(Sphere{0.1}, 1.0)};
  thigh.joint.name = "hip";
  thigh.joint.kind = JointKind::ball;
  BodyOptions shin{.name = "shin",
                   .parent = builder.add_body(thigh),
                   .pose = Pose(Vector3(0, 0, -0.4)),
                   .inertia = Inertia{1.0, Vector3(0, 0, -0.2), Matrix3::Identity() * 0.01}};
  shin.joint.name = "knee";
  shin.joint.kind = JointKind::revolute;
  shin.joint.axis = Vector3::UnitY();
  builder.add_body(shin);
  builder.add_actuator({.name = "knee_motor", .joint = "knee"});
  return builder.build();
}

TEST(JointHandle, ReadsAndWritesOneJoint) {
  Simulator simulator(leg(), {.time_step = 1e-3});
  JointHandle knee = simulator.joint("knee");
  knee.set_position(0.4);
  knee.set_velocity(-0.2);
  EXPECT_EQ(knee.position(), 0.4);
  EXPECT_EQ(simulator.state().q[4], 0.4);
  EXPECT_EQ(simulator.state().v[3], -0.2);
  EXPECT_EQ(simulator.joint("hip").positions(), Eigen::Vector4d(0, 0, 0, 1));
  simulator.joint("hip").set_velocities(Vector3(0.1, 0.2, 0.3));
  EXPECT_EQ(simulator.state().v.head<3>(), Vector3(0.1, 0.2, 0.3));
  EXPECT_EQ(knee.velocity(), -0.2);
  EXPECT_REFUSED(simulator.joint("hip").position(), "joint 'hip'");
  EXPECT_REFUSED(simulator.joint("kne"), "did you mean \"knee\"");
  EXPECT_REFUSED(knee.set_position(NAN), "q[4]");
  EXPECT_REFUSED(knee.set_positions(VectorX::Zero(2)), "2 positions");
  EXPECT_EQ(knee.position(), 0.4);
  simulator.set_control("knee_motor", 2.5);
  EXPECT_EQ(simulator.state().control[0], 2.5);
  simulator.set_control("knee", 1.0);  // the only one on that joint
  EXPECT_EQ(simulator.state().control[0], 1.0);
  EXPECT_REFUSED(simulator.set_control("knee_mtor", 2.0), "did you mean \"knee_motor\"");
  EXPECT_EQ(simulator.state().control[0], 1.0);
}

TEST(Acceleration, IsThatOfTheLastStep) {
  ModelBuilder builder;
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(0, 0, 5)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  EXPECT_EQ(simulator.acceleration(), VectorX::Zero(6));
  simulator.step(3);
  EXPECT_NEAR(simulator.acceleration()[2], -gravity, 1e-12);
}

TEST(Copy, GoesOnWithTheSameBits) {
  for (const bool sleeping : {false, true}) {
    Simulator first(two_boxes(), {.time_step = 2e-3, .sleeping = sleeping, .sleep_after = 5});
    first.set_solver_option("max_iterations", 200);
    first.add_external_force(1, Vector3(1.0, 0.5, 0.0), Vector3(0, 0, 0.35));
    VectorX push = VectorX::Zero(12);
    push[0] = 0.3;
    first.set_joint_force(push);
    first.step(40);
    Simulator second = first.copy();
    first.step(40);
    second.step(40);
    EXPECT_TRUE(first.state().to_bytes() == second.state().to_bytes());
    EXPECT_EQ(first.model().shapes.data(), second.model().shapes.data());  // one model
  }
}

}  // namespace
}  // namespace stiction
