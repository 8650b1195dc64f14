// Writes a model in the format that the ending of a name asks for.
//
//     WrittenModel written = write_model(*loaded.model, "robot.urdf");
//     for (const std::string& what : written.lost) std::cout << what << "\n";
#pragma once

#include <string>

#include "stiction/io/written_model.h"
#include "stiction/model/model.h"

namespace stiction {

// MJCF (.xml, .mjcf), URDF (.urdf) or SDF (.sdf). Throws std::invalid_argument where the ending is another, or the file
// cannot be written.
WrittenModel write_model(const Model& model, const std::string& path);

// Throws what write_model would throw of this ending.
void check_model_ending(const std::string& path);

}  // namespace stiction
