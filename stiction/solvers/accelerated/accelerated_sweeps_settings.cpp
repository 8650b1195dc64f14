#include "stiction/solvers/accelerated/accelerated_sweeps_settings.h"

#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/solvers/accelerated/anderson_window.h"

namespace stiction {

void AndersonWindowSettings::validate() const {
  require(columns >= 0 && columns <= AndersonWindow::most_columns, "window.columns", columns, "0 … 16");
  require(growth > 1.0 && std::isfinite(growth), "window.growth", growth, "more than 1 and finite");
  require(pause >= 0, "window.pause", pause, "at least 0");
  require(longest_pause >= 1, "window.longest_pause", longest_pause, "at least 1");
  require(ridge >= 0.0 && std::isfinite(ridge), "window.ridge", ridge, "at least 0 and finite");
}

void AcceleratedSweepsSettings::validate() const {
  window.validate();
  require(sweeps_per_step >= 1 && sweeps_per_step <= 8, "sweeps_per_step", sweeps_per_step, "1 … 8");
  require(test_every >= 1, "test_every", test_every, "at least 1");
  require(cost > 0.0 && std::isfinite(cost), "cost", cost, "positive and finite");
  require(cost_of_visit >= 0.0 && std::isfinite(cost_of_visit), "cost_of_visit", cost_of_visit,
          "at least 0 and finite");
  require(cost_of_constraint >= 0.0 && std::isfinite(cost_of_constraint), "cost_of_constraint", cost_of_constraint,
          "at least 0 and finite");
  require(most_sweeps >= 1, "most_sweeps", most_sweeps, "at least 1");
  require(constraints_per_domain >= 1, "constraints_per_domain", constraints_per_domain, "at least 1");
}

}  // namespace stiction
