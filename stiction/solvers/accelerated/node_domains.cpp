#include "stiction/solvers/accelerated/node_domains.h"

#include <algorithm>

namespace stiction {

int NodeDomains::group(int node_a, int node_b) const {
  const int a = node_a < 0 ? (node_b < 0 ? 0 : domain_[node_b]) : domain_[node_a];
  const int b = node_b < 0 ? a : domain_[node_b];
  if (a == b) return a;
  const int border = std::min(a, b);
  return phase_begin_[1 + border % 2] + border / 2;
}

void NodeDomains::split(const DelassusFactored& factored, int constraints_per_domain, int most) {
  const int constraints = static_cast<int>(factored.segment_begin.size()) - 1;
  const int wanted = std::min(most, constraints / constraints_per_domain);
  domains_ = 1;
  phase_begin_ = {0, 1, 1, 1};
  domain_.assign(factored.num_nodes(), 0);
  if (wanted < 2) return;
  find_neighbours(factored);
  search_from(0);
  search_from(last_of_first_);
  cut(wanted);
  phase_begin_ = {0, domains_, domains_ + domains_ / 2, 2 * domains_ - 1};
}

void NodeDomains::find_neighbours(const DelassusFactored& factored) {
  const int n = factored.num_nodes(), constraints = static_cast<int>(factored.segment_begin.size()) - 1;
  const auto for_each_pair = [&](auto&& use) {
    for (int i = 0; i < constraints; ++i) {
      const int s = factored.segment_begin[i];
      if (factored.segment_begin[i + 1] - s == 2) use(factored.segment_node[s], factored.segment_node[s + 1]);
    }
  };
  begin_.assign(n + 1, 0);
  for_each_pair([&](int a, int b) { ++begin_[a + 1], ++begin_[b + 1]; });
  for (int k = 0; k < n; ++k) begin_[k + 1] += begin_[k];
  neighbour_.resize(begin_[n]);
  fill_.assign(begin_.begin(), begin_.end() - 1);
  for_each_pair([&](int a, int b) {
    neighbour_[fill_[a]++] = b;
    neighbour_[fill_[b]++] = a;
  });
}

void NodeDomains::search_from(int node) {
  const int n = static_cast<int>(begin_.size()) - 1;
  level_.assign(n, -1);
  order_.clear();
  int level = 0, unseen = 0;
  for (int start = node; start < n;) {
    const std::size_t first = order_.size();
    level_[start] = level;
    order_.push_back(start);
    for (std::size_t k = first; k < order_.size(); ++k) {
      const int from = order_[k];
      for (int e = begin_[from]; e < begin_[from + 1]; ++e) {
        const int to = neighbour_[e];
        if (level_[to] >= 0) continue;
        level_[to] = level_[from] + 1;
        order_.push_back(to);
      }
    }
    if (first == 0) last_of_first_ = order_.back();
    level = level_[order_.back()] + 1;
    while (unseen < n && level_[unseen] >= 0) ++unseen;
    start = unseen;
  }
}

void NodeDomains::cut(int wanted) {
  const auto touches = [&](int node) { return begin_[node + 1] - begin_[node] + 1; };
  long total = 0, passed = 0;
  for (const int node : order_) total += touches(node);
  int domain = 0, last_level = 0;
  for (const int node : order_) {
    if (level_[node] != last_level && passed * wanted >= total * (domain + 1)) ++domain;
    last_level = level_[node];
    domain_[node] = domain;
    passed += touches(node);
  }
  domains_ = domain + 1;
}

}  // namespace stiction
