#include "equal_models.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction::testing {
namespace {

void expect_near(double a, double b, double tolerance, const std::string& what) {
  if (a == b) return;
  EXPECT_NEAR(a, b, tolerance * std::max(1.0, std::abs(a))) << what;
}
void expect_same_pose(const Pose& a, const Pose& b, double tolerance, const std::string& what) {
  EXPECT_LE((a.position - b.position).norm(), tolerance * std::max(1.0, a.position.norm())) << what;
  EXPECT_LE((a.rotation - b.rotation).norm(), tolerance) << what;
}

std::vector<double> dimensions_of(const Geometry& geometry) {
  return std::visit(
      [](const auto& g) -> std::vector<double> {
        using T = std::decay_t<decltype(g)>;
        if constexpr (std::is_same_v<T, Sphere>) return {g.radius};
        if constexpr (std::is_same_v<T, Capsule> || std::is_same_v<T, Cylinder>) return {g.radius, g.half_length};
        if constexpr (std::is_same_v<T, Ellipsoid>) return {g.radii[0], g.radii[1], g.radii[2]};
        if constexpr (std::is_same_v<T, Box>) return {g.half_size[0], g.half_size[1], g.half_size[2]};
        return {};
      },
      geometry);
}

std::vector<Vector3> points_of(const Geometry& geometry) {
  std::vector<Vector3> points;
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&geometry)) {
    points.assign((*hull)->vertices().begin(), (*hull)->vertices().end());
  } else if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&geometry)) {
    points.assign((*mesh)->vertices().begin(), (*mesh)->vertices().end());
  } else if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&geometry)) {
    for (int j = 0; j < (*field)->num_y(); ++j) {
      for (int i = 0; i < (*field)->num_x(); ++i) points.push_back((*field)->sample(i, j));
    }
  }
  return points;
}

void expect_same_shape(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Sameness& same) {
  const std::string what = "shape " + a.name;
  ASSERT_EQ(a.kind(), b.kind()) << what;
  const auto size_a = dimensions_of(a.geometry), size_b = dimensions_of(b.geometry);
  for (std::size_t k = 0; k < size_a.size(); ++k) expect_near(size_a[k], size_b[k], same.tolerance, what);
  const auto points_a = points_of(a.geometry), points_b = points_of(b.geometry);
  ASSERT_EQ(points_a.size(), points_b.size()) << what;
  for (const Vector3& p : points_a) {  // a file may turn a mesh in its frame and number it anew
    double nearest = no_limit;
    for (const Vector3& q : points_b) nearest = std::min(nearest, (pose_a * p - pose_b * q).norm());
    EXPECT_LE(nearest, same.mesh_tolerance) << what;
  }
  if (points_a.empty()) expect_same_pose(pose_a, pose_b, same.tolerance, what);
  EXPECT_EQ(a.group, b.group) << what;
  EXPECT_EQ(a.mask, b.mask) << what;
  if (same.materials) {
    expect_near(a.material.friction, b.material.friction, same.tolerance, what);
    EXPECT_EQ(a.material.priority, b.material.priority) << what;
  }
  for (int k = 0; k < 4 && same.colors; ++k) EXPECT_NEAR(a.color[k], b.color[k], 1e-6) << what;
}

void expect_same_dof(const Dof& a, const Dof& b, double tolerance, const std::string& what) {
  expect_near(a.armature, b.armature, tolerance, what + " armature");
  expect_near(a.damping, b.damping, tolerance, what + " damping");
  expect_near(a.stiffness, b.stiffness, tolerance, what + " stiffness");
  expect_near(a.rest_position, b.rest_position, tolerance, what + " rest_position");
  expect_near(a.dry_friction, b.dry_friction, tolerance, what + " dry_friction");
  expect_near(a.lower, b.lower, tolerance, what + " lower");
  expect_near(a.upper, b.upper, tolerance, what + " upper");
  expect_near(a.effort_limit, b.effort_limit, tolerance, what + " effort_limit");
}

// Poses, inertia matrix, bias and energies at random states.
void expect_same_motion(const Model& a, const Model& b, const Sameness& same) {
  Rng rng(7);
  DynamicsData data_a(a), data_b(b);
  for (int trial = 0; trial < 3; ++trial) {
    const VectorX q = trial == 0 ? a.initial_position : random_position(rng, a), v = random_velocity(rng, a);
    update_kinematics(a, q.data(), v.data(), data_a), update_kinematics(b, q.data(), v.data(), data_b);
    update_inertia(a, data_a), update_inertia(b, data_b);
    const MatrixX inertia = inertia_matrix(a, data_a);
    const double size = std::max(1.0, inertia.cwiseAbs().maxCoeff());
    EXPECT_LE((inertia - inertia_matrix(b, data_b)).cwiseAbs().maxCoeff(), 10.0 * same.tolerance * size);
    VectorX tau_a(v.size()), tau_b(v.size());
    inverse_dynamics(a, data_a, v.data(), nullptr, 0, tau_a.data());
    inverse_dynamics(b, data_b, v.data(), nullptr, 0, tau_b.data());
    EXPECT_LE((tau_a - tau_b).lpNorm<Eigen::Infinity>(),
              100.0 * same.tolerance * (1.0 + tau_a.lpNorm<Eigen::Infinity>()));
    const auto pose = [](const DynamicsData& data, int body, const Pose& on) {
      return body < 0 ? on : body_pose(data, body) * on;
    };
    for (const Frame& frame : a.frames) {
      if (frame.is_site && !same.sites) continue;
      const auto twin = std::find_if(b.frames.begin(), b.frames.end(), [&](const Frame& f) {
        return f.name == frame.name && f.is_site == frame.is_site;
      });
      ASSERT_TRUE(twin != b.frames.end()) << "frame " << frame.name;
      expect_same_pose(pose(data_a, frame.body, frame.pose), pose(data_b, twin->body, twin->pose),
                       10.0 * same.tolerance, "frame " + frame.name);
    }
    for (const Shape& shape : a.shapes) {
      if (!same.shapes) break;
      const Shape& twin = b.shapes[b.find_shape(shape.name)];
      expect_same_shape(shape, pose(data_a, shape.body, shape.pose), twin, pose(data_b, twin.body, twin.pose), same);
    }
  }
}

std::set<std::pair<std::string, std::string>> names_of(const Model& model,
                                                       const std::vector<std::pair<int, int>>& pairs) {
  std::set<std::pair<std::string, std::string>> names;
  for (const auto& [i, j] : pairs) names.insert(std::minmax(model.shapes[i].name, model.shapes[j].name));
  return names;
}

void expect_same_links(const Model& a, const Model& b, const Sameness& same) {
  ASSERT_EQ(a.loops.size(), b.loops.size());
  const auto in_world = [](const DynamicsData& data, int body, const Pose& on) {
    return body < 0 ? on : body_pose(data, body) * on;
  };
  DynamicsData data_a(a), data_b(b);
  update_kinematics(a, a.initial_position.data(), a.initial_velocity.data(), data_a);
  update_kinematics(b, b.initial_position.data(), b.initial_velocity.data(), data_b);
  for (std::size_t k = 0; k < a.loops.size(); ++k) {
    const Loop &x = a.loops[k], &y = b.loops[k];
    EXPECT_EQ(x.name, y.name);
    ASSERT_EQ(x.kind, y.kind) << x.name;
    EXPECT_EQ(x.dof_a, y.dof_a);
    EXPECT_EQ(x.dof_b, y.dof_b);
    for (int c = 0; c < 5; ++c) expect_near(x.coefficients[c], y.coefficients[c], 10.0 * same.tolerance, x.name);
    if (x.kind == LoopKind::joint_equality) continue;
    EXPECT_EQ(x.body_a, y.body_a);
    EXPECT_EQ(x.body_b, y.body_b);
    const Pose xa = in_world(data_a, x.body_a, x.pose_a), xb = in_world(data_a, x.body_b, x.pose_b);
    const Pose ya = in_world(data_b, y.body_a, y.pose_a), yb = in_world(data_b, y.body_b, y.pose_b);
    EXPECT_LE((xa.position - ya.position).norm(), 10.0 * same.tolerance) << x.name;
    EXPECT_LE((xb.position - yb.position).norm(), 10.0 * same.tolerance) << x.name;
    const Matrix3 relative_x = xa.rotation * xb.rotation.transpose(),
                  relative_y = ya.rotation * yb.rotation.transpose();
    if (x.kind == LoopKind::weld) {
      EXPECT_LE((relative_x - relative_y).norm(), 10.0 * same.tolerance) << x.name;
    }
  }
  ASSERT_EQ(a.actuators.size(), b.actuators.size());
  for (std::size_t k = 0; k < a.actuators.size(); ++k) {
    const Actuator &x = a.actuators[k], &y = b.actuators[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.kind, y.kind) << x.name;
    EXPECT_EQ(x.dof, y.dof) << x.name;
    expect_near(x.gear, y.gear, same.tolerance, x.name), expect_near(x.kp, y.kp, same.tolerance, x.name);
    expect_near(x.kd, y.kd, same.tolerance, x.name);
    expect_near(x.control_lower, y.control_lower, same.tolerance, x.name);
    expect_near(x.control_upper, y.control_upper, same.tolerance, x.name);
    expect_near(x.force_lower, y.force_lower, same.tolerance, x.name);
    expect_near(x.force_upper, y.force_upper, same.tolerance, x.name);
  }
  ASSERT_EQ(a.keyframes.size(), b.keyframes.size());
  for (std::size_t k = 0; k < a.keyframes.size(); ++k) {
    const Keyframe &x = a.keyframes[k], &y = b.keyframes[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.time, y.time);
    EXPECT_LE((x.q - y.q).lpNorm<Eigen::Infinity>(), same.tolerance) << x.name;
    EXPECT_LE((x.v - y.v).lpNorm<Eigen::Infinity>(), same.tolerance) << x.name;
    if (x.control.size() > 0) {
      EXPECT_LE((x.control - y.control).lpNorm<Eigen::Infinity>(), same.tolerance) << x.name;
    }
  }
}

}  // namespace

void expect_equal_models(const Model& a, const Model& b, const Sameness& same) {
  EXPECT_LE((a.gravity - b.gravity).norm(), same.tolerance);
  if (same.time_step) {
    EXPECT_EQ(a.suggested_time_step, b.suggested_time_step);
  }
  ASSERT_EQ(a.num_bodies(), b.num_bodies());
  ASSERT_EQ(a.num_positions(), b.num_positions());
  ASSERT_EQ(a.num_velocities(), b.num_velocities());
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  if (same.joint_names) {
    ASSERT_EQ(a.joints.size(), b.joints.size());
    for (std::size_t k = 0; k < a.joints.size(); ++k) {
      EXPECT_EQ(a.joints[k].name, b.joints[k].name);
      EXPECT_EQ(a.joints[k].kind, b.joints[k].kind);
      EXPECT_EQ(a.joints[k].first_position, b.joints[k].first_position);
    }
  }
  if (same.initial) {
    EXPECT_LE((a.initial_position - b.initial_position).lpNorm<Eigen::Infinity>(), 10.0 * same.tolerance);
  }
  for (int k = 0; k < a.num_velocities() && same.dofs; ++k) {
    expect_same_dof(a.dofs[k], b.dofs[k], same.tolerance, "dof " + std::to_string(k));
  }
  for (int k = 0; k < a.num_bodies(); ++k) {
    EXPECT_EQ(a.bodies[k].parent, b.bodies[k].parent);
    EXPECT_EQ(a.bodies[k].joint, b.bodies[k].joint);
    expect_near(a.bodies[k].mass, b.bodies[k].mass, same.tolerance, "mass of body " + std::to_string(k));
  }
  expect_same_motion(a, b, same);
  if (same.materials) {
    EXPECT_EQ(a.friction_rule, b.friction_rule);
  }
  if (same.filters) {
    EXPECT_EQ(names_of(a, a.excluded_pairs), names_of(b, b.excluded_pairs));
    EXPECT_EQ(names_of(a, a.forced_pairs), names_of(b, b.forced_pairs));
  }
  if (same.links) expect_same_links(a, b, same);
}

}  // namespace stiction::testing
