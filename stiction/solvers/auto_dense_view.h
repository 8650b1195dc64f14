// The dense problem as the robot-scale parts of `auto` see it, and the two kernels they share: everything is a
// combination of columns of G, added pack by pack.
#pragma once

#include <algorithm>
#include <span>

#include "stiction/contact/constraint.h"
#include "stiction/math/pack.h"

namespace stiction {

// Columns are padded to eight and padding rows hold zero. R is already on the diagonal.
struct AutoDenseView {
  int rows = 0;
  int stride = 0;                         // padded8(rows)
  const double* delassus = nullptr;       // stride × rows, column-major
  const double* free_velocity = nullptr;  // g, `rows` long
  std::span<const Constraint> constraints;
  // Rows with a diagonal up to this cannot be moved by any impulse (a planar mechanism has none across its plane).
  double negligible = 0.0;

  const double* column(int j) const { return delassus + static_cast<std::ptrdiff_t>(stride) * j; }
  bool is_movable(int row) const { return column(row)[row] > negligible; }
};

namespace auto_dense_detail {

// out += x · a
inline void add_column(double* out, int stride, const double* a, double x) {
  for (int k = 0; k < stride; k += 8) store8(out + k, load8(out + k) + x * load8(a + k));
}

// out += three neighbouring columns times x
inline void add_three_columns(double* out, int stride, const double* a, const double* x) {
  const double *b = a + stride, *c = b + stride;
  for (int k = 0; k < stride; k += 8) {
    store8(out + k, (load8(out + k) + x[0] * load8(a + k)) + (x[1] * load8(b + k) + x[2] * load8(c + k)));
  }
}

// out = three neighbouring columns times x
inline void combine_three_columns(double* out, int stride, const double* a, const double* x) {
  const double *b = a + stride, *c = b + stride;
  for (int k = 0; k < stride; k += 8)
    store8(out + k, x[0] * load8(a + k) + (x[1] * load8(b + k) + x[2] * load8(c + k)));
}

// sigma[0 … 8·packs) = g + G λ for `Packs` packs of rows from `first` on, accumulators in registers.
template <int Packs>
inline void velocity_rows(const AutoDenseView& view, int first, const double* lambda, double* sigma) {
  Pack8 even[Packs], odd[Packs];
  for (int p = 0; p < Packs; ++p) {
    even[p] = load8(sigma + first + 8 * p);
    odd[p] = Pack8{};
  }
  for (const Constraint& c : view.constraints) {
    const double* l = lambda + c.first_row;
    const double* a = view.column(c.first_row) + first;
    if (c.rows == 3) {
      if (l[0] == 0.0 && l[1] == 0.0 && l[2] == 0.0) continue;
      for (int p = 0; p < Packs; ++p) {
        even[p] += l[0] * load8(a + 8 * p);
        odd[p] += l[1] * load8(a + view.stride + 8 * p);
        even[p] += l[2] * load8(a + 2 * view.stride + 8 * p);
      }
    } else if (l[0] != 0.0) {
      for (int p = 0; p < Packs; ++p) odd[p] += l[0] * load8(a + 8 * p);
    }
  }
  for (int p = 0; p < Packs; ++p) store8(sigma + first + 8 * p, even[p] + odd[p]);
}

}  // namespace auto_dense_detail

// σ = G λ + g. σ has room for view.stride entries; the padding becomes zero.
inline void auto_dense_velocity(const AutoDenseView& view, const double* lambda, double* sigma) {
  using auto_dense_detail::velocity_rows;
  std::copy_n(view.free_velocity, view.rows, sigma);
  for (int k = view.rows; k < view.stride; ++k) sigma[k] = 0.0;
  int first = 0;
  for (; first + 32 <= view.stride; first += 32) velocity_rows<4>(view, first, lambda, sigma);
  switch ((view.stride - first) / 8) {
    case 1:
      velocity_rows<1>(view, first, lambda, sigma);
      break;
    case 2:
      velocity_rows<2>(view, first, lambda, sigma);
      break;
    case 3:
      velocity_rows<3>(view, first, lambda, sigma);
      break;
    default:
      break;
  }
}

}  // namespace stiction
