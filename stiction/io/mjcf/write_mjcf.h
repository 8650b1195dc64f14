// Writes a model as MJCF, MuJoCo's format. load_mjcf() of the file gives an equal model.
//
// Bodies, their joints in sequence, inertias, shapes, sites, point and weld loops, joint equalities, actuators,
// keyframes, pairs that may or may not meet, gravity and time step are written. Bodies that were merged into another
// stand in it as bodies without joint. Convex hulls become OBJ files beside the file (MeshWriter); height fields stand
// in it.
//
// MuJoCo has no counterpart for: restitution, compliance, anisotropic friction and friction rules other than the larger
// of two (where frictions differ); velocity limits; triangle meshes to collide with; hinge loops (written as two
// points); joints of several parts (written as their parts). These are in WrittenModel::lost. It keeps vertices and
// heights in single precision; that is a note.
#pragma once

#include <string>

#include "stiction/io/written_model.h"
#include "stiction/model/model.h"

namespace stiction {

// Throws std::invalid_argument where the file cannot be written.
WrittenModel write_mjcf(const Model& model, const std::string& path);

}  // namespace stiction
