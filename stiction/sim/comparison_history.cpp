#include "stiction/sim/comparison_history.h"

#include <algorithm>
#include <array>

namespace stiction {
namespace {

using Series = ComparedSeries;
using Column = std::vector<double> Series::*;
constexpr std::array<Column, 4> last_ones = {&Series::time, &Series::distance, &Series::energy, &Series::energy_error};
constexpr std::array<Column, 6> largest_ones = {&Series::eps_nat, &Series::signorini,   &Series::separation,
                                                &Series::coulomb, &Series::dissipation, &Series::penetration};
constexpr std::size_t num_last = last_ones.size();

// Two samples become one; the last may stand alone.
void halve(std::vector<double>& column, bool takes_largest) {
  const std::size_t half = (column.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const double first = column[2 * i], second = column[std::min(2 * i + 1, column.size() - 1)];
    column[i] = takes_largest ? std::max(first, second) : second;
  }
  column.resize(half);
}

}  // namespace

ComparisonHistory::ComparisonHistory(const Comparison& comparison, std::size_t capacity)
    : capacity_(std::max<std::size_t>(capacity & ~std::size_t{1}, 2)), runs_(comparison.runs().size()) {
  for (Run& run : runs_) {
    for (std::size_t c = 0; c < num_last; ++c) (run.series.*last_ones[c]).reserve(capacity_);
    for (const Column column : largest_ones) (run.series.*column).reserve(capacity_);
  }
}

void ComparisonHistory::add(const ComparedRun& run, const StepReport& report, Run& to) const {
  const Residuals& r = report.residuals;
  const std::array<double, num_last> last = {report.time, run.distance, report.kinetic_energy + report.potential_energy,
                                             run.energy_error};
  const std::array<double, 6> largest = {r.eps_nat,     r.signorini_complementarity, r.normal_separation, r.coulomb,
                                         r.dissipation, report.largest_penetration};
  const bool is_new = to.steps % stride_ == 0;
  for (std::size_t c = 0; c < last.size(); ++c) {
    std::vector<double>& column = to.series.*last_ones[c];
    if (is_new) column.push_back(0.0);
    column.back() = last[c];
  }
  for (std::size_t c = 0; c < largest.size(); ++c) {
    std::vector<double>& column = to.series.*largest_ones[c];
    if (is_new) column.push_back(0.0);
    column.back() = std::max(column.back(), largest[c]);
  }
  ++to.steps;
}

void ComparisonHistory::append(const Comparison& comparison) {
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const ComparedRun& run = comparison.runs()[k];
    if (run.steps == runs_[k].steps) continue;  // it has failed
    const bool is_full = runs_[k].series.time.size() == capacity_ && runs_[k].steps % stride_ == 0;
    if (is_full) {
      stride_ *= 2;
      for (Run& other : runs_) {
        for (std::size_t c = 0; c < num_last; ++c) halve(other.series.*last_ones[c], false);
        for (const Column column : largest_ones) halve(other.series.*column, true);
      }
    }
    add(run, comparison.simulator(static_cast<int>(k)).report(), runs_[k]);
  }
}

}  // namespace stiction
