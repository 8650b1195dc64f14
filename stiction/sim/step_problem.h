// The contact problem that a step solved, for whoever wants to look at it or solve it again
// (Simulator::contact_problem).
#pragma once

#include <array>
#include <vector>

#include "stiction/constraints/constraint_identity.h"
#include "stiction/contact/problem.h"

namespace stiction {

// The contact problem of a step, of one island or of all together, with what its constraints are and what the step
// found: for other solvers, the judge, files of problems (write_fclib, write_sequence).
struct StepProblem {
  ContactProblem problem;
  std::vector<ConstraintIdentity> identities;  // of its constraints; the same in the next step
  std::vector<int> contacts;                   // by constraint: index into Simulator::contacts(), −1 where it is none
  VectorX impulse;                             // λ of the step, N·s

  // Identities in three numbers, as sequences of problems name constraints.
  std::vector<std::array<int, 3>> short_identities() const;
};

}  // namespace stiction
