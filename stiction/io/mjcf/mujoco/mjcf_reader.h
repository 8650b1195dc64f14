// From mjModel to ModelBuilder. Internal to the reader of MJCF.
//
// Bodies of MuJoCo come depth first, as ours do, with the world as body 0; so the joints, hence qpos and qvel, come in
// the same order. What stands in the world of the file is moved by LoadOptions::pose.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stiction/io/load.h"
#include "stiction/io/mjcf/mujoco/mujoco_library.h"
#include "stiction/model/model_builder.h"

namespace stiction {

// Elements that share a reason are told in one line.
class IgnoredList {
 public:
  void add(const std::string& kind, const std::string& name, const std::string& reason);
  std::vector<IgnoredElement> take(const std::string& file) const;

 private:
  struct Group {
    std::string kind, reason;
    std::vector<std::string> names;
  };
  std::vector<Group> groups_;
};

class MjcfReader {
 public:
  // `options` must outlive the reader.
  MjcfReader(const mjModel& m, ModelBuilder& builder, const LoadOptions& options)
      : m_(m), builder_(builder), options_(options) {}
  void read();
  std::vector<IgnoredElement> take_ignored(const std::string& file) const { return ignored_.take(file); }

 private:
  // mjcf_bodies.cpp
  void read_options();
  void read_bodies();
  BodyOptions body_options(int body);
  void find_kinematic();
  void choose_bases();
  int carrier_of(int body) const;
  JointOptions joint_options(int joint);
  void set_joint_limits(int joint, JointOptions& options);
  void read_sites();
  // mjcf_cameras.cpp
  void read_cameras();
  // mjcf_fluid.cpp
  void read_fluid();
  bool is_in_fluid(int geom) const;  // with an ellipsoid of its own
  void add_inertia_box(int body);
  void add_ellipsoid(int geom);
  // mjcf_shapes.cpp
  void read_shapes();
  void read_shape(int geom);
  bool make_geometry(int geom, Geometry& geometry);
  bool make_mesh(int geom, Geometry& geometry);
  // mjcf_materials.cpp
  struct Frictions {  // as MuJoCo has them: sliding, torsional, rolling; its number of dimensions says which count
    int dimension = 3;
    double sliding = 0.0, torsional = 0.0, rolling = 0.0;
  };
  Frictions frictions_of(int geom) const;
  Material material_of(int geom) const;
  void read_pairs();
  void read_pair_friction(int pair);
  void read_mixed_pairs();
  bool may_meet(int geom_a, int geom_b) const;
  bool is_listed(int geom_a, int geom_b) const;
  // mjcf_links.cpp
  void read_equalities();
  void read_connect(int equality);
  void read_joint_equality(int equality);
  void read_keyframes();
  VectorX keyframe_position(int key) const;
  VectorX keyframe_velocity(int key) const;
  // mjcf_transmissions.cpp
  void read_tendons();
  TendonPointOptions tendon_point(int wrap) const;
  void set_tendon_terms(int tendon, TendonOptions& options);
  bool moves_something(int tendon) const;
  void read_tendon_equality(int equality);
  bool couples_known_tendons(int equality) const;
  void read_actuators();
  const char* why_no_actuator(int actuator) const;
  const char* why_no_target(int actuator) const;
  const char* why_no_muscle(int actuator) const;
  const char* why_no_pid(int actuator) const;
  ActuatorOptions actuator_target(int actuator) const;
  void add_actuator(int actuator, int control, ActuatorOptions& options);
  void read_actuator(int actuator);
  void read_pid(int actuator);
  bool reaches(int actuator, int joint) const;
  void note_effort_limits();
  void set_muscle(int actuator, ActuatorOptions& options) const;
  std::string name_or_number(int type, int id, int count, const char* base) const;
  std::string site_name(int site) const;  // never empty; with the prefix
  std::string tendon_name(int tendon) const;
  // mjcf_plugins.cpp
  bool is_pid_plugin(int instance) const;
  const char* why_no_pid_plugin(int actuator) const;
  double pid_plugin_value(int actuator, const char* field) const;
  void read_pid_plugin(int actuator);
  // mjcf_sensors.cpp
  void read_sensors();
  const char* why_no_sensor(int sensor) const;
  SensorOptions sensor_options(int sensor) const;
  void place_sensor(int object, int id, std::string& site, int& body, Pose& on) const;
  // mjcf_ignored.cpp
  void note_options();
  void note_bodies();
  void note_joints();
  void note_geoms();
  void note_rest();

  std::string name_of(int type, int id) const;  // mjtObj; empty where it has none
  std::string prefixed(const std::string& name) const { return name.empty() ? name : options_.prefix + name; }
  int builder_body(int body) const { return body == 0 ? -1 : body_of_[body]; }
  // What is given in the frame of a body, in that of the builder's body: the world of the file may be moved.
  Pose placed(int body, const Pose& x) const { return body == 0 ? options_.pose * x : x; }
  // What a list of ignored elements calls it: the name in quotes, or the number.
  std::string label_of(int type, int id) const;
  std::string joint_name(int joint) const;  // never empty; with the prefix
  bool disabled(int flag) const { return (m_.opt.disableflags & flag) != 0; }
  // The flag itself, or the one that takes the whole solver of constraints away.
  bool without_constraint(int flag) const { return disabled(flag) || disabled(mjDSBL_CONSTRAINT); }
  bool overrides_contacts() const { return (m_.opt.enableflags & mjENBL_OVERRIDE) != 0; }
  bool may_touch(int geom) const {
    return m_.geom_contype[geom] != 0 || m_.geom_conaffinity[geom] != 0 || in_pair_[geom];
  }

  const mjModel& m_;
  ModelBuilder& builder_;
  const LoadOptions& options_;
  IgnoredList ignored_;
  std::vector<int> body_of_;  // builder index of every body; of the world −1
  std::vector<bool> is_kinematic_;
  std::vector<bool> is_freed_, is_held_;  // bodies that LoadOptions::base gives a free joint, or takes it from
  int first_actuator_ = 0;                // builder index of the first actuator, where there is one
  std::vector<bool> in_pair_;             // geoms that a <pair> names
  std::vector<int> shape_of_;             // builder index of every geom; −1: no shape
  std::vector<int> control_of_;           // MuJoCo's control of every actuator of the builder
  std::vector<double> sensor_scale_;      // by MuJoCo's actuators: its force over ours before gear; 0: it is ignored
  std::vector<int> activation_of_;        // MuJoCo's activation of every one that has one
  std::map<std::pair<int, bool>, Geometry> known_meshes_;  // by mesh, and whether it stays a surface
};

// Coefficients of y = y₀ + Σ c_k (x − x₀)ᵏ in powers of x.
std::array<double, 5> expand_polynomial(const mjtNum* c, double x0, double y0);

inline Vector3 vector3(const mjtNum* v) {
  return {v[0], v[1], v[2]};
}
inline Quaternion quaternion(const mjtNum* q) {
  return Quaternion(q[0], q[1], q[2], q[3]);
}
inline Pose pose(const mjtNum* position, const mjtNum* rotation) {
  return {quaternion(rotation).normalized(), vector3(position)};
}

}  // namespace stiction
