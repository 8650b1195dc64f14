// One sweep over the constraints, shared by every method of Gauss–Seidel type and every form of G: visit.h has what a
// visit does, running_velocity.h what "the current σ_i" costs.
//
// A method is a Law: it says what becomes of a frictional contact. Half-lines, boxes and bilateral rows have an exact
// step of their own, the same for every method.
#pragma once

#include <array>
#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/best_iterate.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/running_velocity.h"
#include "stiction/solvers/sweeps/visit.h"

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
  // the other kinds.
  template <class Law>
  void sweep(Law& law) {
    switch (problem_->form()) {
      case DelassusForm::dense:
        return pass(dense_, law);
      case DelassusForm::sparse:
        return pass(sparse_, law);
      case DelassusForm::factored:
        return pass(factored_, law);
    }
  }

 private:
  // A law of this engine as visit() wants it.
  template <class Law>
  struct Adapted {
    const SweepEngine& engine;
    Law& law;

    double relaxation() const { return law.relaxation(); }
    template <class Running>
    const double* inverse(const Running&, int i, const Constraint&, const double*, const double*) const {
      return engine.inverse_[i].data();
    }
    template <class Running>
    bool contact(const Running&, int i, const Constraint&, const double* l, const double* s, double* next) const {
      for (int k = 0; k < 3; ++k) next[k] = l[k];
      law.contact(i, engine.block_[i], s, next);
      return true;
    }
  };
  template <class Running, class Law>
  void pass(Running& running, Law& law) {
    const Adapted<Law> adapted{*this, law};
    const int n = problem_->num_constraints();
    for (int i = 0; i < n; ++i) visit(running, adapted, i, problem_->constraint(i), impulse_.data());
  }
  void prepare_running(const ContactProblem& problem);
  void restart_running();

  const ContactProblem* problem_ = nullptr;
  std::vector<Matrix3> block_;                  // W_i
  std::vector<std::array<double, 9>> inverse_;  // of three bilateral rows, row by row
  std::vector<double> stiffness_;               // largest diagonal entry of W_i
  VectorX impulse_;
  VectorX velocity_;
  VectorX running_;           // dense: σ, padded to eight
  std::vector<Pack8> nodes_;  // factored: w
  RunningDense dense_;        // of these, the one that the form of G asks for
  RunningSparse sparse_;
  RunningNodes factored_;
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
