// The Newton step in velocity space, for factored problems G = A Aᵀ, which is never multiplied out (theory §4.7).
//
// Per constraint, with Q = P⁻¹ Arw(y)⁻¹, E = η + R and B̄ = Q Arw(x) D⁻¹ in closed form:
//
//     S = (I + B̄ E)⁻¹,   B̄ ← S B̄,   K = I + Σ A_iᵀ B̄_i A_i                                                 (4-16)
//     K Δw = Aᵀ(S Q r_c − B̄ r_p),   Δy₀ = D⁻¹(r_p + A Δw),   Δλ = S Q (r_c − Arw(x) Δy₀),   Δy = Δy₀ + D⁻¹ E Δλ
//
// where A is scaled by 1/√w_i on the way. K has one block per velocity node, unsymmetric. B̄ r_p is taken with the B̄ of
// K: large terms cancel, and with S Q Arw(x) D⁻¹ r_p instead, the same but for rounding, last digits take twice as
// long.
#pragma once

#include "stiction/solvers/interior_point/newton_system.h"
#include "stiction/solvers/linear_algebra/node_lu.h"

namespace stiction {

class NewtonVelocitySpace : public NewtonSystem {
 public:
  // Whether a factorisation takes no more than most_products; a problem with more must not be loaded.
  bool analyse(const DelassusFactored& factored) { return lu_.analyse(factored, most_products); }
  double most_products = std::numeric_limits<double>::infinity();  // of blocks
  double num_products() const { return lu_.num_products(); }       // of one factorisation

  // Factored. Both must outlive the use of this object.
  void load(const ContactProblem& problem, const ConeProblem& cones);

  // η = max(smallest_eta, eta_numerator/max(1, max x_N)) with the current x: no constant serves both a tower (1e-8) and
  // a mass ratio of 10⁶ (1e-13), and 0 loses steps.
  static constexpr double usual_eta_numerator = 3e-7;
  double eta_numerator = usual_eta_numerator;
  static constexpr double smallest_eta = 1e-14;
  static constexpr double line_eta = 1e-9;             // least η of bilateral rows, which have no block of their own
  static constexpr double sharp_eta_numerator = 3e-8;  // of sharpen(); without refinement it helps little
  static constexpr double path_eta_numerator = 3e-9;   // of follow_path()
  int refinements = 0;                                 // ρ = AᵀΔλ − Δw, K d = ρ, Δw ← Δw + d, so many times
  std::vector<char> open;  // by constraint: left out of factor_stick() and stick_step(); empty: none is

  void velocity(const Rows3& impulse, Rows3& sigma) override;
  bool factor(const ConeVector& at, double delta) override;
  void solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) override;
  void solve_roughly(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) override;
  void sharpen() override;
  void unsharpen();    // as before sharpen() and follow_path()
  void follow_path();  // for path following: with a larger η tangents are wrong and paths get lost
  int num_nodes() const { return lu_.num_nodes(); }
  int determinant_sign() const override { return lu_.determinant_sign(); }
  bool factor_stick(double stick_eta) override;
  void stick_step(const Rows3& sigma, Rows3& impulse) override;

 private:
  void multiply_transposed(const Rows3& rows, Pack8* nodes) const;            // Aᵀ rows
  void multiply(const Pack8* nodes, const Rows3& offset, Rows3& rows) const;  // A nodes + offset
  void transpose_segments();
  void eliminate(const ConeVector& at, double delta);  // D⁻¹, Q, S, B̄/w_i
  void eliminate_scalars(const ConeVector& at);
  void first_right_side(const ConeVector& at, const Rows3& rp, const Rows3& rc);  // S Q r_c − B̄ r_p
  void back_substitute(const ConeVector& at, const Rows3& rc, ConeVector& direction);
  void first_solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction);
  void refine(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction);
  double scalar_eta(const ScalarConstraint& s, int row) const;  // E of a row
  void drop_unstuck_rows();                                     // of rows_: what takes no part in a stick step

  using Arrays6 = Eigen::Array<double, Eigen::Dynamic, 6>;
  using Arrays9 = Eigen::Array<double, Eigen::Dynamic, 9>;  // 3×3 matrices, column-major

  const DelassusFactored* factored_ = nullptr;
  const ConeProblem* cones_ = nullptr;
  NodeLu lu_;
  double eta_ = 0.0, stick_eta_ = 0.0;
  Rows3 d_;    // last row of D⁻¹
  Arrays6 q_;  // Arw(y)⁻¹
  Arrays9 b_, s_;
  std::vector<Matrix3> weight_;  // B̄/w_i
  Rows3 rows_;
  std::vector<Pack8> nodes_, step_, correction_;
  struct Columns {
    Pack4 column[DelassusFactored::max_node_size];  // of A_i/√w_i at one node, lanes = rows
  };
  std::vector<Columns> columns_;  // by segment
};

}  // namespace stiction
