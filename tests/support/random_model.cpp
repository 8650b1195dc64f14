#include "random_model.h"

#include <cmath>

namespace stiction::testing {
namespace {

JointKind random_kind(Rng& rng, const RandomWorldOptions& options, bool may_be_free) {
  if (may_be_free && random_real(rng, 0.0, 1.0) < 0.4) return JointKind::free;
  constexpr JointKind kinds[] = {
      JointKind::ball,        JointKind::revolute, JointKind::revolute, JointKind::prismatic, JointKind::planar,
      JointKind::cylindrical, JointKind::fixed,    JointKind::fixed,    JointKind::universal, JointKind::revolute};
  const JointKind kind = kinds[random_int(rng, 0, static_cast<int>(std::size(kinds)) - 1)];
  return kind == JointKind::fixed && !options.with_fixed ? JointKind::revolute : kind;
}

JointOptions random_joint(Rng& rng, const RandomWorldOptions& options, JointKind kind) {
  JointOptions joint{.kind = kind};
  if (kind != JointKind::free && random_int(rng, 0, 2) > 0) joint.pose = random_pose(rng, 0.3);
  joint.axis = random_direction(rng);
  joint.axis_2 = joint.axis.cross(random_direction(rng)).normalized();
  const bool one = kind == JointKind::revolute || kind == JointKind::prismatic;
  if (one && random_int(rng, 0, 1) == 0) joint.reference = random_real(rng, -1.0, 1.0);
  if (one) joint.initial_position = random_real(rng, -0.5, 0.5);
  if (!options.with_joint_terms || kind == JointKind::free || random_int(rng, 0, 1) == 0) return joint;
  joint.armature = random_real(rng, 0.0, 0.2);
  joint.damping = random_real(rng, 0.0, 0.5);
  joint.dry_friction = random_real(rng, 0.0, 0.1);
  if (kind == JointKind::ball) return joint;
  joint.stiffness = random_real(rng, 0.0, 5.0);
  joint.rest_position = random_real(rng, -0.5, 0.5);
  joint.lower = random_real(rng, -3.0, -1.0);
  joint.upper = random_real(rng, 1.0, 3.0);
  joint.effort_limit = random_real(rng, 1.0, 10.0);
  return joint;
}

BodyOptions random_body(Rng& rng, const RandomWorldOptions& options, const std::vector<BodyOptions>& before) {
  BodyOptions body;
  const int index = static_cast<int>(before.size());
  const bool is_root = index == 0 || random_real(rng, 0.0, 1.0) < options.share_of_roots;
  // Often the latest body, so that chains get long.
  body.parent = is_root ? -1 : random_int(rng, 0, 1) == 0 ? index - 1 : random_int(rng, 0, index - 1);
  body.pose = random_pose(rng, 0.5);
  body.inertia = random_inertia(rng);
  if (options.with_sequences && random_int(rng, 0, 5) == 0) {
    // A slide and one or two turns, or turns about two axes: none does what another does.
    body.joints.push_back(random_joint(rng, options, JointKind::prismatic));
    body.joints.push_back(random_joint(rng, options, JointKind::revolute));
    if (random_int(rng, 0, 1) == 0) body.joints.push_back(random_joint(rng, options, JointKind::revolute));
  } else {
    body.joint = random_joint(rng, options, random_kind(rng, options, is_root));
  }
  return body;
}

Geometry random_geometry(Rng& rng) {
  const auto size = [&] { return random_real(rng, 0.05, 0.3); };
  switch (random_int(rng, 0, 4)) {
    case 0:
      return Sphere{size()};
    case 1:
      return Capsule{size(), size()};
    case 2:
      return Cylinder{size(), size()};
    case 3:
      return Ellipsoid{Vector3(0.1, 0.2, 0.3) + random_vector(rng, 0.05)};
    default:
      return Box{Vector3(0.1, 0.2, 0.3) + random_vector(rng, 0.05)};
  }
}

ShapeOptions random_shape(Rng& rng, int body) {
  ShapeOptions shape{.body = body, .pose = random_pose(rng, 0.2), .geometry = random_geometry(rng)};
  shape.material.friction = random_real(rng, 0.1, 1.2);
  return shape;
}

Pose joint_motion(const Body& body, const VectorX& q) {
  const int p = body.first_position;
  switch (body.joint) {
    case JointType::free:
      return {Quaternion(q[p + 6], q[p + 3], q[p + 4], q[p + 5]), q.segment<3>(p)};
    case JointType::ball:
      return {Quaternion(q[p + 3], q[p], q[p + 1], q[p + 2]), Vector3::Zero()};
    case JointType::revolute:
      return {Eigen::AngleAxisd(q[p], Vector3::UnitZ()).toRotationMatrix(), Vector3::Zero()};
    case JointType::prismatic:
      return Pose(Vector3(0.0, 0.0, q[p]));
  }
  return Pose();
}

}  // namespace

double random_real(Rng& rng, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(rng);
}

int random_int(Rng& rng, int lower, int upper) {
  return std::uniform_int_distribution<int>(lower, upper)(rng);
}

Vector3 random_vector(Rng& rng, double size) {
  const double x = random_real(rng, -size, size), y = random_real(rng, -size, size), z = random_real(rng, -size, size);
  return {x, y, z};
}

Vector3 random_direction(Rng& rng) {
  Vector3 direction;
  do direction = random_vector(rng);
  while (direction.norm() > 1.0 || direction.norm() < 0.1);
  return direction.normalized();
}

Quaternion random_rotation(Rng& rng) {
  Quaternion q;
  do {
    q.vec() = random_vector(rng);
    q.w() = random_real(rng, -1.0, 1.0);
  } while (q.norm() > 1.0 || q.norm() < 0.1);
  return q.normalized();
}

Pose random_pose(Rng& rng, double size) {
  const Quaternion rotation = random_rotation(rng);
  return {rotation, random_vector(rng, size)};
}

Inertia random_inertia(Rng& rng) {
  const Box box{Vector3(0.15, 0.2, 0.25) + random_vector(rng, 0.1)};
  const double mass = random_real(rng, 0.1, 3.0);
  return Inertia::of(box, mass).in(random_pose(rng, 0.2));
}

RandomWorld random_world(Rng& rng, const RandomWorldOptions& options) {
  RandomWorld world;
  ModelBuilder builder;
  for (int k = 0; k < options.bodies; ++k) {
    BodyOptions body = random_body(rng, options, world.bodies);
    builder.add_body(body);
    world.bodies.push_back(std::move(body));
    if (!options.with_shapes || random_int(rng, 0, 4) == 0) continue;
    ShapeOptions shape = random_shape(rng, k);
    builder.add_shape(shape);
    world.shapes.push_back(std::move(shape));
  }
  world.model = builder.build();
  return world;
}

std::shared_ptr<const Model> random_model(Rng& rng, int num_bodies) {
  return random_world(rng, {.bodies = num_bodies}).model;
}

VectorX random_position(Rng& rng, const Model& model) {
  VectorX q(model.num_positions());
  for (Eigen::Index k = 0; k < q.size(); ++k) q[k] = random_real(rng, -1.0, 1.0);
  for (const Body& body : model.bodies) {
    if (body.joint != JointType::free && body.joint != JointType::ball) continue;
    q.segment<4>(body.first_position + (body.joint == JointType::free ? 3 : 0)) = random_rotation(rng).coeffs();
  }
  return q;
}

VectorX random_velocity(Rng& rng, const Model& model) {
  VectorX v(model.num_velocities());
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = random_real(rng, -1.0, 1.0);
  return v;
}

std::vector<Pose> body_poses(const Model& model, const VectorX& q) {
  std::vector<Pose> poses;
  for (const Body& body : model.bodies) {
    const Pose parent = body.parent < 0 ? Pose() : poses[body.parent];
    const Pose base = body.joint == JointType::free ? Pose() : parent * body.placement;
    poses.push_back(base * joint_motion(body, q));
  }
  return poses;
}

Pose frame_pose(const Model&, const std::vector<Pose>& poses, const Frame& frame) {
  return frame.body < 0 ? frame.pose : poses[frame.body] * frame.pose;
}

}  // namespace stiction::testing
