// Active-set Newton for dense problems of robot scale (specification 6.5, items 3 and 4).
//
// From x = λ − r σ, r_i = 1/max diag G_ii, each contact is taken as open (x_N ≤ 0: dropped), sticking (‖x_T‖ ≤ R,
// R = μ min(x_N, λ_N if > 0): three rows σ = 0) or sliding: with d = x_T/‖x_T‖ and e = d turned by 90°,
//
//     λ = y_N (n + μ d) + y_e e,   rows σ_N = 0 and σ_e + c y_e = 0,   c = (‖x_T‖ − R)/(R r).
//
// Limits are in or out, bilateral rows always in, dry friction in or on its bound. K y = −Pᵀ g is unsymmetric through
// μ d only; a proximal term ε K_ii (y_i − y_i(old)) makes hyperstatic contacts harmless, so that elimination needs no
// pivoting.
#pragma once

#include <vector>

#include "stiction/math/aligned_vector.h"
#include "stiction/solvers/auto_dense_view.h"

namespace stiction {

class AutoActiveSet {
 public:
  // One full step: λ is replaced by the solution of the linear system of its active set. σ = Gλ + g on entry.
  // False, with λ as it was, at a vanishing or non-finite pivot.
  bool step(const AutoDenseView& view, double proximal, double* lambda, const double* sigma);
  // After step(), with σ of the λ it left: removes what the proximal term held back, by the factors at hand. The active
  // set and its directions stay.
  void refine(const AutoDenseView& view, double* lambda, const double* sigma);

 private:
  // Unknown j moves λ along one or two rows more than its own; its equation is a combination of two rows of σ.
  struct Unknown {
    int column = -1;         // the column of G where the direction is a unit vector, else −1
    int first_row = 0;       // of the constraint, where it is not
    double direction[3];     // of λ, by the rows of the constraint
    double old_value = 0.0;  // y_j of the last iterate
    double shift = 0.0;      // c of a sliding contact
  };
  void choose_active_set(const AutoDenseView& view, const double* lambda, const double* sigma);
  void choose_contact(const AutoDenseView& view, const Constraint& c, const double* lambda, const double* sigma);
  void add_unit(int row, double old_value);
  void set_direction(int first_row, double d0, double d1, double d2, double old_value, double shift);
  void add_row_equation(int row);
  void add_equation(int row_1, double weight_1, int row_2, double weight_2);
  void pick_equations(const double* full, double* picked) const;
  void assemble(const AutoDenseView& view, double proximal);
  bool eliminate();
  void substitute_back();
  void write(const AutoDenseView& view, double* lambda) const;

  int n_ = 0, stride_ = 0;
  bool any_fixed_ = false;
  std::vector<Unknown> unknown_;
  std::vector<int> row_1_, row_2_;
  std::vector<double> weight_1_, weight_2_;
  std::vector<int> combined_;  // equations of two rows
  int num_combined_ = 0;
  AlignedVector<double> fixed_;          // impulses of dry-friction rows on their bounds, by problem rows
  AlignedVector<double> work_;           // one column of G times a direction; g + G fixed
  AlignedVector<double> matrix_;         // stride × (n + 1), column-major, the right-hand side last
  AlignedVector<double> pivot_inverse_;  // padded; finite in the padding
  std::vector<double> y_, forward_;
};

}  // namespace stiction
