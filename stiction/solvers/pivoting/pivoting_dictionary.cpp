#include "stiction/solvers/pivoting/pivoting_dictionary.h"

#include <cassert>

namespace stiction {

void PivotingDictionary::resize(int rows, int columns) {
  table_.resize(rows, columns);
  value_.resize(rows);
  column_.resize(rows);
}

// From x_r = q̄_r + Σ_j T_rj x_j: x_c = (x_r − q̄_r − Σ_{j≠c} T_rj x_j) / T_rc, put into every other row.
void PivotingDictionary::exchange(int row, int column) {
  const double pivot = table_(row, column);
  assert(pivot != 0.0);
  column_ = table_.col(column);
  column_[row] = 0.0;  // the pivot row is written apart

  const auto eliminate = [&](auto&& target) {
    const double factor = -target[row] / pivot;
    if (factor != 0.0) target.noalias() += factor * column_;
    target[row] = factor;
  };
  for (Eigen::Index j = 0; j < table_.cols(); ++j) {
    if (j != column) eliminate(table_.col(j));
  }
  eliminate(value_);
  table_.col(column).noalias() = column_ / pivot;
  table_(row, column) = 1.0 / pivot;
}

}  // namespace stiction
