// Forces and accelerations of a mechanism that touches nothing, as they are at an instant: gravity, springs, dampers,
// fluids, actuators within their limits, what the caller sets. Nothing here looks ahead, as the steps of a simulator
// do.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/fluid_forces.h"
#include "stiction/sim/world_forces.h"

namespace stiction {

class SmoothForces {
 public:
  // Throws std::invalid_argument where the model has what has no such forces: loops, tendons, actuators on other things
  // than joints, activations, compliant contacts.
  explicit SmoothForces(std::shared_ptr<const Model> model);

  struct Inputs {
    const VectorX& control;      // by actuator
    const VectorX& joint_force;  // by velocity
    std::span<const BodyWrench> external_forces;
  };
  // M v̇ = τ − b; `data` gets kinematics, inertia and its factor at (q, v). Returns the power that forces add to kinetic
  // and potential energy, W.
  double accelerate(const VectorX& q, const VectorX& v, const Inputs& in, DynamicsData& data, VectorX& acceleration);

  // T and V (gravity, springs, carried weights) at (q, v), kinematics there.
  struct Energy {
    double kinetic = 0.0, potential = 0.0;
  };
  Energy energy(const VectorX& q, const VectorX& v, const DynamicsData& data) const;

 private:
  std::shared_ptr<const Model> model_;
  Actuation actuation_;
  WorldForces world_forces_;
  FluidForces fluid_forces_;
  VectorX force_, activation_;
};

}  // namespace stiction
