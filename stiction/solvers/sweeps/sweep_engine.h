// One sweep over the constraints, shared by every method of Gauss–Seidel type: read σ_i, change λ_i, next.
//
// What "the current σ_i" costs depends on the form of G:
//   dense     a running σ; changing λ_i by δ adds `rows` padded columns, no change costs nothing
//   sparse    σ_i = Σ_j G_ij λ_j + R_i λ_i + g_i from one block row; a change is free
//   factored  a running node velocity w = Aᵀ λ; both reading σ_i = A_i w + … and changing cost O(chain)
//
// A method is a Law: it says what becomes of a frictional contact. Half-lines, boxes and bilateral rows have an exact
// step of their own, the same for every method: λ_i ← P_C(λ_i − W_i⁻¹ σ_i), relaxed by the law's factor, where
// W_i = G_ii + R_i. Rows without inertia (W_i = 0) are left alone.
#pragma once

#include <algorithm>
#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/solver.h"

namespace stiction {

class SweepEngine {
 public:
  // Diagonal blocks, inverses and the running quantity, from λ. No allocation for a size seen before.
  void start(const ContactProblem& problem, VectorView impulse);
  // Another λ for the same problem.
  void set_impulse(VectorView impulse);

  const VectorX& impulse() const { return impulse_; }
  // σ of the current λ, computed afresh; also rids the running quantity of accumulated rounding.
  const VectorX& refresh_velocity();
  const Matrix3& block(int i) const { return block_[i]; }  // W_i = G_ii + R_i

  // One pass in the order of the constraints. law.contact(i, W_i, σ_i, λ_i) overwrites λ_i, law.relaxation() applies to
  // the other kinds. Returns max_i ‖Δλ_i‖ √(tr W_i): how much the pass still moved, in the root of an energy.
  template <class Law>
  double sweep(Law& law) {
    double largest = 0.0;
    const int n = problem_->num_constraints();
    for (int i = 0; i < n; ++i) {
      const Constraint& c = problem_->constraint(i);
      double* l = impulse_.data() + c.first_row;
      double sigma[3] = {}, next[3] = {}, delta[3] = {};
      read(i, sigma);
      for (int r = 0; r < c.rows; ++r) next[r] = l[r];
      if (c.kind == ConstraintKind::frictional) {
        law.contact(i, block_[i], sigma, next);
      } else {
        step_simple(i, law.relaxation(), sigma, next);
      }
      double square = 0.0;
      for (int r = 0; r < c.rows; ++r) {
        delta[r] = next[r] - l[r];
        square += delta[r] * delta[r];
      }
      if (square == 0.0) continue;
      largest = std::max(largest, square * trace_[i]);
      change(i, delta, next);
    }
    return largest;
  }

 private:
  void read(int i, double* sigma) const;
  void change(int i, const double* delta, const double* next);
  void step_simple(int i, double relaxation, const double* sigma, double* next) const;
  void restart_running();

  const ContactProblem* problem_ = nullptr;
  std::vector<Matrix3> block_;    // W_i
  std::vector<Matrix3> inverse_;  // of W_i for kinds other than frictional
  std::vector<double> trace_;
  VectorX impulse_;
  VectorX velocity_;
  VectorX running_;           // dense: σ, padded to eight
  std::vector<Pack8> nodes_;  // factored: w
};

// Keeps the best iterate that a stopping test has seen.
class BestIterate {
 public:
  void start(VectorView impulse, double residual) {
    impulse_ = impulse;
    residual_ = residual;
  }
  bool offer(VectorView impulse, double residual) {
    if (!(residual < residual_)) return false;
    impulse_ = impulse;
    residual_ = residual;
    return true;
  }
  const VectorX& impulse() const { return impulse_; }
  double residual() const { return residual_; }

 private:
  VectorX impulse_;
  double residual_ = 0.0;
};

// The residual is looked at after each of the first sweeps and then after every eighth: it costs about a sweep.
inline bool is_test_due(int sweep, bool is_last, bool every) {
  return every || is_last || sweep <= 4 || sweep % 8 == 0;
}

// ε_nat or ε_rel of the engine's λ.
double sweep_residual(const ContactProblem& problem, SweepEngine& engine, const SolveGoal& goal);

// Sweeps until the goal is met or its budget is spent, each of them one of its units. law.end_sweep() is called after
// each. `history` may be null.
template <class Law>
SolveOutcome run_sweeps(const ContactProblem& problem, VectorX& impulse, SweepEngine& engine, BestIterate& best,
                        Law& law, const SolveGoal& goal, std::vector<HistoryEntry>* history) {
  SolveOutcome outcome;
  engine.start(problem, impulse);
  best.start(impulse, sweep_residual(problem, engine, goal));
  while (best.residual() > goal.tolerance && !outcome.broken && goal.spend_and_ask(1.0)) {
    engine.sweep(law);
    law.end_sweep();
    ++outcome.iterations;
    if (!is_test_due(outcome.iterations, goal.left() < 1.0, history != nullptr)) continue;
    const double residual = sweep_residual(problem, engine, goal);
    if (history) history->push_back({outcome.iterations, residual, 0.0, 0});
    best.offer(engine.impulse(), residual);
    outcome.broken = !engine.impulse().allFinite();
  }
  impulse = best.impulse();
  outcome.residual = best.residual();
  outcome.converged = best.residual() <= goal.tolerance;
  return outcome;
}

}  // namespace stiction
