#include "stiction/solvers/auto/auto_heap.h"

#include <algorithm>

namespace stiction {

bool AutoHeap::may_sweep(const ContactProblem& problem) const {
  return problem.factored().num_nodes() >= settings.least_nodes && ConstraintBatches::takes(problem);
}

bool AutoHeap::takes(const ContactProblem& problem) const {
  if (problem.is_rigid() || problem.factored().num_nodes() < settings.least_nodes) return false;
  const DelassusFactored& f = problem.factored();
  int contacts = 0, pairs = 0;
  bool tangents_give = true;
  int last_a = -1, last_b = -1;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    const int first = f.segment_begin[i], segments = f.segment_begin[i + 1] - first;
    if (segments > 2) return false;
    if (c.kind != ConstraintKind::frictional) continue;
    const double mean = problem.diagonal_block(i).trace() / 3.0;
    if (problem.compliance()[c.first_row + 2] < settings.least_compliance * mean) return false;
    const double tangents = std::min(problem.compliance()[c.first_row], problem.compliance()[c.first_row + 1]);
    tangents_give = tangents_give && tangents >= settings.least_compliance * mean;
    const int a = segments > 0 ? f.segment_node[first] : -1, b = segments > 1 ? f.segment_node[first + 1] : -1;
    ++contacts;
    // Contacts of a pair follow each other. One body on two pieces of the world counts as one pair, rightly: it is held
    // in several points.
    pairs += a != last_a || b != last_b;
    last_a = a;
    last_b = b;
  }
  return contacts >= settings.least_nodes && (tangents_give || contacts <= settings.contacts_per_pair * pairs);
}

SolveOutcome AutoHeap::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  sweeps_.settings = settings.sweeps;
  const bool is_large = problem.num_constraints() > settings.large_constraints;
  sweeps_.settings.window.columns = is_large ? settings.columns_of_large : settings.columns;
  sweeps_.settings.cost = AutoCost::least_accelerated_sweep;
  sweeps_.settings.cost_of_visit = AutoCost::accelerated_visit;
  sweeps_.settings.cost_of_constraint = AutoCost::accelerated_share;
  sweeps_.settings.most_sweeps = settings.most_sweeps;
  SolveOutcome outcome = sweeps_.solve(problem, goal, impulse);
  if (outcome.iterations > 0) outcome.stage = AutoStage::accelerated;
  outcome.accepted = !outcome.converged && outcome.residual <= goal.acceptable;
  return outcome;
}

}  // namespace stiction
