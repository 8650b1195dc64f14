// What the parts of `auto` share beside the goal: the names of its stages, and what they cost.
#pragma once

#include <algorithm>
#include <string_view>

#include "stiction/solvers/goal.h"

namespace stiction {

// Stages of `auto`, counted in its report (theory §4).
struct AutoStage {
  static constexpr SolveStage warm_start = SolveStage::guess;
  static constexpr SolveStage sweep{1}, active_set{2}, stick_probe{3}, interior_point{4}, arclength{5}, last_resort{6};
  static constexpr SolveStage velocity_probe{7}, velocity_interior_point{8}, velocity_arclength{9}, many_bodies{10},
      accelerated{11};

  static constexpr std::string_view names[] = {"warm_start",         "sweep",          "active_set",
                                               "stick_probe",        "interior_point", "arclength",
                                               "last_resort",        "velocity_probe", "velocity_interior_point",
                                               "velocity_arclength", "many_bodies",    "accelerated"};
};

// In factorisations of the whole problem. A factorisation of a part (an island, the bodies around a fold) counts by its
// share of the rows or bodies.
//
// What is large counts by the time that it takes, so that a limit on iterations bounds the time of a solve without a
// clock: one is then some 1.5 ms of one core, in which 8000 constraints are visited exactly, or 33 000 by batches of
// four, of which those that carry nothing take a third. Factorisations: AutoVelocitySpaceSettings::usual_products.
struct AutoCost {
  static constexpr double factorisation = 1.0;
  static constexpr double sweep = 0.125;       // on A or on a small dense matrix
  static constexpr double dense_step = 0.125;  // of active-set Newton on the latter
  static constexpr double sparse_sweep = 0.5;

  static constexpr double least_accelerated_sweep = 0.02;
  static constexpr double accelerated_visit = 1.0 / 50000.0, accelerated_share = 1.0 / 100000.0;  // the latter for all

  static double sweep_of(std::size_t visited) { return std::max(sweep, static_cast<double>(visited) / 8e3); }
  static double accelerated_sweep_of(double visited, double all) {
    return std::max(least_accelerated_sweep, accelerated_visit * visited + accelerated_share * all);
  }
};

}  // namespace stiction
