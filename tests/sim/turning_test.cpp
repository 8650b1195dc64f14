// Trees that turn: energy stays bounded, motions are of second order, whatever spins stays finite.
#include "stiction/sim/turning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr double g = 9.81;
const double along = 0.003, across = 0.002, com_height = 0.1;  // of the top: moments about its centre, kg·m²; m

// 1 kg on a ball joint at its tip, tilted by `tilt` about x.
std::shared_ptr<const Model> top(double gravity, double tilt = 0.5) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0.0, 0.0, -gravity));
  JointOptions ball;
  ball.kind = JointKind::ball;
  const Inertia inertia{1.0, Vector3(0.0, 0.0, com_height), Vector3(across, across, along).asDiagonal()};
  builder.add_body({.name = "top",
                    .pose = Pose(Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitX())), Vector3::Zero()),
                    .joint = ball,
                    .inertia = inertia});
  return builder.build();
}

// Rods of 1 m and 1 kg; hinges along y, or along y and x in turn.
std::shared_ptr<const Model> chain(int length, double gravity, bool has_free_root, bool crossed) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0.0, 0.0, -gravity));
  int parent = -1;
  for (int k = 0; k < length; ++k) {
    JointOptions joint;
    joint.kind = k == 0 && has_free_root ? JointKind::free : JointKind::revolute;
    joint.axis = crossed && k % 2 == 1 ? Vector3::UnitX() : Vector3::UnitY();
    const Inertia inertia{1.0, Vector3(0.0, 0.0, -0.5), Vector3(0.08, 0.09, 0.02).asDiagonal()};
    parent = builder.add_body({.name = "rod" + std::to_string(k),
                               .parent = parent,
                               .pose = Pose(Vector3(0.0, 0.0, k == 0 ? 0.0 : -1.0)),
                               .joint = joint,
                               .inertia = inertia});
  }
  return builder.build();
}

// A rotor in two rings.
std::shared_ptr<const Model> gimbal() {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  int parent = -1;
  for (int k = 0; k < 3; ++k) {
    JointOptions joint;
    joint.kind = JointKind::revolute;
    joint.axis = Vector3::Unit(k);
    const Vector3 moments = k < 2 ? Vector3(1e-4, 1e-4, 1.5e-4) : Vector3(across, across, along);
    parent = builder.add_body({.name = "ring" + std::to_string(k),
                               .parent = parent,
                               .joint = joint,
                               .inertia = Inertia{k < 2 ? 0.1 : 1.0, Vector3::Zero(), moments.asDiagonal()}});
  }
  return builder.build();
}

VectorX vector(std::initializer_list<double> values) {
  VectorX v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

double kinetic_energy_of(Simulator& simulator) {
  return kinetic_energy(simulator.dynamics(), simulator.state().v.data());
}

// Of second order: a velocity belongs half a step before its position.
double energy_of(Simulator& simulator) {
  const DynamicsData& data = simulator.dynamics();
  const VectorX& v = simulator.state().v;
  return kinetic_energy(data, v.data()) + gravity_energy(data) -
         0.5 * simulator.time_step() * ConstVectorMap(data.bias.data(), v.size()).dot(v);
}

// Largest and last difference from the first energy, relative to the first kinetic energy.
struct Drift {
  double largest = 0.0, last = 0.0;
};
Drift drift_of(Simulator& simulator, double seconds) {
  const double start = energy_of(simulator), scale = kinetic_energy_of(simulator);
  Drift drift;
  const int steps = static_cast<int>(std::lround(seconds / simulator.time_step()));
  for (int k = 0; k < steps; ++k) {
    simulator.step();
    drift.last = (energy_of(simulator) - start) / scale;
    drift.largest = std::max(drift.largest, std::abs(drift.last));
  }
  return drift;
}
Drift drift_of(std::shared_ptr<const Model> model, const VectorX& v, double time_step, double seconds) {
  Simulator simulator(std::move(model), {.time_step = time_step});
  simulator.set_velocity(v);
  const Drift drift = drift_of(simulator, seconds);
  EXPECT_EQ(simulator.num_energy_uncertified_steps(), 0);
  return drift;
}

// Explicit, this one has tens of millions of times its energy after a second.
TEST(Turning, TopKeepsItsEnergyToRounding) {
  for (const double dt : {1e-3, 5e-3}) {
    Simulator simulator(top(0.0), {.time_step = dt});
    simulator.set_velocity(vector({10.0, 0.0, 200.0}));
    const double start = kinetic_energy_of(simulator);
    const double momentum = angular_momentum_about_origin(simulator.dynamics()).norm();
    simulator.step(static_cast<int>(std::lround(10.0 / dt)));
    EXPECT_NEAR(kinetic_energy_of(simulator), start, 1e-10 * start) << dt;
    EXPECT_NEAR(angular_momentum_about_origin(simulator.dynamics()).norm(), momentum, 1e-10 * momentum) << dt;
    EXPECT_GT(simulator.state().v.head<2>().norm(), 5.0) << "it wobbles on";
  }
}

TEST(Turning, TopUnderGravityOscillatesWithTheSquareOfTheStep) {
  const VectorX v = vector({0.0, 0.0, 200.0});
  const Drift coarse = drift_of(top(g), v, 1e-3, 10.0), fine = drift_of(top(g), v, 5e-4, 10.0);
  EXPECT_LT(coarse.largest, 1e-5);
  EXPECT_LT(fine.largest, 0.3 * coarse.largest);
}

// Steady precession Ω of a top whose axis stands θ off the vertical: with the moment A about the tip, C along the axis
// and spin ω₃ there, A Ω² cos θ − C ω₃ Ω + m g l = 0, the slow root.
TEST(Turning, GyroscopePrecessesAtTheRateOfTheClosedForm) {
  const double tilt = 0.7, spin = 150.0, a = across + com_height * com_height, c = along;
  const double rate = (c * spin - std::sqrt(c * c * spin * spin - 4.0 * a * g * com_height * std::cos(tilt))) /
                      (2.0 * a * std::cos(tilt));
  const auto error_at = [&](double dt) {
    Simulator simulator(top(g, tilt), {.time_step = dt});
    // Body axes: z along the axis, the vertical in the plane of y and z.
    simulator.set_velocity(vector({0.0, rate * std::sin(tilt), spin}));
    const auto axis = [&] { return Vector3(simulator.body_pose(0).rotation.col(2)); };
    const double start = std::atan2(axis().y(), axis().x());
    const double seconds = 0.2;
    simulator.step(static_cast<int>(std::lround(seconds / dt)));
    double turned = std::atan2(axis().y(), axis().x()) - start;
    turned += 2.0 * M_PI * std::round((rate * seconds - turned) / (2.0 * M_PI));
    EXPECT_NEAR(std::acos(axis().z()), tilt, 2e-2);
    return std::abs(turned / seconds - rate) / rate;
  };
  const double coarse = error_at(1e-3), fine = error_at(5e-4);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_LT(fine, 0.6 * coarse);
}

// A rod that goes round a cone: Ω² = m g l / ((A − C) cos θ), without a spin of its own.
TEST(Turning, ConicalPendulumKeepsItsAngle) {
  ModelBuilder builder;
  JointOptions ball;
  ball.kind = JointKind::ball;
  const double tilt = 0.6, l = 0.5, a = 0.08 + l * l, c = 0.02;
  builder.set_gravity(Vector3(0.0, 0.0, -g));
  builder.add_body({.name = "rod",
                    .pose = Pose(Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitX())), Vector3::Zero()),
                    .joint = ball,
                    .inertia = Inertia{1.0, Vector3(0.0, 0.0, -l), Vector3(0.08, 0.08, c).asDiagonal()}});
  const double rate = std::sqrt(g * l / ((a - c) * std::cos(tilt)));
  const auto model = builder.build();
  const auto largest_error = [&](double dt) {
    Simulator simulator(model, {.time_step = dt});
    // A whole turn of the frame about the vertical: ω = Ω z, in body axes.
    simulator.set_velocity(vector({0.0, rate * std::sin(tilt), rate * std::cos(tilt)}));
    double largest = 0.0;
    for (int k = 0; k < std::lround(20.0 / dt); ++k) {
      simulator.step();
      const double angle = std::acos(simulator.body_pose(0).rotation(2, 2));
      largest = std::max(largest, std::abs(angle - tilt));
    }
    return largest;
  };
  // The start is half a step off: of first order, but it does not grow.
  EXPECT_LT(largest_error(1e-3), 3e-3);
  EXPECT_LT(largest_error(5e-4), 1.5e-3);
}

TEST(Turning, DoublePendulumIsOfSecondOrderAndDoesNotDrift) {
  const auto model = chain(2, g, false, false);
  const VectorX v = vector({2.0, 1.0});
  const Drift coarse = drift_of(model, v, 2e-3, 100.0), fine = drift_of(model, v, 1e-3, 100.0);
  EXPECT_LT(coarse.largest, 2e-5);
  EXPECT_LT(fine.largest, 0.3 * coarse.largest);
  // Where it is after a second, from velocities that begin half a step early.
  const auto end = [&](double dt) {
    Simulator simulator(model, {.time_step = dt});
    const DynamicsData& data = simulator.dynamics();
    VectorX tau = VectorX::Zero(2), start = v;
    DynamicsData copy(data);
    update_kinematics(*model, simulator.state().q.data(), v.data(), copy);
    update_inertia(*model, copy);
    factor_inertia(*model, nullptr, copy);
    forward_dynamics(*model, copy, tau.data(), tau.data());
    start -= 0.5 * dt * tau;
    simulator.set_velocity(start);
    simulator.step(static_cast<int>(std::lround(1.0 / dt)));
    return VectorX(simulator.state().q);
  };
  const VectorX exact = end(1e-3 / 32.0);
  const double coarse_error = (end(2e-3) - exact).norm(), fine_error = (end(1e-3) - exact).norm();
  EXPECT_LT(fine_error, 0.3 * coarse_error);
  EXPECT_GT(fine_error, 0.2 * coarse_error);
}

// Fast and chaotic.
TEST(Turning, WildDoublePendulumKeepsItsEnergy) {
  const Drift drift = drift_of(chain(2, g, false, false), vector({5.0, 3.0}), 1e-3, 100.0);
  EXPECT_LT(drift.largest, 5e-3);
  EXPECT_LT(std::abs(drift.last), 1e-3);
}

TEST(Turning, TumblingTreeKeepsEnergyAndMomentum) {
  const auto model = chain(3, 0.0, true, true);
  const VectorX v = vector({0.0, 0.0, 0.0, 10.0, 3.0, -5.0, 4.0, -6.0});
  const auto run = [&](double dt, double& momentum, double& turning) {
    Simulator simulator(model, {.time_step = dt});
    simulator.set_velocity(v);
    const Vector3 p = linear_momentum(simulator.dynamics());
    const Vector3 h = angular_momentum_about_center_of_mass(simulator.dynamics());
    const Drift drift = drift_of(simulator, 10.0);
    momentum = (linear_momentum(simulator.dynamics()) - p).norm() / p.norm();
    turning = (angular_momentum_about_center_of_mass(simulator.dynamics()) - h).norm() / h.norm();
    EXPECT_EQ(simulator.num_energy_uncertified_steps(), 0);
    return drift.largest;
  };
  double p_coarse, p_fine, h_coarse, h_fine;
  const double coarse = run(2e-3, p_coarse, h_coarse), fine = run(1e-3, p_fine, h_fine);
  EXPECT_LT(fine, 2e-3);
  EXPECT_LT(fine, 0.35 * coarse);
  EXPECT_LT(p_fine, 0.03);  // they waver with Δt
  EXPECT_LT(h_fine, 0.01);
}

TEST(Turning, RotorInAGimbalKeepsItsEnergy) {
  const Drift drift = drift_of(gimbal(), vector({3.0, 2.0, 200.0}), 1e-3, 10.0);
  EXPECT_LT(drift.largest, 1e-4);
}

// The rule itself, solved by repetition and by Newton's method: M (v_f − v) = Δt (τ − b(q, v̄)).
TEST(Turning, SolvesItsEquation) {
  for (const double size : {1.0, 30.0, 300.0}) {
    const auto model = chain(3, g, true, true);
    VectorX v = size * vector({0.0, 0.0, 0.0, 1.0, 0.3, -0.5, 0.4, -0.6});
    const double dt = 1e-3;
    DynamicsData data(*model);
    update_kinematics(*model, model->initial_position.data(), v.data(), data);
    update_inertia(*model, data);
    factor_inertia(*model, nullptr, data);
    VectorX free = VectorX::Zero(8);
    forward_dynamics(*model, data, free.data(), free.data());
    const VectorX explicit_step = v + dt * free;
    free = explicit_step;
    Turning turning(*model);
    VectorX force = VectorX::Zero(8);  // what was exchanged
    turning.correct(*model, data, v.data(), nullptr, dt, free.data(), force.data());
    const VectorX mean = 0.5 * (v + free);
    EXPECT_LE((turning.mean_velocity() - mean).norm(), 1e-5 * (v.norm() + 1.0)) << size;
    DynamicsData middle(*model);
    update_kinematics(*model, model->initial_position.data(), mean.data(), middle);
    update_inertia(*model, middle);
    VectorX defect(8);
    multiply_inertia(*model, middle, VectorX(free - v).data(), defect.data());
    defect += dt * ConstVectorMap(middle.bias.data(), 8);
    const double scale = dt * ConstVectorMap(middle.bias.data(), 8).norm() + v.norm();
    EXPECT_LE(defect.norm(), 1e-6 * scale) << size;
    multiply_inertia(*model, data, VectorX(free - explicit_step).data(), defect.data());
    EXPECT_LE((defect - dt * force).norm(), 1e-8 * scale) << size;
    EXPECT_GT((free - explicit_step).norm(), 1e-7) << size;
  }
}

// The bias without kinematics is the bias with it.
TEST(Turning, BiasOfTreeAgreesWithKinematics) {
  for (const auto& model : {chain(3, g, true, true), chain(4, g, false, true), top(g), gimbal()}) {
    const int nv = model->num_velocities();
    VectorX v(nv), other(nv), bias = VectorX::Zero(nv);
    for (int j = 0; j < nv; ++j) v[j] = std::sin(1.0 + j), other[j] = 3.0 * std::cos(2.0 * j);
    VectorX q = model->initial_position;
    for (int i = 0; i < q.size(); ++i) q[i] += model->bodies[0].joint == JointType::revolute ? 0.1 * i : 0.0;
    DynamicsData data(*model), expected(*model);
    update_kinematics(*model, q.data(), v.data(), data);
    update_inertia(*model, data);
    update_kinematics(*model, q.data(), other.data(), expected);
    update_inertia(*model, expected);
    const double twice = bias_of_tree(*model, data, 0, other.data(), bias.data());
    const ConstVectorMap wanted(expected.bias.data(), nv);
    EXPECT_LE((bias - wanted).norm(), 1e-12 * (1.0 + wanted.norm()));
    VectorX seen = other;
    if (model->bodies[0].joint == JointType::free) seen.head<3>().setZero();
    update_kinematics(*model, q.data(), seen.data(), expected);
    EXPECT_NEAR(twice, 2.0 * kinetic_energy(expected, seen.data()), 1e-12 * (1.0 + twice));
  }
}

// What stands still is left to the explicit rule, bit for bit.
TEST(Turning, NothingHappensAtRest) {
  const auto model = chain(3, g, true, true);
  DynamicsData data(*model);
  const VectorX v = VectorX::Zero(8);
  update_kinematics(*model, model->initial_position.data(), v.data(), data);
  update_inertia(*model, data);
  factor_inertia(*model, nullptr, data);
  VectorX free = vector({0.0, 0.0, 0.0, 0.01, 0.02, -0.01, 0.03, -0.02});
  const VectorX before = free;
  Turning turning(*model);
  VectorX force = VectorX::Zero(8);
  turning.correct(*model, data, v.data(), nullptr, 1e-3, free.data(), force.data());
  EXPECT_EQ((free - before).norm(), 0.0);
  EXPECT_EQ(force.norm(), 0.0);
}

TEST(Turning, ExtremeSpinsStayFinite) {
  for (const double speed : {1e3, 1e4, 1e6, 1e100}) {
    // What brakes takes energy that nothing in the world took: such a step is not certified.
    const auto run = [&](std::shared_ptr<const Model> model, const VectorX& v) {
      const bool has_one_body = model->num_bodies() == 1;
      Simulator simulator(std::move(model), {.time_step = 1e-3});
      simulator.set_velocity(v);
      long braked = 0;
      for (int k = 0; k < 1000; ++k) {
        const StepReport& report = simulator.step();
        braked += report.num_braked_trees > 0;
        EXPECT_FALSE(report.num_braked_trees > 0 && (report.energy_certified || report.certified())) << speed;
        EXPECT_TRUE(k > 0 || has_one_body || speed < 2e3 || report.num_braked_trees == 1) << speed;
      }
      EXPECT_GE(simulator.num_energy_uncertified_steps(), braked);
      EXPECT_TRUE(simulator.state().v.allFinite()) << speed;
      return simulator.state().v.lpNorm<Eigen::Infinity>() / v.lpNorm<Eigen::Infinity>();
    };
    EXPECT_LE(run(top(g), speed * vector({0.1, 0.0, 1.0})), 1.5);
    EXPECT_LE(run(gimbal(), speed * vector({0.1, 0.3, 1.0})), 100.0);
    EXPECT_LE(run(chain(2, g, false, false), speed * vector({1.0, -1.0})), 10.0);
    EXPECT_LE(run(chain(3, g, true, true), speed * vector({0.0, 0.0, 0.0, 1.0, 0.3, -0.5, 0.4, -0.6})), 100.0);
  }
}

}  // namespace
}  // namespace stiction
