// One island with its own solver: symbolic factorisations and scratch stay with it from step to step.
#pragma once

#include <memory>
#include <vector>

#include "stiction/constraints/assemble.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace stiction {

// What an island was before its corrections were dropped.
struct JamTrial {
  std::vector<RowSet::Row> rows;  // of its constraints
  ContactSolution solution;
};

struct IslandSlot {
  ProblemAssembler assembler;             // rows
  std::unique_ptr<ContactSolver> solver;  // made with the slot
  ContactSolution solution;               // rows (guess), solve
  SolveReport report;                     // solve
  bool jammed = false;                    // solve: StepReport::num_jammed_islands
  JamTrial trial;                         // solve, where it may be jammed
  Residuals residuals;                    // judge
};

}  // namespace stiction
