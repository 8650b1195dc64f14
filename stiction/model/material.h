// What a surface is made of, and how two surfaces make one contact.
#pragma once

#include <string_view>

namespace stiction {

// How the frictions of two surfaces make the friction of their contact.
enum class FrictionRule { geometric_mean, minimum, maximum, arithmetic_mean, product };
std::string_view to_string(FrictionRule rule);

struct Material {
  double friction = 1.0;     // μ along the shape's x axis (isotropic: in all directions), no unit, ≥ 0
  double friction_2 = -1.0;  // μ across it where friction is anisotropic; negative: isotropic
  double restitution = 0.0;  // e, 0 … 1
  double compliance = 0.0;   // normal, m/N; zero is rigid
  double damping = 0.0;      // normal, N·s/m; acts only where there is compliance
  int priority = 0;          // of two surfaces the one with the higher priority decides alone

  bool is_anisotropic() const { return friction_2 >= 0.0 && friction_2 != friction; }
};

// Properties of the contact of two surfaces.
struct PairMaterial {
  double friction = 1.0, friction_2 = 1.0;  // equal unless anisotropic
  int direction_of = -1;                    // whose x axis is the first tangent: 0 first, 1 second shape, −1 isotropic
  double restitution = 0.0, compliance = 0.0, damping = 0.0;
};

// The pair rule. Equal priority: friction by `rule`; restitution the larger; compliances add, as springs in series;
// dampings combine as dampers in series (1/d = 1/d_a + 1/d_b), where a surface without damping leaves the other's.
// An anisotropic surface against an isotropic one: the rule is applied to each of its two directions. Two anisotropic
// ones: the directions of the first. Higher priority: that surface's values alone.
PairMaterial combine(const Material& a, const Material& b, FrictionRule rule);

}  // namespace stiction
