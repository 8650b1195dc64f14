// URDF as it is found: Gazebo's extension, ros2_control, xacro that was not run.
#include <gtest/gtest.h>

#include "stiction/io/urdf/urdf.h"
#include "stiction/sim/sensor_handle.h"
#include "stiction/sim/simulator.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

std::string link(const std::string& name, double x = 0.0) {
  return "<link name='" + name + "'><inertial><origin xyz='" + std::to_string(x) +
         " 0 0'/><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
         "<collision><origin xyz='" +
         std::to_string(x) + " 0 0'/><geometry><sphere radius='0.1'/></geometry></collision></link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  double x) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
         "'/><origin xyz='" + std::to_string(x) +
         " 0 0'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='30' velocity='3'/></joint>\n";
}

// An arm of two links with a tool that is fixed to the second.
const std::string arm = link("base") + link("upper", 0.5) + link("lower", 0.5) + link("tool", 0.1) +
                        joint("shoulder", "revolute", "base", "upper", 0.3) +
                        joint("elbow", "revolute", "upper", "lower", 1.0) +
                        joint("flange", "fixed", "lower", "tool", 1.0);

LoadedModel load(const std::string& extension, const LoadOptions& options = {}) {
  return load_urdf_string("<robot name='r'>\n" + arm + extension + "</robot>", options);
}

bool tells(const LoadedModel& loaded, const std::string& element, const std::string& reason) {
  for (const IgnoredElement& i : loaded.ignored) {
    if (i.element.find(element) != std::string::npos && i.reason.find(reason) != std::string::npos) return true;
  }
  for (const IgnoredElement& i : loaded.ignored) std::cerr << i.element << ": " << i.reason << "\n";
  return false;
}

TEST(UrdfGazebo, FrictionAlongAndAcross) {
  const LoadedModel loaded = load(
      "<gazebo reference='upper'><mu1>0.3</mu1><mu2>0.2</mu2><fdir1>1 0 0</fdir1><kp>1e6</kp></gazebo>"
      "<gazebo reference='lower'><mu1 value='0.6'/><mu2 value='0.5'/></gazebo>"
      "<gazebo reference='nobody'><mu1>1</mu1></gazebo><gazebo><plugin name='driver'/></gazebo>");
  const Model& model = *loaded.model;
  EXPECT_EQ(0.3, model.shapes[model.find_shape("upper")].material.friction);
  EXPECT_EQ(0.2, model.shapes[model.find_shape("upper")].material.friction_2);
  EXPECT_EQ(0.6, model.shapes[model.find_shape("lower")].material.friction);
  EXPECT_EQ(-1.0, model.shapes[model.find_shape("lower")].material.friction_2);
  EXPECT_TRUE(tells(loaded, "mu2 of link 'lower'", "mu1 holds"));
  EXPECT_TRUE(tells(loaded, "<kp>", "rigid"));
  EXPECT_TRUE(tells(loaded, "<gazebo> 'nobody'", "no link or joint"));
  EXPECT_TRUE(tells(loaded, "<plugin> 'driver'", "plugin of Gazebo"));
}

TEST(UrdfGazebo, WhatHasNoWeightHangsInTheAir) {
  const LoadedModel loaded = load(
      "<gazebo reference='upper'><turnGravityOff>true</turnGravityOff></gazebo>"
      "<gazebo reference='lower'><gravity>0</gravity></gazebo><gazebo "
      "reference='tool'><gravity>False</gravity></gazebo>");
  Simulator simulator(loaded.model, {.time_step = 1e-3});
  simulator.step(300);
  EXPECT_LE(simulator.state().q.cwiseAbs().maxCoeff(), 1e-12);
  const LoadedModel half = load("<gazebo reference='tool'><gravity>0</gravity></gazebo>");
  EXPECT_TRUE(half.model->carried_weights.empty());
  EXPECT_TRUE(tells(half, "gravity of link 'tool'", "fixed to links that fall"));
}

TEST(UrdfGazebo, LinksThatDoNotWantToMeetTheirOwn) {
  const auto meet = [](const std::string& extension) {
    const auto model = load(extension).model;
    return model->may_collide(model->find_shape("base"), model->find_shape("tool"));
  };
  EXPECT_TRUE(meet(""));
  EXPECT_TRUE(meet("<gazebo reference='base'><selfCollide>true</selfCollide></gazebo>"));
  EXPECT_FALSE(meet("<gazebo reference='base'><selfCollide>false</selfCollide></gazebo>"));
  EXPECT_FALSE(meet("<gazebo reference='tool'><selfCollide>0</selfCollide></gazebo>"));
}

TEST(UrdfGazebo, SpringsOfJoints) {
  const LoadedModel loaded = load(
      "<gazebo reference='elbow'><springStiffness>40</springStiffness><springReference>0.5</springReference>"
      "<stopErp>0.2</stopErp></gazebo>");
  const Model& model = *loaded.model;
  const Dof& dof = model.dofs[model.joints[model.find_joint("elbow")].first_velocity];
  EXPECT_EQ(40.0, dof.stiffness);
  EXPECT_EQ(0.5, dof.rest_position);
  EXPECT_TRUE(tells(loaded, "<stopErp>", "engines"));
}

TEST(UrdfGazebo, Sensors) {
  const LoadedModel loaded = load(
      "<gazebo reference='tool'><sensor name='imu' type='imu'><pose>0.1 0 0 0 0 "
      "0</pose><update_rate>100</update_rate></sensor>"
      "<sensor name='eye' type='camera'/><sensor name='skin' type='contact'/></gazebo>"
      "<gazebo reference='flange'><sensor name='ft' "
      "type='force_torque'><force_torque><measure_direction>parent_to_child"
      "</measure_direction></force_torque></sensor></gazebo>"
      "<gazebo reference='elbow'><sensor name='knee' type='force_torque'/></gazebo>");
  ASSERT_EQ(8u, loaded.model->sensors.size());
  EXPECT_TRUE(tells(loaded, "<sensor> 'eye'", "of type camera"));
  ModelBuilder builder = ModelBuilder::from_model(*loaded.model);
  for (const char* name : {"shoulder", "elbow"}) {
    builder.add_actuator(
        {.name = std::string("hold ") + name, .joint = name, .kind = ActuatorKind::position, .kp = 1e9, .kd = 1e6});
  }
  std::shared_ptr<const Model> held = builder.build();
  std::vector<double> limits;
  Simulator simulator(held, {.time_step = 1e-3});
  // Held against nothing: the arm without gravity stands, and feels what an accelerometer at rest in orbit does.
  const double g = 9.81;
  simulator.set_joint_force((VectorX(2) << -(2 * 0.5 + 2 * 1.5 + 2 * 2.1) * g, -(2 * 0.5 + 2 * 1.1) * g).finished());
  simulator.step(3);
  EXPECT_NEAR(g, simulator.sensor("imu_acceleration").values()[2], 1e-3);
  EXPECT_NEAR(2 * g, simulator.sensor("ft_force").values()[2], 1e-3);
  EXPECT_NEAR(-2 * g * 0.1, simulator.sensor("ft_torque").values()[1], 1e-3);
  EXPECT_NEAR(-4 * g, simulator.sensor("knee_force").values()[2], 1e-3);
  EXPECT_NEAR(1.0, simulator.sensor("imu_orientation").values()[3], 1e-6);
  EXPECT_EQ(0.0, simulator.sensor("skin").values().norm());
}

const std::string control =
    "<ros2_control name='c' type='system'><hardware><plugin>p</plugin></hardware>"
    "<joint name='shoulder'><command_interface name='position'><param name='min'>-1.5</param><param "
    "name='max'>1.25</param>"
    "</command_interface><command_interface name='velocity'/><state_interface name='position'>"
    "<param name='initial_value'>0.4</param></state_interface></joint>"
    "<joint name='elbow'><command_interface name='effort'><param name='min'>-5</param><param name='max'>6</param>"
    "</command_interface></joint><joint name='wheel'/><sensor name='tcp'/></ros2_control>";

TEST(UrdfControl, InterfacesBecomeActuators) {
  const LoadedModel loaded = load(control, {.servo_kp = 200.0, .servo_kd = 20.0});
  const Model& model = *loaded.model;
  ASSERT_EQ(2u, model.actuators.size());
  const Actuator& shoulder = model.actuators[model.find_actuator("shoulder")];
  EXPECT_EQ(ActuatorKind::position, shoulder.kind);
  EXPECT_EQ(200.0, shoulder.kp);
  EXPECT_EQ(20.0, shoulder.kd);
  EXPECT_EQ(-1.5, shoulder.control_lower);
  EXPECT_EQ(1.25, shoulder.control_upper);
  EXPECT_EQ(30.0, shoulder.force_upper);
  const Actuator& elbow = model.actuators[model.find_actuator("elbow")];
  EXPECT_EQ(ActuatorKind::torque, elbow.kind);
  EXPECT_EQ(-5.0, elbow.control_lower);
  EXPECT_EQ(6.0, elbow.control_upper);
  EXPECT_EQ(0.4, model.initial_position[model.joints[model.find_joint("shoulder")].first_position]);
  EXPECT_TRUE(tells(loaded, "<command_interface> 'velocity'", "the first one"));
  EXPECT_TRUE(tells(loaded, "<joint> 'wheel'", "no joint of that name"));
  EXPECT_TRUE(tells(loaded, "<hardware>", "hardware"));
  EXPECT_TRUE(tells(loaded, "<sensor> 'tcp'", "sensor of the hardware"));
}

TEST(UrdfControl, WithoutGainsTheyAreTorquesAndThatIsTold) {
  const LoadedModel loaded = load(control);
  const Actuator& shoulder = loaded.model->actuators[loaded.model->find_actuator("shoulder")];
  EXPECT_EQ(ActuatorKind::torque, shoulder.kind);
  EXPECT_EQ(no_limit, shoulder.control_upper);
  EXPECT_TRUE(tells(loaded, "position interface of joint 'shoulder'", "servo_kp"));
}

TEST(UrdfControl, BadValuesAreRefused) {
  const auto commanded = [](const std::string& inside) {
    return load("<ros2_control><joint name='elbow'>" + inside + "</joint></ros2_control>");
  };
  EXPECT_REFUSED(commanded("<command_interface name='effort'><param name='min'>2</param><param "
                           "name='max'>1</param></command_interface>"),
                 "min of the command of joint 'elbow' is 2");
  EXPECT_REFUSED(commanded("<command_interface name='effort'><param name='min'>low</param></command_interface>"),
                 "low");
  EXPECT_REFUSED(commanded("<state_interface name='position'><param name='initial_value'>9</param></state_interface>"),
                 "outside of the limits of joint 'elbow'");
  EXPECT_REFUSED(load("", {.servo_kp = -1.0}), "servo_kp and servo_kd are -1 and 0");
  EXPECT_REFUSED(load("<gazebo reference='tool'><gravity>perhaps</gravity></gazebo>"), "neither true nor false");
  EXPECT_REFUSED(load("<gazebo reference='tool'><mu2>-1</mu2></gazebo>"), "mu2");
  EXPECT_REFUSED(load("<gazebo reference='tool'><sensor type='imu'><pose>0 0</pose></sensor></gazebo>"), "pose");
}

TEST(UrdfXacro, IsNamedAsWhatItIs) {
  EXPECT_REFUSED(load("\n<xacro:include filename='arm.xacro'/>"),
                 "<xacro:include: this is a xacro file; run xacro first");
  EXPECT_REFUSED(load("<xacro:finger side='left'/>"), "<xacro:finger");
  EXPECT_REFUSED(load("<link name='${prefix}hand'/>"), "${prefix}hand: this is a xacro file");
  EXPECT_REFUSED(load("<gazebo><plugin><file>$(find arm)/c.yaml</file></plugin></gazebo>"), "$(find");
  EXPECT_EQ(2, load("<!-- ${side} <xacro:if/> --><xacro:property name='a' value='1'/>").model->num_velocities());
}

}  // namespace
}  // namespace stiction
