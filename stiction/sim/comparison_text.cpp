// The table of a comparison.
#include <array>
#include <cmath>
#include <cstdio>

#include "stiction/sim/comparison.h"

namespace stiction {
namespace {

constexpr int num_columns = 12;
using Row = std::array<std::string, num_columns>;

// What is broken is told with two digits; below that it is the solver's tolerance or rounding.
std::string in_digits(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  std::snprintf(text, sizeof text, value == 0.0 ? "0" : "%.1e", value);
  return text;
}

std::string in_plain(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Row row_of(const ComparedRun& run, bool is_first, double time_step) {
  const Residuals& r = run.residuals;
  return {run.solver,
          std::string(to_string(run.model)),
          std::to_string(run.certified_steps) + " of " + std::to_string(run.steps),
          in_digits(r.signorini_complementarity),
          in_digits(r.normal_separation),
          in_digits(r.coulomb),
          in_digits(r.dissipation),
          in_digits(run.energy_error),
          in_digits(run.energy_gain),
          is_first ? "-" : in_digits(run.largest_distance),
          run.parting_step < 0 ? "-" : in_plain(static_cast<double>(run.parting_step + 1) * time_step, "%.4g"),
          in_plain(run.steps_per_second(), "%.0f")};
}

}  // namespace

std::string Comparison::to_text() const {
  std::vector<Row> rows = {{"solver", "model", "exact steps", "Signorini", "lift-off", "Coulomb", "dissipation",
                            "energy", "gain", "drift", "parts at", "steps"},
                           {"", "", "", "J", "m/s", "N s", "N s", "J", "J", "m", "s", "1/s"}};
  for (std::size_t k = 0; k < runs_.size(); ++k) rows.push_back(row_of(runs_[k], k == 0, simulators_[0].time_step()));
  std::array<std::size_t, num_columns> width{};
  for (const Row& row : rows) {
    for (int c = 0; c < num_columns; ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::string line;
    for (int c = 0; c < num_columns; ++c) {
      const std::string padding(width[c] - rows[k][c].size(), ' ');
      line += (c > 0 ? "  " : "") + (c < 2 ? rows[k][c] + padding : padding + rows[k][c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (k != 1) continue;
    for (int c = 0; c < num_columns; ++c) text += (c > 0 ? "  " : "") + std::string(width[c], '-');
    text += '\n';
  }
  for (const ComparedRun& run : runs_) {
    if (!run.failure.empty())
      text += run.solver + " ended after " + std::to_string(run.steps) + " steps: " + run.failure + '\n';
  }
  return text;
}

}  // namespace stiction
