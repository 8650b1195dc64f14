// What a step tells its caller: the certificate (specification 3.7).
#pragma once

#include <array>
#include <string_view>

#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace stiction {

// The stages of a step, in execution order.
enum class StepStage { kinematics, collide, free_velocity, rows, solve, judge, integrate, count };
std::string_view to_string(StepStage stage);

struct StepReport {
  double time = 0.0;  // at the end of the step, s

  // Constraints of the step. Contacts by regime; the others by kind.
  int num_contacts = 0, num_sticking = 0, num_sliding = 0, num_open = 0;
  int num_limits = 0, num_dry_frictions = 0, num_loops = 0;
  int num_islands = 0;
  int num_sleeping_bodies = 0;
  // Islands solved without driving penetrations out, because no motion did that for all of their contacts: what is
  // wedged stays as deep as it is.
  int num_jammed_islands = 0;

  // The solver's account: the worst status of all islands, iterations of all.
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  int factorisations = 0;
  bool converged() const { return status == SolveStatus::converged; }

  // The judge's account: the worst of all islands (zero where judging is switched off).
  Residuals residuals;
  int worst_contact = -1;  // index into Simulator::contacts() of the constraint that carries eps_nat; −1: no contact
  bool certified = true;   // residuals.eps_nat is within the tolerance (not judged: the solver says so)
  bool accepted = true;    // it is at least within the acceptable tolerance

  // Energy, J. Of the state that the step began with; and what constraint impulses did in the step.
  double kinetic_energy = 0.0, potential_energy = 0.0;
  double constraint_work = 0.0;  // T(v⁺) − T(v_f), (1.9)
  double dissipated = 0.0;       // by friction of contacts and joints, ≥ 0

  double largest_penetration = 0.0;  // m, over the contacts that the step began with

  std::array<double, static_cast<int>(StepStage::count)> seconds{};  // wall time by stage, of the last step timed
};

}  // namespace stiction
