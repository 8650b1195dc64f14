// Writes a model as SDF 1.9, the format of Gazebo and Drake: one <model>.
//
// Links stand where their bodies stand at zero of all joints. What belongs to the world is a link "world_link" on a
// fixed joint; free bodies are links without joint. Bodies that were merged, and sites, are <frame>s. Point loops are
// ball joints, hinge loops revolute joints, weld loops fixed joints; linear equalities of joints are <mimic>. Shapes
// are written as collision and visual, hulls and meshes as OBJ files beside the file (MeshWriter), friction (in two
// directions too) and restitution as <surface>.
//
// SDF has no counterpart for: links without mass between several joints of a body (they get 1e-9 kg), initial
// positions, armature, other equalities of joints, servos, keyframes, height fields, filters of pairs, gravity and time
// step (they belong to a world). These are in WrittenModel::lost.
#pragma once

#include <string>

#include "stiction/io/written_model.h"
#include "stiction/model/model.h"

namespace stiction {

// Throws std::invalid_argument where the file cannot be written.
WrittenModel write_sdf(const Model& model, const std::string& path);

}  // namespace stiction
