// What the networks are told of a contact, and the axes and units in which they answer (theory §9.3).
//
//   paper   rotation matrix of the body (9), v1 (6), centre of the patch in the body (3), velocity there (3): 21
//   numbers
//           in world axes, as the paper has them; impulses in N·s
//   patch   axes t1 along the slip of the patch, t2, n; velocities divided by the speed s of the patch, lengths by the
//           radius of gyration L, impulses by m a, torques by m a L, a the
//           root mean square of the approach: turning the scene about the normal, or making it
//           faster, changes nothing. For isotropic friction
//   patch_ground  the same, and the direction of the slip on the surface: for friction that depends on it
#pragma once

#include <string_view>
#include <vector>

#include "stiction/learning/contact_patch.h"

namespace stiction {

enum class FeatureSet { paper, patch, patch_ground };
std::string_view to_string(FeatureSet set);
FeatureSet to_feature_set(std::string_view name);  // throws std::invalid_argument naming the known ones
int num_features(FeatureSet set);
// Names of the inputs, for listings and messages.
std::vector<std::string> feature_names(FeatureSet set);

struct ContactFeatures {
  VectorX input;                        // num_features(set)
  Matrix3 frame = Matrix3::Identity();  // columns t1, t2, n, world axes
  double impulse_unit = 1.0;            // N·s
  double torque_unit = 1.0;             // N·m·s
  double speed = 0.0;                   // s: root mean square over the patch of slip and approach, m/s
};

// `velocity`: v1, after free flight. The patch is not empty.
void find_features(FeatureSet set, const RigidBody& body, const BodyVelocity& velocity, const ContactPatch& patch,
                   std::span<const PatchPoint> points, std::span<const int> chosen, ContactFeatures& features);

// The frictional impulse as the regressor gives it: along t1 and t2, and about n where the patch is more than a point.
constexpr int num_friction_outputs(int dimension) {
  return dimension == 0 ? 2 : 3;
}

}  // namespace stiction
