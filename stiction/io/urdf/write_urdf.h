// Writes a model as URDF. load_urdf() of the file gives the same bodies, joints, inertias, shapes and mimic joints.
//
// The root is a link "world"; what is fixed to the world is fixed to it, and free bodies hang on it by floating joints.
// The frame of a URDF link is that of its joint: where the joint of a body is not at the body's origin, or a body has
// several joints, links without mass stand between. Bodies that were merged, and sites, are links on fixed joints.
// Shapes are written as collision and as visual, hulls and meshes as OBJ files beside the file (MeshWriter), friction
// and restitution as <contact>.
//
// URDF has no counterpart for: ball joints (written as three revolute ones), initial positions, armature, springs,
// loops but mimic joints, servos, keyframes, ellipsoids, planes (written as a large box), filters of contacts, gravity,
// time step. These are in WrittenModel::lost.
#pragma once

#include <string>

#include "stiction/io/written_model.h"
#include "stiction/model/model.h"

namespace stiction {

// Throws std::invalid_argument where the file cannot be written.
WrittenModel write_urdf(const Model& model, const std::string& path);

}  // namespace stiction
