// What ties the forest together and drives it: loops, keyframes, and which shapes may meet.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

constexpr std::int64_t max_excluded_pairs = std::int64_t{1} << 26;

BodyPlace place_of(int body, const std::vector<BodyPlace>& place) {
  return body < 0 ? BodyPlace{} : place[body];
}

std::string name_of(int body, const ModelDraft& draft) {
  return body < 0 ? "the world" : "'" + draft.bodies[body].name + "'";
}

int tendon_index(const std::string& name, const std::string& what, const char* field, const ModelDraft& draft) {
  for (std::size_t k = 0; k < draft.tendons.size(); ++k) {
    if (draft.tendons[k].name == name) return static_cast<int>(k);
  }
  refuse(what, ": ", field, " is '", name, "', but there is no such tendon");
}

Loop make_loop(const LoopOptions& options, const ModelDraft& draft, const std::vector<BodyPlace>& place,
               const JointDirectory& joints) {
  const std::string what = "loop '" + options.name + "'";
  Loop loop{.name = options.name, .kind = options.kind, .compliance = options.compliance};
  if (options.kind == LoopKind::joint_equality) {
    loop.coefficients = options.coefficients;
    loop.dof_a = joints.single_dof(options.joint_a, what, "joint_a");
    if (!options.joint_b.empty()) loop.dof_b = joints.single_dof(options.joint_b, what, "joint_b");
    if (loop.dof_a == loop.dof_b) refuse(what, ": joint_a and joint_b are both '", options.joint_a, "'");
    return loop;
  }
  if (options.kind == LoopKind::tendon_equality) {
    loop.coefficients = options.coefficients;
    loop.tendon_a = tendon_index(options.tendon_a, what, "tendon_a", draft);
    if (!options.tendon_b.empty()) loop.tendon_b = tendon_index(options.tendon_b, what, "tendon_b", draft);
    if (loop.tendon_a == loop.tendon_b) refuse(what, ": tendon_a and tendon_b are both '", options.tendon_a, "'");
    return loop;
  }
  const BodyPlace a = place_of(options.body_a, place), b = place_of(options.body_b, place);
  if (a.body == b.body) {
    refuse(what, ": body_a (", name_of(options.body_a, draft), ") and body_b (", name_of(options.body_b, draft), ") ",
           a.body < 0 ? "are both part of the world" : "are parts of one rigid body",
           "; a loop joins what can move apart");
  }
  loop.body_a = a.body, loop.body_b = b.body;
  loop.pose_a = a.pose * options.pose_a, loop.pose_b = b.pose * options.pose_b;
  return loop;
}

// A joint that follows another one which follows it, over however many, is held fast, or nothing fits: a mistake of who
// wrote it. (Equalities that say the same twice are not: their rows are left out.)
void refuse_mimic_cycles(const Model& model) {
  const auto name = [&](int dof) {
    const auto has = [dof](const Joint& j) {
      return dof >= j.first_velocity && dof < j.first_velocity + j.num_velocities;
    };
    return "'" + std::find_if(model.joints.begin(), model.joints.end(), has)->name + "'";
  };
  std::unordered_map<int, std::vector<int>> leaders;  // by who follows them, of the loops so far
  for (const Loop& loop : model.loops) {
    if (loop.kind != LoopKind::joint_equality || loop.dof_b < 0) continue;
    std::vector<int> reached{loop.dof_b};
    for (std::size_t k = 0; k < reached.size(); ++k) {
      for (const int leader : leaders[reached[k]]) {
        if (std::find(reached.begin(), reached.end(), leader) == reached.end()) reached.push_back(leader);
      }
    }
    if (std::find(reached.begin(), reached.end(), loop.dof_a) != reached.end()) {
      refuse("loop '", loop.name, "': joint ", name(loop.dof_a), " follows joint ", name(loop.dof_b),
             ", which follows it; equalities of joints must not form a cycle");
    }
    leaders[loop.dof_a].push_back(loop.dof_b);
  }
}

Loop keep_loop(Loop loop, const LoopOptions& options, const ModelDraft& draft, const std::vector<BodyPlace>& place,
               const JointDirectory& joints) {
  loop.name = options.name;
  if (loop.kind == LoopKind::joint_equality) {
    loop.dof_a = joints.dof_of(options.joint_a, loop.dof_a);
    if (loop.dof_b >= 0) loop.dof_b = joints.dof_of(options.joint_b, loop.dof_b);
    return loop;
  }
  if (loop.kind == LoopKind::tendon_equality) {
    const std::string what = "loop '" + options.name + "'";
    loop.tendon_a = tendon_index(options.tendon_a, what, "tendon_a", draft);
    if (loop.tendon_b >= 0) loop.tendon_b = tendon_index(options.tendon_b, what, "tendon_b", draft);
    return loop;
  }
  const auto put = [&](int user, int& body, Pose& pose) {
    const BodyPlace at = placed_on(user, user < 0 || draft.kept_bodies.contains(user), pose, place);
    body = at.body, pose = at.pose;
  };
  put(options.body_a, loop.body_a, loop.pose_a);
  put(options.body_b, loop.body_b, loop.pose_b);
  return loop;
}

void check_movable(const Loop& loop, const Model& model) {
  if (loop.kind == LoopKind::joint_equality || loop.kind == LoopKind::tendon_equality) return;
  if (model.is_movable(loop.body_a) || model.is_movable(loop.body_b)) return;
  refuse("loop '", loop.name, "': it joins kinematic bodies or the world, which no force moves");
}

// Entries [first, end) of a vector of the model.
struct EntryRange {
  int first = 0, end = 0;
};
struct KeyframeRanges {
  std::vector<EntryRange> q, v, control, activation;
};

// The activations of the actuators [first, end).
EntryRange activations_of(int first, int end, const Model& model) {
  const auto before = [&](int actuator) {
    return static_cast<int>(std::count_if(model.actuators.begin(), model.actuators.begin() + actuator,
                                          [](const Actuator& a) { return a.activation != ActivationKind::none; }));
  };
  return {before(first), before(end)};
}

// The entries of q and v that belong to the bodies of the scope. They lie together unless one of them hangs on a body
// outside, between its brothers.
KeyframeRanges ranges_of(const KeyframeScope& scope, const ModelDraft& draft, const Model& model,
                         const std::string& what) {
  const int end_actuator = scope.end_actuator < 0 ? static_cast<int>(model.actuators.size()) : scope.end_actuator;
  KeyframeRanges ranges;
  ranges.control = {{scope.first_actuator, end_actuator}};
  ranges.activation = {activations_of(scope.first_actuator, end_actuator, model)};
  const int end_body = scope.end_body < 0 ? static_cast<int>(draft.bodies.size()) : scope.end_body;
  std::unordered_set<std::string_view> names;  // of the joints
  for (int body = scope.first_body; body < end_body; ++body) {
    for (const JointOptions& joint : draft.bodies[body].joints) names.insert(joint.name);
  }
  bool started = false;
  int last = -1;
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    if (!names.contains(joint.name)) continue;
    if (started && last != k - 1) refuse(what, ": the joints of its scope do not lie together in the model");
    ranges.q.push_back({joint.first_position, joint.first_position + joint.num_positions});
    ranges.v.push_back({joint.first_velocity, joint.first_velocity + joint.num_velocities});
    started = true;
    last = k;
  }
  return ranges;
}

// Of a keyframe that came from a model: joint by joint.
KeyframeRanges ranges_of_joints(const std::vector<std::string>& names, const KeyframeScope& scope,
                                const JointDirectory& joints, const Model& model) {
  KeyframeRanges ranges;
  ranges.control = {{scope.first_actuator, scope.end_actuator}};
  ranges.activation = {activations_of(scope.first_actuator, scope.end_actuator, model)};
  for (const std::string& name : names) {
    const Joint& joint = joints.joint(name);
    ranges.q.push_back({joint.first_position, joint.first_position + joint.num_positions});
    ranges.v.push_back({joint.first_velocity, joint.first_velocity + joint.num_velocities});
  }
  return ranges;
}

// A vector of a keyframe: `fallback` where it is empty, and outside the ranges, which it fills one after another.
VectorX keyframe_vector(const VectorX& given, const VectorX& fallback, const std::vector<EntryRange>& ranges,
                        const std::string& what, const char* field) {
  if (given.size() == 0) return fallback;
  int size = 0;
  for (const EntryRange& range : ranges) size += range.end - range.first;
  if (given.size() != size) {
    refuse(what, ": ", field, " has ", given.size(), " entries; the model has ", size);
  }
  for (Eigen::Index k = 0; k < given.size(); ++k) {
    check_finite(given[k], what, std::string(field) + "[" + std::to_string(k) + "]");
  }
  VectorX out = fallback;
  int from = 0;
  for (const EntryRange& range : ranges) {
    out.segment(range.first, range.end - range.first) = given.segment(from, range.end - range.first);
    from += range.end - range.first;
  }
  return out;
}

void normalise_quaternions(const Model& model, VectorX& q, const std::string& what) {
  for (const Body& body : model.bodies) {
    if (body.joint != JointType::free && body.joint != JointType::ball) continue;
    const int first = body.first_position + (body.joint == JointType::free ? 3 : 0);
    const double length = q.segment<4>(first).stableNorm();
    if (!(length > 1e-100)) refuse(what, ": the quaternion at q[", first, "] has length ", length);
    if (std::abs(length - 1.0) > 1e-15) q.segment<4>(first) /= length;
  }
}

// Every pair of a shape of one list with a shape of the other on another body, kept below a size that memory and search
// can bear.
class ExcludedPairs {
 public:
  explicit ExcludedPairs(const std::vector<Shape>& shapes) : shapes_(shapes) {}

  void add(const std::vector<int>& a, const std::vector<int>& b) {
    count_ += static_cast<std::int64_t>(a.size()) * static_cast<std::int64_t>(b.size());
    if (count_ > max_excluded_pairs) {
      refuse("model: more than ", max_excluded_pairs,
             " pairs of shapes that must not meet; use groups and masks instead");
    }
    for (int i : a) {
      for (int j : b) {
        if (shapes_[i].body != shapes_[j].body) pairs_.emplace_back(std::min(i, j), std::max(i, j));
      }
    }
  }
  std::vector<std::pair<int, int>> take() { return std::move(pairs_); }

 private:
  const std::vector<Shape>& shapes_;
  std::int64_t count_ = 0;
  std::vector<std::pair<int, int>> pairs_;
};

void sort_unique(std::vector<std::pair<int, int>>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

void lay_out_links(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model) {
  const JointDirectory joints(model);
  for (std::size_t k = 0; k < draft.loops.size(); ++k) {
    const auto kept = draft.kept_loops.find(static_cast<int>(k));
    model.loops.push_back(kept == draft.kept_loops.end()
                              ? make_loop(draft.loops[k], draft, place, joints)
                              : keep_loop(kept->second, draft.loops[k], draft, place, joints));
    check_movable(model.loops.back(), model);
  }
  refuse_mimic_cycles(model);
}

void lay_out_keyframes(const ModelDraft& draft, Model& model) {
  const JointDirectory joints(model);
  const VectorX no_control = VectorX::Zero(static_cast<Eigen::Index>(model.actuators.size()));
  const VectorX none_active = VectorX::Zero(model.num_activations());
  for (std::size_t index = 0; index < draft.keyframes.size(); ++index) {
    const Keyframe& given = draft.keyframes[index];
    const std::string what = "keyframe '" + given.name + "'";
    const auto kept = draft.kept_keyframes.find(static_cast<int>(index));
    const KeyframeScope& scope = draft.scopes[index];
    const KeyframeRanges ranges = kept == draft.kept_keyframes.end()
                                      ? ranges_of(scope, draft, model, what)
                                      : ranges_of_joints(kept->second, scope, joints, model);
    Keyframe keyframe{.name = given.name, .time = given.time};
    keyframe.q = keyframe_vector(given.q, model.initial_position, ranges.q, what, "q");
    keyframe.v = keyframe_vector(given.v, model.initial_velocity, ranges.v, what, "v");
    keyframe.control = keyframe_vector(given.control, no_control, ranges.control, what, "control");
    keyframe.activation = keyframe_vector(given.activation, none_active, ranges.activation, what, "activation");
    normalise_quaternions(model, keyframe.q, what);
    model.keyframes.push_back(std::move(keyframe));
  }
}

void lay_out_pairs(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model) {
  const int num_users = static_cast<int>(draft.bodies.size()), num_shapes = static_cast<int>(model.shapes.size());
  std::vector<std::vector<int>> of_user(num_users + 1), of_body(model.bodies.size());  // shapes; of the world last
  for (int s = 0; s < num_shapes; ++s) {
    of_user[draft.shapes[s].body < 0 ? num_users : draft.shapes[s].body].push_back(s);
    if (model.shapes[s].body >= 0) of_body[model.shapes[s].body].push_back(s);
  }
  const auto shapes_of = [&](int user) -> const std::vector<int>& { return of_user[user < 0 ? num_users : user]; };
  const auto added = [&](std::vector<int> shapes) {
    std::erase_if(shapes, [&](int shape) { return draft.kept_shapes.contains(shape); });
    return shapes;
  };
  ExcludedPairs excluded(model.shapes);
  for (const auto& [a, b] : draft.excluded_bodies) excluded.add(shapes_of(a), shapes_of(b));
  for (const auto& [a, b] : draft.excluded_shapes) excluded.add({a}, {b});
  for (int user = 0; user < num_users && !draft.parents_collide; ++user) {
    const BodyPlace parent = place_of(draft.bodies[user].parent, place);
    if (parent.body < 0 || parent.body == place[user].body) continue;
    const std::vector<int>&above = of_body[parent.body], &own = of_body[place[user].body];
    const auto kept = draft.kept_bodies.find(user);
    if (kept == draft.kept_bodies.end() || kept->second.is_root) {
      excluded.add(above, own);
    } else {  // of shapes that came from the model its filters tell
      excluded.add(added(above), own);
      excluded.add(above, added(own));
    }
  }
  std::vector<std::pair<int, int>> forced;
  for (const auto& [a, b] : draft.forced_pairs) {
    if (model.shapes[a].body != model.shapes[b].body) forced.emplace_back(a, b);
  }
  sort_unique(forced);
  std::vector<std::pair<int, int>> pairs = excluded.take();
  sort_unique(pairs);
  std::set_difference(pairs.begin(), pairs.end(), forced.begin(), forced.end(),
                      std::back_inserter(model.excluded_pairs));
  model.forced_pairs = std::move(forced);
  std::map<std::pair<int, int>, PairMaterial> materials;
  for (const ShapePair& pair : draft.pair_materials) materials[{pair.shape_a, pair.shape_b}] = pair.material;
  for (const auto& [pair, material] : materials) model.pair_materials.push_back({pair.first, pair.second, material});
}

}  // namespace stiction
