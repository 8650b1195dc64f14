#include "stiction/viewer/live_command.h"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "stiction/math/refuse.h"

namespace stiction::viewer {
namespace {

using Json = nlohmann::json;

constexpr int most_steps = 1000000;
constexpr double largest_factor = 1e6;

// A value as a message quotes it: short, whatever it is.
std::string quoted(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

const Json& member(const Json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end()) refuse("message: \"", name, "\" is missing");
  return *found;
}

double to_number(const char* name, const Json& value) {
  // nlohmann reads 1e999 as an error of its own; what it gives is finite or no number.
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    refuse("message: \"", name, "\" is ", quoted(value), "; a number is wanted");
  }
  return value.get<double>();
}

double number(const Json& message, const char* name) {
  return to_number(name, member(message, name));
}

int integer(const Json& message, const char* name, int lowest, int highest) {
  const Json& value = member(message, name);
  const double wanted = value.is_number() ? value.get<double>() : std::nan("");
  if (!(wanted >= lowest && wanted <= highest) || wanted != std::floor(wanted)) {
    refuse("message: \"", name, "\" is ", quoted(value), "; an integer in ", lowest, " … ", highest, " is wanted");
  }
  return static_cast<int>(wanted);
}

int index(const Json& message, const char* name) {
  return integer(message, name, 0, std::numeric_limits<int>::max());
}

Vector3 vector(const Json& message, const char* name) {
  const Json& value = member(message, name);
  if (!value.is_array() || value.size() != 3) {
    refuse("message: \"", name, "\" is ", quoted(value), "; three numbers are wanted");
  }
  return {to_number(name, value[0]), to_number(name, value[1]), to_number(name, value[2])};
}

LiveCommand parse_speed(const Json& message) {
  const Json& factor = member(message, "factor");
  if (factor.is_null()) return SpeedCommand{std::numeric_limits<double>::infinity()};
  const double value = to_number("factor", factor);
  if (!(value > 0.0 && value <= largest_factor)) {
    refuse("message: \"factor\" is ", value, "; it must be positive and at most ", largest_factor);
  }
  return SpeedCommand{value};
}

LiveCommand parse_friction(const Json& message) {
  const bool scales = message.contains("scale");
  FrictionCommand command;
  command.value = number(message, scales ? "scale" : "value");
  if (!scales) command.material = index(message, "material");
  if (!(command.value >= 0.0 && command.value <= largest_factor)) {
    refuse("message: friction ", command.value, "; it must be at least 0 and at most ", largest_factor);
  }
  return command;
}

LiveCommand parse_solver(const Json& message) {
  const Json& name = member(message, "name");
  if (!name.is_string()) refuse("message: \"name\" is ", quoted(name), "; the name of a solver is wanted");
  return SolverCommand{name.get<std::string>()};
}

LiveCommand parse_pull(const Json& message) {
  return PullCommand{index(message, "body"), vector(message, "point"), vector(message, "target")};
}

struct Parser {
  std::string_view name;
  LiveCommand (*parse)(const Json&);
};

constexpr std::array<Parser, 10> parsers = {{
    {"run", [](const Json&) -> LiveCommand { return RunCommand{true}; }},
    {"pause", [](const Json&) -> LiveCommand { return RunCommand{false}; }},
    {"step",
     [](const Json& m) -> LiveCommand {
       return StepCommand{m.contains("count") ? integer(m, "count", 1, most_steps) : 1};
     }},
    {"reset",
     [](const Json& m) -> LiveCommand { return ResetCommand{m.contains("keyframe") ? index(m, "keyframe") : -1}; }},
    {"speed", parse_speed},
    {"control", [](const Json& m) -> LiveCommand { return ControlCommand{index(m, "actuator"), number(m, "value")}; }},
    {"friction", parse_friction},
    {"solver", parse_solver},
    {"pull", parse_pull},
    {"release", [](const Json&) -> LiveCommand { return ReleaseCommand{}; }},
}};

}  // namespace

LiveCommand parse_live_command(std::string_view text) {
  if (text.size() > longest_command) refuse("message: ", text.size(), " bytes; at most ", longest_command, " are read");
  const Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded() || !message.is_object()) refuse("message: is no JSON object");
  const Json& name = member(message, "do");
  if (!name.is_string()) refuse("message: \"do\" is ", quoted(name), "; the name of a command is wanted");
  for (const Parser& parser : parsers) {
    if (name.get_ref<const std::string&>() == parser.name) return parser.parse(message);
  }
  std::string known;
  for (const Parser& parser : parsers) known.append(known.empty() ? "" : ", ").append(parser.name);
  refuse("message: there is no command ", quoted(name), "; there are ", known);
}

}  // namespace stiction::viewer
