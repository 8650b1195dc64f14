// Any bytes are a message of a page to the live viewer: the parser returns a command whose numbers are finite, or
// throws std::invalid_argument. Commands that are returned keep what they promise; frictions make a model that can be
// simulated.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "stiction/model/model_builder.h"
#include "stiction/viewer/live_command.h"
#include "stiction/viewer/live_materials.h"

namespace {

using namespace stiction;
using namespace stiction::viewer;

std::shared_ptr<const Model> ball() {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  const int body = builder.add_body({.name = "ball", .pose = Pose(Vector3(0, 0, 1))});
  builder.add_shape({.body = body, .geometry = Sphere{0.1}, .density = 500});
  return builder.build();
}

void check(bool holds) {
  if (!holds) std::abort();
}

void check(const LiveCommand& command) {
  if (const auto* control = std::get_if<ControlCommand>(&command)) {
    check(std::isfinite(control->value) && control->actuator >= 0);
  } else if (const auto* pull = std::get_if<PullCommand>(&command)) {
    check(pull->point.allFinite() && pull->target.allFinite() && pull->body >= 0);
  } else if (const auto* speed = std::get_if<SpeedCommand>(&command)) {
    check(speed->factor > 0.0);
  } else if (const auto* step = std::get_if<StepCommand>(&command)) {
    check(step->count >= 1);
  } else if (const auto* friction = std::get_if<FrictionCommand>(&command)) {
    check(std::isfinite(friction->value) && friction->value >= 0.0);
    LiveMaterials materials(ball());
    materials.set(*friction);  // refuses a material that does not exist
    Simulator(materials.make_model());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(parse_live_command({reinterpret_cast<const char*>(data), size}));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
