// The data-augmented contact model for one body (theory §9.4): networks say what physics leaves open (does the patch
// stick, what friction acts when it slides), the normal problem stays exact:
//
//     v1 = v + Δt M⁻¹ τ
//     static    p_f makes the tangential velocity of the patch zero, together with the normal problem
//     dynamic   p_f from the regressor
//     detach    p_f = 0
//     always    0 ≤ p_n ⟂ N (v1 + M⁻¹ (T p_f + Nᵀ p_n)) + promise ≥ 0
//
// Differences from the paper. Static is not a bilateral constraint but the limit of endless friction: where that would
// have to pull, normals let go, which is counted; where it need not, both are the same. Detach still has the normal
// problem. Friction from the regressor that would add energy is halved until it does not (`braked`). So whatever the
// networks say, nothing penetrates, pulls or gains energy.
//
// p_n is that of a frictionless problem of the patch's body alone: a simulator solves its own with p_f given, and both
// agree where they see the same points.
#pragma once

#include <optional>

#include "stiction/learning/contact_networks.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"

namespace stiction {

struct LearnedOutcome {
  int dimension = -1;                       // of the patch; −1: nothing touches, and all below is zero
  PatchState said = PatchState::detaching;  // by the classifier
  bool released = false;  // static, but a point of the patch moves off along the normal: it would have had to be pulled
  bool pushed = false;    // detach, but the normal problem had to act
  bool braked = false;    // dynamic, and the regressor's friction would have pushed along the slip, or was not finite
  Vector3 arm = Vector3::Zero();  // from the centre of mass to that of the patch, where friction acts; world axes, m
  Vector3 normal = Vector3::UnitZ();   // of the patch
  Vector3 friction = Vector3::Zero();  // p_f, world axes, N·s
  double torque = 0.0;                 // its moment about the normal, N·m·s
  PatchImpulse impulse;                // p, normals included, the moment about the centre of mass; world axes
  BodyVelocity end;                    // v1 + M⁻¹ p
};

class LearnedContact {
 public:
  // Throws std::invalid_argument where classifiers or regressors are missing.
  explicit LearnedContact(ContactNetworks networks);

  const ContactNetworks& networks() const { return networks_; }
  // For tests and ablations: what the classifier would say is said by the caller instead.
  void force_state(std::optional<PatchState> state) { forced_ = state; }

  // `velocity`: v1. Points as list_patch_points() has them. Nothing is allocated once the largest number was met.
  LearnedOutcome solve(const RigidBody& body, const BodyVelocity& velocity, std::span<const PatchPoint> points);
  // What the networks say, without solving: the classifier's choice, friction and torque in N·s and N·m·s.
  PatchState classify(const ContactPatch& patch, const ContactFeatures& features);
  void regress(const ContactPatch& patch, const ContactFeatures& features, Vector3& friction, double& torque);

 private:
  struct Mobility {  // M⁻¹
    double inverse_mass;
    Matrix3 inverse_inertia;
    BodyVelocity of(const Vector3& impulse, const Vector3& moment) const {
      return {impulse * inverse_mass, inverse_inertia * moment};
    }
  };
  void stick(const Mobility& mobility, const BodyVelocity& v1, const ContactPatch& patch,
             std::span<const PatchPoint> points, LearnedOutcome& outcome);
  void slide(const Mobility& mobility, const BodyVelocity& v1, const ContactPatch& patch,
             std::span<const PatchPoint> points, LearnedOutcome& outcome);
  // Friction is given: normals, p and v⁺.
  void push(const Mobility& mobility, const BodyVelocity& v1, std::span<const PatchPoint> points,
            LearnedOutcome& outcome);

  ContactNetworks networks_;
  std::optional<PatchState> forced_;
  ContactFeatures features_;
  PerceptronScratch scratch_;
  VectorX probabilities_, friction_;
  std::vector<int> chosen_;
  LinearComplementarity pivoting_;
  LinearComplementarityProblem problem_;
  VectorX normals_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> push_rows_, pushed_velocity_;  // Nᵀ by point, and what they move
};

}  // namespace stiction
