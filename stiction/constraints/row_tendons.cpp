// Rows of coupled lengths: limits and dry friction of tendons, equalities between them, what acts along them.
#include <algorithm>
#include <cmath>

#include "stiction/constraints/row_builder.h"

namespace stiction {

void RowBuilder::learn_lengths() {
  const CoupledLengths lengths(*model_);
  if (lengths.size() == 0) return;
  length_trees_begin_.push_back(0);
  for (int k = 0; k < lengths.size(); ++k) {
    const auto trees = lengths.trees(k);
    length_trees_.insert(length_trees_.end(), trees.begin(), trees.end());
    length_trees_begin_.push_back(static_cast<int>(length_trees_.size()));
  }
  dense_row_.assign(static_cast<std::size_t>(model_->num_velocities()), 0.0);
  on_row_.assign(model_->nodes.size(), 0);
  row_nodes_.reserve(model_->nodes.size());
  row_chain_.reserve(static_cast<std::size_t>(model_->num_velocities()));
}

bool RowBuilder::is_length_asleep(const Inputs& in, int length) const {
  return in.asleep && in.asleep[length_trees_[length_trees_begin_[length]]];  // its trees sleep together
}

bool RowBuilder::is_length_at_rest(const Inputs& in, int length) const {
  return std::all_of(length_trees_.begin() + length_trees_begin_[length],
                     length_trees_.begin() + length_trees_begin_[length + 1],
                     [&](int tree) { return is_at_rest(in, tree); });
}

// Two trees stand in the constraint itself; more are joined beside it.
void RowBuilder::begin_length_row(const Constraint& law, const ConstraintIdentity& id, const Inputs&, int length,
                                  int other, RowSet& rows) {
  const int first = length_trees_[length_trees_begin_[length]];
  int second = -1;
  for (const int k : {length, other}) {
    for (int e = k < 0 ? 0 : length_trees_begin_[k]; k >= 0 && e < length_trees_begin_[k + 1]; ++e) {
      const int tree = length_trees_[e];
      if (tree == first || tree == second) continue;
      if (second < 0) {
        second = tree;
      } else {
        rows.joined_trees.emplace_back(first, tree);
      }
    }
  }
  rows.begin_constraint(law, id, first, second);
}

void RowBuilder::add_length_row(const Inputs& in, int length, double scale, int other, double other_scale,
                                RowSet& rows) {
  row_nodes_.clear();
  row_chain_.clear();
  const auto spread = [&](int k, double factor) {
    const auto velocities = in.lengths->velocities(k);
    const auto coefficients = in.lengths->coefficients(k);
    for (std::size_t e = 0; e < velocities.size(); ++e) {
      dense_row_[velocities[e]] += factor * coefficients[e];
      for (int node = model_->node_of[velocities[e]]; node >= 0 && !on_row_[node]; node = model_->nodes[node].parent) {
        on_row_[node] = 1;
        row_nodes_.push_back(node);
      }
    }
  };
  spread(length, scale);
  if (other >= 0) spread(other, other_scale);
  std::sort(row_nodes_.begin(), row_nodes_.end());
  for (const int number : row_nodes_) {
    const VelocityNode& node = model_->nodes[number];
    for (int e = 0; e < node.size; ++e) row_chain_.push_back(node.first_velocity + e);
  }
  row_through_factor(*model_, in.dynamics, row_chain_, dense_row_.data());
  for (const int number : row_nodes_) {
    const VelocityNode& node = model_->nodes[number];
    Pack4* out = rows.add_segment(number, node.first_velocity, node.size);
    for (int e = 0; e < node.size; ++e) {
      double& x = dense_row_[node.first_velocity + e];
      out[e] = Pack4{x, 0.0, 0.0, 0.0};
      x = 0.0;
    }
    on_row_[number] = 0;
  }
}

void RowBuilder::add_tendon_limits(const Inputs& in, bool upper, RowSet& rows) {
  const double sign = upper ? -1.0 : 1.0;
  for (int k = 0; k < static_cast<int>(model_->tendons.size()); ++k) {
    const Tendon& tendon = model_->tendons[k];
    const double limit = upper ? tendon.upper : tendon.lower;
    if (!std::isfinite(limit) || is_length_asleep(in, k)) continue;
    const double gap = sign * (in.lengths->length(k) - limit), speed = sign * in.lengths->rate(k, in.v_free);
    if (gap > in.settings.limit_margin && gap + 2.0 * in.time_step * speed > 0.0) continue;
    begin_length_row(Constraint::make_unilateral(),
                     {.source = upper ? ConstraintSource::upper_limit : ConstraintSource::lower_limit,
                      .first = coupled_number(k),
                      .second = 0},
                     in, k, -1, rows);
    double offset = 0.0;
    if (std::abs(gap) > ConstraintSettings::negligible_gap || !is_length_at_rest(in, k)) {
      offset = in.settings.one_sided_offset(gap, in.time_step, !in.settings.projects_joints(*model_));
    }
    rows.back().error[0] = gap;
    rows.back().offset[0] = offset;
    rows.back().free_velocity[0] = speed + offset;
    add_length_row(in, k, sign, -1, 0.0, rows);
  }
}

void RowBuilder::add_tendon_friction(const Inputs& in, RowSet& rows) {
  for (int k = 0; k < static_cast<int>(model_->tendons.size()); ++k) {
    const Tendon& tendon = model_->tendons[k];
    if (!(tendon.dry_friction > 0.0) || is_length_asleep(in, k)) continue;
    begin_length_row(Constraint::make_dry_friction(in.time_step * tendon.dry_friction),
                     {.source = ConstraintSource::dry_friction, .first = coupled_number(k), .second = 0}, in, k, -1,
                     rows);
    rows.back().free_velocity[0] = in.lengths->rate(k, in.v_free);
    add_length_row(in, k, 1.0, -1, 0.0, rows);
  }
}

// ℓ_a = Σ c_k ℓ_b^k, as for joints.
void RowBuilder::add_tendon_equality(const Inputs& in, int loop, RowSet& rows) {
  const Loop& l = model_->loops[loop];
  const auto [wanted, slope] = polynomial(l.coefficients, l.tendon_b < 0 ? 0.0 : in.lengths->length(l.tendon_b));
  begin_length_row(Constraint::make_bilateral(1), {.source = ConstraintSource::loop, .first = loop, .second = 0}, in,
                   l.tendon_a, l.tendon_b, rows);
  const double error = in.lengths->length(l.tendon_a) - wanted;
  const double c_free = in.lengths->rate(l.tendon_a, in.v_free) -
                        (l.tendon_b < 0 ? 0.0 : slope * in.lengths->rate(l.tendon_b, in.v_free));
  set_loop_offset(in, l, 1, Vector3(error, 0.0, 0.0), rows);
  rows.back().free_velocity[0] = c_free + rows.back().offset[0];
  add_length_row(in, l.tendon_a, 1.0, l.tendon_b, -slope, rows);
  set_equality_doubt(rows);
}

void RowBuilder::add_coupled_servos(const Inputs& in, RowSet& rows) {
  for (const ServoRow& servo : in.coupled_servos) {
    const int k = servo.dof - model_->num_velocities();
    const Constraint law = servo.is_two_sided           ? Constraint::make_bilateral(1)
                           : std::isfinite(servo.bound) ? Constraint::make_dry_friction(servo.bound)
                                                        : Constraint::make_unilateral();
    begin_length_row(law, {.source = ConstraintSource::servo, .first = servo.dof, .second = servo.part}, in, k, -1,
                     rows);
    rows.back().offset[0] = servo.offset;
    rows.back().compliance[0] = servo.compliance;
    rows.back().free_velocity[0] = servo.sign * in.lengths->rate(k, in.v_free) + servo.offset;
    add_length_row(in, k, servo.sign, -1, 0.0, rows);
  }
}

}  // namespace stiction
