#include "stiction/solvers/auto/auto_active_set.h"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

// By how much what is near the edge of its cone is drawn inside.
constexpr double inside = 0.97;

// P⁻¹ by rows, of the block whose first column begins at `a`. False where its determinant vanishes or is not finite.
bool invert_block(const double* a, int stride, double* inverse) {
  const double *b = a + stride, *c = b + stride;
  const double first[3] = {b[1] * c[2] - c[1] * b[2], c[1] * a[2] - a[1] * c[2], a[1] * b[2] - b[1] * a[2]};
  const double determinant = a[0] * first[0] + (b[0] * first[1] + c[0] * first[2]);
  if (!(std::abs(determinant) > 0.0 && std::isfinite(determinant))) return false;
  const double scale = 1.0 / determinant;
  inverse[0] = scale * first[0];
  inverse[1] = scale * (c[0] * b[2] - b[0] * c[2]);
  inverse[2] = scale * (b[0] * c[1] - c[0] * b[1]);
  inverse[3] = scale * first[1];
  inverse[4] = scale * (a[0] * c[2] - c[0] * a[2]);
  inverse[5] = scale * (c[0] * a[1] - a[0] * c[1]);
  inverse[6] = scale * first[2];
  inverse[7] = scale * (b[0] * a[2] - a[0] * b[2]);
  inverse[8] = scale * (a[0] * b[1] - b[0] * a[1]);
  return true;
}

// A block of three rows, in registers.
struct Triple {
  double a, b, c;
};
inline Triple read(const double* x) {
  return {x[0], x[1], x[2]};
}
inline void store_triple(const Triple& x, double* to) {
  to[0] = x.a, to[1] = x.b, to[2] = x.c;
}
inline Triple multiply(const double* rows, const Triple& x) {
  return {rows[0] * x.a + (rows[1] * x.b + rows[2] * x.c), rows[3] * x.a + (rows[4] * x.b + rows[5] * x.c),
          rows[6] * x.a + (rows[7] * x.b + rows[8] * x.c)};
}
// x − (three neighbouring columns) y, in three rows.
inline Triple subtract(const Triple& x, const double* column, int stride, const Triple& y) {
  const double *b = column + stride, *c = b + stride;
  return {((x.a - y.a * column[0]) - y.b * b[0]) - y.c * c[0], ((x.b - y.a * column[1]) - y.b * b[1]) - y.c * c[1],
          ((x.c - y.a * column[2]) - y.b * b[2]) - y.c * c[2]};
}
// The same in rows [first, end), by whole packs.
inline void subtract(double* x, int first, int end, const double* column, int stride, const Triple& y) {
  const double *b = column + stride, *c = b + stride;
  for (int g = first; g < end; g += native_lanes) {
    store_native(x + g, ((load_native(x + g) - y.a * load_native(column + g)) - y.b * load_native(b + g)) -
                            y.c * load_native(c + g));
  }
}

// Eliminates columns k … k + 2 from those after them, over `Packs` packs of rows from `first` on: target −= (B P⁻¹)
// (rows k … k + 2 of the target), B being what is below the block. The multipliers B P⁻¹ stay in registers.
template <int Packs>
void eliminate_columns(double* matrix, int stride, int last_column, int k, int first, const double* inverse) {
  NativePack one[Packs], two[Packs], three[Packs];
  double* target = matrix + static_cast<std::ptrdiff_t>(stride) * k;
  for (int p = 0; p < Packs; ++p) {
    const double* from = target + first + native_lanes * p;
    const NativePack a = load_native(from), b = load_native(from + stride), c = load_native(from + 2 * stride);
    one[p] = inverse[0] * a + (inverse[3] * b + inverse[6] * c);
    two[p] = inverse[1] * a + (inverse[4] * b + inverse[7] * c);
    three[p] = inverse[2] * a + (inverse[5] * b + inverse[8] * c);
  }
  // Rows of the block and above it lie in the first pack only.
  const int below = k + 3 - first;
  one[0] = keep_lanes_from(one[0], below);
  two[0] = keep_lanes_from(two[0], below);
  three[0] = keep_lanes_from(three[0], below);
  target += 3 * static_cast<std::ptrdiff_t>(stride);
  for (int j = k + 3; j <= last_column; ++j, target += stride) {
    const Triple x = read(target + k);
    for (int p = 0; p < Packs; ++p) {
      double* to = target + first + native_lanes * p;
      store_native(to, ((load_native(to) - x.a * one[p]) - x.b * two[p]) - x.c * three[p]);
    }
  }
}

}  // namespace

inline void AutoActiveSet::add_rows(int row, int count) {
  if (num_runs_ > 0) {
    Run& last = runs_[num_runs_ - 1];
    if (last.first + last.length == n_ && last.row + last.length == row) {
      last.length += count;
      n_ += count;
      return;
    }
  }
  runs_[num_runs_++] = {row, n_, count};
  n_ += count;
}

inline void AutoActiveSet::add_units(int row, int count, const double* lambda) {
  for (int k = 0; k < count; ++k) {
    column_[n_ + k] = row + k;
    old_value_[n_ + k] = lambda[row + k];
    shift_[n_ + k] = 0.0;
  }
  add_rows(row, count);
}

// The equation of unknown n follows.
inline void AutoActiveSet::add_direction(const Direction& direction, double old_value, double shift) {
  column_[n_] = -1 - num_directions_;
  old_value_[n_] = old_value;
  shift_[n_] = shift;
  directions_[num_directions_++] = direction;
}

inline void AutoActiveSet::choose_contact(const DenseView& view, const Constraint& c, const double* lambda,
                                          const double* sigma, double edge) {
  const int f = c.first_row;
  const double *l = lambda + f, *s = sigma + f;
  const double largest = std::max({view.column(f)[f], view.column(f + 1)[f + 1], view.column(f + 2)[f + 2]});
  // x and R times 1/r: a sticking contact costs neither root nor division.
  const double x2 = largest * l[2] - s[2];
  if (!(x2 > 0.0)) return;
  const double x0 = largest * l[0] - s[0], x1 = largest * l[1] - s[1];
  const double reach = c.friction * (l[2] > 0.0 ? std::min(x2, largest * l[2]) : x2);
  const double tangent_squared = x0 * x0 + x1 * x1;
  if (tangent_squared <= reach * reach) {
    if (view.is_movable(f) && view.is_movable(f + 1) && view.is_movable(f + 2)) {
      add_units(f, 3, lambda);
      const double limit = c.friction * l[2];
      if (edge > 0.0 && l[0] * l[0] + l[1] * l[1] >= (1.0 - edge) * limit * limit) {
        old_value_[n_ - 3] *= inside;
        old_value_[n_ - 2] *= inside;
      }
      return;
    }
    for (int k = 0; k < 3; ++k) {
      if (view.is_movable(f + k)) add_units(f + k, 1, lambda);
    }
    return;
  }
  const double tangent = std::sqrt(tangent_squared), turn = 1.0 / tangent;
  const double d0 = turn * x0, d1 = turn * x1;
  // The normal comes last, so that its row and those of the next contact are neighbours.
  if (reach > 0.0) {  // μ = 0: no tangential impulse at all
    add_direction({f, {-d1, d0, 0.0}}, -d1 * l[0] + d0 * l[1], (tangent - reach) * largest / reach);
    combined_[num_combined_++] = {f, n_++, {-d1, d0}};
  }
  add_direction({f, {c.friction * d0, c.friction * d1, 1.0}}, std::max(0.0, l[2]), 0.0);
  add_rows(f + 2, 1);
}

void AutoActiveSet::choose_active_set(const DenseView& view, const double* lambda, const double* sigma, double edge) {
  n_ = num_runs_ = num_combined_ = num_directions_ = 0;
  any_fixed_ = false;
  for (const Constraint& c : view.constraints) {
    const int f = c.first_row;
    if (c.kind == ConstraintKind::frictional) {
      choose_contact(view, c, lambda, sigma, edge);
      continue;
    }
    if (c.kind == ConstraintKind::bilateral) {
      for (int k = 0; k < c.rows; ++k) {
        if (view.is_movable(f + k)) add_units(f + k, 1, lambda);
      }
      continue;
    }
    const double w = view.column(f)[f];
    if (!view.is_movable(f)) continue;
    const double x = lambda[f] - sigma[f] / w;
    if (c.kind == ConstraintKind::unilateral) {
      if (x > 0.0) add_units(f, 1, lambda);
    } else if (std::abs(x) < c.bound) {
      add_units(f, 1, lambda);
    } else {
      if (!any_fixed_) std::fill(fixed_.begin(), fixed_.begin() + view.rows, 0.0);
      any_fixed_ = true;
      fixed_[f] = std::copysign(c.bound, x);
    }
  }
}

// The equations of the active set from a vector of all rows.
inline void AutoActiveSet::pick_equations(const double* full, double* picked) const {
  for (int k = 0; k < num_runs_; ++k) std::copy_n(full + runs_[k].row, runs_[k].length, picked + runs_[k].first);
  for (int k = 0; k < num_combined_; ++k) {
    const Combined& c = combined_[k];
    picked[c.equation] = c.weight[0] * full[c.row] + c.weight[1] * full[c.row + 1];
  }
}

// The same by whole packs: up to seven entries behind a run are read and written. Runs ascend, so what is written too
// much is overwritten by the next, or lies in the padding, or in the next column, which must not be there yet.
inline void AutoActiveSet::pick_padded(const double* full, double* picked) const {
  const Run *run = runs_.data(), *const last_run = run + num_runs_;
  for (; run != last_run; ++run) {
    const double *from = full + run->row, *const end = from + run->length;
    for (double* to = picked + run->first; from < end; from += native_lanes, to += native_lanes)
      store_native(to, load_native(from));
  }
  const Combined *c = combined_.data(), *const last = c + num_combined_;
  for (; c != last; ++c) picked[c->equation] = c->weight[0] * full[c->row] + c->weight[1] * full[c->row + 1];
}

// Unknowns that fill the last block are equal to zero. Rows behind them hold anything: no row reads another one's
// padding.
void AutoActiveSet::assemble(const DenseView& view, double proximal) {
  if (n_ == 0) return;
  const int n = n_, size = size_, stride = stride_, last_column = view.rows - 1;
  const int* const number = column_.data();
  double *const work = work_.data(), *const weight = weight_.data();
  const double* const shift = shift_.data();
  double* column = matrix_.data();
  for (int j = 0; j < n; ++j, column += stride) {
    const double* full = work;
    if (number[j] < 0) {
      const Direction& d = directions_[-1 - number[j]];
      dense_detail::combine_three_columns(work, view.stride, view.column(d.first_row), d.weight);
    } else if (number[j] < last_column) {
      full = view.column(number[j]);
    } else {  // nothing may be read behind the last column
      dense_detail::copy_padded(view.column(last_column), view.stride, work);
    }
    pick_padded(full, column);
    const double diagonal = column[j] + shift[j];
    weight[j] = proximal * std::abs(diagonal);
    column[j] = diagonal + weight[j];
    if (n < size) {  // one row or two: no loop, which becomes a call
      column[n] = 0.0;
      column[size - 1] = 0.0;
    }
  }
  for (int j = n; j < size; ++j, column += stride) {
    std::fill_n(column, stride, 0.0);
    column[j] = 1.0;
  }
  const double* load_vector = view.free_velocity;
  if (any_fixed_) {
    dense_velocity(view, fixed_.data(), work);
    load_vector = work;
  }
  pick_padded(load_vector, column);
  for (int g = 0; g < stride; g += native_lanes) {  // zero in the padding
    const NativePack w = load_native(weight + g);
    store_native(weight + g, keep_lanes_until(w, n - g));
    store_native(column + g, keep_lanes_until(w * load_native(&old_value_[g]) - load_native(column + g), n - g));
  }
}

// Block by block; the last one has no rows below it.
bool AutoActiveSet::eliminate() {
  double* const matrix = matrix_.data();
  for (int k = 0; k < size_; k += 3) {
    double* const inverse = block_inverse_.data() + 3 * k;
    if (!invert_block(matrix + static_cast<std::ptrdiff_t>(stride_) * k + k, stride_, inverse)) return false;
    if (k + 3 == size_) break;
    for_packs<native_registers == 32 ? 4 : 3>(
        (k + 3) / native_lanes, stride_ / native_lanes, [&](auto packs, int first) {
          eliminate_columns<packs>(matrix, stride_, size_, k, native_lanes * first, inverse);
        });
  }
  return true;
}

// y_b = P_b⁻¹ (z_b − Σ_{c>b} U_bc y_c), block column by block column from the last. The block above takes its share of
// y_b ahead of the others, so that it does not wait for a store.
void AutoActiveSet::substitute_back() {
  if (size_ == 0) return;
  double* z = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * size_;
  Triple next = read(z + size_ - 3);
  for (int k = size_ - 3;; k -= 3) {
    const Triple y = multiply(block_inverse_.data() + 3 * k, next);
    store_triple(y, y_.data() + k);
    if (k == 0) break;
    const double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * k;
    next = subtract(read(z + k - 3), column + k - 3, stride_, y);
    subtract(z, 0, k - 3, column, stride_, y);  // rows from k − 3 on are spoilt; they are not read again
  }
}

void AutoActiveSet::write(const DenseView& view, double* lambda) const {
  for (int k = 0; k < view.stride; k += native_lanes)
    store_native(lambda + k, any_fixed_ ? load_native(&fixed_[k]) : NativePack{});
  for (int j = 0; j < n_; ++j) {
    if (column_[j] >= 0) {
      lambda[column_[j]] = y_[j];
    } else {
      const Direction& d = directions_[-1 - column_[j]];
      for (int k = 0; k < 3; ++k) lambda[d.first_row + k] += y_[j] * d.weight[k];
    }
  }
}

bool AutoActiveSet::step(const DenseView& view, double proximal, double* lambda, const double* sigma, double edge) {
  const std::size_t m = view.rows, padded = padded8(view.rows + 2);
  if (column_.size() < m) {
    runs_.resize(m);
    combined_.resize(m);
    directions_.resize(m);
    column_.resize(m);
    for (auto* v : {&old_value_, &shift_, &weight_, &y_, &forward_}) v->resize(padded);
    block_inverse_.resize(3 * padded);
    fixed_.resize(padded);
    work_.resize(padded + 8);
    matrix_.resize(padded * (m + 3) + 8);
  }
  choose_active_set(view, lambda, sigma, edge);
  size_ = (n_ + 2) / 3 * 3;
  stride_ = padded8(size_);
  for (int g = std::max(0, stride_ - 8); g < stride_; g += native_lanes) store_native(&y_[g], NativePack{});  // padding
  assemble(view, proximal);
  if (!eliminate()) return false;
  substitute_back();
  write(view, lambda);
  return true;
}

double AutoActiveSet::held_back() const {
  NativePack largest{};
  for (int g = 0; g < stride_; g += native_lanes) {
    const NativePack held = load_native(&weight_[g]) * (load_native(&y_[g]) - load_native(&old_value_[g]));
    const NativePack size = held < 0.0 ? -held : held;
    largest = size > largest ? size : largest;
  }
  double most = 0.0;
  for (int k = 0; k < native_lanes; ++k) most = std::max(most, +largest[k]);
  return most;
}

void AutoActiveSet::release(const DenseView& view, double* lambda) {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * size_;
  // Zero in the padding, whatever an earlier problem left there.
  for (int g = 0; g < stride_; g += native_lanes) {
    const NativePack held = load_native(&weight_[g]) * (load_native(&y_[g]) - load_native(&old_value_[g]));
    store_native(right + g, keep_lanes_until(held, n_ - g));
  }
  correct(view, lambda);
}

void AutoActiveSet::refine(const DenseView& view, double* lambda, const double* sigma) {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * size_;
  pick_equations(sigma, right);
  for (int i = 0; i < n_; ++i) right[i] = -(right[i] + shift_[i] * y_[i]);
  for (int i = n_; i < size_; ++i) right[i] = 0.0;
  correct(view, lambda);
}

// Forward through L = B P⁻¹, one block ahead as in substitute_back(), then back; y gets the correction added.
void AutoActiveSet::correct(const DenseView& view, double* lambda) {
  if (size_ == 0) return;
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * size_;
  Triple next = read(right);
  for (int k = 0;; k += 3) {
    store_triple(next, forward_.data() + k);
    if (k + 3 == size_) break;
    const double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * k;
    const Triple share = multiply(block_inverse_.data() + 3 * k, next);
    next = subtract(read(right + k + 3), column + k + 3, stride_, share);
    subtract(right, (k + 6) / native_lanes * native_lanes, stride_, column, stride_,
             share);  // rows up to k + 5 are spoilt; not read again
  }
  dense_detail::copy_padded(forward_.data(), stride_, right);
  dense_detail::copy_padded(y_.data(), stride_, forward_.data());
  substitute_back();
  for (int g = 0; g < stride_; g += native_lanes) store_native(&y_[g], load_native(&y_[g]) + load_native(&forward_[g]));
  write(view, lambda);
}

}  // namespace stiction
