// Forces of the world on bodies besides gravity: weights that something carries (gravity compensation).
//
// What is carried has no weight: −m_c g at the point where it is, a potential like that of gravity.
#pragma once

#include "stiction/dynamics/dynamics.h"
#include "stiction/math/types.h"
#include "stiction/sim/actuation.h"

namespace stiction {

class WorldForces {
 public:
  explicit WorldForces(const Model& model);

  bool any() const { return any_; }
  // After update_kinematics: force().
  void update(const Model& model, const DynamicsData& data);
  const VectorX& force() const { return force_; }  // by velocity
  // Of what is carried, at (q, v) of the kinematics: energy, and d/dt of it.
  Actuation::Springs carried(const Model& model, const DynamicsData& data) const;
  // Calls wrench(body, force, point) for each.
  template <class Function>
  void for_each(const Model& model, const DynamicsData& data, Function&& wrench) const {
    if (!any_) return;
    for (const CarriedWeight& w : model.carried_weights) {
      wrench(w.body, Vector3(-w.mass * model.gravity), body_pose(data, w.body) * w.center);
    }
  }

 private:
  bool any_ = false;
  VectorX force_;
};

}  // namespace stiction
