#include <cmath>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/closed_forms.h"

namespace stiction::testing {
namespace {

constexpr double g = gravity;

Quaternion turn_y(double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitY()));
}

// A ladder of length 2 l between wall and floor, both without friction. The ends are round, which makes it a ladder
// without thickness between planes that are a radius nearer.
constexpr double ladder_half = 1.0, ladder_radius = 0.02, ladder_angle = 1.2;  // m, m, rad from the floor

struct Left {
  // The sine of the angle: at the first step without a force of the wall, and where that force would end. The speed of
  // the centre along the floor from then.
  double first_free = 0.0, sine = 0.0, speed = 0.0;
};

std::shared_ptr<const Model> ladder(double angle, double floor_friction) {
  ModelBuilder builder;
  add_ground(builder, floor_friction);
  ShapeOptions wall{.name = "wall", .pose = Pose(turn_y(M_PI / 2.0), Vector3::Zero()), .geometry = Plane{}};
  wall.material.friction = 0.0;
  builder.add_shape(wall);
  const double l = ladder_half;
  const Vector3 centre = Vector3::Constant(ladder_radius) + l * Vector3(std::cos(angle), 0.0, std::sin(angle));
  const Inertia inertia{1.0, Vector3::Zero(), Vector3(l * l / 3.0, l * l / 3.0, 1e-3).asDiagonal()};
  const int body =
      builder.add_body({.name = "ladder", .pose = Pose(turn_y(angle - M_PI / 2.0), centre), .inertia = inertia});
  ShapeOptions rod{.name = "ladder", .body = body, .geometry = Capsule{ladder_radius, l}};
  rod.material.friction = floor_friction;  // the wall's is zero, and so is their geometric mean
  builder.add_shape(rod);
  return builder.build();
}

Left slide_ladder(double dt) {
  Simulator simulator(ladder(ladder_angle, 0.0), {.time_step = dt});
  // N/cos φ = 3/4 m g (3 sin φ − 2 sin φ₀) is a line in sin φ: where it ends, two of its points tell.
  double force[2] = {0.0, 0.0}, sine[2] = {0.0, 0.0};
  const double below[2] = {1.0, 0.5};  // N; the first step with less is a point
  for (int k = 0, found = 0; k < num_steps(2.0, dt); ++k) {
    const double s = simulator.body_pose(0).rotation(2, 2);
    simulator.step();
    double n = 0.0;
    for (const Contact& contact : simulator.contacts()) n += std::abs(contact.force[0]);
    if (found < 2 && s < 0.9 * std::sin(ladder_angle) && n < below[found]) {
      force[found] = n / std::sqrt(1.0 - s * s);
      sine[found++] = s;
    }
    if (found == 2 && n == 0.0) {
      require_certified(simulator);
      return {s, sine[1] - (sine[0] - sine[1]) * force[1] / (force[0] - force[1]), simulator.state().v[0]};
    }
  }
  return {};
}

// A box of 1 kg slides down a wedge of 3 kg that slides on the floor, all without friction.
constexpr double wedge_angle = 0.4, wedge_mass = 3.0, block_mass = 1.0;

double push_wedge(double dt) {
  ModelBuilder builder;
  add_ground(builder, 0.0);
  // The slope falls along x from (0, 0, height) and is 2 m long; the origin is the centre of mass.
  const double length = 2.0 * std::cos(wedge_angle), height = 2.0 * std::sin(wedge_angle);
  const Vector3 centre(length / 3.0, 0.0, height / 3.0);
  std::vector<Vector3> corners;
  for (const double y : {-0.5, 0.5}) {
    for (const auto& [x, z] : {std::pair(0.0, 0.0), std::pair(length, 0.0), std::pair(0.0, height)}) {
      corners.push_back(Vector3(x, y, z) - centre);
    }
  }
  add_free(builder, "wedge", ConvexHull::from_points(corners), wedge_mass, Pose(centre), 0.0);
  const Vector3 upon = turn_y(wedge_angle) * Vector3(0.3, 0.0, 0.1) + Vector3(0.0, 0.0, height);
  add_free(builder, "block", Box{{0.1, 0.1, 0.1}}, block_mass, Pose(turn_y(wedge_angle), upon), 0.0);
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.step(num_steps(0.5, dt));
  require_certified(simulator);
  return simulator.state().v[0];
}

// A ball in a groove of two planes, each turned by `groove` about the groove's direction, which falls along x.
constexpr double groove = 0.6, groove_slope = 0.3;

double roll_in_groove(double dt) {
  ModelBuilder builder;
  const Quaternion slope = turn_y(groove_slope);
  for (const double side : {-1.0, 1.0}) {
    ShapeOptions plane{.name = side < 0.0 ? "left" : "right", .geometry = Plane{}};
    plane.pose = Pose(slope * Quaternion(Eigen::AngleAxisd(side * groove, Vector3::UnitX())), Vector3::Zero());
    plane.material.friction = 0.5;
    builder.add_shape(plane);
  }
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(slope * Vector3(0.0, 0.0, 0.1 / std::cos(groove))), 0.5);
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.step(num_steps(1.0, dt));
  require_certified(simulator);
  return simulator.state().v.head<3>().dot(slope * Vector3::UnitX());
}

}  // namespace

double lean(double angle, double friction, double seconds, double time_step) {
  Simulator simulator(ladder(angle, friction), {.time_step = time_step});
  const double start = simulator.state().q[2];
  simulator.step(num_steps(seconds, time_step));
  require_certified(simulator);
  return start - simulator.state().q[2];
}

std::vector<ClosedForm> support_forms() {
  const std::array coarse{4e-3, 2e-3, 1e-3}, coarser{8e-3, 4e-3, 2e-3};
  const double ladder_sine = std::sin(ladder_angle);
  std::vector<ClosedForm> forms;
  const auto add = [&](ClosedForm form) { forms.push_back(std::move(form)); };
  add({"LadderLeaves", "ladder of 2 m from 1.2 rad, no friction: sine of the angle at which the wall's force ends",
       "2/3 sin φ₀", "", 2.0 / 3.0 * ladder_sine, coarse, [](double dt) { return slide_ladder(dt).sine; },
       Shrinks::second_order, 1.3e-5});
  add({"LadderLeavesInStep", "the same: sine at the first step without that force", "2/3 sin φ₀", "",
       2.0 / 3.0 * ladder_sine, coarse, [](double dt) { return slide_ladder(dt).first_free; }, Shrinks::located, 1.7});
  add({"LadderSpeed", "the same: speed along the floor from then", "sin φ₀ √(2 g l sin φ₀)/3", "m/s",
       ladder_sine * std::sqrt(2.0 * g * ladder_half * ladder_sine) / 3.0, coarser,
       [](double dt) { return slide_ladder(dt).speed; }, Shrinks::second_order, 1.8e-4});
  const double ws = std::sin(wedge_angle), wc = std::cos(wedge_angle);
  add({"WedgeSpeed", "box of 1 kg on a wedge of 3 kg and 0.4 rad, no friction: speed of the wedge after 0.5 s",
       "−m g sin θ cos θ/(M + m sin² θ) t", "m/s",
       -block_mass * g * ws * wc / (wedge_mass + block_mass * ws * ws) * 0.5, coarse, push_wedge, Shrinks::exact,
       1e-8});
  add({"GrooveSpeed", "ball in a groove of two planes at ±0.6 rad, slope 0.3 rad, μ = 0.5: speed after 1 s",
       "g sin θ/(1 + 2/(5 cos² γ)) t", "m/s",
       g * std::sin(groove_slope) / (1.0 + 0.4 / (std::cos(groove) * std::cos(groove))), coarse, roll_in_groove,
       Shrinks::exact, 1e-8});
  return forms;
}

}  // namespace stiction::testing
