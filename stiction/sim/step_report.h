// What a step tells its caller: the certificate (theory §3.7).
#pragma once

#include <array>
#include <string_view>

#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace stiction {

// The stages of a step, in execution order (theory §3.1); step.cpp has the list.
enum class StepStage {
  kinematics,     // poses, velocities, inertia, bias at the beginning
  collide,        // points there, unless the last step has found them
  sleep,          // which trees rest
  free_velocity,  // v_f
  reach,          // points that v_f may bring together; then sleep and free_velocity once more
  free_motion,    // what passes by and what meets otherwise, of points far away
  rows,           // constraints from points, limits, dry friction, loops, servos
  warm_start,     // what the last step knew of them
  islands,        // constraints that meet; redundant ones are left out
  problems,       // the contact problem of each island
  solve,          // λ, v⁺
  servos,         // limits of servos at v⁺; broken ones: from rows on again
  judge,          // residuals
  account,        // constraints by kind and regime, works
  integrate,      // q⁺
  remember,       // warm starts for the next step
  look_ahead,     // points at q⁺, against what the rows promised
  recheck,        // points that were missed; then from rows on again
  certify,        // the energy balance, counts; a step that is not accepted may throw
  sense,          // what sensors with a delay read at the end
  accept,         // the end is the state
  count
};
std::string_view to_string(StepStage stage);

struct StepReport {
  double time = 0.0;  // at the end of the step, s

  // Constraints of the step. Contacts by regime; the others by kind.
  int num_contacts = 0, num_sticking = 0, num_sliding = 0, num_open = 0;
  int num_held_contacts = 0;  // of the open ones: no joint moves them along their normal, and they do nothing
  int num_limits = 0, num_dry_frictions = 0, num_loops = 0;
  int num_friction_torques = 0;                  // torsion and rolling of contacts, each counted
  int num_servos = 0, num_saturated_servos = 0;  // servos at or near their limit; those at it
  int num_islands = 0;
  int num_sleeping_bodies = 0;
  // Islands solved without driving penetrations out, because no motion did that for all of their contacts, in this step
  // or when that was tried last: what is wedged stays as deep as it is.
  int num_jammed_islands = 0;

  // Rows of loops that say what others say already, to ConstraintSettings::loop_tolerance, and are left out; and by how
  // much the errors of these positions contradict the others, at most, m or rad.
  int num_redundant_rows = 0;
  double largest_loop_mismatch = 0.0;

  // What contacts give. Those that ConstraintSettings::relative_compliance made softer than their materials: what is
  // certified is then the law of the softer ones, and no rigid step. Compliance as it acts in the step, R_N Δt².
  int num_compliant_contacts = 0, num_softened_contacts = 0;
  double largest_compliance = 0.0;    // m/N, over all contacts; 0: all are rigid
  double largest_static_depth = 0.0;  // m: how far a contact is compressed by what it carries, c λ_N/Δt
  // Those whose friction gives, by ConstraintSettings::tangential_compliance or relative_tangent_compliance, and the
  // largest velocity that this lets one slip by, m/s: so far what is certified is from Coulomb's law.
  int num_relaxed_contacts = 0;
  double largest_relaxed_slip = 0.0;
  bool is_rigid() const { return num_compliant_contacts + num_relaxed_contacts == 0; }

  // The solver's account: the worst status of all islands, iterations of all.
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  int factorisations = 0;
  int coupling_rounds = 0;  // solves of an island to find how far friction torques reach, at most; 0: there are none
  bool converged() const { return status == SolveStatus::converged; }

  // The judge's account: the worst of all islands (zero where judging is switched off).
  Residuals residuals;
  double friction_error = 0.0;  // N: beyond the cone, or not against a slip that the tolerance tells from rest
  int worst_contact = -1;  // index into Simulator::contacts() of the constraint that carries eps_nat; −1: no contact
  // residuals.eps_nat is within the tolerance, or eps_abs within absolute_tolerance (not judged: the solver says so)
  bool law_certified = true;
  bool accepted = true;  // it is at least within the acceptable tolerance

  // Geometry: what is found at the end of the step against what its rows had promised, m.
  double unforeseen_penetration = 0.0;  // the deepest that anything is there, or went through, beyond its row's promise
  double largest_gap_error = 0.0;       // |gap there − gap promised|, largest over the rows that carry an impulse
  // How far normals of rows that carry an impulse turned beyond what their bodies and the ways of their contacts
  // explain, rad.
  double largest_normal_error = 0.0;
  int num_rechecks = 0;            // how often contacts that were missed became rows and islands were solved again
  bool geometry_certified = true;  // all are within what SimulatorSettings::geometric_tolerance says

  // Energy, J. Of the state that the step began with; and what constraint impulses did in the step.
  double kinetic_energy = 0.0, potential_energy = 0.0;
  double constraint_work = 0.0;  // T(v⁺) − T(v_f), (1-16)
  double dissipated = 0.0;       // by friction of contacts and joints, ≥ 0
  double surface_work = 0.0;     // of surfaces that move although their bodies do not, on what they carry
  double actuator_work = 0.0;    // of actuators
  double applied_work = 0.0;     // of the joint and external forces that the caller set
  // By dampers of joints and tendons, ≥ 0 unless a joint turns back in the step; and by a fluid, where wind may give.
  double damped = 0.0;
  double energy_error = 0.0;  // what the step's change of energy differs by from all of this: the integrator's
  // Trees that turn too far in a step to be followed (theory §3.6) and were braked: energy that nothing in the world
  // took.
  int num_braked_trees = 0;
  bool energy_certified = true;  // it is no gain beyond SimulatorSettings::energy_tolerance, and nothing was braked

  // The law, the geometry and the energy: what the step says of the world is right.
  bool certified() const { return law_certified && geometry_certified && energy_certified; }

  double largest_penetration = 0.0;  // m, over the contacts that the step began with

  std::array<double, static_cast<int>(StepStage::count)> seconds{};  // wall time by stage, of the last step timed
};

}  // namespace stiction
