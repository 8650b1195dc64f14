// The contact models that the papers compare (theory §1.2): which law a solver answers to.
#pragma once

#include <string_view>

namespace stiction {

enum class ContactModel {
  ncp,              // Signorini + Coulomb + maximum dissipation: the exact law
  ccp,              // cone complementarity: the de Saxcé term dropped, sliding contacts lift off
  lcp,              // linear complementarity: the cone replaced by the pyramid ‖λ_T‖_∞ ≤ μ λ_N
  raisim,           // Signorini and Coulomb, sliding direction bent
  frictionless,     // normal impulses only
  max_dissipation,  // two-phase convex program of Drumwright and Shell
};

std::string_view to_string(ContactModel model);

}  // namespace stiction
