#include "cli/scene_start.h"

#include <cmath>
#include <cstdlib>

#include "cli/model_files.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {

std::vector<double> parse_values(const std::string& option, const std::string& text, int count, const char* what) {
  std::vector<double> values;
  if (!parse_numbers(text, values)) refuse(option, ": '", text, "' is no number, nor several separated by commas");
  if (static_cast<int>(values.size()) != count) {
    refuse(option, ": ", values.size(), values.size() == 1 ? " value" : " values", ", but ", what, " has ", count);
  }
  return values;
}

namespace {

int find_keyframe(const Model& model, const std::string& text) {
  for (std::size_t k = 0; k < model.keyframes.size(); ++k) {
    if (model.keyframes[k].name == text) return static_cast<int>(k);
  }
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0' && number >= 0 && number < static_cast<long>(model.keyframes.size())) {
    return static_cast<int>(number);
  }
  if (model.keyframes.empty()) refuse("--keyframe ", text, ": the scene has no keyframes");
  return model.find_keyframe(text);  // throws with those there are
}

void set_positions(Simulator& simulator, const std::vector<std::string>& positions) {
  if (positions.empty()) return;
  State state = simulator.state();
  for (const std::string& text : positions) {
    const auto [name, value] = parse_assignment("--set", text);
    const Joint& joint = simulator.model().joints[simulator.model().find_joint(name)];
    const auto values = parse_values("--set " + text, value, joint.num_positions, "the joint");
    for (int k = 0; k < joint.num_positions; ++k) state.q[joint.first_position + k] = values[k];
  }
  check_state(simulator.model(), state);
  simulator.set_position(state.q);
}

void set_controls(Simulator& simulator, const std::vector<std::string>& controls) {
  if (controls.empty()) return;
  VectorX control = simulator.state().control;
  for (const std::string& text : controls) {
    const auto [name, value] = parse_assignment("--control", text);
    const int actuator = simulator.model().find_actuator(name);
    control[actuator] = parse_values("--control " + text, value, 1, "an actuator")[0];
  }
  simulator.set_control(control);
}

}  // namespace

void check_start(const StartOptions& options) {
  for (const std::string& text : options.positions) parse_assignment("--set", text);
  for (const std::string& text : options.controls) parse_assignment("--control", text);
}

void set_start(const StartOptions& options, Simulator& simulator) {
  if (!options.keyframe.empty()) simulator.reset(find_keyframe(simulator.model(), options.keyframe));
  set_positions(simulator, options.positions);
  set_controls(simulator, options.controls);
}

long steps_to_do(long steps, double time, double time_step) {
  if (steps > 0) return steps;
  const double count = std::round(time / time_step);
  if (!(count < 1e15)) refuse("--time ", time, ": too many steps of ", time_step, " s");
  return std::max(1L, static_cast<long>(count));
}

}  // namespace stiction::cli
