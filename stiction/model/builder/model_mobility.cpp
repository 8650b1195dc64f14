// Whether the inertia matrix is positive definite: every joint must meet resistance even when all joints behind it are
// free to give way. That resistance is the articulated-body inertia, D = Sᵀ I^A S, computed once from the leaves to the
// roots; here it is compared with the inertia D_rigid that the joint would feel were everything behind it locked.
//
// The positions are chosen away from all coincidences, so that a mechanism that is singular only where it starts (as
// three axes z, x, z at zero) passes, and one that is singular everywhere (two hinges on one axis with nothing between
// them) does not.
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
constexpr double smallest_resistance = 1e-12;  // D / D_rigid; rounding leaves about 1e-15

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
  return m;
}

// Spatial quantities are (angular, linear) about the body's origin, in its axes.
Matrix6 spatial_inertia(const Body& body) {
  const Matrix3 c = cross_matrix(body.com);
  Matrix6 m;
  m << body.inertia - body.mass * c * c, body.mass * c, -body.mass * c, body.mass * Matrix3::Identity();
  return m;
}

// Maps velocities of the parent to those of the body, whose frame is at X_PB.
Matrix6 velocity_map(const Pose& pose) {
  const Matrix3 r = pose.rotation.transpose();
  Matrix6 m;
  m << r, Matrix3::Zero(), -r * cross_matrix(pose.position), r;
  return m;
}

// Where body k stands in its parent, its joint at a position that fits no other.
Pose generic_pose(const Body& body, int k) {
  const double x = 0.3 + std::fmod(0.6180339887498949 * k, 1.0);
  switch (body.joint) {
    case JointType::free:
      return Pose();
    case JointType::ball:
      return body.placement * Pose(Eigen::AngleAxisd(x, Vector3(0.48, 0.6, 0.64)).toRotationMatrix(), Vector3::Zero());
    case JointType::revolute:
      return body.placement * Pose(Eigen::AngleAxisd(x, Vector3::UnitZ()).toRotationMatrix(), Vector3::Zero());
    case JointType::prismatic:
      return body.placement * Pose(Vector3(0.0, 0.0, 0.1 * x));
  }
  return Pose();
}

// Velocities that the joint allows are the coordinates [first, first + n) of the body's spatial velocity.
int first_coordinate(JointType type) {
  return type == JointType::revolute ? 2 : type == JointType::prismatic ? 5 : 0;
}

[[noreturn]] void refuse_joint(const Model& model, int body, double ratio) {
  const Joint* joint = &model.joints.front();
  for (const Joint& candidate : model.joints) {
    if (body >= candidate.first_body && body < candidate.first_body + candidate.num_bodies) joint = &candidate;
  }
  refuse("joint '", joint->name, "' (", joint->kind, "): nothing resists its motion, the joints behind it give way (",
         ratio, " of the inertia is left). Two joints do the same with no mass between them; remove one, put mass ",
         "between them, or give the joint armature");
}

// Takes a coordinate out of an inertia, I − I e eᵀ I / (eᵀ I e + armature); returns the denominator.
double release(int coordinate, double armature, Matrix6& inertia) {
  const Vector6 column = inertia.col(coordinate);
  const double d = column[coordinate] + armature;
  for (int c = 0; c < 6; ++c) inertia.col(c) -= (column[c] / d) * column;
  return d;
}

// Takes the joint of body k out of the articulated inertia, one velocity after the other.
void release_joint(const Model& model, int k, Matrix6& articulated, Matrix6 rigid) {
  const Body& body = model.bodies[k];
  for (int j = 0; j < num_velocities_of(body.joint); ++j) {
    const int coordinate = first_coordinate(body.joint) + j;
    const double armature = model.dofs[body.first_velocity].armature;
    const double d = release(coordinate, armature, articulated);
    const double ratio = d / release(coordinate, armature, rigid);
    if (!(ratio > smallest_resistance)) refuse_joint(model, k, ratio);
  }
}

}  // namespace

void check_mobility(const Model& model) {
  std::vector<Matrix6> articulated(model.bodies.size(), Matrix6::Zero()), rigid = articulated;
  for (int k = model.num_bodies() - 1; k >= 0; --k) {
    const Body& body = model.bodies[k];
    if (model.trees[body.tree].is_single_free_body) continue;
    const Matrix6 own = spatial_inertia(body);
    articulated[k] += own;
    rigid[k] += own;
    release_joint(model, k, articulated[k], rigid[k]);
    if (body.parent < 0) continue;
    const Matrix6 map = velocity_map(generic_pose(body, k));
    articulated[body.parent] += map.transpose() * articulated[k] * map;
    rigid[body.parent] += map.transpose() * rigid[k] * map;
  }
}

}  // namespace stiction
