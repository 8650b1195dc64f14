#include "stiction/sim/world_forces.h"

namespace stiction {

WorldForces::WorldForces(const Model& model) : any_(!model.carried_weights.empty() && !model.gravity.isZero(0.0)) {
  if (any_) force_.setZero(model.num_velocities());
}

void WorldForces::update(const Model& model, const DynamicsData& data) {
  if (!any()) return;
  force_.setZero();
  for_each(model, data, [&](int body, const Vector3& force, const Vector3& point) {
    add_body_wrench(model, data, body, force, Vector3::Zero(), point, force_.data());
  });
}

Actuation::Springs WorldForces::carried(const Model& model, const DynamicsData& data) const {
  Actuation::Springs sum;
  for_each(model, data, [&](int body, const Vector3& force, const Vector3& point) {
    sum.energy -= force.dot(point);
    sum.power -= force.dot(point_velocity(data, body, point));
  });
  return sum;
}

}  // namespace stiction
