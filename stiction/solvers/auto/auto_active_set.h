// Active-set Newton for dense problems of robot scale (theory §4.5, items 3 and 4).
//
// From x = λ − r σ, r_i = 1/max diag G_ii, each contact is taken as open (x_N ≤ 0: dropped), sticking (‖x_T‖ ≤ R,
// R = μ min(x_N, λ_N if > 0): three rows σ = 0) or sliding: with d = x_T/‖x_T‖ and e = d turned by 90°,
//
//     λ = y_N (n + μ d) + y_e e,   rows σ_N = 0 and σ_e + c y_e = 0,   c = (‖x_T‖ − R)/(R r).
//
// Limits are in or out, bilateral rows always in, dry friction in or on its bound. K y = −Pᵀ g is unsymmetric through
// μ d only; a proximal term ε K_ii (y_i − y_i(old)) makes hyperstatic contacts harmless, so that elimination needs no
// pivoting. It goes by blocks of three unknowns, inverted in closed form: fewer divisions that wait for one another.
#pragma once

#include <vector>

#include "stiction/math/aligned_vector.h"
#include "stiction/solvers/linear_algebra/dense_view.h"

namespace stiction {

class AutoActiveSet {
 public:
  // Vectors have room for view.stride entries.
  // One full step: λ is replaced by the solution of the linear system of its active set. σ = Gλ + g on entry.
  // False, with λ as it was, at a vanishing or non-finite pivot.
  // `edge`: where several contacts of a body share its load, λ near the edge of a cone would be pushed out of it by
  // every solution in which all of them stick. What has (‖λ_T‖/μ λ_N)² ≥ 1 − edge is drawn inside, through the proximal
  // term alone: where the load is determined nothing changes, otherwise this step and those that follow are spared
  // iterations. 0: nothing is drawn.
  bool step(const DenseView& view, double proximal, double* lambda, const double* sigma, double edge);
  // After step(): the largest |σ| that the proximal term left in a row of the active set.
  double held_back() const;
  // After step(): removes what the proximal term held back, which is known without σ: K y + Pᵀ g = ε K_ii (y(old) − y).
  void release(const DenseView& view, double* lambda);
  // After step(), with σ of the λ it left: removes what the proximal term held back, by the factors at hand. The active
  // set and its directions stay.
  void refine(const DenseView& view, double* lambda, const double* sigma);

 private:
  // Where λ moves along one or two rows of a contact more than its own.
  struct Direction {
    int first_row;     // of the contact
    double weight[3];  // by its rows
  };
  // Equations that are neighbouring rows of σ: equation `first` is row `row`, and so on.
  struct Run {
    int row, first, length;
  };
  // An equation of two neighbouring rows of σ.
  struct Combined {
    int row, equation;
    double weight[2];
  };
  void choose_active_set(const DenseView& view, const double* lambda, const double* sigma, double edge);
  void choose_contact(const DenseView& view, const Constraint& c, const double* lambda, const double* sigma,
                      double edge);
  void add_rows(int row, int count);
  void add_units(int row, int count, const double* lambda);
  void add_direction(const Direction& direction, double old_value, double shift);
  void pick_equations(const double* full, double* picked) const;
  void pick_padded(const double* full, double* picked) const;
  void assemble(const DenseView& view, double proximal);
  bool eliminate();
  void substitute_back();
  void correct(const DenseView& view, double* lambda);
  void write(const DenseView& view, double* lambda) const;

  int n_ = 0;     // unknowns
  int size_ = 0;  // a multiple of three
  int stride_ = 0;
  bool any_fixed_ = false;
  int num_runs_ = 0, num_combined_ = 0, num_directions_ = 0;
  std::vector<Run> runs_;
  std::vector<Combined> combined_;
  std::vector<Direction> directions_;
  // By unknown: the column of G where its direction is a unit vector, else −1 − its number in directions_; its value in
  // the last iterate; c of a sliding contact; ε K_jj.
  std::vector<int> column_;
  AlignedVector<double> old_value_, shift_, weight_;
  AlignedVector<double> fixed_;          // impulses of dry-friction rows on their bounds, by problem rows
  AlignedVector<double> work_;           // one column of G times a direction; g + G fixed
  AlignedVector<double> matrix_;         // stride × (size + 1), column-major, the right-hand side last
  AlignedVector<double> block_inverse_;  // of each diagonal block of three, by rows
  AlignedVector<double> y_, forward_;    // padded
};

}  // namespace stiction
