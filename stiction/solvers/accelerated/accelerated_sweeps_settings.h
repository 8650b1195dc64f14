// What accelerated sweeps may be told; found by measuring on heaps of 120 to 3000 spheres.
#pragma once

namespace stiction {

struct AndersonWindowSettings {
  int columns = 5;         // 0 … AndersonWindow::most_columns; 0: plain sweeps
  double growth = 1.2;     // > 1
  int pause = 10;          // plain steps after a reset, ≥ 0
  int longest_pause = 64;  // times `pause`, ≥ 1
  double ridge = 1e-4;     // relative, on the diagonal of the Gram matrix; ≥ 0

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct AcceleratedSweepsSettings {
  AndersonWindowSettings window;
  int sweeps_per_step = 2;  // visits of every constraint in one T, 1 … 8
  int test_every = 4;       // sweeps between two looks at the residual, which costs nearly as much as one
  double cost = 1.0;        // of a sweep, in the units of the goal's budget; it is no less than the sum of the next two
  double cost_of_visit = 0.0, cost_of_constraint = 0.0;  // by those that are not passed over, and by all
  int most_sweeps = 1 << 30;
  // From twice as many on a factored problem is visited domain by domain, which several threads can share; with less in
  // each, borders take a larger part, and a phase is over before another thread has noticed it.
  int constraints_per_domain = 600;

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

}  // namespace stiction
