#include "stiction/solvers/accelerated/anderson_window.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>


namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr double worthwhile = 0.5;  // of the least ‖f‖ between two resets
constexpr std::size_t tile = 512;  // numbers; what was written is still near when it is read again

// f = image − x; ‖f‖² of the part.
double take_difference(const double* image, const double* x, std::size_t begin, std::size_t end, double* f) {
  Pack4 sums{};
  for (std::size_t k = begin; k < end; k += 4) {
    const Pack4 d = load4(image + k) - load4(x + k);
    store4(f + k, d);
    sums += d * d;
  }
  return sum(sums);
}

}  // namespace

void AndersonWindow::start(std::span<const std::size_t> parts, const AndersonWindowSettings& settings) {
  settings_ = settings;
  const std::size_t size = parts.back();
  if (static_cast<int>(change_.size()) < settings.columns) {
    change_.resize(settings.columns);
    image_change_.resize(settings.columns);
  }
  for (int k = 0; k < settings.columns; ++k) {
    change_[k].resize(size);
    image_change_[k].resize(size);
  }
  for (Array* array : {&f_, &last_f_, &last_image_}) array->resize(size);
  part_.assign(parts.size() - 1, {});
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) part_[k].begin = parts[k], part_[k].end = parts[k + 1];
  columns_ = next_column_ = pause_left_ = resets_ = 0;
  has_last_ = false;
  least_ = best_ = infinity;
  longer_ = 1;
}

// ‖f‖, with f in its place.
double AndersonWindow::norm_of_change(const Array& x, const Array& image) {
  for_each_part([&](Part& part) {
    part.squares = take_difference(image.data(), x.data(), part.begin, part.end, f_.data());
  });
  double squares = 0.0;
  for (const Part& part : part_) squares += part.squares;
  return std::sqrt(squares);
}

AndersonWindow::Next AndersonWindow::advance(Array& x, const Array& image) {
  const auto copy = [this](const Array& from, Array& to) {
    for_each_part([&](const Part& part) { std::copy(from.data() + part.begin, from.data() + part.end, to.data() + part.begin); });
  };
  const double norm = norm_of_change(x, image);
  if (has_last_ && !(norm <= settings_.growth * least_)) {
    copy(last_image_, x);
    // Where extrapolating has gained nothing since the last time it will cycle: plain steps then get farther.
    longer_ = least_ < worthwhile * best_ ? 1 : std::min(2 * longer_, settings_.longest_pause);
    best_ = std::min(best_, least_);
    columns_ = next_column_ = 0;
    has_last_ = false;
    least_ = infinity;
    pause_left_ = settings_.pause * longer_;
    ++resets_;
    return Next::last_image;
  }
  if (settings_.columns == 0 || pause_left_ > 0) {
    pause_left_ = std::max(0, pause_left_ - 1);
    copy(image, x);
    return Next::image;
  }
  least_ = std::min(least_, norm);
  if (has_last_) {
    push_column(image);
  } else {
    copy(image, last_image_);
  }
  f_.swap(last_f_);
  has_last_ = true;
  if (columns_ == 0) {
    copy(image, x);
    return Next::image;
  }
  solve_for_weights();
  for_each_part([&](const Part& part) {
    for (std::size_t k = part.begin; k < part.end; k += 4) {
      Pack4 next = load4(image.data() + k);
      for (int c = 0; c < columns_; ++c) next -= broadcast4(weight_[c]) * load4(image_change_[c].data() + k);
      store4(x.data() + k, next);
    }
  });
  return Next::extrapolated;
}

// The differences of f and of the image, what the others make of them, and the image is the last one.
void AndersonWindow::push_column(const Array& image) {
  const int column = next_column_;
  columns_ = std::min(columns_ + 1, settings_.columns);
  next_column_ = (column + 1) % settings_.columns;
  for_each_part([&](Part& part) {
    const double *f = f_.data(), *last_f = last_f_.data(), *from = image.data();
    double *change = change_[column].data(), *image_change = image_change_[column].data(), *last = last_image_.data();
    for (std::size_t k = part.begin; k < part.end; k += 4) {
      const Pack4 now = load4(from + k);
      store4(change + k, load4(f + k) - load4(last_f + k));
      store4(image_change + k, now - load4(last + k));
      store4(last + k, now);
    }
    multiply(part, column);
  });
  for (int k = 0; k < columns_; ++k) {
    double product = 0.0;
    right_[k] = 0.0;
    for (const Part& part : part_) product += part.with_change[k], right_[k] += part.with_f[k];
    gram_(column, k) = gram_(k, column) = product;
  }
}

void AndersonWindow::multiply(Part& part, int column) {
  std::array<Pack4, most_columns> with_change{}, with_f{};
  const double *newest = change_[column].data(), *f = f_.data();
  for (std::size_t begin = part.begin; begin < part.end; begin += tile) {
    const std::size_t end = std::min(begin + tile, part.end);
    for (int c = 0; c < columns_; ++c) {
      const double* other = change_[c].data();
      Pack4 a = with_change[c], b = with_f[c];
      for (std::size_t k = begin; k < end; k += 4) {
        const Pack4 x = load4(other + k);
        a += x * load4(newest + k);
        b += x * load4(f + k);
      }
      with_change[c] = a;
      with_f[c] = b;
    }
  }
  for (int c = 0; c < columns_; ++c) {
    part.with_change[c] = sum(with_change[c]);
    part.with_f[c] = sum(with_f[c]);
  }
}

// γ for the newest f.
void AndersonWindow::solve_for_weights() {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_columns, most_columns>;
  Small normal = gram_.topLeftCorner(columns_, columns_);
  normal.diagonal() *= 1.0 + settings_.ridge;
  normal.diagonal().array() += std::numeric_limits<double>::min();
  weight_.head(columns_) = normal.ldlt().solve(right_.head(columns_));
  if (!weight_.head(columns_).allFinite()) weight_.setZero();
}

}  // namespace stiction
