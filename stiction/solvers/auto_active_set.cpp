#include "stiction/solvers/auto_active_set.h"

#include <algorithm>
#include <cmath>

namespace stiction {

using auto_dense_detail::load;
using auto_dense_detail::store;

namespace {

constexpr Pack8 lane_numbers{0, 1, 2, 3, 4, 5, 6, 7};

// Rows of column k below row k, as multiples of its pivot; rows above lie in the first pack only.
template <int Packs>
void load_multipliers(const double* column, int k, int first, double pivot_inverse, Pack8* multiplier) {
  for (int p = 0; p < Packs; ++p) multiplier[p] = pivot_inverse * load(column + first + 8 * p);
  const Pack8 below = lane_numbers + static_cast<double>(first - k);
  multiplier[0] = below > 0.0 ? multiplier[0] : Pack8{};
}

// Subtracts multiples of columns k and k + 1 from the columns after them, over `Packs` packs of rows from `first` on;
// the multipliers stay in registers. Two columns at once: half the traffic, half the waiting for the next pivot.
template <int Packs>
void eliminate_columns(double* matrix, int stride, int last_column, int k, int first, const double* pivot_inverse) {
  Pack8 one[Packs], two[Packs];
  const double* column = matrix + static_cast<std::ptrdiff_t>(stride) * k;
  double* next = matrix + static_cast<std::ptrdiff_t>(stride) * (k + 1);
  const double below_pivot = pivot_inverse[0] * column[k + 1];
  load_multipliers<Packs>(column, k, first, pivot_inverse[0], one);
  for (int p = 0; p < Packs; ++p) {
    store(next + first + 8 * p, load(next + first + 8 * p) - next[k] * one[p]);
  }
  load_multipliers<Packs>(next, k + 1, first, pivot_inverse[1], two);
  double* target = next + stride;
  for (int j = k + 2; j <= last_column; ++j, target += stride) {
    const double x = target[k], y = target[k + 1] - x * below_pivot;
    for (int p = 0; p < Packs; ++p) {
      store(target + first + 8 * p, (load(target + first + 8 * p) - x * one[p]) - y * two[p]);
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

inline void AutoActiveSet::choose_contact(const AutoDenseView& view, const Constraint& c, const double* lambda,
                                          const double* sigma) {
  const int f = c.first_row;
  const double *l = lambda + f, *s = sigma + f;
  const double largest = std::max({view.column(f)[f], view.column(f + 1)[f + 1], view.column(f + 2)[f + 2]});
  if (!(largest * l[2] > s[2])) return;
  const double r = 1.0 / largest;
  const double x0 = l[0] - r * s[0], x1 = l[1] - r * s[1], x2 = l[2] - r * s[2];
  const double reach = c.friction * (l[2] > 0.0 ? std::min(x2, l[2]) : x2);
  const double tangent = std::sqrt(x0 * x0 + x1 * x1);
  if (tangent <= reach) {
    if (view.is_movable(f) && view.is_movable(f + 1) && view.is_movable(f + 2)) return add_units(f, 3, lambda);
    for (int k = 0; k < 3; ++k) {
      if (view.is_movable(f + k)) add_units(f + k, 1, lambda);
    }
    return;
  }
  const double turn = 1.0 / tangent;
  const double d0 = turn * x0, d1 = turn * x1;
  add_direction({f, {c.friction * d0, c.friction * d1, 1.0}}, std::max(0.0, l[2]), 0.0);
  add_rows(f + 2, 1);
  if (!(reach > 0.0)) return;  // μ = 0: no tangential impulse at all
  add_direction({f, {-d1, d0, 0.0}}, -d1 * l[0] + d0 * l[1], (tangent - reach) * largest / reach);
  combined_[num_combined_++] = {f, n_++, {-d1, d0}};
}

void AutoActiveSet::choose_active_set(const AutoDenseView& view, const double* lambda, const double* sigma) {
  n_ = num_runs_ = num_combined_ = num_directions_ = 0;
  any_fixed_ = false;
  for (const Constraint& c : view.constraints) {
    const int f = c.first_row;
    if (c.kind == ConstraintKind::frictional) {
      choose_contact(view, c, lambda, sigma);
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
    for (double* to = picked + run->first; from < end; from += 8, to += 8) store(to, load(from));
  }
  const Combined *c = combined_.data(), *const last = c + num_combined_;
  for (; c != last; ++c) picked[c->equation] = c->weight[0] * full[c->row] + c->weight[1] * full[c->row + 1];
}

// Padding rows hold anything finite: no row reads another one's padding.
void AutoActiveSet::assemble(const AutoDenseView& view, double proximal) {
  if (n_ == 0) return;
  const int n = n_, stride = stride_, last_column = view.rows - 1;
  const int* const number = column_.data();
  double *const work = work_.data(), *const weight = weight_.data();
  const double* const shift = shift_.data();
  double* column = matrix_.data();
  for (int j = 0; j < n; ++j, column += stride) {
    const double* full = work;
    if (number[j] < 0) {
      const Direction& d = directions_[-1 - number[j]];
      auto_dense_detail::combine_three_columns(work, view.stride, view.column(d.first_row), d.weight);
    } else if (number[j] < last_column) {
      full = view.column(number[j]);
    } else {  // nothing may be read behind the last column
      std::copy_n(view.column(last_column), view.stride, work);
    }
    pick_padded(full, column);
    const double diagonal = column[j] + shift[j];
    weight[j] = proximal * std::abs(diagonal);
    column[j] = diagonal + weight[j];
  }
  const double* load_vector = view.free_velocity;
  if (any_fixed_) {
    auto_dense_velocity(view, fixed_.data(), work);
    load_vector = work;
  }
  pick_equations(load_vector, column);
  for (int j = 0; j < n; ++j) column[j] = weight[j] * old_value_[j] - column[j];
  for (int j = n; j < stride; ++j) column[j] = 0.0;
}

// Two pivots at a time; a last single one has no rows below it.
bool AutoActiveSet::eliminate() {
  double* const matrix = matrix_.data();
  const auto is_sound = [](double pivot) { return std::abs(pivot) > 0.0 && std::isfinite(pivot); };
  for (int k = 0; k < n_; k += 2) {
    const double* column = matrix + static_cast<std::ptrdiff_t>(stride_) * k;
    if (!is_sound(column[k])) return false;
    pivot_inverse_[k] = 1.0 / column[k];
    if (k + 1 == n_) break;
    // The second pivot is this determinant over the first one; its inverse need not wait for the other division.
    const double* next = column + stride_;
    const double determinant = column[k] * next[k + 1] - next[k] * column[k + 1];
    if (!is_sound(determinant)) return false;
    pivot_inverse_[k + 1] = column[k] / determinant;
    const int first = (k + 1) / 8 * 8, packs = (stride_ - first) / 8;
    // From the last rows up: the first pack changes row k + 1, which all others read.
    int from = first + packs / 4 * 32;
    switch (packs % 4) {
      case 1:
        eliminate_columns<1>(matrix, stride_, n_, k, from, &pivot_inverse_[k]);
        break;
      case 2:
        eliminate_columns<2>(matrix, stride_, n_, k, from, &pivot_inverse_[k]);
        break;
      case 3:
        eliminate_columns<3>(matrix, stride_, n_, k, from, &pivot_inverse_[k]);
        break;
      default:
        break;
    }
    for (from -= 32; from >= first; from -= 32) {
      eliminate_columns<4>(matrix, stride_, n_, k, from, &pivot_inverse_[k]);
    }
  }
  return true;
}

// With U' = D⁻¹ U and z = D⁻¹ (right-hand side): y_k = z_k − Σ_{j>k} U'_kj y_j, column by column from the last. Entry
// k − 1 takes its share of y_k ahead of the others, so that the next one waits for one multiplication and not for a
// store.
void AutoActiveSet::substitute_back() {
  double* z = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  const double* inverse = pivot_inverse_.data();
  for (int k = 0; k < stride_; k += 8) store(z + k, load(inverse + k) * load(z + k));
  double next = n_ > 0 ? z[n_ - 1] : 0.0;
  for (int k = n_ - 1; k >= 0; --k) {
    const double y = next;
    y_[k] = y;
    if (k == 0) break;
    const double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * k;
    next = z[k - 1] - y * (inverse[k - 1] * column[k - 1]);
    // Rows from k − 1 on in the last pack are spoilt; they are not read again.
    for (int g = 0; g < k - 1; g += 8) store(z + g, load(z + g) - y * (load(inverse + g) * load(column + g)));
  }
}

void AutoActiveSet::write(const AutoDenseView& view, double* lambda) const {
  for (int k = 0; k < view.rows; ++k) lambda[k] = any_fixed_ ? fixed_[k] : 0.0;
  for (int j = 0; j < n_; ++j) {
    if (column_[j] >= 0) {
      lambda[column_[j]] = y_[j];
    } else {
      const Direction& d = directions_[-1 - column_[j]];
      for (int k = 0; k < 3; ++k) lambda[d.first_row + k] += y_[j] * d.weight[k];
    }
  }
}

bool AutoActiveSet::step(const AutoDenseView& view, double proximal, double* lambda, const double* sigma) {
  const std::size_t m = view.rows, padded = view.stride;
  if (column_.size() < m) {
    runs_.resize(m);
    combined_.resize(m);
    directions_.resize(m);
    column_.resize(m);
    for (auto* v : {&old_value_, &shift_, &weight_, &pivot_inverse_, &y_, &forward_}) v->resize(padded);
    fixed_.resize(m);
    work_.resize(padded + 8);
    matrix_.resize(padded * (m + 1) + 8);
  }
  choose_active_set(view, lambda, sigma);
  stride_ = padded8(n_);
  assemble(view, proximal);
  if (!eliminate()) return false;
  substitute_back();
  write(view, lambda);
  return true;
}

double AutoActiveSet::held_back() const {
  double largest = 0.0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(weight_[i] * (y_[i] - old_value_[i])));
  return largest;
}

void AutoActiveSet::release(const AutoDenseView& view, double* lambda) {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  for (int i = 0; i < n_; ++i) right[i] = weight_[i] * (y_[i] - old_value_[i]);
  correct(view, lambda);
}

void AutoActiveSet::refine(const AutoDenseView& view, double* lambda, const double* sigma) {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  pick_equations(sigma, right);
  for (int i = 0; i < n_; ++i) right[i] = -(right[i] + shift_[i] * y_[i]);
  correct(view, lambda);
}

// Forward through L (below the diagonal a column holds L times its pivot), one row ahead as in substitute_back(), then
// back; y gets the correction added.
void AutoActiveSet::correct(const AutoDenseView& view, double* lambda) {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  double next = n_ > 0 ? right[0] : 0.0;
  for (int k = 0; k < n_; ++k) {
    forward_[k] = next;
    if (k + 1 == n_) break;
    const double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * k;
    const double multiple = -next * pivot_inverse_[k];
    next = right[k + 1] + multiple * column[k + 1];
    const int first = (k + 2) / 8 * 8;  // rows up to k + 1 of this pack are spoilt; they are kept in forward_
    auto_dense_detail::add_column(right + first, stride_ - first, column + first, multiple);
  }
  std::copy(forward_.begin(), forward_.begin() + n_, right);
  std::copy(y_.begin(), y_.begin() + n_, forward_.begin());
  substitute_back();
  for (int k = 0; k < n_; ++k) y_[k] += forward_[k];
  write(view, lambda);
}

}  // namespace stiction
