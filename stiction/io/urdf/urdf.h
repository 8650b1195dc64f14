// Reads URDF, the robot description format of ROS.
//
//     LoadedModel robot = load_urdf("talos.urdf", {.base = BaseKind::floating, .package_roots = {"/opt/robots"}});
//
// Links become bodies, joints of all six types joints, mimic joints equalities; limits, damping, friction,
// transmissions, collision geometry and Gazebo's mu1 are taken over. Visuals, safety controllers and other extensions
// have no counterpart and are listed in LoadedModel::ignored. docs/urdf.md says what becomes of what.
//
// Base. as_in_file and fixed: the root link is fixed to the world. floating: the root link has a free joint called
// "root_joint"; where the root link is called "world", the links fixed to it float in its place.
// Actuators. One torque per movable joint that mimics no other, in the order of the joints: that of its transmission
// (gear = mechanicalReduction), or else one of gear 1; both within the effort limit of the joint.
// Links without mass. Where no mass at all moves with a joint, the joint is fixed at zero and listed.
#pragma once

#include <string>
#include <vector>

#include "stiction/io/load.h"
#include "stiction/model/model_builder.h"

namespace stiction {

// Throw std::invalid_argument naming file, line, element and value.
LoadedModel load_urdf(const std::string& path, const LoadOptions& options = {});
// Files that the text names are looked for as if it stood in `folder`.
LoadedModel load_urdf_string(const std::string& xml, const LoadOptions& options = {}, const std::string& folder = ".");

// Adds a robot to a world that is being built.
void append_urdf(ModelBuilder& builder, const std::string& path, const LoadOptions& options,
                 std::vector<IgnoredElement>& ignored);

}  // namespace stiction
