// Anderson's acceleration of sweeps (theory §2.13): from x and its image T(x) to the point to go on from.
//
// With f_k = T(x_k) − x_k and the last differences ΔF of f and ΔT of images as columns,
//
//     γ = argmin ‖f_k − ΔF γ‖²,      x_{k+1} = T(x_k) − ΔT γ.
//
// A Gram matrix of which one row is new at each step makes γ cheap. Where ‖f‖ exceeds `growth` times its least value
// since the last reset, the iteration goes back to the last image, forgets its columns, and makes `pause` plain steps;
// twice as many, up to `longest_pause` times, where ‖f‖ has not been halved since the reset before.
// The safeguard of ADMM (admm/anderson.h) allows twice the last ‖f‖ instead, and keeps Δx beside ΔF: for sweeps the
// first cycles, and the second costs a third column of memory traffic.
//
// A point may lie in parts that a team takes one by one; sums are those of the parts, in their order, so that bits do
// not depend on the team.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "stiction/math/aligned_vector.h"
#include "stiction/math/pack.h"
#include "stiction/math/work_team.h"
#include "stiction/solvers/accelerated/accelerated_sweeps_settings.h"

namespace stiction {

class AndersonWindow {
 public:
  static constexpr int most_columns = 16;
  using Array = AlignedVector<double>;  // a whole number of packs of four

  enum class Next { image, extrapolated, last_image };

  WorkTeam* team = nullptr;  // null: one thread

  // Forgets everything. No allocation for a size and a number of columns met before. Parts begin at multiples of four.
  void start(std::span<const std::size_t> parts, const AndersonWindowSettings& settings);
  void start(std::size_t size, const AndersonWindowSettings& settings) {
    start(std::array<std::size_t, 2>{0, size}, settings);
  }

  // Writes the next point over x: the image itself, an extrapolated point, or the last image but one where f has grown.
  Next advance(Array& x, const Array& image);

  int num_resets() const { return resets_; }

 private:
  struct alignas(64) Part {
    std::size_t begin = 0, end = 0;
    double squares = 0.0;  // ‖f‖²
    std::array<double, most_columns> with_change{}, with_f{};  // products of columns with the newest one, and with f
  };

  template <class Function>
  void for_each_part(Function&& function) {
    for_each_piece(team, static_cast<int>(part_.size()), [&](int k) { function(part_[k]); });
  }
  double norm_of_change(const Array& x, const Array& image);
  void push_column(const Array& image);
  void multiply(Part& part, int column);
  void solve_for_weights();

  AndersonWindowSettings settings_;
  int columns_ = 0, next_column_ = 0, pause_left_ = 0, resets_ = 0;
  bool has_last_ = false;
  double least_ = 0.0, best_ = 0.0;  // ‖f‖ since the last reset, and before it
  int longer_ = 1;                   // times settings_.pause
  std::vector<Array> change_, image_change_;
  Array f_, last_f_, last_image_;
  std::vector<Part> part_;
  Eigen::Matrix<double, most_columns, most_columns> gram_;
  Eigen::Matrix<double, most_columns, 1> right_, weight_;
};

}  // namespace stiction
