// Bodies of a large factored problem in domains that several threads visit at the same time (theory §2.13).
//
// Levels of breadth first search, from one of the nodes that the first search reached last; a domain is a run of whole
// levels with about as many constraints as the others. Constraints join nodes of one level or of two that follow each
// other, so a constraint lies in one domain, or between two neighbours, never anywhere else: groups of one phase share
// no node.
//
//     phase 0: domains       phase 1: borders 0|1, 2|3, …       phase 2: borders 1|2, 3|4, …
//
// It depends on the problem alone.
#pragma once

#include <array>
#include <vector>

#include "stiction/contact/delassus.h"

namespace stiction {

class NodeDomains {
 public:
  static constexpr int num_phases = 3;

  // As many domains as there are times `constraints_per_domain`, `most` at most; one where levels are few.
  void split(const DelassusFactored& factored, int constraints_per_domain, int most);

  int num_domains() const { return domains_; }
  int num_groups() const { return 2 * domains_ - 1; }
  // Groups in the order of their phases.
  int phase_begin(int phase) const { return phase_begin_[phase]; }
  // Of a constraint between two nodes; −1: the world.
  int group(int node_a, int node_b) const;

 private:
  void find_neighbours(const DelassusFactored& factored);
  void search_from(int node);  // all nodes, other components after that of the node
  void cut(int wanted);

  int domains_ = 1, last_of_first_ = 0;
  std::array<int, num_phases + 1> phase_begin_{0, 1, 1, 1};
  std::vector<int> domain_, level_, order_, begin_, neighbour_, fill_;
};

}  // namespace stiction
