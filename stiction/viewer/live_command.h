// What the page of the live viewer asks for: one JSON object per message, "do" says what.
//
//     {"do":"run"}  {"do":"pause"}  {"do":"step","count":10}  {"do":"reset"}  {"do":"reset","keyframe":0}
//     {"do":"speed","factor":0.5}  {"do":"speed","factor":null}             null: as fast as it goes
//     {"do":"control","actuator":0,"value":1.5}
//     {"do":"friction","scale":0.5}  {"do":"friction","material":1,"value":0.3}
//     {"do":"solver","name":"ncp-admm"}
//     {"do":"pull","body":3,"point":[x,y,z],"target":[x,y,z]}  {"do":"release"}
//
// Text is all that is looked at here: whether actuator 7 exists is for the simulation to say.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "stiction/math/types.h"

namespace stiction::viewer {

struct RunCommand {
  bool running = true;
};
struct StepCommand {
  int count = 1;
};
struct ResetCommand {
  int keyframe = -1;  // −1: the model's initial state
};
struct SpeedCommand {
  double factor = 1.0;  // simulated seconds per second; infinite: as fast as it goes
};
struct ControlCommand {
  int actuator = 0;
  double value = 0.0;
};
struct FrictionCommand {
  int material = -1;  // −1: the value scales all of them
  double value = 1.0;
};
struct SolverCommand {
  std::string name;
};
// The point of a body, in the body's axes, is drawn to a place in the world; until the client's next pull or release.
struct PullCommand {
  int body = 0;
  Vector3 point = Vector3::Zero(), target = Vector3::Zero();
};
struct ReleaseCommand {};

using LiveCommand = std::variant<RunCommand, StepCommand, ResetCommand, SpeedCommand, ControlCommand, FrictionCommand,
                                 SolverCommand, PullCommand, ReleaseCommand>;

inline constexpr std::size_t longest_command = 4096;  // bytes

// Throws std::invalid_argument, naming member and value, for any text that is no such command.
LiveCommand parse_live_command(std::string_view text);

}  // namespace stiction::viewer
