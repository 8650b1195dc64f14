// Loop rows that say what others say already.
//
// A plane four-bar that is closed at both ends of a pin, a finger on a parallelogram: several rows of its loops ask for
// the same. Rounding in the file that describes them makes them differ by 1e-8 m, and then they contradict each other:
// as the mechanism turns by an angle φ their points part by 1e-8 φ. Obeyed to the letter such rows hold the mechanism
// with impulses of any size. A row is redundant where what others do not say of it is less than moving its points by
// `ConstraintSettings::loop_tolerance` changes: with A_r = Σ w_k A_k + rest, ‖rest‖ ≤ tolerance · ‖turning of its
// bodies‖, and where its position error agrees, |e_r − Σ w_k e_k| ≤ tolerance. Rows that no joint moves are among them.
// It is left out: its impulse is zero, and its error stays what the others make of it. The rows that come first stay.
#pragma once

#include <span>
#include <vector>

#include "stiction/constraints/row_set.h"

namespace stiction {

class RedundantLoops {
 public:
  struct Found {
    int rows = 0;           // left out
    double mismatch = 0.0;  // largest |e_r − Σ w_k e_k| of these, m or rad
  };
  // Among the constraints of an island, ascending. Rows left out are zero, and marked.
  Found leave_out(RowSet& rows, std::span<const int> constraints, int num_velocities);

 private:
  static constexpr int most_rows = 200;  // a larger set of loops is left as it is

  struct Entry {
    int constraint = 0, lane = 0;
  };
  void list(const RowSet& rows, std::span<const int> constraints);
  void multiply(const RowSet& rows, int num_velocities);
  void keep(int k);
  int num_entries() const { return static_cast<int>(entries_.size()); }
  double* factor_column(int k) { return factor_.data() + static_cast<std::ptrdiff_t>(padded8(num_entries())) * k; }
  double* rest() { return factor_column(num_entries()); }

  std::vector<Entry> entries_;  // rows of loops without compliance
  std::vector<int> kept_;       // of these, independent ones
  std::vector<Pack4> lanes_;    // one constraint by velocity; zero between uses
  // G of the entries below the diagonal, by columns padded to eight; then its Cholesky factor by kept_. Behind them the
  // diagonal of what that leaves of G.
  std::vector<double> factor_;
  std::vector<double> weights_;  // w
};

}  // namespace stiction
