#include "stiction/constraints/redundant_loops.h"

#include <algorithm>
#include <cmath>

#include "stiction/constraints/constraint_settings.h"
#include "stiction/math/native_pack.h"

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
  const int n = num_entries();
  factor_.resize(static_cast<std::size_t>(padded8(n)) * (n + 1));
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
        for (int s = 0; s < rows[j].law.rows; ++s) factor_column(m + s)[k + r] = sum[r][s];
      }
    }
    for (int c = begin; c < end; ++c) lanes_[rows.velocity[c]] = Pack4{};
  }
  for (int k = 0; k < n; ++k) rest()[k] = factor_column(k)[k];
}

// Column k of the Cholesky factor, and what it leaves of the rows below: whole packs, above the diagonal anything.
void RedundantLoops::keep(int k) {
  double *const own = factor_column(k), *const left = rest();
  const double pivot = std::sqrt(left[k]);
  const int stride = padded8(num_entries()), first = (k + 1) / native_lanes * native_lanes;
  for (const int b : kept_) {
    const double* const other = factor_column(b);
    const double entry = other[k];
    for (int j = first; j < stride; j += native_lanes)
      store_native(own + j, load_native(own + j) - load_native(other + j) * entry);
  }
  for (int j = first; j < stride; j += native_lanes) {
    const NativePack x = load_native(own + j) / pivot;
    store_native(own + j, x);
    store_native(left + j, load_native(left + j) - x * x);
  }
  own[k] = pivot;
  kept_.push_back(k);
}

RedundantLoops::Found RedundantLoops::leave_out(RowSet& rows, std::span<const int> constraints, int num_velocities) {
  Found found;
  list(rows, constraints);
  const int n = num_entries();
  if (n < 2 || n > most_rows) return found;
  multiply(rows, num_velocities);
  kept_.clear();
  for (int k = 0; k < n; ++k) {
    StepConstraint& constraint = rows[entries_[k].constraint];
    const int lane = entries_[k].lane;
    constexpr double rounding = 1e-14;
    if (rest()[k] > std::max(constraint.doubt, rounding * factor_column(k)[k])) {
      keep(k);
      continue;
    }
    // Lᵀ w = its line.
    double mismatch = constraint.error[lane];
    for (std::size_t a = kept_.size(); a-- > 0;) {
      const double* const column = factor_column(kept_[a]);
      double x = column[k];
      for (std::size_t b = a + 1; b < kept_.size(); ++b) x -= column[kept_[b]] * weights_[b];
      weights_[a] = x / column[kept_[a]];
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
