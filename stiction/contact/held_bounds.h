// A problem whose bounds of torsional and rolling friction are held: what a method without these kinds solves, in turns
// with finding the bounds (theory §1.8).
//
// Torsional friction becomes dry friction with that bound. Rolling friction becomes a frictional constraint with μ = 1
// whose third row, empty in G, is a spring under a load of its own: R_33 = w, g_33 = −w b. Under the exact law λ_3 = b
// there, so that ‖(λ_1, λ_2)‖ ≤ b, and the two rows dissipate as much as they can: a disc in the clothes of a cone. Rows,
// G and all else, also what residuals are relative to, are those of the coupled problem.
#pragma once

#include <vector>

#include "stiction/contact/problem.h"

namespace stiction {

class HeldBounds {
 public:
  // w = stiffness × the mean of diag(G + R) of the two rows. Bounds are zero. No allocation where a problem of this form
  // and size was here before.
  void make(const ContactProblem& coupled, double stiffness);

  // ---- The coupled constraints, ascending.
  int size() const { return static_cast<int>(members_.size()); }
  int constraint(int k) const { return members_[k].constraint; }
  double bound(int k) const { return members_[k].bound; }
  void set_bound(int k, double bound);  // may be negative for a rolling one, where the model lifts λ_3 above b

  const ContactProblem& problem() const { return problem_; }

 private:
  struct Member {
    int constraint = 0;
    double weight = 0.0;  // w; zero: torsional
    double bound = 0.0;
  };
  ContactProblem problem_;
  std::vector<Member> members_;
};

}  // namespace stiction
