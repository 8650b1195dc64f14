#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/closed_forms.h"

namespace stiction::testing {
namespace {

constexpr double g = gravity;

Vector3 downhill(double slope) {
  return {std::cos(slope), 0.0, -std::sin(slope)};
}
Quaternion turn_y(double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitY()));
}

// Sphere or cylinder of radius 0.1 m with its axis along y.
constexpr double radius = 0.1;
const Sphere ball{radius};
const Cylinder roll{radius, 0.15};
constexpr double slope_of_rolls = 0.5;  // rad

VectorX thrown(double speed) {
  VectorX v = VectorX::Zero(6);
  v[0] = speed;
  return v;
}

// A bowling ball thrown without spin: slides, then rolls.
struct Bowled {
  double time_of_rolling = 0.0, speed = 0.0, distance = 0.0;
};
constexpr double bowl_speed = 3.0, bowl_friction = 0.25, bowl_seconds = 1.0;

Bowled bowl(double dt) {
  ModelBuilder builder;
  add_ground(builder, bowl_friction);
  add_free(builder, "ball", ball, 6.0, Pose(Vector3(0.0, 0.0, radius)), bowl_friction);
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.set_velocity(thrown(bowl_speed));
  Bowled result;
  for (int k = 1; k <= num_steps(bowl_seconds, dt); ++k) {
    simulator.step();
    if (result.time_of_rolling == 0.0 && simulator.report().num_sticking == 1) result.time_of_rolling = k * dt;
  }
  require_certified(simulator);
  result.speed = simulator.state().v[0];
  result.distance = simulator.state().q[0];
  return result;
}

// A flat box set down on a belt.
constexpr double belt_speed = 2.0, belt_friction = 0.4;

struct Carried {
  double slip_time = 0.0, slip = 0.0, speed = 0.0;
};

Carried ride_belt(double dt) {
  ModelBuilder builder;
  // A velocity servo so stiff that friction slows the belt by 4e-8 m/s.
  const int belt = builder.add_body({.name = "belt",
                                     .pose = Pose(Vector3(0.0, 0.0, -0.1)),
                                     .joint = {.kind = JointKind::prismatic, .axis = Vector3::UnitX()},
                                     .inertia = Inertia::of(Box{{10.0, 0.5, 0.1}}, 100.0)});
  ShapeOptions shape{.name = "belt", .body = belt, .geometry = Box{{10.0, 0.5, 0.1}}};
  shape.material.friction = belt_friction;
  builder.add_shape(shape);
  builder.add_actuator({.joint = "belt", .kind = ActuatorKind::velocity, .kd = 1e8});
  add_free(builder, "box", Box{{0.1, 0.1, 0.02}}, 1.0, Pose(Vector3(0.0, 0.0, 0.02)), belt_friction);
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.set_control(VectorX::Constant(1, belt_speed));
  VectorX v = VectorX::Zero(7);
  v[0] = belt_speed;
  simulator.set_velocity(v);
  Carried result;
  for (int k = 1; k <= num_steps(1.0, dt); ++k) {
    simulator.step();
    if (result.slip_time == 0.0 && simulator.report().num_sliding == 0) result.slip_time = k * dt;
  }
  require_certified(simulator);
  result.slip = simulator.state().q[0] - simulator.state().q[1];
  result.speed = simulator.state().v[1];
  return result;
}

constexpr double slide_speed = 2.0, slide_friction = 0.3;

double slide_to_rest(double dt) {
  ModelBuilder builder;
  add_ground(builder, slide_friction);
  add_free(builder, "box", Box{{0.1, 0.1, 0.02}}, 1.0, Pose(Vector3(0.0, 0.0, 0.02)), slide_friction);
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.set_velocity(thrown(slide_speed));
  simulator.step(num_steps(1.0, dt));
  require_certified(simulator);
  return simulator.state().q[0];
}

constexpr double first_gap = 4.7e-3;  // before the first ball of a row
constexpr double bounce_height = 1.0, bounce_restitution = 0.8;

double bounce(double dt) {
  ModelBuilder builder;
  add_ground(builder, 0.0, 0.0, bounce_restitution);
  add_free(builder, "ball", ball, 1.0, Pose(Vector3(0.0, 0.0, radius + bounce_height)), 0.0, bounce_restitution);
  Simulator simulator(builder.build(), {.time_step = dt});
  while (simulator.state().v[2] <= 0.0) simulator.step();
  while (simulator.state().v[2] > 0.0) simulator.step();
  require_certified(simulator);
  return simulator.state().q[2] - radius;
}

double tip(Simulator& simulator, double seconds) {
  const Matrix3 start = simulator.body_pose(0).rotation;
  simulator.step(num_steps(seconds, simulator.time_step()));
  require_certified(simulator);
  // From the difference of axes, not its cosine: angles down to 1e-12 count.
  const Vector3 z = (start.transpose() * simulator.body_pose(0).rotation).col(2);
  return std::atan2(z[0], z[2]);
}

// tan θ = (1 + 1e-5) b/h.
const Vector3 tall{0.1, 0.1, 0.3};
const double over = std::atan((1.0 + 1e-5) / 3.0);

double tipping_angle(double t) {
  // I φ'' = m g R sin(ψ + φ) about the lower edge, ψ the angle of the centre past it: φ = ψ (cosh λt − 1) while small.
  const double lever = std::hypot(tall[0], tall[2]), psi = over - std::atan(tall[0] / tall[2]);
  const double rate = std::sqrt(g * lever / (4.0 / 3.0 * lever * lever));
  return psi * (std::cosh(rate * t) - 1.0);
}

}  // namespace

int num_steps(double seconds, double time_step) {
  return static_cast<int>(std::lround(seconds / time_step));
}

void require_certified(const Simulator& simulator) {
  const long n = simulator.num_uncertified_steps();
  if (n > 0) throw std::runtime_error(std::to_string(n) + " steps were not certified");
}

Rolled roll_down(const Geometry& round, double friction, double slope, double seconds, double time_step) {
  ModelBuilder builder;
  add_ground(builder, friction, slope);
  const bool along_z = std::holds_alternative<Cylinder>(round);
  Quaternion turn = turn_y(slope);
  const Vector3 centre = turn * Vector3(0.0, 0.0, radius);
  if (along_z) turn = turn * Quaternion(Eigen::AngleAxisd(-M_PI / 2.0, Vector3::UnitX()));
  add_free(builder, "round", round, 1.0, Pose(turn, centre), friction);
  Simulator simulator(builder.build(), {.time_step = time_step});
  simulator.step(num_steps(seconds, time_step));
  require_certified(simulator);
  const VectorX &q = simulator.state().q, &v = simulator.state().v;
  Rolled result;
  result.distance = (q.head<3>() - centre).dot(downhill(slope));
  result.speed = v.head<3>().dot(downhill(slope));
  const Vector3 spin = simulator.body_pose(0).rotation * v.segment<3>(3);
  result.slip = result.speed - radius * spin[1];
  return result;
}

double tip_on_slope(const Vector3& half, double slope, double seconds, double time_step) {
  ModelBuilder builder;
  add_ground(builder, 1.0, slope);
  add_free(builder, "box", Box{half}, 1.0, Pose(turn_y(slope), turn_y(slope) * Vector3(0.0, 0.0, half[2])), 1.0);
  Simulator simulator(builder.build(), {.time_step = time_step});
  return tip(simulator, seconds);
}

double tip_by_push(const Vector3& half, double share, double seconds, double time_step) {
  ModelBuilder builder;
  add_ground(builder, 1.0);
  add_free(builder, "box", Box{half}, 1.0, Pose(Vector3(0.0, 0.0, half[2])), 1.0);
  Simulator simulator(builder.build(), {.time_step = time_step});
  simulator.add_external_force(0, Vector3(share * g, 0.0, 0.0), Vector3(-half[0], 0.0, 2.0 * half[2]));
  return tip(simulator, seconds);
}

Row strike_row(int num_balls, double gap, double speed, double seconds, double time_step) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  for (int k = 0; k < num_balls; ++k) {
    // The first comes from some way off, whatever the gaps of the others.
    const double x = k == 0 ? -first_gap : (k - 1) * gap;
    add_free(builder, "ball" + std::to_string(k), ball, 1.0, Pose(Vector3(2.0 * radius * k + x, 0.0, 0.0)), 0.0, 1.0);
  }
  Simulator simulator(builder.build(), {.time_step = time_step});
  VectorX v = VectorX::Zero(6 * num_balls);
  v[0] = speed;
  simulator.set_velocity(v);
  const double start = simulator.state().q[7 * (num_balls - 1)];
  simulator.step(num_steps(seconds, time_step));
  Row row;
  row.num_uncertified_steps = simulator.num_uncertified_steps();
  for (int k = 0; k < num_balls; ++k) row.velocities.push_back(simulator.state().v[6 * k]);
  row.way_of_last = simulator.state().q[7 * (num_balls - 1)] - start;
  return row;
}

std::vector<ClosedForm> rolling_forms() {
  const std::array coarse{4e-3, 2e-3, 1e-3};
  const double s = std::sin(slope_of_rolls), c = std::cos(slope_of_rolls);
  std::vector<ClosedForm> forms;
  const auto add = [&](ClosedForm form) { forms.push_back(std::move(form)); };

  add({"SphereRollsSpeed", "sphere released on a slope of 0.5 rad, μ = 0.3: speed after 1 s", "5/7 g sin θ t", "m/s",
       5.0 / 7.0 * g * s, coarse, [](double dt) { return roll_down(ball, 0.3, slope_of_rolls, 1.0, dt).speed; },
       Shrinks::exact, 1e-8});
  add({"SphereRollsDistance", "the same: distance", "5/14 g sin θ t²", "m", 5.0 / 14.0 * g * s, coarse,
       [](double dt) { return roll_down(ball, 0.3, slope_of_rolls, 1.0, dt).distance; }, Shrinks::first_order, 4e-3});
  add({"SphereSlipsSpeed", "the same, μ = 0.1: speed", "g (sin θ − μ cos θ) t", "m/s", g * (s - 0.1 * c), coarse,
       [](double dt) { return roll_down(ball, 0.1, slope_of_rolls, 1.0, dt).speed; }, Shrinks::exact, 1e-8});
  add({"SphereSlips", "the same, μ = 0.1: slip at the contact", "g (sin θ − 7/2 μ cos θ) t", "m/s", g * (s - 0.35 * c),
       coarse, [](double dt) { return roll_down(ball, 0.1, slope_of_rolls, 1.0, dt).slip; }, Shrinks::exact, 1e-8});
  add({"CylinderRollsSpeed", "cylinder on the same slope, μ = 0.3: speed after 1 s", "2/3 g sin θ t", "m/s",
       2.0 / 3.0 * g * s, coarse, [](double dt) { return roll_down(roll, 0.3, slope_of_rolls, 1.0, dt).speed; },
       Shrinks::exact, 1e-8});
  add({"CylinderRollsDistance", "the same: distance", "1/3 g sin θ t²", "m", 1.0 / 3.0 * g * s, coarse,
       [](double dt) { return roll_down(roll, 0.3, slope_of_rolls, 1.0, dt).distance; }, Shrinks::first_order, 4e-3});
  add({"CylinderSlips", "the same, μ = 0.1: slip at the contact", "g (sin θ − 3 μ cos θ) t", "m/s", g * (s - 0.3 * c),
       coarse, [](double dt) { return roll_down(roll, 0.1, slope_of_rolls, 1.0, dt).slip; }, Shrinks::exact, 1e-8});
  return forms;
}

std::vector<ClosedForm> contact_forms() {
  const std::array coarse{4e-3, 2e-3, 1e-3};
  std::vector<ClosedForm> forms;
  const auto add = [&](ClosedForm form) { forms.push_back(std::move(form)); };

  const double rolls_at = 2.0 * bowl_speed / (7.0 * bowl_friction * g), rolls_with = 5.0 / 7.0 * bowl_speed;
  add({"BowlingSpeed", "ball thrown at 3 m/s without spin, μ = 0.25: speed when it rolls", "5/7 v₀", "m/s", rolls_with,
       coarse, [](double dt) { return bowl(dt).speed; }, Shrinks::exact, 1e-8});
  add({"BowlingTime", "the same: time at which it begins to roll", "2 v₀/(7 μ g)", "s", rolls_at, coarse,
       [](double dt) { return bowl(dt).time_of_rolling; }, Shrinks::located, 1.0});
  add({"BowlingDistance", "the same: distance after 1 s", "v₀ t* − μ g t*²/2 + 5/7 v₀ (t − t*)", "m",
       bowl_speed * rolls_at - 0.5 * bowl_friction * g * rolls_at * rolls_at + rolls_with * (bowl_seconds - rolls_at),
       coarse, [](double dt) { return bowl(dt).distance; }, Shrinks::first_order, 1e-3});

  add({"SlidesToRest", "box thrown at 2 m/s, μ = 0.3: distance until it rests", "v²/(2 μ g)", "m",
       slide_speed * slide_speed / (2.0 * slide_friction * g), coarse, slide_to_rest, Shrinks::first_order, 3e-3});
  add({"BeltTime", "box set down on a belt of 2 m/s, μ = 0.4: time until it no longer slips", "v/(μ g)", "s",
       belt_speed / (belt_friction * g), coarse, [](double dt) { return ride_belt(dt).slip_time; }, Shrinks::located,
       1.0});
  add({"BeltSlip", "the same: how far it slips on the belt", "v²/(2 μ g)", "m",
       belt_speed * belt_speed / (2.0 * belt_friction * g), coarse, [](double dt) { return ride_belt(dt).slip; },
       Shrinks::first_order, 3e-3});
  add({"BeltSpeed", "the same: its speed then", "v", "m/s", belt_speed, coarse,
       [](double dt) { return ride_belt(dt).speed; }, Shrinks::exact, 1e-8});

  add({"TipsOver", "box of 0.2 × 0.6 m on a slope of tan θ = (1 + 1e-5) b/h: turned after 1 s", "ψ (cosh λt − 1)",
       "rad", tipping_angle(1.0), coarse, [](double dt) { return tip_on_slope(tall, over, 1.0, dt); },
       Shrinks::first_order, 1.2e-6});

  add({"BounceHeight", "ball dropped from 1 m, e = 0.8: height of the bounce", "e² h", "m",
       bounce_restitution * bounce_restitution * bounce_height, coarse, bounce, Shrinks::located, 2.0});
  add({"CradleSpeed", "five balls with gaps of 5.3 mm, the first at 1 m/s from 4.7 mm: speed of the last", "v", "m/s",
       1.0, coarse, [](double dt) { return strike_row(5, 5.3e-3, 1.0, 0.1, dt).velocities[4]; }, Shrinks::exact, 1e-9});
  add({"CradleWay", "the same: its way after 0.1 s (four impacts)", "v t − Σ gaps", "m", 0.1 - first_gap - 3 * 5.3e-3,
       coarse, [](double dt) { return strike_row(5, 5.3e-3, 1.0, 0.1, dt).way_of_last; }, Shrinks::located, 4.0});
  return forms;
}

}  // namespace stiction::testing
