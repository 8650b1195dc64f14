#include "stiction/sim/sensor_handle.h"

#include "stiction/math/refuse.h"

namespace stiction {

SensorHandle Simulator::sensor(std::string_view name) {
  return SensorHandle(*this, model().find_sensor(name));
}

double SensorHandle::value() const {
  if (sensor().num_values != 1) {
    refuse("sensor '", sensor().name, "': value of a ", to_string(sensor().kind), " sensor of ", sensor().num_values,
           " numbers; ask for values");
  }
  return values()[0];
}

VectorX SensorHandle::values() const {
  return simulator_->sensor_values(sensor_);
}

}  // namespace stiction
