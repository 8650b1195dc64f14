// Collects what a reader does not use: entries of one kind with one reason are told in one line.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stiction/io/loaded_model.h"

namespace stiction {

class IgnoredSummary {
 public:
  explicit IgnoredSummary(std::string file) : file_(std::move(file)) {}

  // Told as: kind 'name', 'name' and … more. `line` of the first is kept; `name` may be empty.
  void add(const std::string& kind, const std::string& name, int line, const std::string& reason);
  void append_to(std::vector<IgnoredElement>& ignored) const;

 private:
  static constexpr std::size_t most = 4;  // names told before "and … more"
  struct Group {
    std::string kind, reason;
    int line;
    std::size_t count;
    std::vector<std::string> names;
  };
  std::string file_;
  std::vector<Group> groups_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

}  // namespace stiction
