#include "stiction/model/material.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

double combine_friction(double a, double b, FrictionRule rule) {
  switch (rule) {
    case FrictionRule::geometric_mean:
      return std::sqrt(a * b);  // exact for a = b
    case FrictionRule::minimum:
      return std::min(a, b);
    case FrictionRule::maximum:
      return std::max(a, b);
    case FrictionRule::arithmetic_mean:
      return 0.5 * a + 0.5 * b;
    case FrictionRule::product:
      return a * b;
  }
  return 0.0;
}

double combine_length(double a, double b, FrictionRule rule) {
  return combine_friction(a, b, rule == FrictionRule::product ? FrictionRule::geometric_mean : rule);
}

double friction_across(const Material& material) {
  return material.is_anisotropic() ? material.friction_2 : material.friction;
}

PairMaterial alone(const Material& material, int which) {
  return {.friction = material.friction,
          .friction_2 = friction_across(material),
          .direction_of = material.is_anisotropic() ? which : -1,
          .restitution = material.restitution,
          .compliance = material.compliance,
          .damping = material.damping,
          .torsional_friction = material.torsional_friction,
          .rolling_friction = material.rolling_friction};
}

}  // namespace

std::string_view to_string(FrictionRule rule) {
  switch (rule) {
    case FrictionRule::geometric_mean:
      return "geometric_mean";
    case FrictionRule::minimum:
      return "minimum";
    case FrictionRule::maximum:
      return "maximum";
    case FrictionRule::arithmetic_mean:
      return "arithmetic_mean";
    case FrictionRule::product:
      return "product";
  }
  return "?";
}

PairMaterial combine(const Material& a, const Material& b, FrictionRule rule) {
  if (a.priority != b.priority) return a.priority > b.priority ? alone(a, 0) : alone(b, 1);
  PairMaterial pair;
  pair.direction_of = a.is_anisotropic() ? 0 : b.is_anisotropic() ? 1 : -1;
  pair.friction = combine_friction(a.friction, b.friction, rule);
  pair.friction_2 =
      pair.direction_of < 0 ? pair.friction : combine_friction(friction_across(a), friction_across(b), rule);
  pair.restitution = std::max(a.restitution, b.restitution);
  pair.compliance = a.compliance + b.compliance;
  pair.damping = a.damping == 0.0   ? b.damping
                 : b.damping == 0.0 ? a.damping
                                    : 1.0 / (1.0 / a.damping + 1.0 / b.damping);
  pair.torsional_friction = combine_length(a.torsional_friction, b.torsional_friction, rule);
  pair.rolling_friction = combine_length(a.rolling_friction, b.rolling_friction, rule);
  return pair;
}

}  // namespace stiction
