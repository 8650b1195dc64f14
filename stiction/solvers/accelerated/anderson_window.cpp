#include "stiction/solvers/accelerated/anderson_window.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stiction/math/pack.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// f = image − x; ‖f‖².
double take_difference(const double* image, const double* x, std::size_t size, double* f) {
  Pack4 sums{};
  for (std::size_t k = 0; k < size; k += 4) {
    const Pack4 d = load4(image + k) - load4(x + k);
    store4(f + k, d);
    sums += d * d;
  }
  return sum(sums);
}

double dot(const double* a, const double* b, std::size_t size) {
  Pack4 sums{};
  for (std::size_t k = 0; k < size; k += 4) sums += load4(a + k) * load4(b + k);
  return sum(sums);
}

// x −= factor · column.
void subtract(double* x, double factor, const double* column, std::size_t size) {
  const Pack4 all = broadcast4(factor);
  for (std::size_t k = 0; k < size; k += 4) store4(x + k, load4(x + k) - all * load4(column + k));
}

}  // namespace

void AndersonWindow::start(std::size_t size, const AndersonWindowSettings& settings) {
  settings_ = settings;
  if (static_cast<int>(change_.size()) < settings.columns) {
    change_.resize(settings.columns);
    image_change_.resize(settings.columns);
  }
  for (int k = 0; k < settings.columns; ++k) {
    change_[k].resize(size);
    image_change_[k].resize(size);
  }
  for (Array* array : {&f_, &last_f_, &last_image_}) array->resize(size);
  columns_ = next_column_ = pause_left_ = resets_ = 0;
  has_last_ = false;
  least_ = infinity;
}

AndersonWindow::Next AndersonWindow::advance(Array& x, const Array& image) {
  const std::size_t size = image.size();
  const double norm = std::sqrt(take_difference(image.data(), x.data(), size, f_.data()));
  if (has_last_ && !(norm <= settings_.growth * least_)) {
    x = last_image_;
    columns_ = next_column_ = 0;
    has_last_ = false;
    least_ = infinity;
    pause_left_ = settings_.pause;
    ++resets_;
    return Next::last_image;
  }
  if (settings_.columns == 0 || pause_left_ > 0) {
    pause_left_ = std::max(0, pause_left_ - 1);
    x = image;
    return Next::image;
  }
  least_ = std::min(least_, norm);
  if (has_last_) push_column(image);
  f_.swap(last_f_);
  last_image_ = image;
  has_last_ = true;
  x = image;
  if (columns_ == 0) return Next::image;
  solve_for_weights();
  for (int k = 0; k < columns_; ++k) subtract(x.data(), weight_[k], image_change_[k].data(), size);
  return Next::extrapolated;
}

void AndersonWindow::push_column(const Array& image) {
  const std::size_t size = image.size();
  const int column = next_column_;
  take_difference(f_.data(), last_f_.data(), size, change_[column].data());
  take_difference(image.data(), last_image_.data(), size, image_change_[column].data());
  columns_ = std::min(columns_ + 1, settings_.columns);
  next_column_ = (column + 1) % settings_.columns;
  for (int k = 0; k < columns_; ++k) {
    gram_(column, k) = gram_(k, column) = dot(change_[column].data(), change_[k].data(), size);
  }
}

// γ for the newest f, which is last_f_ by now.
void AndersonWindow::solve_for_weights() {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_columns, most_columns>;
  Small normal = gram_.topLeftCorner(columns_, columns_);
  normal.diagonal() *= 1.0 + settings_.ridge;
  normal.diagonal().array() += std::numeric_limits<double>::min();
  for (int k = 0; k < columns_; ++k) right_[k] = dot(change_[k].data(), last_f_.data(), last_f_.size());
  weight_.head(columns_) = normal.ldlt().solve(right_.head(columns_));
  if (!weight_.head(columns_).allFinite()) weight_.setZero();
}

}  // namespace stiction
