#include "stiction/io/ignored_summary.h"

#include <algorithm>

namespace stiction {

void IgnoredSummary::add(const std::string& kind, const std::string& name, int line, const std::string& reason) {
  const auto [at, is_new] = index_.try_emplace({kind, reason}, groups_.size());
  if (is_new) groups_.push_back({kind, reason, line, 0, {}});
  Group& group = groups_[at->second];
  ++group.count;
  const bool is_told = std::find(group.names.begin(), group.names.end(), name) != group.names.end();
  if (group.names.size() < most && !name.empty() && !is_told) group.names.push_back(name);
}

void IgnoredSummary::append_to(std::vector<IgnoredElement>& ignored) const {
  for (const Group& group : groups_) {
    std::string element = group.kind;
    for (std::size_t k = 0; k < group.names.size(); ++k) element += (k ? ", '" : " '") + group.names[k] + "'";
    const std::size_t shown = std::max<std::size_t>(1, group.names.size());
    if (group.count > shown) element += " and " + std::to_string(group.count - shown) + " more";
    ignored.push_back({.file = file_, .line = group.line, .element = element, .reason = group.reason});
  }
}

}  // namespace stiction
