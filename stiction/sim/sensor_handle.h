// One sensor of a simulator, by name:
//
//     simulator.sensor("knee_angle").value();
//     simulator.sensor("imu").values();       // three numbers
//
// A handle is an index and a pointer to the simulator, which it must not outlive.
#pragma once

#include "stiction/sim/simulator.h"

namespace stiction {

class SensorHandle {
 public:
  SensorHandle(Simulator& simulator, int sensor) : simulator_(&simulator), sensor_(sensor) {}

  int index() const { return sensor_; }
  const Sensor& sensor() const { return simulator_->model().sensors[static_cast<std::size_t>(sensor_)]; }

  // Throws std::invalid_argument, naming the sensor, where it has several numbers.
  double value() const;
  VectorX values() const;  // part of Simulator::sensor_data()

 private:
  Simulator* simulator_;
  int sensor_;
};

}  // namespace stiction
