#include "stiction/sim/smooth_forces.h"

#include "stiction/dynamics/mechanics.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

void check(const Model& model) {
  const char* who = "event-driven simulation: ";
  if (!model.loops.empty()) {
    refuse(who, "loop '", model.loops[0].name, "' (", to_string(model.loops[0].kind),
           "); mechanisms with loops are for Simulator");
  }
  if (!model.tendons.empty()) refuse(who, "tendon '", model.tendons[0].name, "'; tendons are for Simulator");
  for (const Actuator& a : model.actuators) {
    if (a.transmission != TransmissionKind::joint) {
      refuse(who, "actuator '", a.name, "' acts on no joint; such actuators are for Simulator");
    }
    if (a.first_activation >= 0) {
      refuse(who, "actuator '", a.name, "' has a state of its own; such actuators are for Simulator");
    }
  }
  for (const Shape& shape : model.shapes) {
    if (shape.material.compliance > 0.0) {
      refuse(who, "shape '", shape.name, "' has a compliance of ", shape.material.compliance,
             " m/N; contacts must be rigid (0)");
    }
    if (shape.material.torsional_friction > 0.0 || shape.material.rolling_friction > 0.0) {
      refuse(who, "shape '", shape.name, "' has torsional or rolling friction; such materials are for Simulator");
    }
    if (shape.material.has_moving_surface()) {
      refuse(who, "shape '", shape.name, "' has a moving surface; such materials are for Simulator");
    }
  }
  if (!model.pair_materials.empty()) {
    refuse(who, "shapes '", model.shapes[model.pair_materials[0].shape_a].name, "' and '",
           model.shapes[model.pair_materials[0].shape_b].name,
           "' have a material of their own as a pair; such materials are for Simulator");
  }
}

std::shared_ptr<const Model> checked(std::shared_ptr<const Model> model) {
  if (!model) refuse("event-driven simulation: there is no model");
  check(*model);
  return model;
}

}  // namespace

SmoothForces::SmoothForces(std::shared_ptr<const Model> model)
    : model_(checked(std::move(model))), actuation_(*model_), world_forces_(*model_), fluid_forces_(*model_) {
  force_.setZero(model_->num_velocities());
  activation_.setZero(model_->num_activations());
}

double SmoothForces::accelerate(const VectorX& q, const VectorX& v, const Inputs& in, DynamicsData& data,
                                VectorX& acceleration) {
  update_kinematics(*model_, q.data(), v.data(), data);
  update_inertia(*model_, data);
  factor_inertia(*model_, nullptr, data);
  // What is not implicit is kept within its limits at once.
  actuation_.update(*model_, q.data(), v.data(), in.control.data(), activation_.data(), 1.0, false);
  force_ = actuation_.force();
  force_ += in.joint_force;
  for (const BodyWrench& w : in.external_forces) {
    add_body_wrench(*model_, data, w.body, w.force, w.torque, w.point, force_.data());
  }
  if (fluid_forces_.any()) {
    fluid_forces_.update(*model_, data, v.data(), 0.0, false);
    force_ += fluid_forces_.force();
  }
  double stored = actuation_.springs(q.data(), v.data()).power;
  if (world_forces_.any()) {
    world_forces_.update(*model_, data);
    force_ += world_forces_.force();
    stored += world_forces_.carried(*model_, data).power;
  }
  acceleration.resize(v.size());
  for (Eigen::Index j = 0; j < v.size(); ++j) acceleration[j] = force_[j] - data.bias[j];
  solve_inertia(*model_, data, acceleration.data());
  return v.dot(force_) + stored;
}

SmoothForces::Energy SmoothForces::energy(const VectorX& q, const VectorX& v, const DynamicsData& data) const {
  Energy sum{kinetic_energy(data, v.data()), gravity_energy(data) + actuation_.springs(q.data(), v.data()).energy};
  if (world_forces_.any()) sum.potential += world_forces_.carried(*model_, data).energy;
  return sum;
}

}  // namespace stiction
