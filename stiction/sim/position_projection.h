// Position-level correction in place of Baumgarte's (ConstraintSettings::project_positions; project_loops: of loops
// and limits alone); theory §3.12.
//
// After the velocities v⁺ are known, the smallest pseudo-velocity u (in the metric of the inertia) is found with which
// positions end where they should: for the gap that the step would leave, Φ + Δt c⁺,
//     J_N u ≥ −K (Φ + Δt c⁺)⁻ … separated contacts may just close,   J u = −K (error + Δt c⁺) for loops,   K =
//     baumgarte/Δt,
// and q⁺ = q ⊕ Δt (v⁺ + u). u does not enter v⁺, so the correction adds no energy. It is a frictionless contact problem
// over the same rows. One linearisation per step: what its curvature leaves, the next step corrects. So is
// what its limit leaves: an island has the iterations that the impulses of the step did not need, at most 200.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "stiction/constraints/constraint_settings.h"
#include "stiction/constraints/islands.h"
#include "stiction/constraints/problem_builder.h"
#include "stiction/constraints/row_set.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/solvers/solver.h"

namespace stiction {

class PositionProjection {
 public:
  // `end_velocity`: c⁺ of every constraint. `mismatch`: by how much loops contradict each other at most, m or rad;
  // errors that are much smaller may wait. Returns u, by velocity; zero where nothing needs correcting. Of `limits` an
  // island has max_iterations, at most 200. Where the interrupt asks to stop, u is of no use.
  const VectorX& project(const Model& model, const DynamicsData& dynamics, const RowSet& rows,
                         std::span<const Pack4> end_velocity, double time_step, const ConstraintSettings& settings,
                         double mismatch, const SolveLimits& limits);
  int iterations() const { return iterations_; }            // of the last project(), of all islands
  int most_iterations() const { return most_iterations_; }  // of the island that took most

 private:
  enum class Role { none, contact, limit, loop };  // of a row
  static Role role_of(const Model& model, const StepConstraint& row, const ConstraintSettings& settings);
  static bool is_needed(const Model& model, const RowSet& rows, std::span<const Pack4> end_velocity, double time_step,
                        const ConstraintSettings& settings, double mismatch);
  void copy_rows(const Model& model, const RowSet& rows, std::span<const Pack4> end_velocity, double time_step,
                 const ConstraintSettings& settings);
  Pack4 add_columns(const RowSet& rows, int i, bool contact);

  struct Slot {  // of an island
    ProblemBuilder builder;
    std::unique_ptr<ContactSolver> solver;
    ContactSolution solution;
  };

  RowSet rows_;
  Islands islands_;
  std::deque<Slot> slots_;
  VectorX pseudo_velocity_;
  int iterations_ = 0, most_iterations_ = 0;
  std::vector<Pack4> impulse_;  // by constraint
  std::vector<Pack4> lanes_;
};

}  // namespace stiction
