// Names near one that nobody knows, for messages that help:  unknown solver "atuo"; did you mean "auto"?
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

// Fewest letters that are put in, left out, replaced or swapped with their neighbour to make one name of the other.
// Capitals are letters like the others, and '-', '_' and ' ' are one. Of names beyond 128 bytes only these count.
int edit_distance(std::string_view a, std::string_view b);

// The nearest first, at most `most`: those of few edits by their length, and those that hold the name or begin it.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known, std::size_t most = 3);

// One sentence without its full stop: the nearest names; without any near, all of them where they are few, else their
// number and `listing`, which says how to see them ("see: stiction list solvers").
//     unknown solver "atuo"; did you mean "auto"?
//     unknown joint "x"; there are: "hip", "knee"
//     unknown solver "x"; there are 18; see: stiction list solvers
std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known,
                         std::string_view listing = "");

// The part of it behind the semicolon, to be put behind another beginning.
std::string name_hint(std::string_view name, const std::vector<std::string>& known, std::string_view listing = "");

// "scenes/quadrupd.xml: there is no such file; did you mean "scenes/quadruped.xml"?", or that its folder is missing.
std::string missing_file(const std::string& path);

// The names that are in things: names_of(model.keyframes). Empty ones are left out.
template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) {
    if (!thing.name.empty()) names.emplace_back(thing.name);
  }
  return names;
}

}  // namespace stiction
