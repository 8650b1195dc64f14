// From the elements of an SDF file, and of those it includes, to ModelBuilder. Internal to the reader.
//
//     documents  →  models, links, joints, frames (sdf.cpp)  →  where they are (sdf_frames.cpp)  →  what the joints say
//     (sdf_joints.cpp)  →  trees and loops (sdf_tree.cpp)  →  bodies, shapes, loops, actuators (sdf_bodies.cpp,
//     sdf_shapes.cpp)
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stiction/io/mesh/mesh_file.h"
#include "stiction/io/model_path.h"
#include "stiction/io/xml/xml.h"
#include "stiction/model/model_builder.h"

namespace stiction {

// One file: the root, or an included one.
struct SdfFile {
  XmlDocument document;
  ModelPath paths;
  double version = 0.0;  // the part behind the point: 10 of 1.10
};

// A frame with a name, or that of a model or of the world (frame 0). It stands at `pose` in frame `base`.
struct SdfFrame {
  XmlElement element{};
  std::string name{};  // with all its scopes
  int scope = 0;       // in which names are looked up
  int base = 0;
  Pose pose{};
  int attached = -1;  // the frame that carries it; −1: it is a link, or the world
  int link = -1;      // of a link
  Pose world{};       // X_WF
};

// A model, or the world (scope 0): where names of its links, joints, frames and nested models are looked up.
struct SdfScope {
  XmlElement element{};
  const SdfFile* file = nullptr;
  std::string prefix{};  // of the names in it
  int parent = 0;
  int top = 0;    // the model of the world that holds it
  int frame = 0;  // __model__
  bool is_static = false, self_collide = false;
  std::string placement_frame{};
  XmlElement placed_by{};  // the include or model that names it
  int first_link = -1;
  std::map<std::string, int> frames{}, scopes{}, joints{};
};

struct SdfLink {
  XmlElement element;
  std::string name{};
  int scope = 0, frame = 0;
  bool is_static = false, self_collide = false, has_shapes = false;
  int body = -1;
};

enum class SdfJointType { fixed, prismatic, universal, revolute, ball, gearbox };

struct SdfAxis {
  XmlElement element{};
  std::string name{};                    // of the joint in the model
  Vector3 direction = Vector3::UnitZ();  // world axes, where the file puts the links
  double lower = -no_limit, upper = no_limit, effort = no_limit, velocity = no_limit;
  double damping = 0.0, friction = 0.0, stiffness = 0.0, rest_position = 0.0;
  bool is_mimic = false;
  bool moves_by_itself() const { return damping != 0.0 || friction != 0.0 || stiffness != 0.0; }
};

struct SdfJoint {
  XmlElement element;
  std::string name{};
  SdfJointType type = SdfJointType::fixed;
  int scope = 0, frame = 0;
  int parent = -1, child = -1;  // links; −1: the world
  std::vector<SdfAxis> axes{};  // one, two of universal, none of fixed and ball
  double ball_damping = 0.0;    // of the first axis of a ball joint
  bool in_tree = false, is_redundant = false;
  bool reversed = false;  // in the tree: the SDF parent hangs on the SDF child
};

class SdfReader {
 public:
  SdfReader(ModelBuilder& builder, const LoadOptions& options) : builder_(builder), options_(options) {}

  void read(XmlDocument document, const std::string& path, std::vector<IgnoredElement>& ignored);

 private:
  // sdf.cpp
  void read_root(const SdfFile& file);
  void read_world(const XmlElement& world, const SdfFile& file);
  void read_physics(const XmlElement& world);
  void read_model(const XmlElement& model, const SdfFile& file, int parent, const XmlElement& include);
  void read_children(int scope);
  void read_include(const XmlElement& include, const SdfFile& file, int parent);
  std::string included_file(const std::string& found, const XmlElement& include) const;
  const SdfFile& open_file(XmlDocument document, const std::string& path);
  void add_link(const XmlElement& element, int scope);
  void add_frame(const XmlElement& element, int scope);
  void add_joint(const XmlElement& element, int scope);
  int new_frame(const XmlElement& element, const std::string& name, int scope);
  // sdf_frames.cpp
  void place_frames();
  void connect_frame(SdfFrame& frame);
  void apply_placement_frames();
  void resolve_poses();
  void resolve_attachments();
  int find_frame(int scope, const XmlValue& name) const;  // refuses names that are not there
  int look_up(int scope, const std::string& name) const;  // −1: not there
  int carrier_of(int frame) const { return carriers_[frame]; }
  // X of a <pose> given in `base` or in what it is relative_to.
  Pose pose_in_world(const XmlElement& pose, int scope, int base) const;
  // sdf_joints.cpp
  void read_joints();
  void read_joint(SdfJoint& joint);
  SdfAxis read_axis(const SdfJoint& joint, const XmlElement& axis);
  void read_limit(const SdfJoint& joint, SdfAxis& axis);
  Vector3 axis_direction(const SdfJoint& joint, const XmlElement& axis) const;
  void add_mimics();
  void add_mimic(const SdfJoint& joint, const SdfAxis& axis);
  void add_gearboxes();
  const SdfJoint* joint_between(int link, int reference) const;
  // sdf_tree.cpp
  void choose_tree();
  void note_redundant(SdfJoint& joint);
  void walk_tree();
  void add_subtree(int root, int by_joint);
  void add_body(int link, int parent, const SdfJoint* joint);
  std::vector<JointOptions> joint_options(const SdfJoint& joint, const Pose& on_body) const;
  void add_loops();
  void add_loop(const SdfJoint& joint);
  void add_actuators();
  void exclude_pairs();
  // sdf_sensors.cpp
  void add_sensors();
  void add_link_sensor(const XmlElement& sensor, const SdfLink& link);
  void add_joint_sensor(const XmlElement& sensor, const SdfJoint& joint);
  void add_sensor(const XmlElement& element, const SdfLink& link, const std::string& ending, SensorOptions options);
  // sdf_shapes.cpp
  std::optional<Inertia> read_inertia(const SdfLink& link);
  void add_shapes(SdfLink& link);
  void add_shape(SdfLink& link, const XmlElement& collision, std::optional<double> density);
  std::optional<Geometry> read_geometry(const SdfLink& link, const XmlElement& collision, Pose& pose);
  std::optional<Geometry> read_mesh_geometry(const SdfLink& link, const XmlElement& mesh);
  void read_surface(const XmlElement& surface, ShapeOptions& shape);

  bool is_in_world(int link) const { return link < 0 || in_world_[link]; }
  const Pose& world_of(int link) const { return frames_[link < 0 ? 0 : links_[link].frame].world; }
  int body_of(int link) const { return link < 0 ? -1 : links_[link].body; }
  void note(const XmlElement& at, const std::string& element, const std::string& reason);

  ModelBuilder& builder_;
  const LoadOptions& options_;
  MeshCache meshes_;
  std::deque<SdfFile> files_;
  std::vector<std::string> open_files_;  // that are being included, outermost first
  int num_includes_ = 0;
  bool names_models_ = false;  // names of top-level models are part of the names in them
  std::vector<SdfScope> scopes_;
  std::vector<SdfFrame> frames_;
  std::vector<int> carriers_;  // link that carries every frame; −1: the world
  std::vector<SdfLink> links_;
  std::vector<SdfJoint> joints_;
  std::vector<std::vector<int>> joints_of_link_;  // of the tree; of the world last
  std::vector<bool> in_world_;                    // links that do not move
  std::set<std::string> shape_names_, sensor_names_;
  std::vector<IgnoredElement> notes_;
};

// X of a <pose>: "x y z roll pitch yaw", or by rotation_format; the identity where it is absent or empty.
Pose read_sdf_pose(const XmlElement& pose);
// What the pose is relative to; absent or empty: the default of its element.
XmlValue relative_to(const XmlElement& pose);

}  // namespace stiction
