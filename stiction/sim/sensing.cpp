// From the state and the last step to the numbers of sensors.
#include "stiction/sim/sensing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/math/refuse.h"
#include "stiction/sim/sensor_measures.h"
#include "stiction/sim/workspace.h"

namespace stiction {
namespace {

constexpr double most_delay_steps = 1e6;

std::uint64_t mixed(std::uint64_t x) {  // SplitMix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

double uniform(std::uint64_t bits) {  // in (0, 1)
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

bool is_direction(SensorKind kind) {
  return kind >= SensorKind::frame_x_axis && kind <= SensorKind::frame_z_axis;
}

// Turns an orientation or an axis by a small random rotation vector.
void turn(SensorKind kind, const Vector3& by, double* out) {
  const Vector3 half = 0.5 * by;
  const double length = half.norm(), s = length > 0.0 ? std::sin(length) / length : 1.0;
  const Quaternion rotation(std::cos(length), s * half[0], s * half[1], s * half[2]);
  if (kind == SensorKind::frame_orientation) {
    const Quaternion turned = rotation * Quaternion(out[3], out[0], out[1], out[2]);
    Eigen::Map<Eigen::Vector4d>{out} = turned.normalized().coeffs();
  } else {
    Eigen::Map<Vector3>{out} = rotation * Vector3(out[0], out[1], out[2]);
  }
}

}  // namespace

double sensor_noise(int seed, std::int64_t step, int sensor, int entry) {
  std::uint64_t key = mixed(static_cast<std::uint64_t>(seed));
  key = mixed(key ^ static_cast<std::uint64_t>(step));
  key = mixed(key ^ (static_cast<std::uint64_t>(sensor) << 32 | static_cast<std::uint64_t>(entry)));
  const double a = uniform(key), b = uniform(mixed(key));
  return std::sqrt(-2.0 * std::log(a)) * std::cos(2.0 * std::numbers::pi * b);
}

Sensing::Sensing(const Model& model, double time_step) {
  acceleration.setZero(model.num_velocities());
  joint_force.setZero(model.num_velocities());
  const auto is_delayed = [](const Sensor& s) { return s.delay > 0.0; };
  if (std::none_of(model.sensors.begin(), model.sensors.end(), is_delayed)) return;
  reading.setZero(model.num_sensor_values());
  first_reading = reading;
  for (const Sensor& sensor : model.sensors) {
    const double steps = std::ceil(sensor.delay / time_step - 1e-9);
    if (steps > most_delay_steps) {
      refuse("sensor '", sensor.name, "': a delay of ", sensor.delay, " s is ", steps, " steps; the most are ",
             most_delay_steps);
    }
    first_.push_back(size_);
    steps_.push_back(static_cast<int>(steps));
    if (steps_.back() > 0) size_ += (steps_.back() + 1) * sensor.num_values;
  }
}

int Sensing::slot(const Model& model, int sensor, std::int64_t step) const {
  const auto k = static_cast<std::size_t>(sensor);
  const std::int64_t ring = steps_[k] + 1;
  return first_[k] + static_cast<int>((step % ring + ring) % ring) * model.sensors[k].num_values;
}

// Velocities change at the mean rate of the step; forces of bodies in `scratch_force` are what that motion asks for.
void Simulator::Workspace::find_motion() {
  if (!is_end_of_step && !forward_current) forward();
  if (dynamics_before_current && sensing.motion_current) return;
  const VectorX& v_begin = forward_current ? state.v : v_before;
  sensing.acceleration = (v_end - v_begin) / time_step;
  find_dynamics_before();
  inverse_dynamics(*model, *dynamics_before, sensing.acceleration.data(), nullptr, 0, sensing.joint_force.data());
  sensing.motion_current = true;
}

void Simulator::Workspace::measure(int index, const Sensing::Moment& at, double* out) {
  const Sensor& sensor = model->sensors[static_cast<std::size_t>(index)];
  if (is_of_step(sensor.kind)) {
    find_motion();
    if (!contacts_current) list_contacts();
  }
  if (sensor.kind == SensorKind::rangefinder && !sensing.poses_current) {
    sensing.body_poses.resize(model->bodies.size());
    for (int b = 0; b < model->num_bodies(); ++b) sensing.body_poses[b] = stiction::body_pose(dynamics, b);
    sensing.poses_current = true;
  }
  SensorMeasures measures{*model, at.q, at.v, at.time, dynamics, sensing.body_poses, actuation, transmissions};
  if (is_of_step(sensor.kind)) {
    measures.step.emplace(SensorMeasures::Step{*dynamics_before, sensing.acceleration, contacts, external_forces,
                                               world_forces, fluid_forces.wrenches(), rows, impulse, time_step});
  }
  measures.measure(sensor, out);
  if (sensor.scale != 1.0) {
    for (int k = 0; k < sensor.num_values; ++k) out[k] *= sensor.scale;
  }
}

void Simulator::Workspace::read_sensor(int index, double* out) {
  const Sensor& sensor = model->sensors[static_cast<std::size_t>(index)];
  const int n = sensor.num_values;
  if (sensing.steps(index) > 0 && remembers_sensed()) {
    const int slot = sensing.slot(*model, index, std::max(state.sensed_from, state.step - sensing.steps(index)));
    std::copy_n(state.sensed.data() + slot, n, out);
  } else {
    if (is_of_step(sensor.kind)) find_motion();  // may look on, and places are then of the step
    update_dynamics();
    measure(index, {state.q, state.v, state.time}, out);
  }
  const bool turns = is_direction(sensor.kind) || sensor.kind == SensorKind::frame_orientation;
  if (settings.sensor_seed != 0 && sensor.noise > 0.0) {
    const auto noise = [&](int k) { return sensor.noise * sensor_noise(settings.sensor_seed, state.step, index, k); };
    if (turns) {
      turn(sensor.kind, Vector3(noise(0), noise(1), noise(2)), out);
    } else {
      for (int k = 0; k < n; ++k) out[k] += noise(k);
    }
  }
  if (sensor.cutoff == 0.0 || turns) return;
  const bool is_positive = sensor.kind == SensorKind::touch || sensor.kind == SensorKind::rangefinder;
  for (int k = 0; k < n; ++k) {
    out[k] = is_positive ? std::min(out[k], sensor.cutoff) : std::clamp(out[k], -sensor.cutoff, sensor.cutoff);
  }
}

// A memory of another time step is of no use.
bool Simulator::Workspace::remembers_sensed() const {
  return state.sensed.size() == sensing.size() && state.sensed_from >= 0 && state.sensed_from <= state.step;
}

void Simulator::Workspace::measure_delayed(const Sensing::Moment& at, VectorX& readings) {
  sensing.poses_current = false;
  for (int k = 0; k < static_cast<int>(model->sensors.size()); ++k) {
    if (sensing.steps(k) == 0) continue;
    measure(k, at, readings.data() + model->sensors[static_cast<std::size_t>(k)].first_value);
  }
}

// What is read at the beginning of the first step counts as the first reading.
void Simulator::Workspace::sense() {
  if (!sensing.has_delays()) return;
  forward_current = true;  // the rows and what they carry begin at the state, still
  sensing.is_first = !remembers_sensed();
  if (sensing.is_first) {
    sensing.first_ring.setZero(sensing.size());
    update_kinematics(*model, state.q.data(), state.v.data(), dynamics);
    measure_delayed({state.q, state.v, state.time}, sensing.first_reading);
    update_kinematics(*model, q_end.data(), v_end.data(), dynamics);
    update_inertia(*model, dynamics);
  }
  measure_delayed({q_end, v_end, state.time + time_step}, sensing.reading);
}

// A part of accept(): nothing here takes memory.
void Simulator::Workspace::keep_sensed() noexcept {
  const auto keep = [this](const VectorX& readings, std::int64_t step) {
    for (int k = 0; k < static_cast<int>(model->sensors.size()); ++k) {
      const Sensor& sensor = model->sensors[static_cast<std::size_t>(k)];
      if (sensing.steps(k) == 0) continue;
      std::copy_n(readings.data() + sensor.first_value, sensor.num_values,
                  state.sensed.data() + sensing.slot(*model, k, step));
    }
  };
  if (sensing.is_first) {
    state.sensed.swap(sensing.first_ring);
    state.sensed_from = state.step;
    keep(sensing.first_reading, state.step);
  }
  keep(sensing.reading, state.step + 1);
}

VectorX Simulator::sensor_values(int sensor) {
  Workspace& w = *workspace_;
  if (sensor < 0 || sensor >= static_cast<int>(w.model->sensors.size())) {
    refuse("sensor ", sensor, " does not exist; the model has ", w.model->sensors.size());
  }
  w.sensing.poses_current = false;
  VectorX out(w.model->sensors[static_cast<std::size_t>(sensor)].num_values);
  w.read_sensor(sensor, out.data());
  return out;
}

VectorX Simulator::sensor_data() {
  Workspace& w = *workspace_;
  w.sensing.poses_current = false;
  VectorX out(w.model->num_sensor_values());
  for (int k = 0; k < static_cast<int>(w.model->sensors.size()); ++k) {
    w.read_sensor(k, out.data() + w.model->sensors[static_cast<std::size_t>(k)].first_value);
  }
  return out;
}

}  // namespace stiction
