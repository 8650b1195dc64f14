// From the bodies of the user to the forest: depth-first order, chains of elementary joints with axis z, fixed bodies
// merged into what carries them.
//
// A body U of the user at the joint positions q stands in its parent P at
//     X_PU(q) = X_PU · Π_k F_k E_k(q_k − ref_k) F_k⁻¹,
// where F_k is the frame of elementary joint k on U (z along the axis) and E_k the turn about, or shift along, z. The
// frame of body k of the chain is F_k as carried by the joints 1 … k; so its placement in body k − 1 is
// F_{k−1}⁻¹ F_k E_k(−ref_k), and U lies at F_n⁻¹ in the last.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_draft.h"
#include "stiction/model/geometry/solid.h"

namespace stiction {
namespace {

struct ElementaryJoint {
  JointType type;
  Pose frame;  // F_k on the user's body
};

std::vector<ElementaryJoint> elementary_joints(const JointOptions& joint) {
  const auto along = [&](const Vector3& axis) { return joint.pose * Pose(rotation_with_z(axis), Vector3::Zero()); };
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::free:
      return {{JointType::free, Pose()}};
    case JointKind::ball:
      return {{JointType::ball, joint.pose}};
    case JointKind::revolute:
      return {{JointType::revolute, along(joint.axis)}};
    case JointKind::prismatic:
      return {{JointType::prismatic, along(joint.axis)}};
    case JointKind::cylindrical:
      return {{JointType::prismatic, along(joint.axis)}, {JointType::revolute, along(joint.axis)}};
    case JointKind::universal:
      return {{JointType::revolute, along(joint.axis)}, {JointType::revolute, along(joint.axis_2)}};
    case JointKind::planar: {
      const Matrix3 r = rotation_with_z(joint.axis);
      return {{JointType::prismatic, along(r.col(0))},
              {JointType::prismatic, along(r.col(1))},
              {JointType::revolute, along(joint.axis)}};
    }
  }
  return {};
}

// E_k(−reference).
Pose back_from(double reference, JointType type) {
  if (reference == 0.0) return Pose();
  if (type == JointType::prismatic) return Pose(Vector3(0.0, 0.0, -reference));
  return {Eigen::AngleAxisd(-reference, Vector3::UnitZ()).toRotationMatrix(), Vector3::Zero()};
}

bool is_identity(const Pose& pose) {
  return pose.rotation == Matrix3::Identity() && pose.position == Vector3::Zero();
}

Shape shape_of(const ShapeOptions& options) {
  Shape shape;
  shape.geometry = options.geometry;
  shape.material = options.material;
  shape.group = options.group, shape.mask = options.mask;
  shape.color = options.color;
  return shape;
}

bool is_finite(const Pose& pose) {
  return pose.rotation.allFinite() && pose.position.allFinite();
}

// Siblings come in the order in which they were added; what came with a model, in the order of that.
std::pair<int, int> order_of(const ModelDraft& draft, int user) {
  const auto kept = draft.kept_bodies.find(user);
  return kept == draft.kept_bodies.end() ? std::pair(user, 0) : std::pair(kept->second.model, kept->second.order);
}

// Bodies of the draft, parents before children, each subtree together, siblings in the order they were added.
std::vector<int> depth_first_order(const ModelDraft& draft) {
  const std::vector<BodyOptions>& bodies = draft.bodies;
  const int n = static_cast<int>(bodies.size());
  std::vector<std::vector<int>> children(n + 1);  // of the world last
  for (int k = 0; k < n; ++k) children[bodies[k].parent < 0 ? n : bodies[k].parent].push_back(k);
  for (auto& siblings : children) {
    if (draft.kept_bodies.empty()) break;
    std::stable_sort(siblings.begin(), siblings.end(),
                     [&](int a, int b) { return order_of(draft, a) < order_of(draft, b); });
  }
  std::vector<int> order, stack;
  order.reserve(n);
  const auto push_children = [&](int body) {
    stack.insert(stack.end(), children[body].rbegin(), children[body].rend());
  };
  push_children(n);
  while (!stack.empty()) {
    const int body = stack.back();
    stack.pop_back();
    order.push_back(body);
    push_children(body);
  }
  return order;
}

// What of the weight of a part something carries is added to that of its body.
void carry(int body, double share, const Inertia& part, std::vector<CarriedWeight>& carried) {
  const double mass = share * part.mass;
  if (mass == 0.0) return;
  const auto of_body = [body](const CarriedWeight& w) { return w.body == body; };
  const auto found = std::find_if(carried.begin(), carried.end(), of_body);
  if (found == carried.end()) {
    carried.push_back({body, mass, part.com});
    return;
  }
  const double sum = found->mass + mass;
  if (sum == 0.0) {
    refuse("gravity_compensation of bodies that are fixed to each other adds up to nothing; give each the same");
  }
  found->center = (found->mass * found->center + mass * part.com) / sum;
  found->mass = sum;
}

class ForestLayout {
 public:
  ForestLayout(const ModelDraft& draft, Model& model)
      : draft_(draft), model_(model), place_(draft.bodies.size()), own_(draft.bodies.size()) {}

  std::vector<BodyPlace> run() {
    const std::vector<int> order = depth_first_order(draft_);
    for (int user : order) place_body(user);
    add_frames();
    add_shapes();
    sum_inertias(order);
    model_.initial_position = ConstVectorMap(position_.data(), static_cast<Eigen::Index>(position_.size()));
    model_.initial_velocity = ConstVectorMap(velocity_.data(), static_cast<Eigen::Index>(velocity_.size()));
    return std::move(place_);
  }

 private:
  void place_body(int user);
  void place_kept_body(int user, const KeptBody& kept);
  void add_kept_chain(int user, const KeptBody& kept, const BodyPlace& base);
  void add_to_tree(Body body);
  void check_carrier(const BodyPlace& at, const std::string& name) const;
  void add_joint(int user, const JointOptions& joint, BodyPlace& at);
  void add_elementary(int user, const ElementaryJoint& elementary, const JointOptions& joint, const Pose& placement,
                      int parent);
  void sum_inertias(const std::vector<int>& order);
  void add_frames();
  void add_shapes();

  const ModelDraft& draft_;
  Model& model_;
  std::vector<BodyPlace> place_;
  std::vector<Inertia> own_;  // of every body of the draft, in its own frame
  std::vector<double> position_, velocity_;
  std::vector<int> user_of_;  // body of the draft behind every body of the model
};

void ForestLayout::place_body(int user) {
  if (const auto kept = draft_.kept_bodies.find(user); kept != draft_.kept_bodies.end()) {
    return place_kept_body(user, kept->second);
  }
  const BodyOptions& body = draft_.bodies[user];
  const BodyPlace parent = body.parent < 0 ? BodyPlace{} : place_[body.parent];
  BodyPlace at{parent.body, parent.pose * body.pose};  // at.pose: X of the user's body on at.body, so far
  const int first = body.joints.empty() ? -1 : model_.num_bodies();
  for (const JointOptions& joint : body.joints) {
    if (joint.kind == JointKind::free && at.body >= 0) {
      refuse("body '", body.name, "': a free joint below body '", draft_.bodies[body.parent].name,
             "'; only a body whose parent is the world may be free, give joint.kind");
    }
    check_carrier(at, body.name);
    add_joint(user, joint, at);
  }
  if (!is_finite(at.pose)) refuse("body '", body.name, "': its place in the world is too large for a number");
  at.first = first;
  place_[user] = at;
}

// Nothing that has joints of its own hangs on a kinematic body: it would have to feel how that is accelerated.
void ForestLayout::check_carrier(const BodyPlace& at, const std::string& name) const {
  if (at.body < 0 || !model_.bodies[at.body].is_kinematic) return;
  refuse("body '", name, "': it hangs by a joint on the kinematic body '",
         draft_.bodies[user_of_[static_cast<std::size_t>(at.body)]].name, "'; make it free and hold it by a loop");
}

void ForestLayout::place_kept_body(int user, const KeptBody& kept) {
  const BodyOptions& body = draft_.bodies[user];
  const BodyPlace parent = body.parent < 0 ? BodyPlace{} : place_[body.parent];
  const BodyPlace base{parent.body, kept.is_root ? composed(parent.pose, kept.root) : parent.carrier};
  BodyPlace at{base.body, {}, base.pose};
  if (!kept.chain.empty()) {
    check_carrier(base, body.name);
    const int first = model_.num_bodies();
    add_kept_chain(user, kept, base);
    at = {model_.num_bodies() - 1, {}, {}, first};
  }
  at.pose = composed(at.carrier, kept.frame);
  if (!is_finite(at.pose)) refuse("body '", body.name, "': its place in the world is too large for a number");
  place_[user] = at;
}

void ForestLayout::add_kept_chain(int user, const KeptBody& kept, const BodyPlace& base) {
  int parent = base.body;
  std::size_t next = 0;
  for (std::size_t j = 0; j < kept.chain_of_joint.size(); ++j) {
    const JointOptions& joint = draft_.bodies[user].joints[j];
    Joint record{.name = joint.name, .kind = std::string(to_string(joint.kind))};
    record.first_body = model_.num_bodies(), record.num_bodies = kept.chain_of_joint[j];
    record.first_position = static_cast<int>(position_.size()), record.first_velocity = model_.num_velocities();
    for (int k = 0; k < kept.chain_of_joint[j]; ++k, ++next) {
      const KeptBody::Elementary& e = kept.chain[next];
      Body body = e.body;
      body.parent = parent;
      body.first_position = static_cast<int>(position_.size()), body.first_velocity = model_.num_velocities();
      VectorX q = e.q, v = e.v;
      if (next == 0 && body.joint != JointType::free) body.placement = composed(base.pose, body.placement);
      if (next == 0 && body.joint == JointType::free) move_free_body_to(base.pose, q.data(), v.data());
      position_.insert(position_.end(), q.begin(), q.end());
      velocity_.insert(velocity_.end(), v.begin(), v.end());
      add_to_tree(std::move(body));
      user_of_.push_back(user);
      for (Dof dof : e.dofs) dof.body = model_.num_bodies() - 1, model_.dofs.push_back(dof);
      parent = model_.num_bodies() - 1;
    }
    record.num_positions = static_cast<int>(position_.size()) - record.first_position;
    record.num_velocities = model_.num_velocities() - record.first_velocity;
    model_.joints.push_back(std::move(record));
  }
}

// The body's parent, joint and places are set; its tree is the last one, or a new one.
void ForestLayout::add_to_tree(Body body) {
  const int index = model_.num_bodies();
  if (body.parent < 0) model_.trees.push_back({.first_body = index, .first_velocity = body.first_velocity});
  body.tree = static_cast<int>(model_.trees.size()) - 1;
  ++model_.trees.back().num_bodies;
  model_.trees.back().num_velocities += num_velocities_of(body.joint);
  model_.bodies.push_back(std::move(body));
}

void ForestLayout::add_joint(int user, const JointOptions& joint, BodyPlace& at) {
  Joint record{.name = joint.name, .kind = std::string(to_string(joint.kind))};
  record.first_body = model_.num_bodies();
  record.first_position = static_cast<int>(position_.size());
  record.first_velocity = model_.num_velocities();
  for (const ElementaryJoint& elementary : elementary_joints(joint)) {
    const Pose frame = at.pose * elementary.frame;
    if (elementary.type == JointType::free) {
      const Quaternion r = Quaternion(frame.rotation).normalized();
      const double sign = r.w() < 0.0 ? -1.0 : 1.0;
      for (int k = 0; k < 3; ++k) position_.push_back(frame.position[k]);
      for (int k = 0; k < 4; ++k) position_.push_back(sign * r.coeffs()[k]);
    } else if (elementary.type == JointType::ball) {
      position_.insert(position_.end(), {0.0, 0.0, 0.0, 1.0});
    } else {
      position_.push_back(joint.initial_position);
    }
    const bool is_free = elementary.type == JointType::free;
    const Pose placement = is_free ? Pose() : frame * back_from(joint.reference, elementary.type);
    if (!is_finite(frame) || !is_finite(placement)) {
      refuse("joint '", joint.name, "': its place in the world is too large for a number");
    }
    add_elementary(user, elementary, joint, placement, at.body);
    at = {model_.num_bodies() - 1, elementary.frame.inverse()};
  }
  record.num_bodies = model_.num_bodies() - record.first_body;
  record.num_positions = static_cast<int>(position_.size()) - record.first_position;
  record.num_velocities = model_.num_velocities() - record.first_velocity;
  model_.joints.push_back(std::move(record));
}

void ForestLayout::add_elementary(int user, const ElementaryJoint& elementary, const JointOptions& joint,
                                  const Pose& placement, int parent) {
  const int index = model_.num_bodies();
  const int velocities = num_velocities_of(elementary.type);
  Body body{.parent = parent, .joint = elementary.type, .placement = placement};
  body.first_position = static_cast<int>(position_.size()) - num_positions_of(elementary.type);
  body.first_velocity = model_.num_velocities();
  body.is_kinematic = draft_.bodies[user].is_kinematic;
  add_to_tree(std::move(body));
  user_of_.push_back(user);
  velocity_.insert(velocity_.end(), static_cast<std::size_t>(velocities), 0.0);
  for (int k = 0; k < velocities; ++k) {
    model_.dofs.push_back({.body = index,
                           .armature = joint.armature,
                           .damping = joint.damping,
                           .stiffness = joint.stiffness,
                           .rest_position = joint.rest_position,
                           .dry_friction = joint.dry_friction,
                           .lower = joint.lower,
                           .upper = joint.upper,
                           .effort_limit = joint.effort_limit,
                           .velocity_limit = joint.velocity_limit});
  }
}

void ForestLayout::sum_inertias(const std::vector<int>& order) {
  for (const ShapeOptions& shape : draft_.shapes) {
    if (shape.body < 0 || place_[shape.body].body < 0 || draft_.bodies[shape.body].inertia) continue;
    if (shape.mass == 0.0 && shape.density == 0.0) continue;
    if (model_.bodies[place_[shape.body].body].is_kinematic) continue;
    if (draft_.kept_bodies.contains(shape.body)) {
      refuse("shape '", shape.name, "' with mass or density on body '", draft_.bodies[shape.body].name,
             "', which came with its inertia from a model; change that by ModelEdit, or add a body with a fixed joint");
    }
    try {
      own_[shape.body] = own_[shape.body] + shape_inertia(shape);
    } catch (const std::invalid_argument& e) {
      refuse("shape '", shape.name, "' with mass or density on body '", draft_.bodies[shape.body].name,
             "': ", e.what());
    }
  }
  std::vector<Inertia> sum(model_.bodies.size());
  for (int user : order) {
    const BodyPlace& at = place_[user];
    if (at.body < 0) continue;
    if (const auto kept = draft_.kept_bodies.find(user); kept != draft_.kept_bodies.end()) {
      const Inertia& own = kept->second.inertia;
      if (own.mass == 0.0) continue;
      const Inertia moved = is_identity(at.carrier) ? own : own.in(at.carrier);
      sum[at.body] = sum[at.body].mass == 0.0 ? moved : sum[at.body] + moved;
      continue;
    }
    const Inertia& own = draft_.bodies[user].inertia ? *draft_.bodies[user].inertia : own_[user];
    sum[at.body] = sum[at.body] + own.in(at.pose);
    if (model_.bodies[at.body].is_kinematic) continue;
    carry(at.body, draft_.bodies[user].gravity_compensation, own.in(at.pose), model_.carried_weights);
  }
  std::vector<Inertia> own(draft_.bodies.size());
  for (int user : order) {
    const auto kept = draft_.kept_bodies.find(user);
    const auto& given = draft_.bodies[user].inertia;
    own[user] = kept != draft_.kept_bodies.end() ? kept->second.inertia : given ? *given : own_[user];
  }
  lay_out_fluid_forms(draft_, place_, own, model_);
  for (const CarriedWeight& kept : draft_.kept_weights) {
    const BodyPlace at = placed_on(kept.body, true, Pose(kept.center), place_);
    if (at.body >= 0) carry(at.body, 1.0, {kept.mass, at.pose.position, Matrix3::Zero()}, model_.carried_weights);
  }
  std::sort(model_.carried_weights.begin(), model_.carried_weights.end(),
            [](const CarriedWeight& a, const CarriedWeight& b) { return a.body < b.body; });
  std::vector<double> behind(model_.bodies.size());  // mass of the body and all that hangs on it
  for (int k = model_.num_bodies() - 1; k >= 0; --k) {
    Body& body = model_.bodies[k];
    const std::string& name = draft_.bodies[user_of_[k]].name;
    if (body.is_kinematic) continue;
    behind[k] += sum[k].mass;
    if (behind[k] == 0.0) {
      refuse("body '", name, "': no mass moves with it; give it an inertia, or a shape with mass or density");
    }
    if (body.parent >= 0) behind[body.parent] += behind[k];
    if (sum[k].mass == 0.0) continue;
    check_inertia(sum[k], "body '" + name + "', with all that is fixed to it");
    body.mass = sum[k].mass, body.com = sum[k].com, body.inertia = sum[k].moment;
  }
}

void ForestLayout::add_frames() {
  for (std::size_t user = 0; user < draft_.bodies.size(); ++user) {
    model_.frames.push_back({draft_.bodies[user].name, place_[user].body, place_[user].pose, false});
  }
  for (const ModelDraft::Site& site : draft_.sites) {
    const BodyPlace at = placed_on(site.body, site.is_kept, site.pose, place_);
    model_.frames.push_back({site.name, at.body, at.pose, true});
  }
}

void ForestLayout::add_shapes() {
  for (std::size_t index = 0; index < draft_.shapes.size(); ++index) {
    const ShapeOptions& options = draft_.shapes[index];
    const auto kept = draft_.kept_shapes.find(static_cast<int>(index));
    const bool is_kept = kept != draft_.kept_shapes.end();
    const BodyPlace carrier = placed_on(options.body, is_kept, options.pose, place_);
    Shape shape = is_kept ? kept->second : shape_of(options);
    shape.name = options.name, shape.body = carrier.body, shape.pose = carrier.pose;
    const ShapeKind kind = shape.kind();
    if (carrier.body >= 0 &&
        (kind == ShapeKind::plane || kind == ShapeKind::triangle_mesh || kind == ShapeKind::height_field)) {
      refuse("shape '", shape.name, "': a ", to_string(kind), " on the moving body '", draft_.bodies[options.body].name,
             "'; it may only be part of the world. A moving body takes boxes, ",
             "other convex primitives, or convex hulls, several for a shape that is not convex");
    }
    // The bits of a norm depend on where in memory a vector lies: what stands where it stood keeps its bound.
    if (!is_kept || shape.pose.position != kept->second.pose.position ||
        shape.pose.rotation != kept->second.pose.rotation) {
      const BoundingSphere bound = bounding_sphere(shape.geometry);
      shape.bound_center = shape.pose * bound.center;
      shape.bound_radius = bound.radius;
    }
    const bool has_no_bound = kind == ShapeKind::plane || kind == ShapeKind::height_field;
    if (!is_finite(shape.pose) || !shape.bound_center.allFinite() ||
        (!has_no_bound && !std::isfinite(shape.bound_radius))) {
      refuse("shape '", shape.name, "': its place or size is too large for a number");
    }
    model_.shapes.push_back(std::move(shape));
  }
}

}  // namespace

Inertia shape_inertia(const ShapeOptions& shape) {
  if (shape.mass == 0.0 && shape.density == 0.0) return {};
  const Inertia own =
      shape.mass > 0.0 ? Inertia::of(shape.geometry, shape.mass) : Inertia::of_density(shape.geometry, shape.density);
  return own.in(shape.pose);
}

void move_free_body_to(const Pose& pose, double* q, double* v) {
  if (is_identity(pose)) return;
  Eigen::Map<Vector3> position(q);
  Eigen::Map<Quaternion> rotation(q + 3);
  position = pose * Vector3(position);
  rotation = (Quaternion(pose.rotation) * Quaternion(rotation)).normalized();
  if (v == nullptr) return;
  Eigen::Map<Vector3> velocity(v);  // in world axes; the angular velocity is in the body's
  velocity = (pose.rotation * Vector3(velocity)).eval();
}

Pose composed(const Pose& a, const Pose& b) {
  return is_identity(a) ? b : is_identity(b) ? a : a * b;
}

BodyPlace placed_on(int user, bool is_kept, const Pose& pose, const std::vector<BodyPlace>& place) {
  const BodyPlace on = user < 0 ? BodyPlace{} : place[static_cast<std::size_t>(user)];
  if (is_kept) return {on.body, composed(on.carrier, pose), {}};
  return {on.body, on.pose * pose, {}};
}

void name_bodies(Model& model) {
  for (Body& body : model.bodies) body.name.clear();
  for (const Frame& frame : model.frames) {
    if (frame.is_site || frame.body < 0 || frame.body >= model.num_bodies()) continue;
    if (model.bodies[frame.body].name.empty()) model.bodies[frame.body].name = frame.name;
  }
}

std::vector<BodyPlace> lay_out_forest(const ModelDraft& draft, Model& model) {
  return ForestLayout(draft, model).run();
}

}  // namespace stiction
