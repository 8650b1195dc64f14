// What the interior point and the path follower share: the point at which they stand and what is known there, the best
// impulse seen so far, the goal.
#pragma once

#include "stiction/solvers/goal.h"
#include "stiction/solvers/interior_point/newton_system.h"

namespace stiction {

// The best impulse seen by the stopping test.
struct BestImpulse {
  Rows3 impulse;
  StoppingResidual residual;
  double value = 0.0;  // by the measure of the goal
  SolveStage stage = SolveStage::guess;

  bool offer(const Rows3& candidate, const StoppingResidual& r, double measure, SolveStage from);
};

// One problem being solved: stages are run on it until it is done.
struct ConeTask {
  const ConeProblem* cones = nullptr;
  NewtonSystem* system = nullptr;
  SolveGoal goal;
  SolveStage stage = SolveStage::guess;  // the stage that is running
  BestImpulse best;
  int iterations = 0;
  bool infeasible = false;                       // there is no solution, by proof
  std::vector<HistoryEntry>* history = nullptr;  // one entry per iteration, where wanted

  // Measures the guess; true when it will do.
  bool begin(const ConeProblem& problem, NewtonSystem& space, const SolveGoal& wanted, const VectorX& guess);
  // Counts anew, with an impulse that another part may have found meanwhile.
  void continue_from(const VectorX& impulse);
  // Writes the best impulse unless that is the guess itself, and measures what is handed out in the problem's own
  // units: with extreme scales rounding λ once more is not free.
  SolveOutcome finish(const ContactProblem& problem, VectorX& impulse);
  // A hair below the tolerance, so that finish() agrees.
  bool done() const { return best.value <= 0.999 * goal.tolerance; }
  // Good enough to stop once progress is slow.
  bool is_acceptable() const { return best.value <= 0.999 * goal.acceptable; }
  bool may_factor() const { return goal.may_spend(1.0); }
  // The system's, paid for. False also where nothing is left to pay with.
  bool factor(const ConeVector& at, double delta) { return goal.spend_and_ask(1.0) && system->factor(at, delta); }
  bool factor_stick(double eta) { return goal.spend_and_ask(1.0) && system->factor_stick(eta); }

  // The guess that begin() was given, and its σ.
  const Rows3& guess() const { return impulse_; }
  const Rows3& guess_velocity() const { return sigma_; }

 private:
  Rows3 impulse_, sigma_;
  VectorX velocity_;
};

struct PathPoint {
  ConeVector at;
  Rows3 sigma, rp;  // σ = (G + R) λ + g, r_p = σ − σ(y)
  double kappa = 0.0, rp_norm = 0.0;
  StoppingResidual residual;

  void resize(int n);
  // σ, residuals and κ at the present point; offers the impulse to the task. False when something is not finite.
  bool evaluate(ConeTask& task, double delta);
};

// λ ← λ − (G + R + η)⁻¹ σ from the impulse given, up to `rounds` times, as long as λ keeps to the sets
// (theory (4-2)): exact for structures at rest. False when the factorisation fails.
struct StickProbe {
  double eta = 1e-6;
  int rounds = 4;
  Rows3 sigma;

  bool run(ConeTask& task, Rows3& impulse);
};

}  // namespace stiction
