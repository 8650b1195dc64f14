// Tendons, actuators on anything, activations and carried weights: closed forms and invariants.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stiction/model/model_builder.h"
#include "stiction/sim/inverse_step.h"
#include "stiction/sim/simulator.h"
#include "tests/support/allocation_guard.h"

namespace stiction {
namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

void expect_told(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(std::string::npos, message.find(part)) << message;
}

// Masses on slides along x, each a tree of its own; no gravity.
ModelBuilder sliders(const std::vector<double>& masses) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  for (std::size_t k = 0; k < masses.size(); ++k) {
    builder.add_body({.name = "m" + std::to_string(k),
                      .pose = Pose(Vector3(0.0, static_cast<double>(k), 0.0)),
                      .joint = {.kind = JointKind::prismatic, .axis = Vector3::UnitX()},
                      .inertia = Inertia{masses[k], Vector3::Zero(), 0.1 * Matrix3::Identity()}});
  }
  return builder;
}

// ℓ = q0 + 2 q1 − q2, three trees: with ẍ_i = c_i f/m_i, ℓ̈ = f Σ c²/m, an oscillator of ω² = k Σ c²/m.
TEST(Transmissions, SpringOfATendonOverThreeTreesOscillates) {
  ModelBuilder builder = sliders({1.0, 2.0, 4.0});
  const double k = 50.0, inverse_mass = 1.0 + 4.0 / 2.0 + 1.0 / 4.0, omega = std::sqrt(k * inverse_mass), rest = 0.3;
  builder.add_tendon({.name = "t",
                      .terms = {{"m0", 1.0}, {"m1", 2.0}, {"m2", -1.0}},
                      .offset = 0.1,
                      .stiffness = k,
                      .rest_lower = rest,
                      .rest_upper = rest});
  const auto model = builder.build();
  const auto length_after = [&](double dt, int steps) {
    Simulator simulator(model, {.time_step = dt});
    simulator.step(steps);
    EXPECT_EQ(0, simulator.num_uncertified_steps());
    EXPECT_EQ(1, simulator.report().num_islands);
    // Momentum that the tendon does not change: m_i v_i / c_i is the same of all.
    const VectorX& v = simulator.state().v;
    EXPECT_NEAR(v[0], 2.0 * v[1] / 2.0, 1e-12);
    EXPECT_NEAR(v[0], 4.0 * v[2] / -1.0, 1e-12);
    return simulator.tendon_lengths()[0];
  };
  const double time = 0.5, expected = rest + (0.1 - rest) * std::cos(omega * time);
  const double coarse = length_after(1e-3, 500), fine = length_after(5e-4, 1000), finer = length_after(2.5e-4, 2000);
  const double once = 2.0 * finer - fine, before = 2.0 * fine - coarse;
  EXPECT_NEAR(expected, (4.0 * once - before) / 3.0, 1e-6);
  EXPECT_NEAR(2.0, (coarse - expected) / (fine - expected), 0.1);  // first order
}

TEST(Transmissions, SpringIsSlackBetweenItsLengths) {
  ModelBuilder builder = sliders({1.0, 1.0});
  builder.add_tendon({.terms = {{"m0", 1.0}, {"m1", 1.0}}, .stiffness = 100.0, .rest_lower = -0.2, .rest_upper = 0.2});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX v(2);
  v << 1.0, 0.5;
  simulator.set_velocity(v);
  simulator.step(100);  // ℓ = 0.15
  EXPECT_NEAR(1.0, simulator.state().v[0], 1e-12);
  // Half a period of ω = √200 outside, then back with the velocities exchanged along ℓ: v0 + v1 changes its sign.
  simulator.step(33 + 223);
  const VectorX& end = simulator.state().v;
  EXPECT_LT(simulator.tendon_lengths()[0], 0.2);
  EXPECT_NEAR(1.0 - 0.5, end[0] - end[1], 1e-9);
  EXPECT_NEAR(-1.5, end[0] + end[1], 0.2);  // what the implicit spring damps
  EXPECT_LE(std::abs(end[0] + end[1]), 1.5);
}

TEST(Transmissions, DamperOfATendonIsImplicitAndAccountedFor) {
  ModelBuilder builder = sliders({1.0, 1.0});
  builder.add_tendon({.terms = {{"m0", 1.0}, {"m1", -1.0}}, .damping = 1e6});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX v(2);
  v << 1.0, 0.0;
  simulator.set_velocity(v);
  const StepReport& report = simulator.step();
  // (1 + 2 Δt d) ℓ̇⁺ = ℓ̇.
  const double left = 1.0 / (1.0 + 2.0 * 1e-3 * 1e6);
  EXPECT_NEAR(left, simulator.state().v[0] - simulator.state().v[1], 1e-9);
  EXPECT_NEAR(1.0, simulator.state().v.sum(), 1e-12);
  EXPECT_NEAR(0.25, report.damped, 1e-3);
  EXPECT_NEAR(0.0, report.energy_error, 1e-9);
}

TEST(Transmissions, LimitsOfATendonHold) {
  ModelBuilder builder = sliders({1.0, 3.0});
  builder.add_tendon({.terms = {{"m0", 1.0}, {"m1", 1.0}}, .lower = -0.1, .upper = 0.25});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX v(2), force(2);
  v << 1.0, 1.0;
  simulator.set_velocity(v);
  simulator.step(400);
  EXPECT_NEAR(0.25, simulator.tendon_lengths()[0], 1e-9);
  EXPECT_NEAR(0.0, simulator.tendon_velocities()[0], 1e-9);
  // The impact takes ℓ̇ = 2 by an impulse along (1, 1): v_i = 1 − 2/(1 + 1/3)/m_i.
  EXPECT_NEAR(1.0 - 1.5, simulator.state().v[0], 1e-8);
  EXPECT_NEAR(1.0 - 0.5, simulator.state().v[1], 1e-8);
  EXPECT_EQ(1, simulator.report().num_limits);
  force << -20.0, -20.0;
  simulator.set_joint_force(force);
  simulator.step(1000);
  EXPECT_NEAR(-0.1, simulator.tendon_lengths()[0], 1e-9);
}

TEST(Transmissions, DryFrictionOfATendonSticksAndSlides) {
  ModelBuilder builder = sliders({1.0, 1.0});
  builder.add_tendon({.terms = {{"m0", 1.0}, {"m1", 2.0}}, .dry_friction = 3.0});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX force(2);
  force << 1.4, 2.8;  // along the tendon: f = 1.4 holds against 3
  simulator.set_joint_force(force);
  simulator.step(100);
  EXPECT_LE(simulator.state().v.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(1, simulator.report().num_dry_frictions);
  force << 4.0, 8.0;  // 4 along it: 1 is left
  simulator.set_joint_force(force);
  simulator.step(100);
  EXPECT_NEAR(0.1, simulator.state().v[0], 1e-8);
  EXPECT_NEAR(0.2, simulator.state().v[1], 1e-8);
}

TEST(Transmissions, ServoOnATendonIsStableAtAnyGainAndWithinItsLimit) {
  ModelBuilder builder = sliders({1.0, 1.0});
  builder.add_tendon({.name = "t", .terms = {{"m0", 0.5}, {"m1", 0.5}}});
  builder.add_actuator(
      {.kind = ActuatorKind::position, .kp = 1e6, .kd = 2e5, .force_lower = -2.0, .force_upper = 2.0, .tendon = "t"});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_control(VectorX::Constant(1, 0.3));
  simulator.step(100);
  EXPECT_NEAR(2.0, simulator.actuator_forces()[0], 1e-7);
  EXPECT_NEAR(0.5 * 2.0 * 0.1, simulator.state().v[0], 1e-8);  // a constant force
  EXPECT_NEAR(0.5 * 2.0, simulator.actuator_force()[1], 1e-7);
  simulator.step(6000);  // along its switching line, e^(−t/0.2 s)
  EXPECT_NEAR(0.3, simulator.tendon_lengths()[0], 1e-9);
  EXPECT_EQ(0, simulator.num_uncertified_steps());
}

TEST(Transmissions, EffortLimitHoldsTheSumOfActuators) {
  ModelBuilder builder = sliders({2.0});
  builder.add_tendon({.name = "t", .terms = {{"m0", 1.0}}, .effort_limit = 3.0});
  builder.add_actuator({.name = "a", .tendon = "t"});
  builder.add_actuator({.name = "b", .tendon = "t"});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX control(2);
  control << 4.0, 2.0;
  simulator.set_control(control);
  simulator.step(10);
  EXPECT_NEAR(10e-3 * 3.0 / 2.0, simulator.state().v[0], 1e-12);
  EXPECT_NEAR(2.0, simulator.actuator_forces()[0], 1e-12);
  EXPECT_NEAR(1.0, simulator.actuator_forces()[1], 1e-12);
}

// ---- activations

TEST(Transmissions, FilterAndIntegratorFollowTheirEquations) {
  ModelBuilder builder = sliders({1.0, 1.0, 1.0});
  const double T = 0.1;
  builder.add_actuator({.joint = "m0", .activation = ActivationKind::filter_exact, .time_constants = {T, 0.0, 0.0}});
  builder.add_actuator({.joint = "m1", .activation = ActivationKind::filter, .time_constants = {T, 0.0, 0.0}});
  builder.add_actuator({.joint = "m2", .activation = ActivationKind::integrator, .activation_upper = 0.3});
  const auto model = builder.build();
  EXPECT_EQ(3, model->num_activations());
  Simulator simulator(model, {.time_step = 1e-2});
  simulator.set_control(VectorX::Constant(3, 2.0));
  simulator.step(10);
  const VectorX& a = simulator.state().activation;
  EXPECT_NEAR(2.0 * (1.0 - std::exp(-1.0)), a[0], 1e-14);
  EXPECT_NEAR(2.0 * (1.0 - std::pow(0.9, 10)), a[1], 1e-14);
  EXPECT_NEAR(0.2, a[2], 1e-14);
  simulator.step(10);
  EXPECT_EQ(0.3, simulator.state().activation[2]);
}

TEST(Transmissions, ActivationsAreSavedAndUndoneWithTheState) {
  ModelBuilder builder = sliders({1.0, 2.0});
  builder.add_tendon({.name = "t", .terms = {{"m0", 1.0}, {"m1", -0.5}}, .stiffness = 20.0, .damping = 0.3});
  builder.add_actuator({.kind = ActuatorKind::affine,
                        .tendon = "t",
                        .gain = {5.0, 0.0, 0.0},
                        .bias = {0.2, -3.0, -0.1},
                        .activation = ActivationKind::filter,
                        .time_constants = {0.05, 0.0, 0.0}});
  const auto model = builder.build();
  Simulator simulator(model, {.time_step = 1e-3});
  simulator.set_control(VectorX::Constant(1, 0.7));
  simulator.step(50);
  const State saved = State::from_bytes(simulator.state().to_bytes());
  simulator.step(50);
  const auto end = simulator.state().to_bytes();
  Simulator other(model, {.time_step = 1e-3});
  other.set_state(saved);
  other.step(50);
  EXPECT_EQ(end, other.state().to_bytes());
  State wrong = saved;
  wrong.activation.resize(2);
  expect_told(message_of([&] { other.set_state(wrong); }), {"activation", "2"});
}

// ---- allocation, inverse step, energy

TEST(Transmissions, SecondStepsDoNotAllocate) {
  ModelBuilder builder = sliders({1.0, 2.0, 3.0});
  builder.add_site("s0", 0, Pose(Vector3(0.0, 0.1, 0.0)));
  builder.add_site("s1", 1, Pose());
  builder.add_tendon({.name = "t",
                      .terms = {{"m0", 1.0}, {"m1", 1.0}, {"m2", 1.0}},
                      .stiffness = 30.0,
                      .rest_lower = -0.1,
                      .rest_upper = 0.1,
                      .damping = 0.2,
                      .dry_friction = 0.1,
                      .lower = -0.2,
                      .upper = 0.2});
  builder.add_tendon({.name = "s", .path = {{.site = "s0"}, {.site = "s1"}}, .stiffness = 5.0});
  builder.add_actuator(
      {.kind = ActuatorKind::position, .kp = 20.0, .force_lower = -1.0, .force_upper = 1.0, .tendon = "t"});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX v(3);
  v << 1.0, 0.3, -0.2;
  simulator.set_velocity(v);
  simulator.set_control(VectorX::Constant(1, 0.5));
  const State start = simulator.state();
  simulator.step(1000);
  simulator.set_state(start);
  const testing::AllocationGuard guard;
  simulator.step(1000);
  EXPECT_EQ(0, guard.count());
}

TEST(Transmissions, InverseStepKnowsWhatActsAlongTendons) {
  ModelBuilder builder = sliders({1.0, 2.0});
  builder.set_gravity(Vector3(-9.81, 0.0, 0.0));
  builder.add_tendon({.name = "t", .terms = {{"m0", 1.0}, {"m1", -0.5}}, .stiffness = 200.0, .damping = 3.0});
  builder.add_actuator({.kind = ActuatorKind::velocity, .kd = 4.0, .tendon = "t"});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_control(VectorX::Constant(1, 0.3));
  simulator.step(20);
  VectorX wanted(2);
  wanted << 0.4, -0.3;
  const InverseStepResult result = inverse_step(simulator, wanted);
  simulator.set_joint_force(result.joint_force);
  simulator.step();
  EXPECT_LE((simulator.state().v - wanted).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Transmissions, CarriedWeightIsAPotential) {
  ModelBuilder builder;
  const int body = builder.add_body({.joint = {.kind = JointKind::revolute, .axis = Vector3::UnitY()},
                                     .inertia = Inertia{2.0, Vector3(0.5, 0, 0), 0.1 * Matrix3::Identity()},
                                     .gravity_compensation = 0.75});
  builder.add_body({.parent = body,
                    .pose = Pose(Vector3(1, 0, 0)),
                    .joint = {.kind = JointKind::fixed},
                    .inertia = Inertia{1.0, Vector3::Zero(), 0.01 * Matrix3::Identity()}});
  const auto model = builder.build();
  EXPECT_NEAR(1.5, model->carried_weights.at(0).mass, 1e-15);
  Simulator simulator(model, {.time_step = 1e-4});
  simulator.step(3000);
  // A pendulum with the torque of 2 · ¼ kg at 0.5 m and 1 kg at 1 m.
  double q = 0.0, v = 0.0;
  const double inertia = 0.1 + 2.0 * 0.25 + 0.01 + 1.0;
  for (int k = 0; k < 300000; ++k) {
    v += 1e-6 * 9.81 * (0.5 * 0.5 + 1.0) * std::cos(q) / inertia;
    q += 1e-6 * v;
  }
  EXPECT_NEAR(q, simulator.state().q[0], 1e-3);
  EXPECT_GT(simulator.state().q[0], 0.1);
  EXPECT_EQ(0, simulator.num_energy_uncertified_steps());
  EXPECT_LE(std::abs(simulator.report().energy_error), 1e-9);
}

// ---- what is refused

TEST(Transmissions, BadTendonsAndActuatorsAreRefused) {
  const auto refused = [](const std::function<void(ModelBuilder&)>& change) {
    return message_of([&] {
      ModelBuilder builder = sliders({1.0, 1.0});
      change(builder);
      builder.build();
    });
  };
  expect_told(refused([](ModelBuilder& b) { b.add_tendon({.name = "t", .terms = {{"m0", 0.0}}}); }),
              {"'t'", "coefficient", "0"});
  expect_told(refused([](ModelBuilder& b) { b.add_tendon({.name = "t", .terms = {{"nothing", 1.0}}}); }),
              {"'t'", "nothing"});
  expect_told(
      refused([](ModelBuilder& b) { b.add_tendon({.name = "t", .path = {{.site = "gone"}, {.site = "gone"}}}); }),
      {"'t'", "gone"});
  expect_told(refused([](ModelBuilder& b) { b.add_tendon({.name = "t"}); }), {"'t'", "terms", "path"});
  expect_told(refused([](ModelBuilder& b) { b.add_tendon({.name = "t", .terms = {{"m0", 1.0}, {"m0", 1.0}}}); }),
              {"m0", "twice"});
  expect_told(refused([](ModelBuilder& b) { b.add_actuator({.name = "a", .tendon = "gone"}); }), {"'a'", "gone"});
  expect_told(refused([](ModelBuilder& b) {
                b.add_actuator({.name = "a", .joint = "m0", .kind = ActuatorKind::affine, .gain = {NAN, 0.0, 0.0}});
              }),
              {"'a'", "gain[0]", "nan"});
  expect_told(refused([](ModelBuilder& b) {
                b.add_actuator({.name = "a", .joint = "m0", .activation = ActivationKind::filter});
              }),
              {"'a'", "time_constants[0]", "0"});
  expect_told(refused([](ModelBuilder& b) { b.add_actuator({.name = "a", .joint = "m0", .tendon = "t"}); }),
              {"'a'", "one of them"});
  expect_told(
      refused([](ModelBuilder& b) {
        for (const auto& [x, y] : {std::pair("m0", "m1"), std::pair("m1", "m0")}) {
          b.add_loop({.name = std::string("l") + x, .kind = LoopKind::joint_equality, .joint_a = x, .joint_b = y});
        }
      }),
      {"lm1", "cycle"});
}

}  // namespace
}  // namespace stiction
