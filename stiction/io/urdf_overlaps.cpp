// Which links of a robot may touch each other. The file does not say, and the convex hulls of meshes overlap more than
// the robot does, so:
//   links on both sides of a joint do not touch. For moving parents ModelBuilder sees to that; a base that is fixed is
//   part of the world, which touches everything unless it is told here;
//   shapes that overlap where the robot starts do not touch at all. They are listed.
#include "stiction/collision/collider.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/io/urdf_reader.h"

namespace stiction {
namespace {

constexpr double least_overlap = 1e-6;  // m

}  // namespace

void UrdfReader::exclude_base() {
  std::vector<std::vector<int>> lump_of(links_.size());  // bodies of the builder
  std::vector<int> base;
  for (const int k : order_) {
    if (links_[k].lump >= 0) lump_of[links_[k].lump].push_back(links_[k].body);
    if (links_[k].lump < 0) base.push_back(links_[k].body);
  }
  for (const int k : order_) {
    const UrdfLink& link = links_[k];
    const bool hangs_on_base =
        link.lump == k && link.parent_joint >= 0 && links_[joints_[link.parent_joint].parent].lump < 0;
    if (!hangs_on_base || joints_[link.parent_joint].type == UrdfJointType::floating) continue;
    for (const int a : base) {
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
    if (point.gap < -least_overlap) overlaps.emplace(point.id.shape_a, point.id.shape_b);
  }
  for (const auto& [a, b] : overlaps) {
    builder_.exclude_shapes(shapes_[a].index, shapes_[b].index);
    note(shapes_[a].element, "collision between", model->shapes[a].name + " and " + model->shapes[b].name,
         "these shapes overlap where the robot starts: they do not touch each other");
  }
}

}  // namespace stiction
