#include "stiction/learning/throw_track.h"

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

ThrowTrack empty_track(const Model& model, int steps) {
  require(steps >= 1, "steps", steps, "at least 1");
  const auto n = static_cast<std::size_t>(steps);
  return {MatrixX::Zero(steps, model.num_positions()), std::vector<int>(n, -1), std::vector<int>(n, -1),
          MatrixX::Zero(steps, 3), MatrixX::Zero(steps, 3)};
}

template <class AnySimulator>
void begin(AnySimulator& simulator, const ThrowStart& start) {
  simulator.reset();
  simulator.set_position(start.q);
  simulator.set_velocity(start.v);
}

}  // namespace

ThrowTrack track_truth(Simulator& simulator, const ThrowStart& start, int steps, const PatchSettings& settings) {
  const Model& model = simulator.model();
  const int body_index = only_free_body(model);
  const double dt = simulator.time_step();
  ThrowTrack track = empty_track(model, steps);
  std::vector<PatchPoint> points;
  begin(simulator, start);
  for (int i = 0; i < steps; ++i) {
    const RigidBody body = rigid_body(model, body_index, simulator.state().q);
    const BodyVelocity v1 = flight_velocity(
        body, body_velocity(model, body_index, simulator.state().q, simulator.state().v), model.gravity, dt);
    simulator.step();
    track.q.row(i) = simulator.state().q.transpose();
    const auto contacts = simulator.contacts();
    if (contacts.empty()) continue;
    list_patch_points(contacts, body_index, body.center, dt, simulator.settings().constraints, points);
    const PatchImpulse p = patch_impulse(contacts, body_index, body.center, dt);
    const BodyVelocity end{v1.linear + p.linear / body.mass, v1.angular + body.world_inverse_inertia() * p.angular};
    ContactSample sample;
    if (!make_sample(body, v1, end, p, points, dt, settings, sample)) continue;
    std::vector<int> chosen;
    const ContactPatch patch = find_patch(points, v1, dt, settings, chosen);
    track.dimension[static_cast<std::size_t>(i)] = patch.dimension;
    track.state[static_cast<std::size_t>(i)] = static_cast<int>(sample.state);
    track.impulse.row(i) = p.linear.transpose();
    track.center.row(i) = (body.rotation.transpose() * patch.center).transpose();
  }
  return track;
}

ThrowTrack track_learned(LearnedSimulator& simulator, const ThrowStart& start, int steps) {
  const Model& model = simulator.simulator().model();
  ThrowTrack track = empty_track(model, steps);
  begin(simulator, start);
  for (int i = 0; i < steps; ++i) {
    const Matrix3 rotation = rigid_body(model, simulator.body(), simulator.state().q).rotation;
    const LearnedOutcome& outcome = simulator.step().outcome;
    track.q.row(i) = simulator.state().q.transpose();
    if (outcome.dimension < 0) continue;
    track.dimension[static_cast<std::size_t>(i)] = outcome.dimension;
    track.state[static_cast<std::size_t>(i)] = static_cast<int>(outcome.said);
    track.impulse.row(i) = outcome.impulse.linear.transpose();
    track.center.row(i) = (rotation.transpose() * outcome.arm).transpose();
  }
  return track;
}

ThrowTrack track_data_driven(DataDrivenSimulator& simulator, const ThrowStart& start, int steps) {
  ThrowTrack track = empty_track(simulator.model(), steps);
  begin(simulator, start);
  for (int i = 0; i < steps; ++i) {
    const Matrix3 rotation = rigid_body(simulator.model(), simulator.body(), simulator.state().q).rotation;
    simulator.step();
    track.q.row(i) = simulator.state().q.transpose();
    if (simulator.dimension() < 0) continue;
    track.dimension[static_cast<std::size_t>(i)] = simulator.dimension();
    track.impulse.row(i) = simulator.impulse().linear.transpose();
    track.center.row(i) = (rotation.transpose() * simulator.center()).transpose();
  }
  return track;
}

}  // namespace stiction
