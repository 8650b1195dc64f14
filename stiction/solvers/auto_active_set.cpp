#include "stiction/solvers/auto_active_set.h"

#include <algorithm>
#include <cmath>

namespace stiction {

using auto_dense_detail::load;
using auto_dense_detail::store;

namespace {

constexpr Pack8 lane_numbers{0, 1, 2, 3, 4, 5, 6, 7};

// Subtracts multiples of column k from the columns after it, over `Packs` packs of rows from `first` on; the
// multipliers stay in registers.
template <int Packs>
void eliminate_column(double* matrix, int stride, int last_column, int k, int first, double pivot_inverse) {
  Pack8 multiplier[Packs];
  const double* column = matrix + static_cast<std::ptrdiff_t>(stride) * k + first;
  for (int p = 0; p < Packs; ++p) multiplier[p] = pivot_inverse * load(column + 8 * p);
  const Pack8 below = lane_numbers + static_cast<double>(first - k);
  multiplier[0] = below > 0.0 ? multiplier[0] : Pack8{};
  for (int j = k + 1; j <= last_column; ++j) {
    double* target = matrix + static_cast<std::ptrdiff_t>(stride) * j;
    const double x = target[k];
    for (int p = 0; p < Packs; ++p) {
      store(target + first + 8 * p, load(target + first + 8 * p) - x * multiplier[p]);
    }
  }
}

}  // namespace

void AutoActiveSet::add_equation(int row_1, double weight_1, int row_2, double weight_2) {
  row_1_[n_] = row_1;
  row_2_[n_] = row_2;
  weight_1_[n_] = weight_1;
  weight_2_[n_] = weight_2;
  ++n_;
}

void AutoActiveSet::add_unit(int row, double old_value) {
  Unknown& u = unknown_[n_];
  u.column = row;
  u.old_value = old_value;
  u.shift = 0.0;
  add_equation(row, 1.0, row, 0.0);
}

void AutoActiveSet::set_direction(int first_row, double d0, double d1, double d2, double old_value, double shift) {
  Unknown& u = unknown_[n_];
  u.column = -1;
  u.first_row = first_row;
  u.direction[0] = d0;
  u.direction[1] = d1;
  u.direction[2] = d2;
  u.old_value = old_value;
  u.shift = shift;
}

void AutoActiveSet::choose_contact(const AutoDenseView& view, const Constraint& c, const double* lambda,
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
    for (int k = 0; k < 3; ++k) {
      if (view.is_movable(f + k)) add_unit(f + k, l[k]);
    }
    return;
  }
  const double turn = 1.0 / tangent;
  const double d0 = turn * x0, d1 = turn * x1;
  set_direction(f, c.friction * d0, c.friction * d1, 1.0, std::max(0.0, l[2]), 0.0);
  add_equation(f + 2, 1.0, f + 2, 0.0);
  if (!(reach > 0.0)) return;  // μ = 0: no tangential impulse at all
  set_direction(f, -d1, d0, 0.0, -d1 * l[0] + d0 * l[1], (tangent - reach) * largest / reach);
  add_equation(f, -d1, f + 1, d0);
}

void AutoActiveSet::choose_active_set(const AutoDenseView& view, const double* lambda, const double* sigma) {
  n_ = 0;
  any_fixed_ = false;
  for (const Constraint& c : view.constraints) {
    const int f = c.first_row;
    if (c.kind == ConstraintKind::frictional) {
      choose_contact(view, c, lambda, sigma);
      continue;
    }
    if (c.kind == ConstraintKind::bilateral) {
      for (int k = 0; k < c.rows; ++k) {
        if (view.is_movable(f + k)) add_unit(f + k, lambda[f + k]);
      }
      continue;
    }
    const double w = view.column(f)[f];
    if (!view.is_movable(f)) continue;
    const double x = lambda[f] - sigma[f] / w;
    if (c.kind == ConstraintKind::unilateral) {
      if (x > 0.0) add_unit(f, lambda[f]);
    } else if (std::abs(x) < c.bound) {
      add_unit(f, lambda[f]);
    } else {
      if (!any_fixed_) std::fill(fixed_.begin(), fixed_.begin() + view.rows, 0.0);
      any_fixed_ = true;
      fixed_[f] = std::copysign(c.bound, x);
    }
  }
}

void AutoActiveSet::assemble(const AutoDenseView& view, double proximal) {
  const auto pick = [&](const double* full, double* column) {
    for (int i = 0; i < n_; ++i) column[i] = weight_1_[i] * full[row_1_[i]] + weight_2_[i] * full[row_2_[i]];
    for (int i = n_; i < stride_; ++i) column[i] = 0.0;
  };
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  const double* load_vector = view.free_velocity;
  if (any_fixed_) {
    auto_dense_velocity(view, fixed_.data(), work_.data());
    load_vector = work_.data();
  }
  pick(load_vector, right);
  for (int j = 0; j < n_; ++j) {
    const Unknown& u = unknown_[j];
    const double* full = view.column(u.column >= 0 ? u.column : u.first_row);
    if (u.column < 0) {
      std::fill(work_.begin(), work_.begin() + view.stride, 0.0);
      auto_dense_detail::add_three_columns(work_.data(), view.stride, full, u.direction);
      full = work_.data();
    }
    double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * j;
    pick(full, column);
    column[j] += u.shift;
    const double weight = proximal * std::abs(column[j]);
    column[j] += weight;
    right[j] = weight * u.old_value - right[j];
  }
}

bool AutoActiveSet::eliminate() {
  double* const matrix = matrix_.data();
  for (int k = 0; k < n_; ++k) {
    const double pivot = matrix[static_cast<std::ptrdiff_t>(stride_) * k + k];
    if (!(std::abs(pivot) > 0.0) || !std::isfinite(pivot)) return false;
    pivot_inverse_[k] = 1.0 / pivot;
    const int first = (k + 1) / 8 * 8;
    int packs = (stride_ - first) / 8;
    // Rows beyond the first four packs hold no row at or above k, so the mask of the first pack is harmless there.
    for (int from = first; packs > 0; from += 32, packs -= 4) {
      switch (packs) {
        case 1:
          eliminate_column<1>(matrix, stride_, n_, k, from, pivot_inverse_[k]);
          break;
        case 2:
          eliminate_column<2>(matrix, stride_, n_, k, from, pivot_inverse_[k]);
          break;
        case 3:
          eliminate_column<3>(matrix, stride_, n_, k, from, pivot_inverse_[k]);
          break;
        default:
          eliminate_column<4>(matrix, stride_, n_, k, from, pivot_inverse_[k]);
          break;
      }
    }
  }
  return true;
}

void AutoActiveSet::substitute_back() {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  for (int k = n_ - 1; k >= 0; --k) {
    y_[k] = right[k] * pivot_inverse_[k];
    // Rows from k on in the last pack are spoilt; they are not read again.
    const double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * k;
    auto_dense_detail::add_column(right, (k + 7) / 8 * 8, column, -y_[k]);
  }
}

void AutoActiveSet::write(const AutoDenseView& view, double* lambda) const {
  for (int k = 0; k < view.rows; ++k) lambda[k] = any_fixed_ ? fixed_[k] : 0.0;
  for (int j = 0; j < n_; ++j) {
    const Unknown& u = unknown_[j];
    if (u.column >= 0) {
      lambda[u.column] = y_[j];
    } else {
      for (int k = 0; k < 3; ++k) lambda[u.first_row + k] += y_[j] * u.direction[k];
    }
  }
}

bool AutoActiveSet::step(const AutoDenseView& view, double proximal, double* lambda, const double* sigma) {
  const std::size_t m = view.rows, padded = view.stride;
  if (unknown_.size() < m) {
    unknown_.resize(m);
    row_1_.resize(m);
    row_2_.resize(m);
    weight_1_.resize(m);
    weight_2_.resize(m);
    fixed_.resize(m);
    pivot_inverse_.resize(m);
    y_.resize(m);
    forward_.resize(m);
    work_.resize(padded);
    matrix_.resize(padded * (m + 1));
  }
  choose_active_set(view, lambda, sigma);
  stride_ = padded8(n_);
  assemble(view, proximal);
  if (!eliminate()) return false;
  substitute_back();
  write(view, lambda);
  return true;
}

// Forward through L (below the diagonal a column holds L times its pivot), then back; y gets the correction added.
void AutoActiveSet::refine(const AutoDenseView& view, double* lambda, const double* sigma) {
  double* right = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * n_;
  for (int i = 0; i < n_; ++i) {
    right[i] = -(weight_1_[i] * sigma[row_1_[i]] + weight_2_[i] * sigma[row_2_[i]] + unknown_[i].shift * y_[i]);
  }
  for (int k = 0; k < n_; ++k) {
    forward_[k] = right[k];
    const double* column = matrix_.data() + static_cast<std::ptrdiff_t>(stride_) * k;
    const int first = (k + 1) / 8 * 8;  // rows up to k of this pack are spoilt; they are kept in forward_
    auto_dense_detail::add_column(right + first, stride_ - first, column + first, -right[k] * pivot_inverse_[k]);
  }
  std::copy(forward_.begin(), forward_.begin() + n_, right);
  std::copy(y_.begin(), y_.begin() + n_, forward_.begin());
  substitute_back();
  for (int k = 0; k < n_; ++k) y_[k] += forward_[k];
  write(view, lambda);
}

}  // namespace stiction
