// Reads MJCF (and whatever else MuJoCo reads) with MuJoCo's own parser and compiler, so that defaults, includes,
// replication, mesh inertias and every other rule of the format are resolved as MuJoCo resolves them.
//
//     LoadedModel loaded = load_mjcf("scenes/humanoid/humanoid.xml");
//     Simulator simulator(loaded.model);
//
// Taken over: bodies with joints of every kind (ref, springref, armature, damping, stiffness, frictionloss, limits),
// geoms that may touch something (mesh: its convex hull, or on demand a surface that is part of the world), sliding
// friction with priority, pairs, excludes and the filter of parents, equalities connect, weld and joint, actuators that
// are a torque, position or velocity servo, keyframes, sites, time step and gravity. Quaternions of MuJoCo are (w, x,
// y, z), ours (x, y, z, w); otherwise positions and velocities of keyframes have the same layout.
//
// Contacts, limits and equalities are rigid here, and friction is Coulomb's: solref and solimp have no counterpart.
// They, and everything else that is in the file and not in the model, are listed in LoadedModel::ignored.
#pragma once

#include <string>

#include "stiction/io/load.h"
#include "stiction/model/model_builder.h"

namespace stiction {

// Throws std::invalid_argument with the path and MuJoCo's own message where the file is missing or wrong, and
// std::runtime_error where MuJoCo's library is missing or this build has none.
//
// LoadOptions: `base` fixed takes free joints away, floating gives one to every root without joints that carries
// joints; in a `sandbox` every file that the file names, whatever includes it, must lie in the folder of the model file
// or in package_roots; package_roots mean nothing else, and repair_inertia means nothing here (the compiler of MuJoCo
// refuses impossible inertias, or balances them). A file that ends in .mjb is a model that MuJoCo has compiled and
// stored; MuJoCo trusts its contents.
LoadedModel load_mjcf(const std::string& path, const LoadOptions& options = {});
// Files that the text names are looked for in the working directory.
LoadedModel load_mjcf_string(const std::string& xml, const LoadOptions& options = {});
// Into a world that others fill too: gravity, time step, friction rule and the filter of parents become those of this
// file. Names that are there already are refused by ModelBuilder::build().
void append_mjcf(ModelBuilder& builder, const std::string& path, const LoadOptions& options,
                 std::vector<IgnoredElement>& ignored);

// Whether load_mjcf can work: built with MuJoCo, and its library is found.
bool has_mjcf();
// Of the MuJoCo that this was built with, "4.0.1"; empty: none. What that MuJoCo has compiled (.mjb) can be read.
std::string mujoco_version();

}  // namespace stiction
