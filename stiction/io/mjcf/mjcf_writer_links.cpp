// Pairs, loops and keyframes.
#include <algorithm>
#include <cmath>
#include <set>

#include "stiction/io/mjcf/mjcf_writer.h"
#include "stiction/io/writers/lost_terms.h"

namespace stiction {
namespace {

constexpr double closed = 1e-12;  // m: loops closer than this at the initial position are written by their bodies

}  // namespace

std::array<double, 5> about_reference(const std::array<double, 5>& c, double x0, double y0) {
  std::array<double, 5> out{};
  for (int k = 4; k >= 0; --k) {  // Horner: out ← out (d + x₀) + c_k
    for (int i = 4; i > 0; --i) out[i] = out[i - 1] + x0 * out[i];
    out[0] = x0 * out[0] + c[k];
  }
  out[0] -= y0;
  return out;
}

// Which pairs of bodies must not meet as a whole, and which shapes have to be told apart.
void MjcfWriter::find_pairs() {
  const auto& shapes = model_.shapes;
  const auto has = [](const std::vector<std::pair<int, int>>& list, int a, int b) {
    return std::binary_search(list.begin(), list.end(), std::make_pair(std::min(a, b), std::max(a, b)));
  };
  const auto none_meet = [&](const std::vector<int>& a, const std::vector<int>& b) {
    for (int i : a) {
      for (int j : b) {
        if (!has(model_.excluded_pairs, i, j) && !has(model_.forced_pairs, i, j)) return false;
      }
    }
    return true;
  };
  const auto shapes_of = [&](int body) -> const std::vector<int>& {
    return (body < 0 ? outline_.world : outline_.bodies[body]).shapes;
  };
  for (const OutlineBody& body : outline_.bodies) {
    if (body.parent >= 0 && !none_meet(body.shapes, shapes_of(body.parent))) parents_filtered_ = false;
  }
  std::set<std::pair<int, int>> between;  // bodies of the outline with excluded pairs
  for (const auto& [a, b] : model_.excluded_pairs) {
    const int body_a = shapes[a].body < 0 ? -1 : outline_.of_body[shapes[a].body];
    const int body_b = shapes[b].body < 0 ? -1 : outline_.of_body[shapes[b].body];
    between.insert(std::minmax(body_a, body_b));
  }
  const auto name = [&](int body) { return body < 0 ? std::string("world") : outline_.bodies[body].name; };
  for (const auto& [a, b] : between) {
    if (parents_filtered_ && a >= 0 && outline_.bodies[b].parent == a) continue;
    if (none_meet(shapes_of(a), shapes_of(b))) {
      exclusions_.emplace_back(name(a), name(b));
      continue;
    }
    for (int i : shapes_of(a)) {
      for (int j : shapes_of(b)) {
        if (!has(model_.excluded_pairs, i, j)) continue;
        carried_apart_.insert({i, j});
        exclusions_.emplace_back(shapes[i].name + "_carrier", shapes[j].name + "_carrier");
      }
    }
  }
  // What stands in a body of its own is no longer covered by the exclusions of the body it belongs to.
  for (const auto& [a, b] : between) {
    if (parents_filtered_ && a >= 0 && outline_.bodies[b].parent == a) continue;
    if (!none_meet(shapes_of(a), shapes_of(b))) continue;
    for (int i : shapes_of(a)) {
      if (carried_apart_.contains(i)) exclusions_.emplace_back(shapes[i].name + "_carrier", name(b));
      for (int j : shapes_of(b)) {
        if (carried_apart_.contains(i) && carried_apart_.contains(j)) {
          exclusions_.emplace_back(shapes[i].name + "_carrier", shapes[j].name + "_carrier");
        }
      }
    }
    for (int j : shapes_of(b)) {
      if (carried_apart_.contains(j)) exclusions_.emplace_back(name(a), shapes[j].name + "_carrier");
    }
  }
}

void MjcfWriter::write_pairs() {
  std::set<std::pair<int, int>> pairs(model_.forced_pairs.begin(), model_.forced_pairs.end());
  for (const ShapePair& pair : model_.pair_materials) {
    if (model_.may_collide(pair.shape_a, pair.shape_b)) pairs.emplace(pair.shape_a, pair.shape_b);
  }
  if (exclusions_.empty() && pairs.empty()) return;
  xml_.open("contact");
  for (const auto& [a, b] : exclusions_) xml_.open("exclude").attribute("body1", a).attribute("body2", b).close();
  for (const auto& [a, b] : pairs) write_pair(a, b);
  xml_.close();
}

void MjcfWriter::write_pair(int shape_a, int shape_b) {
  const std::string &name_a = model_.shapes[shape_a].name, &name_b = model_.shapes[shape_b].name;
  xml_.open("pair").attribute("geom1", name_a).attribute("geom2", name_b);
  const auto own = std::find_if(model_.pair_materials.begin(), model_.pair_materials.end(), [&](const ShapePair& pair) {
    return pair.shape_a == shape_a && pair.shape_b == shape_b;
  });
  if (own != model_.pair_materials.end()) {
    const PairMaterial& m = own->material;
    const double friction[] = {m.friction, m.friction, m.torsional_friction, m.rolling_friction, m.rolling_friction};
    xml_.attribute("condim", m.rolling_friction > 0.0 ? 6 : m.torsional_friction > 0.0 ? 4 : m.friction > 0.0 ? 3 : 1);
    xml_.attribute("friction", std::span<const double>(friction));
    const std::string what = "pair of '" + name_a + "' and '" + name_b + "'";
    if (m.friction_2 != m.friction) lose(what + ": friction " + number_text(m.friction_2) + " in another direction");
    if (m.restitution != 0.0) lose(what + ": restitution " + number_text(m.restitution));
    if (m.compliance != 0.0) lose(what + ": compliance " + number_text(m.compliance) + " m/N and its damping");
  }
  xml_.close();
}

void MjcfWriter::write_loops() {
  if (model_.loops.empty()) return;
  xml_.open("equality");
  for (const Loop& loop : model_.loops) {
    const std::string what = quoted("loop", loop.name);
    if (loop.compliance != 0.0) lose(what + ": compliance " + number_text(loop.compliance));
    switch (loop.kind) {
      case LoopKind::point:
        write_point(loop.name, loop.body_a, loop.body_b, loop.pose_a.position, loop.pose_b.position);
        break;
      case LoopKind::hinge: {
        lose(what + ": a hinge is written as two points on its axis, 0.1 m apart");
        const Vector3 z(0.0, 0.0, 0.1);
        write_point(loop.name + "_1", loop.body_a, loop.body_b, loop.pose_a.position, loop.pose_b.position);
        write_point(loop.name + "_2", loop.body_a, loop.body_b, loop.pose_a * z, loop.pose_b * z);
        break;
      }
      case LoopKind::weld:
        write_weld(loop);
        break;
      case LoopKind::joint_equality:
        write_joint_equality(loop);
        break;
      case LoopKind::tendon_equality:
        write_tendon_equality(loop);
        break;
    }
  }
  xml_.close();
}

// MuJoCo takes the point on body 1 and finds that of body 2 where the world stands as drawn.
void MjcfWriter::write_point(const std::string& name, int body_a, int body_b, const Vector3& a, const Vector3& b) {
  const auto in_world = [&](int body, const Vector3& point) {
    Vector3 p = outline_.on_outline(body, Pose(point)).position;
    for (int k = body < 0 ? -1 : outline_.of_body[body]; k >= 0; k = outline_.bodies[k].parent) {
      p = outline_.bodies[k].pose * p;
    }
    return p;
  };
  const double gap = (in_world(body_a, a) - in_world(body_b, b)).norm();
  if (gap > closed) {
    lose(quoted("loop", name) + ": open by " + number_text(gap) +
         " m at the initial position; MuJoCo takes the point of its first body for both");
  }
  xml_.open("connect").attribute("name", name);
  xml_.attribute("body1", body_name(body_a)).attribute("body2", body_name(body_b));
  xml_.attribute("anchor", outline_.on_outline(body_a, Pose(a)).position).close();
}

// X_1 A = X_2 B: the origin of B, the anchor, meets that of A, which MuJoCo wants as the position of relpose; its
// orientation is that of body 2 in body 1, R_A R_Bᵀ.
void MjcfWriter::write_weld(const Loop& loop) {
  const Pose a = outline_.on_outline(loop.body_a, loop.pose_a), b = outline_.on_outline(loop.body_b, loop.pose_b);
  const Quaternion r(Matrix3(a.rotation * b.rotation.transpose()));
  const Vector3& p = a.position;
  const double pose[] = {p[0], p[1], p[2], r.w(), r.x(), r.y(), r.z()};
  xml_.open("weld").attribute("name", loop.name).attribute("body1", body_name(loop.body_a));
  xml_.attribute("body2", body_name(loop.body_b)).attribute("anchor", b.position);
  xml_.attribute("relpose", std::span(pose)).close();
}

void MjcfWriter::write_joint_equality(const Loop& loop) {
  const auto reference = [&](int dof) {
    return model_.initial_position[model_.bodies[model_.dofs[dof].body].first_position];
  };
  const double y0 = reference(loop.dof_a);
  xml_.open("joint").attribute("name", loop.name).attribute("joint1", outline_.joint_of(loop.dof_a));
  std::array<double, 5> c{loop.coefficients[0] - y0, 0.0, 0.0, 0.0, 0.0};
  if (loop.dof_b >= 0) {
    xml_.attribute("joint2", outline_.joint_of(loop.dof_b));
    c = about_reference(loop.coefficients, reference(loop.dof_b), y0);
  }
  xml_.attribute("polycoef", std::span<const double>(c)).close();
}

// Quaternions as (w, x, y, z), those of balls in the axes of their bodies.
VectorX MjcfWriter::to_qpos(VectorX q) const {
  for (const OutlineBody& body : outline_.bodies) {
    for (const OutlineJoint& joint : body.joints) {
      const Body& b = model_.bodies[joint.body];
      if (b.joint != JointType::free && b.joint != JointType::ball) continue;
      const int first = b.first_position + (b.joint == JointType::free ? 3 : 0);
      Eigen::Vector4d xyzw = q.segment<4>(first);
      if (b.joint == JointType::ball) xyzw.head<3>() = joint.frame.rotation * xyzw.head<3>();
      q.segment<4>(first) << xyzw[3], xyzw[0], xyzw[1], xyzw[2];
    }
  }
  return q;
}

VectorX MjcfWriter::to_qvel(VectorX v) const {
  for (const OutlineBody& body : outline_.bodies) {
    for (const OutlineJoint& joint : body.joints) {
      const Body& b = model_.bodies[joint.body];
      if (b.joint != JointType::ball) continue;
      v.segment<3>(b.first_velocity) = (joint.frame.rotation * v.segment<3>(b.first_velocity)).eval();
    }
  }
  return v;
}

void MjcfWriter::write_keyframes() {
  if (model_.keyframes.empty()) return;
  const auto list = [&](const char* name, const VectorX& values) {
    if (values.size() > 0) {
      xml_.attribute(name, std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
    }
  };
  xml_.open("keyframe");
  for (const Keyframe& key : model_.keyframes) {
    xml_.open("key").attribute("name", key.name);
    if (key.time != 0.0) xml_.attribute("time", key.time);
    list("qpos", to_qpos(key.q));
    if (!key.v.isZero(0.0)) list("qvel", to_qvel(key.v));
    list("ctrl", key.control);
    list("act", key.activation);
    xml_.close();
  }
  xml_.close();
}

void MjcfWriter::note_materials() {
  bool frictions_differ = false;
  for (const Shape& shape : model_.shapes) {
    const Material& m = shape.material;
    const std::string what = quoted("shape", shape.name);
    const Material& first = model_.shapes[0].material;
    frictions_differ |= m.friction != first.friction || m.torsional_friction != first.torsional_friction ||
                        m.rolling_friction != first.rolling_friction;
    if (m.is_anisotropic()) lose(what + ": friction " + number_text(m.friction_2) + " across its x axis");
    if (m.restitution != 0.0) lose(what + ": restitution " + number_text(m.restitution));
    if (m.compliance != 0.0) lose(what + ": compliance " + number_text(m.compliance) + " m/N and its damping");
  }
  const bool is_product = model_.friction_rule == FrictionRule::product && !model_.shapes.empty();
  if (model_.friction_rule != FrictionRule::maximum && (frictions_differ || is_product)) {
    lose("friction rule " + std::string(to_string(model_.friction_rule)) +
         ": MuJoCo takes the larger friction of two surfaces");
  } else if (model_.friction_rule != FrictionRule::maximum && !model_.shapes.empty()) {
    note("friction rule " + std::string(to_string(model_.friction_rule)) +
         ": MuJoCo takes the larger, which is the same for equal frictions");
  }
}

}  // namespace stiction
