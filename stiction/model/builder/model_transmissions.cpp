// Tendons, and actuators on joints, tendons, sites and slider-cranks.
#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

void check_numbers(std::span<const double> values, std::string_view what, const std::string& field) {
  for (std::size_t k = 0; k < values.size(); ++k) check_finite(values[k], what, field + "[" + std::to_string(k) + "]");
}

void check_not_zero(double value, std::string_view what, std::string_view field) {
  check_finite(value, what, field);
  if (value == 0.0) refuse(what, ": ", field, " is 0; it must not be");
}

void check_positive(double value, std::string_view what, std::string_view field) {
  if (!(value > 0.0 && std::isfinite(value))) refuse(what, ": ", field, " is ", value, "; it must be positive");
}

void check_kind(int value, int count, std::string_view what, const char* field) {
  if (value < 0 || value >= count) refuse(what, ": ", field, " is ", value, "; it must be one of the enumeration");
}

// Branches begin and end with a site; spheres and cylinders stand between two.
template <class Points>
void check_path(const Points& path, std::string_view what) {
  for (std::size_t k = 0; k < path.size(); ++k) {
    const std::string where = std::string(what) + ": path[" + std::to_string(k) + "]";
    check_kind(static_cast<int>(path[k].kind), 4, where, "kind");
    const bool wraps = path[k].kind == TendonPointKind::sphere || path[k].kind == TendonPointKind::cylinder;
    const auto is_site = [&](std::size_t i) { return i < path.size() && path[i].kind == TendonPointKind::site; };
    if (wraps) check_positive(path[k].radius, where, "radius");
    if (wraps && !(k > 0 && is_site(k - 1) && is_site(k + 1))) {
      refuse(where, ": a ", to_string(path[k].kind), " must stand between two sites");
    }
    if (path[k].kind == TendonPointKind::pulley) check_positive(path[k].divisor, where, "divisor");
    const auto in_branch = [&](std::size_t i) { return i < path.size() && path[i].kind != TendonPointKind::pulley; };
    if (is_site(k) && !(k > 0 && in_branch(k - 1)) && !in_branch(k + 1)) {
      refuse(where, ": a site alone; a branch needs two");
    }
  }
  if (!path.empty() && path.back().kind == TendonPointKind::pulley) refuse(what, ": nothing follows its last pulley");
}

// What tendons of the builder and of a model have in common.
template <class T>
void check_tendon_numbers(const T& tendon, std::string_view what) {
  check_finite(tendon.offset, what, "offset");
  check_not_negative(tendon.stiffness, what, "stiffness");
  check_finite(tendon.rest_lower, what, "rest_lower");
  check_finite(tendon.rest_upper, what, "rest_upper");
  check_range(tendon.rest_lower, tendon.rest_upper, what, "rest_lower and rest_upper");
  check_not_negative(tendon.damping, what, "damping");
  check_not_negative(tendon.dry_friction, what, "dry_friction");
  check_range(tendon.lower, tendon.upper, what, "lower and upper");
  if (!(tendon.effort_limit >= 0.0)) refuse(what, ": effort_limit is ", tendon.effort_limit);
  for (std::size_t k = 0; k < tendon.terms.size(); ++k) {
    check_not_zero(tendon.terms[k].coefficient, what, "coefficient[" + std::to_string(k) + "]");
  }
  check_path(tendon.path, what);
}

void check_muscle(const Muscle& m, std::string_view what) {
  const double numbers[] = {m.range_lower, m.range_upper, m.force,     m.lower,        m.upper,
                            m.speed,       m.passive,     m.stretched, m.length_lower, m.length_upper};
  check_numbers(numbers, what, "muscle");
  const auto less = [&](double a, double b, const char* fields) {
    if (!(a < b)) refuse(what, ": muscle: ", fields, " are ", a, " and ", b, "; the first must be less");
  };
  less(m.range_lower, m.range_upper, "range_lower and range_upper");
  less(m.length_lower, m.length_upper, "length_lower and length_upper");
  less(m.lower, 1.0, "lower and the optimal length");
  less(1.0, m.upper, "the optimal length and upper");
  less(1.0, m.stretched, "1 and stretched");
  check_positive(m.speed, what, "muscle: speed");
}

template <class A>
void check_actuator_numbers(const A& a, std::string_view what) {
  check_kind(static_cast<int>(a.kind), 5, what, "kind");
  check_kind(static_cast<int>(a.activation), 5, what, "activation");
  check_finite(a.gear, what, "gear");
  check_not_negative(a.kp, what, "kp");
  check_not_negative(a.kd, what, "kd");
  check_range(a.control_lower, a.control_upper, what, "control_lower and control_upper");
  check_range(a.force_lower, a.force_upper, what, "force_lower and force_upper");
  check_range(a.activation_lower, a.activation_upper, what, "activation_lower and activation_upper");
  check_numbers(a.gain, what, "gain");
  check_numbers(a.bias, what, "bias");
  check_numbers(a.wrench, what, "wrench");
  check_not_negative(a.crank_length, what, "crank_length");
  for (const double t : a.time_constants) check_not_negative(t, what, "time_constants");
  const bool filters = a.activation == ActivationKind::filter || a.activation == ActivationKind::filter_exact;
  const int wanted = filters ? 1 : a.activation == ActivationKind::muscle ? 2 : 0;
  for (int k = 0; k < wanted; ++k) {
    check_positive(a.time_constants[k], what, "time_constants[" + std::to_string(k) + "]");
  }
  if (a.kind == ActuatorKind::muscle) check_muscle(a.muscle, what);
}

template <class Elements>
int index_of(const Elements& elements, const std::string& name, const std::string& what, const char* field) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name == name) return static_cast<int>(k);
  }
  refuse(what, ": ", field, " is '", name, "', but there is no such ",
         std::string(field).find("tendon") != std::string::npos ? "tendon" : "site");
}

// A site by its name: frames of bodies do not count.
int site_frame(const Model& model, const std::string& name, const std::string& what, const char* field) {
  for (std::size_t k = 0; k < model.frames.size(); ++k) {
    if (model.frames[k].is_site && model.frames[k].name == name) return static_cast<int>(k);
  }
  refuse(what, ": ", field, " is '", name, "', but there is no such site");
}

void check_moves(const Tendon& tendon, const std::string& what) {
  const auto moves = [](const TendonPoint& p) { return p.body >= 0; };
  if (tendon.terms.empty() && std::none_of(tendon.path.begin(), tendon.path.end(), moves)) {
    refuse(what, ": it lies in the world and moves nothing");
  }
}

// `on_carrier`: of a kept tendon, by place; null: of no one.
Tendon make_tendon(const TendonOptions& options, const std::vector<bool>* on_carrier,
                   const std::vector<BodyPlace>& place, const JointDirectory& joints, const Model& model) {
  const std::string what = "tendon '" + options.name + "'";
  Tendon tendon{.name = options.name};
  tendon.kind = options.path.empty() ? TendonKind::fixed : TendonKind::spatial;
  tendon.offset = options.offset;
  tendon.stiffness = options.stiffness;
  tendon.rest_lower = options.rest_lower, tendon.rest_upper = options.rest_upper;
  tendon.damping = options.damping, tendon.dry_friction = options.dry_friction;
  tendon.lower = options.lower, tendon.upper = options.upper, tendon.effort_limit = options.effort_limit;
  for (const TendonTermOptions& term : options.terms) {
    const int dof = joints.single_dof(term.joint, what, "joint");
    const auto same = [dof](const TendonTerm& t) { return t.dof == dof; };
    if (std::any_of(tendon.terms.begin(), tendon.terms.end(), same)) {
      refuse(what, ": joint '", term.joint, "' occurs twice");
    }
    tendon.terms.push_back({dof, term.coefficient});
  }
  std::sort(tendon.terms.begin(), tendon.terms.end(),
            [](const TendonTerm& a, const TendonTerm& b) { return a.dof < b.dof; });
  for (const TendonPointOptions& given : options.path) {
    TendonPoint point{.kind = given.kind, .radius = given.radius, .divisor = given.divisor};
    if (given.kind == TendonPointKind::site) {
      point.frame = site_frame(model, given.site, what, "site");
      point.body = model.frames[point.frame].body, point.pose = model.frames[point.frame].pose;
    } else if (given.kind != TendonPointKind::pulley) {
      const bool is_kept = on_carrier && (*on_carrier)[tendon.path.size()];
      const BodyPlace at = placed_on(given.body, is_kept, given.pose, place);
      point.body = at.body, point.pose = at.pose;
      if (!given.side_site.empty()) point.side_frame = site_frame(model, given.side_site, what, "side_site");
    }
    tendon.path.push_back(point);
  }
  check_moves(tendon, what);
  return tendon;
}

TransmissionKind transmission_of(const ActuatorOptions& o) {
  return !o.tendon.empty()        ? TransmissionKind::tendon
         : !o.slider_site.empty() ? TransmissionKind::slider_crank
         : !o.site.empty()        ? TransmissionKind::site
                                  : TransmissionKind::joint;
}

void place_actuator(const ActuatorOptions& options, const ModelDraft& draft, const JointDirectory& joints,
                    const Model& model, Actuator& actuator) {
  const std::string what = "actuator '" + options.name + "'";
  actuator.dof = -1;
  if (actuator.transmission == TransmissionKind::joint) {
    actuator.dof = joints.single_dof(options.joint, what, "joint");
    return;
  }
  if (actuator.transmission == TransmissionKind::tendon) {
    actuator.tendon = index_of(draft.tendons, options.tendon, what, "tendon");
    return;
  }
  const bool crank = actuator.transmission == TransmissionKind::slider_crank;
  actuator.frame = site_frame(model, options.site, what, "site");
  if (crank) actuator.reference_frame = site_frame(model, options.slider_site, what, "slider_site");
  if (!crank && !options.reference_site.empty()) {
    actuator.reference_frame = site_frame(model, options.reference_site, what, "reference_site");
  }
  const int body = model.frames[actuator.frame].body;
  const int other = actuator.reference_frame < 0 ? -1 : model.frames[actuator.reference_frame].body;
  if (body == other) {
    refuse(what, ": site '", options.site, "' ",
           body < 0 ? "is a part of the world" : "and its reference are parts of one rigid body",
           "; the actuator moves nothing");
  }
}

Actuator make_actuator(const ActuatorOptions& options, const ModelDraft& draft, const JointDirectory& joints,
                       const Model& model) {
  Actuator a{.name = options.name, .kind = options.kind};
  a.transmission = transmission_of(options);
  place_actuator(options, draft, joints, model, a);
  a.crank_length = options.crank_length;
  a.wrench = options.wrench;
  a.gear = options.gear;
  a.kp = options.kp, a.kd = options.kd;
  a.control_lower = options.control_lower, a.control_upper = options.control_upper;
  a.force_lower = options.force_lower, a.force_upper = options.force_upper;
  a.gain = options.gain, a.bias = options.bias;
  a.muscle = options.muscle;
  a.activation = options.activation;
  a.time_constants = options.time_constants;
  a.activation_lower = options.activation_lower, a.activation_upper = options.activation_upper;
  a.acts_early = options.acts_early;
  return a;
}

void number_activations(Model& model) {
  int next = 0;
  for (Actuator& a : model.actuators) a.first_activation = a.activation == ActivationKind::none ? -1 : next++;
}

void check_within(int value, std::size_t count, std::string_view what, const char* field, int lowest = 0) {
  if (value < lowest || value >= static_cast<int>(count)) {
    refuse(what, ": ", field, " is ", value, "; there are ", count);
  }
}

void check_stored_dof(const Model& model, int dof, std::string_view what, const char* field) {
  check_within(dof, model.dofs.size(), what, field);
  const JointType joint = model.bodies[model.dofs[dof].body].joint;
  if (num_velocities_of(joint) != 1) refuse(what, ": ", field, " ", dof, " belongs to a ", to_string(joint), " joint");
}

void check_stored_tendon(const Model& model, const Tendon& tendon) {
  const std::string what = "model: tendon '" + tendon.name + "'";
  check_kind(static_cast<int>(tendon.kind), 2, what, "kind");
  check_tendon_numbers(tendon, what);
  if ((tendon.kind == TendonKind::fixed) == tendon.terms.empty() || tendon.terms.empty() == tendon.path.empty()) {
    refuse(what, ": ", tendon.terms.size(), " joints and ", tendon.path.size(), " places for a ",
           to_string(tendon.kind), " tendon");
  }
  for (std::size_t k = 0; k < tendon.terms.size(); ++k) {
    check_stored_dof(model, tendon.terms[k].dof, what, "dof");
    if (k > 0 && tendon.terms[k].dof <= tendon.terms[k - 1].dof) refuse(what, ": its joints are out of order");
  }
  for (const TendonPoint& point : tendon.path) {
    check_within(point.body, model.bodies.size(), what, "body", -1);
    check_within(point.frame, model.frames.size(), what, "frame", point.kind == TendonPointKind::site ? 0 : -1);
    check_within(point.side_frame, model.frames.size(), what, "side_frame", -1);
    static_cast<void>(checked_pose(point.pose, what, "pose"));
  }
  check_moves(tendon, what);
}

void check_stored_actuator(const Model& model, const Actuator& a) {
  const std::string what = "model: actuator '" + a.name + "'";
  check_actuator_numbers(a, what);
  check_kind(static_cast<int>(a.transmission), 4, what, "transmission");
  if (a.transmission == TransmissionKind::joint) return check_stored_dof(model, a.dof, what, "dof");
  if (a.dof != -1) refuse(what, ": dof is ", a.dof, " where it acts on no joint");
  if (a.transmission == TransmissionKind::tendon) return check_within(a.tendon, model.tendons.size(), what, "tendon");
  const bool crank = a.transmission == TransmissionKind::slider_crank;
  check_within(a.frame, model.frames.size(), what, "frame");
  check_within(a.reference_frame, model.frames.size(), what, "reference_frame", crank ? 0 : -1);
  const auto body_of = [&](int frame) { return frame < 0 ? -1 : model.frames[static_cast<std::size_t>(frame)].body; };
  if (body_of(a.frame) == body_of(a.reference_frame)) refuse(what, ": it moves nothing");
}

}  // namespace

JointDirectory::JointDirectory(const Model& model) {
  for (const Joint& joint : model.joints) joints_.emplace(joint.name, &joint);
}

int JointDirectory::single_dof(const std::string& name, const std::string& what, const char* field) const {
  const auto found = joints_.find(name);
  if (found == joints_.end()) refuse(what, ": ", field, " is '", name, "', but there is no such moving joint");
  const Joint& joint = *found->second;
  if (joint.num_velocities != 1) {
    refuse(what, ": ", field, " '", name, "' is a ", joint.kind, " joint of ", joint.num_velocities,
           " degrees of freedom; it must have one");
  }
  return joint.first_velocity;
}

void check_tendon_values(const Tendon& tendon, std::string_view what) {
  check_tendon_numbers(tendon, what);
}

void check_actuator_values(const Actuator& actuator, std::string_view what) {
  check_actuator_numbers(actuator, what);
}

void check_tendon(const TendonOptions& options, std::string_view what) {
  check_tendon_numbers(options, what);
  if (options.terms.empty() == options.path.empty()) {
    refuse(what, ": ", options.terms.size(), " joints in terms and ", options.path.size(),
           " places in path; it must have one of them");
  }
}

void check_actuator(const ActuatorOptions& options, std::string_view what) {
  check_actuator_numbers(options, what);
  const int targets = !options.joint.empty() + !options.tendon.empty() + !options.site.empty();
  if (targets > 1) refuse(what, ": joint, tendon and site; it must act on one of them");
  const bool crank = !options.slider_site.empty();
  if (crank && options.site.empty())
    refuse(what, ": slider_site '", options.slider_site, "' without the site of a crank");
  if (crank) check_positive(options.crank_length, what, "crank_length");
  if (!options.reference_site.empty() && (options.site.empty() || crank)) {
    refuse(what, ": reference_site '", options.reference_site, "' without a site");
  }
  const bool no_wrench = std::all_of(options.wrench.begin(), options.wrench.end(), [](double x) { return x == 0.0; });
  if (!options.site.empty() && !crank && no_wrench) {
    refuse(what, ": wrench is zero; it must tell the force and torque in the axes of site '", options.site, "'");
  }
}

void lay_out_transmissions(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model) {
  const JointDirectory joints(model);
  for (std::size_t k = 0; k < draft.tendons.size(); ++k) {
    const auto kept = draft.kept_tendons.find(static_cast<int>(k));
    const std::vector<bool>* on_carrier = kept == draft.kept_tendons.end() ? nullptr : &kept->second;
    model.tendons.push_back(make_tendon(draft.tendons[k], on_carrier, place, joints, model));
  }
  for (std::size_t k = 0; k < draft.actuators.size(); ++k) {
    const ActuatorOptions& options = draft.actuators[k];
    const auto kept = draft.kept_actuators.find(static_cast<int>(k));
    if (kept == draft.kept_actuators.end()) {
      model.actuators.push_back(make_actuator(options, draft, joints, model));
      continue;
    }
    Actuator actuator = kept->second;
    actuator.name = options.name;
    if (actuator.transmission == TransmissionKind::joint) {
      actuator.dof = joints.dof_of(options.joint, actuator.dof);
    } else {
      place_actuator(options, draft, joints, model, actuator);
    }
    model.actuators.push_back(std::move(actuator));
  }
  number_activations(model);
}

void check_stored_transmissions(Model& model) {
  int last = -1;
  for (const CarriedWeight& weight : model.carried_weights) {
    check_within(weight.body, model.bodies.size(), "model: carried weight", "body", last + 1);
    check_finite(weight.mass, "model: carried weight", "mass");
    check_finite(weight.center, "model: carried weight", "center");
    last = weight.body;
  }
  for (const Tendon& tendon : model.tendons) check_stored_tendon(model, tendon);
  for (const Actuator& actuator : model.actuators) check_stored_actuator(model, actuator);
  number_activations(model);
}

}  // namespace stiction
