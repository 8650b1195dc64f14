// The fluid of a world, and what of its bodies it acts on.
#include <cmath>

#include "stiction/io/mjcf/mjcf_writer.h"
#include "stiction/io/writers/lost_terms.h"

namespace stiction {

void MjcfWriter::write_medium() {
  const Fluid& fluid = model_.fluid;
  if (fluid.density != 0.0) xml_.attribute("density", fluid.density);
  if (fluid.viscosity != 0.0) xml_.attribute("viscosity", fluid.viscosity);
  if (!fluid.wind.isZero(0.0)) xml_.attribute("wind", fluid.wind);
}

const FluidForm* MjcfWriter::box_of(int body) const {
  const FluidForm* found = nullptr;
  for (const FluidForm& form : model_.fluid_forms) {
    if (form.body != body) continue;
    if (found != nullptr || form.kind != FluidFormKind::box) return nullptr;
    found = &form;
  }
  return found;
}

// MuJoCo takes the box of the inertia that is written, and none where a body has ellipsoids.
void MjcfWriter::check_boxes(const OutlineBody& body, int last_body, const Vector3& moments, const Pose& axes) {
  if (!model_.fluid.is_there()) return;
  const FluidForm* box = box_of(last_body);
  const double mass = model_.bodies[static_cast<std::size_t>(last_body)].mass;
  bool fits = box != nullptr;
  if (fits) {
    const Pose at = outline_.on_outline(last_body, box->pose);
    const double size = box->half_axes.norm();
    fits = (at.position - axes.position).norm() <= 1e-9 * (size + at.position.norm());
    for (int k = 0; k < 3 && fits; ++k) {
      const double across = std::max(0.0, moments.sum() - 2.0 * moments[k]);
      // The same axes in whatever order, and the same half axis along each.
      const Vector3 along = (at.rotation.transpose() * axes.rotation.col(k)).cwiseAbs();
      int axis = 0;
      fits = along.maxCoeff(&axis) > 1.0 - 1e-9 &&
             std::abs(box->half_axes[axis] - std::sqrt(1.5 * across / mass)) <= 1e-9 * size;
    }
  }
  bool has_box = false, has_ellipsoid = false;
  for (const FluidForm& form : model_.fluid_forms) {
    if (form.body != last_body) continue;
    has_ellipsoid = has_ellipsoid || form.kind == FluidFormKind::ellipsoid;
    has_box = has_box || form.kind == FluidFormKind::box;
  }
  if (fits || (has_ellipsoid && !has_box) || mass == 0.0) return;
  lose(quoted("body", body.name) + ": the boxes that the fluid acts on; MuJoCo takes " +
       (has_ellipsoid ? "its ellipsoids alone" : "the one of its inertia"));
}

// As geoms that nothing touches.
void MjcfWriter::write_ellipsoids(int body) {
  for (std::size_t k = 0; k < model_.fluid_forms.size(); ++k) {
    const FluidForm& form = model_.fluid_forms[k];
    if (form.body != body || form.kind != FluidFormKind::ellipsoid) continue;
    xml_.open("geom").attribute("name", "fluid_form_" + std::to_string(k)).attribute("type", "ellipsoid");
    xml_.attribute("size", form.half_axes);
    pose_attributes(outline_.on_outline(form.body, form.pose));
    const double coefficients[] = {form.blunt_drag, form.slender_drag, form.angular_drag, form.kutta_lift,
                                   form.magnus_lift};
    xml_.attribute("fluidshape", "ellipsoid").attribute("fluidcoef", std::span<const double>(coefficients));
    xml_.attribute("contype", 0).attribute("conaffinity", 0).close();
  }
}

}  // namespace stiction
