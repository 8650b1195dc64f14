// A model as text, for people.
#pragma once

#include <string>

#include "stiction/model/model.h"

namespace stiction {

// The tree of bodies with joints, masses and shapes, then loops, actuators and keyframes; one line each:
//
//     2 bodies in 1 tree, 8 positions, 7 velocities, 2 shapes; gravity (0, 0, -9.81) m/s²
//     world: ground plane
//       base: free 'base' q[0..6] v[0..5]; 2.5 kg; trunk box 0.2 x 0.1 x 0.05
//         leg: revolute 'hip' q[7] v[6] -1.5 .. 1.5; 0.4 kg
//     actuator 'hip': position on 'hip'
//
// Bodies that were merged stand behind a plus: `base + imu + battery`.
std::string describe(const Model& model);

}  // namespace stiction
