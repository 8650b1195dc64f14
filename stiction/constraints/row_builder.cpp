#include "stiction/constraints/row_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "stiction/dynamics/factor_chain.h"

namespace stiction {
namespace {

constexpr double held = 1e-20;  // of G_NN to the tangential entries, below which nothing moves along the normal

}  // namespace

Matrix3 contact_frame(const Vector3& normal) {
  // Any rotation that takes z to the normal: smooth but for normals straight down, which rotation_with_z handles apart.
  return rotation_with_z(normal);
}

Matrix3 contact_frame(const Vector3& normal, const Vector3& direction) {
  const Vector3 along = direction - normal * normal.dot(direction);
  const double length = along.norm();
  if (!(length > 1e-6)) return contact_frame(normal);
  Matrix3 frame;
  frame.col(0) = along / length;
  frame.col(1) = normal.cross(frame.col(0));
  frame.col(2) = normal;
  return frame;
}

RowBuilder::RowBuilder(std::shared_ptr<const Model> model) : model_(std::move(model)) {
  path_begin_.push_back(0);
  path_velocity_begin_.push_back(0);
  chain_begin_.push_back(0);
  int longest = 1;
  for (int b = 0; b < model_->num_bodies(); ++b) {
    const int last = model_->last_dof(b), length = model_->dofs[last].depth + 1;
    const std::size_t first = path_.size();
    for (int node = model_->node_of[last]; node >= 0; node = model_->nodes[node].parent) {
      path_.push_back({node, model_->dofs[model_->nodes[node].first_velocity].depth});
    }
    std::reverse(path_.begin() + static_cast<std::ptrdiff_t>(first), path_.end());
    for (std::size_t k = first; k < path_.size(); ++k) {
      const VelocityNode& node = model_->nodes[path_[k].node];
      for (int e = 0; e < node.size; ++e) path_velocity_.push_back(node.first_velocity + e);
    }
    path_begin_.push_back(static_cast<int>(path_.size()));
    path_velocity_begin_.push_back(static_cast<int>(path_velocity_.size()));
    chain_begin_.push_back(chain_begin_.back() + length);
    longest = std::max(longest, length);
  }
  chain_.resize(chain_begin_.back());
  chain_known_.resize(model_->num_bodies());
  velocity_.resize(model_->num_bodies());
  velocity_known_.resize(model_->num_bodies());
  dof_chain_.resize(padded4(longest));
  other_chain_.resize(padded4(longest));
  for (int j = 0; j < model_->num_velocities(); ++j) {
    const Dof& dof = model_->dofs[j];
    const Body& body = model_->bodies[dof.body];
    if (std::isfinite(dof.lower) || std::isfinite(dof.upper)) {
      limited_dofs_.push_back({j, body.first_position, body.tree, dof.lower, dof.upper});
    }
    if (dof.dry_friction > 0.0) dry_dofs_.push_back(j);
  }
  learn_lengths();
  learn_materials();
}

// Rows c_k = sign · axis_k · ω.
RowBuilder::Covector RowBuilder::turning_rows(const Matrix3& axes, double sign) {
  Covector w;
  for (int k = 0; k < 3; ++k) {
    for (int d = 0; d < 3; ++d) w.angular[d][k] = sign * axes(d, k);
  }
  return w;
}

const Pack8* RowBuilder::chain(const Inputs& in, int body) {
  Pack8* y = chain_.data() + chain_begin_[body];
  if (!chain_known_[body]) {
    chain_through_factor(*model_, in.dynamics, body, y);
    chain_known_[body] = 1;
  }
  return y;
}

const Pack8& RowBuilder::free_velocity(const Inputs& in, int body) {
  if (!velocity_known_[body]) {
    body_velocity(*model_, in.dynamics, in.v_free, body, velocity_[body]);
    velocity_known_[body] = 1;
  }
  return velocity_[body];
}

Pack4* RowBuilder::add_path(int body, RowSet& rows) const {
  const auto part = [body](const auto& list, const std::vector<int>& begin) {
    return std::span(list.data() + begin[body], list.data() + begin[body + 1]);
  };
  return rows.add_segments(part(path_, path_begin_), part(path_velocity_, path_velocity_begin_));
}

// Segments of a constraint between two bodies: nodes of either path, in ascending order. Against the world, and what no
// impulse moves, they are the chain of the other body as it is. Returns the diagonal of A_i A_iᵀ.
Pack4 RowBuilder::add_sides(const Inputs& in, const Side& a, const Side& b, RowSet& rows) {
  Pack4 diagonal{};
  if (!model_->is_movable(a.body) || !model_->is_movable(b.body)) {
    const Side& only = model_->is_movable(a.body) ? a : b;
    if (model_->is_movable(only.body)) {
      const Pack8* y = chain(in, only.body);
      const Covector w = only.w;
      const int length = chain_begin_[only.body + 1] - chain_begin_[only.body];
      Pack4* out = add_path(only.body, rows);
      for (int e = 0; e < length; ++e) {
        const Pack4 column = apply(w, y[e]);
        diagonal += column * column;
        out[e] = column;
      }
    }
    return diagonal;
  }
  const Pack8 *y_a = chain(in, a.body), *y_b = chain(in, b.body);
  const auto add = [&](const Side& side, const Pack8* y, const VelocityNode& node, Pack4* out) {
    const int first = model_->dofs[node.first_velocity].depth;
    const int length = chain_begin_[side.body + 1] - chain_begin_[side.body];
    const int count = std::min(node.size, length - first);
    for (int e = 0; e < count; ++e) out[e] += apply(side.w, y[first + e]);
  };
  for_each_node(a.body, b.body, [&](int number, bool on_a, bool on_b) {
    const VelocityNode& node = model_->nodes[number];
    Pack4* out = rows.add_segment(number, node.first_velocity, node.size);
    if (on_a) add(a, y_a, node, out);
    if (on_b) add(b, y_b, node, out);
    for (int e = 0; e < node.size; ++e) diagonal += out[e] * out[e];
  });
  return diagonal;
}

void RowBuilder::build(const Inputs& in, RowSet& rows) {
  rows.clear();
  std::fill(chain_known_.begin(), chain_known_.end(), 0);
  std::fill(velocity_known_.begin(), velocity_known_.end(), 0);
  points_.clear();
  frames_.clear();
  is_carried_.clear();
  surface_velocity_.clear();
  const double margin = row_margin(in);
  for (std::size_t i = 0; i < in.contacts.size(); ++i) add_contact(in, static_cast<int>(i), margin, rows);
  add_limits(in, rows);
  add_dry_friction(in, rows);
  add_loops(in, rows);
  if (has_friction_torques_) add_friction_torques(in, rows);
  add_servos(in, rows);
}

// Points of a manifold, and all points on the ground, share their normal: its frame is made once.
inline const Matrix3& RowBuilder::frame_of(const Inputs& in, const ContactPoint& point, const PairMaterial& material) {
  if (material.direction_of < 0) {
    if (std::memcmp(&point.normal, &shared_normal_, sizeof shared_normal_) != 0) {  // bit by bit: −0 is not 0
      shared_normal_ = point.normal;
      shared_frame_ = contact_frame(point.normal);
    }
    return shared_frame_;
  }
  const Shape& owner = model_->shapes[material.direction_of == 0 ? point.id.shape_a : point.id.shape_b];
  const Vector3 x = owner.pose.rotation.col(0);
  directed_frame_ =
      contact_frame(point.normal, owner.body < 0 ? x : Vector3(body_pose(in.dynamics, owner.body).rotation * x));
  return directed_frame_;
}

// Points of one pair follow one another: its material is combined once.
const PairMaterial& RowBuilder::material_of(const ContactPoint& point) {
  if (point.id.shape_a != pair_shapes_[0] || point.id.shape_b != pair_shapes_[1]) {
    pair_shapes_ = {point.id.shape_a, point.id.shape_b};
    pair_material_ = model_->pair_material(point.id.shape_a, point.id.shape_b);
  }
  return pair_material_;
}

bool RowBuilder::is_at_rest(const Inputs& in, int tree) const {
  if (tree < 0) return true;
  const double* v = in.v + model_->trees[tree].first_velocity;
  return std::all_of(v, v + model_->trees[tree].num_velocities,
                     [](double x) { return std::abs(x) <= ConstraintSettings::at_rest_speed; });
}

// γ_N and R_N of a contact (theory §3.2, §3.3), given its free normal velocity.
inline RowBuilder::NormalTerms RowBuilder::normal_terms(const Inputs& in, const ContactPoint& point,
                                                        const PairMaterial& material, double c_free) const {
  const double dt = in.time_step;
  if (material.compliance > 0.0) {  // a spring of stiffness 1/compliance
    const double lag = dt + material.damping * material.compliance;
    return {point.gap / lag, material.compliance / (dt * lag)};
  }
  const int body_a = model_->shapes[point.id.shape_a].body, body_b = model_->shapes[point.id.shape_b].body;
  double offset = 0.0;
  if (!is_negligible(in, point.gap, tree_of(body_a), tree_of(body_b))) {
    offset = in.settings.one_sided_offset(point.gap, dt, !in.settings.project_positions);
  }
  // An impact bounces in the step in which it would happen, not in an earlier one that only sees it coming.
  if (material.restitution == 0.0 || point.gap + dt * c_free > 0.0) return {offset, 0.0};
  double c_before = 0.0;  // c_N at the beginning of the step
  if (body_a >= 0) c_before += point.normal.dot(point_velocity(in.dynamics, body_a, point.position));
  if (body_b >= 0) c_before -= point.normal.dot(point_velocity(in.dynamics, body_b, point.position));
  if (c_before >= -in.settings.restitution_threshold) return {offset, 0.0};
  return {std::min(offset, material.restitution * c_before), 0.0};
}

// Where no joint moves the contact along its normal (a puck on two slides that penetrates its table) nothing separates
// it: asking for that has no solution. It then neither pushes nor rubs, and leaves its island
// (Islands::remove_left_out).
inline void RowBuilder::release_held_normal(const Pack4& mobility, StepConstraint& contact) {
  if (mobility[2] > held * (mobility[0] + mobility[1]) || contact.compliance[2] > 0.0) return;
  contact.offset[2] = std::max(0.0, +contact.offset[2]);
  contact.free_velocity[2] = contact.offset[2];
  contact.left_out = 7;
}

// The spring of relative_compliance, implicit in the gap as (3-5), where the contact is stiffer than that. What its
// materials say of damping and bouncing is lost with the rigid law. The tangents' spring: relax_tangents() does the
// rest.
inline void RowBuilder::soften(const Inputs& in, const Pack4& mobility, StepConstraint& contact) {
  if (contact.left_out != 0) return;
  const double mean = (mobility[0] + mobility[1] + mobility[2]) / 3.0;
  const double tangents = in.settings.relative_tangent_compliance * mean;
  contact.is_relaxed = tangents > 0.0;
  contact.compliance += Pack4{tangents, tangents, 0.0, 0.0};
  const double least = in.settings.relative_compliance * mean;
  if (contact.compliance[2] >= least) return;
  const double offset = contact.error[2] / in.time_step;
  contact.free_velocity += Pack4{0.0, 0.0, offset - contact.offset[2], 0.0};
  contact.offset += Pack4{0.0, 0.0, offset - contact.offset[2], 0.0};
  contact.compliance = Pack4{tangents, tangents, least, 0.0};
  contact.is_softened = true;
}

// Gaps up to here become rows whatever the free motion does with them: impulses may close them. What impulses can do in
// one step is bounded by the fastest body that touches another or is about to, so where all these are slow most open
// contacts need no rows.
double RowBuilder::row_margin(const Inputs& in) {
  constexpr double near = 0.1;    // of the margin: always rows
  constexpr double pushed = 4.0;  // what is hit by something heavy becomes twice as fast, and may hit something lighter
  const double least = near * in.contact_margin, enough = (in.contact_margin - least) / (pushed * in.time_step);
  const auto is_open = [least](const ContactPoint& point) { return point.gap > least; };
  if (std::none_of(in.contacts.begin(), in.contacts.end(), is_open)) return in.contact_margin;
  double fastest = 0.0;  // squared
  for (const ContactPoint& point : in.contacts) {
    for (const int shape : {point.id.shape_a, point.id.shape_b}) {
      const int body = model_->shapes[shape].body;
      if (body < 0) continue;
      const Pack8& v = free_velocity(in, body);
      const Vector3 arm = point.position - to_eigen(in.dynamics.reference[tree_of(body)]);
      fastest = std::max(fastest, (Vector3(v[4], v[5], v[6]) + Vector3(v[0], v[1], v[2]).cross(arm)).squaredNorm());
    }
    if (fastest >= enough * enough) return in.contact_margin;
  }
  return least + pushed * in.time_step * std::sqrt(fastest);
}

void RowBuilder::add_contact(const Inputs& in, int index, double margin, RowSet& rows) {
  const ContactPoint& point = in.contacts[index];
  const Shape &shape_a = model_->shapes[point.id.shape_a], &shape_b = model_->shapes[point.id.shape_b];
  const PairMaterial& material = material_of(point);
  const Matrix3& frame = frame_of(in, point, material);
  const Side a = point_side(in, shape_a.body, frame, point.position, 1.0);
  const Side b = point_side(in, shape_b.body, frame, point.position, -1.0);
  const Pack4 c_free = relative_velocity(in, a, b);
  const PointRole role = in.roles ? in.roles[index] : PointRole::usual;
  if (role == PointRole::passes) return;
  const bool is_exact = role == PointRole::exact;
  if (!is_exact && point.gap > margin && point.gap + in.time_step * c_free[2] > margin) return;

  points_.push_back(index);
  frames_.push_back(frame);
  if (has_moving_surfaces_) note_surface(in, point, frame);
  const Constraint law = material.direction_of < 0
                             ? Constraint::make_frictional(material.friction)
                             : Constraint::make_anisotropic(material.friction, material.friction_2);
  StepConstraint& contact = rows.begin_constraint(law,
                                                  {.source = ConstraintSource::contact,
                                                   .first = point.id.shape_a,
                                                   .second = point.id.shape_b,
                                                   .feature = point.id.feature},
                                                  coupling_tree(a.body), coupling_tree(b.body));
  // Whole packs are stored: a lane stored alone would stall the next load of its pack.
  NormalTerms normal = normal_terms(in, point, material, c_free[2]);
  if (is_exact && material.compliance == 0.0) {
    normal.offset = std::min(normal.offset, std::max(point.gap / in.time_step, -in.settings.largest_correction));
  }
  contact.error = Pack4{0.0, 0.0, point.gap, 0.0};
  contact.offset = Pack4{0.0, 0.0, normal.offset, 0.0};
  contact.compliance = Pack4{0.0, 0.0, normal.compliance, 0.0};
  contact.free_velocity = c_free + Pack4{0.0, 0.0, normal.offset, 0.0};
  const Pack4 mobility = add_sides(in, a, b, rows);
  if (has_moving_surfaces_) {
    contact.is_carried = is_carried_.back() != 0;
    contact.offset += surface_velocity_.back();
    contact.free_velocity += surface_velocity_.back();
  }
  release_held_normal(mobility, contact);
  if (in.settings.relative_compliance + in.settings.relative_tangent_compliance > 0.0) soften(in, mobility, contact);
  const double creep = in.settings.tangential_compliance / (in.time_step * in.time_step);
  if (creep > 0.0 && contact.left_out == 0) contact.compliance += Pack4{creep, creep, 0.0, 0.0};
}

}  // namespace stiction
