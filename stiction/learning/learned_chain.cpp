#include "stiction/learning/learned_chain.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/point_motion.h"
#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic>;  // columns: force and moment about a point, of unknowns

SimulatorSettings chain_settings(const ContactNetworks& networks) {
  SimulatorSettings settings{.time_step = networks.time_step, .solver = "lcp-dantzig"};
  settings.implicit_turning = false;  // (9-4) of the theory is linear in the joint's impulse
  return settings;
}

void check_passive(const Model& model) {
  check_still_surfaces(model);
  if (!model.loops.empty() || !model.actuators.empty() || !model.tendons.empty() || !model.carried_weights.empty()) {
    refuse("model: it has loops, actuators, tendons or carried weights, of which the cut chain does not know");
  }
  if (model.fluid.is_there()) refuse("model: it has a fluid, of whose forces the cut chain does not know");
  for (std::size_t j = 0; j < model.dofs.size(); ++j) {
    const Dof& dof = model.dofs[j];
    if (dof.damping != 0.0 || dof.stiffness != 0.0 || dof.armature != 0.0 || dof.dry_friction != 0.0 ||
        dof.lower != -no_limit || dof.upper != no_limit) {
      refuse("model: degree of freedom ", j,
             " has damping, stiffness, armature, dry friction or limits, of which the cut "
             "chain does not know");
    }
  }
}

int distal_body(const Model& model, const std::string& name) {
  const int body = model.find_body(name);
  if (body < 0) refuse("distal: \"", name, "\" is part of the world");
  const Body& of = model.bodies[static_cast<std::size_t>(body)];
  if (of.joint == JointType::free) refuse("distal: \"", name, "\" is free: there is no joint to cut");
  if (of.parent < 0) refuse("distal: \"", name, "\" hangs on the world; a body above it is wanted");
  if (!(model.bodies[static_cast<std::size_t>(of.parent)].mass > 0.0)) {
    refuse("distal: the joint of \"", name, "\" has several parts; revolute, ball or prismatic is wanted");
  }
  for (const Body& other : model.bodies) {
    if (other.parent == body) refuse("distal: \"", other.name, "\" hangs on \"", name, "\", which must be the last");
  }
  return body;
}

// What is above the cut: the same tree without the distal body.
std::shared_ptr<const Model> above(const Model& model, const std::string& distal) {
  ModelBuilder builder = ModelBuilder::from_model(model);
  builder.remove_body(builder.find_body(distal));
  return builder.build();
}

}  // namespace

void LearnedChainSettings::validate() const {
  require(tolerance > 0.0 && tolerance < 1.0, "tolerance", tolerance, "within 0 … 1");
  require(max_evaluations >= 10, "max_evaluations", max_evaluations, "at least 10");
}

struct LearnedChain::Workspace {
  Workspace(std::shared_ptr<const Model> model, const std::string& distal_name, ContactNetworks networks,
            const LearnedChainSettings& s)
      : settings(s), simulator(model, chain_settings(networks)), contact(std::move(networks)) {
    settings.validate();
    check_passive(*model);
    distal = distal_body(*model, distal_name);
    upstream = above(*model, distal_name);
    data = make_dynamics_data(*upstream);
    whole_data = make_dynamics_data(*model);
    const Body& of = model->bodies[static_cast<std::size_t>(distal)];
    const int unknowns = of.joint == JointType::ball ? 3 : 5;
    distal_rows.setZero(6, unknowns);
    upper_rows.setZero(upstream->num_velocities(), unknowns);
  }

  LearnedChainSettings settings;
  Simulator simulator;
  LearnedContact contact;
  int distal = -1;
  std::shared_ptr<const Model> upstream;
  std::unique_ptr<DynamicsData, DynamicsDataDeleter> data;
  LearnedChainReport report;
  std::optional<PatchState> forced;

  // Of a step.
  RigidBody body;
  BodyVelocity v1;
  std::vector<PatchPoint> points;
  Rows distal_rows;          // Jᵀ: force and moment about the centre of mass
  MatrixX upper_rows;        // Ĵᵀ by velocity
  MatrixX upper_admittance;  // Ĵ M̂⁻¹ Ĵᵀ
  VectorX upper_velocity;    // Ĵ v̂1
  VectorX q, v, q_before;
  std::unique_ptr<DynamicsData, DynamicsDataDeleter> whole_data;  // of the whole tree

  void split();
  void find_rows();
  VectorX guess();
  void solve_cut();
  LearnedOutcome outcome_of(VectorView s) {
    const Eigen::Matrix<double, 6, 1> wrench = distal_rows * s;
    const BodyVelocity moved{v1.linear + wrench.head<3>() / body.mass,
                             v1.angular + body.world_inverse_inertia() * wrench.tail<3>()};
    return contact.solve(body, moved, points);
  }
  VectorX mismatch(const LearnedOutcome& outcome, VectorView s) const {
    Eigen::Matrix<double, 6, 1> end;
    end << outcome.end.linear, outcome.end.angular;
    return distal_rows.transpose() * end - upper_velocity + upper_admittance * s;
  }
  void step();
};

// The two sides of the cut as they are: velocities without contact and without each other.
void LearnedChain::Workspace::split() {
  const Model& model = simulator.model();
  const Body& of = model.bodies[static_cast<std::size_t>(distal)];
  const State& state = simulator.state();
  const double dt = simulator.time_step();
  const DynamicsData& whole = simulator.dynamics();
  const Pose pose = body_pose(whole, distal);
  body = {of.mass, of.inertia, pose.rotation, pose * of.com};
  const Vector3 w = angular_velocity(whole, distal);
  const Vector3 spin = pose.rotation.transpose() * w;
  v1.linear = point_velocity(whole, distal, body.center) + dt * model.gravity;
  v1.angular = w - dt * (pose.rotation * of.inertia.inverse() * spin.cross(of.inertia * spin));
  // Velocities of the tree are those of its joints at the old place: J̇ v is no part of their change.
  const VectorX none = VectorX::Zero(model.num_velocities());
  const PointAcceleration turning = point_acceleration(model, whole, none.data(), distal, body.center);
  v1.linear -= dt * turning.linear;
  v1.angular -= dt * turning.angular;

  // The order of the others is that of the model without it.
  const int np = num_positions_of(of.joint), nv = num_velocities_of(of.joint);
  q.resize(upstream->num_positions());
  v.resize(upstream->num_velocities());
  q << state.q.head(of.first_position), state.q.tail(state.q.size() - of.first_position - np);
  v << state.v.head(of.first_velocity), state.v.tail(state.v.size() - of.first_velocity - nv);
  update_kinematics(*upstream, q.data(), v.data(), *data);
  update_inertia(*upstream, *data);
  factor_inertia<double>(*upstream, nullptr, *data);
  VectorX tau = VectorX::Zero(v.size()), change(v.size());
  forward_dynamics(*upstream, *data, tau.data(), change.data());
  v += dt * change;  // v̂1
}

void LearnedChain::Workspace::find_rows() {
  const Model& model = simulator.model();
  const Body& of = model.bodies[static_cast<std::size_t>(distal)];
  const DynamicsData& whole = simulator.dynamics();
  const Pose pose = body_pose(whole, distal);
  const int parent = of.parent > distal ? of.parent - 1 : of.parent;
  upper_rows.setZero();
  int k = 0;
  const auto add = [&](const Vector3& force, const Vector3& torque) {
    distal_rows.col(k) << force, torque + (pose.position - body.center).cross(force);
    VectorX tau = VectorX::Zero(upper_rows.rows());
    add_body_wrench(*upstream, *data, parent, force, torque, pose.position, tau.data());
    upper_rows.col(k++) = tau;
  };
  // The joint's axis is the z axis of the body's frame.
  const bool slides = of.joint == JointType::prismatic, is_ball = of.joint == JointType::ball;
  for (int axis = 0; axis < (slides ? 2 : 3); ++axis) add(pose.rotation.col(axis), Vector3::Zero());
  for (int axis = 0; !is_ball && axis < (slides ? 3 : 2); ++axis) add(Vector3::Zero(), pose.rotation.col(axis));
  MatrixX moved = upper_rows;
  for (Eigen::Index j = 0; j < moved.cols(); ++j) solve_inertia(*upstream, *data, moved.col(j).data());
  upper_admittance = product_of_transposed(upper_rows, moved);
  upper_velocity = upper_rows.transpose() * v;
}

// Of two: what leaves the upper side at rest, as the paper begins, and what would hold without contact; the better.
VectorX LearnedChain::Workspace::guess() {
  const VectorX at_rest = solve_least(upper_admittance, upper_velocity);
  Rows moved = distal_rows;
  moved.topRows<3>() /= body.mass;
  moved.bottomRows<3>() = body.world_inverse_inertia() * distal_rows.bottomRows<3>();
  Eigen::Matrix<double, 6, 1> free;
  free << v1.linear, v1.angular;
  const MatrixX admittance = product_of_transposed(distal_rows, moved) + upper_admittance;
  const VectorX without = solve_pivoted(admittance, upper_velocity - distal_rows.transpose() * free);
  const double a = mismatch(outcome_of(at_rest), at_rest).norm(), b = mismatch(outcome_of(without), without).norm();
  return a < b ? at_rest : without;
}

void LearnedChain::Workspace::solve_cut() {
  const double speed = std::max(1e-3, v1.at(report.outcome.arm).norm() + upper_velocity.norm());
  PowellSettings powell{.tolerance = settings.tolerance * speed, .max_evaluations = settings.max_evaluations};
  powell.least_difference = 1e-7 * body.mass * speed;
  const VectorFunction function = [this](VectorView s, VectorOut f) { f = mismatch(outcome_of(s), s); };
  VectorX s = guess();
  report.powell = powell_hybrid(function, s, powell);
  report.num_evaluations += report.powell.evaluations;
  if (!report.powell.converged()) {
    // The classifier may change its mind with s, and then there may be no zero: with what it says at the best point.
    const PatchState said = outcome_of(s).said;
    contact.force_state(said);
    VectorX frozen = s;
    const PowellReport again = powell_hybrid(function, frozen, powell);
    report.num_evaluations += again.evaluations;
    ++report.num_frozen;
    if (again.residual < report.powell.residual) {
      s = frozen;
      report.powell = again;
    }
    report.outcome = outcome_of(s);
    contact.force_state(forced);
  } else {
    report.outcome = outcome_of(s);
  }
  report.joint_impulse = s;
  report.num_unconverged += !report.powell.converged();
}

void LearnedChain::Workspace::step() {
  const double dt = simulator.time_step();
  simulator.clear_external_forces();
  const auto contacts = simulator.forward();
  split();
  q_before = simulator.state().q;
  list_patch_points(contacts, distal, body.center, dt, simulator.settings().constraints, points);
  report.num_other_contact_steps += contacts.size() > points.size();
  report.outcome = LearnedOutcome{};
  if (!points.empty()) {
    find_rows();
    solve_cut();
  }
  LearnedOutcome& outcome = report.outcome;
  if (outcome.dimension >= 0) {
    ++report.num_contact_steps;
    simulator.add_external_force(distal, outcome.friction / dt, body.center + outcome.arm,
                                 outcome.normal * (outcome.torque / dt));
  }
  const StepReport& step = simulator.step();
  simulator.clear_external_forces();
  if (outcome.dimension >= 0) {
    // The new velocity of the whole tree at the old place.
    update_kinematics(simulator.model(), q_before.data(), simulator.state().v.data(), *whole_data);
    report.mismatch = (point_velocity(*whole_data, distal, body.center) - outcome.end.linear).norm();
  }
  report.largest_penetration = std::max(report.largest_penetration, step.largest_penetration);
}

LearnedChain::LearnedChain(std::shared_ptr<const Model> model, const std::string& distal, ContactNetworks networks,
                           const LearnedChainSettings& settings)
    : workspace_(std::make_unique<Workspace>(std::move(model), distal, std::move(networks), settings)) {}
LearnedChain::~LearnedChain() = default;
LearnedChain::LearnedChain(LearnedChain&&) noexcept = default;

const Simulator& LearnedChain::simulator() const {
  return workspace_->simulator;
}
void LearnedChain::set_position(VectorView q) {
  workspace_->simulator.set_position(q);
}
void LearnedChain::set_velocity(VectorView v) {
  workspace_->simulator.set_velocity(v);
}
void LearnedChain::force_state(std::optional<PatchState> state) {
  workspace_->forced = state;
  workspace_->contact.force_state(state);
}
const LearnedChainReport& LearnedChain::report() const {
  return workspace_->report;
}

const LearnedChainReport& LearnedChain::step() {
  workspace_->step();
  return workspace_->report;
}

const LearnedChainReport& LearnedChain::step(int count) {
  if (count < 0) refuse("step: count is ", count);
  for (int k = 0; k < count; ++k) step();
  return report();
}

}  // namespace stiction
