// A model as a part of a draft: every field of it is taken up or named as one that follows from the others.
//
// The structured bindings below list the fields. Who adds one to Model, Body, Dof, Joint or Frame does not compile
// until it is dealt with here; Shape, Loop, Actuator and Keyframe are kept whole, and theirs are looked at for indices.
#include <algorithm>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

JointKind kind_of(const std::string& name) {
  for (int k = 0; k < 8; ++k) {
    if (to_string(static_cast<JointKind>(k)) == name) return static_cast<JointKind>(k);
  }
  refuse("attached model: a joint of kind '", name, "', which does not exist");
}

template <class Vector>
void append(Vector& to, const VectorX& from, int first, int count) {
  const Eigen::Index at = to.size();
  to.conservativeResize(at + count);
  to.segment(at, count) = from.segment(first, count);
}

class Attachment {
 public:
  Attachment(const Model& model, const AttachOptions& options, ModelDraft& draft)
      : model_(model),
        options_(options),
        draft_(draft),
        first_body_(static_cast<int>(draft.bodies.size())),
        first_shape_(static_cast<int>(draft.shapes.size())),
        first_actuator_(static_cast<int>(draft.actuators.size())),
        is_moved_(options.parent >= 0 || options.pose.rotation != Matrix3::Identity() ||
                  options.pose.position != Vector3::Zero()) {}

  void run() {
    // Trees, rows and nodes follow from the rest; gravity, fluid, friction rule and time step are the world's, and that
    // of from_model() takes them.
    const auto& [gravity, friction_rule, suggested_time_step, bodies, trees, dofs, joints, frames, shapes, loops,
                 actuators, keyframes, cameras, excluded_pairs, forced_pairs, initial_position, initial_velocity,
                 row_begin, row_ancestor, nodes, node_of, tendons, carried_weights, sensors, pair_materials, fluid,
                 fluid_forms] = model_;
    find_carriers(bodies, frames);
    add_bodies(frames);
    add_shapes(shapes);
    for (const Frame& frame : frames) add_site(frame);
    for (const Tendon& tendon : tendons) add_tendon(tendon);
    for (const auto& [body, mass, center] : carried_weights) {
      draft_.kept_weights.push_back({carrier_of(body, "carried weight"), mass, center});
    }
    for (FluidForm form : fluid_forms) {
      form.body = carrier_of(form.body, "fluid form");
      draft_.kept_fluid_forms.push_back(form);
    }
    for (const Loop& loop : loops) add_loop(loop);
    for (const Actuator& actuator : actuators) add_actuator(actuator);
    for (const Keyframe& keyframe : keyframes) add_keyframe(keyframe);
    for (const MountedCamera& camera : cameras) add_camera(camera);
    for (const Sensor& sensor : sensors) add_sensor(sensor);
    for (const auto& [a, b] : excluded_pairs) draft_.excluded_shapes.emplace_back(first_shape_ + a, first_shape_ + b);
    for (const auto& [a, b, material] : pair_materials) {
      draft_.pair_materials.push_back({first_shape_ + a, first_shape_ + b, material});
    }
    for (const auto& [a, b] : forced_pairs) draft_.forced_pairs.emplace_back(first_shape_ + a, first_shape_ + b);
  }

 private:
  void find_carriers(const std::vector<Body>& bodies, const std::vector<Frame>& frames);
  void add_bodies(const std::vector<Frame>& frames);
  void keep_chain(int body, BodyOptions& options, KeptBody& kept);
  KeptBody::Elementary elementary(int body) const;
  void add_shapes(const std::vector<Shape>& shapes);
  void add_site(const Frame& frame);
  void add_loop(const Loop& loop);
  void add_tendon(const Tendon& tendon);
  void add_actuator(const Actuator& actuator);
  void add_keyframe(const Keyframe& keyframe);
  void add_camera(const MountedCamera& camera);
  void add_sensor(const Sensor& sensor);
  // A frame of the model as a site or a body of the draft.
  void name_frame(int frame, std::string& site, int& body) const;

  bool loses_joint(const Joint& joint) const { return options_.is_base_fixed && joint.kind == "free"; }
  std::string named(const std::string& name) const { return options_.prefix + name; }
  // The draft's body that carries what is on a body of the model; what is on its world: who the model is fixed to.
  int carrier(int body) const { return body < 0 ? options_.parent : carrier_[static_cast<std::size_t>(body)]; }
  int carrier_of(int body, const std::string& what) const {
    if (body >= 0 && carrier(body) < 0) refuse("attached model: ", what, " is on body ", body, ", which has no name");
    return carrier(body);
  }
  // Whether a pose on that body is one on a carrier.
  bool is_kept(int body) const { return body >= 0 || !is_moved_; }
  Pose pose_on(int body, const Pose& pose) const { return is_kept(body) ? pose : composed(options_.pose, pose); }
  const Joint& joint_of(int dof) const {
    const auto after = std::upper_bound(model_.joints.begin(), model_.joints.end(), dof,
                                        [](int j, const Joint& joint) { return j < joint.first_velocity; });
    return *std::prev(after);
  }

  const Model& model_;
  const AttachOptions& options_;
  ModelDraft& draft_;
  const int first_body_, first_shape_, first_actuator_;
  const bool is_moved_;
  std::vector<int> carrier_;  // by body: index in the draft of the user's body at the end of its chain; −1: inner
};

// Frames that are bodies of the user come in their order; of several on one body the first is that of the joint.
void Attachment::find_carriers(const std::vector<Body>& bodies, const std::vector<Frame>& frames) {
  carrier_.assign(bodies.size(), -1);
  int user = first_body_;
  for (const Frame& frame : frames) {
    if (frame.is_site) continue;
    if (frame.body >= 0 && carrier(frame.body) < 0) carrier_[static_cast<std::size_t>(frame.body)] = user;
    ++user;
  }
  // An inner body of a chain has none, but one body hangs on it, and nothing else.
  std::vector<int> children(bodies.size(), 0);
  for (const Body& body : bodies) {
    if (body.parent >= 0) ++children[static_cast<std::size_t>(body.parent)];
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (carrier_[k] < 0 && (children[k] != 1 || bodies[k].mass != 0.0)) {
      refuse("attached model: body ", k, " carries no frame that is a body, so that it has no name");
    }
  }
}

void Attachment::add_bodies(const std::vector<Frame>& frames) {
  int rank = 0, user = first_body_;
  std::vector<int> order(model_.bodies.size(), 0);
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    if (carrier_[k] >= 0) order[k] = rank++;
  }
  for (const Frame& frame : frames) {
    const auto& [name, body, pose, is_site] = frame;
    if (is_site) continue;
    BodyOptions options;
    options.name = named(name);
    KeptBody kept;
    kept.frame = pose;
    kept.model = first_body_;
    kept.order = rank;  // behind those with a chain
    if (body < 0) {
      options.parent = options_.parent;
      kept.is_root = true;
      kept.root = options_.pose;
    } else if (carrier(body) == user) {
      kept.order = order[static_cast<std::size_t>(body)];
      keep_chain(body, options, kept);
    } else {
      options.parent = carrier(body);
    }
    draft_.bodies.push_back(std::move(options));
    draft_.kept_bodies.emplace(user, std::move(kept));
    ++user;
  }
}

// The bodies from the last one with a frame down to this one.
void Attachment::keep_chain(int body, BodyOptions& options, KeptBody& kept) {
  int first = body;
  const auto parent = [&](int b) { return model_.bodies[static_cast<std::size_t>(b)].parent; };
  while (parent(first) >= 0 && carrier(parent(first)) < 0) first = parent(first);
  options.parent = parent(first) < 0 ? options_.parent : carrier(parent(first));
  options.is_kinematic = model_.bodies[static_cast<std::size_t>(body)].is_kinematic;
  kept.is_root = parent(first) < 0;
  if (kept.is_root) kept.root = options_.pose;
  const Body& last = model_.bodies[static_cast<std::size_t>(body)];
  kept.inertia = {last.mass, last.com, last.inertia};
  for (const Joint& joint : model_.joints) {
    const auto& [name, kind, first_body, num_bodies, first_position, num_positions, first_velocity, num_velocities] =
        joint;
    if (first_body < first || first_body > body) continue;
    if (first_body + num_bodies - 1 > body) refuse("attached model: joint '", name, "' goes on beyond body ", body);
    if (loses_joint(joint)) {
      const double* q = model_.initial_position.data() + first_position;
      kept.root = composed(kept.root, Pose(Eigen::Map<const Quaternion>(q + 3), Eigen::Map<const Vector3>(q)));
      continue;
    }
    if (kind == "free" && options_.parent >= 0) {
      refuse("attached model: body '", model_.bodies[static_cast<std::size_t>(body)].name,
             "' is free, and would hang on body '", draft_.bodies[static_cast<std::size_t>(options_.parent)].name,
             "'; fix it (is_base_fixed), or attach it to the world");
    }
    JointOptions record;
    record.name = named(name);
    record.kind = kind_of(kind);
    options.joints.push_back(std::move(record));
    kept.chain_of_joint.push_back(num_bodies);
    for (int k = first_body; k < first_body + num_bodies; ++k) kept.chain.push_back(elementary(k));
  }
}

KeptBody::Elementary Attachment::elementary(int index) const {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  const auto& [parent, tree, joint, first_position, first_velocity, placement, mass, com, inertia, is_kinematic, name] =
      body;
  KeptBody::Elementary e;
  e.body.joint = joint;
  e.body.placement = placement;
  e.body.is_kinematic = is_kinematic;
  e.q = model_.initial_position.segment(first_position, num_positions_of(joint));
  e.v = model_.initial_velocity.segment(first_velocity, num_velocities_of(joint));
  for (int k = 0; k < num_velocities_of(joint); ++k) {
    e.dofs.push_back(model_.dofs[static_cast<std::size_t>(first_velocity + k)]);
  }
  return e;
}

void Attachment::add_shapes(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    const auto& [name, body, pose, geometry, material, group, mask, color, bound_center, bound_radius] = shape;
    ShapeOptions options;
    options.name = named(name);
    options.body = carrier_of(body, "shape '" + name + "'");
    options.pose = pose_on(body, pose);
    options.geometry = geometry;
    options.material = material;
    options.group = group, options.mask = mask;
    options.color = color;
    if (is_kept(body)) draft_.kept_shapes.emplace(static_cast<int>(draft_.shapes.size()), shape);
    draft_.shapes.push_back(std::move(options));
  }
}

void Attachment::add_site(const Frame& frame) {
  if (!frame.is_site) return;
  draft_.sites.push_back({named(frame.name), carrier_of(frame.body, "site '" + frame.name + "'"),
                          pose_on(frame.body, frame.pose), is_kept(frame.body)});
}

void Attachment::add_loop(const Loop& loop) {
  const auto& [name, kind, body_a, body_b, pose_a, pose_b, dof_a, dof_b, tendon_a, tendon_b, coefficients, compliance] =
      loop;
  LoopOptions options;
  options.name = named(name);
  options.kind = kind;
  Loop kept = loop;
  if (kind == LoopKind::joint_equality) {
    options.joint_a = named(joint_of(dof_a).name);
    kept.dof_a = dof_a - joint_of(dof_a).first_velocity;
    if (dof_b >= 0) options.joint_b = named(joint_of(dof_b).name), kept.dof_b = dof_b - joint_of(dof_b).first_velocity;
  } else if (kind == LoopKind::tendon_equality) {
    options.tendon_a = named(model_.tendons[static_cast<std::size_t>(tendon_a)].name);
    if (tendon_b >= 0) options.tendon_b = named(model_.tendons[static_cast<std::size_t>(tendon_b)].name);
  } else {
    options.body_a = carrier_of(body_a, "loop '" + name + "'");
    options.body_b = carrier_of(body_b, "loop '" + name + "'");
    // What is on the world of the model is on the body that it is fixed to; if that is kept itself, its carrier is not
    // its frame.
    const auto put = [&](int body, const Pose& pose) {
      if (body >= 0 || options_.parent < 0) return pose_on(body, pose);
      const auto parent = draft_.kept_bodies.find(options_.parent);
      const Pose on_parent = composed(options_.pose, pose);
      return parent == draft_.kept_bodies.end() ? on_parent : composed(parent->second.frame, on_parent);
    };
    kept.pose_a = put(body_a, pose_a), kept.pose_b = put(body_b, pose_b);
  }
  draft_.kept_loops.emplace(static_cast<int>(draft_.loops.size()), std::move(kept));
  draft_.loops.push_back(std::move(options));
}

void Attachment::add_tendon(const Tendon& tendon) {
  const auto& [name, kind, terms, offset, path, stiffness, rest_lower, rest_upper, damping, dry_friction, lower, upper,
               effort_limit] = tendon;
  const auto frame_name = [&](int frame) {
    return frame < 0 ? std::string() : named(model_.frames[static_cast<std::size_t>(frame)].name);
  };
  TendonOptions options;
  options.name = named(name);
  options.offset = offset;
  options.stiffness = stiffness, options.rest_lower = rest_lower, options.rest_upper = rest_upper;
  options.damping = damping, options.dry_friction = dry_friction;
  options.lower = lower, options.upper = upper, options.effort_limit = effort_limit;
  for (const TendonTerm& term : terms) options.terms.push_back({named(joint_of(term.dof).name), term.coefficient});
  std::vector<bool> on_carrier;
  for (const TendonPoint& point : path) {
    const bool is_solid = point.kind == TendonPointKind::sphere || point.kind == TendonPointKind::cylinder;
    TendonPointOptions part{.kind = point.kind, .site = frame_name(point.frame), .radius = point.radius};
    part.side_site = frame_name(point.side_frame);
    part.divisor = point.divisor;
    if (is_solid) {
      part.body = carrier_of(point.body, "tendon '" + name + "'");
      part.pose = pose_on(point.body, point.pose);
    }
    on_carrier.push_back(is_solid && is_kept(point.body));
    options.path.push_back(std::move(part));
  }
  draft_.kept_tendons.emplace(static_cast<int>(draft_.tendons.size()), std::move(on_carrier));
  draft_.tendons.push_back(std::move(options));
}

void Attachment::add_actuator(const Actuator& actuator) {
  ActuatorOptions options;
  options.name = named(actuator.name);
  options.kind = actuator.kind;
  options.activation = actuator.activation;
  Actuator kept = actuator;
  const auto site_name = [&](int frame) { return named(model_.frames[static_cast<std::size_t>(frame)].name); };
  if (actuator.transmission == TransmissionKind::joint) {
    options.joint = named(joint_of(actuator.dof).name);
    kept.dof = actuator.dof - joint_of(actuator.dof).first_velocity;
  } else if (actuator.transmission == TransmissionKind::tendon) {
    options.tendon = named(model_.tendons[static_cast<std::size_t>(actuator.tendon)].name);
  } else {
    options.site = site_name(actuator.frame);
    const bool crank = actuator.transmission == TransmissionKind::slider_crank;
    if (actuator.reference_frame >= 0) {
      (crank ? options.slider_site : options.reference_site) = site_name(actuator.reference_frame);
    }
  }
  draft_.kept_actuators.emplace(static_cast<int>(draft_.actuators.size()), std::move(kept));
  draft_.actuators.push_back(std::move(options));
}

void Attachment::add_keyframe(const Keyframe& keyframe) {
  const auto& [name, time, q, v, control, activation] = keyframe;
  Keyframe part{.name = named(name), .time = time};
  std::vector<std::string> joints;
  for (const Joint& joint : model_.joints) {
    if (loses_joint(joint)) continue;
    joints.push_back(named(joint.name));
    const Eigen::Index at_q = part.q.size(), at_v = part.v.size();
    append(part.q, q, joint.first_position, joint.num_positions);
    append(part.v, v, joint.first_velocity, joint.num_velocities);
    if (joint.kind == "free") move_free_body_to(options_.pose, part.q.data() + at_q, part.v.data() + at_v);
  }
  part.control = control;
  part.activation = activation;
  draft_.kept_keyframes.emplace(static_cast<int>(draft_.keyframes.size()), std::move(joints));
  draft_.keyframes.push_back(std::move(part));
  draft_.scopes.push_back({.first_body = first_body_,
                           .end_body = static_cast<int>(draft_.bodies.size()),
                           .first_actuator = first_actuator_,
                           .end_actuator = static_cast<int>(draft_.actuators.size())});
}

// Cameras are on bodies of the user, which are the first frames, and on the world.
void Attachment::add_camera(const MountedCamera& camera) {
  const auto& [name, frame, pose, mode, target, field_of_view] = camera;
  MountedCamera part = camera;
  part.name = named(name);
  part.frame = frame < 0 ? options_.parent : first_body_ + frame;
  if (frame < 0) part.pose = composed(options_.pose, pose);
  part.target = target < 0 ? options_.parent : first_body_ + target;
  draft_.cameras.push_back(std::move(part));
}

void Attachment::name_frame(int frame, std::string& site, int& body) const {
  if (frame >= 0 && model_.frames[static_cast<std::size_t>(frame)].is_site) {
    site = named(model_.frames[static_cast<std::size_t>(frame)].name);
  } else {
    body = frame < 0 ? options_.parent : first_body_ + frame;
  }
}

void Attachment::add_sensor(const Sensor& sensor) {
  const auto& [name, kind, element, frame, pose, has_reference, reference_frame, reference_pose, region, field, scale,
               cutoff, noise, delay, part, has_other, other_shapes, first_value, num_values] = sensor;
  SensorOptions options{.name = named(name), .kind = kind};
  const auto index = static_cast<std::size_t>(element);
  const SensorObject object = object_of(kind);
  if (object == SensorObject::joint) {
    if (loses_joint(model_.joints[index])) return;
    options.joint = named(model_.joints[index].name);
  }
  if (object == SensorObject::tendon) options.tendon = named(model_.tendons[index].name);
  if (object == SensorObject::actuator) options.actuator = named(model_.actuators[index].name);
  options.pose = frame < 0 ? composed(options_.pose, pose) : pose;
  options.reference_pose = reference_frame < 0 ? composed(options_.pose, reference_pose) : reference_pose;
  if (object == SensorObject::frame) name_frame(frame, options.site, options.body);
  if (has_reference) name_frame(reference_frame, options.reference_site, options.reference_body);
  options.region = region, options.field = field;
  options.scale = scale, options.cutoff = cutoff, options.noise = noise, options.delay = delay;
  const int body = frame < 0 ? -1 : model_.frames[static_cast<std::size_t>(frame)].body;
  if (has_other) options.other_body = -1;  // its shapes say who is meant
  KeptSensor kept{.part = part, .body = carrier_of(body, "sensor '" + name + "'")};
  kept.part.children.clear(), kept.part.shapes.clear();
  for (int child : part.children) {
    while (carrier(child) < 0) ++child;  // the last body of its chain has a name
    kept.part.children.push_back(carrier(child));
  }
  for (const int shape : part.shapes) kept.part.shapes.push_back(first_shape_ + shape);
  for (const int shape : other_shapes) kept.other_shapes.push_back(first_shape_ + shape);
  kept.on_carrier = is_kept(body);
  if (!kept.on_carrier && part.inertia.mass > 0.0) kept.part.inertia = part.inertia.in(options_.pose);
  draft_.kept_sensors.emplace(static_cast<int>(draft_.sensors.size()), std::move(kept));
  draft_.sensors.push_back(std::move(options));
}

}  // namespace

void attach_model(const Model& model, const AttachOptions& options, ModelDraft& draft) {
  Attachment(model, options, draft).run();
}

}  // namespace stiction
