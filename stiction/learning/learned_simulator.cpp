#include "stiction/learning/learned_simulator.h"

#include <algorithm>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

SimulatorSettings below(const ContactNetworks& networks, SimulatorSettings settings) {
  if (settings.time_step != 0.0 && settings.time_step != networks.time_step) {
    refuse("time_step is ", settings.time_step, "; the networks were trained with ", networks.time_step);
  }
  if (settings.solver != "auto" && settings.solver != "lcp-dantzig") {
    refuse("solver is ", settings.solver, "; the learned model solves the normal problem by lcp-dantzig");
  }
  settings.time_step = networks.time_step;
  settings.solver = "lcp-dantzig";
  return settings;
}

}  // namespace

LearnedSimulator::LearnedSimulator(std::shared_ptr<const Model> model, ContactNetworks networks,
                                   const SimulatorSettings& settings)
    : simulator_(std::move(model), below(networks, settings)),
      contact_(std::move(networks)),
      body_(only_free_body(simulator_.model())) {}

void LearnedSimulator::reset() {
  simulator_.reset();
  report_ = {};
}

const LearnedReport& LearnedSimulator::step() {
  const Model& model = simulator_.model();
  const double dt = simulator_.time_step();
  simulator_.clear_external_forces();
  const RigidBody body = rigid_body(model, body_, simulator_.state().q);
  const BodyVelocity v1 =
      flight_velocity(body, body_velocity(model, body_, simulator_.state().q, simulator_.state().v), model.gravity, dt);
  list_patch_points(simulator_.forward(), body_, body.center, dt, simulator_.settings().constraints, points_);
  LearnedOutcome& outcome = report_.outcome;
  outcome = contact_.solve(body, v1, points_);
  if (outcome.dimension >= 0) {
    ++report_.num_contact_steps;
    ++(outcome.said == PatchState::sticking  ? report_.num_static
       : outcome.said == PatchState::sliding ? report_.num_dynamic
                                             : report_.num_detach);
    report_.num_released += outcome.released;
    report_.num_pushed += outcome.pushed;
    report_.num_braked += outcome.braked;
    if (!outcome.friction.isZero(0.0) || outcome.torque != 0.0) {
      simulator_.add_external_force(body_, outcome.friction / dt, body.center + outcome.arm,
                                    outcome.normal * (outcome.torque / dt));
    }
  }
  const StepReport& step = simulator_.step();
  simulator_.clear_external_forces();
  report_.largest_penetration = std::max(report_.largest_penetration, step.largest_penetration);
  report_.num_uncertified_steps = simulator_.num_uncertified_steps();
  return report_;
}

const LearnedReport& LearnedSimulator::step(int count) {
  if (count < 0) refuse("step: count is ", count);
  for (int k = 0; k < count; ++k) step();
  return report_;
}

DataDrivenSimulator::DataDrivenSimulator(std::shared_ptr<const Model> model, ContactNetworks networks,
                                         const SimulatorSettings& settings)
    : simulator_(std::move(model), below(networks, settings)),
      networks_(std::move(networks)),
      body_(only_free_body(simulator_.model())),
      output_(6) {
  networks_.validate();
  if (!networks_.has_whole()) refuse("networks: no data-driven ones (whole) for all dimensions of a patch; train them");
}

void DataDrivenSimulator::reset() {
  simulator_.reset();
  largest_penetration_ = 0.0;
}

void DataDrivenSimulator::step() {
  const Model& model = simulator_.model();
  const double dt = simulator_.time_step();
  const RigidBody body = rigid_body(model, body_, simulator_.state().q);
  BodyVelocity v =
      flight_velocity(body, body_velocity(model, body_, simulator_.state().q, simulator_.state().v), model.gravity, dt);
  list_patch_points(simulator_.forward(), body_, body.center, dt, simulator_.settings().constraints, points_);
  for (const PatchPoint& point : points_) largest_penetration_ = std::max(largest_penetration_, -point.gap);
  const ContactPatch patch = find_patch(points_, v, dt, networks_.patch, chosen_);
  dimension_ = patch.dimension;
  center_ = patch.center;
  impulse_ = {};
  if (dimension_ >= 0) {
    find_features(networks_.features, body, v, patch, points_, chosen_, features_);
    networks_.whole[static_cast<std::size_t>(dimension_)].evaluate(features_.input, scratch_, output_);
    if (output_.allFinite()) {
      impulse_.linear = features_.frame * output_.head<3>() * features_.impulse_unit;
      impulse_.angular = features_.frame * output_.tail<3>() * features_.torque_unit;
      impulse_.angular += patch.center.cross(impulse_.linear);
    }
    v.linear += impulse_.linear / body.mass;
    v.angular += body.world_inverse_inertia() * impulse_.angular;
  }
  // The frame's origin moves with the body about its centre of mass.
  const Body& of = model.bodies[static_cast<std::size_t>(body_)];
  q_ = simulator_.state().q;
  v_ = simulator_.state().v;
  v_.segment<3>(of.first_velocity) = v.linear - v.angular.cross(body.rotation * of.com);
  v_.segment<3>(of.first_velocity + 3) = body.rotation.transpose() * v.angular;
  integrate(model, simulator_.state().q, v_, dt, q_);
  simulator_.set_position(q_);
  simulator_.set_velocity(v_);
}

void DataDrivenSimulator::step(int count) {
  if (count < 0) refuse("step: count is ", count);
  for (int k = 0; k < count; ++k) step();
}

}  // namespace stiction
