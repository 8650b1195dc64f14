// How restitution acts in an impact (impact.h; theory §7.2).
#pragma once

#include <string_view>

namespace stiction {

enum class ImpactLaw { newton, poisson };
enum class ImpactOrder { at_once, pairwise };
std::string_view to_string(ImpactLaw law);
std::string_view to_string(ImpactOrder order);

}  // namespace stiction
