// Position-level correction in place of Baumgarte's (ConstraintSettings::project_positions; project_loops: of loops
// and limits alone); theory §3.12.
//
// After the velocities v⁺ are known, the smallest pseudo-velocity u (in the metric of the inertia) is found with which
// positions end where they should: for the gap that the step would leave, Φ + Δt c⁺,
//     J_N u ≥ −K (Φ + Δt c⁺)⁻ … separated contacts may just close,   J u = −K (error + Δt c⁺) for loops,   K =
//     baumgarte/Δt,
// and q⁺ = q ⊕ Δt (v⁺ + u). u does not enter v⁺, so the correction adds no energy. It is a frictionless contact problem
// over the same rows. One linearisation per step: what its curvature leaves, the next step corrects.
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
  // `end_velocity`: c⁺ of every constraint. Returns u, by velocity; zero where nothing needs correcting.
  const VectorX& project(const Model& model, const DynamicsData& dynamics, const RowSet& rows,
                         std::span<const Pack4> end_velocity, double time_step, const ConstraintSettings& settings);

 private:
  bool copy_rows(const Model& model, const RowSet& rows, std::span<const Pack4> end_velocity, double time_step,
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
  std::vector<Pack4> impulse_;  // by constraint
  std::vector<Pack4> lanes_;
};

}  // namespace stiction
