// The fluid of the file, and what of its bodies it acts on: ellipsoids of geoms, else the inertia box of the body.
#include <algorithm>
#include <cmath>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"
#include "stiction/math/refuse.h"

namespace stiction {

void MjcfReader::read_fluid() {
  const bool is_off = disabled(mjDSBL_SPRING) && disabled(mjDSBL_DAMPER);  // both together switch fluids off, too
  Fluid fluid;
  if (!is_off) fluid = {m_.opt.density, m_.opt.viscosity, vector3(m_.opt.wind)};
  builder_.set_fluid(fluid);
  constexpr double least_mass = 1e-15;  // MuJoCo passes over what is lighter
  for (int body = 1; body < m_.nbody; ++body) {
    if (m_.body_mass[body] < least_mass) continue;
    const int first = m_.body_geomadr[body], end = first + m_.body_geomnum[body];
    bool has_ellipsoid = false;
    for (int geom = first; geom < end; ++geom) {
      if (!is_in_fluid(geom)) continue;
      has_ellipsoid = true;
      add_ellipsoid(geom);
    }
    if (!has_ellipsoid && fluid.is_there()) add_inertia_box(body);
  }
}

bool MjcfReader::is_in_fluid(int geom) const {
  return m_.geom_bodyid[geom] > 0 && m_.geom_fluid[mjNFLUID * geom] > 0.0;
}

// In the principal axes that MuJoCo has found: where two moments are equal there are others.
void MjcfReader::add_inertia_box(int body) {
  FluidForm box{.body = builder_body(body)};
  box.pose = pose(m_.body_ipos + 3 * body, m_.body_iquat + 4 * body);
  const Vector3 moments = vector3(m_.body_inertia + 3 * body);
  for (int k = 0; k < 3; ++k) {
    const double across = moments.sum() - 2.0 * moments[k];
    box.half_axes[k] = std::sqrt(1.5 * std::max(0.0, across) / m_.body_mass[body]);
  }
  builder_.add_fluid_form(box);
}

void MjcfReader::add_ellipsoid(int geom) {
  const int body = m_.geom_bodyid[geom];
  const mjtNum *size = m_.geom_size + 3 * geom, *fluid = m_.geom_fluid + mjNFLUID * geom;
  FluidForm form{.body = builder_body(body), .kind = FluidFormKind::ellipsoid};
  form.pose = pose(m_.geom_pos + 3 * geom, m_.geom_quat + 4 * geom);
  form.half_axes = vector3(size);
  if (m_.geom_type[geom] == mjGEOM_SPHERE) form.half_axes.setConstant(size[0]);
  if (m_.geom_type[geom] == mjGEOM_CAPSULE) form.half_axes = Vector3(size[0], size[0], size[0] + size[1]);
  if (m_.geom_type[geom] == mjGEOM_CYLINDER) form.half_axes = Vector3(size[0], size[0], size[1]);
  form.blunt_drag = fluid[1], form.slender_drag = fluid[2], form.angular_drag = fluid[3];
  form.kutta_lift = fluid[4], form.magnus_lift = fluid[5];
  try {
    builder_.add_fluid_form(form);
  } catch (const std::invalid_argument& e) {
    refuse("geom ", label_of(mjOBJ_GEOM, geom), " with fluidshape: ", e.what());
  }
}

}  // namespace stiction
