// What is left of a draft without the bodies that were removed.
#include <algorithm>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

struct Counts {
  int q = 0, v = 0;
};
Counts counts_of(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return {0, 0};
    case JointKind::free:
      return {7, 6};
    case JointKind::ball:
      return {4, 3};
    case JointKind::revolute:
    case JointKind::prismatic:
      return {1, 1};
    case JointKind::universal:
    case JointKind::cylindrical:
      return {2, 2};
    case JointKind::planar:
      return {3, 3};
  }
  return {};
}

// New indices of the elements that stay; −1: gone.
struct Numbering {
  std::vector<int> next;
  template <class Stays>
  Numbering(std::size_t count, Stays&& stays) {
    int left = 0;
    for (std::size_t k = 0; k < count; ++k) next.push_back(stays(static_cast<int>(k)) ? left++ : -1);
  }
  bool stays(int k) const { return next[static_cast<std::size_t>(k)] >= 0; }
  int operator()(int k) const { return k < 0 ? k : next[static_cast<std::size_t>(k)]; }
  // How many of [0, end) stay.
  int count_before(int end) const {
    return static_cast<int>(std::count_if(next.begin(), next.begin() + end, [](int n) { return n >= 0; }));
  }

  template <class T>
  void apply(std::vector<T>& list) const {
    std::vector<T> left;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (next[k] >= 0) left.push_back(std::move(list[k]));
    }
    list = std::move(left);
  }
  template <class T>
  void apply(std::map<int, T>& by_index) const {
    std::map<int, T> left;
    for (auto& [k, value] : by_index) {
      if (stays(k)) left.emplace(next[static_cast<std::size_t>(k)], std::move(value));
    }
    by_index = std::move(left);
  }
  void apply_to_indices(std::vector<int>& indices) const {
    std::erase_if(indices, [&](int k) { return !stays(k); });
    for (int& k : indices) k = (*this)(k);
  }
  void apply(std::vector<std::pair<int, int>>& pairs) const {
    std::erase_if(
        pairs, [&](const auto& p) { return (p.first >= 0 && !stays(p.first)) || (p.second >= 0 && !stays(p.second)); });
    for (auto& [a, b] : pairs) a = (*this)(a), b = (*this)(b);
  }
};

// Joints of the draft with their sizes, and whether they stay.
struct JointFate {
  Counts counts;
  bool stays = true;
};
using Fates = std::map<std::string, JointFate>;

Fates fates_of(const ModelDraft& draft, const Numbering& bodies) {
  Fates fates;
  for (std::size_t k = 0; k < draft.bodies.size(); ++k) {
    for (const JointOptions& joint : draft.bodies[k].joints) {
      const std::string& name = joint.name.empty() ? draft.bodies[k].name : joint.name;
      fates[name] = {counts_of(joint.kind), bodies.stays(static_cast<int>(k))};
    }
  }
  return fates;
}

VectorX without(const VectorX& given, const std::vector<std::string>& joints, const Fates& fates, int Counts::* size) {
  VectorX left(given.size());
  int from = 0, to = 0;
  for (const std::string& name : joints) {
    const JointFate& fate = fates.at(name);
    const int n = fate.counts.*size;
    if (fate.stays) left.segment(to, n) = given.segment(from, n), to += n;
    from += n;
  }
  left.conservativeResize(to);
  return left;
}

void cut_keyframes(ModelDraft& draft, const Fates& fates, const Numbering& bodies, const Numbering& actuators) {
  for (std::size_t k = 0; k < draft.keyframes.size(); ++k) {
    Keyframe& keyframe = draft.keyframes[k];
    KeyframeScope& scope = draft.scopes[k];
    const int end_body = scope.end_body < 0 ? static_cast<int>(draft.bodies.size()) : scope.end_body;
    const int end_actuator = scope.end_actuator < 0 ? static_cast<int>(draft.actuators.size()) : scope.end_actuator;
    const auto kept = draft.kept_keyframes.find(static_cast<int>(k));
    const bool is_cut =
        bodies.count_before(end_body) - bodies.count_before(scope.first_body) != end_body - scope.first_body;
    if (kept != draft.kept_keyframes.end()) {
      keyframe.q = without(keyframe.q, kept->second, fates, &Counts::q);
      keyframe.v = without(keyframe.v, kept->second, fates, &Counts::v);
      std::erase_if(kept->second, [&](const std::string& name) { return !fates.at(name).stays; });
    } else if (is_cut && keyframe.q.size() + keyframe.v.size() > 0) {
      refuse("keyframe '", keyframe.name, "': it was added with the positions of bodies that were removed afterwards");
    }
    VectorX control(keyframe.control.size());
    int left = 0;
    for (int a = scope.first_actuator; a < end_actuator && keyframe.control.size() > 0; ++a) {
      if (a - scope.first_actuator < keyframe.control.size() && actuators.stays(a)) {
        control[left++] = keyframe.control[a - scope.first_actuator];
      }
    }
    control.conservativeResize(left);
    keyframe.control = std::move(control);
    VectorX activation(keyframe.activation.size());
    left = 0;
    for (int a = scope.first_actuator, from = 0; a < end_actuator && from < keyframe.activation.size(); ++a) {
      if (draft.actuators[static_cast<std::size_t>(a)].activation == ActivationKind::none) continue;
      if (actuators.stays(a)) activation[left++] = keyframe.activation[from];
      ++from;
    }
    activation.conservativeResize(left);
    keyframe.activation = std::move(activation);
    scope.first_body = bodies.count_before(scope.first_body),
    scope.first_actuator = actuators.count_before(scope.first_actuator);
    if (scope.end_body >= 0) scope.end_body = bodies.count_before(end_body);
    if (scope.end_actuator >= 0) scope.end_actuator = actuators.count_before(end_actuator);
  }
}

}  // namespace

void ModelDraft::drop_removed() {
  std::vector<bool> gone(bodies.size(), false);
  for (const int body : removed_bodies) gone[static_cast<std::size_t>(body)] = true;
  for (bool changed = true; changed;) {  // a parent may come after its child where both came from a model
    changed = false;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const int parent = bodies[k].parent;
      if (!gone[k] && parent >= 0 && gone[static_cast<std::size_t>(parent)]) gone[k] = changed = true;
    }
  }
  const Numbering body(bodies.size(), [&](int k) { return !gone[static_cast<std::size_t>(k)]; });
  const Fates fates = fates_of(*this, body);
  const auto has_joint = [&](const std::string& name) {
    const auto found = fates.find(name);
    return found == fates.end() || found->second.stays;  // build() names what never was
  };
  const auto has_body = [&](int k) { return k < 0 || body.stays(k); };
  const Numbering shape(shapes.size(), [&](int k) { return has_body(shapes[static_cast<std::size_t>(k)].body); });
  const Numbering site(sites.size(), [&](int k) { return has_body(sites[static_cast<std::size_t>(k)].body); });
  const auto has_site = [&](const std::string& name) {
    for (std::size_t k = 0; k < sites.size(); ++k) {
      if (sites[k].name == name && !site.stays(static_cast<int>(k))) return name.empty();
    }
    return true;
  };
  const Numbering tendon(tendons.size(), [&](int k) {
    const TendonOptions& t = tendons[static_cast<std::size_t>(k)];
    return std::all_of(t.terms.begin(), t.terms.end(), [&](const auto& term) { return has_joint(term.joint); }) &&
           std::all_of(t.path.begin(), t.path.end(), [&](const TendonPointOptions& point) {
             return has_site(point.site) && has_site(point.side_site) && has_body(point.body);
           });
  });
  const auto has_tendon = [&](const std::string& name) {
    for (std::size_t k = 0; k < tendons.size(); ++k) {
      if (tendons[k].name == name && !tendon.stays(static_cast<int>(k))) return name.empty();
    }
    return true;
  };
  const Numbering loop(loops.size(), [&](int k) {
    const LoopOptions& l = loops[static_cast<std::size_t>(k)];
    if (l.kind == LoopKind::tendon_equality) return has_tendon(l.tendon_a) && has_tendon(l.tendon_b);
    if (l.kind == LoopKind::joint_equality) return has_joint(l.joint_a) && (l.joint_b.empty() || has_joint(l.joint_b));
    return has_body(l.body_a) && has_body(l.body_b);
  });
  const Numbering actuator(actuators.size(), [&](int k) {
    const ActuatorOptions& a = actuators[static_cast<std::size_t>(k)];
    return (a.joint.empty() || has_joint(a.joint)) && has_tendon(a.tendon) && has_site(a.site) &&
           has_site(a.reference_site) && has_site(a.slider_site);
  });
  const Numbering camera(cameras.size(), [&](int k) {
    const MountedCamera& c = cameras[static_cast<std::size_t>(k)];
    return has_body(c.frame) && has_body(c.target);
  });
  const auto has_actuator = [&](const std::string& name) {
    for (std::size_t k = 0; k < actuators.size(); ++k) {
      if (actuators[k].name == name && !actuator.stays(static_cast<int>(k))) return name.empty();
    }
    return true;
  };
  const Numbering sensor(sensors.size(), [&](int k) {
    const SensorOptions& s = sensors[static_cast<std::size_t>(k)];
    return (s.joint.empty() || has_joint(s.joint)) && has_tendon(s.tendon) && has_actuator(s.actuator) &&
           has_site(s.site) && has_site(s.reference_site) && has_body(s.body) && has_body(s.reference_body) &&
           has_body(s.other_body);
  });
  cut_keyframes(*this, fates, body, actuator);
  for (auto& [index, kept] : kept_bodies) kept.model = body.count_before(kept.model);
  body.apply(bodies), body.apply(kept_bodies), body.apply(excluded_bodies);
  shape.apply(shapes), shape.apply(kept_shapes), shape.apply(excluded_shapes), shape.apply(forced_pairs);
  std::erase_if(pair_materials, [&](const ShapePair& p) { return !shape.stays(p.shape_a) || !shape.stays(p.shape_b); });
  for (ShapePair& p : pair_materials) p.shape_a = shape(p.shape_a), p.shape_b = shape(p.shape_b);
  site.apply(sites);
  camera.apply(cameras);
  sensor.apply(sensors), sensor.apply(kept_sensors);
  for (auto& [index, kept] : kept_sensors) {
    body.apply_to_indices(kept.part.children);
    shape.apply_to_indices(kept.part.shapes), shape.apply_to_indices(kept.other_shapes);
    kept.body = body(kept.body);
  }
  for (SensorOptions& s : sensors) {
    for (int* on : {&s.body, &s.reference_body, &s.other_body}) *on = body(*on);
  }
  loop.apply(loops), loop.apply(kept_loops);
  actuator.apply(actuators), actuator.apply(kept_actuators);
  tendon.apply(tendons), tendon.apply(kept_tendons);
  for (TendonOptions& t : tendons) {
    for (TendonPointOptions& point : t.path) point.body = body(point.body);
  }
  std::erase_if(kept_weights, [&](const CarriedWeight& w) { return !has_body(w.body); });
  for (CarriedWeight& w : kept_weights) w.body = body(w.body);
  for (std::vector<FluidForm>* forms : {&fluid_forms, &kept_fluid_forms}) {
    std::erase_if(*forms, [&](const FluidForm& form) { return !has_body(form.body); });
    for (FluidForm& form : *forms) form.body = body(form.body);
  }
  for (BodyOptions& b : bodies) b.parent = body(b.parent);
  for (ShapeOptions& s : shapes) s.body = body(s.body);
  for (Site& s : sites) s.body = body(s.body);
  for (MountedCamera& c : cameras) c.frame = body(c.frame), c.target = body(c.target);
  for (LoopOptions& l : loops) l.body_a = body(l.body_a), l.body_b = body(l.body_b);
  removed_bodies.clear();
}

}  // namespace stiction
