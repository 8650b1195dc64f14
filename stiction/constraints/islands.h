// Constraints that share no tree do not meet: each connected set of trees is a problem of its own.
#pragma once

#include <span>
#include <vector>

#include "stiction/constraints/row_set.h"

namespace stiction {

class Islands {
 public:
  // Finds the connected components, numbered by their first constraint; constraints of an island ascend.
  void find(const RowSet& rows, int num_trees);

  // Constraints of which nothing is left (StepConstraint::is_left_out) leave their islands; each keeps at least one.
  void remove_left_out(const RowSet& rows);

  int size() const { return static_cast<int>(begin_.size()) - 1; }
  std::span<const int> constraints(int island) const {
    return {member_.data() + begin_[island], static_cast<std::size_t>(begin_[island + 1] - begin_[island])};
  }
  // Island of a tree; −1 where no constraint touches it.
  int island_of_tree(int tree) const { return island_of_tree_[tree]; }

 private:
  int root(int tree);

  std::vector<int> parent_;  // union-find over trees
  std::vector<int> island_of_tree_, island_of_, begin_{0}, member_;
};

}  // namespace stiction
