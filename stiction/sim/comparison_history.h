// A comparison over time, for plots and tables: a sample per step, or per 2, 4, 8 … steps where there are many.
//
//     ComparisonHistory history(comparison);
//     while (…) { comparison.step(); history.append(comparison); }
//     history.run(1).distance …
#pragma once

#include <cstddef>
#include <vector>

#include "stiction/sim/comparison.h"

namespace stiction {

// Of one run. Residuals are the largest of the steps that a sample stands for, the others those of its last step.
struct ComparedSeries {
  std::vector<double> time;          // s, at the end of the step
  std::vector<double> distance;      // m, ComparedRun::distance
  std::vector<double> energy;        // J, kinetic and potential, of the state that the step began with
  std::vector<double> energy_error;  // J, of all steps so far
  std::vector<double> eps_nat;       // by the common law
  std::vector<double> signorini, separation, coulomb, dissipation;  // Residuals: J, m/s, N·s, N·s
  std::vector<double> penetration;                                  // m, largest_penetration
};

class ComparisonHistory {
 public:
  explicit ComparisonHistory(const Comparison& comparison, std::size_t capacity = 4096);

  void append(const Comparison& comparison);  // after every step
  const ComparedSeries& run(int k) const { return runs_[k].series; }
  int num_runs() const { return static_cast<int>(runs_.size()); }
  long steps_per_sample() const { return stride_; }

 private:
  struct Run {
    ComparedSeries series;
    long steps = 0;  // seen
  };
  void add(const ComparedRun& run, const StepReport& report, Run& to) const;

  std::size_t capacity_;
  long stride_ = 1;
  std::vector<Run> runs_;
};

}  // namespace stiction
