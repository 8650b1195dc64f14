// Which links of a robot may touch each other. The file does not say, and the convex hulls of meshes overlap more than
// the robot does, so:
//   links on both sides of a joint do not touch. For moving parents ModelBuilder sees to that; a base that is fixed is
//   part of the world, which touches everything unless it is told here. Several hinges about one point with nothing
//   that collides between them are one joint: a wrist of three axes, a hip;
//   shapes that overlap, or fit to 0.1 mm, where the robot starts do not touch at all. They are listed. (Links that are
//   drawn to fit, such as a ball in its socket, can often not be separated by any motion of the joints between them.)
#include "stiction/collision/collider.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/io/urdf/urdf_reader.h"

namespace stiction {
namespace {

// Shapes nearer than this where the robot starts were drawn to fit: a cover on the next cover, a closed gripper. m
constexpr double fitting_gap = 1e-4;
constexpr double one_point = 1e-6;  // m; axes nearer than this meet

}  // namespace

// The lump on the other side of the joint, or of the joints about one point, that a lump hangs on.
int UrdfReader::neighbour_of(int k, const std::vector<Pose>& in_lump, const std::vector<bool>& has_shapes) const {
  const auto turns = [&](int link) {
    const UrdfJointType type = joints_[links_[link].parent_joint].type;
    return type == UrdfJointType::revolute || type == UrdfJointType::continuous;
  };
  const auto arm = [&](int link) {  // from the origin of the parent's lump to the joint
    const UrdfJoint& joint = joints_[links_[link].parent_joint];
    return (in_lump[joint.parent] * joint.origin).position.norm();
  };
  int at = k, next = links_[joints_[links_[k].parent_joint].parent].lump;
  while (next >= 0 && !has_shapes[next] && links_[next].parent_joint >= 0 && turns(at) && turns(next) &&
         arm(at) <= one_point) {
    at = next;
    next = links_[joints_[links_[at].parent_joint].parent].lump;
  }
  return next;
}

void UrdfReader::exclude_neighbours() {
  std::vector<std::vector<int>> lump_of(links_.size());  // bodies of the builder
  std::vector<int> base;
  std::vector<Pose> in_lump(links_.size());
  std::vector<bool> has_shapes(links_.size());
  for (const int k : order_) {
    const UrdfLink& link = links_[k];
    (link.lump < 0 ? base : lump_of[link.lump]).push_back(link.body);
    if (link.lump >= 0 && link.has_shapes) has_shapes[link.lump] = true;
    if (link.lump == k || link.parent_joint < 0) continue;
    const UrdfJoint& joint = joints_[link.parent_joint];
    in_lump[k] = in_lump[joint.parent] * joint.origin;
  }
  for (const int k : order_) {
    const UrdfLink& link = links_[k];
    if (link.lump != k || link.parent_joint < 0) continue;
    if (joints_[link.parent_joint].type == UrdfJointType::floating) continue;
    const int neighbour = neighbour_of(k, in_lump, has_shapes);
    for (const int a : neighbour < 0 ? base : lump_of[neighbour]) {
      for (const int b : lump_of[k])
        builder_.exclude_bodies(a, b), alone_.exclude_bodies(a - first_body_, b - first_body_);
    }
  }
}

void UrdfReader::exclude_overlaps() {
  std::shared_ptr<const Model> model;
  try {
    model = alone_.build();
  } catch (const std::invalid_argument&) {
    return;  // the world will be refused for the same reason, with its name
  }
  DynamicsData data(*model);
  update_kinematics(*model, model->initial_position.data(), model->initial_velocity.data(), data);
  std::vector<Pose> poses;
  for (int k = 0; k < model->num_bodies(); ++k) poses.push_back(body_pose(data, k));
  Collider collider(model);
  CollisionCache cache;
  std::set<std::pair<int, int>> overlaps;
  for (const ContactPoint& point : collider.collide(poses, {}, cache)) {
    if (point.gap < fitting_gap) overlaps.emplace(point.id.shape_a, point.id.shape_b);
  }
  for (const auto& [a, b] : overlaps) {
    builder_.exclude_shapes(shapes_[a].index, shapes_[b].index);
    note(shapes_[a].element, "collision between", model->shapes[a].name + " and " + model->shapes[b].name,
         "these shapes overlap or fit to 0.1 mm where the robot starts: they do not touch each other");
  }
}

}  // namespace stiction
