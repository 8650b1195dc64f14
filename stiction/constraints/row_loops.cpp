// Rows of loop closures between frames: point, hinge, weld.
#include <cmath>

#include "stiction/constraints/row_builder.h"

namespace stiction {

// γ and R of a loop's rows: the error is driven out as a penetration is; a compliant one is a spring (theory §3.3).
void RowBuilder::set_loop_offset(const Inputs& in, const Loop& loop, int row_count, const Vector3& error,
                                 RowSet& rows) {
  const double dt = in.time_step;
  for (int r = 0; r < row_count; ++r) {
    rows.back().error[r] = error[r];
    if (loop.compliance > 0.0) {
      rows.back().compliance[r] = loop.compliance / (dt * dt);
      rows.back().offset[r] = error[r] / dt;
    } else if (!in.settings.project_positions && !in.settings.project_loops) {
      rows.back().offset[r] = std::clamp(in.settings.baumgarte / dt * error[r], -in.settings.largest_correction,
                                         in.settings.largest_correction);
    }
  }
}

void RowBuilder::add_loop_block(const Inputs& in, int loop, int block, int row_count, const Side& a, const Side& b,
                                const Vector3& error, RowSet& rows) {
  rows.begin_constraint(Constraint::make_bilateral(row_count),
                        {.source = ConstraintSource::loop, .first = loop, .second = block}, coupling_tree(a.body),
                        coupling_tree(b.body));
  set_loop_offset(in, model_->loops[loop], row_count, error, rows);
  rows.back().free_velocity = relative_velocity(in, a, b) + rows.back().offset;
  // Moving a point by δ changes its velocity by ω × δ; turning an axis by δ changes as much of ω.
  constexpr double tolerance = ConstraintSettings::loop_tolerance;
  rows.back().doubt = tolerance * tolerance * (turning(in, a.body) + turning(in, b.body));
  add_sides(in, a, b, rows);
}

// ‖A‖² of the turning of a body about three axes.
double RowBuilder::turning(const Inputs& in, int body) {
  if (body < 0) return 0.0;
  const Pack8* y = chain(in, body);
  Pack8 squares{};
  for (int e = 0; e < chain_begin_[body + 1] - chain_begin_[body]; ++e) squares += y[e] * y[e];
  return squares[0] + squares[1] + squares[2];
}

void RowBuilder::add_frame_loop(const Inputs& in, int loop, RowSet& rows) {
  const Loop& l = model_->loops[loop];
  const auto placed = [&](int body, const Pose& pose) { return body < 0 ? pose : body_pose(in.dynamics, body) * pose; };
  const Pose frame_a = placed(l.body_a, l.pose_a), frame_b = placed(l.body_b, l.pose_b);
  // Rows along the axes of the second frame, so that their impulses turn with the mechanism.
  const Matrix3& axes = frame_b.rotation;
  const Side a = point_side(in, l.body_a, axes, frame_a.position, 1.0);
  const Side b = point_side(in, l.body_b, axes, frame_b.position, -1.0);
  add_loop_block(in, loop, 0, 3, a, b, axes.transpose() * (frame_a.position - frame_b.position), rows);
  if (l.kind == LoopKind::point) return;

  // Turn of frame a relative to frame b as a rotation vector, in the axes of b.
  const Eigen::AngleAxisd turn(axes.transpose() * frame_a.rotation);
  Side ta{l.body_a, turning_rows(axes, 1.0)}, tb{l.body_b, turning_rows(axes, -1.0)};
  if (l.kind == LoopKind::weld) {
    add_loop_block(in, loop, 1, 3, ta, tb, turn.angle() * turn.axis(), rows);
    return;
  }
  // Hinge: the z axes stay parallel; their cross product is the error, and turning about z is free.
  const Vector3 error = Vector3::UnitZ().cross(axes.transpose() * frame_a.rotation.col(2));
  for (int k = 0; k < 2; ++k) {
    Matrix3 one = Matrix3::Zero();
    one.col(0) = axes.col(k);
    ta.w = turning_rows(one, 1.0);
    tb.w = turning_rows(one, -1.0);
    add_loop_block(in, loop, 1 + k, 1, ta, tb, Vector3(error[k], 0.0, 0.0), rows);
  }
}

void RowBuilder::add_loops(const Inputs& in, RowSet& rows) {
  for (int i = 0; i < static_cast<int>(model_->loops.size()); ++i) {
    const Loop& loop = model_->loops[i];
    if (loop.kind == LoopKind::tendon_equality) {
      if (in.lengths && !is_length_asleep(in, loop.tendon_a)) add_tendon_equality(in, i, rows);
      continue;
    }
    const bool joints = loop.kind == LoopKind::joint_equality;
    if (is_asleep(in, joints ? model_->dofs[loop.dof_a].body : std::max(loop.body_a, loop.body_b))) continue;
    if (joints) {
      add_joint_equality(in, i, rows);
    } else {
      add_frame_loop(in, i, rows);
    }
  }
}

}  // namespace stiction
