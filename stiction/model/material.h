// What a surface is made of, and how two surfaces make one contact.
#pragma once

#include <string_view>

#include "stiction/math/types.h"

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
  // Friction torques of a point of contact, as shares of its normal force, m: about the normal, and against rolling.
  double torsional_friction = 0.0, rolling_friction = 0.0;
  // Of a surface that moves although its body does not (conveyor, turntable): at a place p of the shape
  // v + ω × p, in the shape's axes, m/s and rad/s; what of it is along the normal of a contact does not count.
  Vector3 surface_velocity = Vector3::Zero(), surface_spin = Vector3::Zero();

  bool is_anisotropic() const { return friction_2 >= 0.0 && friction_2 != friction; }
  bool has_moving_surface() const { return !surface_velocity.isZero(0.0) || !surface_spin.isZero(0.0); }
};

// Properties of the contact of two surfaces.
struct PairMaterial {
  double friction = 1.0, friction_2 = 1.0;  // equal unless anisotropic
  int direction_of = -1;                    // whose x axis is the first tangent: 0 first, 1 second shape, −1 isotropic
  double restitution = 0.0, compliance = 0.0, damping = 0.0;
  double torsional_friction = 0.0, rolling_friction = 0.0;  // m
};

// The material of one pair of shapes, in place of what their materials make.
struct ShapePair {
  int shape_a = -1, shape_b = -1;  // shape_a < shape_b
  PairMaterial material{};
};

// The pair rule. Equal priority: friction by `rule`; restitution the larger; compliances add, as springs in series;
// dampings combine as dampers in series (1/d = 1/d_a + 1/d_b), where a surface without damping leaves the other's.
// An anisotropic surface against an isotropic one: the rule is applied to each of its two directions. Two anisotropic
// ones: the directions of the first. Torsional and rolling friction by `rule`, too; a product of lengths is none: there
// the geometric mean. Higher priority: that surface's values alone.
PairMaterial combine(const Material& a, const Material& b, FrictionRule rule);

}  // namespace stiction
