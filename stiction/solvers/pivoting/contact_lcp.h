// The contact problem with polygons in place of friction discs, written as one linear complementarity problem
// (theory §2.2, (2-17)), and the solvers that hand it to Lemke.
//
// Per frictional contact one unknown λ_N and, for every group of directions d_1 … d_k, unknowns β ≥ 0 and s ≥ 0:
//
//     0 ≤ λ_N ⟂ σ_N ≥ 0,   0 ≤ β_j ⟂ d_jᵀ σ_T + s ≥ 0,   0 ≤ s ⟂ μ λ_N − Σ β_j ≥ 0,   λ_T = Σ_groups Σ_j β_j d_j.
//
// Each group lets λ_T reach μ λ_N · hull(d_1 … d_k), 0 in its interior, and takes from it what dissipates most; s is
// the speed of slip against it. Unilateral rows are 0 ≤ λ ⟂ σ ≥ 0. Dry friction |λ| ≤ b is λ = x − b with
// 0 ≤ x ⟂ σ + t ≥ 0, 0 ≤ t ⟂ 2 b − x ≥ 0. Bilateral rows are eliminated beforehand (condensed_problem.h).
//
// M is copositive (zᵀ M z = λᵀ G λ + Σ μ λ_N s ≥ 0), for which Lemke's method ends with a solution wherever the rows
// can be satisfied at all.
#pragma once

#include <array>
#include <vector>

#include "stiction/contact/linear_complementarity_problem.h"
#include "stiction/solvers/pivoting/condensed_problem.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"
#include "stiction/solvers/solver.h"

namespace stiction {

using FrictionDirections = std::vector<Vector2>;  // one group

class ContactLcp {
 public:
  // Contacts without friction get no directions. Regularisation and its centre as in CondensedProblem::build.
  void build(const ContactProblem& problem, const std::vector<FrictionDirections>& groups, double regularisation = 0.0,
             VectorView centre = VectorX());
  const LinearComplementarityProblem& lcp() const { return lcp_; }  // in scaled units
  void read_impulse(const VectorX& unknown, VectorX& impulse);      // λ from z

 private:
  // An unknown that moves impulses: λ̂ gains weight[k] on row[k]. Unknowns s and t move none.
  struct Unknown {
    int count = 0;
    std::array<int, 2> row{};
    std::array<double, 2> weight{};
  };
  struct Coupling {  // entry (row, column) of M that comes from a set, not from G
    int row, column;
    double value;
  };
  void lay_out(const ContactProblem& problem, const std::vector<FrictionDirections>& groups);
  int add_unknown(const Unknown& unknown, double offset);
  void assemble();

  CondensedProblem condensed_;
  LinearComplementarityProblem lcp_;
  std::vector<Unknown> unknowns_;
  std::vector<Coupling> couplings_;
  std::vector<double> constant_;     // part of q that does not come from g
  VectorX shift_;                    // λ̂ where all unknowns are zero: −b of dry friction
  MatrixX columns_;                  // A times the weights of each unknown
  VectorX scaled_, shifted_offset_;  // by rows of the problem
};

struct ContactLcpSettings : SolverSettings {
  // Where Lemke fails on G itself, proximal steps with G + ε I follow; ε of the problem scaled to max diag(G) = 1,
  // range 0 (none) and 1e-8 … 1e-4.
  double regularisation = 1e-7;

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

// lcp-lemke and lcp-anitescu-potra: build, pivot, check.
class SolverContactLcp : public ContactSolver {
 protected:
  // `max_iterations` counts pivots of one run of Lemke; 0: 1000 + 20 n.
  SolveReport solve_as_lcp(const ContactProblem& problem, const std::vector<FrictionDirections>& groups,
                           const ContactLcpSettings& settings, ContactSolution& solution);
  // The stopping value of λ with σ = (G + R) λ + g.
  virtual double measure(const ContactProblem& problem, VectorView impulse, VectorView velocity) const = 0;
  double result_residual(const ContactProblem& problem, VectorView impulse, VectorView velocity) const override {
    return measure(problem, impulse, velocity);
  }

 private:
  // One run of Lemke on contact_lcp_; keeps its impulse if it is the best so far.
  LcpStatus attempt(const ContactProblem& problem, const ContactLcpSettings& settings, SolveReport& report,
                    ContactSolution& solution);

  ContactLcp contact_lcp_;
  LinearComplementarity pivoting_;
  VectorX unknown_, impulse_, velocity_;
};

}  // namespace stiction
