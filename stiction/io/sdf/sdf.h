// Reads SDF, the description format of Gazebo and Drake, versions 1.4 to 1.12.
//
//     LoadedModel robot = load_sdf("cassie_v2.sdf");
//     LoadedModel world = load_sdf("empty.world", {.package_roots = {"/opt/models"}});
//
// Links become bodies, with frames, nested models and included files resolved to where their poses say; joints of type
// revolute, continuous, prismatic, ball, universal, revolute2, fixed and gearbox; limits, damping, friction, springs,
// mimics; collision geometry, friction and bounce; gravity and step size of a world. What has no counterpart (visuals,
// sensors, plugins …) is listed in LoadedModel::ignored. docs/sdf.md says what becomes of what.
//
// Loops. SDF allows a link to have several parents. Joints are taken into the tree in the order: fixed, those that
// cannot close a loop here (prismatic, universal), revolute, ball, and as the file has them within a kind; a joint
// that would close a loop becomes a loop of the model: ball a point, revolute a hinge, fixed a weld. A joint of the
// tree may be run through from its child to its parent; its position and limits mean the same all the same.
//
// Start. Where the poses of the links violate limits of joints, load_sdf starts from the nearest position that does
// not, loops closed (io/settle.h); append_sdf leaves that to its caller.
//
// Names. Those of the file; below a nested model, and in a world, "model::link".
// Base. as_in_file: models move freely unless they are static or joined to the world. fixed: the root of every model
// that moves freely is fixed to the world. floating: links fixed to the world by a joint float; static models stay.
// Actuators. One torque for every degree of freedom of revolute and prismatic joints of the tree, in the order of the
// file, within the effort limit of the joint; none for mimics.
#pragma once

#include <string>
#include <vector>

#include "stiction/io/load.h"
#include "stiction/model/model_builder.h"

namespace stiction {

// Throw std::invalid_argument naming file, line, element and value.
LoadedModel load_sdf(const std::string& path, const LoadOptions& options = {});
// Files that the text names are looked for as if it stood in `folder`.
LoadedModel load_sdf_string(const std::string& xml, const LoadOptions& options = {}, const std::string& folder = ".");

// Adds what the file describes to a world that is being built. A <world> sets gravity and suggested time step; every
// SDF file sets the rule of friction to the smaller of two, which is Gazebo's.
void append_sdf(ModelBuilder& builder, const std::string& path, const LoadOptions& options,
                std::vector<IgnoredElement>& ignored);

}  // namespace stiction
