// Reads robot files of any known format into one world.
//
//     LoadedModel robot = load_model("talos.urdf", {.base = BaseKind::floating});
//     LoadedModel world = load_models({{{"ground.sdf", {}}, {"ur5.urdf", {.pose = Pose(Vector3(0, 0, 1)), .prefix =
//     "a_"}}}});
//
// A format is recognised by the ending of the name (.urdf, .sdf, .world, .mjcf, .mjb) and otherwise by the root element
// of the text (<robot>, <sdf>, <mujoco>).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stiction/io/loaded_model.h"
#include "stiction/math/pose.h"

namespace stiction {

// How the robot stands in the world.
//   as_in_file  what the format means: the root link of a URDF is fixed to the world, a model of an SDF file is free
//               unless it is static or joined to the world, a body of an MJCF file is free where it has a free joint
//   fixed       every root is fixed to the world
//   floating    every root that the file fixes to the world gets a free joint, and nothing else changes. A root link
//               named "world" stays the world itself; then its children float.
enum class BaseKind { as_in_file, fixed, floating };

struct LoadOptions {
  Pose pose{};           // where the frame of the file stands in the world
  std::string prefix{};  // put before every name, so that one file may be read several times
  BaseKind base = BaseKind::as_in_file;
  std::vector<std::string> package_roots{};  // folders in which package://name and model://name are looked for first
  bool sandbox = false;                      // refuse files outside the folder of the model file and package_roots
  bool repair_inertia = false;     // mend impossible inertias and say so in `ignored`, in place of refusing them
  bool meshes_as_terrain = false;  // meshes fixed to the world stay surfaces of triangles, in place of convex hulls
  // Gains of the servos that position and velocity interfaces of ros2_control become, N·m/rad and N·m·s/rad; both 0:
  // the files say none, so these joints take torques, and that is listed.
  double servo_kp = 0.0, servo_kd = 0.0;
};

// Throw std::invalid_argument naming file, line, element and value where something is wrong.
LoadedModel load_model(const std::string& path, const LoadOptions& options = {});

struct ModelPart {
  std::string path;
  LoadOptions options{};
};

// Several files in one world. Names must differ; give them prefixes.
LoadedModel load_models(std::span<const ModelPart> parts);

}  // namespace stiction
