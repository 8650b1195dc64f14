#include "stiction/viewer/live_messages.h"

#include "stiction/solvers/solver.h"
#include "stiction/version.h"
#include "stiction/viewer/model_text.h"
#include "stiction/viewer/step_columns.h"

namespace stiction::viewer {
namespace {

constexpr int live_format = 1;
constexpr std::uint8_t surfaces_mark = 1, frame_mark = 2;

// Before anything touched: what a contact of a typical mechanism will carry when it stands on two of them.
double expected_force(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mass;
  const double gravity = model.gravity.norm();
  constexpr double contacts_per_tree = 2.0;
  return model.trees.empty() ? 0.0 : mass * gravity / (contacts_per_tree * static_cast<double>(model.trees.size()));
}

void add_actuators(const Model& model, JsonText& json) {
  json.begin_array("actuators");
  for (const Actuator& actuator : model.actuators) {
    json.begin_object().add("name", std::string_view(actuator.name)).add("kind", to_string(actuator.kind));
    json.add("lower", actuator.control_lower).add("upper", actuator.control_upper).end_object();
  }
  json.end_array();
}

}  // namespace

ModelMessage model_message(const Simulator& simulator, const LiveMaterials& materials, std::string_view title) {
  const Model& model = simulator.model();
  const SimulatorSettings& s = simulator.settings();
  JsonText json;
  json.begin_object().add("type", "model").add("format", static_cast<double>(live_format)).add("title", title);
  json.add("stiction_version", STICTION_VERSION).add("time_step", simulator.time_step());
  json.add("solver", std::string_view(s.solver)).add("tolerance", s.tolerance);
  json.add("acceptable_tolerance", s.acceptable_tolerance).add("geometric_tolerance", s.geometric_tolerance);
  json.begin_array("step_columns");
  for (const std::string_view column : StepColumns::names()) json.add({}, column);
  json.end_array().add("typical_force", expected_force(model));
  add_actuators(model, json);
  json.begin_array("keyframes");
  for (const Keyframe& keyframe : model.keyframes) json.add({}, std::string_view(keyframe.name));
  json.end_array().begin_array("solvers");
  for (const std::string_view name : solver_names()) json.add({}, name);
  json.end_array().begin_array("materials");
  for (const LiveMaterials::Material& material : materials.all()) {
    json.begin_object().add("name", std::string_view(material.name)).add("friction", material.friction).end_object();
  }
  json.end_array();
  const Bytes columns = add_model(model, json);
  ModelMessage message{json.end_object().text(), {}};
  message.surfaces.reserve(columns.size() + 1);
  message.surfaces.push_back(surfaces_mark);
  message.surfaces.insert(message.surfaces.end(), columns.begin(), columns.end());
  return message;
}

std::string error_message(std::string_view message) {
  JsonText json;
  return json.begin_object().add("type", "error").add("message", message).end_object().text();
}

Bytes frame_message(const LiveSnapshot& snapshot, FrameBlock& block) {
  Bytes out;
  out.reserve(1024);
  out.push_back(frame_mark);
  for (int k = 0; k < 4; ++k) out.push_back(static_cast<std::uint8_t>(snapshot.epoch >> (8 * k)));
  StepColumns steps;
  steps.add(snapshot.step, snapshot.report, snapshot.dissipated);
  const Bytes row = steps.encode();
  out.insert(out.end(), row.begin(), row.end());
  block.add(snapshot.q, snapshot.v, snapshot.contacts);
  const Bytes frame = block.encode();
  block.clear();
  out.insert(out.end(), frame.begin(), frame.end());
  return out;
}

}  // namespace stiction::viewer
