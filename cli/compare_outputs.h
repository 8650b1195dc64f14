// A comparison as CSV and JSON.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "stiction/io/loaded_model.h"
#include "stiction/sim/comparison.h"

namespace stiction::cli {

// One line per run: what the table has, with all digits.
std::string comparison_to_csv(const Comparison& comparison);
std::string comparison_to_json(const Comparison& comparison, const std::vector<std::string>& files,
                               const std::vector<IgnoredElement>& ignored);

// One line per step and run.
class ComparisonReport {
 public:
  // Throws where the file cannot be written; a disk that is full already shows before the first step.
  explicit ComparisonReport(const std::string& path);
  void add(const Comparison& comparison);  // after every step
  void close();                            // throws std::runtime_error where not everything reached the disk

 private:
  std::string path_;
  std::ofstream out_;
  std::vector<long> steps_;  // of each run that were written
};

}  // namespace stiction::cli
