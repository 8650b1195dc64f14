#include "stiction/model/builder/complete_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/builder/model_draft.h"
#include "stiction/model/geometry/inertia.h"
#include "stiction/model/geometry/solid.h"

namespace stiction {
namespace {

std::string numbered(const char* kind, std::size_t index) {
  return "model: " + std::string(kind) + " " + std::to_string(index);
}

void check_index(int value, std::size_t count, std::string_view what, const char* field, int lowest = 0) {
  if (value < lowest || value >= static_cast<int>(count)) {
    refuse(what, ": ", field, " is ", value, "; there are ", count);
  }
}

// Only the bits that are there may come back: a pose is not cleaned.
void check_pose(const Pose& pose, std::string_view what, const char* field) {
  static_cast<void>(checked_pose(pose, what, field));
}

// Trees and places in q and v follow from the order of the bodies: depth first, parents before children.
void lay_out_bodies(Model& model) {
  model.trees.clear();
  int position = 0, velocity = 0;
  for (int k = 0; k < model.num_bodies(); ++k) {
    Body& body = model.bodies[k];
    const std::string what = numbered("body", static_cast<std::size_t>(k));
    if (static_cast<int>(body.joint) > static_cast<int>(JointType::prismatic)) refuse(what, ": joint is no joint");
    if (body.parent < -1 || body.parent >= k) refuse(what, ": parent is ", body.parent);
    if (body.parent >= 0) {
      int above = k - 1;
      while (above >= 0 && above != body.parent) above = model.bodies[above].parent;
      if (above < 0) refuse(what, ": parent ", body.parent, " does not lie on the path to the body before");
      if (body.joint == JointType::free) refuse(what, ": a free joint below body ", body.parent);
    }
    if (body.parent < 0) model.trees.push_back({.first_body = k, .first_velocity = velocity});
    body.tree = static_cast<int>(model.trees.size()) - 1;
    body.first_position = position, body.first_velocity = velocity;
    position += num_positions_of(body.joint), velocity += num_velocities_of(body.joint);
    ++model.trees.back().num_bodies;
    model.trees.back().num_velocities += num_velocities_of(body.joint);
    check_pose(body.placement, what, "placement");
    if (body.is_kinematic && (body.joint != JointType::free || body.mass != 0.0)) {
      refuse(what, ": kinematic, with a ", to_string(body.joint), " joint and ", body.mass,
             " kg; it must be free, 0 kg");
    }
    if (body.parent >= 0 && model.bodies[body.parent].is_kinematic) {
      refuse(what, ": hangs on the kinematic body ", body.parent);
    }
    if (body.mass != 0.0) {
      check_inertia({body.mass, body.com, body.inertia}, what);
    } else if (!body.com.isZero(0.0) || !body.inertia.isZero(0.0)) {
      refuse(what, ": inertia without mass");
    }
  }
  if (velocity != model.num_velocities()) {
    refuse("model: ", model.num_velocities(), " degrees of freedom, but its bodies have ", velocity);
  }
  if (position != model.num_positions()) {
    refuse("model: initial_position has ", model.num_positions(), " entries, but its bodies have ", position);
  }
}

void check_dofs(Model& model) {
  for (int k = 0; k < model.num_bodies(); ++k) {
    const bool scalar = num_velocities_of(model.bodies[k].joint) == 1;
    for (int j = model.bodies[k].first_velocity; j <= model.last_dof(k); ++j) {
      Dof& dof = model.dofs[j];
      const std::string what = numbered("dof", static_cast<std::size_t>(j));
      dof.body = k;
      check_not_negative(dof.armature, what, "armature");
      check_not_negative(dof.damping, what, "damping");
      check_not_negative(dof.stiffness, what, "stiffness");
      check_finite(dof.rest_position, what, "rest_position");
      check_not_negative(dof.dry_friction, what, "dry_friction");
      check_range(dof.lower, dof.upper, what, "lower and upper");
      if (!(dof.effort_limit >= 0.0)) refuse(what, ": effort_limit is ", dof.effort_limit);
      if (!(dof.velocity_limit >= 0.0)) refuse(what, ": velocity_limit is ", dof.velocity_limit);
      if (!scalar && (dof.stiffness != 0.0 || dof.lower != -no_limit || dof.upper != no_limit)) {
        refuse(what, ": a spring or limits on a ", to_string(model.bodies[k].joint), " joint");
      }
    }
  }
}

template <class Elements>
void check_names(const Elements& elements, const char* kind) {
  std::unordered_set<std::string_view> taken;
  for (const auto& e : elements) {
    if (!taken.insert(e.name).second) refuse("model: ", kind, " '", e.name, "': the name occurs twice");
  }
}

// Joints cover bodies, positions and velocities one after another.
void check_joints(const Model& model) {
  int body = 0, position = 0, velocity = 0;
  for (const Joint& joint : model.joints) {
    const std::string what = "model: joint '" + joint.name + "'";
    if (joint.first_body != body || joint.num_bodies < 1 || joint.num_bodies > model.num_bodies() - body) {
      refuse(what, ": bodies from ", joint.first_body, ", ", joint.num_bodies, " of them");
    }
    int positions = 0, velocities = 0;
    for (int k = body; k < body + joint.num_bodies; ++k) {
      positions += num_positions_of(model.bodies[k].joint), velocities += num_velocities_of(model.bodies[k].joint);
    }
    if (joint.first_position != position || joint.num_positions != positions || joint.first_velocity != velocity ||
        joint.num_velocities != velocities) {
      refuse(what, ": its places in q and v are not those of its bodies");
    }
    body += joint.num_bodies, position += positions, velocity += velocities;
  }
  if (body != model.num_bodies()) refuse("model: bodies from ", body, " on belong to no joint");
}

void check_shapes(const Model& model) {
  for (std::size_t s = 0; s < model.shapes.size(); ++s) {
    const Shape& shape = model.shapes[s];
    const std::string what = "model: shape '" + shape.name + "'";
    check_index(shape.body, model.bodies.size(), what, "body", -1);
    check_pose(shape.pose, what, "pose");
    check_geometry(shape.geometry, what);
    check_material(shape.material, what);
    for (double c : shape.color) {
      if (!(c >= 0.0 && c <= 1.0)) refuse(what, ": color has ", c, "; it must lie in 0 … 1");
    }
    const ShapeKind kind = shape.kind();
    const bool is_endless = kind == ShapeKind::plane || kind == ShapeKind::height_field;
    if (shape.body >= 0 && (is_endless || kind == ShapeKind::triangle_mesh)) {
      refuse(what, ": a ", to_string(kind), " on moving body ", shape.body);
    }
    const BoundingSphere bound = bounding_sphere(shape.geometry);
    if (!shape.bound_center.allFinite() || (!is_endless && !std::isfinite(shape.bound_radius))) {
      refuse(what, ": its place or size is too large for a number");
    }
    // The bits of a norm depend on where in memory a vector lies, so the bounds are stored and compared.
    const double slack = 1e-12 * (shape.pose.position.norm() + bound.center.norm() + (is_endless ? 0.0 : bound.radius));
    const bool same_radius =
        is_endless ? shape.bound_radius == bound.radius : std::abs(shape.bound_radius - bound.radius) <= slack;
    if (!same_radius || !((shape.bound_center - shape.pose * bound.center).norm() <= slack)) {
      refuse(what, ": its bounding sphere of radius ", shape.bound_radius, " is not that of its geometry");
    }
  }
}

void check_single_dof(const Model& model, int dof, std::string_view what, const char* field) {
  check_index(dof, model.dofs.size(), what, field);
  if (num_velocities_of(model.bodies[model.dofs[dof].body].joint) != 1) {
    refuse(what, ": ", field, " ", dof, " belongs to a ", to_string(model.bodies[model.dofs[dof].body].joint),
           " joint");
  }
}

void check_loops(const Model& model) {
  for (const Loop& loop : model.loops) {
    const std::string what = "model: loop '" + loop.name + "'";
    if (static_cast<int>(loop.kind) > static_cast<int>(LoopKind::tendon_equality)) refuse(what, ": no such kind");
    check_not_negative(loop.compliance, what, "compliance");
    for (double c : loop.coefficients) check_finite(c, what, "coefficients");
    check_pose(loop.pose_a, what, "pose_a");
    check_pose(loop.pose_b, what, "pose_b");
    if (loop.kind == LoopKind::joint_equality) {
      check_single_dof(model, loop.dof_a, what, "dof_a");
      if (loop.dof_b != -1) check_single_dof(model, loop.dof_b, what, "dof_b");
      if (loop.dof_a == loop.dof_b) refuse(what, ": dof_a and dof_b are both ", loop.dof_a);
    } else if (loop.kind == LoopKind::tendon_equality) {
      check_index(loop.tendon_a, model.tendons.size(), what, "tendon_a");
      check_index(loop.tendon_b, model.tendons.size(), what, "tendon_b", -1);
      if (loop.tendon_a == loop.tendon_b) refuse(what, ": tendon_a and tendon_b are both ", loop.tendon_a);
    } else {
      check_index(loop.body_a, model.bodies.size(), what, "body_a", -1);
      check_index(loop.body_b, model.bodies.size(), what, "body_b", -1);
      if (loop.body_a == loop.body_b) refuse(what, ": body_a and body_b are both ", loop.body_a);
      if (!model.is_movable(loop.body_a) && !model.is_movable(loop.body_b)) {
        refuse(what, ": bodies ", loop.body_a, " and ", loop.body_b, "; no impulse moves either");
      }
    }
  }
}

void check_configuration(const Model& model, const VectorX& q, const VectorX& v, const std::string& what) {
  if (q.size() != model.num_positions() || v.size() != model.num_velocities()) {
    refuse(what, ": q has ", q.size(), " and v ", v.size(), " entries; the model has ", model.num_positions(), " and ",
           model.num_velocities());
  }
  if (!q.allFinite() || !v.allFinite()) refuse(what, ": q or v is not finite");
  for (const Body& body : model.bodies) {
    if (num_velocities_of(body.joint) == 1) continue;
    const int first = body.first_position + (body.joint == JointType::free ? 3 : 0);
    const double length = q.segment<4>(first).stableNorm();
    if (!(std::abs(length - 1.0) <= 1e-3)) refuse(what, ": the quaternion at q[", first, "] has length ", length);
  }
}

void check_keyframes(const Model& model) {
  for (const Keyframe& key : model.keyframes) {
    const std::string what = "model: keyframe '" + key.name + "'";
    check_finite(key.time, what, "time");
    check_configuration(model, key.q, key.v, what);
    if (key.control.size() != static_cast<Eigen::Index>(model.actuators.size()) || !key.control.allFinite()) {
      refuse(what, ": control has ", key.control.size(), " entries, or is not finite");
    }
    if (key.activation.size() != model.num_activations() || !key.activation.allFinite()) {
      refuse(what, ": activation has ", key.activation.size(), " entries, or is not finite");
    }
  }
}

void check_cameras(const Model& model) {
  for (const MountedCamera& camera : model.cameras) {
    const std::string what = "model: camera '" + camera.name + "'";
    check_index(camera.frame, model.frames.size(), what, "frame", -1);
    check_index(camera.target, model.frames.size(), what, "target", -1);
    static_cast<void>(checked_camera(camera, what));
  }
}

void check_pairs(const Model& model, const std::vector<std::pair<int, int>>& pairs, const char* what) {
  for (const auto& [a, b] : pairs) {
    check_index(a, model.shapes.size(), what, "shape");
    check_index(b, model.shapes.size(), what, "shape");
    if (a >= b) refuse(what, ": shapes ", a, " and ", b, " are not in order");
    if (model.shapes[a].body == model.shapes[b].body) refuse(what, ": shapes ", a, " and ", b, " are on one body");
  }
  if (std::adjacent_find(pairs.begin(), pairs.end(), std::greater_equal<>()) != pairs.end()) {
    refuse(what, ": not sorted, or one occurs twice");
  }
}

void check_pair_materials(const Model& model) {
  std::pair<int, int> last{-1, -1};
  for (const ShapePair& pair : model.pair_materials) {
    const std::string what = message("model: material of the pair of shapes ", pair.shape_a, " and ", pair.shape_b);
    check_index(pair.shape_a, model.shapes.size(), what, "shape");
    check_index(pair.shape_b, model.shapes.size(), what, "shape");
    const std::pair<int, int> now{pair.shape_a, pair.shape_b};
    if (now.first >= now.second || now <= last) refuse(what, ": not sorted, or one occurs twice");
    check_pair_material(pair.material, what);
    last = now;
  }
}

}  // namespace

std::shared_ptr<const Model> complete_model(Model parts) {
  auto model = std::make_shared<Model>(std::move(parts));
  check_finite(model->gravity, "model", "gravity");
  if (static_cast<int>(model->friction_rule) < 0 || static_cast<int>(model->friction_rule) > 4) {
    refuse("model: friction rule ", static_cast<int>(model->friction_rule), " does not exist");
  }
  if (!(model->suggested_time_step > 0.0) || model->suggested_time_step == no_limit) {
    refuse("model: suggested time step is ", model->suggested_time_step, " s");
  }
  lay_out_bodies(*model);
  name_bodies(*model);
  check_dofs(*model);
  model->row_begin.clear(), model->row_ancestor.clear(), model->nodes.clear(), model->node_of.clear();
  lay_out_rows(*model);
  check_mobility(*model);
  check_joints(*model);
  for (const Frame& frame : model->frames) {
    check_index(frame.body, model->bodies.size(), "model: frame '" + frame.name + "'", "body", -1);
    check_pose(frame.pose, "model: frame '" + frame.name + "'", "pose");
  }
  check_shapes(*model);
  check_loops(*model);
  check_stored_transmissions(*model);
  check_configuration(*model, model->initial_position, model->initial_velocity, "model: initial state");
  check_keyframes(*model);
  check_cameras(*model);
  check_pairs(*model, model->excluded_pairs, "model: excluded pairs");
  check_pairs(*model, model->forced_pairs, "model: forced pairs");
  check_pair_materials(*model);
  check_stored_fluid(*model);
  check_names(model->joints, "joint");
  check_names(model->shapes, "shape");
  check_names(model->loops, "loop");
  check_names(model->tendons, "tendon");
  check_names(model->actuators, "actuator");
  check_names(model->keyframes, "keyframe");
  check_names(model->cameras, "camera");
  check_stored_sensors(*model);
  check_names(model->sensors, "sensor");
  return model;
}

}  // namespace stiction
