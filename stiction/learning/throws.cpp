#include "stiction/learning/throws.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using Generator = std::mt19937_64;

double uniform(Generator& generator, double lower, double upper) {
  return lower + (upper - lower) * static_cast<double>(generator() >> 11) * 0x1.0p-53;
}

// Even over all rotations (Shoemake).
Quaternion random_rotation(Generator& generator) {
  const double u = uniform(generator, 0.0, 1.0);
  const double a = uniform(generator, 0.0, 2.0 * std::numbers::pi), b = uniform(generator, 0.0, 2.0 * std::numbers::pi);
  const double s = std::sqrt(1.0 - u), c = std::sqrt(u);
  return {c * std::cos(b), s * std::sin(a), s * std::cos(a), c * std::sin(b)};
}

Vector3 random_in(Generator& generator, double largest) {
  const double x = uniform(generator, -largest, largest), y = uniform(generator, -largest, largest);
  return {x, y, uniform(generator, -largest, largest)};
}

// Corners of the body's boxes and hulls, in its frame, and all of its hulls.
struct BodyHull {
  std::shared_ptr<const ConvexHull> hull;
  double lowest(const Matrix3& rotation) const {
    double z = HUGE_VAL;
    for (const Vector3& point : hull->vertices()) z = std::min(z, rotation.row(2).dot(point));
    return z;
  }
};

BodyHull body_hull(const Model& model, int body) {
  std::vector<Vector3> points;
  for (const Shape& shape : model.shapes) {
    if (shape.body != body) continue;
    std::shared_ptr<const ConvexHull> hull;
    if (const auto* box = std::get_if<Box>(&shape.geometry)) {
      hull = ConvexHull::box(box->half_size);
    } else if (const auto* convex = std::get_if<std::shared_ptr<const ConvexHull>>(&shape.geometry)) {
      hull = *convex;
    } else {
      refuse("model: shape \"", shape.name, "\" is no box and no convex hull; throws take bodies with corners");
    }
    for (const Vector3& point : hull->vertices()) points.push_back(shape.pose * point);
  }
  if (points.empty()) refuse("model: the body has no shape");
  return {ConvexHull::from_points(points)};
}

// A rotation that turns `direction` of the body downwards, and anything about the vertical.
Matrix3 standing_on(Generator& generator, const Vector3& direction) {
  const Quaternion down = Quaternion::FromTwoVectors(direction, -Vector3::UnitZ());
  const Eigen::AngleAxisd yaw(uniform(generator, 0.0, 2.0 * std::numbers::pi), Vector3::UnitZ());
  return (Quaternion(yaw) * down).normalized().toRotationMatrix();
}

bool share_an_edge(const ConvexHull& hull, int a, int b) {
  int shared = 0;
  for (const int i : hull.face_vertices(hull.faces()[static_cast<std::size_t>(a)])) {
    for (const int j : hull.face_vertices(hull.faces()[static_cast<std::size_t>(b)])) shared += i == j;
  }
  return shared >= 2;
}

Matrix3 collision_rotation(Generator& generator, const ConvexHull& hull, int dimension) {
  if (dimension == 0) return random_rotation(generator).toRotationMatrix();
  const auto faces = static_cast<std::uint64_t>(hull.num_faces());
  const int a = static_cast<int>(generator() % faces);
  const Vector3 n_a = hull.faces()[static_cast<std::size_t>(a)].normal;
  if (dimension == 2) return standing_on(generator, n_a);
  int b = a;
  do b = static_cast<int>(generator() % faces);
  while (b == a || !share_an_edge(hull, a, b));
  const Vector3 n_b = hull.faces()[static_cast<std::size_t>(b)].normal;
  const double angle = std::acos(std::clamp(n_a.dot(n_b), -1.0, 1.0)), t = uniform(generator, 0.02, 0.98);
  return standing_on(generator, (std::sin((1.0 - t) * angle) * n_a + std::sin(t * angle) * n_b).normalized());
}

// Takes the velocity along the normal from what touches the ground.
void hold_down(const ConvexHull& hull, const Matrix3& rotation, Vector3& velocity, Vector3& spin) {
  double lowest = HUGE_VAL;
  for (const Vector3& point : hull.vertices()) lowest = std::min(lowest, rotation.row(2).dot(point));
  Vector3 center = Vector3::Zero(), first = center, farthest = center;
  int count = 0;
  for (const Vector3& point : hull.vertices()) {
    const Vector3 p = rotation * point;
    if (p.z() > lowest + 1e-9) continue;
    if (count++ == 0) first = p;
    if ((p - first).norm() > (farthest - first).norm() || count == 1) farthest = p;
    center += p;
  }
  center /= count;
  if (count == 2) {
    const Vector3 line = (farthest - first).normalized();
    spin = line * line.dot(spin) + Vector3(0.0, 0.0, spin.z());
  } else if (count > 2) {
    spin = Vector3(0.0, 0.0, spin.z());
  }
  velocity.z() = -spin.cross(center).z();
}

// Steps a simulator and makes samples of what happens.
class Observer {
 public:
  Observer(std::shared_ptr<const Model> model, const GenerateSettings& settings)
      : settings_(settings),
        simulator_(std::move(model), simulator_settings(settings)),
        body_(only_free_body(simulator_.model())),
        hull_(body_hull(simulator_.model(), body_)) {}

  Simulator& simulator() { return simulator_; }
  int body() const { return body_; }
  const ConvexHull& hull() const { return *hull_.hull; }
  double lowest(const Matrix3& rotation) const { return hull_.lowest(rotation); }

  // False: no contact.
  bool step(ContactSample& sample) {
    const Model& model = simulator_.model();
    const double dt = simulator_.time_step();
    const RigidBody body = rigid_body(model, body_, simulator_.state().q);
    const BodyVelocity v1 = flight_velocity(
        body, body_velocity(model, body_, simulator_.state().q, simulator_.state().v), model.gravity, dt);
    simulator_.step();
    const auto contacts = simulator_.contacts();
    if (contacts.empty()) return false;
    list_patch_points(contacts, body_, body.center, dt, simulator_.settings().constraints, points_);
    const PatchImpulse p = patch_impulse(contacts, body_, body.center, dt);
    const BodyVelocity end{v1.linear + p.linear / body.mass, v1.angular + body.world_inverse_inertia() * p.angular};
    return make_sample(body, v1, end, p, points_, dt, settings_.patch, sample);
  }

  ContactData empty_data(const char* kind) const {
    const RigidBody body = rigid_body(simulator_.model(), body_, simulator_.state().q);
    ContactData data;
    data.mass = body.mass;
    data.inertia = body.inertia;
    data.time_step = settings_.time_step;
    data.patch = settings_.patch;
    data.provenance["kind"] = kind;
    data.provenance["solver"] = settings_.solver;
    data.provenance["seed"] = std::to_string(settings_.seed);
    const ThrowRanges& r = settings_.ranges;
    data.provenance["ranges"] =
        message("lowest ", r.lowest, ", highest ", r.highest, ", speed ", r.speed, ", vertical_speed ",
                r.vertical_speed, ", spin ", r.spin, ", impact_speed ", r.impact_speed);
    return data;
  }

 private:
  static SimulatorSettings simulator_settings(const GenerateSettings& settings) {
    settings.validate();
    return {.time_step = settings.time_step, .solver = settings.solver};
  }

  GenerateSettings settings_;
  Simulator simulator_;
  int body_;
  BodyHull hull_;
  std::vector<PatchPoint> points_;
};

// Position of the frame's origin and velocity of it, for a body that turns about its centre of mass.
ThrowStart start_of(const Model& model, int body, const Quaternion& rotation, double height, const Vector3& velocity,
                    const Vector3& spin) {
  const Body& of = model.bodies[static_cast<std::size_t>(body)];
  ThrowStart start{model.initial_position, VectorX::Zero(model.num_velocities())};
  start.q.segment<3>(of.first_position) = Vector3(0.0, 0.0, height);
  start.q.segment<4>(of.first_position + 3) = rotation.coeffs();
  const Matrix3 turn = rotation.toRotationMatrix();
  start.v.segment<3>(of.first_velocity) = velocity - spin.cross(turn * of.com);
  start.v.segment<3>(of.first_velocity + 3) = turn.transpose() * spin;
  return start;
}

}  // namespace

void ThrowRanges::validate() const {
  require(lowest >= 0.0 && std::isfinite(lowest), "lowest", lowest, "at least 0");
  require(highest >= lowest && std::isfinite(highest), "highest", highest, "at least lowest");
  require(speed >= 0.0 && std::isfinite(speed), "speed", speed, "at least 0");
  require(vertical_speed >= 0.0 && std::isfinite(vertical_speed), "vertical_speed", vertical_speed, "at least 0");
  require(spin >= 0.0 && std::isfinite(spin), "spin", spin, "at least 0");
  require(impact_speed >= 0.0 && std::isfinite(impact_speed), "impact_speed", impact_speed, "at least 0");
}

void GenerateSettings::validate() const {
  ranges.validate();
  patch.validate();
  require(time_step > 0.0 && std::isfinite(time_step), "time_step", time_step, "positive and finite");
  require(steps >= 1, "steps", steps, "at least 1");
  require(most_static >= 1, "most_static", most_static, "at least 1");
  require(dimension >= -1 && dimension <= 2, "dimension", dimension, "within -1 … 2");
}

ThrownBody ThrownBody::box(const Vector3& half_size) {
  const auto hull = ConvexHull::box(half_size);
  return {{hull->vertices().begin(), hull->vertices().end()}};
}

ThrownBody ThrownBody::pentagonal_prism(double radius, double half_length) {
  require(radius > 0.0 && std::isfinite(radius), "radius", radius, "positive and finite");
  require(half_length > 0.0 && std::isfinite(half_length), "half_length", half_length, "positive and finite");
  ThrownBody body;
  for (int k = 0; k < 5; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 5.0;
    for (const double z : {-half_length, half_length}) {
      body.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  return body;
}

std::shared_ptr<const Model> ThrownBody::model() const {
  const auto given = ConvexHull::from_points(points);
  std::vector<Vector3> centered(points);
  for (Vector3& point : centered) point -= given->com();
  const auto hull = ConvexHull::from_points(centered);
  ModelBuilder builder;
  // Friction by the ground's axes: the rule must not take a mean with the body's.
  builder.add_shape({.name = "ground",
                     .geometry = Plane{},
                     .material = {.friction = friction, .friction_2 = friction_2, .priority = 1}});
  const int body = builder.add_body(
      {.name = "thrown",
       .pose = Pose(Vector3(0, 0, 1)),
       .inertia = Inertia{density * hull->volume(), Vector3::Zero(), Matrix3(density * hull->unit_inertia())}});
  builder.add_shape({.name = "thrown", .body = body, .geometry = hull, .material = {.friction = friction}});
  return builder.build();
}

ThrowStart throw_start(const Model& model, const ThrowRanges& ranges, std::uint64_t seed, int k) {
  ranges.validate();
  const int body = only_free_body(model);
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(k)};
  Generator generator(words);
  const Quaternion rotation = random_rotation(generator);
  Vector3 velocity = random_in(generator, ranges.speed);
  velocity.z() = uniform(generator, -ranges.vertical_speed, ranges.vertical_speed);
  const Vector3 spin = random_in(generator, ranges.spin);
  const double above = uniform(generator, ranges.lowest, ranges.highest);
  const double height = above - body_hull(model, body).lowest(rotation.toRotationMatrix());
  return start_of(model, body, rotation, height, velocity, spin);
}

ContactData generate_throws(std::shared_ptr<const Model> model, int count, const GenerateSettings& settings,
                            const std::function<void(int)>& done) {
  require(count >= 1, "count", count, "at least 1");
  Observer observer(std::move(model), settings);
  Simulator& simulator = observer.simulator();
  ContactData data = observer.empty_data("throws");
  for (int k = 0; k < count; ++k) {
    const ThrowStart start = throw_start(simulator.model(), settings.ranges, settings.seed, k);
    simulator.reset();
    simulator.set_position(start.q);
    simulator.set_velocity(start.v);
    int static_steps = 0;
    for (int i = 0; i < settings.steps; ++i) {
      ContactSample sample;
      if (!observer.step(sample)) continue;
      static_steps = sample.state == PatchState::sticking ? static_steps + 1 : 0;
      if (static_steps > settings.most_static) continue;
      data.samples.push_back(sample);
    }
    if (done) done(k + 1);
  }
  data.provenance["count"] = std::to_string(count);
  return data;
}

ContactData generate_collisions(std::shared_ptr<const Model> model, int count, const GenerateSettings& settings,
                                const std::function<void(int)>& done) {
  require(count >= 1, "count", count, "at least 1");
  Observer observer(std::move(model), settings);
  Simulator& simulator = observer.simulator();
  ContactData data = observer.empty_data("collisions");
  Generator generator(settings.seed);
  const ThrowRanges& ranges = settings.ranges;
  for (int k = 0; k < count; ++k) {
    const int dimension = settings.dimension >= 0 ? settings.dimension : k % 3;
    const Matrix3 rotation = collision_rotation(generator, observer.hull(), dimension);
    // Slow ones too: over two decades.
    const double size = std::pow(10.0, uniform(generator, -2.0, 0.0));
    Vector3 velocity = size * random_in(generator, ranges.speed);
    velocity.z() = size * uniform(generator, -ranges.impact_speed, 0.1 * ranges.impact_speed);
    Vector3 spin = size * random_in(generator, ranges.spin);
    // What slides on comes down by gravity alone: a third of them.
    if (generator() % 3 == 0) hold_down(observer.hull(), rotation, velocity, spin);
    const double gap =
        (generator() & 1U) ? 0.0 : uniform(generator, 0.0, settings.time_step * std::max(0.0, -velocity.z()));
    const ThrowStart start = start_of(simulator.model(), observer.body(), Quaternion(rotation),
                                      gap - observer.lowest(rotation), velocity, spin);
    simulator.set_position(start.q);
    simulator.set_velocity(start.v);
    ContactSample sample;
    if (observer.step(sample)) data.samples.push_back(sample);
    if (done) done(k + 1);
  }
  data.provenance["count"] = std::to_string(count);
  return data;
}

}  // namespace stiction
