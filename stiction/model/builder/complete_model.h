// A model from its parts, as a file stores them: the way back from a Model to a Model without a builder.
//
// Given are gravity, friction rule, time step; of bodies parent, joint, placement, mass, com and inertia; of dofs what
// the user chose; shapes, joints, frames, loops, actuators, keyframes, pairs and the initial state. What follows from
// these is computed as ModelBuilder computes it: trees, places in q and v, chains, packed rows, nodes. So a model that
// came from a builder comes back equal to the last bit.
#pragma once

#include "stiction/model/model.h"

namespace stiction {

// Throws std::invalid_argument naming element and value where the parts are not those of a valid model.
std::shared_ptr<const Model> complete_model(Model parts);

// In a fluid: an inertia box for every body with mass that has no form.
void add_inertia_boxes(Model& model);
void check_stored_fluid(const Model& model);

}  // namespace stiction
