// Random worlds of every kind of joint, and the plainest kinematics to compare with.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "stiction/model/model_builder.h"

namespace stiction::testing {

using Rng = std::mt19937_64;

double random_real(Rng& rng, double lower, double upper);
int random_int(Rng& rng, int lower, int upper);  // both included
Vector3 random_vector(Rng& rng, double size = 1.0);
Vector3 random_direction(Rng& rng);
Quaternion random_rotation(Rng& rng);
Pose random_pose(Rng& rng, double size = 1.0);
Inertia random_inertia(Rng& rng);  // of a turned box off the origin, 0.1 … 3 kg

struct RandomWorldOptions {
  int bodies = 10;
  bool with_fixed = true;        // bodies fixed to their parent
  bool with_sequences = true;    // several joints between two bodies
  bool with_shapes = true;       // one primitive on most bodies
  bool with_joint_terms = true;  // armature, damping, springs, limits, dry friction on some joints
  double share_of_roots = 0.15;  // of the bodies that hang on the world
};

// What the builder was told, and what it made of it.
struct RandomWorld {
  std::vector<BodyOptions> bodies;
  std::vector<ShapeOptions> shapes;
  std::shared_ptr<const Model> model;
};

RandomWorld random_world(Rng& rng, const RandomWorldOptions& options);
std::shared_ptr<const Model> random_model(Rng& rng, int num_bodies);

VectorX random_position(Rng& rng, const Model& model);  // angles and lengths in −1 … 1, any orientation
VectorX random_velocity(Rng& rng, const Model& model);  // entries in −1 … 1

// X_WB of every body, joint by joint from the definition of Model.
std::vector<Pose> body_poses(const Model& model, const VectorX& q);
// X_WF; `poses` from body_poses.
Pose frame_pose(const Model& model, const std::vector<Pose>& poses, const Frame& frame);

}  // namespace stiction::testing
