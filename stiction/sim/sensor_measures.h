// What each kind of sensor measures, from kinematics, contacts and forces that are there. Internal to the sim room.
//
// Forces and accelerations are means over a step, at the place where it began: a is (v⁺ − v)/Δt there, forces are
// impulses/Δt, so that they balance to rounding.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stiction/constraints/row_set.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/simulator.h"
#include "stiction/sim/transmissions.h"
#include "stiction/sim/world_forces.h"

namespace stiction {

struct SensorMeasures {
  struct Step {
    const DynamicsData& begin;  // with inverse dynamics of `acceleration`
    const VectorX& acceleration;
    const std::vector<Contact>& contacts;
    const std::vector<BodyWrench>& external_forces;
    const WorldForces& world_forces;
    std::span<const BodyWrench> fluid_forces;
    const RowSet& rows;
    const std::vector<Pack4>& impulse;
    double time_step;
  };

  const Model& model;
  const VectorX &q, &v;
  double time;
  const DynamicsData& data;  // at q, v
  const std::vector<Pose>& body_poses;
  const Actuation& actuation;
  Transmissions& transmissions;
  std::optional<Step> step{};

  void measure(const Sensor& sensor, double* out);

 private:
  struct Place {
    int body = -1;
    Pose on_body{};
  };
  Place place(int frame, const Pose& pose) const;
  Pose in_world(const DynamicsData& at, const Place& p) const;
  void measure_joint(const Sensor& sensor, double* out) const;
  double measure_tendon(const Sensor& sensor) const;
  double measure_actuator(const Sensor& sensor) const;
  Vector3 measure_place(const Sensor& sensor) const;
  void measure_frame(const Sensor& sensor, double* out) const;
  Vector3 measure_subtree(const Sensor& sensor) const;
  std::pair<Vector3, Vector3> wrench(const Sensor& sensor) const;  // about the origin of S, world axes
  Vector3 contact_force(const Sensor& sensor) const;
  double touch(const Sensor& sensor) const;
  double range(const Sensor& sensor) const;
  // Calls part(contact, sign): +1 where the sensor's shape is the first of the contact.
  template <class Function>
  void for_each_contact(const Sensor& sensor, Function&& part) const;
  bool carries(const Sensor& sensor, int own_body, int body) const;
};

}  // namespace stiction
