// From Model to MJCF text. Internal to write_mjcf.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "stiction/io/writers/model_writer.h"

namespace stiction {

// Coefficients of y = Σ c_k xᵏ in powers of x − x₀, y − y₀: the inverse of what the reader does.
std::array<double, 5> about_reference(const std::array<double, 5>& c, double x0, double y0);

class MjcfWriter : private ModelWriter {
 public:
  MjcfWriter(const Model& model, const std::string& path)
      : ModelWriter(model, model.initial_position, path, XmlWriter()) {}
  WrittenModel write();

 private:
  // write_mjcf.cpp
  void write_options();
  void write_assets();
  void write_hull(const Shape& shape);
  void write_height_field(const Shape& shape);
  void write_world();
  void write_body(const OutlineBody& body);
  void write_contents(const OutlineBody& body);
  void write_inertia(const OutlineBody& body, int last_body);
  void write_joint(const OutlineJoint& joint);
  void write_joint_terms(const OutlineJoint& joint, const Dof& dof);
  void write_shape(int shape);
  void write_geometry(const Shape& shape, Pose& pose);
  void write_placed(const char* tag, const std::string& name, const Pose& pose);
  void write_cameras(const std::string& body);
  std::string frame_name(int frame) const;  // of the body that it is in the file
  // mjcf_writer_links.cpp
  void find_pairs();
  void write_pairs();
  void write_friction(const Material& material);
  void write_pair(int shape_a, int shape_b);
  void write_loops();
  void write_point(const std::string& name, int body_a, int body_b, const Vector3& a, const Vector3& b);
  void write_weld(const Loop& loop);
  void write_joint_equality(const Loop& loop);
  void write_keyframes();
  void note_materials();
  VectorX to_qpos(VectorX q) const;
  VectorX to_qvel(VectorX v) const;
  // mjcf_writer_transmissions.cpp
  void write_gravity_compensation(const OutlineBody& body, int last_body);
  void write_tendon_solids(int body);
  void write_tendons();
  void write_tendon(int tendon);
  void write_tendon_equality(const Loop& loop);
  double initial_length(int tendon);
  void write_actuators();
  void write_target(const Actuator& actuator);
  void write_general(const Actuator& actuator);

  // mjcf_writer_fluid.cpp
  void write_medium();
  const FluidForm* box_of(int body) const;  // where it is the only form of the body
  void check_boxes(const OutlineBody& body, int last_body, const Vector3& moments, const Pose& axes);
  void write_ellipsoids(int body);

  // mjcf_writer_sensors.cpp
  const char* why_no_sensor(const Sensor& sensor) const;
  std::string sensor_site(const Sensor& sensor, bool is_reference) const;
  void add_sensor_sites();
  void write_zone(const std::string& site);
  void write_sensors();
  void write_sensor(const Sensor& sensor);
  void write_magnetic_field();

  void pose_attributes(const Pose& pose);
  void range_attribute(const char* name, double lower, double upper, const std::string& what);
  std::string body_name(int body) const { return body < 0 ? "world" : outline_.carrier(body).name; }
  void note(const std::string& what);

  std::set<std::string> own_sites_;            // of sensors
  std::map<std::string, Geometry> zones_;      // of these sites
  std::map<const void*, std::string> assets_;  // by hull or height field
  // Pairs of shapes that must not meet, as MuJoCo says it: by bodies. Where only some shapes of two bodies must not,
  // these shapes get bodies of their own.
  bool parents_filtered_ = true;
  bool has_torques_ = false;                                     // some material has torsional or rolling friction
  std::set<int> carried_apart_;                                  // shapes
  std::vector<std::pair<std::string, std::string>> exclusions_;  // of bodies
};

}  // namespace stiction
