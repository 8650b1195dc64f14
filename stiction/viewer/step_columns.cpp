#include "stiction/viewer/step_columns.h"

#include <array>

namespace stiction::viewer {
namespace {

// Times and step numbers have more digits than a float: the second column is what the first leaves.
constexpr std::array<std::string_view, 30> column_names = {
    "time",
    "time_rest",
    "step",
    "step_rest",
    "eps_nat",
    "eps_abs",
    "unforeseen_penetration",
    "largest_gap_error",
    "largest_normal_error",
    "largest_penetration",
    "kinetic_energy",
    "potential_energy",
    "dissipated",
    "dissipated_so_far",
    "constraint_work",
    "actuator_work",
    "applied_work",
    "damped",
    "energy_error",
    "num_contacts",
    "num_sticking",
    "num_sliding",
    "num_open",
    "num_islands",
    "status",
    "iterations",
    "worst_contact",
    "law_certified",
    "geometry_certified",
    "energy_certified",
};

}  // namespace

StepColumns::StepColumns() : columns_(column_names.size()) {}

std::span<const std::string_view> StepColumns::names() {
  return column_names;
}

void StepColumns::add(std::int64_t step, const StepReport& report, double dissipated) {
  const auto rest = [](double value) { return value - static_cast<double>(static_cast<float>(value)); };
  const auto number = static_cast<double>(step);
  const std::array<double, column_names.size()> row = {
      report.time,
      rest(report.time),
      number,
      rest(number),
      report.residuals.eps_nat,
      report.residuals.eps_abs,
      report.unforeseen_penetration,
      report.largest_gap_error,
      report.largest_normal_error,
      report.largest_penetration,
      report.kinetic_energy,
      report.potential_energy,
      report.dissipated,
      dissipated,
      report.constraint_work,
      report.actuator_work,
      report.applied_work,
      report.damped,
      report.energy_error,
      static_cast<double>(report.num_contacts),
      static_cast<double>(report.num_sticking),
      static_cast<double>(report.num_sliding),
      static_cast<double>(report.num_open),
      static_cast<double>(report.num_islands),
      static_cast<double>(report.status),
      static_cast<double>(report.iterations),
      static_cast<double>(report.worst_contact),
      report.law_certified ? 1.0 : 0.0,
      report.geometry_certified ? 1.0 : 0.0,
      report.energy_certified ? 1.0 : 0.0,
  };
  for (std::size_t k = 0; k < row.size(); ++k) columns_[k].push_back(static_cast<float>(row[k]));
}

Bytes StepColumns::encode() const {
  std::vector<std::int32_t> before(columns_[0].size());
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::int32_t>(i) - 1;
  Bytes out;
  for (const std::vector<float>& column : columns_) append_column(column, before, out);
  return out;
}

}  // namespace stiction::viewer
