// Worlds and runs of worlds as JSON. Numbers that JSON cannot express (infinity, NaN) become null.
#pragma once

#include <string>
#include <vector>

#include "cli/run_summary.h"
#include "stiction/io/written_model.h"

namespace stiction::cli {

std::string summary_to_json(const RunSummary& summary);
std::string model_to_json(const Model& model, const std::vector<std::string>& files,
                          const std::vector<IgnoredElement>& ignored);
std::string written_to_json(const WrittenModel& written);

}  // namespace stiction::cli
