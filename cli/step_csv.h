// The report of every step as a line of a CSV file.
#pragma once

#include <fstream>
#include <string>

#include "stiction/sim/step_report.h"

namespace stiction::cli {

class StepCsv {
 public:
  // Throws where the file cannot be written.
  explicit StepCsv(const std::string& path);
  // Throws std::runtime_error where the disk is full; lines may be waiting until close().
  void add(const StepReport& report);
  // Throws std::runtime_error where not everything reached the disk.
  void close();

 private:
  std::string path_;
  std::ofstream out_;
};

}  // namespace stiction::cli
