#include "stiction/solvers/interior_point/cold_interior_point.h"

namespace stiction {
namespace {

constexpr SolveStage cold_start{1};  // there is no other

}  // namespace

SolveOutcome ColdInteriorPoint::solve(const ContactProblem& problem, const SolveGoal& goal,
                                      const InteriorPointOptions& options, VectorX& impulse,
                                      std::vector<HistoryEntry>* history) {
  NewtonSystem* system = &contact_space_;
  cones_.load(problem);
  if (problem.form() == DelassusForm::factored) {
    velocity_space_.load(problem, cones_);
    velocity_space_.unsharpen();
    system = &velocity_space_;
  } else {
    contact_space_.load(problem, cones_);
  }
  if (!task_.begin(cones_, *system, goal, impulse)) {
    task_.history = history;
    task_.stage = cold_start;
    interior_point_.resize(cones_.size());
    cones_.start_cold(1.0, interior_point_.point.at);
    interior_point_.run(task_, options);
    task_.history = nullptr;
  }
  return task_.finish(problem, impulse);
}

}  // namespace stiction
