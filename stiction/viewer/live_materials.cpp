#include "stiction/viewer/live_materials.h"

#include <algorithm>

#include "stiction/math/refuse.h"

namespace stiction::viewer {
namespace {

std::string name_of(const Model& model, const std::vector<int>& shapes) {
  std::string name;
  constexpr std::size_t most = 2;
  std::size_t named = 0;
  for (const int shape : shapes) {
    if (model.shapes[shape].name.empty()) continue;
    if (named++ < most) name.append(name.empty() ? "" : ", ").append(model.shapes[shape].name);
  }
  if (named == 0) return std::to_string(shapes.size()) + (shapes.size() == 1 ? " shape" : " shapes");
  return named > most ? name + ", …" : name;
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
    for (const int shape : material.shapes) {
      stiction::Material& changed = model->shapes[shape].material;
      // Across the grain it changes in proportion; where there was none along it, it is as along it.
      const double along = scale_ * material.friction;
      if (changed.friction_2 >= 0.0) {
        const bool was_changed = along != changed.friction;
        if (was_changed)
          changed.friction_2 = changed.friction > 0 ? changed.friction_2 * (along / changed.friction) : along;
      }
      changed.friction = along;
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
