// Random forests with joints of every kind, and states of them.
#pragma once

#include <memory>

#include "stiction/model/model_builder.h"

namespace stiction::testing {

// Trees of all root kinds, among them single free bodies, with armature on some joints.
std::shared_ptr<const Model> random_forest(unsigned seed);

// A configuration with unit quaternions, a velocity, an acceleration and forces, all of order one.
struct Motion {
  VectorX q, v, a, tau;
};
Motion random_motion(const Model& model, unsigned seed);

}  // namespace stiction::testing
