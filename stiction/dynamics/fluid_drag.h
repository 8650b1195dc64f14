// What a fluid exerts on a form that moves through it (theory §3.14), in the axes of the form, about its centre.
//
// Of the relative velocity (ω, u), u against the wind:
//     drag   torque −a ∘ ω,          force −b ∘ u,              a, b ≥ 0: it takes energy
//     lift   torque l × ω + p × u,   force p × ω + s × u:       it does no work, being S (ω, u) with S = −Sᵀ
// where a, b, l, p, s depend on (ω, u) themselves. What the acceleration of the fluid carried along would do (added
// mass proper) is left out, as MuJoCo leaves it out.
#pragma once

#include "stiction/model/fluid.h"

namespace stiction {

struct FluidDrag {
  Vector3 angular = Vector3::Zero(), linear = Vector3::Zero();                     // a, N·m·s; b, N·s/m
  Vector3 spin = Vector3::Zero(), flow = Vector3::Zero(), turn = Vector3::Zero();  // l, p, s
};

// What never changes about a form in its fluid.
class FluidDragLaw {
 public:
  FluidDragLaw(const FluidForm& form, const Fluid& fluid);
  FluidDrag at(const Vector3& omega, const Vector3& u) const;
  bool has_lift() const { return has_lift_; }

 private:
  void add_ellipsoid(const Vector3& omega, const Vector3& u, FluidDrag& drag) const;

  FluidForm form_;
  double density_;
  double viscous_angular_, viscous_linear_;        // 8πβ r³, 6πβ r with r the mean half axis
  Vector3 quadratic_angular_, quadratic_linear_;   // box: of |ω_i|, of |u_i|; ellipsoid: a = ‖the first ∘ ω‖
  Vector3 faces_;                                  // (r_j r_k)²
  double largest_area_ = 0.0, lifted_mass_ = 0.0;  // π r_max r_mid; Magnus: C_M ρ V
  Vector3 added_mass_, added_inertia_;             // of the fluid carried along, kg, kg·m²
  bool has_lift_ = false;
};

// Of the fluid that an ellipsoid carries along, per density: m³ along, m⁵ about its axes (theory (3-29)).
void added_volumes(const Vector3& half_axes, Vector3& along, Vector3& about);

}  // namespace stiction
