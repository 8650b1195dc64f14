// The same world from the same start under several contact solvers, step beside step: what does each model break, and
// where do the motions part?
//
//     Comparison comparison(model, {.solvers = {"auto", "ccp-admm", "lcp-lemke"}});
//     for (int k = 0; k < 1000; ++k) comparison.step();
//     std::cout << comparison.to_text();  // the table
//
// All are judged by one law, the exact one unless told otherwise, whatever law they solve. The first run is what the
// others are compared with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/sim/simulator.h"

namespace stiction {

struct ComparisonSettings {
  std::vector<std::string> solvers = {"auto"};  // the first one is compared with; each name once
  SimulatorSettings simulator = {};             // of all runs, but for `solver`; judge_model: ncp where it is empty
  double parting_distance =
      1e-3;  // m; runs have parted where a body is farther than that from where it is in the first

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct ComparedRun {
  std::string solver;
  ContactModel model = ContactModel::ncp;  // the law that it solves
  long steps = 0;                          // done; fewer than the others' where it failed
  long converged_steps = 0;                // by the solver's own law
  // By the common law, over all steps: the largest of each residual, and how many steps were within the tolerance.
  Residuals residuals;
  long certified_steps = 0;
  double energy_error = 0.0;         // J; what no account explains, over all steps: gains are positive
  double energy_gain = 0.0;          // J; work of constraints in steps in which they gave energy instead of taking it
  double largest_penetration = 0.0;  // m
  double distance = 0.0;             // m; of the body that is farthest from where it is in the first run
  double largest_distance = 0.0;     // m; of all steps
  long parting_step = -1;            // the first at which `distance` exceeded parting_distance; −1: none yet
  double seconds = 0.0;              // wall time of its steps
  std::string failure;               // why it does not go on; empty: it does

  double steps_per_second() const { return seconds > 0.0 ? static_cast<double>(steps) / seconds : 0.0; }
};

// One solver for every contact model, the exact law's first: of those of a model the first in the order of
// solver_names() that takes rigid contacts as they are, or the first of all where each puts in a compliance of its own.
std::vector<std::string> solver_of_each_model();

class Comparison {
 public:
  Comparison(std::shared_ptr<const Model> model, const ComparisonSettings& settings);
  Comparison(std::shared_ptr<const Model> model, const ComparisonSettings& settings, const State& start);

  const ComparisonSettings& settings() const { return settings_; }
  const std::vector<ComparedRun>& runs() const { return runs_; }
  // To set controls and forces, and to look at contacts, of every run.
  Simulator& simulator(int run) { return simulators_[run]; }
  const Simulator& simulator(int run) const { return simulators_[run]; }
  void set_control(VectorView control);      // of every run
  void set_interrupt(Interrupt* interrupt);  // of every run; a step that is stopped throws StepInterrupted

  // One step of every run that has not failed. A run fails where its numbers are no longer finite, or where its solver
  // takes no such problem; the others go on. False: nobody is left, or the first one failed.
  bool step();

  // What each run broke of the common law, one line per run, with the units in the head; what failed and why below.
  std::string to_text() const;

 private:
  void step_run(int run);
  void measure_distance(int run);

  ComparisonSettings settings_;
  std::vector<Simulator> simulators_;
  std::vector<ComparedRun> runs_;
};

}  // namespace stiction
