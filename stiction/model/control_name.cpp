#include "stiction/model/control_name.h"

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

bool acts_on(const Actuator& actuator, const Joint& joint) {
  return actuator.transmission == TransmissionKind::joint && actuator.dof >= joint.first_velocity &&
         actuator.dof < joint.first_velocity + joint.num_velocities;
}

}  // namespace

int find_control(const Model& model, std::string_view name) {
  std::vector<std::string> known = names_of(model.actuators);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    if (model.actuators[k].name == name) return static_cast<int>(k);
  }
  for (const Joint& joint : model.joints) {
    int count = 0, actuator = -1;
    for (std::size_t k = 0; k < model.actuators.size(); ++k) {
      if (acts_on(model.actuators[k], joint)) actuator = static_cast<int>(k), ++count;
    }
    if (joint.name != name) {
      if (count == 1) known.push_back(joint.name);
      continue;
    }
    if (count == 1) return actuator;
    refuse("no actuator '", name, "' in the model; the joint of that name has ", count, " actuators, not one",
           count == 0 ? "" : ": name the actuator");
  }
  refuse("no actuator '", name, "' in the model, nor a joint with one actuator; ", name_hint(name, known));
}

}  // namespace stiction
