// What holds whatever the networks say, and what the model does where its networks say the right thing.
#include "stiction/learning/learned_simulator.h"

#include <gtest/gtest.h>

#include <random>

#include "../support/allocation_guard.h"
#include "../support/refused.h"
#include "stiction/learning/throws.h"
#include "stiction/model/model_builder.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

constexpr double dt = 2e-3;

std::shared_ptr<const Model> box_model(double friction = 1.0) {
  ThrownBody body = ThrownBody::box({0.1, 0.07, 0.05});
  body.friction = friction;
  return body.model();
}

double lowest_corner(const Simulator& simulator, int body) {
  const RigidBody of = rigid_body(simulator.model(), body, simulator.state().q);
  double lowest = HUGE_VAL;
  for (const Vector3& p : ThrownBody::box({0.1, 0.07, 0.05}).points) {
    lowest = std::min(lowest, (of.center + of.rotation * p).z());
  }
  return lowest;
}

double energy(const Simulator& simulator, int body) {
  const RigidBody of = rigid_body(simulator.model(), body, simulator.state().q);
  const BodyVelocity v = body_velocity(simulator.model(), body, simulator.state().q, simulator.state().v);
  const Vector3 spin = of.rotation.transpose() * v.angular;
  return 0.5 * of.mass * v.linear.squaredNorm() + 0.5 * spin.dot(of.inertia * spin) + of.mass * 9.81 * of.center.z();
}

// Random weights over all three sets of features: 60 throws each of 300 steps. (The experiment learn-accuracy has 10⁴.)
TEST(LearnedSimulator, RandomWeightsNeitherPenetrateNorPullNorGainEnergy) {
  long contact_steps = 0;
  std::array<long, 3> states{};
  const int throws = testing::fewer_sanitized(90, 24);
  for (int k = 0; k < throws; ++k) {
    const auto set = static_cast<FeatureSet>(k % 3);
    LearnedSimulator simulator(box_model(),
                               ContactNetworks::random(set, dt, {12, 9}, static_cast<std::uint64_t>(100 + k)));
    const ThrowStart start = throw_start(simulator.simulator().model(), {.lowest = 0.0, .highest = 0.1}, 5, k);
    simulator.set_position(start.q);
    simulator.set_velocity(start.v);
    double last = energy(simulator.simulator(), simulator.body());
    for (int i = 0; i < 200; ++i) {
      simulator.step();
      ASSERT_GT(lowest_corner(simulator.simulator(), simulator.body()), -1e-4) << "throw " << k << " step " << i;
      for (const Contact& contact : simulator.simulator().contacts()) {
        ASSERT_GE(contact.impulse.z(), -1e-12) << "throw " << k << " step " << i;
        ASSERT_EQ(contact.impulse.head<2>().norm(), 0.0);  // friction comes from the networks alone
      }
      // Driving out a penetration of a micrometre lifts the body by as much.
      const double now = energy(simulator.simulator(), simulator.body());
      ASSERT_LT(now, last + 1e-4) << "throw " << k << " step " << i;
      last = now;
    }
    const LearnedReport& report = simulator.report();
    contact_steps += report.num_contact_steps;
    states[0] += report.num_static, states[1] += report.num_dynamic, states[2] += report.num_detach;
  }
  EXPECT_GT(contact_steps, 33 * throws);
  for (const long count : states) EXPECT_GT(count, throws);
}

TEST(LearnedSimulator, WhatRestsAndIsCalledStaticStays) {
  LearnedSimulator simulator(box_model(), ContactNetworks::random(FeatureSet::patch, dt, {6}, 1));
  simulator.force_state(PatchState::sticking);
  VectorX q = simulator.state().q;
  q.head<3>() = Vector3(0.3, -0.2, 0.05);
  q.segment<4>(3) = Quaternion(Eigen::AngleAxisd(0.7, Vector3::UnitZ())).coeffs();
  simulator.set_position(q);
  simulator.step(2000);
  EXPECT_LT((simulator.state().q - q).norm(), 1e-9);
  EXPECT_LT(simulator.state().v.norm(), 1e-9);
  EXPECT_EQ(simulator.report().num_static, 2000);
  EXPECT_EQ(simulator.report().num_released, 0);
  EXPECT_EQ(simulator.report().num_uncertified_steps, 0);
}

// A slab that slides flat and is called static stops within one step, and its patch with it.
TEST(LearnedSimulator, StaticStopsThePatch) {
  LearnedSimulator simulator(box_model(), ContactNetworks::random(FeatureSet::patch, dt, {6}, 1));
  simulator.force_state(PatchState::sticking);
  VectorX q = simulator.state().q, v = VectorX::Zero(6);
  q.head<3>() = Vector3(0, 0, 0.05);
  v << 0.01, 0.004, 0, 0, 0, 0.05;  // gravity holds it down against the moment of friction
  simulator.set_position(q);
  simulator.set_velocity(v);
  simulator.step();
  EXPECT_LT(simulator.state().v.norm(), 1e-10);
}

// Called static while it is thrown upwards from the ground: that would take a pull, and none comes.
TEST(LearnedSimulator, StaticDoesNotHoldWhatLeaves) {
  LearnedSimulator simulator(box_model(), ContactNetworks::random(FeatureSet::patch, dt, {6}, 1));
  simulator.force_state(PatchState::sticking);
  VectorX q = simulator.state().q, v = VectorX::Zero(6);
  q.head<3>() = Vector3(0, 0, 0.05);
  v << 0.5, 0, 1.0, 0, 0, 0;
  simulator.set_position(q);
  simulator.set_velocity(v);
  simulator.step();
  EXPECT_NEAR(simulator.state().v[0], 0.5, 1e-12);
  EXPECT_NEAR(simulator.state().v[2], 1.0 - 9.81 * dt, 1e-12);
  EXPECT_EQ(simulator.report().num_released, 1);
}

TEST(LearnedSimulator, DetachDoesNotLetItFallThrough) {
  LearnedSimulator simulator(box_model(), ContactNetworks::random(FeatureSet::patch, dt, {6}, 1));
  simulator.force_state(PatchState::detaching);
  VectorX q = simulator.state().q;
  q.head<3>() = Vector3(0, 0, 0.05);
  simulator.set_position(q);
  simulator.step(100);
  EXPECT_NEAR(simulator.state().q[2], 0.05, 1e-9);
  EXPECT_EQ(simulator.report().num_pushed, 100);
}

// The body's own normal problem and that of the simulator see the same: v⁺ of both agree.
TEST(LearnedSimulator, OutcomeIsWhatTheSimulatorDoes) {
  LearnedSimulator simulator(box_model(), ContactNetworks::random(FeatureSet::patch, dt, {12, 9}, 17));
  double worst = 0.0;
  int compared = 0;
  for (int k = 0; k < 20; ++k) {
    const ThrowStart start = throw_start(simulator.simulator().model(), {.lowest = 0.0, .highest = 0.05}, 6, k);
    simulator.set_position(start.q);
    simulator.set_velocity(start.v);
    for (int i = 0; i < 150; ++i) {
      const VectorX q = simulator.state().q;
      simulator.step();
      if (simulator.report().outcome.dimension < 0) continue;
      const BodyVelocity& end = simulator.report().outcome.end;
      // The angular velocity in the axes of the beginning of the step: v holds it in body axes.
      const Vector3 spin =
          rigid_body(simulator.simulator().model(), simulator.body(), q).rotation * simulator.state().v.segment<3>(3);
      if (simulator.simulator().report().num_rechecks > 0) continue;  // the simulator saw more points
      worst = std::max({worst, (end.linear - simulator.state().v.head<3>()).norm(), 0.1 * (end.angular - spin).norm()});
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_LT(worst, 1e-9);
}

TEST(LearnedSimulator, AllocatesNothingAfterTheFirstSteps) {
  LearnedSimulator simulator(box_model(), ContactNetworks::random(FeatureSet::patch, dt, {12, 9}, 3));
  VectorX q = simulator.state().q, v = VectorX::Zero(6);
  q.head<3>() = Vector3(0, 0, 0.05);
  v << 0.5, 0, 0, 0, 0, 1.0;
  simulator.set_position(q);
  simulator.set_velocity(v);
  simulator.step(50);
  const testing::AllocationGuard guard;
  simulator.step(50);
  EXPECT_EQ(guard.count(), 0);
}

TEST(LearnedSimulator, RefusesWhatItCannotDo) {
  const ContactNetworks networks = ContactNetworks::random(FeatureSet::patch, dt, {4}, 1);
  EXPECT_REFUSED(LearnedSimulator(box_model(), networks, {.time_step = 1e-3}), "time_step is 0.001; the networks");
  EXPECT_REFUSED(LearnedSimulator(box_model(), networks, {.solver = "ncp-admm"}), "solver is ncp-admm");
  ContactNetworks missing = networks;
  missing.regressor[1] = {};
  EXPECT_REFUSED(LearnedSimulator(box_model(), missing), "patches of dimension 1");
  ModelBuilder builder = ModelBuilder::from_model(*box_model());
  const int other = builder.add_body({.name = "other", .pose = Pose(Vector3(1, 0, 1))});
  builder.add_shape({.body = other, .geometry = Sphere{0.1}, .density = 1000});
  EXPECT_REFUSED(LearnedSimulator(builder.build(), networks), "\"thrown\" and \"other\" move");
}

// Flight as the learned model computes it is that of the simulator, with a centre of mass beside the frame.
TEST(ContactPatch, FlightIsThatOfTheSimulator) {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  Matrix3 inertia = Vector3(0.02, 0.05, 0.06).asDiagonal();
  const int body = builder.add_body(
      {.name = "brick", .pose = Pose(Vector3(0, 0, 3)), .inertia = Inertia{2.0, {0.1, 0.02, -0.03}, inertia}});
  builder.add_shape({.body = body, .geometry = Box{{0.1, 0.1, 0.1}}});
  Simulator simulator(builder.build(), {.time_step = dt});
  VectorX v(6);
  v << 1, 2, 3, 7, -4, 5;
  simulator.set_velocity(v);
  const Model& model = simulator.model();
  const RigidBody of = rigid_body(model, 0, simulator.state().q);
  const BodyVelocity expected =
      flight_velocity(of, body_velocity(model, 0, simulator.state().q, simulator.state().v), model.gravity, dt);
  simulator.step();
  const BodyVelocity found = body_velocity(model, 0, simulator.state().q, simulator.state().v);
  EXPECT_LT((found.linear - expected.linear).norm(), 1e-12);
  EXPECT_LT((simulator.state().v.tail<3>() - of.rotation.transpose() * expected.angular).norm(), 1e-12);
}

}  // namespace
}  // namespace stiction
