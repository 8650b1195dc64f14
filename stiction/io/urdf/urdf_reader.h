// From the elements of a URDF file to ModelBuilder. Internal to the reader.
//
//     links, joints  →  tree  →  inertias (lumps, repairs, joints without mass)  →  mimics  →  bodies, shapes,
//     actuators
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stiction/io/ignored_summary.h"
#include "stiction/io/mesh/mesh_file.h"
#include "stiction/io/model_path.h"
#include "stiction/io/xml/xml.h"
#include "stiction/model/model_builder.h"

namespace stiction {

enum class UrdfJointType { revolute, continuous, prismatic, fixed, floating, planar };

struct UrdfLink {
  XmlElement element;
  std::string name{};
  int parent_joint = -1;            // −1: the root
  std::vector<int> child_joints{};  // in the order of the file
  // In the frame of the link; none: it has no mass. After sum_lumps() the first link of a lump has it all.
  std::optional<Inertia> inertia{};
  std::optional<double> friction{};    // of Gazebo's mu1, or of <contact>
  std::optional<double> friction_2{};  // of mu2, across x of the shape
  bool is_friction_along_x = false;
  std::optional<bool> collides_with_own{};  // selfCollide
  bool is_weightless = false;               // turnGravityOff
  bool carries_weight = false;              // all that is fixed to it is weightless
  bool is_seam = false;                     // a force sensor sits where it is fixed to its parent
  bool is_apart = false;                    // its inertia is its own, not that of its lump
  std::optional<double> restitution{};
  bool has_shapes = false;
  int lump = -1;  // the link that carries this one and all that is fixed to it; −1: the world
  int body = -1;  // in the builder
};

struct UrdfJoint {
  XmlElement element;
  std::string name{};
  UrdfJointType type = UrdfJointType::fixed;
  int parent = -1, child = -1;  // links
  Pose origin{};
  Vector3 axis = Vector3::UnitX();
  double lower = -no_limit, upper = no_limit, effort = no_limit, velocity = no_limit;
  double damping = 0.0, friction = 0.0;
  double initial_position = 0.0;
  double stiffness = 0.0, rest_position = 0.0;  // of Gazebo
  double wanted_position = 0.0;                 // of ros2_control
  std::string interface{};                      // of ros2_control: position, velocity, effort; empty: none
  double command_lower = -no_limit, command_upper = no_limit;
  bool is_mimic = false;
  std::string mimicked_name{};
  int mimicked = -1;  // joint
  double multiplier = 1.0, offset = 0.0;
  std::optional<double> gear{};  // of its transmission
  std::string actuator{};        // name of its transmission's actuator

  bool has_one_dof() const {
    return type == UrdfJointType::revolute || type == UrdfJointType::continuous || type == UrdfJointType::prismatic;
  }
};

class UrdfReader {
 public:
  UrdfReader(ModelBuilder& builder, const XmlDocument& document, const std::string& path, const LoadOptions& options)
      : builder_(builder), document_(document), options_(options), files_(path, options), notes_(document.file()) {}

  void read(std::vector<IgnoredElement>& ignored);

 private:
  // urdf.cpp
  void read_links();
  void connect();
  void order_links();
  void apply_base();
  void add_bodies();
  void add_body(int link);
  std::vector<JointOptions> joints_of(int link);
  // urdf_joints.cpp
  void read_joints();
  void read_joint(const XmlElement& element);
  void read_limit(UrdfJoint& joint);
  void read_transmissions();
  void read_transmission(const XmlElement& element);
  void resolve_mimics();
  void add_mimics();
  void add_actuators();
  // urdf_inertia.cpp
  void read_inertias();
  std::optional<Inertia> read_inertia(const XmlElement& link);
  void find_lumps();
  void fix_joints_without_mass();
  void sum_lumps();
  void keep_apart(const std::vector<std::optional<Inertia>>& own);
  // urdf_gazebo.cpp
  struct GazeboSensor {
    XmlElement element;
    int link, joint;  // joint −1: of a link
  };
  void read_gazebo();
  void read_gazebo_robot(const XmlElement& gazebo);
  void read_gazebo_link(const XmlElement& gazebo, int link);
  void read_gazebo_joint(const XmlElement& gazebo, int joint);
  void find_weightless();
  void exclude_own();
  void add_sensors();
  void add_force_torque(const GazeboSensor& sensor, const std::function<void(const char*, SensorKind, double)>& add);
  static Pose read_origin_text(const XmlElement& element);
  // urdf_control.cpp
  void read_ros2_control();
  void read_controlled_joint(const XmlElement& element);
  void read_command(const XmlElement& command, const std::string& name, UrdfJoint& joint);
  void apply_interface(const UrdfJoint& joint, ActuatorOptions& actuator);
  // urdf_shapes.cpp
  void add_shapes(int link);
  void add_shape(int link, const XmlElement& collision);
  std::optional<Geometry> read_geometry(int link, const XmlElement& collision);
  std::optional<Geometry> read_mesh_geometry(int link, const XmlElement& mesh);

  // urdf_overlaps.cpp
  int neighbour_of(int lump, const std::vector<Pose>& in_lump, const std::vector<bool>& has_shapes) const;
  void exclude_neighbours();
  void exclude_overlaps();

  int find_link(const XmlValue& name) const;
  std::string unique_shape_name(const std::string& wanted);
  // Told as: kind 'name', 'name' and … more.
  void note(const XmlElement& at, const std::string& kind, const std::string& name, const std::string& reason);

  ModelBuilder& builder_;
  const XmlDocument& document_;
  const LoadOptions& options_;
  ModelPath files_;
  MeshCache meshes_;
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, int> link_of_, joint_of_;
  std::vector<int> order_;  // links, parents first
  std::set<std::string> shape_names_;
  struct ShapeRecord {
    XmlElement element;
    int index;  // in the builder
    int link;
  };
  std::vector<GazeboSensor> sensors_;
  std::vector<ShapeRecord> shapes_;
  ModelBuilder alone_;   // bodies and shapes of this robot alone, to see which overlap
  int first_body_ = -1;  // in the builder; the bodies of `alone_` follow in the same order
  IgnoredSummary notes_;
};

// Throws where the text is xacro that was not expanded.
void refuse_xacro(std::string_view text, const std::string& file);

// X of an <origin xyz rpy>; the identity where it is absent.
Pose read_origin(const XmlElement& origin);

// The nearest inertia that a body can have: no principal moment below 1e-3 of the largest, none above the sum of the
// others; a mass without moments becomes a ball of 1000 kg/m³. `inertia.mass` must be positive.
Inertia repaired_inertia(const Inertia& inertia);  // of finite numbers
bool is_finite(const Inertia& inertia);

}  // namespace stiction
