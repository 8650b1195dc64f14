// The contact problem of the last step, for whoever wants to look at it or solve it again.
#include "stiction/constraints/problem_builder.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/workspace.h"

namespace stiction {
namespace {

void check_island(int island, int count) {
  if (island >= 0 && island < count) return;
  refuse("island ", island, " does not exist; the last step has ", count);
}

int index_of_contact(const StepConstraint& constraint, int i) {
  return constraint.id.source == ConstraintSource::contact ? i : -1;
}

// What of the impulses belongs to constraints `members` of the step, by row of their problem.
VectorX rows_of(const ContactProblem& problem, std::span<const int> members, const std::vector<Pack4>& lanes) {
  VectorX out(problem.num_rows());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Constraint& c = problem.constraint(static_cast<int>(i));
    for (int r = 0; r < c.rows; ++r) out[c.first_row + r] = lanes[members[i]][r];
  }
  return out;
}

}  // namespace

std::vector<std::array<int, 3>> StepProblem::short_identities() const {
  std::vector<std::array<int, 3>> out;
  out.reserve(identities.size());
  for (const ConstraintIdentity& id : identities) {
    // Features are small numbers or pairs of such; folded they stay apart. The source has the bits above.
    const auto folded = static_cast<std::uint32_t>(id.feature ^ (id.feature >> 29)) & 0x0fffffffU;
    out.push_back({id.first, id.second, static_cast<int>(folded | static_cast<std::uint32_t>(id.source) << 28)});
  }
  return out;
}

bool Simulator::Workspace::knows_rows() const {
  return contacts_current || (has_rows && state.step > 0);
}

StepProblem Simulator::contact_problem() const {
  const Workspace& w = *workspace_;
  StepProblem out;
  if (!w.knows_rows() || w.islands.size() == 0) return out;
  std::vector<int> members;
  for (int k = 0; k < w.islands.size(); ++k) {
    const auto island = w.islands.constraints(k);
    members.insert(members.end(), island.begin(), island.end());
  }
  ProblemBuilder builder;
  builder.set_velocity_floor(w.model->gravity.norm() * w.time_step);
  out.problem = builder.build(*w.model, w.rows, members);
  for (const int i : members) {
    out.identities.push_back(w.rows[i].id);
    out.contacts.push_back(index_of_contact(w.rows[i], i));
  }
  out.impulse = rows_of(out.problem, members, w.impulse);
  return out;
}

StepProblem Simulator::contact_problem(int island) const {
  const Workspace& w = *workspace_;
  const int count = w.knows_rows() ? w.islands.size() : 0;
  check_island(island, count);
  StepProblem out;
  out.problem = w.island_solver.problem(island);
  out.impulse = w.island_solver.solution(island).impulse;
  for (const int i : w.islands.constraints(island)) {
    out.identities.push_back(w.rows[i].id);
    out.contacts.push_back(index_of_contact(w.rows[i], i));
  }
  return out;
}

const SolveReport& Simulator::solve_report(int island) const {
  const Workspace& w = *workspace_;
  check_island(island, w.knows_rows() ? w.islands.size() : 0);
  return w.island_solver.report(island);
}

std::span<const HistoryEntry> Simulator::solve_history(int island) const {
  const Workspace& w = *workspace_;
  check_island(island, w.knows_rows() ? w.islands.size() : 0);
  return w.island_solver.history(island);
}

}  // namespace stiction
