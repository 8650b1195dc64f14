#include "cli/json_model.h"

#include <nlohmann/json.hpp>

#include "stiction/dynamics/mechanics.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction::cli {
namespace {

using Json = nlohmann::ordered_json;

// A name need not be valid UTF-8; JSON text must be.
std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

template <class Vector>
Json list(const Vector& values) {
  Json out = Json::array();
  for (Eigen::Index k = 0; k < values.size(); ++k) out.push_back(values[k]);
  return out;
}

Json to_json(const Pose& pose) {
  return {{"position", list(pose.position)}, {"orientation", list(Quaternion(pose.rotation).coeffs())}};
}

Json to_json(const std::vector<IgnoredElement>& ignored) {
  Json out = Json::array();
  for (const IgnoredElement& i : ignored) {
    out.push_back({{"file", i.file}, {"line", i.line}, {"element", i.element}, {"reason", i.reason}});
  }
  return out;
}

Json to_json(const Energy& energy) {
  return {{"kinetic", energy.kinetic}, {"potential", energy.potential}};
}

struct Dimensions {
  Json& out;

  void operator()(const Plane&) const {}
  void operator()(const Sphere& s) const { out["radius"] = s.radius; }
  void operator()(const Capsule& c) const { out["radius"] = c.radius, out["half_length"] = c.half_length; }
  void operator()(const Cylinder& c) const { out["radius"] = c.radius, out["half_length"] = c.half_length; }
  void operator()(const Ellipsoid& e) const { out["radii"] = list(e.radii); }
  void operator()(const Box& b) const { out["half_size"] = list(b.half_size); }
  void operator()(const std::shared_ptr<const ConvexHull>& hull) const { out["vertices"] = hull->num_vertices(); }
  void operator()(const std::shared_ptr<const TriangleMesh>& mesh) const { out["triangles"] = mesh->num_triangles(); }
  void operator()(const std::shared_ptr<const HeightField>& field) const {
    out["samples"] = {field->num_x(), field->num_y()};
  }
};

Json bodies_of(const Model& model) {
  Json out = Json::array();
  for (const Body& body : model.bodies) {
    Json frames = Json::array();
    const int index = static_cast<int>(&body - model.bodies.data());
    for (const Frame& frame : model.frames) {
      if (!frame.is_site && frame.body == index) frames.push_back(frame.name);
    }
    out.push_back({{"names", frames},
                   {"parent", body.parent},
                   {"joint", to_string(body.joint)},
                   {"mass", body.mass},
                   {"com", list(body.com)},
                   {"inertia", {list(body.inertia.row(0)), list(body.inertia.row(1)), list(body.inertia.row(2))}}});
  }
  return out;
}

Json joints_of(const Model& model) {
  Json out = Json::array();
  for (const Joint& joint : model.joints) {
    Json entry{{"name", joint.name},
               {"kind", joint.kind},
               {"first_position", joint.first_position},
               {"num_positions", joint.num_positions},
               {"first_velocity", joint.first_velocity},
               {"num_velocities", joint.num_velocities}};
    if (joint.num_velocities == 1) {
      const Dof& dof = model.dofs[joint.first_velocity];
      entry.update({{"lower", dof.lower},
                    {"upper", dof.upper},
                    {"effort_limit", dof.effort_limit},
                    {"velocity_limit", dof.velocity_limit},
                    {"damping", dof.damping},
                    {"dry_friction", dof.dry_friction},
                    {"armature", dof.armature}});
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Json shapes_of(const Model& model) {
  Json out = Json::array();
  for (const Shape& shape : model.shapes) {
    Json entry{{"name", shape.name}, {"kind", to_string(shape.kind())}, {"body", shape.body}};
    entry["friction"] = shape.material.friction;
    const Material& m = shape.material;
    if (m.torsional_friction > 0.0) entry["torsional_friction"] = m.torsional_friction;
    if (m.rolling_friction > 0.0) entry["rolling_friction"] = m.rolling_friction;
    if (m.has_moving_surface()) {
      const Vector3 &v = m.surface_velocity, &w = m.surface_spin;
      entry["surface_velocity"] = {v.x(), v.y(), v.z()};
      entry["surface_spin"] = {w.x(), w.y(), w.z()};
    }
    entry["pose"] = to_json(shape.pose);
    std::visit(Dimensions{entry}, shape.geometry);
    out.push_back(std::move(entry));
  }
  return out;
}

std::string joint_of(const Model& model, int dof) {
  for (const Joint& joint : model.joints) {
    if (dof >= joint.first_velocity && dof < joint.first_velocity + joint.num_velocities) return joint.name;
  }
  return "";
}

Json links_of(const Model& model) {
  Json loops = Json::array(), actuators = Json::array(), keyframes = Json::array();
  for (const Loop& loop : model.loops) {
    Json entry{{"name", loop.name}, {"kind", to_string(loop.kind)}};
    if (loop.kind == LoopKind::joint_equality) {
      entry["joint_a"] = joint_of(model, loop.dof_a);
      entry["joint_b"] = loop.dof_b < 0 ? Json() : Json(joint_of(model, loop.dof_b));
      entry["coefficients"] = loop.coefficients;
    } else if (loop.kind == LoopKind::tendon_equality) {
      entry["tendon_a"] = model.tendons[loop.tendon_a].name;
      entry["tendon_b"] = loop.tendon_b < 0 ? Json() : Json(model.tendons[loop.tendon_b].name);
      entry["coefficients"] = loop.coefficients;
    } else {
      entry["body_a"] = loop.body_a, entry["body_b"] = loop.body_b;
    }
    loops.push_back(std::move(entry));
  }
  for (const Actuator& a : model.actuators) {
    actuators.push_back({{"name", a.name},
                         {"kind", to_string(a.kind)},
                         {"joint", a.dof < 0 ? Json() : Json(joint_of(model, a.dof))},
                         {"tendon", a.tendon < 0 ? Json() : Json(model.tendons[a.tendon].name)},
                         {"site", a.frame < 0 ? Json() : Json(model.frames[a.frame].name)},
                         {"activation", to_string(a.activation)},
                         {"gear", a.gear},
                         {"kp", a.kp},
                         {"kd", a.kd},
                         {"control", {a.control_lower, a.control_upper}},
                         {"force", {a.force_lower, a.force_upper}}});
  }
  for (const Keyframe& key : model.keyframes) {
    keyframes.push_back({{"name", key.name},
                         {"time", key.time},
                         {"q", list(key.q)},
                         {"v", list(key.v)},
                         {"control", list(key.control)},
                         {"activation", list(key.activation)}});
  }
  Json tendons = Json::array();
  for (const Tendon& t : model.tendons) {
    tendons.push_back({{"name", t.name},
                       {"kind", to_string(t.kind)},
                       {"stiffness", t.stiffness},
                       {"damping", t.damping},
                       {"dry_friction", t.dry_friction},
                       {"limits", {t.lower, t.upper}}});
  }
  Json sensors = Json::array();
  for (const Sensor& s : model.sensors) {
    sensors.push_back({{"name", s.name},
                       {"kind", to_string(s.kind)},
                       {"first_value", s.first_value},
                       {"num_values", s.num_values},
                       {"cutoff", s.cutoff},
                       {"noise", s.noise},
                       {"delay", s.delay}});
  }
  return {
      {"loops", loops}, {"tendons", tendons}, {"actuators", actuators}, {"sensors", sensors}, {"keyframes", keyframes}};
}

}  // namespace

std::string summary_to_json(const RunSummary& s) {
  Json joints = Json::array();
  for (const auto& joint : s.joints) {
    joints.push_back({{"name", joint.name}, {"kind", joint.kind}, {"q", joint.q}, {"v", joint.v}});
  }
  return to_text({{"files", s.files},
                  {"bodies", s.num_bodies},
                  {"velocities", s.num_velocities},
                  {"shapes", s.num_shapes},
                  {"solver", s.solver},
                  {"time_step", s.time_step},
                  {"threads", s.threads},
                  {"steps", s.steps},
                  {"start_time", s.start_time},
                  {"end_time", s.end_time},
                  {"finite", s.is_finite},
                  {"failure", s.failure},
                  {"signal", s.signal},
                  {"steps_certified", s.certified},
                  {"steps_law_certified", s.law_certified},
                  {"steps_geometry_certified", s.geometry_certified},
                  {"steps_energy_certified", s.energy_certified},
                  {"steps_rechecked", s.rechecked},
                  {"unforeseen_penetration", s.unforeseen_penetration},
                  {"largest_gap_error", s.largest_gap_error},
                  {"largest_normal_error", s.largest_normal_error},
                  {"steps_braked", s.braked},
                  {"energy_error", s.energy_error},
                  {"steps_accepted", s.accepted},
                  {"steps_converged", s.converged},
                  {"steps_jammed", s.jammed},
                  {"most_redundant_rows", s.most_redundant_rows},
                  {"largest_loop_mismatch", s.largest_loop_mismatch},
                  {"most_held_contacts", s.most_held_contacts},
                  {"iterations", s.iterations},
                  {"worst_eps_nat", s.worst_residual},
                  {"worst_time", s.worst_time},
                  {"worst_where", s.worst_where},
                  {"largest_penetration", s.largest_penetration},
                  {"most_contacts", s.most_contacts},
                  {"largest_compliance", s.largest_compliance},
                  {"largest_static_depth", s.largest_static_depth},
                  {"softened_steps", s.softened},
                  {"largest_relaxed_slip", s.largest_relaxed_slip},
                  {"signorini_penetration", s.signorini_penetration},
                  {"friction_error", s.friction_error},
                  {"contacts", s.last.num_contacts},
                  {"sticking", s.last.num_sticking},
                  {"sliding", s.last.num_sliding},
                  {"energy_begin", to_json(s.energy_begin)},
                  {"energy_end", to_json(s.energy_end)},
                  {"dissipated", s.dissipated},
                  {"wall_seconds", s.wall_seconds},
                  {"steps_per_second", s.steps_per_second()},
                  {"real_time_factor", s.real_time_factor()},
                  {"joints", joints},
                  {"ignored", to_json(s.ignored)}});
}

std::string model_to_json(const Model& model, const std::vector<std::string>& files,
                          const std::vector<IgnoredElement>& ignored) {
  Json frames = Json::array();
  for (const Frame& frame : model.frames) {
    Json entry{{"name", frame.name}, {"body", frame.body}, {"site", frame.is_site}};
    entry.update(to_json(frame.pose));
    frames.push_back(std::move(entry));
  }
  Json out{{"files", files},
           {"mass", total_mass(model)},
           {"gravity", list(model.gravity)},
           {"suggested_time_step", model.suggested_time_step},
           {"positions", model.num_positions()},
           {"velocities", model.num_velocities()},
           {"trees", model.trees.size()},
           {"bodies", bodies_of(model)},
           {"joints", joints_of(model)},
           {"frames", frames},
           {"shapes", shapes_of(model)}};
  out.update(links_of(model));
  out["ignored"] = to_json(ignored);
  return to_text(out);
}

std::string written_to_json(const WrittenModel& written) {
  return to_text({{"files", written.files}, {"notes", written.notes}, {"lost", written.lost}});
}

}  // namespace stiction::cli
