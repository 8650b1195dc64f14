#include "stiction/contact/held_bounds.h"

#include <algorithm>
#include <cmath>

namespace stiction {

void HeldBounds::make(const ContactProblem& coupled, double stiffness) {
  problem_ = coupled;
  members_.clear();
  problem_.kinds_ = 0;
  for (int i = 0; i < problem_.num_constraints(); ++i) {
    Constraint& c = problem_.constraints_[i];
    if (c.kind == ConstraintKind::torsional) {
      c = Constraint::make_dry_friction(0.0);
      members_.push_back({i});
    } else if (c.kind == ConstraintKind::rolling) {
      c = Constraint::make_frictional(1.0);
      const Matrix3& block = coupled.diagonal_block(i);
      const double* r = coupled.compliance().data() + coupled.constraint(i).first_row;
      const double own = 0.5 * (block(0, 0) + r[0] + block(1, 1) + r[1]);
      const double weight = stiffness * (own > 0.0 ? own : coupled.largest_diagonal());
      problem_.compliance_[coupled.constraint(i).first_row + 2] = weight;
      problem_.rigid_ = false;
      members_.push_back({i, weight});
    }
    c.first_row = coupled.constraint(i).first_row;
    problem_.kinds_ |= 1u << static_cast<int>(c.kind);
  }
}

void HeldBounds::set_bound(int k, double bound) {
  Member& m = members_[k];
  m.bound = bound;
  Constraint& c = problem_.constraints_[m.constraint];
  if (m.weight == 0.0) {
    c.bound = std::max(0.0, bound);
    return;
  }
  problem_.free_velocity_[c.first_row + 2] = -m.weight * bound;
  // The impulses of the disc count against its size, as those of a contact against its load.
  const double load = std::abs(m.weight * bound) / problem_.largest_free_velocity_;
  problem_.scale_[m.constraint].push = std::clamp(load, ConstraintScale::floor, 1.0);
}

}  // namespace stiction
