#include "stiction/io/settle.h"

#include <sstream>

#include "stiction/sim/assembly.h"

namespace stiction {
namespace {

constexpr double good_enough = 1e-6;  // m, rad; the simulation corrects what is left

// Joints whose initial position is outside their limits.
std::vector<int> violated_joints(const Model& model) {
  std::vector<int> out;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (joint.num_velocities != 1) continue;
    const Dof& dof = model.dofs[joint.first_velocity];
    const double q = model.initial_position[joint.first_position];
    if (q < dof.lower - good_enough || q > dof.upper + good_enough) out.push_back(static_cast<int>(j));
  }
  return out;
}

std::string names_of(const Model& model, const std::vector<int>& joints) {
  std::string text;
  for (std::size_t k = 0; k < joints.size(); ++k) text += (k ? ", '" : "'") + model.joints[joints[k]].name + "'";
  return text;
}

}  // namespace

std::shared_ptr<const Model> settle(const std::shared_ptr<const Model>& model, const std::string& file,
                                    std::vector<IgnoredElement>& ignored) {
  const double error = assembly_error(model, model->initial_position);
  if (error <= good_enough) return model;
  const Assembly assembly = assemble(model, model->initial_position);
  std::ostringstream at_start;
  at_start << "the loops and limits are violated by " << error << " (m or rad) where the file puts the links: ";
  auto out = std::make_shared<Model>(*model);
  if (assembly.error <= good_enough) {
    out->initial_position = assembly.q;
    ignored.push_back({.file = file,
                       .element = "initial position",
                       .reason = at_start.str() + "the nearest position without violation is taken in its place"});
    return out;
  }
  const std::vector<int> joints = violated_joints(*model);
  if (joints.empty()) {
    ignored.push_back({.file = file,
                       .element = "loops",
                       .reason = at_start.str() + "no position near it was found in which they are closed"});
    return model;
  }
  for (const int j : joints) {
    Dof& dof = out->dofs[model->joints[j].first_velocity];
    dof.lower = -no_limit, dof.upper = no_limit;
  }
  ignored.push_back({.file = file,
                     .element = "limits of joints " + names_of(*model, joints),
                     .reason = at_start.str() + "no position was found that keeps them and closes the loops, so these "
                                                "limits are released"});
  return out;
}

}  // namespace stiction
