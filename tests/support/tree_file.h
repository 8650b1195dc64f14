// Mechanisms and foreign results about them, as tests/oracles/export_dynamics.py writes them (format: tree_files.py
// there).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"

namespace stiction::testing {

struct TreeSample {
  VectorX q, v, bias;
  MatrixX mass_matrix;
  std::map<std::string, Pose> poses;         // X_WF by the name of the frame
  std::map<std::string, MatrixX> jacobians;  // 6 × nv, linear then angular
};

struct TreeFile {
  std::shared_ptr<const Model> model;
  std::vector<TreeSample> samples;  // in the order of the model's q and v
};

// `dress` may add shapes and more before the model is built; bodies have the builder's indices of their order in the
// file.
TreeFile read_tree_file(const std::string& path, const std::function<void(ModelBuilder&)>& dress = {});

}  // namespace stiction::testing
