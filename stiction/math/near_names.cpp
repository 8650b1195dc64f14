#include "stiction/math/near_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr std::size_t longest = 128;         // bytes of a name that are compared
constexpr std::size_t few = 12;              // names that a message lists
constexpr std::size_t most_entries = 10000;  // of a folder that are looked at

char plain(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '_' || c == ' ' ? '-' : c;
}

std::string plain(std::string_view name) {
  std::string text(name.substr(0, longest));
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return plain(c); });
  return text;
}

// Three rows of the table of distances between beginnings are enough: a swap looks two rows back.
int distance_of_plain(std::string_view a, std::string_view b) {
  std::array<std::array<int, longest + 1>, 3> rows;
  auto *above = &rows[0], *row = &rows[1], *two_above = &rows[2];
  for (std::size_t j = 0; j <= b.size(); ++j) (*above)[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    (*row)[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = (*above)[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      (*row)[j] = std::min({replaced, (*above)[j] + 1, (*row)[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        (*row)[j] = std::min((*row)[j], (*two_above)[j - 2] + 1);
      }
    }
    auto* const free = two_above;
    two_above = above, above = row, row = free;
  }
  return (*above)[b.size()];
}

std::string in_quotes(std::string_view name) {
  return message('"', name, '"');
}

std::string joined(const std::vector<std::string>& names, std::string_view last) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) text += k + 1 == names.size() ? last : std::string_view(", ");
    text += in_quotes(names[k]);
  }
  return text;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  return distance_of_plain(plain(a), plain(b));
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known, std::size_t most) {
  const std::string wanted = plain(name);
  if (wanted.empty()) return {};
  std::vector<std::pair<int, std::size_t>> found;  // edits, place in `known`: the order of equals is that of the list
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::string other = plain(known[k]);
    const int edits = distance_of_plain(wanted, other);
    const int allowed = std::max<int>(1, static_cast<int>(std::min(wanted.size(), other.size())) / 3);
    const bool holds = wanted.size() >= 3 && other.find(wanted) != std::string::npos;
    const bool is_begun = other.size() >= 3 && wanted.starts_with(other);
    const bool is_near = edits <= allowed && edits < static_cast<int>(wanted.size());
    if (is_near || holds || is_begun) found.emplace_back(is_near ? edits : std::max(edits, allowed + 1), k);
  }
  std::sort(found.begin(), found.end());
  // Beside a name that is one slip away, one that is three away is noise.
  std::vector<std::string> names;
  for (const auto& [edits, k] : found) {
    const bool is_noise = !names.empty() && edits > 2 * std::max(1, found.front().first);
    if (!is_noise && names.size() < most && std::find(names.begin(), names.end(), known[k]) == names.end()) {
      names.push_back(known[k]);
    }
  }
  return names;
}

std::string name_hint(std::string_view name, const std::vector<std::string>& known, std::string_view listing) {
  if (known.empty()) return "there are none";
  const std::vector<std::string> nearest = near_names(name, known);
  if (!nearest.empty()) return message("did you mean ", joined(nearest, " or "), "?");
  if (known.size() <= few) return message(known.size() == 1 ? "there is: " : "there are: ", joined(known, ", "));
  return message("there are ", known.size(), listing.empty() ? "" : "; ", listing);
}

std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known,
                         std::string_view listing) {
  return message("unknown ", kind, " ", in_quotes(name), "; ", name_hint(name, known, listing));
}

std::string missing_file(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string text = path + ": there is no such file";
  const fs::path wanted(path);
  const fs::path folder = wanted.parent_path();
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  if (error && !folder.empty() && !fs::exists(folder, error)) {
    return message(text, ", and no folder ", in_quotes(folder.string()));
  }
  std::vector<std::string> names;
  while (!error && entry != fs::directory_iterator() && names.size() < most_entries) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::sort(names.begin(), names.end());  // a folder has no order of its own
  std::vector<std::string> nearest = near_names(wanted.filename().string(), names);
  for (std::string& name : nearest) name = (folder / name).string();
  return nearest.empty() ? text : message(text, "; did you mean ", joined(nearest, " or "), "?");
}

}  // namespace stiction
