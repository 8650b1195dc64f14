#include "stiction/learning/contact_features.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using Matrix3Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// Slip and approach as they vary over the patch.
struct PatchMotion {
  Vector3 slip = Vector3::Zero();  // tangential velocity at the centre
  double approach = 0.0;           // mean of n·v + promise
  Vector3 tilt = Vector3::Zero();  // gradient of the approach in the plane, 1/s
  double spin = 0.0;               // about n, rad/s
  double speed = 0.0;
  double closing = 0.0;  // root mean square of the approach
};

PatchMotion patch_motion(const BodyVelocity& velocity, const ContactPatch& patch, std::span<const PatchPoint> points,
                         std::span<const int> chosen) {
  PatchMotion motion;
  const Vector3 n = patch.normal;
  const Vector3 at_center = velocity.at(patch.center);
  motion.slip = at_center - n * n.dot(at_center);
  motion.spin = n.dot(velocity.angular);
  Vector3 moment = Vector3::Zero();
  double square = 0.0, closing = 0.0;
  for (const int i : chosen) {
    const PatchPoint& point = points[static_cast<std::size_t>(i)];
    const Vector3 v = velocity.at(point.offset);
    const double approach = n.dot(v) + point.promise;
    motion.approach += approach / patch.num_points;
    closing += approach * approach / patch.num_points;
    moment += approach * (point.offset - patch.center) / patch.num_points;
    square += ((v - n * n.dot(v)).squaredNorm() + approach * approach) / patch.num_points;
  }
  motion.speed = std::sqrt(square);
  motion.closing = std::sqrt(closing);
  moment -= n * n.dot(moment);
  if (patch.dimension == 1) {
    motion.tilt = patch.direction * patch.direction.dot(moment) / patch.direction.dot(patch.moments * patch.direction);
  } else if (patch.dimension == 2) {
    // n nᵀ fills the direction in which the moments are zero.
    motion.tilt = (patch.moments + n * n.transpose() * patch.moments.trace()).inverse() * moment;
    motion.tilt -= n * n.dot(motion.tilt);
  }
  return motion;
}

// t1 along the slip; where there is none, along the line, or the body's axis that leans least out of the plane. All of
// these turn with the scene.
Vector3 first_tangent(const RigidBody& body, const ContactPatch& patch, const PatchMotion& motion) {
  if (motion.slip.norm() > 1e-9 * std::max(motion.speed, 1e-9)) return motion.slip.normalized();
  const Vector3 n = patch.normal;
  Vector3 best = Vector3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3 a = body.rotation.col(axis);
    const Vector3 flat = a - n * n.dot(a);
    if (flat.squaredNorm() > best.squaredNorm() + 1e-6) best = flat;
  }
  return best.normalized();
}

void put_matrix(const Matrix3& matrix, VectorX& input, int& at) {
  Eigen::Map<Matrix3Rows>(input.data() + at) = matrix;
  at += 9;
}

void put(const Vector3& vector, VectorX& input, int& at) {
  input.segment<3>(at) = vector;
  at += 3;
}

}  // namespace

std::string_view to_string(FeatureSet set) {
  switch (set) {
    case FeatureSet::paper:
      return "paper";
    case FeatureSet::patch:
      return "patch";
    case FeatureSet::patch_ground:
      return "patch_ground";
  }
  return "unknown";
}

FeatureSet to_feature_set(std::string_view name) {
  for (const FeatureSet set : {FeatureSet::paper, FeatureSet::patch, FeatureSet::patch_ground}) {
    if (to_string(set) == name) return set;
  }
  refuse("features: there is no set \"", name, "\"; there are paper, patch, patch_ground");
}

int num_features(FeatureSet set) {
  return set == FeatureSet::patch_ground ? 23 : 21;
}

std::vector<std::string> feature_names(FeatureSet set) {
  std::vector<std::string> names;
  for (const char* row : {"x", "y", "z"}) {
    for (const char* column : {"x", "y", "z"}) names.push_back(message("rotation_", row, column));
  }
  const auto add_vector = [&](const char* name) {
    for (const char* axis : {"_x", "_y", "_z"}) names.push_back(message(name, axis));
  };
  if (set == FeatureSet::paper) {
    for (const char* name : {"velocity", "angular_velocity", "center", "center_velocity"}) add_vector(name);
    return names;
  }
  add_vector("center");
  for (const char* name :
       {"slip", "approach", "spin", "tilt_1", "tilt_2", "moment_11", "moment_12", "moment_22", "radius"}) {
    names.emplace_back(name);
  }
  if (set == FeatureSet::patch_ground) {
    names.emplace_back("slip_direction_1");
    names.emplace_back("slip_direction_2");
  }
  return names;
}

void find_features(FeatureSet set, const RigidBody& body, const BodyVelocity& velocity, const ContactPatch& patch,
                   std::span<const PatchPoint> points, std::span<const int> chosen, ContactFeatures& features) {
  features.input.resize(num_features(set));
  VectorX& input = features.input;
  const PatchMotion motion = patch_motion(velocity, patch, points, chosen);
  features.speed = motion.speed;
  int at = 0;
  if (set == FeatureSet::paper) {
    features.frame = rotation_with_z(patch.normal);
    features.impulse_unit = features.torque_unit = 1.0;
    put_matrix(body.rotation, input, at);
    put(velocity.linear, input, at);
    put(velocity.angular, input, at);
    put(body.rotation.transpose() * patch.center, input, at);
    put(velocity.at(patch.center), input, at);
    return;
  }
  const Vector3 n = patch.normal, t1 = first_tangent(body, patch, motion), t2 = n.cross(t1);
  features.frame << t1, t2, n;
  const double speed = std::max(motion.speed, 1e-12);
  const double length = body.length();
  // Where a patch slides, its impulse is as large as it comes down, however fast it slides.
  features.impulse_unit = body.mass * std::max(motion.closing, 1e-12);
  features.torque_unit = features.impulse_unit * length;
  put_matrix(features.frame.transpose() * body.rotation, input, at);
  put(body.rotation.transpose() * patch.center / length, input, at);
  input[at++] = motion.slip.norm() / speed;
  input[at++] = motion.approach / speed;
  input[at++] = motion.spin * patch.radius / speed;
  input[at++] = t1.dot(motion.tilt) * patch.radius / speed;
  input[at++] = t2.dot(motion.tilt) * patch.radius / speed;
  const double square = patch.dimension == 0 ? 1.0 : patch.radius * patch.radius;
  const Matrix3 moments = patch.dimension == 0 ? Matrix3(Matrix3::Zero()) : patch.moments;
  input[at++] = t1.dot(moments * t1) / square;
  input[at++] = t1.dot(moments * t2) / square;
  input[at++] = t2.dot(moments * t2) / square;
  input[at++] = patch.dimension == 0 ? 0.0 : patch.radius / length;
  if (set == FeatureSet::patch_ground) {
    const Matrix3 ground = rotation_with_z(n);
    input[at++] = ground.col(0).dot(t1);
    input[at++] = ground.col(1).dot(t1);
  }
}

}  // namespace stiction
