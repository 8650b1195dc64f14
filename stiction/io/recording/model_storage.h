// A model as bytes and back, equal to the last bit: recordings carry the model they were made with.
//
// Stored is what the user chose; what follows from that is computed again (model/complete_model.h). Geometry that
// shapes share is stored once and shared again. The bytes begin with a mark and a version, and are little-endian.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/model/model.h"

namespace stiction {

std::vector<std::byte> model_to_bytes(const Model& model);
// Throws std::invalid_argument, naming what is wrong, for bytes that are no model of this version.
std::shared_ptr<const Model> model_from_bytes(std::span<const std::byte> bytes);

}  // namespace stiction
