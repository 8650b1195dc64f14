// What a run of a scene was: the certificate of all its steps, energy, speed.
#pragma once

#include <string>
#include <vector>

#include "stiction/io/loaded_model.h"
#include "stiction/sim/simulator.h"

namespace stiction::cli {

struct Energy {
  double kinetic = 0.0, potential = 0.0;  // J; potential: gravity and springs
  double total() const { return kinetic + potential; }
};
Energy energy_of(Simulator& simulator);

class RunSummary {
 public:
  // Before the first step.
  void begin(Simulator& simulator, const std::vector<std::string>& files, const std::vector<IgnoredElement>& ignored);
  void add(const Simulator& simulator, const StepReport& report, double seconds);
  // After the last.
  void finish(Simulator& simulator);

  std::string to_text() const;

  std::vector<std::string> files;
  std::vector<IgnoredElement> ignored;
  std::string solver, model_description;
  double tolerance = 0.0, acceptable_tolerance = 0.0, geometric_tolerance = 0.0;
  double time_step = 0.0, start_time = 0.0, end_time = 0.0;  // s
  int threads = 1;
  int num_bodies = 0, num_velocities = 0, num_shapes = 0;

  long law_certified = 0, geometry_certified = 0, energy_certified = 0;  // steps
  long rechecked = 0;                                                    // steps that were solved again
  double unforeseen_penetration = 0.0, unforeseen_time = 0.0;            // m, s: the deepest of all steps
  double largest_gap_error = 0.0, largest_normal_error = 0.0;            // m, rad
  long braked = 0;                                                       // steps with StepReport::num_braked_trees
  double energy_error = 0.0;                                             // J, of all steps together
  double largest_energy_gain = 0.0, gain_time = 0.0;                     // J, s: the largest energy_error of a step
  long steps = 0, certified = 0, accepted = 0, converged = 0, iterations = 0;
  long jammed = 0;                     // steps with StepReport::num_jammed_islands
  int most_redundant_rows = 0;         // of loops, that were left out of a step: what they ask for is not certified
  double largest_loop_mismatch = 0.0;  // m, rad: by how much these contradict the others
  int most_held_contacts = 0;          // that no joint moves along their normal
  double worst_residual = 0.0;         // largest ε_nat
  double worst_time = 0.0;             // s; the end of that step
  long worst_step = -1;
  std::string worst_where;           // the two shapes; or that it was no contact
  double largest_penetration = 0.0;  // m
  double penetration_time = 0.0;     // s
  int most_contacts = 0;
  double largest_compliance = 0.0, largest_static_depth = 0.0;  // m/N, m; 0: all contacts are rigid
  double largest_relaxed_slip = 0.0;                            // m/s; StepReport has it
  double signorini_penetration = 0.0, friction_error = 0.0;     // m/s, N: the largest of all steps, by the judge
  long softened = 0;                                            // steps with StepReport::num_softened_contacts
  StepReport last;                                              // the report of the last step
  Energy energy_begin, energy_end;
  double dissipated = 0.0;     // J, by friction
  double wall_seconds = 0.0;   // of the steps alone
  bool is_finite = true;       // positions and velocities of the last step
  std::string failure;         // why there was no further step; empty: nothing was wrong
  bool output_failed = false;  // a file could not be written to its end
  int signal = 0;              // that stopped the run; 0: none

  struct JointState {
    std::string name, kind;
    std::vector<double> q, v;
  };
  std::vector<JointState> joints;  // at the end

  double steps_per_second() const { return wall_seconds > 0.0 ? static_cast<double>(steps) / wall_seconds : 0.0; }
  double real_time_factor() const { return wall_seconds > 0.0 ? (end_time - start_time) / wall_seconds : 0.0; }
  bool succeeded() const { return is_finite && failure.empty() && accepted == steps; }
};

}  // namespace stiction::cli
