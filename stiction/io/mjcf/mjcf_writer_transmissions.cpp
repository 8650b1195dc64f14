// Weights that are carried, tendons and actuators.
#include <algorithm>
#include <cmath>

#include "stiction/dynamics/coupled_lengths.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/io/mjcf/mjcf_writer.h"
#include "stiction/io/writers/lost_terms.h"

namespace stiction {
namespace {

std::string solid_name(const Tendon& tendon, std::size_t k) {
  return tendon.name + "_solid_" + std::to_string(k);
}

bool is_solid(const TendonPoint& point) {
  return point.kind == TendonPointKind::sphere || point.kind == TendonPointKind::cylinder;
}

}  // namespace

// MuJoCo carries a share of the whole body, at its centre of mass.
void MjcfWriter::write_gravity_compensation(const OutlineBody& body, int last_body) {
  const Body& b = model_.bodies[last_body];
  for (const CarriedWeight& weight : model_.carried_weights) {
    if (weight.body != last_body) continue;
    xml_.attribute("gravcomp", weight.mass / b.mass);
    if (std::abs(weight.mass) * (weight.center - b.com).norm() > 1e-12 * b.mass) {
      lose(quoted("body", body.name) + ": what is carried of its weight does not lie at its centre of mass");
    }
  }
}

// What tendons go round, as geoms that nothing touches.
void MjcfWriter::write_tendon_solids(int body) {
  for (const Tendon& tendon : model_.tendons) {
    for (std::size_t k = 0; k < tendon.path.size(); ++k) {
      const TendonPoint& point = tendon.path[k];
      if (!is_solid(point) || point.body != body) continue;
      const double size[] = {point.radius, point.radius};
      const bool round = point.kind == TendonPointKind::sphere;
      xml_.open("geom").attribute("name", solid_name(tendon, k)).attribute("type", round ? "sphere" : "cylinder");
      xml_.attribute("size", std::span<const double>(size, round ? 1 : 2));
      pose_attributes(outline_.on_outline(point.body, point.pose));
      xml_.attribute("contype", 0).attribute("conaffinity", 0).close();
    }
  }
}

void MjcfWriter::write_tendons() {
  if (model_.tendons.empty()) return;
  xml_.open("tendon");
  for (int k = 0; k < static_cast<int>(model_.tendons.size()); ++k) write_tendon(k);
  xml_.close();
}

void MjcfWriter::write_tendon(int index) {
  const Tendon& t = model_.tendons[index];
  const std::string what = quoted("tendon", t.name);
  xml_.open(t.kind == TendonKind::fixed ? "fixed" : "spatial").attribute("name", t.name);
  if (t.stiffness != 0.0) xml_.attribute("stiffness", t.stiffness);
  if (t.damping != 0.0) xml_.attribute("damping", t.damping);
  if (t.dry_friction != 0.0) xml_.attribute("frictionloss", t.dry_friction);
  const double rest[] = {t.rest_lower - t.offset, t.rest_upper - t.offset};  // MuJoCo's fixed tendons have no offset
  if (t.stiffness != 0.0) xml_.attribute("springlength", std::span(rest));
  range_attribute("range", t.lower - t.offset, t.upper - t.offset, what);
  if (t.effort_limit != no_limit) range_attribute("actuatorfrcrange", -t.effort_limit, t.effort_limit, what);
  if (t.offset != 0.0)
    lose(what + ": offset " + number_text(t.offset) + " of its length, but in its limits and spring");
  for (const TendonTerm& term : t.terms) {
    xml_.open("joint").attribute("joint", outline_.joint_of(term.dof)).attribute("coef", term.coefficient).close();
  }
  for (std::size_t k = 0; k < t.path.size(); ++k) {
    const TendonPoint& point = t.path[k];
    if (point.kind == TendonPointKind::site) {
      xml_.open("site").attribute("site", model_.frames[point.frame].name).close();
    } else if (point.kind == TendonPointKind::pulley) {
      xml_.open("pulley").attribute("divisor", point.divisor).close();
    } else {
      xml_.open("geom").attribute("geom", solid_name(t, k));
      if (point.side_frame >= 0) xml_.attribute("sidesite", model_.frames[point.side_frame].name);
      xml_.close();
    }
  }
  xml_.close();
}

double MjcfWriter::initial_length(int tendon) {
  DynamicsData data(model_);
  update_kinematics(model_, model_.initial_position.data(), model_.initial_velocity.data(), data);
  CoupledLengths lengths(model_);
  lengths.update(model_, data, model_.initial_position.data());
  return lengths.length(tendon);
}

void MjcfWriter::write_tendon_equality(const Loop& loop) {
  const double y0 = initial_length(loop.tendon_a);
  xml_.open("tendon").attribute("name", loop.name).attribute("tendon1", model_.tendons[loop.tendon_a].name);
  std::array<double, 5> c{loop.coefficients[0] - y0, 0.0, 0.0, 0.0, 0.0};
  if (loop.tendon_b >= 0) {
    xml_.attribute("tendon2", model_.tendons[loop.tendon_b].name);
    c = about_reference(loop.coefficients, initial_length(loop.tendon_b), y0);
  }
  xml_.attribute("polycoef", std::span<const double>(c)).close();
}

void MjcfWriter::write_target(const Actuator& a) {
  switch (a.transmission) {
    case TransmissionKind::joint:
      xml_.attribute("joint", outline_.joint_of(a.dof));
      break;
    case TransmissionKind::tendon:
      xml_.attribute("tendon", model_.tendons[a.tendon].name);
      break;
    case TransmissionKind::site: {
      xml_.attribute("site", model_.frames[a.frame].name);
      if (a.reference_frame >= 0) xml_.attribute("refsite", model_.frames[a.reference_frame].name);
      std::array<double, 6> gear = a.wrench;
      for (double& x : gear) x *= a.gear;
      xml_.attribute("gear", std::span<const double>(gear));
      return;
    }
    case TransmissionKind::slider_crank:
      xml_.attribute("cranksite", model_.frames[a.frame].name);
      xml_.attribute("slidersite", model_.frames[a.reference_frame].name).attribute("cranklength", a.crank_length);
  }
  if (a.gear != 1.0) xml_.attribute("gear", a.gear);
}

void MjcfWriter::write_actuators() {
  if (model_.actuators.empty()) return;
  static constexpr const char* tags[] = {"motor", "position", "velocity"};
  xml_.open("actuator");
  for (const Actuator& a : model_.actuators) {
    const std::string what = quoted("actuator", a.name);
    const bool has_no_gain = a.kind == ActuatorKind::position   ? a.kp == 0.0
                             : a.kind == ActuatorKind::velocity ? a.kd == 0.0
                                                                : false;
    if (has_no_gain) lose(what + ": a servo without gain");
    const bool is_plain = static_cast<int>(a.kind) < 3 && a.activation == ActivationKind::none;
    xml_.open(is_plain ? tags[static_cast<int>(a.kind)] : "general").attribute("name", a.name);
    write_target(a);
    if (!is_plain) {
      write_general(a);
    } else if (a.kind == ActuatorKind::position) {
      xml_.attribute("kp", a.kp).attribute("kv", a.kd);
    } else if (a.kind == ActuatorKind::velocity) {
      xml_.attribute("kv", a.kd);
    }
    range_attribute("ctrlrange", a.control_lower, a.control_upper, what);
    range_attribute("forcerange", a.force_lower, a.force_upper, what);
    xml_.close();
  }
  xml_.close();
}

// Gain, bias and activation as MuJoCo's parameters.
void MjcfWriter::write_general(const Actuator& a) {
  const auto list = [&](const char* name, std::initializer_list<double> values) {
    xml_.attribute(name, std::span<const double>(values.begin(), values.size()));
  };
  const Muscle& m = a.muscle;
  const auto muscle = [&](const char* name) {  // the fourth scales a force that is not given
    list(name, {m.range_lower, m.range_upper, m.force, 200.0, m.lower, m.upper, m.speed, m.passive, m.stretched});
  };
  switch (a.kind) {
    case ActuatorKind::torque:
      break;
    case ActuatorKind::position:
      xml_.attribute("biastype", "affine");
      list("gainprm", {a.kp});
      list("biasprm", {0.0, -a.kp, -a.kd});
      break;
    case ActuatorKind::velocity:
      xml_.attribute("biastype", "affine");
      list("gainprm", {a.kd});
      list("biasprm", {0.0, 0.0, -a.kd});
      break;
    case ActuatorKind::affine:
      xml_.attribute("gaintype", "affine").attribute("biastype", "affine");
      xml_.attribute("gainprm", std::span<const double>(a.gain));
      xml_.attribute("biasprm", std::span<const double>(a.bias));
      break;
    case ActuatorKind::muscle:
      xml_.attribute("gaintype", "muscle").attribute("biastype", "muscle");
      muscle("gainprm");
      muscle("biasprm");
      list("lengthrange", {m.length_lower, m.length_upper});
  }
  static constexpr const char* dynamics[] = {"none", "integrator", "filter", "filterexact", "muscle"};
  if (a.activation == ActivationKind::none) return;
  xml_.attribute("dyntype", dynamics[static_cast<int>(a.activation)]);
  if (a.activation != ActivationKind::integrator) xml_.attribute("dynprm", std::span<const double>(a.time_constants));
  range_attribute("actrange", a.activation_lower, a.activation_upper, quoted("actuator", a.name));
  if (a.acts_early) xml_.attribute("actearly", "true");
}

}  // namespace stiction
