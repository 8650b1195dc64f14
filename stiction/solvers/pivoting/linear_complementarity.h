// Pivoting methods for the linear complementarity problem w = M z + q, w, z ≥ 0, wᵀ z = 0 (theory §2.2).
//
// `solve_lemke`: complementary pivoting with a covering vector (all ones, after equilibration) and a lexicographic rule
// against cycling. Ends with a solution for copositive-plus M whenever the problem is feasible, for strictly
// copositive and P-matrices always, and for the contact problems of this library (copositive M, q = (g, 0)). For other
// M it may end on a secondary ray, which proves nothing: the outcome is then `ray`.
//
// `solve_dantzig`: principal pivoting of Dantzig and Cottle for symmetric positive semidefinite M, extended to bounds
// l ≤ z ≤ u. A row that holds stays so while the worst row that does not is driven to its solution; a `ray` means that
// no solution exists.
//
// Both work on an equilibrated copy (rows and columns scaled by powers of two, which changes no digit) and improve the
// final point against the original data. Cost: about n² multiplications per pivot, n to 3n pivots as a rule.
// An object keeps its workspace: the second problem of a size allocates nothing.
#pragma once

#include <string_view>
#include <vector>

#include "stiction/contact/linear_complementarity_problem.h"
#include "stiction/solvers/interrupt.h"
#include "stiction/solvers/pivoting/pivoting_dictionary.h"

namespace stiction {

enum class LcpStatus {
  solved,           // a complementary basis whose point satisfies the inequalities up to rounding
  ray,              // Lemke: a secondary ray; Dantzig: the problem has no solution
  iteration_limit,  // more pivots than allowed
  numerical_error,  // pivots too small to go on (Dantzig: also a matrix that is not positive semidefinite)
  interrupted,      // the caller asked to stop
};
std::string_view to_string(LcpStatus status);

struct LcpSettings {
  int max_pivots = 0;              // 0: 1000 + 20 n
  double smallest_pivot = 1e-9;    // of the equilibrated problem; smaller ones count as zero, range 1e-12 … 1e-7
  double tie = 1e-12;              // equilibrated rows that differ by less block together, range 1e-15 … 1e-9
  Interrupt* interrupt = nullptr;  // what may stop it from outside, looked at before every pivot; must outlive it

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct LcpReport {
  LcpStatus status = LcpStatus::solved;
  int pivots = 0;
  int rebuilds = 0;  // times that the dictionary was computed afresh from its basis
};

class LinearComplementarity {
 public:
  // z into `unknown`. Where the status is not `solved`, z ≥ 0 is the last point of the path: no solution, but finite.
  LcpReport solve_lemke(const LinearComplementarityProblem& problem, VectorX& unknown,
                        const LcpSettings& settings = {});

  // Throws std::invalid_argument where M is not symmetric (relative 1e-10).
  LcpReport solve_dantzig(const LinearComplementarityProblem& problem, VectorX& unknown,
                          const LcpSettings& settings = {});
  // With bounds l ≤ 0 ≤ u (infinite allowed): w_i ≥ 0 where z_i = l_i, w_i ≤ 0 where z_i = u_i, else w_i = 0.
  LcpReport solve_dantzig(const LinearComplementarityProblem& problem, VectorView lower, VectorView upper,
                          VectorX& unknown, const LcpSettings& settings = {});

 private:
  // Lemke. Variables are numbered w_0 … w_{n−1}, z_0 … z_{n−1}, z of the covering vector.
  void equilibrate(const LinearComplementarityProblem& problem);
  void start_dictionary();
  bool rebuild_basis();
  void exchange(int row, int column);
  int blocking_row(int column) const;
  bool lexicographically_smaller(int row_a, int row_b, int column) const;
  double perturbation(int row, int j) const;
  LcpStatus follow_path(LcpReport& report, int max_pivots);
  double equation_residual();
  void improve_values();
  bool is_interrupted() const { return settings_.interrupt != nullptr && settings_.interrupt->check(); }
  double smallest_value() const { return dictionary_.value().minCoeff(); }
  int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }
  int covering() const { return 2 * n_; }
  void read_unknown(VectorX& unknown) const;

  // Dantzig.
  enum class RowState : char { lower, upper, free, waiting };
  struct Event {
    double step;
    int row;  // the row that blocks; −1: none
    RowState becomes;
  };
  void equilibrate_symmetric(const LinearComplementarityProblem& problem, VectorView lower, VectorView upper);
  bool is_satisfied(int i, double tolerance) const;
  int worst_row(double tolerance) const;
  double rounding_level() const;
  Event first_event(int driven, double direction) const;
  LcpStatus drive(int driven, LcpReport& report, int max_pivots);
  void refresh_values();
  void rest_on_bounds(LcpReport& report);
  bool rebuild_free_set();

  int n_ = 0;
  LcpSettings settings_;
  PivotingDictionary dictionary_;
  MatrixX matrix_;                    // equilibrated M
  VectorX offset_;                    // equilibrated q
  VectorX row_scale_, column_scale_;  // powers of two
  double offset_scale_ = 1.0;
  std::vector<int> basic_, nonbasic_;  // variable of each row, of each column
  std::vector<int> position_;          // of each variable: its row, or rows + its column
  std::vector<char> wanted_;           // rebuild: variables of the basis to come back to
  VectorX point_, slack_, correction_, saved_;
  VectorX lower_, upper_, zero_, unbounded_;
  std::vector<RowState> state_;
};

}  // namespace stiction
