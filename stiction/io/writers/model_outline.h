// A model as a tree of the user's bodies again, for writers: which bodies of the forest are the joints of one body,
// what it carries, and where everything stands at the initial position.
//
// The forest has one elementary joint per body, and turned axes to z; files have bodies with frames of their own. Body
// U of the outline is the user's body that hangs on the joints; bodies fixed to it are frames on it. With q₀ the
// initial position, U stands in its parent at X_PU(q₀), and joint k of its chain has the frame F_k on U at q₀ (z along
// the axis):
//     X_PU(q) = X_PU(q₀) · Π_k F_k E_k(q_k − q₀_k) F_k⁻¹.
#pragma once

#include <string>
#include <vector>

#include "stiction/model/model.h"

namespace stiction {

struct OutlineJoint {
  std::string name{};
  int body = 0;          // of the forest
  Pose frame{};          // F_k on U
  bool is_part = false;  // of a joint of several parts (planar, universal, cylindrical), named <joint>_1, _2 …
};

struct OutlineFrame {
  std::string name{};
  Pose pose{};  // on U
};

struct OutlineBody {
  std::string name{};
  int parent = -1;  // in the outline; −1: the world
  Pose pose{};      // X_PU at q₀
  std::vector<OutlineJoint> joints{};
  double mass = 0.0;
  Vector3 com = Vector3::Zero();      // on U, m
  Matrix3 inertia = Matrix3::Zero();  // about com, axes of U, kg·m²
  std::vector<OutlineFrame> fixed{};  // bodies fixed to it
  std::vector<OutlineFrame> sites{};
  std::vector<int> shapes{};    // of the model
  std::vector<int> children{};  // in the outline
};

struct ModelOutline {
  explicit ModelOutline(const Model& m) : ModelOutline(m, m.initial_position) {}
  ModelOutline(const Model& model, const VectorX& position);  // q₀

  const Model& model;
  OutlineBody world;
  std::vector<OutlineBody> bodies;  // parents first, depth first
  std::vector<int> of_body;         // outline body of every body of the forest
  std::vector<Pose> on_body;        // X_BU of every outline body: U on the last body of its chain

  // A frame given on a body of the forest (−1: the world), on the outline body that stands for it.
  Pose on_outline(int body, const Pose& pose) const {
    return body < 0 ? pose : on_body[of_body[body]].inverse() * pose;
  }
  const OutlineBody& carrier(int body) const { return body < 0 ? world : bodies[of_body[body]]; }
  std::string joint_of(int dof) const;  // name of the outline joint
};

// The initial position with angles and lengths of revolute and prismatic joints at zero, as files without references
// mean.
VectorX zero_position(const Model& model);

// The motion of an elementary joint, E(q); of a free joint its pose in the world.
Pose joint_motion(JointType type, const double* q);

}  // namespace stiction
