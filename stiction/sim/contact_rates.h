// How fast the points of a contact part, and what their parting accelerates by when nothing is pushed (theory §7.1):
//
//     c = Rᵀ (v_a − v_b)(p),   ċ = J v̇ + Rᵀ ( A_a − A_b + ω_a × (ṗ − v_a) − ω_b × (ṗ − v_b) ) + e_n ṅ·(v_a − v_b)
//
// with the accelerations A of the material points at v̇ = 0. How normal and place of the contact move, ṅ and ṗ, depends
// on the curvature of both surfaces: they are differences of order four of what the kernel of the pair finds along the
// present motion.
#pragma once

#include <vector>

#include "stiction/collision/pair_gap.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/model/model.h"

namespace stiction {

class ContactRates {
 public:
  explicit ContactRates(const Model& model) : model_(&model), zero_(VectorX::Zero(model.num_velocities())) {}

  // The points of contacts where the bodies are now, by their identities; what is no longer found stays where it was
  // and has a gap of infinity. After update_kinematics.
  void follow(const DynamicsData& data, std::vector<ContactPoint>& points);
  // ċ − J v̇ in the axes of `frame` (columns t1, t2, n).
  Vector3 bias(const DynamicsData& data, const ContactPoint& point, const Matrix3& frame);

 private:
  struct Rate {
    Vector3 normal = Vector3::Zero(), position = Vector3::Zero();
  };
  Rate rate(const DynamicsData& data, const ContactPoint& point, double along);
  bool find(const ContactPoint& wanted, const Pose& X_WA, const Pose& X_WB, double margin, ContactPoint& found);

  const Model* model_;
  VectorX zero_;
  PairGap gap_;
};

}  // namespace stiction
