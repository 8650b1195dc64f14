// Puts a mechanism together: the position nearest to a given one in which loops are closed and limits are kept.
//
//     const Assembly a = assemble(model, model->initial_position);
//     std::shared_ptr<const Model> ready = assembled(model);   // the same model, starting from such a position
//
// Files of robots with closed chains often start outside the limits of their joints, or with loops open by what their
// authors rounded away; a simulation that begins there drives the errors out at once, with all the energy that takes.
//
// One iteration is the smallest move u in the metric of the inertia,
//     min ½ uᵀ M u   s.t.  J u = −error of the loops and of the limits that are, or would be, violated,
// as far as the errors can be moved at all (loops are often redundant), shortened so that no error is asked to shrink,
// and nothing moves, by more than largest_move. Limits that were violated end a little inside (limit_inset). Compliant
// loops are left alone; contacts are not looked at.
#pragma once

#include <memory>

#include "stiction/model/model.h"

namespace stiction {

struct AssemblySettings {
  double tolerance = 1e-7;    // m, rad; of every loop and limit; what is left, the steps correct
  double largest_move = 0.1;  // m, rad; of errors and of joints, per iteration
  double limit_inset = 0.02;  // m, rad; at most a tenth of the range
  int max_iterations = 200;   // it also ends where 20 of them improve nothing

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct Assembly {
  VectorX q;           // the best position that was met
  double error = 0.0;  // the largest error there, m or rad
  int iterations = 0;
  bool converged = false;
};

// Largest error of the loops and limits of a rigid mechanism at q, m or rad.
double assembly_error(const std::shared_ptr<const Model>& model, VectorView q);

Assembly assemble(const std::shared_ptr<const Model>& model, VectorView q, const AssemblySettings& settings = {});

// The model with `initial_position` assembled; the same object where nothing was to do or nothing could be improved.
std::shared_ptr<const Model> assembled(const std::shared_ptr<const Model>& model,
                                       const AssemblySettings& settings = {});

}  // namespace stiction
