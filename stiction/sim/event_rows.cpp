#include "stiction/sim/event_rows.h"

namespace stiction {

EventRows::EventRows(std::shared_ptr<const Model> model, double tolerance) : builder_(std::move(model)) {
  settings_.baumgarte = 0.0;
  settings_.hold_sticking = false;
  settings_.limit_margin = tolerance;
}

void EventRows::build(const DynamicsData& data, const VectorX& q, const VectorX& v, const VectorX& x,
                      std::span<const ContactPoint> points) {
  roles_.assign(points.size(), PointRole::exact);
  builder_.build({.dynamics = data,
                  .q = q.data(),
                  .v = v.data(),
                  .v_free = x.data(),
                  .contacts = points,
                  .roles = roles_.data(),
                  .contact_margin = 1.0,
                  .time_step = 1.0,
                  .settings = settings_},
                 all_);
  for (StepConstraint& row : all_.constraints) {
    row.free_velocity -= row.offset;
    row.offset = row.compliance = Pack4{};
  }
}

StepConstraint& append(const RowSet& from, int i, RowSet& to) {
  const int first_column = static_cast<int>(to.columns.size()), first_segment = static_cast<int>(to.segments.size());
  for (RowSet::Segment segment : from.segments_of(i)) {
    segment.first_column += first_column - from.first_column(i);
    to.segments.push_back(segment);
  }
  for (int c = from.first_column(i); c < from.end_column(i); ++c) {
    to.columns.push_back(from.columns[c]);
    to.velocity.push_back(from.velocity[c]);
  }
  StepConstraint& row = to.constraints.emplace_back(from[i]);
  row.first_column = first_column, row.first_segment = first_segment;
  return row;
}

Pack4 multiply(const RowSet& rows, int i, const VectorX& w) {
  Pack4 sum{};
  for (int c = rows.first_column(i); c < rows.end_column(i); ++c) sum += w[rows.velocity[c]] * rows.columns[c];
  return sum;
}

void add_transposed(const RowSet& rows, int i, const Pack4& impulse, VectorX& w) {
  for (int c = rows.first_column(i); c < rows.end_column(i); ++c) {
    const Pack4 part = rows.columns[c] * impulse;
    w[rows.velocity[c]] += part[0] + part[1] + part[2];
  }
}

}  // namespace stiction
