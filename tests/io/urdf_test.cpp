// The URDF reader: mechanics by closed forms, and every way to break a file.
#include "stiction/io/urdf/urdf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/math/dense.h"
#include "stiction/model/geometry/convex_hull.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

constexpr const char* unit_inertia = R"(<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>)";

std::string inertial(double mass) {
  return "<inertial><mass value='" + std::to_string(mass) + "'/>" + unit_inertia + "</inertial>";
}

std::string link(const std::string& name, const std::string& inside = inertial(1.0)) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         inside + "</joint>\n";
}

std::string robot(const std::string& inside) {
  return "<robot name='r'>\n" + inside + "</robot>";
}

LoadedModel load(const std::string& inside, const LoadOptions& options = {}) {
  return load_urdf_string(robot(inside), options);
}

bool is_told(const LoadedModel& loaded, const std::string& element, const std::string& reason) {
  for (const IgnoredElement& i : loaded.ignored) {
    if (i.element.find(element) != std::string::npos && i.reason.find(reason) != std::string::npos) return true;
  }
  return false;
}

std::string all_of(const LoadedModel& loaded) {
  std::string text;
  for (const IgnoredElement& i : loaded.ignored) text += i.element + ": " + i.reason + "\n";
  return text;
}

Pose frame_pose(const Model& model, const DynamicsData& data, const std::string& name) {
  const Frame& frame = model.frames[model.find_frame(name)];
  return frame.body < 0 ? frame.pose : body_pose(data, frame.body) * frame.pose;
}

TEST(Urdf, JointsOfEveryType) {
  const LoadedModel loaded =
      load(link("base") + link("a") + link("b") + link("c") + link("d") + link("e") +
           joint("hinge", "revolute", "base", "a",
                 "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 2 0'/>"
                 "<limit lower='-1' upper='2' effort='30' velocity='4'/><dynamics damping='0.5' friction='0.25'/>") +
           joint("wheel", "continuous", "a", "b", "<axis xyz='0 0 1'/><limit effort='5' velocity='6'/>") +
           joint("slide", "prismatic", "b", "c", "<limit lower='-0.5' upper='0.5' effort='7' velocity='8'/>") +
           joint("weld", "fixed", "c", "d", "<origin xyz='0 0 1'/>") +
           joint("plane", "planar", "d", "e", "<axis xyz='0 0 1'/>"));
  const Model& model = *loaded.model;
  ASSERT_EQ(6, model.num_velocities());
  EXPECT_TRUE(loaded.ignored.empty()) << all_of(loaded);
  const Joint& hinge = model.joints[model.find_joint("hinge")];
  const Dof& dof = model.dofs[hinge.first_velocity];
  EXPECT_EQ("revolute", hinge.kind);
  EXPECT_EQ(-1.0, dof.lower);
  EXPECT_EQ(2.0, dof.upper);
  EXPECT_EQ(30.0, dof.effort_limit);
  EXPECT_EQ(4.0, dof.velocity_limit);
  EXPECT_EQ(0.5, dof.damping);
  EXPECT_EQ(0.25, dof.dry_friction);
  const Dof& wheel = model.dofs[model.joints[model.find_joint("wheel")].first_velocity];
  EXPECT_EQ(-no_limit, wheel.lower);
  EXPECT_EQ(no_limit, wheel.upper);
  EXPECT_EQ("prismatic", model.joints[model.find_joint("slide")].kind);
  EXPECT_EQ("planar", model.joints[model.find_joint("plane")].kind);
  EXPECT_EQ(3, model.joints[model.find_joint("plane")].num_velocities);
  // The default axis is x: with the hinge turned by q about its y axis, slide by s.
  DynamicsData data(model);
  VectorX q = VectorX::Zero(model.num_positions());
  q[0] = 0.3, q[2] = 0.25;
  const VectorX v = VectorX::Zero(model.num_velocities());
  update_kinematics(model, q.data(), v.data(), data);
  const Pose base(Matrix3(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitZ())), Vector3(1, 2, 3));
  const Pose turned = base * Pose(Matrix3(Eigen::AngleAxisd(0.3, Vector3::UnitY())), Vector3::Zero());
  EXPECT_LT((frame_pose(model, data, "d").position - turned * Vector3(0.25, 0, 1)).norm(), 1e-14);
  EXPECT_LT((frame_pose(model, data, "d").rotation - turned.rotation).norm(), 1e-14);
}

TEST(Urdf, InertiaInTheFrameOfItsOrigin) {
  const LoadedModel loaded =
      load(link("base") +
           link("arm",
                "<inertial><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                "<inertia ixx='0.3' iyy='0.5' izz='0.6' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial>") +
           link("tool", "<inertial><mass value='2'/>" + std::string(unit_inertia) + "</inertial>") +
           joint("j", "continuous", "base", "arm", "<axis xyz='0 0 1'/>") +
           joint("f", "fixed", "arm", "tool", "<origin xyz='3 0 0'/>"));
  const Body& body = loaded.model->bodies[0];
  EXPECT_EQ(4.0, body.mass);
  EXPECT_LT((body.com - Vector3(2, 0, 0)).norm(), 1e-15);
  // Turned by a quarter about z: xx ↔ yy, xy → −xy, xz → −yz, yz → xz; and 2 kg at ± 1 m from the common centre.
  Matrix3 expected;
  expected << 0.5 + 0.1, -0.01, -0.03, -0.01, 0.3 + 0.1 + 4.0, 0.02, -0.03, 0.02, 0.6 + 0.1 + 4.0;
  EXPECT_LT((body.inertia - expected).norm(), 1e-14) << body.inertia;
}

TEST(Urdf, BaseIsFixedUnlessAskedOtherwise) {
  const std::string tree = link("base") + link("a") + joint("j", "continuous", "base", "a");
  EXPECT_EQ(1, load(tree).model->num_velocities());
  EXPECT_EQ(1, load(tree, {.base = BaseKind::fixed}).model->num_velocities());
  const LoadedModel floating = load(tree, {.pose = Pose(Vector3(0, 0, 2)), .prefix = "p_", .base = BaseKind::floating});
  EXPECT_EQ(7, floating.model->num_velocities());
  EXPECT_EQ("free", floating.model->joints[floating.model->find_joint("p_root_joint")].kind);
  EXPECT_EQ(2.0, floating.model->initial_position[2]);
  EXPECT_NO_THROW(floating.model->find_frame("p_a"));
  EXPECT_NO_THROW(floating.model->find_actuator("p_j"));
  EXPECT_EQ(1u, floating.model->actuators.size());  // none on the base
  // A root called "world" is the world.
  const std::string world = "<link name='world'/>" + tree;
  const std::string fixed = world + joint("w", "fixed", "world", "base");
  const std::string free = world + joint("w", "floating", "world", "base");
  EXPECT_EQ(1, load(fixed).model->num_velocities());
  EXPECT_EQ(7, load(fixed, {.base = BaseKind::floating}).model->num_velocities());
  EXPECT_EQ(7, load(free).model->num_velocities());
  EXPECT_EQ(7, load(free, {.base = BaseKind::floating}).model->num_velocities());
  EXPECT_EQ(1, load(free, {.base = BaseKind::fixed}).model->num_velocities());
}

TEST(Urdf, FloatingJointBelowAMovingLink) {
  const LoadedModel loaded = load(link("base") + link("a") + link("b") + joint("j", "continuous", "base", "a") +
                                  joint("f", "floating", "a", "b", "<origin xyz='0 0 1'/>"));
  EXPECT_EQ(1 + 6, loaded.model->num_velocities());
  EXPECT_EQ("ball", loaded.model->joints[loaded.model->find_joint("f")].kind);
  EXPECT_NO_THROW(loaded.model->find_joint("f_x"));
}

TEST(Urdf, MimicsAreEqualities) {
  const LoadedModel loaded =
      load(link("base") + link("a") + link("b") + link("c") + link("d") +
           joint("ja", "revolute", "base", "a", "<limit lower='0.25' upper='1' effort='1' velocity='1'/>") +
           joint("jb", "continuous", "base", "b", "<mimic joint='ja' multiplier='-2' offset='0.5'/>") +
           joint("jc", "continuous", "base", "c", "<mimic joint='jb'/>") +
           joint("jd", "continuous", "base", "d", "<mimic joint='nobody'/>"));
  const Model& model = *loaded.model;
  ASSERT_EQ(2u, model.loops.size());
  EXPECT_EQ(LoopKind::joint_equality, model.loops[0].kind);
  EXPECT_EQ(model.joints[model.find_joint("jb")].first_velocity, model.loops[0].dof_a);
  EXPECT_EQ(model.joints[model.find_joint("ja")].first_velocity, model.loops[0].dof_b);
  EXPECT_EQ((std::array<double, 5>{0.5, -2.0, 0.0, 0.0, 0.0}), model.loops[0].coefficients);
  // Starts within limits, mimics where they belong.
  EXPECT_EQ(0.25, model.initial_position[0]);
  EXPECT_EQ(0.0, model.initial_position[1]);
  EXPECT_EQ(0.0, model.initial_position[2]);
  ASSERT_EQ(2u, model.actuators.size());  // not on mimics
  EXPECT_EQ("ja", model.actuators[0].name);
  EXPECT_EQ("jd", model.actuators[1].name);
  EXPECT_TRUE(is_told(loaded, "mimic 'nobody' of joint 'jd'", "no joint of that name")) << all_of(loaded);
}

TEST(Urdf, ActuatorsOfTransmissionsAndOfAllOtherJoints) {
  const std::string limit = "<limit lower='-1' upper='1' effort='20' velocity='1'/>";
  const LoadedModel loaded =
      load(link("base") + link("a") + link("b") + link("c") + joint("ja", "revolute", "base", "a", limit) +
           joint("jb", "revolute", "a", "b", limit) + joint("jc", "continuous", "b", "c") +
           "<transmission name='t'><type>simple</type><joint name='jb'><hardwareInterface>E</hardwareInterface></joint>"
           "<actuator name='motor'><mechanicalReduction>-50</mechanicalReduction></actuator></transmission>"
           "<transmission name='lost'><joint name='nobody'/><actuator name='m'/></transmission>"
           "<transmission name='two'><joint name='ja'/><joint name='jc'/><actuator name='m'/></transmission>");
  const Model& model = *loaded.model;
  ASSERT_EQ(3u, model.actuators.size());
  EXPECT_EQ("ja", model.actuators[0].name);
  EXPECT_EQ(1.0, model.actuators[0].gear);
  EXPECT_EQ(20.0, model.actuators[0].force_upper);
  EXPECT_EQ("motor", model.actuators[1].name);
  EXPECT_EQ(-50.0, model.actuators[1].gear);
  EXPECT_EQ(0.4, model.actuators[1].force_upper);
  EXPECT_EQ(-0.4, model.actuators[1].force_lower);
  EXPECT_EQ(ActuatorKind::torque, model.actuators[1].kind);
  EXPECT_EQ(no_limit, model.actuators[2].force_upper);
  EXPECT_TRUE(is_told(loaded, "'lost'", "does not exist"));
  EXPECT_TRUE(is_told(loaded, "'two'", "several"));
  EXPECT_TRUE(is_told(loaded, "hardwareInterface", "torques"));
}

TEST(Urdf, ShapesAndTheirFriction) {
  const LoadedModel loaded = load(
      link("base", "<collision><geometry><box size='1 2 3'/></geometry></collision>") +
      link("a",
           inertial(1.0) +
               "<collision name='ball'><origin xyz='0 0 1'/><geometry><sphere radius='0.5'/></geometry></collision>"
               "<collision><geometry><cylinder radius='0.1' length='0.6'/></geometry></collision>"
               "<collision><geometry><capsule radius='0.1' length='0.8'/></geometry></collision>"
               "<collision><geometry><box size='1 0 1'/></geometry></collision>"
               "<visual><geometry><sphere radius='1'/></geometry></visual>") +
      joint("j", "continuous", "base", "a") +
      "<gazebo reference='a'><mu1>0.3</mu1><kp>1e6</kp></gazebo><gazebo><plugin/></gazebo>");
  const Model& model = *loaded.model;
  ASSERT_EQ(4u, model.shapes.size());
  EXPECT_EQ(-1, model.shapes[0].body);
  EXPECT_EQ(Vector3(0.5, 1, 1.5), std::get<Box>(model.shapes[0].geometry).half_size);
  const Shape& ball = model.shapes[model.find_shape("ball")];
  EXPECT_EQ(0.5, std::get<Sphere>(ball.geometry).radius);
  EXPECT_EQ(0.3, ball.material.friction);
  EXPECT_EQ(1.0, model.shapes[0].material.friction);
  const Pose& on_body = model.frames[model.find_frame("a")].pose;
  EXPECT_LT((ball.pose.position - on_body * Vector3(0, 0, 1)).norm(), 1e-15);
  EXPECT_EQ(0.3, std::get<Cylinder>(model.shapes[model.find_shape("a")].geometry).half_length);
  EXPECT_EQ(0.4, std::get<Capsule>(model.shapes[model.find_shape("a_1")].geometry).half_length);
  EXPECT_TRUE(is_told(loaded, "<visual> in <link> 'a'", "seen"));
  EXPECT_TRUE(is_told(loaded, "<box> in <link> 'a'", "zero"));
  EXPECT_TRUE(is_told(loaded, "<kp> in <gazebo> 'a'", "rigid"));
  EXPECT_TRUE(is_told(loaded, "<plugin>", "plugin of Gazebo"));
}

TEST(Urdf, NeighboursAndWhatOverlapsAtTheStartDoNotTouch) {
  const auto ball = [](double x, double radius) {
    return inertial(1.0) + "<collision><origin xyz='" + std::to_string(x) + " 0 0'/><geometry><sphere radius='" +
           std::to_string(radius) + "'/></geometry></collision>";
  };
  // In a row: base – a – b – c, and b reaches into the base.
  const std::string text = link("base", ball(0, 0.5)) + link("a", ball(0.4, 0.2)) + link("b", ball(0.8, 0.4)) +
                           link("c", ball(5, 0.1)) + joint("ja", "continuous", "base", "a") +
                           joint("jb", "continuous", "a", "b", "<axis xyz='0 1 0'/>") +
                           joint("jc", "continuous", "b", "c");
  for (const BaseKind kind : {BaseKind::fixed, BaseKind::floating}) {
    const LoadedModel loaded = load(text, {.base = kind});
    const Model& model = *loaded.model;
    const auto touch = [&](const char* a, const char* b) {
      return model.may_collide(model.find_shape(a), model.find_shape(b));
    };
    EXPECT_FALSE(touch("base", "a"));
    EXPECT_FALSE(touch("a", "b"));
    EXPECT_FALSE(touch("base", "b"));
    EXPECT_TRUE(touch("base", "c"));
    EXPECT_TRUE(touch("a", "c"));
    EXPECT_EQ(1u, loaded.ignored.size()) << all_of(loaded);
    EXPECT_TRUE(is_told(loaded, "collision between 'base and b'", "overlap")) << all_of(loaded);
  }
  // What fits where the robot starts does not touch either: a ball 0.05 mm beside the base, but not one a millimetre
  // off.
  for (const double gap : {5e-5, 1e-3}) {
    const LoadedModel loaded =
        load(link("base", ball(0, 0.5)) + link("a", ball(5, 0.1)) + link("b", ball(0.8 + gap, 0.3)) +
             joint("ja", "continuous", "base", "a") + joint("jb", "continuous", "a", "b", "<axis xyz='0 1 0'/>"));
    const Model& model = *loaded.model;
    EXPECT_EQ(gap > 1e-4, model.may_collide(model.find_shape("base"), model.find_shape("b"))) << gap;
    EXPECT_EQ(gap < 1e-4, is_told(loaded, "collision between 'base and b'", "fit")) << all_of(loaded);
  }
  // Only the robot's own base is spared, not the rest of the world.
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  std::vector<IgnoredElement> ignored;
  const std::string path = testing::TempDir() + "/stiction_row.urdf";
  std::ofstream(path) << robot(text);
  append_urdf(builder, path, {}, ignored);
  std::filesystem::remove(path);
  const std::shared_ptr<const Model> model = builder.build();
  EXPECT_TRUE(model->may_collide(model->find_shape("ground"), model->find_shape("a")));
  EXPECT_FALSE(model->may_collide(model->find_shape("base"), model->find_shape("a")));
}

// A wrist: three hinges about one point, nothing that collides between them. No motion of it moves the hand away from
// the arm along the line through that point, so the two are neighbours. Where the axes do not meet they are not.
TEST(Urdf, HingesAboutOnePointAreOneJoint) {
  const std::string shape = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  const auto wrist = [&](const char* offset, const std::string& between, const char* base) {
    return link("base") + link("arm", inertial(1.0) + shape) + link("roll", inertial(0.1)) +
           link("yaw", inertial(0.1) + between) +
           link("hand", inertial(1.0) +
                            "<collision><origin xyz='3 0 0'/><geometry><sphere radius='0.1'/></geometry>"
                            "</collision>") +
           joint("j", base, "base", "arm", "<axis xyz='1 0 0'/>") +
           joint("jr", "continuous", "arm", "roll", "<origin xyz='1 0 0'/><axis xyz='1 0 0'/>") +
           joint("jy", "continuous", "roll", "yaw", "<axis xyz='0 1 0'/>") +
           joint("jp", "continuous", "yaw", "hand",
                 "<origin xyz='" + std::string(offset) + " 0 0'/><axis xyz='0 0 1'/>");
  };
  const auto touch = [](const LoadedModel& loaded) {
    return loaded.model->may_collide(loaded.model->find_shape("arm"), loaded.model->find_shape("hand"));
  };
  EXPECT_FALSE(touch(load(wrist("0", "", "continuous"))));
  EXPECT_FALSE(touch(load(wrist("0", "", "fixed"))));
  EXPECT_TRUE(touch(load(wrist("0.01", "", "continuous"))));
  EXPECT_TRUE(touch(load(wrist(
      "0", "<collision><origin xyz='0 9 0'/><geometry><sphere radius='0.1'/></geometry></collision>", "continuous"))));
}

TEST(Urdf, LinksWithoutMass) {
  // Between two joints: fine, the mass behind it is what moves. At the end: the joint is fixed. At the root: fine.
  const LoadedModel loaded =
      load(link("base", "") + link("middle", "") + link("end") + link("leaf", "") + link("twig", "") +
           joint("j1", "continuous", "base", "middle", "<axis xyz='1 0 0'/>") +
           joint("j2", "continuous", "middle", "end", "<axis xyz='0 1 0'/>") +
           joint("j3", "continuous", "end", "leaf", "<origin xyz='0 0 1'/><axis xyz='0 0 1'/>") +
           joint("j4", "prismatic", "leaf", "twig", "<limit lower='0' upper='1' effort='1' velocity='1'/>") +
           "<transmission name='t'><joint name='j3'/><actuator name='m'/></transmission>");
  EXPECT_EQ(2, loaded.model->num_velocities());
  EXPECT_EQ(2u, loaded.model->actuators.size());
  EXPECT_NO_THROW(loaded.model->find_frame("twig"));
  EXPECT_TRUE(is_told(loaded, "joint 'j4', 'j3'", "no mass moves")) << all_of(loaded);
  EXPECT_TRUE(is_told(loaded, "<transmission> 't'", "does not move"));
  // Two hinges on one axis with nothing between them: nothing resists the first.
  EXPECT_REFUSED(load(link("base") + link("m", "") + link("e") + joint("j1", "continuous", "base", "m") +
                      joint("j2", "continuous", "m", "e")),
                 "nothing resists");
}

TEST(Urdf, ImpossibleInertiasAreRefusedOrRepaired) {
  const auto with = [](const std::string& mass, const std::string& tensor) {
    return link("base") + link("arm", "\n<inertial><mass value='" + mass + "'/><inertia " + tensor + "/></inertial>") +
           joint("j", "continuous", "base", "arm");
  };
  const std::string off = " ixy='0' ixz='0' iyz='0'";
  const std::string negative = with("1", "ixx='0.1' iyy='0.1' izz='-0.1'" + off);
  EXPECT_REFUSED(load(negative), "URDF string:4: <inertial>: link 'arm'");
  EXPECT_REFUSED(load(negative), "none may be negative");
  const std::string triangle = with("1", "ixx='0.1' iyy='0.1' izz='0.3'" + off);
  EXPECT_REFUSED(load(triangle), "no mass distribution");
  EXPECT_REFUSED(load(with("1", "ixx='0' iyy='0' izz='0'" + off)), "all must be positive");
  EXPECT_REFUSED(load(with("-1", "ixx='1' iyy='1' izz='1'" + off)), "<mass value=\"-1\">: link 'arm'");
  EXPECT_REFUSED(load(with("0", "ixx='1' iyy='1' izz='1'" + off)), "mass");
  EXPECT_REFUSED(load(with("nan", "ixx='1' iyy='1' izz='1'" + off)), "<mass value=\"nan\">");
  EXPECT_REFUSED(load(with("1", "ixx='1' iyy='1' izz='1' ixy='1e400'")), "ixy=\"1e400\"");
  // What is not finite is refused also where it might be repaired, and where it becomes so in a sum.
  EXPECT_REFUSED(load(with("1", "ixx='nan' iyy='1' izz='1'" + off), {.repair_inertia = true}), "ixx=\"nan\"");
  EXPECT_REFUSED(load(with("1", "ixx='1' iyy='-inf' izz='1'" + off), {.repair_inertia = true}), "iyy=\"-inf\"");
  const std::string heavy =
      "<inertial><mass value='1e308'/><inertia ixx='1e308' iyy='1e308' izz='1e308'" + off + "/></inertial>";
  const std::string sum = link("base") + link("arm", heavy) + joint("j", "continuous", "base", "arm") +
                          link("load", heavy) + joint("k", "fixed", "arm", "load");
  EXPECT_REFUSED(load(sum), "link 'arm', with all that is fixed to it: mass is inf");
  EXPECT_REFUSED(load(sum, {.repair_inertia = true}), "mass is inf");
  for (const std::string& text : {negative, triangle, with("1", "ixx='0' iyy='0' izz='0'" + off)}) {
    const LoadedModel repaired = load(text, {.repair_inertia = true});
    EXPECT_TRUE(is_told(repaired, "inertial of link 'arm'", "repaired")) << all_of(repaired);
    EXPECT_EQ(1.0, repaired.model->bodies[0].mass);
  }
  EXPECT_NEAR(0.3, principal_moments(load(triangle, {.repair_inertia = true}).model->bodies[0].inertia).maxCoeff(),
              1e-15);
  // Parts that are impossible by themselves do no harm where they are a part of something sound.
  EXPECT_EQ(1, load(link("base") + link("arm") +
                    link("camera",
                         "<inertial><mass value='0.1'/><inertia ixx='0' iyy='0' "
                         "izz='1e-6' ixy='0' ixz='0' iyz='0'/></inertial>") +
                    joint("j", "continuous", "base", "arm") + joint("f", "fixed", "arm", "camera"))
                   .model->num_velocities());
}

TEST(Urdf, LimitsThatSayNothing) {
  const LoadedModel loaded = load(link("base") + link("a") + link("b") + joint("j", "revolute", "base", "a") +
                                  joint("k", "revolute", "a", "b",
                                        "<limit lower='-1' upper='1' effort='0' velocity='0'/>"
                                        "<safety_controller k_velocity='1' soft_lower_limit='-0.5'/>"));
  EXPECT_EQ(-no_limit, loaded.model->dofs[0].lower);
  EXPECT_EQ(no_limit, loaded.model->dofs[1].effort_limit);
  EXPECT_EQ(-1.0, loaded.model->dofs[1].lower);
  EXPECT_TRUE(is_told(loaded, "joint 'j'", "moves freely"));
  EXPECT_TRUE(is_told(loaded, "effort of joint 'k'", "no limit"));
  EXPECT_TRUE(is_told(loaded, "<safety_controller> in <joint> 'k'", "<limit> holds"));
}

TEST(Urdf, BrokenTreesAreRefused) {
  const std::string two = link("a") + link("b");
  EXPECT_REFUSED(load(""), "there is no <link>");
  EXPECT_REFUSED(load("<xacro:macro name='x'/>"), "xacro");
  EXPECT_REFUSED(load(two), "2 links have no parent: 'a', 'b'");
  EXPECT_REFUSED(load(two + link("a")),
                 "URDF string:4: <link name=\"a\">: there is a link of that name already, in line 2");
  EXPECT_REFUSED(load(two + joint("j", "fixed", "a", "c")), "URDF string:4: <child link=\"c\">: there is no link");
  EXPECT_REFUSED(load(two + joint("j", "screw", "a", "b")), "<joint type=\"screw\">");
  EXPECT_REFUSED(load(two + joint("j", "fixed", "a", "a")), "same link");
  EXPECT_REFUSED(load(two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "a", "b")),
                 "child of joint 'j' already, in line 4");
  EXPECT_REFUSED(load(two + link("c") + joint("j", "fixed", "a", "b") + joint("j", "fixed", "b", "c")),
                 "joint of that name");
  EXPECT_REFUSED(load(two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")), "circle: ");
  EXPECT_REFUSED(load(two + link("c") + joint("j", "fixed", "b", "c") + joint("k", "fixed", "c", "b")),
                 "hang on each other in a circle: 'c' on 'b' on 'c'");
  EXPECT_REFUSED(load(two + "<joint name='j' type='fixed'><parent link='a'/></joint>"), "<child>: it is missing");
  EXPECT_REFUSED(load("<link/>"), "attribute name: it is missing");
  EXPECT_REFUSED(load(two + joint("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>")), "no direction");
  EXPECT_REFUSED(load(two + joint("j", "revolute", "a", "b", "<limit lower='1' upper='-1' effort='1' velocity='1'/>")),
                 "<limit upper=\"-1\">: lower must not be above upper");
  EXPECT_REFUSED(load(two + joint("j", "continuous", "a", "b", "<dynamics damping='-1'/>")), "damping=\"-1\"");
  EXPECT_REFUSED(load(two + link("c") + joint("j", "continuous", "a", "b", "<mimic joint='k'/>") +
                      joint("k", "continuous", "a", "c", "<mimic joint='j'/>")),
                 "mimic each other");
  EXPECT_REFUSED(load(two + joint("j", "continuous", "a", "b", "<mimic joint='j'/>")), "mimic each other");
  EXPECT_REFUSED(load(link("a", "<inertial><mass value='1'/></inertial>")), "<inertia>: it is missing");
  EXPECT_REFUSED(load(link("a", "<collision/>")), "<geometry>: it is missing");
  EXPECT_REFUSED(load(link("a", "<collision><geometry/></collision>")), "there are 0");
  EXPECT_REFUSED(load(link("a", "<collision><geometry><cone/></geometry></collision>")), "no known geometry");
  EXPECT_REFUSED(load(link("a", "<collision><geometry><sphere radius='-1'/></geometry></collision>")), "radius=\"-1\"");
  EXPECT_REFUSED(load_urdf_string("<sdf/>"), "the root element of a URDF file is <robot>");
  EXPECT_REFUSED(load_urdf("/nowhere/x.urdf"), "/nowhere/x.urdf: there is no such file");
}

// Folders for meshes and paths, removed at the end.
class UrdfFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/stiction_urdf_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/robots/arm/meshes");
    std::filesystem::create_directories(folder_ + "/robots/arm/urdf");
    write("/robots/arm/meshes/wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name, std::ios::binary) << text;
  }
  LoadedModel load_mesh(const std::string& uri, const LoadOptions& options = {}, const std::string& more = "") const {
    write("/robots/arm/urdf/arm.urdf", robot(link("base", inertial(1.0) + "<collision><geometry><mesh filename='" +
                                                              uri + "' " + more + "/></geometry></collision>")));
    return load_urdf(folder_ + "/robots/arm/urdf/arm.urdf", options);
  }
  std::string folder_;
};

TEST_F(UrdfFiles, MeshesByAllKindsOfNames) {
  const std::string absolute = folder_ + "/robots/arm/meshes/wedge.obj";
  for (const std::string& uri : {std::string("../meshes/wedge.obj"), std::string("package://arm/meshes/wedge.obj"),
                                 std::string("package:///arm/meshes/wedge.obj"),
                                 std::string("model://arm/meshes/wedge.obj"), absolute, "file://" + absolute}) {
    const LoadedModel loaded = load_mesh(uri, {.base = BaseKind::floating}, "scale='2 2 -2'");
    const auto& hull = *std::get<std::shared_ptr<const ConvexHull>>(loaded.model->shapes.at(0).geometry);
    EXPECT_NEAR(8.0 / 6.0, hull.volume(), 1e-12) << uri;
    EXPECT_EQ(-2.0, hull.lower().z());
    EXPECT_TRUE(loaded.ignored.empty()) << all_of(loaded);
  }
  EXPECT_REFUSED(load_mesh("package://leg/x.stl"),
                 "<mesh filename=\"package://leg/x.stl\">: 'package://leg/x.stl' was not found");
  EXPECT_REFUSED(load_mesh("http://a/b.stl"), "not fetched");
  EXPECT_REFUSED(load_mesh("../meshes/wedge.obj", {}, "scale='1 1 0'"), "scale");
  write("/robots/arm/meshes/wedge.obj", "v 0 0 0\nf 1 2 3\n");
  EXPECT_REFUSED(load_mesh("../meshes/wedge.obj"), "wedge.obj:2: a face names vertex 2");
}

TEST_F(UrdfFiles, SandboxKeepsTheReaderInside) {
  EXPECT_REFUSED(load_mesh("../meshes/wedge.obj", {.sandbox = true}), "outside");
  EXPECT_REFUSED(load_mesh(folder_ + "/robots/arm/meshes/wedge.obj", {.sandbox = true}), "outside");
  EXPECT_NO_THROW(load_mesh("../meshes/wedge.obj", {.package_roots = {folder_ + "/robots/arm"}, .sandbox = true}));
  std::filesystem::create_symlink("../meshes/wedge.obj", folder_ + "/robots/arm/urdf/inside.obj");
  EXPECT_REFUSED(load_mesh("inside.obj", {.sandbox = true}), "outside");
  EXPECT_REFUSED(load_mesh("x.obj", {.package_roots = {folder_ + "/none"}}), "is no folder");
}

TEST_F(UrdfFiles, SurfacesOfTheWorldMayStaySurfaces) {
  const LoadedModel terrain = load_mesh("../meshes/wedge.obj", {.meshes_as_terrain = true});
  EXPECT_EQ(ShapeKind::triangle_mesh, terrain.model->shapes.at(0).kind());
  const LoadedModel moving = load_mesh("../meshes/wedge.obj", {.base = BaseKind::floating, .meshes_as_terrain = true});
  EXPECT_EQ(ShapeKind::convex_hull, moving.model->shapes.at(0).kind());
}

TEST_F(UrdfFiles, MeshesThatAreNotConvexAreTold) {
  // Two wedges apart.
  write("/robots/arm/meshes/wedge.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
        "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 6 7 8\nf 5 8 7\n");
  const LoadedModel loaded = load_mesh("../meshes/wedge.obj", {.base = BaseKind::floating});
  EXPECT_TRUE(is_told(loaded, "<mesh> in <link> 'base'", "not convex")) << all_of(loaded);
  write("/robots/arm/meshes/wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const LoadedModel flat = load_mesh("../meshes/wedge.obj", {.base = BaseKind::floating});
  EXPECT_TRUE(flat.model->shapes.empty());
  EXPECT_TRUE(is_told(flat, "<mesh>", "no convex hull")) << all_of(flat);
}

}  // namespace
}  // namespace stiction
