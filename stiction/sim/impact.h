// Impacts: what touches and approaches, and all that touches with it, in no time (theory §7.2).
//
// Newton      σ = G λ + J v⁻ + e c_N⁻ on the rows that approach: c_N⁺ ≥ −e c_N⁻ where λ_N > 0, all contacts at once
// Poisson     phases I and II: the problem with e = 0; phase III: every normal impulse once more by e, and a second
//             problem that lets nothing approach. Where this would add energy e is cut back
// pairwise    Newton's law contact by contact, the one that approaches fastest first, until none approaches: what a
//             row of balls does that touch one after the other
// Problems are solved by any solver of the registry, and judged.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/constraints/islands.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/sim/event_rows.h"
#include "stiction/sim/impact_law.h"
#include "stiction/sim/island_solver.h"

namespace stiction {

struct ImpactSettings {
  ImpactLaw law = ImpactLaw::newton;
  ImpactOrder order = ImpactOrder::at_once;
  double restitution_threshold = 0.0;  // m/s; slower impacts do not bounce
  double rest_speed = 0.0;             // m/s; slower approaches are none
  double tolerance = 0.0;              // m, rad: gaps of limits that touch

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct Impact {
  bool happened = false;  // something approached
  SolveStatus status = SolveStatus::converged;
  Residuals residuals;
  int iterations = 0, num_rows = 0;
  double approach = 0.0;         // the fastest, m/s or rad/s
  ConstraintIdentity fastest;    // whose it was
  double energy_change = 0.0;    // ½ λ·(c⁻ + c⁺), J
  double restitution_cut = 1.0;  // by which Poisson's e was multiplied
  double solve_seconds = 0.0;
};

class ImpactSolver {
 public:
  ImpactSolver(std::shared_ptr<const Model> model, const SimulatorSettings& solver, const ImpactSettings& settings);

  // The fastest approach among the points and limits, without changing anything, m/s; 0: none.
  double fastest_approach(const DynamicsData& data, const VectorX& q, const VectorX& v,
                          std::span<const ContactPoint> points);
  // v⁻ → v⁺, kinematics and factor at (q, v⁻).
  Impact solve(const DynamicsData& data, const VectorX& q, std::span<const ContactPoint> points, VectorX& v);

  // Of the last impact: normal speeds before, by contact row, and impulses in contact frames.
  std::span<const Pack4> impulses() const { return impulse_; }
  IslandSolver& islands() { return island_solver_; }
  void set_interrupt(Interrupt* interrupt) {
    interrupt_ = interrupt;
  }  // solve() throws StepInterrupted; v is as before

 private:
  void pick_rows(const DynamicsData& data, const VectorX& q, const VectorX& v, std::span<const ContactPoint> points);
  double speed(int row, const VectorX& w) const;
  double bounce(int row, double speed) const;
  void solve_rows(RowSet& rows, std::vector<Pack4>& impulse, Impact& out);
  void at_once(Impact& out);
  void poisson(Impact& out);
  void pairwise(Impact& out);
  double energy_of(const std::vector<Pack4>& impulse) const;
  static int normal_lane(const StepConstraint& row) { return row.law.rows == 3 ? 2 : 0; }

  std::shared_ptr<const Model> model_;
  ImpactSettings settings_;
  EventRows event_rows_;
  IslandSolver island_solver_;
  Islands islands_;
  RowSet rows_, single_;
  std::vector<Pack4> before_, impulse_, part_;  // c⁻ and λ by row
  std::vector<double> restitution_;
  VectorX work_;
  Interrupt* interrupt_ = nullptr;
};

}  // namespace stiction
