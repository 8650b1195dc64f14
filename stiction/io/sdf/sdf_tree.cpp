// Trees and loops: which joints carry links, which close loops; bodies, loops, actuators.
#include <algorithm>
#include <numeric>

#include "stiction/io/sdf/sdf_reader.h"

namespace stiction {
namespace {

constexpr std::int64_t max_pairs = 1 << 22;

// Sets of things that hang together.
class Groups {
 public:
  explicit Groups(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0); }
  int find(int x) {
    while (of_[x] != x) x = of_[x] = of_[of_[x]];
    return x;
  }
  bool join(int a, int b) {  // whether they were apart
    a = find(a), b = find(b);
    of_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<int> of_;
};

bool can_close_loop(SdfJointType type) {
  return type == SdfJointType::fixed || type == SdfJointType::revolute || type == SdfJointType::ball;
}

}  // namespace

void SdfReader::note_redundant(SdfJoint& joint) {
  joint.is_redundant = true;
  joint.element.ignore("joins what is rigidly joined already, or does not move");
}

// A spanning forest over the links and the world, by the order of the kinds of joints; joints that are left over close
// loops. Node of the world: the last.
void SdfReader::choose_tree() {
  const int world = static_cast<int>(links_.size());
  const auto node = [&](int link) { return link < 0 ? world : link; };
  Groups rigid(links_.size() + 1), joined(links_.size() + 1);
  for (int k = 0; k < world; ++k) {
    if (links_[k].is_static) rigid.join(k, world), joined.join(k, world);
  }
  std::vector<int> order;
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    if (joints_[j].type != SdfJointType::gearbox) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return joints_[a].type < joints_[b].type; });
  joints_of_link_.assign(links_.size() + 1, {});
  for (const int j : order) {
    SdfJoint& joint = joints_[j];
    if (rigid.find(node(joint.parent)) == rigid.find(node(joint.child))) {
      note_redundant(joint);
      continue;
    }
    joint.in_tree = joined.join(node(joint.parent), node(joint.child));
    if (!joint.in_tree && !can_close_loop(joint.type)) {
      joint.element.refuse(
          "the joint closes a loop, and a joint of this type cannot do so here; ball, revolute and "
          "fixed joints can");
    }
    if (joint.in_tree && joint.type == SdfJointType::fixed) rigid.join(node(joint.parent), node(joint.child));
  }
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {  // in the order of the file
    if (!joints_[j].in_tree) continue;
    joints_of_link_[node(joints_[j].parent)].push_back(j);
    joints_of_link_[node(joints_[j].child)].push_back(j);
  }
  in_world_.assign(links_.size(), false);
  for (int k = 0; k < world; ++k) in_world_[k] = rigid.find(k) == rigid.find(world);
}

// From the world; then from the first link that has no parent of what hangs together, or from its first link.
void SdfReader::walk_tree() {
  std::vector<bool> has_parent(links_.size(), false);
  for (const SdfJoint& joint : joints_) {
    if (joint.type != SdfJointType::gearbox) has_parent[joint.child] = true;
  }
  for (int k = 0; k < static_cast<int>(links_.size()); ++k) {
    if (links_[k].is_static) add_subtree(k, -1);
  }
  for (const int j : joints_of_link_.back()) {
    if (links_[joints_[j].child].body < 0) add_subtree(joints_[j].child, j);
  }
  for (const bool with_parent : {false, true}) {
    for (int k = 0; k < static_cast<int>(links_.size()); ++k) {
      if (links_[k].body < 0 && has_parent[k] == with_parent) add_subtree(k, -1);
    }
  }
  for (const SdfFrame& frame : frames_) {
    if (frame.element.name() != "frame") continue;
    const int link = carrier_of(static_cast<int>(&frame - frames_.data()));
    builder_.add_site(options_.prefix + frame.name, body_of(link),
                      (link < 0 ? Pose() : world_of(link).inverse()) * frame.world);
  }
}

void SdfReader::add_subtree(int root, int by_joint) {
  struct Visit {
    int link, parent, joint;
  };
  std::vector<Visit> stack{{root, -1, by_joint}};
  while (!stack.empty()) {
    const Visit at = stack.back();
    stack.pop_back();
    if (at.joint >= 0) joints_[at.joint].reversed = joints_[at.joint].parent == at.link;
    add_body(at.link, at.parent, at.joint < 0 ? nullptr : &joints_[at.joint]);
    const std::vector<int>& joints = joints_of_link_[at.link];
    for (auto j = joints.rbegin(); j != joints.rend(); ++j) {
      if (*j == at.joint) continue;
      const int other = joints_[*j].parent == at.link ? joints_[*j].child : joints_[*j].parent;
      if (other >= 0 && !links_[other].is_static) stack.push_back({other, at.link, *j});
    }
  }
}

std::vector<JointOptions> SdfReader::joint_options(const SdfJoint& joint, const Pose& on_body) const {
  if (joint.type == SdfJointType::fixed) return {};
  if (joint.type == SdfJointType::ball) {
    return {{.name = joint.name, .kind = JointKind::ball, .pose = on_body, .damping = joint.ball_damping}};
  }
  const Matrix3 to_joint = frames_[joint.frame].world.rotation.transpose();
  std::vector<JointOptions> out;
  for (const SdfAxis& axis : joint.axes) {
    JointOptions options{.name = axis.name, .kind = JointKind::revolute, .pose = on_body};
    if (joint.type == SdfJointType::prismatic) options.kind = JointKind::prismatic;
    options.axis = to_joint * axis.direction;
    if (joint.reversed) options.axis = -options.axis;
    options.damping = axis.damping, options.dry_friction = axis.friction;
    options.stiffness = axis.stiffness, options.rest_position = axis.rest_position;
    options.lower = axis.lower, options.upper = axis.upper;
    options.effort_limit = axis.effort, options.velocity_limit = axis.velocity;
    out.push_back(options);
  }
  if (joint.reversed) std::reverse(out.begin(), out.end());  // (A B)⁻¹ = B⁻¹ A⁻¹
  return out;
}

// `joint` none: the root of a tree.
void SdfReader::add_body(int k, int parent, const SdfJoint* joint) {
  SdfLink& link = links_[k];
  BodyOptions body{.name = link.name, .parent = body_of(parent)};
  body.pose = (parent < 0 ? Pose() : world_of(parent).inverse()) * world_of(k);
  body.joint.kind = JointKind::fixed;
  if (joint) {
    body.joints = joint_options(*joint, world_of(k).inverse() * frames_[joint->frame].world);
    if (parent < 0 && joint->type == SdfJointType::fixed && options_.base == BaseKind::floating) {
      body.joint.kind = JointKind::free;
      in_world_[k] = false;
    }
  } else if (!link.is_static && options_.base != BaseKind::fixed) {
    body.joint.kind = JointKind::free;
  } else {
    in_world_[k] = true;
  }
  if (parent >= 0 && joint && joint->type == SdfJointType::fixed) in_world_[k] = in_world_[parent];
  body.inertia = read_inertia(link);
  try {
    link.body = builder_.add_body(body);
  } catch (const std::invalid_argument& e) {
    (joint ? joint->element : link.element).refuse(e.what());
  }
  add_shapes(link);
}

void SdfReader::add_loops() {
  for (SdfJoint& joint : joints_) {
    if (joint.in_tree || joint.is_redundant || joint.type == SdfJointType::gearbox) continue;
    if (is_in_world(joint.parent) && is_in_world(joint.child)) {
      note_redundant(joint);
    } else {
      add_loop(joint);
    }
  }
}

void SdfReader::add_loop(const SdfJoint& joint) {
  LoopOptions loop{.name = joint.name, .kind = LoopKind::weld};
  if (joint.type == SdfJointType::ball) loop.kind = LoopKind::point;
  if (joint.type == SdfJointType::revolute) loop.kind = LoopKind::hinge;
  Pose frame = frames_[joint.frame].world;
  if (joint.type == SdfJointType::revolute) frame.rotation = rotation_with_z(joint.axes[0].direction);
  const auto local = [&](int link) { return (link < 0 ? Pose() : world_of(link).inverse()) * frame; };
  loop.body_a = body_of(joint.parent), loop.body_b = body_of(joint.child);
  loop.pose_a = local(joint.parent), loop.pose_b = local(joint.child);
  builder_.add_loop(loop);
  builder_.exclude_bodies(loop.body_a, loop.body_b);
  bool loses = joint.ball_damping != 0.0;
  for (const SdfAxis& axis : joint.axes) {
    loses = loses || axis.moves_by_itself() || axis.lower != -no_limit || axis.upper != no_limit;
  }
  if (loses) {
    note(joint.element, "joint '" + joint.name + "'",
         "closes a loop: its limits, damping, friction and spring do not act");
  }
}

void SdfReader::add_actuators() {
  for (const SdfJoint& joint : joints_) {
    if (!joint.in_tree) continue;
    for (const SdfAxis& axis : joint.axes) {
      if (axis.is_mimic) continue;
      ActuatorOptions actuator{.name = axis.name, .joint = axis.name};
      actuator.force_upper = axis.effort, actuator.force_lower = -axis.effort;
      builder_.add_actuator(actuator);
    }
  }
}

// Links of one model of the world meet only where both ask for it.
void SdfReader::exclude_pairs() {
  std::map<int, std::vector<int>> of_top;
  for (int k = 0; k < static_cast<int>(links_.size()); ++k) {
    if (links_[k].has_shapes) of_top[scopes_[links_[k].scope].top].push_back(k);
  }
  std::int64_t pairs = 0;
  for (const auto& [top, members] : of_top) {
    for (std::size_t a = 0; a < members.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const SdfLink &first = links_[members[a]], &second = links_[members[b]];
        if (first.self_collide && second.self_collide) continue;
        if (is_in_world(members[a]) && is_in_world(members[b])) continue;
        if (++pairs > max_pairs) scopes_[top].element.refuse("more links without self_collide than can be told apart");
        builder_.exclude_bodies(first.body, second.body);
      }
    }
  }
}

}  // namespace stiction
