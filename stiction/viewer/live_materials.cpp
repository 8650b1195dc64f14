#include "stiction/viewer/live_materials.h"

#include <algorithm>

#include "stiction/math/refuse.h"

namespace stiction::viewer {
namespace {

constexpr std::size_t most = 2;  // that a name names

std::string name_of(const Model& model, const std::vector<int>& shapes) {
  std::string name;
  std::size_t named = 0;
  for (const int shape : shapes) {
    if (model.shapes[shape].name.empty()) continue;
    if (named++ < most) name.append(name.empty() ? "" : ", ").append(model.shapes[shape].name);
  }
  if (named == 0) return std::to_string(shapes.size()) + (shapes.size() == 1 ? " shape" : " shapes");
  return named > most ? name + ", …" : name;
}

std::string name_of_pairs(const Model& model, const std::vector<int>& pairs) {
  const auto shape_name = [&](int shape) {
    const std::string& name = model.shapes[shape].name;
    return name.empty() ? message("shape ", shape) : name;
  };
  std::string name;
  for (std::size_t k = 0; k < std::min(most, pairs.size()); ++k) {
    const ShapePair& pair = model.pair_materials[pairs[k]];
    name.append(k == 0 ? "" : ", ").append(shape_name(pair.shape_a)).append(" on ").append(shape_name(pair.shape_b));
  }
  return pairs.size() > most ? name + ", …" : name;
}

// Across the grain friction changes in proportion; where there was none along it, it is as along it.
double across(double before_across, double before_along, double along) {
  return before_along > 0 ? before_across * (along / before_along) : along;
}

}  // namespace

LiveMaterials::LiveMaterials(std::shared_ptr<const Model> model) : base_(std::move(model)) {
  for (int shape = 0; shape < static_cast<int>(base_->shapes.size()); ++shape) {
    const stiction::Material& material = base_->shapes[shape].material;
    const auto same = std::find_if(materials_.begin(), materials_.end(), [&](const Material& candidate) {
      const stiction::Material& other = base_->shapes[candidate.shapes[0]].material;
      return other.friction == material.friction && other.friction_2 == material.friction_2;
    });
    if (same == materials_.end()) {
      materials_.push_back({{}, material.friction, {shape}});
    } else {
      same->shapes.push_back(shape);
    }
  }
  for (Material& material : materials_) material.name = name_of(*base_, material.shapes);
  const auto of_shapes = static_cast<std::ptrdiff_t>(materials_.size());
  for (int pair = 0; pair < static_cast<int>(base_->pair_materials.size()); ++pair) {
    const PairMaterial& material = base_->pair_materials[pair].material;
    const auto same = std::find_if(materials_.begin() + of_shapes, materials_.end(), [&](const Material& candidate) {
      const PairMaterial& other = base_->pair_materials[candidate.pairs[0]].material;
      return other.friction == material.friction && other.friction_2 == material.friction_2;
    });
    if (same == materials_.end()) {
      materials_.push_back({{}, material.friction, {}, {pair}});
    } else {
      same->pairs.push_back(pair);
    }
  }
  for (auto of_pairs = materials_.begin() + of_shapes; of_pairs != materials_.end(); ++of_pairs) {
    of_pairs->name = name_of_pairs(*base_, of_pairs->pairs);
  }
}

void LiveMaterials::set(const FrictionCommand& command) {
  if (command.material < 0) {
    scale_ = command.value;
  } else if (command.material < static_cast<int>(materials_.size())) {
    materials_[command.material].friction = command.value;
  } else {
    refuse("friction: material ", command.material, " does not exist; the model has ", materials_.size());
  }
}

std::shared_ptr<const Model> LiveMaterials::make_model() const {
  auto model = std::make_shared<Model>(*base_);
  for (const Material& material : materials_) {
    const double along = scale_ * material.friction;
    const auto change = [&](double& friction, double& friction_2) {
      if (friction_2 == friction) {
        friction_2 = along;
      } else if (friction_2 >= 0.0 && along != friction) {
        friction_2 = across(friction_2, friction, along);
      }
      friction = along;
    };
    for (const int shape : material.shapes) {
      change(model->shapes[shape].material.friction, model->shapes[shape].material.friction_2);
    }
    for (const int pair : material.pairs) {
      change(model->pair_materials[pair].material.friction, model->pair_materials[pair].material.friction_2);
    }
  }
  return model;
}

Simulator with_changes(const Simulator& simulator, std::shared_ptr<const Model> model, const std::string& solver) {
  SimulatorSettings settings = simulator.settings();
  const bool is_same_solver = settings.solver == solver;
  settings.solver = solver;
  Simulator changed(std::move(model), settings);
  if (is_same_solver) {
    for (const auto& [name, value] : simulator.solver_options()) changed.set_solver_option(name, value);
  }
  changed.set_state(simulator.state());
  changed.set_joint_force(simulator.joint_force());
  for (const BodyWrench& wrench : simulator.external_forces()) {
    changed.add_external_force(wrench.body, wrench.force, wrench.point, wrench.torque);
  }
  return changed;
}

}  // namespace stiction::viewer
