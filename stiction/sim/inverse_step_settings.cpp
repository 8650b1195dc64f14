// What an inverse step is asked for: its settings, checked, and the names of its methods and outcomes.
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/sim/inverse_step.h"

namespace stiction {

void InverseStepSettings::validate(int num_velocities) const {
  require(proximal > 0.0 && std::isfinite(proximal), "proximal", proximal, "finite and positive");
  require(tolerance > 0.0 && std::isfinite(tolerance), "tolerance", tolerance, "finite and positive");
  require(max_iterations >= 1, "max_iterations", max_iterations, "at least 1");
  require(contact_model == ContactModel::ncp || contact_model == ContactModel::ccp, "contact_model",
          to_string(contact_model), "ncp or ccp");
  require(unactuated_share >= 0.0 && unactuated_share <= 1.0, "unactuated_share", unactuated_share, "0 … 1");
  for (const int j : unactuated) {
    if (j < 0 || j >= num_velocities) refuse("unactuated names velocity ", j, "; the model has ", num_velocities);
  }
}

std::string_view to_string(InverseMethod method) {
  return method == InverseMethod::exact ? "exact" : "least_squares";
}

std::string_view to_string(InverseStatus status) {
  switch (status) {
    case InverseStatus::converged:
      return "converged";
    case InverseStatus::unreachable:
      return "unreachable";
    case InverseStatus::iteration_limit:
      return "iteration_limit";
  }
  return "?";
}

}  // namespace stiction
