#include "stiction/constraints/redundant_loops.h"

#include <algorithm>
#include <cmath>

#include "stiction/constraints/constraint_settings.h"

namespace stiction {

void RedundantLoops::list(const RowSet& rows, std::span<const int> constraints) {
  entries_.clear();
  // Loops come after contacts, limits and dry friction, before servos.
  auto i = std::lower_bound(constraints.begin(), constraints.end(), ConstraintSource::loop,
                            [&](int c, ConstraintSource source) { return rows[c].id.source < source; });
  for (; i != constraints.end() && rows[*i].id.source == ConstraintSource::loop; ++i) {
    if (rows[*i].compliance[0] > 0.0) continue;
    for (int r = 0; r < rows[*i].law.rows; ++r) entries_.push_back({*i, r});
  }
}

// G of the entries, below and on the diagonal.
void RedundantLoops::multiply(const RowSet& rows, int num_velocities) {
  const int n = static_cast<int>(entries_.size());
  factor_.resize(static_cast<std::size_t>(n) * n);
  weights_.resize(n);
  lanes_.resize(num_velocities);
  for (int k = 0; k < n; k += rows[entries_[k].constraint].law.rows) {
    const int i = entries_[k].constraint, begin = rows.first_column(i), end = rows.end_column(i);
    for (int c = begin; c < end; ++c) lanes_[rows.velocity[c]] = rows.columns[c];
    for (int m = 0; m <= k; m += rows[entries_[m].constraint].law.rows) {
      const int j = entries_[m].constraint;
      Pack4 sum[3] = {};
      for (int c = rows.first_column(j); c < rows.end_column(j); ++c) {
        const Pack4 a = lanes_[rows.velocity[c]];
        for (int r = 0; r < 3; ++r) sum[r] += a[r] * rows.columns[c];
      }
      for (int r = 0; r < rows[i].law.rows; ++r) {
        for (int s = 0; s < rows[j].law.rows; ++s) factor_row(k + r)[m + s] = sum[r][s];
      }
    }
    for (int c = begin; c < end; ++c) lanes_[rows.velocity[c]] = Pack4{};
  }
}

RedundantLoops::Found RedundantLoops::leave_out(RowSet& rows, std::span<const int> constraints, int num_velocities) {
  Found found;
  list(rows, constraints);
  const int n = static_cast<int>(entries_.size());
  if (n < 2 || n > most_rows) return found;
  multiply(rows, num_velocities);
  kept_.clear();
  for (int k = 0; k < n; ++k) {
    StepConstraint& constraint = rows[entries_[k].constraint];
    const int lane = entries_[k].lane;
    double* const own = factor_row(k);
    const double whole = own[k];
    // Its line of the Cholesky factor, by what is kept.
    double rest = whole;
    for (std::size_t a = 0; a < kept_.size(); ++a) {
      const double* const other = factor_row(kept_[a]);
      double x = own[kept_[a]];
      for (std::size_t b = 0; b < a; ++b) x -= own[kept_[b]] * other[kept_[b]];
      own[kept_[a]] = x / other[kept_[a]];
      rest -= own[kept_[a]] * own[kept_[a]];
    }
    constexpr double rounding = 1e-14;
    if (rest > std::max(constraint.doubt, rounding * whole)) {
      own[k] = std::sqrt(rest);
      kept_.push_back(k);
      continue;
    }
    // Lᵀ w = its line.
    double mismatch = constraint.error[lane];
    for (std::size_t a = kept_.size(); a-- > 0;) {
      double x = own[kept_[a]];
      for (std::size_t b = a + 1; b < kept_.size(); ++b) x -= factor_row(kept_[b])[kept_[a]] * weights_[b];
      weights_[a] = x / factor_row(kept_[a])[kept_[a]];
      const Entry& other = entries_[kept_[a]];
      mismatch -= weights_[a] * rows[other.constraint].error[other.lane];
    }
    if (!(std::abs(mismatch) <= ConstraintSettings::loop_tolerance)) continue;
    ++found.rows;
    found.mismatch = std::max(found.mismatch, std::abs(mismatch));
    constraint.left_out |= 1U << lane;
    constraint.free_velocity[lane] = constraint.offset[lane] = constraint.guess[lane] = 0.0;
    for (int c = rows.first_column(entries_[k].constraint); c < rows.end_column(entries_[k].constraint); ++c) {
      rows.columns[c][lane] = 0.0;
    }
  }
  return found;
}

}  // namespace stiction
