// Friction and solver that change while a simulation runs. A model never changes and a simulator has its settings for
// life, so both are made anew; the state, to the last bit, and the forces that were set go over to the new ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/sim/simulator.h"
#include "stiction/viewer/live_command.h"

namespace stiction::viewer {

// Shapes of equal friction are one material; after them pairs of shapes with a friction of their own
// (Model::pair_materials), which that of their shapes does not touch, again those of equal friction together.
class LiveMaterials {
 public:
  struct Material {
    std::string name;  // of its first shapes or pairs
    double friction;   // as it is set now, before scaling
    std::vector<int> shapes{}, pairs{};
  };

  explicit LiveMaterials(std::shared_ptr<const Model> model);

  const std::vector<Material>& all() const { return materials_; }
  double scale() const { return scale_; }
  // Throws std::invalid_argument where there is no such material.
  void set(const FrictionCommand& command);
  std::shared_ptr<const Model> make_model() const;

 private:
  std::shared_ptr<const Model> base_;
  std::vector<Material> materials_;
  double scale_ = 1.0;
};

// Options of the solver go over where the solver stays. Throws std::invalid_argument for settings that are refused.
Simulator with_changes(const Simulator& simulator, std::shared_ptr<const Model> model, const std::string& solver);

}  // namespace stiction::viewer
