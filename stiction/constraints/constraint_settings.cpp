#include "stiction/constraints/constraint_settings.h"

#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {

void ConstraintSettings::validate() const {
  const auto not_negative = [](const char* name, double value) {
    require(value >= 0.0 && std::isfinite(value), name, value, "finite and at least 0");
  };
  require(baumgarte >= 0.0 && baumgarte <= 1.0, "constraints.baumgarte", baumgarte, "0 … 1");
  not_negative("constraints.slop", slop);
  not_negative("constraints.largest_correction", largest_correction);
  require(relative_compliance >= 0.0 && relative_compliance <= 1.0, "constraints.relative_compliance",
          relative_compliance, "0 … 1");
  require(relative_tangent_compliance >= 0.0 && relative_tangent_compliance <= 1.0,
          "constraints.relative_tangent_compliance", relative_tangent_compliance, "0 … 1");
  not_negative("constraints.tangential_compliance", tangential_compliance);
  if (relative_tangent_compliance > 0.0 && tangential_compliance > 0.0) {
    refuse("constraints.tangential_compliance is ", tangential_compliance,
           " beside constraints.relative_tangent_compliance ", relative_tangent_compliance,
           ": both relax the tangents, give one");
  }
  not_negative("constraints.restitution_threshold", restitution_threshold);
  not_negative("constraints.limit_margin", limit_margin);
}

}  // namespace stiction
