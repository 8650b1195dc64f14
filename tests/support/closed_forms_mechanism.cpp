#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/closed_forms.h"

namespace stiction::testing {
namespace {

constexpr double g = gravity;

constexpr double thin = 1e-6;  // the moment of a thin rod about its own axis, which must not be zero, kg·m²

Inertia rod(double length, const Vector3& along) {
  const double m = length * length / 12.0;
  return {1.0, 0.5 * length * along, m * Matrix3::Identity() - (m - thin) * along * along.transpose()};
}

double arithmetic_geometric_mean(double a, double b) {
  for (int k = 0; k < 8; ++k) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return a;
}

// The mean of five periods, between zeros of the angle on the way up.
constexpr double swing = 2.0;  // rad

double pendulum_period(double dt) {
  ModelBuilder builder;
  builder.add_body({.name = "rod",
                    .joint = {.kind = JointKind::revolute, .axis = Vector3::UnitY(), .initial_position = swing},
                    .inertia = rod(1.0, -Vector3::UnitZ())});
  Simulator simulator(builder.build(), {.time_step = dt});
  std::vector<double> zeros;
  for (int k = 0; zeros.size() < 6; ++k) {
    const double before = simulator.state().q[0];
    simulator.step();
    const double after = simulator.state().q[0];
    if (before < 0.0 && after >= 0.0) zeros.push_back(dt * (k - before / (after - before)));
  }
  require_certified(simulator);
  return (zeros.back() - zeros.front()) / 5.0;
}

// A uniform rod on a ball joint that goes round on a cone; `cone_rate` makes the closed form an angle of 0.7 rad.
constexpr double cone_angle = 0.7;
const double cone_rate = std::sqrt(0.5 * g / ((1.0 / 3.0 - thin) * std::cos(cone_angle)));

double cone(double dt) {
  ModelBuilder builder;
  builder.add_body({.name = "rod", .joint = {.kind = JointKind::ball}, .inertia = rod(1.0, -Vector3::UnitZ())});
  Simulator simulator(builder.build(), {.time_step = dt});
  const Quaternion turn(Eigen::AngleAxisd(cone_angle, Vector3::UnitY()));
  VectorX q(4);
  q << turn.x(), turn.y(), turn.z(), turn.w();
  simulator.set_position(q);
  const Vector3 spin = turn.inverse() * Vector3(0.0, 0.0, cone_rate);
  VectorX v(3);
  v << spin[0], spin[1], spin[2];
  simulator.set_velocity(v);
  double farthest = 0.0;
  for (int k = 0; k < num_steps(2.0, dt); ++k) {
    simulator.step();
    const double angle = std::acos(simulator.body_pose(0).rotation(2, 2));
    if (std::abs(angle - cone_angle) > std::abs(farthest)) farthest = angle - cone_angle;
  }
  require_certified(simulator);
  return cone_angle + farthest;
}

// A top of 1 kg on its tip: axis and spin fast enough for steady precession, on the slow root of
//     A Ω² cos θ − C ω₃ Ω + m g l = 0,   A about the tip, C along the axis, ω₃ the spin there.
constexpr double top_height = 0.1, top_across = 0.002, top_along = 0.003;  // m; kg·m² about its centre
constexpr double top_tilt = 0.7, top_spin = 150.0;                         // rad, rad/s
const double precession_rate = [] {
  const double a = (top_across + top_height * top_height) * std::cos(top_tilt), c = top_along * top_spin;
  return (c - std::sqrt(c * c - 4.0 * a * g * top_height)) / (2.0 * a);
}();

// By the azimuth of the axis after half a second. A velocity belongs half a step before its position, so the top starts
// with that of then: seen from the body, what is across its axis goes round it at Ω cos θ − ω₃.
double precess(double dt) {
  ModelBuilder builder;
  const Matrix3 moments = Vector3(top_across, top_across, top_along).asDiagonal();
  builder.add_body({.name = "top",
                    .pose = Pose(Quaternion(Eigen::AngleAxisd(top_tilt, Vector3::UnitX())), Vector3::Zero()),
                    .joint = {.kind = JointKind::ball},
                    .inertia = Inertia{1.0, Vector3(0.0, 0.0, top_height), moments}});
  Simulator simulator(builder.build(), {.time_step = dt});
  // Body axes: z along the axis, the vertical in the plane of y and z.
  const double round = (precession_rate * std::cos(top_tilt) - top_spin) * (-0.5 * dt);
  const double across = precession_rate * std::sin(top_tilt);
  VectorX v(3);
  v << -across * std::sin(round), across * std::cos(round), top_spin;
  simulator.set_velocity(v);
  const auto azimuth = [&] {
    const Matrix3& rotation = simulator.body_pose(0).rotation;
    return std::atan2(rotation(1, 2), rotation(0, 2));
  };
  const double start = azimuth(), seconds = 0.5;
  simulator.step(num_steps(seconds, dt));
  require_certified(simulator);
  return std::remainder(azimuth() - start, 2.0 * M_PI) / seconds;
}

// Two rods of 1 m, one on the other. The energy half a step before the position, as velocities are; its largest change
// in ten seconds as a part of the first kinetic energy.
double swing_double(double dt) {
  ModelBuilder builder;
  const JointOptions hinge{.kind = JointKind::revolute, .axis = Vector3::UnitY()};
  const int upper = builder.add_body({.name = "upper", .joint = hinge, .inertia = rod(1.0, -Vector3::UnitZ())});
  builder.add_body({.name = "lower",
                    .parent = upper,
                    .pose = Pose(Vector3(0.0, 0.0, -1.0)),
                    .joint = hinge,
                    .inertia = rod(1.0, -Vector3::UnitZ())});
  Simulator simulator(builder.build(), {.time_step = dt});
  VectorX v(2);
  v << 2.0, 1.0;
  simulator.set_velocity(v);
  const auto energy = [&] {
    const DynamicsData& data = simulator.dynamics();
    const VectorX& now = simulator.state().v;
    return kinetic_energy(data, now.data()) + gravity_energy(data) -
           0.5 * dt * ConstVectorMap(data.bias.data(), now.size()).dot(now);
  };
  const double start = energy(), scale = kinetic_energy(simulator.dynamics(), v.data());
  double largest = 0.0;
  for (int k = 0; k < num_steps(10.0, dt); ++k) {
    simulator.step();
    const double change = (energy() - start) / scale;
    if (std::abs(change) > std::abs(largest)) largest = change;
  }
  require_certified(simulator);
  return largest;
}

// 1 kg on a spring without damper. The spring acts at the end of the step: with ω Δt = tan α every step turns
// (ω q, v) by α and shortens it by cos α.
constexpr double spring_rate = 10.0;  // ω, rad/s

struct Oscillated {
  double period = 0.0, amplitude = 0.0;  // the latter after 1 s, as a part of the first
};

Oscillated oscillate(double dt) {
  ModelBuilder builder;
  builder.add_body({.name = "mass",
                    .joint = {.kind = JointKind::prismatic,
                              .axis = Vector3::UnitX(),
                              .initial_position = 0.1,
                              .stiffness = spring_rate * spring_rate},
                    .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  Simulator simulator(builder.build(), {.time_step = dt});
  const auto phase = [&] { return std::atan2(-simulator.state().v[0], spring_rate * simulator.state().q[0]); };
  const int n = num_steps(1.0, dt);
  double turned = 0.0, last = 0.0;
  for (int k = 0; k < n; ++k) {
    simulator.step();
    const double now = phase();
    turned += std::remainder(now - last, 2.0 * M_PI);
    last = now;
  }
  require_certified(simulator);
  const double length = std::hypot(spring_rate * simulator.state().q[0], simulator.state().v[0]);
  return {2.0 * M_PI * n * dt / turned, length / (0.1 * spring_rate)};
}

// Four-bar: crank a, coupler b, rocker c, and d between the pivots.
constexpr double bar_a = 0.2, bar_b = 0.5, bar_c = 0.4, bar_d = 0.5;
constexpr double crank_rate = 2.0 * M_PI;  // rad/s: one turn in 1 s

// Freudenstein: d/a cos ψ − d/c cos φ + (a² − b² + c² + d²)/(2 a c) = cos(φ − ψ), the branch with the rocker up.
double rocker_angle(double phi) {
  const double k1 = bar_d / bar_a, k2 = bar_d / bar_c;
  const double k3 = (bar_a * bar_a - bar_b * bar_b + bar_c * bar_c + bar_d * bar_d) / (2.0 * bar_a * bar_c);
  const double c = std::cos(phi), s = std::sin(phi);
  const double p = c - k1 - k2 * c + k3, q = -2.0 * s, r = k1 - (k2 + 1.0) * c + k3;
  const double psi = 2.0 * std::atan2(-q - std::sqrt(q * q - 4.0 * p * r), 2.0 * p);
  return std::remainder(psi, 2.0 * M_PI);
}

}  // namespace

Turned turn_four_bar(double time_step) {
  ModelBuilder builder;
  const double psi = rocker_angle(0.0);
  const Vector3 tip = Vector3(bar_d, 0.0, 0.0) + bar_c * Vector3(std::cos(psi), std::sin(psi), 0.0);
  const auto hinge = [](double angle) {
    return JointOptions{.kind = JointKind::revolute, .axis = Vector3::UnitZ(), .initial_position = angle};
  };
  const int crank = builder.add_body({.name = "crank", .joint = hinge(0.0), .inertia = rod(bar_a, Vector3::UnitX())});
  const int coupler = builder.add_body({.name = "coupler",
                                        .parent = crank,
                                        .pose = Pose(Vector3(bar_a, 0.0, 0.0)),
                                        .joint = hinge(std::atan2(tip[1], tip[0] - bar_a)),
                                        .inertia = rod(bar_b, Vector3::UnitX())});
  const int rocker = builder.add_body({.name = "rocker",
                                       .pose = Pose(Vector3(bar_d, 0.0, 0.0)),
                                       .joint = hinge(psi),
                                       .inertia = rod(bar_c, Vector3::UnitX())});
  LoopOptions loop;
  loop.kind = LoopKind::hinge;
  loop.body_a = coupler;
  loop.body_b = rocker;
  loop.pose_a = Pose(Vector3(bar_b, 0.0, 0.0));
  loop.pose_b = Pose(Vector3(bar_c, 0.0, 0.0));
  builder.add_loop(loop);
  // So stiff that the linkage does not change the crank's speed.
  builder.add_actuator({.joint = "crank", .kind = ActuatorKind::velocity, .kd = 1e8});
  Simulator simulator(builder.build(), {.time_step = time_step});
  simulator.set_control(VectorX::Constant(1, crank_rate));
  const Model& model = simulator.model();
  const int output = model.joints[model.find_joint("rocker")].first_position;
  Turned result;
  for (int k = 1; k <= num_steps(1.0, time_step); ++k) {
    simulator.step();
    const double off =
        std::remainder(simulator.state().q[output] - rocker_angle(crank_rate * k * time_step), 2.0 * M_PI);
    if (std::abs(off) > std::abs(result.rocker_error)) result.rocker_error = off;
    const Pose end_a = simulator.body_pose(model.loops[0].body_a) * model.loops[0].pose_a;
    const Pose end_b = simulator.body_pose(model.loops[0].body_b) * model.loops[0].pose_b;
    result.loop_error = std::max(result.loop_error, (end_a.position - end_b.position).norm());
  }
  require_certified(simulator);
  return result;
}

std::vector<ClosedForm> mechanism_forms() {
  const std::array coarse{4e-3, 2e-3, 1e-3};
  std::vector<ClosedForm> forms;
  const auto add = [&](ClosedForm form) { forms.push_back(std::move(form)); };
  add({"PendulumPeriod", "uniform rod of 1 m swinging by 2 rad: period", "2π √(2 L/(3 g))/agm(1, cos(θ₀/2))", "s",
       2.0 * M_PI * std::sqrt(2.0 / (3.0 * g)) / arithmetic_geometric_mean(1.0, std::cos(0.5 * swing)), coarse,
       pendulum_period, Shrinks::second_order, 3e-6});
  add({"ConicalPendulum", "uniform rod of 1 m going round on a cone, 2 s: farthest angle", "cos θ = 3 g/(2 L Ω²)",
       "rad", cone_angle, coarse, cone, Shrinks::exact, 1e-9});
  add({"GyroscopePrecession",
       "top of 150 rad/s, 0.7 rad off the vertical, steady: rate of its precession",
       "A Ω² cos θ − C ω₃ Ω + m g l = 0",
       "rad/s",
       precession_rate,
       {2e-3, 1e-3, 5e-4},
       precess,
       Shrinks::second_order,
       2e-2});
  add({"DoublePendulumEnergy",
       "two rods of 1 m, one on the other, from 2 and 1 rad/s, 10 s: largest change of energy, as a part of the first "
       "kinetic energy",
       "", "", 0.0, coarse, swing_double, Shrinks::second_order, 1e-4});
  add({"SpringPeriod", "spring without damper, ω = 10 rad/s: period", "2π/ω", "s", 2.0 * M_PI / spring_rate, coarse,
       [](double dt) { return oscillate(dt).period; }, Shrinks::second_order, 1e-4});
  add({"SpringAmplitude", "the same: amplitude after 1 s, as a part of the first", "", "", 1.0, coarse,
       [](double dt) { return oscillate(dt).amplitude; }, Shrinks::first_order, 0.1});
  add({"FourBarAngle",
       "four-bar 0.2, 0.5, 0.4, 0.5 m, crank at 1 turn/s: largest error of the rocker's angle in a turn, "
       "Freudenstein's closed form",
       "", "rad", 0.0, coarse, [](double dt) { return turn_four_bar(dt).rocker_error; }, Shrinks::second_order, 6e-4});
  add({"FourBarLoop", "the same: largest distance of the ends that the loop joins", "", "m", 0.0, coarse,
       [](double dt) { return turn_four_bar(dt).loop_error; }, Shrinks::second_order, 2e-4});
  return forms;
}

std::vector<ClosedForm> closed_forms() {
  std::vector<ClosedForm> forms;
  for (const auto make : {rolling_forms, contact_forms, support_forms, mechanism_forms}) {
    for (ClosedForm& form : make()) forms.push_back(std::move(form));
  }
  return forms;
}

}  // namespace stiction::testing
