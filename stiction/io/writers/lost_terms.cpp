#include "stiction/io/writers/lost_terms.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stiction/io/xml/xml_writer.h"

namespace stiction {

std::string quoted(const char* kind, const std::string& name) {
  std::string out(kind);
  return out.append(" '").append(name).append("'");
}

Vector3 roll_pitch_yaw(const Matrix3& r) {
  const double c = std::hypot(r(0, 0), r(1, 0)), pitch = std::atan2(-r(2, 0), c);
  if (c < 1e-9) return {std::atan2(-r(1, 2), r(1, 1)), pitch, 0.0};  // roll and yaw turn about the same axis
  return {std::atan2(r(2, 1), r(2, 2)), pitch, std::atan2(r(1, 0), r(0, 0))};
}

void lose_transmissions(const Model& model, std::vector<std::string>& lost) {
  for (const Tendon& tendon : model.tendons) lost.push_back(quoted("tendon", tendon.name));
  for (const Loop& loop : model.loops) {
    if (loop.kind == LoopKind::tendon_equality) lost.push_back(quoted("loop", loop.name) + ": joins tendons");
  }
  for (const Actuator& a : model.actuators) {
    const std::string what = quoted("actuator", a.name);
    if (a.dof < 0) lost.push_back(what + ": acts through a " + std::string(to_string(a.transmission)));
    if (a.activation != ActivationKind::none) lost.push_back(what + ": " + std::string(to_string(a.activation)));
  }
  if (!model.carried_weights.empty()) {
    lost.push_back("gravity compensation of " + std::to_string(model.carried_weights.size()) + " bodies");
  }
  if (model.fluid.is_there()) lost.emplace_back("the fluid of the world, with its forces");
}

void lose_kinematic(const Model& model, std::vector<std::string>& lost) {
  for (const Body& body : model.bodies) {
    if (body.is_kinematic)
      lost.push_back(quoted("body", body.name) + ": moved, by no force; it is written as a free body");
  }
}

void lose_keyframes(const Model& model, std::vector<std::string>& lost) {
  for (const Keyframe& key : model.keyframes) lost.push_back(quoted("keyframe", key.name));
}

void lose_sensors(const Model& model, std::vector<std::string>& lost) {
  for (const Sensor& sensor : model.sensors) lost.push_back(quoted("sensor", sensor.name));
}

void lose_cameras(const Model& model, std::vector<std::string>& lost) {
  for (const MountedCamera& camera : model.cameras) lost.push_back(quoted("camera", camera.name));
}

void lose_initial_positions(const Model& model, std::vector<std::string>& lost) {
  for (const Joint& joint : model.joints) {
    for (int b = joint.first_body; b < joint.first_body + joint.num_bodies; ++b) {
      const Body& body = model.bodies[b];
      if (body.joint != JointType::revolute && body.joint != JointType::prismatic) continue;
      const double q = model.initial_position[body.first_position];
      if (q != 0.0) lost.push_back(quoted("joint", joint.name) + ": initial position " + number_text(q));
    }
  }
}

void lose_filters(const Model& model, std::vector<std::string>& lost) {
  std::set<std::pair<int, int>> kin;  // bodies that share a joint: readers keep their shapes apart
  for (int b = 0; b < model.num_bodies(); ++b) kin.insert(std::minmax(b, model.bodies[b].parent));
  const auto are_kin = [&](int a, int b) {
    return kin.contains(std::minmax(model.shapes[a].body, model.shapes[b].body));
  };
  const auto others = std::count_if(model.excluded_pairs.begin(), model.excluded_pairs.end(),
                                    [&](const auto& pair) { return !are_kin(pair.first, pair.second); });
  if (others > 0) lost.push_back("filters: " + std::to_string(others) + " pairs of shapes that must not meet");
  if (!model.forced_pairs.empty()) {
    lost.push_back("filters: " + std::to_string(model.forced_pairs.size()) + " pairs of shapes that meet in any case");
  }
  for (const ShapePair& pair : model.pair_materials) {
    lost.push_back("material of the pair of shapes '" + model.shapes[pair.shape_a].name + "' and '" +
                   model.shapes[pair.shape_b].name + "'");
  }
  for (const Shape& shape : model.shapes) {
    const Material& m = shape.material;
    if (m.torsional_friction != 0.0 || m.rolling_friction != 0.0) {
      lost.push_back(quoted("shape", shape.name) + ": torsional and rolling friction");
    }
    if (m.has_moving_surface()) lost.push_back(quoted("shape", shape.name) + ": velocity of its surface");
    if (shape.group != 1 || shape.mask != 1) lost.push_back(quoted("shape", shape.name) + ": group and mask");
  }
}

void lose_friction_rule(const Model& model, FrictionRule rule, std::vector<std::string>& lost) {
  if (model.friction_rule == rule || model.shapes.empty()) return;
  const double first = model.shapes[0].material.friction;
  const bool equal = std::all_of(model.shapes.begin(), model.shapes.end(),
                                 [&](const Shape& s) { return s.material.friction == first; });
  const bool products = model.friction_rule == FrictionRule::product || rule == FrictionRule::product;
  if (equal && !products) return;
  lost.push_back("friction rule " + std::string(to_string(model.friction_rule)) + ": a reader takes the " +
                 std::string(to_string(rule)));
}

}  // namespace stiction
