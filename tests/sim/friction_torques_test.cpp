// Torsional and rolling friction in the step: closed forms, what is told of it, and that it is certified.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/sim/inverse_step.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

constexpr double g = 9.81, radius = 0.1, mass = 2.0;

struct BallWorld {
  double torsional = 0.0, rolling = 0.0, slope = 0.0, friction = 0.8;
};

std::shared_ptr<const Model> ball_world(const BallWorld& w) {
  ModelBuilder builder;
  ShapeOptions plane;
  plane.name = "ground";
  plane.geometry = Plane{};
  plane.pose = Pose(Quaternion(Eigen::AngleAxisd(w.slope, Vector3::UnitY())), Vector3::Zero());
  plane.material.friction = w.friction;
  plane.material.torsional_friction = w.torsional;
  plane.material.rolling_friction = w.rolling;
  builder.add_shape(plane);
  const Vector3 normal(std::sin(w.slope), 0.0, std::cos(w.slope));
  const int ball =
      builder.add_body({.name = "ball", .pose = Pose(radius * normal), .inertia = Inertia::of(Sphere{radius}, mass)});
  ShapeOptions shape;
  shape.name = "ball";
  shape.body = ball;
  shape.geometry = Sphere{radius};
  shape.material = plane.material;
  builder.add_shape(shape);
  return builder.build();
}

void expect_certified(const Simulator& simulator) {
  EXPECT_EQ(simulator.num_uncertified_steps(), 0);
  EXPECT_LE(simulator.worst_residual(), 1e-9);
}

// I ω̇ = −r m g: a spin about the vertical ends after I ω/(r m g), having fallen by equal parts.
TEST(FrictionTorques, ASpinningBallStopsByTheClosedForm) {
  const double r = 4e-3, spin = 3.0, inertia = 0.4 * mass * radius * radius, slowing = r * mass * g / inertia;
  Simulator simulator(ball_world({.torsional = r}), {.time_step = 1e-3});
  VectorX v = VectorX::Zero(6);
  v[5] = spin;
  simulator.set_velocity(v);
  const int steps = static_cast<int>(spin / slowing / 1e-3);
  for (int k = 1; k <= steps; ++k) {
    simulator.step();
    ASSERT_NEAR(simulator.state().v[5], spin - slowing * k * 1e-3, 1e-9) << k;
    const Contact& contact = simulator.contacts()[0];
    ASSERT_NEAR(contact.torque.z(), -r * mass * g * (contact.body_a == 0 ? 1.0 : -1.0), 1e-6);
  }
  simulator.step(10);
  EXPECT_NEAR(simulator.state().v[5], 0.0, 1e-12);
  expect_certified(simulator);
}

// A disc lies on the rim of its face. I ω̇ = −(r + μ R) m g: the torques of its points add up to r m g, and sliding
// friction acts at the radius of the points, whatever shares of the weight they carry.
TEST(FrictionTorques, ASpinningDiscStopsByTheClosedForm) {
  constexpr double disc_radius = 0.12, half_height = 0.02, spin = 6.0, time_step = 1e-3;
  const double inertia = 0.5 * mass * disc_radius * disc_radius;
  for (const auto& [friction, r] : {std::pair{0.0, 5e-3}, std::pair{0.2, 5e-3}, std::pair{0.2, 0.0}}) {
    ModelBuilder builder;
    Material material;
    material.friction = friction, material.torsional_friction = r;
    builder.add_shape({.name = "ground", .geometry = Plane{}, .material = material});
    const int disc = builder.add_body({.name = "disc",
                                       .pose = Pose(Vector3(0.0, 0.0, half_height)),
                                       .inertia = Inertia::of(Cylinder{disc_radius, half_height}, mass)});
    builder.add_shape(
        {.name = "disc", .body = disc, .geometry = Cylinder{disc_radius, half_height}, .material = material});
    Simulator simulator(builder.build(), {.time_step = time_step});
    VectorX v = VectorX::Zero(6);
    v[5] = spin;
    simulator.set_velocity(v);
    const double slowing = (r + friction * disc_radius) * mass * g / inertia;
    const int steps = static_cast<int>(spin / slowing / time_step);
    ASSERT_GE(steps, 100);
    for (int k = 1; k <= steps; ++k) {
      simulator.step();
      ASSERT_NEAR(simulator.state().v[5], spin - slowing * k * time_step, 1e-7) << k << ", friction " << friction;
    }
    simulator.step(10);
    EXPECT_NEAR(simulator.state().v[5], 0.0, 1e-9);
    EXPECT_LE(simulator.state().q.head<2>().norm(), 1e-6);  // it stays where it lies
    expect_certified(simulator);
  }
}

TEST(FrictionTorques, WithoutThemABallSpinsOn) {
  Simulator simulator(ball_world({}), {.time_step = 1e-3});
  VectorX v = VectorX::Zero(6);
  v[5] = 3.0;
  simulator.set_velocity(v);
  simulator.step(500);
  EXPECT_NEAR(simulator.state().v[5], 3.0, 1e-12);
  EXPECT_EQ(simulator.report().num_friction_torques, 0);
  EXPECT_EQ(simulator.report().coupling_rounds, 0);
}

// m a = −F, I a/R = F R − r m g.
TEST(FrictionTorques, ARollingBallIsSlowedByTheClosedForm) {
  const double r = 2e-3, speed = 1.0, slowing = g * r / radius / 1.4;
  for (const double heading : {0.0, 0.7}) {
    Simulator simulator(ball_world({.rolling = r}), {.time_step = 1e-3});
    VectorX v(6);
    const Vector3 along(std::cos(heading), std::sin(heading), 0.0);
    v << speed * along, Vector3::UnitZ().cross(along) * (speed / radius);
    simulator.set_velocity(v);
    for (int k = 1; k <= 1000; ++k) {
      simulator.step();
      ASSERT_NEAR(along.dot(simulator.state().v.head<3>()), speed - slowing * k * 1e-3, 1e-6) << k;
    }
    EXPECT_NEAR(simulator.state().q.head<3>().cross(along).dot(Vector3::UnitZ()), 0.0, 1e-7);
    EXPECT_GT(simulator.report().dissipated, 0.0);
    expect_certified(simulator);
    const double seconds_left = (speed - slowing) / slowing;
    simulator.step(static_cast<int>(seconds_left * 1e3) + 10);
    EXPECT_NEAR(simulator.state().v.norm(), 0.0, 1e-9);
    expect_certified(simulator);
  }
}

// It stays while tan θ ≤ r/R, and rolls with (g sin θ − g cos θ r/R)/1.4 beyond.
TEST(FrictionTorques, ABallStaysOnASlopeUpToTheClosedForm) {
  const double r = 5e-3, limit = std::atan(r / radius);
  for (const double share : {0.5, 0.999}) {
    Simulator simulator(ball_world({.rolling = r, .slope = share * limit}), {.time_step = 1e-3});
    const VectorX start = simulator.state().q;
    simulator.step(3000);
    EXPECT_LE((simulator.state().q - start).norm(), 1e-8) << share;
    EXPECT_LE(simulator.state().v.norm(), 1e-9) << share;
    expect_certified(simulator);
  }
  for (const double share : {1.001, 2.0, 5.0}) {
    const double slope = share * limit, pull = (g * std::sin(slope) - g * std::cos(slope) * r / radius) / 1.4;
    Simulator simulator(ball_world({.rolling = r, .slope = slope}), {.time_step = 1e-3});
    simulator.step(500);
    const Vector3 downhill(std::cos(slope), 0.0, -std::sin(slope));
    EXPECT_NEAR(downhill.dot(simulator.state().v.head<3>()), pull * 0.5, 1e-6) << share;
    expect_certified(simulator);
  }
}

// What spins, rolls and is pressed loses what is told, and no more than the balance allows.
TEST(FrictionTorques, EnergyThatIsTakenIsCounted) {
  Simulator simulator(ball_world({.torsional = 2e-3, .rolling = 2e-3}), {.time_step = 1e-3});
  VectorX v(6);
  v << 1.0, 0.0, 0.0, 0.0, 1.0 / radius, 5.0;
  simulator.set_velocity(v);
  const double inertia = 0.4 * mass * radius * radius;
  const double before = 0.5 * mass + 0.5 * inertia * (1.0 / radius / radius + 25.0);
  double dissipated = 0.0;
  for (int k = 0; k < 300; ++k) {
    dissipated += simulator.step().dissipated;
    EXPECT_EQ(simulator.report().num_friction_torques, 2);
  }
  const VectorX end = simulator.state().v;
  const double after = 0.5 * mass * end.head<3>().squaredNorm() + 0.5 * inertia * end.tail<3>().squaredNorm();
  EXPECT_NEAR(before - after, dissipated, 1e-3 * dissipated);
  expect_certified(simulator);
}

// Two fingers press a bar from both sides, at a distance from its centre: torsion carries the moment of its weight.
struct Grasp {
  double offset = 0.05, force = 20.0, torsional = 0.01;

  static constexpr double weight = 0.5 * g;

  std::shared_ptr<const Model> model() const {
    ModelBuilder builder;
    const Geometry bar = Box{{0.01, 0.15, 0.01}};
    const int held =
        builder.add_body({.name = "bar", .pose = Pose(Vector3(0.0, offset, 0.0)), .inertia = Inertia::of(bar, 0.5)});
    builder.add_shape({.name = "bar", .body = held, .geometry = bar, .material = material()});
    for (const double side : {-1.0, 1.0}) {
      JointOptions slide;
      slide.name = side < 0.0 ? "left" : "right";
      slide.kind = JointKind::prismatic;
      slide.axis = Vector3(-side, 0.0, 0.0);
      const int finger = builder.add_body({.name = slide.name,
                                           .pose = Pose(Vector3(side * 0.02, 0.0, 0.0)),
                                           .joint = slide,
                                           .inertia = Inertia::of(Sphere{0.01}, 0.1)});
      builder.add_shape({.body = finger, .geometry = Sphere{0.01}, .material = material()});
      builder.add_actuator({.joint = slide.name});
    }
    return builder.build();
  }
  Material material() const {
    Material m;
    m.friction = 0.5;
    m.torsional_friction = torsional;
    return m;
  }
  Simulator simulator() const {
    Simulator s(model(), {.time_step = 1e-3});
    s.set_control(Vector2::Constant(force));
    return s;
  }
};

TEST(FrictionTorques, AGraspHoldsABarUpToTheClosedForm) {
  const double limit = 2.0 * 0.01 * 20.0 / Grasp::weight;  // offset at which m g d = 2 r N
  Simulator holds = Grasp{.offset = 0.99 * limit}.simulator();
  const VectorX start = holds.state().q;
  holds.step(2000);
  EXPECT_LE((holds.state().q - start).norm(), 1e-7);
  expect_certified(holds);
  const ContactForce on_bar = holds.contact_force(0);
  EXPECT_NEAR(on_bar.force.z(), Grasp::weight, 1e-6);
  EXPECT_NEAR(on_bar.torque.x(), 0.0, 1e-6);  // about its centre, where its weight has no moment
  EXPECT_EQ(on_bar.num_contacts, 2);

  // Beyond it turns, about the line between the fingers.
  const double d = 1.2 * limit, inertia = 0.5 * (0.3 * 0.3 + 0.02 * 0.02) / 12.0 + 0.5 * d * d;
  Simulator turns = Grasp{.offset = d}.simulator();
  turns.step(20);
  const double expected = (Grasp::weight * d - 2.0 * 0.01 * 20.0) / inertia * 0.02;
  EXPECT_NEAR(std::abs(turns.state().v[3]), expected, 2e-3 * expected);
  expect_certified(turns);
}

// Contacts that carry torsion are pressed harder or less by what it does: rounds, and the same law at their end.
TEST(FrictionTorques, ATumblingHeapIsCertified) {
  ModelBuilder builder;
  Material material;
  material.friction = 0.6;
  material.torsional_friction = 0.001;
  material.rolling_friction = 0.0005;
  builder.add_shape({.geometry = Plane{}, .material = material});
  for (int k = 0; k < 8; ++k) {
    const Geometry shape = k % 2 == 0 ? Geometry(Sphere{0.05}) : Geometry(Box{{0.05, 0.04, 0.03}});
    const Vector3 place(0.03 * (k % 3), 0.02 * (k % 2), 0.08 + 0.11 * k);
    const int body = builder.add_body({.pose = Pose(place), .inertia = Inertia::of(shape, 0.3)});
    builder.add_shape({.body = body, .geometry = shape, .material = material});
  }
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  int most = 0, torques = 0;
  for (int k = 0; k < 1500; ++k) {
    const StepReport& report = simulator.step();
    most = std::max(most, report.coupling_rounds);
    torques = std::max(torques, report.num_friction_torques);
  }
  EXPECT_GT(torques, 8);
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 60);
  // While bodies tumble over each other some steps do not get there, and say so.
  EXPECT_LE(simulator.num_law_uncertified_steps(), 15);
  EXPECT_LE(simulator.num_failed_steps(), 5);
  EXPECT_TRUE(simulator.report().law_certified);
}

TEST(FrictionTorques, OtherSolversFindTheSame) {
  for (const char* solver : {"ncp-gs", "ncp-newton", "ncp-admm"}) {
    Simulator one(ball_world({.torsional = 4e-3, .rolling = 2e-3}), {.time_step = 1e-3});
    Simulator other(one.shared_model(), {.time_step = 1e-3, .solver = solver});
    VectorX v(6);
    v << 1.0, 0.0, 0.0, 0.0, 1.0 / radius, 3.0;
    for (Simulator* s : {&one, &other}) {
      s->set_velocity(v);
      s->step(100);
    }
    EXPECT_LE((one.state().v - other.state().v).norm(), 1e-6) << solver;
    EXPECT_EQ(other.num_failed_steps(), 0) << solver;
  }
}

// The forces of a step that had none but friction's, found from where it ended.
TEST(FrictionTorques, TheInverseStepKnowsThem) {
  Simulator simulator(ball_world({.torsional = 4e-3, .rolling = 2e-3}), {.time_step = 1e-3});
  VectorX v(6);
  v << 1.0, 0.0, 0.0, 0.0, 1.0 / radius, 3.0;
  simulator.set_velocity(v);
  simulator.step(50);
  Simulator next(simulator.shared_model(), {.time_step = 1e-3});
  next.set_state(simulator.state());
  next.step();
  const InverseStepResult found = inverse_step(simulator, next.state().v, {.tolerance = 1e-10});
  EXPECT_EQ(found.status, InverseStatus::converged);
  const double sliding = found.joint_force.tail<3>().norm();
  EXPECT_LE(sliding, 1e-2 * 4e-3 * mass * g);
}

TEST(FrictionTorques, PairsHaveTheirOwn) {
  ModelBuilder builder;
  const int ground = builder.add_shape({.geometry = Plane{}});
  const int ball =
      builder.add_body({.pose = Pose(Vector3(0, 0, radius)), .inertia = Inertia::of(Sphere{radius}, mass)});
  const int shape = builder.add_shape({.body = ball, .geometry = Sphere{radius}});
  const double r = 4e-3;
  builder.set_pair_material(shape, ground, {.friction = 0.3, .friction_2 = 0.3, .torsional_friction = r});
  const auto model = builder.build();
  EXPECT_EQ(model->pair_material(ground, shape).friction, 0.3);
  Simulator simulator(model, {.time_step = 1e-3});
  VectorX v = VectorX::Zero(6);
  v[5] = 3.0;
  simulator.set_velocity(v);
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[5], 3.0 - r * g / (0.4 * radius * radius) * 0.1, 1e-8);
  EXPECT_EQ(simulator.contacts()[0].friction, 0.3);
}

}  // namespace
}  // namespace stiction
