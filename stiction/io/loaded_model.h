// What a reader of model files returns: the model, and an honest list of what the file holds and the model does not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"

namespace stiction {

struct IgnoredElement {
  std::string file{};     // as it was opened; empty: a text that came from no file
  int line = 0;           // of the first such element; 0: unknown
  std::string element{};  // for example "geom 'left', 'right' and 4 more"
  std::string reason{};
};

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::vector<IgnoredElement> ignored;  // everything of the file that has no counterpart in the model
};

// What was read, built. Throws std::invalid_argument naming `where` (a file) where the whole does not hold together.
LoadedModel build_loaded(const ModelBuilder& builder, std::vector<IgnoredElement> ignored, const std::string& where);

}  // namespace stiction
