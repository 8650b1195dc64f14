// Rows of single degrees of freedom: limits, dry friction, joint equalities.
#include <cmath>

#include "stiction/constraints/row_builder.h"

namespace stiction {

// scale · v_dof + other_scale · v_other through the factor (other_dof < 0: the first alone).
void RowBuilder::add_dof_row(const Inputs& in, int dof, double scale, int other_dof, double other_scale, RowSet& rows) {
  const int length = dof_through_factor(*model_, in.dynamics, dof, dof_chain_.data());
  if (other_dof < 0) {
    Pack4* out = add_path(model_->dofs[dof].body, rows);
    for (int e = 0; e < length; ++e) out[e] = Pack4{scale * dof_chain_[e], 0.0, 0.0, 0.0};
    return;
  }
  const int other_length = dof_through_factor(*model_, in.dynamics, other_dof, other_chain_.data());
  const int body = model_->dofs[dof].body, other_body = model_->dofs[other_dof].body;
  const auto add = [&](double factor, const double* y, int chain_length, const VelocityNode& node, Pack4* out) {
    const int first = model_->dofs[node.first_velocity].depth;
    const int count = std::min(node.size, chain_length - first);
    for (int e = 0; e < count; ++e) out[e][0] += factor * y[first + e];
  };
  for_each_node(body, other_body, [&](int number, bool on_one, bool on_other) {
    const VelocityNode& node = model_->nodes[number];
    Pack4* out = rows.add_segment(number, node.first_velocity, node.size);
    if (on_one) add(scale, dof_chain_.data(), length, node, out);
    if (on_other) add(other_scale, other_chain_.data(), other_length, node, out);
  });
}

void RowBuilder::add_limit(const Inputs& in, const LimitedDof& limited, bool upper, double gap, RowSet& rows) {
  const int dof = limited.dof;
  const double sign = upper ? -1.0 : 1.0, speed = sign * in.v_free[dof];
  rows.begin_constraint(
      Constraint::make_unilateral(),
      {.source = upper ? ConstraintSource::upper_limit : ConstraintSource::lower_limit, .first = dof, .second = 0},
      limited.tree, -1);
  rows.back().error[0] = gap;
  double offset = 0.0;
  if (!is_negligible(in, gap, limited.tree, -1)) {
    offset = in.settings.one_sided_offset(gap, in.time_step, !in.settings.projects_joints(*model_));
  }
  rows.back().offset[0] = offset;
  rows.back().free_velocity[0] = speed + offset;
  add_dof_row(in, dof, sign, -1, 0.0, rows);
}

void RowBuilder::add_limits(const Inputs& in, RowSet& rows) {
  for (const bool upper : {false, true}) {
    const double sign = upper ? -1.0 : 1.0;
    for (const LimitedDof& limited : limited_dofs_) {
      // Infinite where there is no limit.
      const double gap = sign * (in.q[limited.position] - (upper ? limited.upper : limited.lower));
      if (gap > in.settings.limit_margin && gap + 2.0 * in.time_step * sign * in.v_free[limited.dof] > 0.0) continue;
      if (!in.asleep || !in.asleep[limited.tree]) add_limit(in, limited, upper, gap, rows);
    }
    if (in.lengths) add_tendon_limits(in, upper, rows);
  }
}

void RowBuilder::add_dry_friction(const Inputs& in, RowSet& rows) {
  for (const int dof : dry_dofs_) {
    const Dof& d = model_->dofs[dof];
    if (is_asleep(in, d.body)) continue;
    rows.begin_constraint(Constraint::make_dry_friction(in.time_step * d.dry_friction),
                          {.source = ConstraintSource::dry_friction, .first = dof, .second = 0},
                          model_->bodies[d.body].tree, -1);
    rows.back().free_velocity[0] = in.v_free[dof];
    add_dof_row(in, dof, 1.0, -1, 0.0, rows);
  }
  if (in.lengths) add_tendon_friction(in, rows);
}

// q_a = Σ c_k q_b^k: the row v_a − (Σ k c_k q_b^(k−1)) v_b, with the error of the positions.
void RowBuilder::add_joint_equality(const Inputs& in, int loop, RowSet& rows) {
  const Loop& l = model_->loops[loop];
  const auto position = [&](int dof) { return in.q[model_->bodies[model_->dofs[dof].body].first_position]; };
  const auto [wanted, slope] = polynomial(l.coefficients, l.dof_b >= 0 ? position(l.dof_b) : 0.0);
  const int tree_a = model_->bodies[model_->dofs[l.dof_a].body].tree;
  const int tree_b = l.dof_b < 0 ? -1 : model_->bodies[model_->dofs[l.dof_b].body].tree;
  rows.begin_constraint(Constraint::make_bilateral(1), {.source = ConstraintSource::loop, .first = loop, .second = 0},
                        tree_a, tree_b);
  const double error = position(l.dof_a) - wanted;
  const double c_free = in.v_free[l.dof_a] - (l.dof_b < 0 ? 0.0 : slope * in.v_free[l.dof_b]);
  set_loop_offset(in, l, 1, Vector3(error, 0.0, 0.0), rows);
  rows.back().free_velocity[0] = c_free + rows.back().offset[0];
  add_dof_row(in, l.dof_a, 1.0, l.dof_b, -slope, rows);
  set_equality_doubt(rows);
}

void RowBuilder::set_equality_doubt(RowSet& rows) {
  constexpr double tolerance = ConstraintSettings::loop_tolerance;
  for (int c = rows.back().first_column; c < static_cast<int>(rows.columns.size()); ++c) {
    rows.back().doubt += tolerance * tolerance * rows.columns[c][0] * rows.columns[c][0];
  }
}

}  // namespace stiction
