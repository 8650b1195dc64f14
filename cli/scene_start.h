// Where a run of a scene begins and how long it is: what `run` and `compare` are told alike.
#pragma once

#include <string>
#include <vector>

#include "stiction/sim/simulator.h"

namespace stiction::cli {

struct StartOptions {
  std::string keyframe;                // name or number; empty: the initial state
  std::vector<std::string> positions;  // "joint=value[,value…]"
  std::vector<std::string> controls;   // "actuator=value"
};

// What can be refused without the model. Throws std::invalid_argument naming option and text, as both below.
void check_start(const StartOptions& options);
void set_start(const StartOptions& options, Simulator& simulator);

// `count` numbers separated by commas, of `what`; `option` begins the message.
std::vector<double> parse_values(const std::string& option, const std::string& text, int count, const char* what);

// `steps` where it is positive, else as many as `time` takes.
long steps_to_do(long steps, double time, double time_step);

}  // namespace stiction::cli
