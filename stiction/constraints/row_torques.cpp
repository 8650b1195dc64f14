// Friction torques of contacts, torsion and rolling, as rows beside the contact's own (theory §1.8); surfaces that move.
#include <algorithm>

#include "stiction/constraints/row_builder.h"

namespace stiction {

void RowBuilder::learn_materials() {
  const auto has_torque = [](const auto& m) { return m.torsional_friction > 0.0 || m.rolling_friction > 0.0; };
  for (const Shape& shape : model_->shapes) {
    has_friction_torques_ = has_friction_torques_ || has_torque(shape.material);
    has_moving_surfaces_ = has_moving_surfaces_ || shape.material.has_moving_surface();
  }
  for (const ShapePair& pair : model_->pair_materials) {
    has_friction_torques_ = has_friction_torques_ || has_torque(pair.material);
  }
}

// Of a surface against its body, world axes.
Vector3 RowBuilder::surface_velocity_at(const Inputs& in, int shape, const Vector3& point) const {
  const Shape& s = model_->shapes[shape];
  if (!s.material.has_moving_surface()) return Vector3::Zero();
  const Pose pose = s.body < 0 ? s.pose : body_pose(in.dynamics, s.body) * s.pose;
  const Vector3 place = pose.rotation.transpose() * (point - pose.position);
  return pose.rotation * (s.material.surface_velocity + s.material.surface_spin.cross(place));
}

void RowBuilder::note_surface(const Inputs& in, const ContactPoint& point, const Matrix3& frame) {
  const Vector3 v = surface_velocity_at(in, point.id.shape_a, point.position) -
                    surface_velocity_at(in, point.id.shape_b, point.position);
  is_carried_.push_back(model_->shapes[point.id.shape_a].material.has_moving_surface() ||
                        model_->shapes[point.id.shape_b].material.has_moving_surface());
  surface_velocity_.push_back(Pack4{v.dot(frame.col(0)), v.dot(frame.col(1)), 0.0, 0.0});
}

// n·(ω_a − ω_b), with what the surfaces turn by themselves.
void RowBuilder::add_torsion(const Inputs& in, int contact, double ratio, RowSet& rows) {
  const ContactPoint& point = in.contacts[points_[contact]];
  const int shapes[2] = {point.id.shape_a, point.id.shape_b};
  Matrix3 axes = Matrix3::Zero();
  axes.col(0) = frames_[contact].col(2);
  const Side a{model_->shapes[shapes[0]].body, turning_rows(axes, 1.0)};
  const Side b{model_->shapes[shapes[1]].body, turning_rows(axes, -1.0)};
  ConstraintIdentity id = rows[contact].id;
  id.source = ConstraintSource::torsion;
  double spin = 0.0;
  for (const int k : {0, 1}) {
    const Shape& s = model_->shapes[shapes[k]];
    if (!s.material.has_moving_surface()) continue;
    const Matrix3 rotation =
        s.body < 0 ? s.pose.rotation : Matrix3(body_pose(in.dynamics, s.body).rotation * s.pose.rotation);
    spin += (k == 0 ? 1.0 : -1.0) * axes.col(0).dot(rotation * s.material.surface_spin);
  }
  const auto trees = rows[contact].trees;
  StepConstraint& torsion = rows.begin_constraint(Constraint::make_torsional(ratio, contact), id, trees[0], trees[1]);
  torsion.offset = Pack4{spin, 0.0, 0.0, 0.0};
  torsion.free_velocity = relative_velocity(in, a, b) + torsion.offset;
  add_sides(in, a, b, rows);
}

void RowBuilder::add_rolling(const Inputs& in, int contact, double ratio, RowSet& rows) {
  const ContactPoint& point = in.contacts[points_[contact]];
  Matrix3 axes = frames_[contact];
  axes.col(2).setZero();
  const Side a{model_->shapes[point.id.shape_a].body, turning_rows(axes, 1.0)};
  const Side b{model_->shapes[point.id.shape_b].body, turning_rows(axes, -1.0)};
  ConstraintIdentity id = rows[contact].id;
  id.source = ConstraintSource::rolling;
  const auto trees = rows[contact].trees;
  StepConstraint& rolling = rows.begin_constraint(Constraint::make_rolling(ratio, contact), id, trees[0], trees[1]);
  rolling.free_velocity = relative_velocity(in, a, b);
  add_sides(in, a, b, rows);
}

// What does not push (a contact that nothing moves along its normal) does not rub either.
void RowBuilder::add_friction_torques(const Inputs& in, RowSet& rows) {
  for (const bool rolls : {false, true}) {
    for (int i = 0; i < num_contacts(); ++i) {
      if (rows[i].left_out != 0) continue;
      const PairMaterial& material = material_of(in.contacts[points_[i]]);
      const double ratio = rolls ? material.rolling_friction : material.torsional_friction;
      if (!(ratio > 0.0)) continue;
      if (rolls) {
        add_rolling(in, i, ratio, rows);
      } else {
        add_torsion(in, i, ratio, rows);
      }
    }
  }
}

}  // namespace stiction
