// The fluid that fills a world, and what of its bodies it acts on (theory §3.14): drag and lift without a state of the
// fluid, the two models of MuJoCo. There is no buoyancy, and nothing is shielded by anything else.
#pragma once

#include <cstdint>
#include <string_view>

#include "stiction/math/pose.h"

namespace stiction {

struct Inertia;

struct Fluid {
  double density = 0.0;            // ρ, kg/m³
  double viscosity = 0.0;          // β, Pa·s
  Vector3 wind = Vector3::Zero();  // its velocity, the same everywhere, m/s
  bool is_there() const { return density > 0.0 || viscosity > 0.0; }
};

enum class FluidFormKind : std::uint8_t {
  box,        // drag along and about each of its axes
  ellipsoid,  // drag, lift, and what the fluid carried along does to a motion that turns
};
std::string_view to_string(FluidFormKind kind);

// What the fluid sees of a body. A body may have several; shapes for contact are another thing.
struct FluidForm {
  int body = -1;
  FluidFormKind kind = FluidFormKind::box;
  Pose pose{};                                 // X_BF: centre and axes in the body's frame
  Vector3 half_axes = Vector3::Zero();         // of a box: half its edges; where zero it feels nothing, m
  double blunt_drag = 0.5;                     // of the area that the ellipsoid shows to the flow
  double slender_drag = 0.25;                  // of what its largest area has more
  double angular_drag = 1.5;                   // against turning
  double kutta_lift = 1.0, magnus_lift = 1.0;  // across the flow: by the angle to it; by the spin
};

// The box of equal density with this mass and inertia, in the principal axes: what a body is where it has no form of
// its own. A moment that is diagonal keeps its axes. FluidForm::body is left open.
FluidForm inertia_box(const Inertia& inertia);

}  // namespace stiction
