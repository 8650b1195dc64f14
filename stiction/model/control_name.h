// Whom a control is for.
#pragma once

#include <string_view>

#include "stiction/model/model.h"

namespace stiction {

// The actuator of that name; where there is none, the only actuator on the joint of that name. Throws
// std::invalid_argument naming what is near, or how many actuators are on the joint.
int find_control(const Model& model, std::string_view name);

}  // namespace stiction
