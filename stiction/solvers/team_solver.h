// Solvers that can share one large problem out among several threads.
#pragma once

#include "stiction/math/work_team.h"

namespace stiction {

class TeamSolver {
 public:
  // For the solves to come, until it is set again; null: one thread. The result does not depend on it.
  virtual void set_team(WorkTeam* team) = 0;

 protected:
  ~TeamSolver() = default;
};

}  // namespace stiction
