// A dense problem as kernels at robot scale see it: everything is a combination of columns of G, added pack by pack.
#pragma once

#include <span>

#include "stiction/contact/constraint.h"
#include "stiction/math/native_pack.h"
#include "stiction/solvers/put_in_sets.h"

namespace stiction {

// Columns are padded to eight and padding rows hold zero. R is on the diagonal.
struct DenseView {
  int rows = 0;
  int stride = 0;                         // padded8(rows)
  const double* delassus = nullptr;       // stride × rows, column-major
  const double* free_velocity = nullptr;  // g, padded as a column; eight entries behind it may be read
  std::span<const Constraint> constraints;
  // Rows with a diagonal up to this cannot be moved by any impulse (a planar mechanism has none across its plane).
  double negligible = 0.0;

  const double* column(int j) const { return delassus + static_cast<std::ptrdiff_t>(stride) * j; }
  bool is_movable(int row) const { return column(row)[row] > negligible; }
};

namespace dense_detail {

// Vectors are short: copied by packs, they take less time than a call.
inline void copy_padded(const double* from, int stride, double* to) {
  for (int k = 0; k < stride; k += native_lanes) store_native(to + k, load_native(from + k));
}
// From a vector without padding; zero behind its rows.
inline void copy_and_pad(const double* from, int rows, int stride, double* to) {
  int k = 0;
  for (; k + native_lanes <= rows; k += native_lanes) store_native(to + k, load_native(from + k));
  for (; k < stride; ++k) to[k] = k < rows ? from[k] : 0.0;
}

// out += x · a
inline void add_column(double* out, int stride, const double* a, double x) {
  for (int k = 0; k < stride; k += native_lanes) store_native(out + k, load_native(out + k) + x * load_native(a + k));
}

// out += three neighbouring columns times x
inline void add_three_columns(double* out, int stride, const double* a, const double* x) {
  const double *b = a + stride, *c = b + stride;
  for (int k = 0; k < stride; k += native_lanes) {
    store_native(out + k, (load_native(out + k) + x[0] * load_native(a + k)) +
                              (x[1] * load_native(b + k) + x[2] * load_native(c + k)));
  }
}

// out = three neighbouring columns times x
inline void combine_three_columns(double* out, int stride, const double* a, const double* x) {
  const double *b = a + stride, *c = b + stride;
  for (int k = 0; k < stride; k += native_lanes)
    store_native(out + k, x[0] * load_native(a + k) + (x[1] * load_native(b + k) + x[2] * load_native(c + k)));
}

// σ = G λ + g for `Packs` packs of rows from `first` on, accumulators in registers.
template <int Packs>
inline void velocity_rows(const DenseView& view, int first, const double* lambda, double* sigma) {
  NativePack even[Packs], odd[Packs];
  for (int p = 0; p < Packs; ++p) {
    even[p] = load_native(view.free_velocity + first + native_lanes * p);
    odd[p] = NativePack{};
  }
  for (const Constraint& c : view.constraints) {
    const double* l = lambda + c.first_row;
    const double* a = view.column(c.first_row) + first;
    if (c.rows == 3) {
      if (l[0] == 0.0 && l[1] == 0.0 && l[2] == 0.0) continue;
      for (int p = 0; p < Packs; ++p) {
        even[p] += l[0] * load_native(a + native_lanes * p);
        odd[p] += l[1] * load_native(a + view.stride + native_lanes * p);
        even[p] += l[2] * load_native(a + 2 * view.stride + native_lanes * p);
      }
    } else if (l[0] != 0.0) {
      for (int p = 0; p < Packs; ++p) odd[p] += l[0] * load_native(a + native_lanes * p);
    }
  }
  for (int p = 0; p < Packs; ++p) store_native(sigma + first + native_lanes * p, even[p] + odd[p]);
}

}  // namespace dense_detail

// σ = G λ + g. σ has room for view.stride entries; the padding becomes zero.
inline void dense_velocity(const DenseView& view, const double* lambda, double* sigma) {
  using dense_detail::velocity_rows;
  for_packs<4>(0, view.stride / native_lanes,
               [&](auto packs, int first) { velocity_rows<packs>(view, native_lanes * first, lambda, sigma); });
}

// λ put into its sets. False where that changes nothing.
inline bool put_in_sets(const DenseView& view, const double* lambda, double* projected) {
  dense_detail::copy_padded(lambda, view.stride, projected);
  return put_in_sets(view.constraints, projected);
}

}  // namespace stiction
