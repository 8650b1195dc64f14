#include "cli/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace stiction::cli {

void Table::print(std::ostream& out) const {
  std::vector<size_t> width;
  for (const Column& column : columns_) width.push_back(column.title.size());
  for (const auto& row : rows_) {
    for (size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  const auto print_row = [&](const auto& cell) {
    std::string line;
    for (size_t k = 0; k < columns_.size(); ++k) {
      const std::string text = cell(k);
      const std::string padding(width[k] - text.size(), ' ');
      line += k ? "  " : "";
      line += columns_[k].right ? padding + text : text + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row([&](size_t k) { return columns_[k].title; });
  print_row([&](size_t k) { return std::string(width[k], '-'); });
  for (const auto& row : rows_) {
    print_row([&](size_t k) { return row[k]; });
  }
}

std::string in_seconds(double seconds) {
  char text[32];
  if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.3g us", 1e6 * seconds);
  } else if (seconds < 1.0) {
    std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  } else {
    std::snprintf(text, sizeof text, "%.3g s", seconds);
  }
  return text;
}

std::string in_scientific(double residual) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", residual);
  return text;
}

}  // namespace stiction::cli
