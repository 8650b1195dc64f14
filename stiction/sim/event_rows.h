// Rows of an instant: of contacts that touch, of joints at their limits, of joints that dry friction holds. Made by
// RowBuilder; here they are picked, and asked for what events need (theory §7.1).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/constraints/row_builder.h"
#include "stiction/constraints/row_set.h"

namespace stiction {

class EventRows {
 public:
  EventRows(std::shared_ptr<const Model> model, double tolerance);

  // All rows of these points, of limits nearer than the tolerance and of dry friction, with J x as their free velocity
  // and no offsets; bounds of dry friction in N·m or N.
  void build(const DynamicsData& data, const VectorX& q, const VectorX& v, const VectorX& x,
             std::span<const ContactPoint> points);
  const RowSet& all() const { return all_; }
  int num_contacts() const { return builder_.num_contacts(); }
  int point(int contact) const { return builder_.point(contact); }
  const Matrix3& frame(int contact) const { return builder_.frame(contact); }

 private:
  ConstraintSettings settings_;
  RowBuilder builder_;
  RowSet all_;
  std::vector<PointRole> roles_;
};

// Appends constraint i of a set to another one.
StepConstraint& append(const RowSet& from, int i, RowSet& to);
// Constraint i times w = D^(1/2) L v in the coordinates of the factor, lanes = rows.
Pack4 multiply(const RowSet& rows, int i, const VectorX& w);
// w += A_iᵀ λ.
void add_transposed(const RowSet& rows, int i, const Pack4& impulse, VectorX& w);

}  // namespace stiction
