// A dictionary x_B = q̄ + T x_N of linear equations, and the exchange of one basic with one nonbasic variable.
//
// What Lemke's and Dantzig's methods have in common. Only the nonbasic columns are kept, so an exchange costs
// rows × columns multiplications and a dictionary of w = q + M z is as large as M.
#pragma once

#include "stiction/math/types.h"

namespace stiction {

class PivotingDictionary {
 public:
  void resize(int rows, int columns);  // contents are undefined afterwards
  int rows() const { return static_cast<int>(table_.rows()); }
  int columns() const { return static_cast<int>(table_.cols()); }

  MatrixX& table() { return table_; }  // T
  const MatrixX& table() const { return table_; }
  VectorX& value() { return value_; }  // q̄: the basic variables where all nonbasic ones are zero
  const VectorX& value() const { return value_; }

  // The basic variable of `row` and the nonbasic one of `column` change places; T(row, column) must not be zero.
  void exchange(int row, int column);

 private:
  MatrixX table_;
  VectorX value_;
  VectorX column_;  // copy of the pivot column
};

}  // namespace stiction
