// What reading sensors needs: where the memory of those with a delay lies, and scratch. Internal to the sim room.
//
// A sensor with a delay reads what it read ⌈delay/Δt⌉ steps ago. State::sensed holds a ring of as many readings and one
// more for each; before there are so many, the first one stands for what was before. The stage `sense` makes the
// readings, `accept` keeps them: of a step that is undone none is remembered.
#pragma once

#include <vector>

#include "stiction/model/model.h"

namespace stiction {

class Sensing {
 public:
  // Throws std::invalid_argument naming a sensor whose delay takes too many steps.
  Sensing(const Model& model, double time_step);

  bool has_delays() const { return size_ > 0; }
  int size() const { return size_; }  // of State::sensed
  int steps(int sensor) const { return steps_.empty() ? 0 : steps_[static_cast<std::size_t>(sensor)]; }
  // Where the reading after step `step` is.
  int slot(const Model& model, int sensor, std::int64_t step) const;

  // Where and when it is measured.
  struct Moment {
    const VectorX &q, &v;
    double time;
  };

  // ---- sense: values of the sensors with a delay, at Sensor::first_value
  VectorX reading;        // at the end of the step
  bool is_first = false;  // nothing was remembered before the step, or by steps of another length
  VectorX first_reading;  // then: at its beginning
  VectorX first_ring;     // then: the new State::sensed

  // ---- of the step that forces belong to
  bool motion_current = false;
  VectorX acceleration;          // by velocity
  VectorX joint_force;           // scratch of inverse dynamics
  std::vector<Pose> body_poses;  // of rays
  bool poses_current = false;

 private:
  std::vector<int> steps_, first_;  // by sensor
  int size_ = 0;
};

// Noise of one number of one sensor after one step: standard normal, a function of these four alone.
double sensor_noise(int seed, std::int64_t step, int sensor, int entry);

}  // namespace stiction
