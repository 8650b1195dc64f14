// The fluid of a world: checks, and the forms of bodies that were given none.
#include <algorithm>
#include <cmath>

#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"
#include "stiction/model/builder/complete_model.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/builder/model_draft.h"
#include "stiction/model/geometry/inertia.h"

namespace stiction {

std::string_view to_string(FluidFormKind kind) {
  switch (kind) {
    case FluidFormKind::box:
      return "box";
    case FluidFormKind::ellipsoid:
      return "ellipsoid";
  }
  return "?";
}

FluidForm inertia_box(const Inertia& inertia) {
  constexpr double diagonal = 1e-12;  // what is off the diagonal, relative to the moments, by rounding
  FluidForm box{.pose = Pose(inertia.com)};
  Vector3 moments = inertia.moment.diagonal();
  const Matrix3 off = inertia.moment - Matrix3(moments.asDiagonal());
  if (!(off.cwiseAbs().maxCoeff() <= diagonal * moments.maxCoeff())) {
    const PrincipalAxes principal = principal_axes(0.5 * (inertia.moment + inertia.moment.transpose()));
    moments = principal.moments;
    box.pose.rotation = principal.axes;
    if (box.pose.rotation.determinant() < 0.0) box.pose.rotation.col(0) *= -1.0;
  }
  for (int k = 0; k < 3; ++k) {
    const double across = moments.sum() - 2.0 * moments[k];
    box.half_axes[k] = std::sqrt(1.5 * std::max(0.0, across) / inertia.mass);
  }
  return box;
}

void check_fluid(const Fluid& fluid, std::string_view what) {
  check_not_negative(fluid.density, what, "fluid density");
  check_not_negative(fluid.viscosity, what, "fluid viscosity");
  check_finite(fluid.wind, what, "wind");
}

FluidForm checked_fluid_form(const FluidForm& form, std::string_view what) {
  FluidForm checked = form;
  checked.pose = checked_pose(form.pose, what, "pose");
  if (static_cast<int>(form.kind) > static_cast<int>(FluidFormKind::ellipsoid)) {
    refuse(what, ": kind is ", static_cast<int>(form.kind), "; it must be one of the enumeration");
  }
  for (int k = 0; k < 3; ++k) {
    const std::string field = "half_axes[" + std::to_string(k) + "]";
    check_not_negative(form.half_axes[k], what, field);
    if (form.kind == FluidFormKind::ellipsoid && form.half_axes[k] == 0.0) {
      refuse(what, ": ", field, " is 0 m; those of an ellipsoid must be positive");
    }
  }
  check_not_negative(form.blunt_drag, what, "blunt_drag");
  check_not_negative(form.slender_drag, what, "slender_drag");
  check_not_negative(form.angular_drag, what, "angular_drag");
  check_finite(form.kutta_lift, what, "kutta_lift");
  check_finite(form.magnus_lift, what, "magnus_lift");
  return checked;
}

void lay_out_fluid_forms(const ModelDraft& draft, const std::vector<BodyPlace>& place,
                         const std::vector<Inertia>& own_inertia, Model& model) {
  std::vector<char> has_form(draft.bodies.size(), 0);
  const auto add = [&](FluidForm form, bool is_kept) {
    if (form.body >= 0) has_form[static_cast<std::size_t>(form.body)] = 1;
    const BodyPlace at = placed_on(form.body, is_kept, form.pose, place);
    if (at.body < 0 || model.bodies[static_cast<std::size_t>(at.body)].is_kinematic) return;  // no force moves it
    form.body = at.body, form.pose = at.pose;
    model.fluid_forms.push_back(form);
  };
  for (const FluidForm& form : draft.kept_fluid_forms) add(form, true);
  for (const FluidForm& form : draft.fluid_forms) add(form, false);
  for (std::size_t user = 0; user < draft.bodies.size() && draft.fluid.is_there(); ++user) {
    if (has_form[user] || !(own_inertia[user].mass > 0.0)) continue;
    FluidForm box = inertia_box(own_inertia[user]);
    box.body = static_cast<int>(user);
    add(box, draft.kept_bodies.contains(static_cast<int>(user)));
  }
  std::stable_sort(model.fluid_forms.begin(), model.fluid_forms.end(),
                   [](const FluidForm& a, const FluidForm& b) { return a.body < b.body; });
}

void add_inertia_boxes(Model& model) {
  if (!model.fluid.is_there()) return;
  std::vector<char> has_form(model.bodies.size(), 0);
  for (const FluidForm& form : model.fluid_forms) has_form[static_cast<std::size_t>(form.body)] = 1;
  for (int k = 0; k < model.num_bodies(); ++k) {
    const Body& body = model.bodies[k];
    if (has_form[static_cast<std::size_t>(k)] || body.mass == 0.0 || body.is_kinematic) continue;
    FluidForm box = inertia_box({body.mass, body.com, body.inertia});
    box.body = k;
    model.fluid_forms.push_back(box);
  }
  std::stable_sort(model.fluid_forms.begin(), model.fluid_forms.end(),
                   [](const FluidForm& a, const FluidForm& b) { return a.body < b.body; });
}

void check_stored_fluid(const Model& model) {
  check_fluid(model.fluid, "model");
  int last = 0;
  for (std::size_t k = 0; k < model.fluid_forms.size(); ++k) {
    const FluidForm& form = model.fluid_forms[k];
    const std::string what = "model: fluid form " + std::to_string(k);
    if (form.body < last || form.body >= model.num_bodies() || !model.is_movable(form.body)) {
      refuse(what, ": body is ", form.body, "; it must be one that forces move, of ", model.num_bodies(),
             ", and forms must be in the order of bodies");
    }
    static_cast<void>(checked_fluid_form(form, what));
    last = form.body;
  }
}

}  // namespace stiction
