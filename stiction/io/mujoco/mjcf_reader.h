// From mjModel to ModelBuilder. Internal to the reader of MJCF.
//
// Bodies of MuJoCo come depth first, as ours do, with the world as body 0; so body b is body b − 1 of the builder, and
// the joints, hence qpos and qvel, come in the same order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stiction/io/loaded_model.h"
#include "stiction/io/mujoco/mujoco_library.h"
#include "stiction/model/model_builder.h"

namespace stiction {

// Elements that share a reason are told in one line.
class IgnoredList {
 public:
  void add(const std::string& kind, const std::string& name, const std::string& reason);
  std::vector<IgnoredElement> take() const;

 private:
  struct Group {
    std::string kind, reason;
    std::vector<std::string> names;
  };
  std::vector<Group> groups_;
};

class MjcfReader {
 public:
  explicit MjcfReader(const mjModel& m) : m_(m) {}
  LoadedModel read();

 private:
  // mjcf_bodies.cpp
  void read_options();
  void read_bodies();
  BodyOptions body_options(int body);
  JointOptions joint_options(int joint);
  void set_joint_limits(int joint, JointOptions& options);
  void read_sites();
  // mjcf_shapes.cpp
  void read_shapes();
  void read_shape(int geom);
  bool make_geometry(int geom, Geometry& geometry);
  bool make_hull(int geom, Geometry& geometry);
  Material material_of(int geom) const;
  void read_pairs();
  void check_pair(int pair);
  void check_mixed_friction();
  // mjcf_links.cpp
  void read_equalities();
  void read_connect(int equality);
  void read_joint_equality(int equality);
  void read_actuators();
  bool read_actuator(int actuator);
  void read_keyframes();
  // mjcf_ignored.cpp
  void note_options();
  void note_bodies();
  void note_joints();
  void note_geoms();
  void note_rest();

  std::string name_of(int type, int id) const;  // mjtObj; empty where it has none
  // What a list of ignored elements calls it: the name in quotes, or the number.
  std::string label_of(int type, int id) const;
  std::string joint_name(int joint) const;  // never empty
  bool disabled(int flag) const { return (m_.opt.disableflags & flag) != 0; }
  bool overrides_contacts() const { return (m_.opt.enableflags & mjENBL_OVERRIDE) != 0; }
  bool may_touch(int geom) const {
    return m_.geom_contype[geom] != 0 || m_.geom_conaffinity[geom] != 0 || in_pair_[geom];
  }

  const mjModel& m_;
  ModelBuilder builder_;
  IgnoredList ignored_;
  std::vector<bool> in_pair_;    // geoms that a <pair> names
  std::vector<int> shape_of_;    // builder index of every geom; −1: no shape
  std::vector<int> control_of_;  // MuJoCo's control of every actuator of the builder
  std::map<int, Geometry> hull_of_mesh_;
};

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
