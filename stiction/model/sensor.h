// What a robot measures: the list of sensors of a model, and where each one's numbers stand in the array of all.
//
// A sensor is a part of the description; Simulator::sensor() and sensor_data() read it (sim/sensor_handle.h). Numbers
// are in SI units; vectors and quaternions (x, y, z, w) have their usual order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/math/pose.h"
#include "stiction/model/geometry/inertia.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

enum class SensorKind : std::uint8_t {
  // ---- of a joint, with as many numbers as the joint has in q or v
  joint_position,  // angle, length; ball and free joints: as in q
  joint_velocity,
  joint_effort,  // what actuators exert on it, N·m or N
  // ---- of a tendon
  tendon_length,
  tendon_velocity,
  // ---- of an actuator
  actuator_position,  // ℓ that its gains know: gear q of a joint
  actuator_velocity,
  actuator_force,  // before gear
  // ---- at a place S of a body, in the axes of S
  accelerometer,  // a − g of the point: 9.81 upwards at rest, 0 in free fall
  gyro,           // angular velocity
  velocimeter,    // velocity of the point
  magnetometer,   // the field of the world, turned into S
  force,          // that the body's parent exerts on it, N; of a body that is fixed to another: through that seam
  torque,         // the same, about the origin of S, N·m
  touch,          // Σ of the normal forces of the body's contacts that lie in the region, or push into it, N
  rangefinder,    // way along z of S to the first shape of another body, m; −1: there is none
  // ---- of a frame F, in the axes of the reference frame where there is one, else of the world
  frame_position,
  frame_orientation,  // quaternion (x, y, z, w)
  frame_x_axis,
  frame_y_axis,
  frame_z_axis,
  frame_linear_velocity,  // as seen from the reference, which may turn
  frame_angular_velocity,
  frame_linear_acceleration,   // a − g in world axes: what an accelerometer there feels
  frame_angular_acceleration,  // world axes
  // ---- of a body and all that hangs on it
  subtree_center,            // of mass, world
  subtree_velocity,          // of the centre of mass
  subtree_angular_momentum,  // about the centre of mass, world axes
  // ---- of contacts
  contact_force,  // on a body, of one other or of all, in a region or anywhere; world axes, N
  clock,          // time of the simulation, s
};
inline constexpr int num_sensor_kinds = static_cast<int>(SensorKind::clock) + 1;
std::string_view to_string(SensorKind kind);

// What a kind of sensor is mounted on.
enum class SensorObject : std::uint8_t { none, joint, tendon, actuator, frame };
SensorObject object_of(SensorKind kind);
// Whether the numbers are those of the step that was made (forces, accelerations), not of the state now.
bool is_of_step(SensorKind kind);
// Whether it can be seen from a reference frame.
bool takes_reference(SensorKind kind);

// A part of what moves as one body, and what hangs on that part by joints: what a force sensor carries.
struct SensorPart {
  bool is_whole = true;       // all of the body
  Inertia inertia{};          // else: of the part, in the frame of the body
  std::vector<int> children;  // else: bodies whose joints are on the part, ascending
  std::vector<int> shapes;    // whose contacts count, ascending
};

struct Sensor {
  std::string name{};
  SensorKind kind = SensorKind::clock;
  int element = -1;  // joint, tendon or actuator
  int frame = -1;    // in Model::frames: a body or a site; −1: the world
  Pose pose{};       // X_FS
  bool has_reference = false;
  int reference_frame = -1;  // as `frame`
  Pose reference_pose{};
  std::optional<Geometry> region{};     // at S, whose contacts count (touch, contact_force); none: everywhere
  Vector3 field = Vector3::Zero();      // magnetometer: in world axes, T
  double scale = 1.0;                   // factor on what is measured
  double cutoff = 0.0;                  // numbers stay within ±cutoff; 0: no bound. Not for orientations and axes
  double noise = 0.0;                   // standard deviation, where noise is asked for (SimulatorSettings::sensor_seed)
  double delay = 0.0;                   // s; the numbers are those of a step this much earlier
  SensorPart part{};                    // force, torque, touch, contact_force, subtree_…
  bool has_other = false;               // contact_force: only with these
  std::vector<int> other_shapes{};      // ascending
  int first_value = 0, num_values = 1;  // in the array of all sensors
};

}  // namespace stiction
