// A start that can be simulated. Files of robots with closed chains often start outside the limits of their joints; a
// simulation that begins there drives the errors out at once, with all the energy that takes.
//
// The initial position becomes the nearest one with loops closed and limits kept (sim/assembly.h). Where none is found
// near it, the limits that the initial position violates contradict the loops: they are released. Both are told in
// `ignored`. A model that starts in order is returned as it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/io/loaded_model.h"

namespace stiction {

std::shared_ptr<const Model> settle(const std::shared_ptr<const Model>& model, const std::string& file,
                                    std::vector<IgnoredElement>& ignored);

}  // namespace stiction
