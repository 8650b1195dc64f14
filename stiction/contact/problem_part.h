// A part of a problem, or the whole of it in another form, rebuilt in place: islands and changes of form inside a
// solver that must not allocate when it meets a size again.
//
// Nothing is validated anew. largest_diagonal() and largest_free_velocity() stay those of the whole, so that residuals
// of a part are residuals of the whole.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/problem.h"

namespace stiction {

class ProblemPart {
 public:
  // The constraints `kept` (ascending) of a problem of any form, in sparse form. No kept constraint may be coupled to
  // one left out, or that coupling is lost.
  const ContactProblem& make_sparse(const ContactProblem& whole, std::span<const int> kept);
  // The same in dense form.
  const ContactProblem& make_dense(const ContactProblem& whole, std::span<const int> kept);
  // The constraints `kept` of a factored problem, in factored form, while all others keep their impulses: `velocity` is
  // (G + R) λ + g of the whole with λ = 0 at those kept. Velocity nodes that none of them touches are left out.
  const ContactProblem& make_factored(const ContactProblem& whole, std::span<const int> kept, const VectorX& velocity);

  const ContactProblem& problem() const { return part_; }
  // Copies rows between the vectors of the whole and of the part.
  void gather(const ContactProblem& whole, std::span<const int> kept, const VectorX& from, VectorX& part) const;
  void scatter(const ContactProblem& whole, std::span<const int> kept, const VectorX& part, VectorX& to) const;

 private:
  void number(const ContactProblem& whole, std::span<const int> kept);
  void list_nodes(const ContactProblem& whole, std::span<const int> kept);
  void copy_rows(const ContactProblem& whole, std::span<const int> kept);
  void append_dense_row(const ContactProblem& whole, std::span<const int> kept, int i, DelassusSparse& to) const;
  void append_sparse_row(const ContactProblem& whole, int kept, DelassusSparse& to) const;
  void append_factored_row(const ContactProblem& whole, int kept, int i, DelassusSparse& to);
  void copy_dense(const ContactProblem& whole, std::span<const int> kept, DelassusDense& to) const;
  void copy_sparse(const ContactProblem& whole, std::span<const int> kept, DelassusDense& to) const;
  void copy_factored(const ContactProblem& whole, DelassusDense& to);

  ContactProblem part_;
  std::vector<int> position_;                  // of each constraint of the whole in the part, −1: left out
  std::vector<int> node_begin_, node_member_;  // segments of the kept constraints by velocity node
  std::vector<int> member_constraint_;
  std::vector<int> node_position_;  // of each velocity node of the whole in a factored part, −1: left out
  std::vector<double> lanes_;       // rows of A at one node, transposed
  std::vector<int> mark_;           // which row last met a constraint, while a factored row is made
};

}  // namespace stiction
