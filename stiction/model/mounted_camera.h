// A camera that belongs to a world: fixed in it, on a body, or turned towards one. Pictures are taken from it by its
// name (render/render.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stiction/math/pose.h"

namespace stiction {

// How a camera goes with what carries it; the words are those of MJCF.
enum class CameraMode : std::uint8_t {
  fixed,       // moves and turns with its frame
  track,       // moves along with the frame's origin and never turns; seen from there as at the initial position
  track_com,   // the same with the centre of mass of the frame's body and all that hangs on it
  target,      // moves with its frame, turned towards the origin of the target, the world's z axis upwards
  target_com,  // the same, towards the centre of mass of the target's body and all that hangs on it
};
std::string_view to_string(CameraMode mode);

// It looks along −z of its own frame, y upwards and x to the right.
struct MountedCamera {
  std::string name{};
  int frame = -1;  // in Model::frames; −1: the world. A builder is given the index of a body.
  Pose pose{};     // X_FC; at the initial position, where the camera tracks
  CameraMode mode = CameraMode::fixed;
  int target = -1;                            // as `frame`; of target and target_com
  double field_of_view = 0.7853981633974483;  // vertical, rad, 0 … π
};

}  // namespace stiction
