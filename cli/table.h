// Plain text tables: columns as wide as their widest cell, numbers right-aligned.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace stiction::cli {

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string in_seconds(double seconds);      // "12.3 us", "4.56 ms", "1.20 s"
std::string in_scientific(double residual);  // "3.1e-09"; "inf" and "nan" as such

}  // namespace stiction::cli
