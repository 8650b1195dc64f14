#include "stiction/io/sdf/sdf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/model/geometry/convex_hull.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

const std::string mass = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

std::string link(const std::string& name, const std::string& pose, const std::string& more = "") {
  return "<link name='" + name + "'><pose>" + pose + "</pose>" + mass + more + "</link>";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child + "</child>" +
         more + "</joint>";
}

std::string axis(const std::string& xyz, const std::string& more = "") {
  return "<axis><xyz>" + xyz + "</xyz>" + more + "</axis>";
}

std::string model(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'><model name='m'>" + inside + "</model></sdf>";
}

// Where a frame is at the initial position, with some joints moved.
Pose pose_of(const Model& m, const std::string& frame, const std::vector<std::pair<std::string, double>>& moved = {}) {
  VectorX q = m.initial_position;
  for (const auto& [name, value] : moved) q[m.joints[m.find_joint(name)].first_position] += value;
  DynamicsData data(m);
  update_kinematics(m, q.data(), m.initial_velocity.data(), data);
  return frame_pose(m, data, m.find_frame(frame));
}

void expect_position(const Vector3& expected, const Pose& pose) {
  EXPECT_NEAR((pose.position - expected).norm(), 0.0, 1e-12) << pose.position.transpose();
}

bool tells(const LoadedModel& loaded, const std::string& element, const std::string& reason, int line = -1) {
  return std::any_of(loaded.ignored.begin(), loaded.ignored.end(), [&](const IgnoredElement& i) {
    return i.element.find(element) != std::string::npos && i.reason.find(reason) != std::string::npos &&
           (line < 0 || i.line == line);
  });
}

std::string all_of(const LoadedModel& loaded) {
  std::string text;
  for (const IgnoredElement& i : loaded.ignored) {
    text += i.file + ":" + std::to_string(i.line) + ": " + i.element + ": " + i.reason + "\n";
  }
  return text;
}

TEST(Sdf, LinksStandWhereTheirPosesSay) {
  const LoadedModel loaded = load_sdf_string(
      model("<pose>0 0 1 0 0 1.5707963267948966</pose>" + link("a", "1 0 0 0 0 0") +
            "<link name='b'><pose relative_to='a'>0 1 0 0 0 1.5707963267948966</pose>" + mass + "</link>" +
            "<frame name='f' attached_to='b'><pose>1 0 0 0 0 0</pose></frame>"
            "<frame name='g' attached_to='b'><pose relative_to='a'>0 0 5 0 0 0</pose></frame>"
            "<link name='c'><pose relative_to='f' degrees='true'>0 0 1 0 0 90</pose>" +
            mass +
            "</link>"
            "<link name='d'><pose rotation_format='quat_xyzw'>0 0 0 0 0 1 1</pose>" +
            mass + "</link>"),
      {.pose = Pose(Vector3(10, 0, 0)), .prefix = "r_"});
  const Model& m = *loaded.model;
  // The model is turned by 90° about z and stands at (10, 0, 1): its (x, y) is (−y, x) of the world.
  expect_position({10, 1, 1}, pose_of(m, "r_a"));
  expect_position({9, 1, 1}, pose_of(m, "r_b"));
  expect_position({8, 1, 1}, pose_of(m, "r_f"));  // b is turned by 180° in the world
  expect_position({10, 1, 6}, pose_of(m, "r_g"));
  expect_position({8, 1, 2}, pose_of(m, "r_c"));
  EXPECT_NEAR(pose_of(m, "r_d").rotation(0, 0), -1.0, 1e-12);
  EXPECT_NEAR(pose_of(m, "r_c").rotation(1, 0), -1.0, 1e-12);
  EXPECT_EQ(4u, m.trees.size());  // nothing joins them
  EXPECT_TRUE(loaded.ignored.empty()) << all_of(loaded);
  // g is carried by b although it is given in a.
  EXPECT_EQ(m.frames[m.find_frame("r_g")].body, m.frames[m.find_frame("r_b")].body);
}

TEST(Sdf, InertialPosesTurnTheInertia) {
  const LoadedModel loaded = load_sdf_string(
      model("<link name='a'><inertial><pose>1 2 3 0 0 1.5707963267948966</pose><mass>2</mass>"
            "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia></inertial></link>"));
  const Body& body = loaded.model->bodies[0];
  EXPECT_EQ(2.0, body.mass);
  EXPECT_NEAR((body.com - Vector3(1, 2, 3)).norm(), 0.0, 1e-15);
  Matrix3 expected;
  expected << 2, -0.1, 0, -0.1, 1, 0, 0, 0, 2.5;
  EXPECT_NEAR((body.inertia - expected).norm(), 0.0, 1e-14);
}

TEST(Sdf, JointsTurnAboutTheirOwnFrame) {
  const std::string two =
      link("a", "0 0 0 0 0 0") + link("b", "1 0 0 0 0 1.5707963267948966") + joint("w", "fixed", "world", "a");
  // The joint stands at (1, 2, 0) of the model: (2, 0, 0) in b, which is turned by 90°.
  const LoadedModel turning =
      load_sdf_string(model(two + joint("j", "revolute", "a", "b", "<pose>2 0 0 0 0 0</pose>" + axis("0 0 2"))));
  expect_position({3, 2, 0}, pose_of(*turning.model, "b", {{"j", 1.5707963267948966}}));
  EXPECT_EQ(1, turning.model->num_velocities());
  // x of the joint's frame is y of the world, x of the model is x.
  const LoadedModel sliding = load_sdf_string(model(two + joint("j", "prismatic", "a", "b", axis("1 0 0"))));
  expect_position({1, 0.5, 0}, pose_of(*sliding.model, "b", {{"j", 0.5}}));
  const LoadedModel expressed = load_sdf_string(
      model(two + joint("j", "prismatic", "a", "b", "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>")));
  expect_position({1.5, 0, 0}, pose_of(*expressed.model, "b", {{"j", 0.5}}));
  const LoadedModel old = load_sdf_string(model(two + joint("j", "prismatic", "a", "b", axis("1 0 0")), "1.4"));
  expect_position({1.5, 0, 0}, pose_of(*old.model, "b", {{"j", 0.5}}));
  const LoadedModel less_old = load_sdf_string(model(
      two + joint("j", "prismatic", "a", "b", axis("1 0 0", "<use_parent_model_frame>1</use_parent_model_frame>")),
      "1.6"));
  expect_position({1.5, 0, 0}, pose_of(*less_old.model, "b", {{"j", 0.5}}));
}

// The link that the file calls parent hangs on the one that it calls child; positions mean the same.
TEST(Sdf, JointsAreRunThroughBackwards) {
  const std::string links = link("a", "0 0 0 0 0 0") + link("b", "1 0 0 0 0 0") + joint("w", "fixed", "world", "a");
  const LoadedModel loaded = load_sdf_string(model(
      links + joint("j", "revolute", "b", "a",
                    "<pose>1 0 0 0 0 0</pose>" + axis("0 0 1", "<limit><lower>-1</lower><upper>2</upper></limit>"))));
  const Model& m = *loaded.model;
  const Dof& dof = m.dofs[0];
  EXPECT_EQ(-1.0, dof.lower);
  EXPECT_EQ(2.0, dof.upper);
  // a turns by q relative to b, so b turns by −q relative to a.
  EXPECT_NEAR(pose_of(m, "b", {{"j", 0.3}}).rotation(1, 0), std::sin(-0.3), 1e-14);
  const std::string axes = axis("1 0 0") + "<axis2><xyz>0 1 0</xyz></axis2>";
  const LoadedModel forward = load_sdf_string(model(links + joint("j", "universal", "a", "b", axes)));
  const LoadedModel backward =
      load_sdf_string(model(links + joint("j", "universal", "b", "a", "<pose relative_to='b'/>" + axes)));
  const Pose there = pose_of(*forward.model, "b", {{"j/axis", 0.4}, {"j/axis2", -0.7}});
  const Pose back = pose_of(*backward.model, "b", {{"j/axis", 0.4}, {"j/axis2", -0.7}});
  EXPECT_NEAR((there.rotation * back.rotation - Matrix3::Identity()).norm(), 0.0, 1e-14);
  const Matrix3 expected =
      (Eigen::AngleAxisd(0.4, Vector3::UnitX()) * Eigen::AngleAxisd(-0.7, Vector3::UnitY())).toRotationMatrix();
  EXPECT_NEAR((there.rotation - expected).norm(), 0.0, 1e-14);
}

TEST(Sdf, WhatAJointSays) {
  const LoadedModel loaded = load_sdf_string(
      model(link("a", "0 0 0 0 0 0") + link("b", "1 0 0 0 0 0") + link("c", "2 0 0 0 0 0") +
            joint("j", "revolute", "a", "b",
                  axis("0 0 1",
                       "<limit><lower>-1e16</lower><upper>2</upper><effort>7</effort><velocity>3</"
                       "velocity><stiffness>1e8</stiffness></limit>"
                       "<dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>5</spring_stiffness>"
                       "<spring_reference>0.3</spring_reference></dynamics>")) +
            joint("k", "ball", "b", "c")));
  const Model& m = *loaded.model;
  const Dof& dof = m.dofs[m.joints[m.find_joint("j")].first_velocity];
  EXPECT_EQ(-no_limit, dof.lower);
  EXPECT_EQ(2.0, dof.upper);
  EXPECT_EQ(7.0, dof.effort_limit);
  EXPECT_EQ(3.0, dof.velocity_limit);
  EXPECT_EQ(0.1, dof.damping);
  EXPECT_EQ(0.2, dof.dry_friction);
  EXPECT_EQ(5.0, dof.stiffness);
  EXPECT_EQ(0.3, dof.rest_position);
  EXPECT_EQ("ball", m.joints[m.find_joint("k")].kind);
  EXPECT_EQ("free", m.joints[0].kind);
  ASSERT_EQ(1u, m.actuators.size());
  EXPECT_EQ(7.0, m.actuators[0].force_upper);
  EXPECT_TRUE(tells(loaded, "<stiffness>", "rigid")) << all_of(loaded);
  EXPECT_EQ(1u, loaded.ignored.size()) << all_of(loaded);
}

// A square of four links: the fourth joint closes it, whatever its kind, and the ball is what is cut.
TEST(Sdf, JointsThatCloseLoops) {
  const std::string links = link("a", "0 0 0 0 0 0") + link("b", "1 0 0 0 0 0") + link("c", "1 1 0 0 0 0") +
                            link("d", "0 1 0 0 0 0") + joint("w", "fixed", "world", "a");
  const auto square = [&](const std::string& first, const std::string& last) {
    return load_sdf_string(
        model(links + joint("ab", first, "a", "b", axis("0 0 1")) + joint("bc", "revolute", "b", "c", axis("0 0 1")) +
              joint("cd", "revolute", "c", "d", axis("0 0 1")) + joint("ad", last, "a", "d", axis("0 0 1"))));
  };
  const auto loop_of = [](const LoadedModel& loaded) { return loaded.model->loops.at(0); };
  EXPECT_EQ(LoopKind::hinge, loop_of(square("revolute", "revolute")).kind);
  EXPECT_EQ("ad", loop_of(square("revolute", "revolute")).name);
  EXPECT_EQ(LoopKind::point, loop_of(square("revolute", "ball")).kind);
  EXPECT_EQ("ab", loop_of(square("ball", "revolute")).name);
  EXPECT_EQ("cd", loop_of(square("revolute", "prismatic")).name);  // the last revolute one is cut
  EXPECT_EQ("cd", loop_of(square("revolute", "fixed")).name);
  for (const char* last : {"revolute", "ball"}) {
    const LoadedModel loaded = square("revolute", last);
    const Loop loop = loop_of(loaded);
    DynamicsData data(*loaded.model);
    update_kinematics(*loaded.model, loaded.model->initial_position.data(), loaded.model->initial_velocity.data(),
                      data);
    const Pose on_b = body_pose(data, loop.body_b) * loop.pose_b;
    expect_position({0, 1, 0}, on_b);
    EXPECT_EQ(-1, loop.body_a);  // a is fixed to the world
    expect_position({0, 1, 0}, loop.pose_a);
  }
  // Two rigid joints between the same links, and a hinge between what is rigidly joined.
  const LoadedModel twice =
      load_sdf_string(model(link("a", "0 0 0 0 0 0") + link("b", "1 0 0 0 0 0") + joint("f", "fixed", "a", "b") +
                            joint("g", "fixed", "b", "a") + joint("h", "revolute", "a", "b", axis("0 0 1"))));
  EXPECT_TRUE(twice.model->loops.empty());
  EXPECT_TRUE(tells(twice, "<joint> 'h', 'g'", "rigidly joined already") ||
              tells(twice, "<joint> 'g', 'h'", "rigidly joined already"))
      << all_of(twice);
  EXPECT_REFUSED(load_sdf_string(model(links + joint("s", "prismatic", "b", "c", axis("1 0 0")) +
                                       joint("t", "prismatic", "b", "c", axis("0 1 0")))),
                 "closes a loop");
}

TEST(Sdf, MimicsAndGearboxes) {
  const std::string three = link("a", "0 0 0 0 0 0") + link("b", "1 0 0 0 0 0") + link("c", "2 0 0 0 0 0") +
                            joint("w", "fixed", "world", "a");
  const LoadedModel mimic = load_sdf_string(model(
      three + joint("j", "revolute", "a", "b", axis("0 0 1")) +
          joint(
              "k", "revolute", "a", "c",
              axis(
                  "0 0 1",
                  "<mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>")),
      "1.11"));
  ASSERT_EQ(1u, mimic.model->loops.size());
  EXPECT_NEAR(mimic.model->loops[0].coefficients[0], 0.3, 1e-15);  // 2 (q − 0.1) + 0.5
  EXPECT_EQ(2.0, mimic.model->loops[0].coefficients[1]);
  EXPECT_EQ(1u, mimic.model->actuators.size());
  // Its start violates q_k = 0.3 at q_j = 0.
  EXPECT_TRUE(tells(mimic, "initial position", "nearest")) << all_of(mimic);
  // b turns with the axis of the gearbox, c against it: θ_c = −3 θ_b, so q_c = +3 q_b.
  const LoadedModel gears = load_sdf_string(
      model(three + joint("j", "revolute", "a", "b", axis("0 0 1")) + joint("k", "revolute", "a", "c", axis("0 0 -1")) +
            joint("g", "gearbox", "b", "c",
                  "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>" + axis("0 0 1") +
                      "<axis2><xyz>0 0 1</xyz></axis2>")));
  ASSERT_EQ(1u, gears.model->loops.size()) << all_of(gears);
  EXPECT_EQ(LoopKind::joint_equality, gears.model->loops[0].kind);
  EXPECT_EQ(3.0, gears.model->loops[0].coefficients[1]);
  EXPECT_EQ(gears.model->loops[0].dof_a, gears.model->joints[gears.model->find_joint("k")].first_velocity);
}

std::string collision(const std::string& name, const std::string& geometry, const std::string& more = "") {
  return "<collision name='" + name + "'><geometry>" + geometry + "</geometry>" + more + "</collision>";
}

TEST(Sdf, ShapesOfEveryKindAndTheirSurface) {
  const LoadedModel loaded = load_sdf_string(model(link(
      "a", "0 0 1 0 0 0",
      collision("box", "<box><size>1 2 3</size></box>", "<pose>0 0 1 0 0 0</pose>") +
          collision("sphere", "<sphere><radius>0.5</radius></sphere>",
                    "<surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction>"
                    "<bounce><restitution_coefficient>0.7</restitution_coefficient></bounce>"
                    "<contact><collide_bitmask>0x06</collide_bitmask></contact></surface>") +
          collision(
              "cylinder", "<cylinder><radius>0.5</radius><length>2</length></cylinder>",
              "<surface><friction><ode><mu>0.3</mu><mu2>0.2</mu2><fdir1>1 0 0</fdir1></ode></friction></surface>") +
          collision("capsule", "<capsule><radius>0.5</radius><length>2</length></capsule>",
                    "<surface><friction><ode><mu>0.3</mu><mu2>0.2</mu2></ode></friction></surface>") +
          collision("ellipsoid", "<ellipsoid><radii>1 2 3</radii></ellipsoid>") +
          collision("plane", "<plane><normal>0 0 1</normal></plane>") + collision("empty", "<empty/>") +
          collision("map", "<heightmap><uri>x.png</uri></heightmap>"))));
  const Model& m = *loaded.model;
  const auto shape = [&](const std::string& name) -> const Shape& { return m.shapes[m.find_shape("a/" + name)]; };
  EXPECT_EQ(5u, m.shapes.size());
  EXPECT_EQ(Vector3(0.5, 1, 1.5), std::get<Box>(shape("box").geometry).half_size);
  EXPECT_EQ(Vector3(0, 0, 1), shape("box").pose.position);
  EXPECT_EQ(1.0, shape("box").material.friction);
  EXPECT_EQ(0.5, std::get<Sphere>(shape("sphere").geometry).radius);
  EXPECT_EQ(0.3, shape("sphere").material.friction);
  EXPECT_FALSE(shape("sphere").material.is_anisotropic());
  EXPECT_EQ(0.7, shape("sphere").material.restitution);
  EXPECT_EQ(6u, shape("sphere").group);
  EXPECT_EQ(1.0, std::get<Cylinder>(shape("cylinder").geometry).half_length);
  EXPECT_EQ(0.2, shape("cylinder").material.friction_2);
  EXPECT_EQ(1.0, std::get<Capsule>(shape("capsule").geometry).half_length);
  EXPECT_EQ(0.2, shape("capsule").material.friction);
  EXPECT_EQ(Vector3(1, 2, 3), std::get<Ellipsoid>(shape("ellipsoid").geometry).radii);
  EXPECT_EQ(FrictionRule::minimum, m.friction_rule);
  EXPECT_TRUE(tells(loaded, "<plane>", "moves")) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "<heightmap>", "no collision shape"));
  EXPECT_TRUE(tells(loaded, "<mu2>", "smaller"));
}

TEST(Sdf, InertiaIsComputedWhereAutoAsks) {
  const LoadedModel loaded = load_sdf_string(
      model("<link name='a'><inertial auto='true'><density>500</density></inertial>" +
            collision("box", "<box><size>1 1 1</size></box>") +
            collision("heavy", "<box><size>1 1 1</size></box>", "<pose>1 0 0 0 0 0</pose><density>1500</density>") +
            "</link>"));
  EXPECT_NEAR(loaded.model->bodies[0].mass, 2000.0, 1e-9);
  EXPECT_NEAR(loaded.model->bodies[0].com.x(), 0.75, 1e-12);
}

class SdfFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("sdf-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

const char* const cube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

TEST_F(SdfFiles, AWorldWithIncludedModels) {
  write("models/arm/model.config",
        "<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.10'>new.sdf</sdf><sdf "
        "version='1.9'>no.sdf</sdf></model>");
  write("models/arm/meshes/cube.obj", cube);
  write("models/arm/new.sdf",
        model(link("a", "0 0 1 0 0 0", collision("c", "<mesh><uri>meshes/cube.obj</uri><scale>2 2 2</scale></mesh>")) +
                  link("b", "0 0 2 0 0 0") + joint("j", "revolute", "a", "b", axis("1 0 0")),
              "1.10"));
  const std::string world =
      write("w.world",
            "<sdf version='1.8'><world name='w'><gravity>0 0 -1.62</gravity><physics "
            "type='ode'><max_step_size>0.002</max_step_size>"
            "<real_time_factor>1</real_time_factor></physics><light name='sun'/>"
            "<model name='ground'><static>1</static><link name='l'><collision name='c'><geometry><plane><normal>0 0 "
            "1</normal></plane></geometry></collision></link></model>"
            "<include><uri>model://models/arm</uri><name>first</name><pose>1 0 0 0 0 0</pose></include>"
            "<include><uri>models/arm</uri><name>second</name><static>true</static></include>"
            "<include><uri>models/arm/new.sdf</uri><name>third</name><pose>0 0 5 0 0 "
            "0</pose><placement_frame>b</placement_frame></include>"
            "<frame name='mark' attached_to='first::b'/></world></sdf>");
  const LoadedModel loaded = load_sdf(world, {.meshes_as_terrain = true});
  const Model& m = *loaded.model;
  EXPECT_EQ(Vector3(0, 0, -1.62), m.gravity);
  EXPECT_EQ(0.002, m.suggested_time_step);
  expect_position({1, 0, 2}, pose_of(m, "first::b"));
  expect_position({1, 0, 2}, pose_of(m, "mark"));
  expect_position({0, 0, 5}, pose_of(m, "third::b"));  // b is placed, not the model
  expect_position({0, 0, 4}, pose_of(m, "third::a"));
  EXPECT_EQ(14, m.num_velocities());  // two free arms; the second stands still
  EXPECT_EQ(-1, m.frames[m.find_frame("second::b")].body);
  EXPECT_EQ(ShapeKind::plane, m.shapes[m.find_shape("ground::l/c")].kind());
  EXPECT_EQ(ShapeKind::triangle_mesh, m.shapes[m.find_shape("second::a/c")].kind());
  const Shape& hull = m.shapes[m.find_shape("first::a/c")];
  ASSERT_EQ(ShapeKind::convex_hull, hull.kind());
  EXPECT_EQ(8, std::get<std::shared_ptr<const ConvexHull>>(hull.geometry)->num_vertices());
  EXPECT_TRUE(tells(loaded, "<light> 'sun'", "only to be seen", 1)) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "<real_time_factor>", "settings of Gazebo"));
}

TEST_F(SdfFiles, IncludesThatCannotBe) {
  const auto including = [](const std::string& uri) { return model("<include><uri>" + uri + "</uri></include>"); };
  EXPECT_REFUSED(load_sdf(write("self.sdf", including("self.sdf"))), "includes itself");
  write("b.sdf", including("a.sdf"));
  EXPECT_REFUSED(load_sdf(write("a.sdf", including("b.sdf"))), "includes itself");
  EXPECT_REFUSED(load_sdf(write("none.sdf", including("model://nowhere"))), "none.sdf:1: <uri>");
  EXPECT_REFUSED(load_sdf(write("http.sdf", including("https://fuel.gazebosim.org/x"))), "https");
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_REFUSED(load_sdf(write("e.sdf", including("empty"))), "neither model.config nor model.sdf");
  for (int k = 0; k < 20; ++k) write("d" + std::to_string(k) + ".sdf", including("d" + std::to_string(k + 1) + ".sdf"));
  EXPECT_REFUSED(load_sdf((folder_ / "d0.sdf").string()), "more than 16 deep");
  write("two.sdf", "<sdf version='1.9'><model name='a'>" + link("l", "0 0 0 0 0 0") + "</model><model name='b'>" +
                       link("l", "0 0 0 0 0 0") + "</model></sdf>");
  EXPECT_REFUSED(load_sdf(write("i.sdf", including("two.sdf"))), "one <model> is wanted");
  EXPECT_REFUSED(
      load_sdf(write("mesh.sdf", model(link("a", "0 0 0 0 0 0", collision("c", "<mesh><uri>no.obj</uri></mesh>"))))),
      "mesh.sdf:1: <uri>");
  write("secret.sdf", model(link("l", "0 0 0 0 0 0")));
  EXPECT_REFUSED(load_sdf(write("box/s.sdf", including("../secret.sdf")), {.sandbox = true}), "s.sdf:1: <uri>");
  EXPECT_NO_THROW(load_sdf((folder_ / "box/s.sdf").string()));
}

TEST(Sdf, NestedModelsHaveNamesOfTheirOwn) {
  const LoadedModel loaded = load_sdf_string(
      model(link("a", "0 0 0 0 0 0") + "<model name='arm'><pose relative_to='a'>1 0 0 0 0 0</pose>" +
            link("a", "0 1 0 0 0 0") + "<model name='hand'>" + link("palm", "0 0 1 0 0 0") + "</model></model>" +
            joint("j", "fixed", "a", "arm::a") + joint("k", "revolute", "arm::a", "arm::hand::palm", axis("0 0 1")) +
            "<frame name='f' attached_to='arm'/>"));
  const Model& m = *loaded.model;
  expect_position({1, 1, 0}, pose_of(m, "arm::a"));
  expect_position({1, 0, 1}, pose_of(m, "arm::hand::palm"));
  expect_position({1, 0, 0}, pose_of(m, "f"));
  EXPECT_EQ(7, m.num_velocities());
  EXPECT_NO_THROW(m.find_joint("k"));
}

TEST(Sdf, WhoMayMeetWhom) {
  const std::string ball = collision("c", "<sphere><radius>0.1</radius></sphere>");
  const auto three = [&](const std::string& more) {
    return load_sdf_string(model(more + link("a", "0 0 0 0 0 0", ball) + link("b", "1 0 0 0 0 0", ball) +
                                 link("c", "2 0 0 0 0 0", ball) + joint("j", "revolute", "a", "b", axis("0 0 1")) +
                                 joint("k", "revolute", "b", "c", axis("0 0 1"))));
  };
  const auto meet = [](const LoadedModel& l, const std::string& x, const std::string& y) {
    return l.model->may_collide(l.model->find_shape(x + "/c"), l.model->find_shape(y + "/c"));
  };
  EXPECT_FALSE(meet(three(""), "a", "c"));
  EXPECT_TRUE(meet(three("<self_collide>1</self_collide>"), "a", "c"));
  EXPECT_FALSE(meet(three("<self_collide>1</self_collide>"), "a", "b"));
}

TEST(Sdf, Bases) {
  const std::string text =
      model(link("a", "0 0 1 0 0 0") + link("b", "0 0 2 0 0 0") + joint("j", "revolute", "a", "b", axis("0 0 1")));
  EXPECT_EQ(7, load_sdf_string(text).model->num_velocities());
  EXPECT_EQ(1, load_sdf_string(text, {.base = BaseKind::fixed}).model->num_velocities());
  const std::string held = model(link("a", "0 0 1 0 0 0") + joint("w", "fixed", "world", "a") +
                                 link("b", "0 0 2 0 0 0") + joint("j", "revolute", "a", "b", axis("0 0 1")));
  EXPECT_EQ(1, load_sdf_string(held).model->num_velocities());
  EXPECT_EQ(7, load_sdf_string(held, {.base = BaseKind::floating}).model->num_velocities());
}

TEST(Sdf, NothingIsDroppedWithoutAWord) {
  const LoadedModel loaded = load_sdf_string(
      "<sdf version='1.9'>\n<model name='m'>\n<link name='a'>\n<gravity>false</gravity>\n<visual name='v'/>\n<sensor "
      "name='eye' type='camera'/>\n"
      "<strange>1</strange>\n" +
      mass + "</link>\n<plugin name='p' filename='x'/>\n<link name='b'/></model></sdf>");
  EXPECT_TRUE(tells(loaded, "<gravity>", "acts on every body", 4)) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "<visual> 'v'", "seen", 5));
  EXPECT_TRUE(tells(loaded, "<sensor> 'eye'", "no sensor here", 6));
  EXPECT_TRUE(tells(loaded, "<strange>", "not known", 7));
  EXPECT_TRUE(tells(loaded, "<plugin> 'p'", "Gazebo", 9));
  EXPECT_TRUE(tells(loaded, "link 'b'", "1 kg", 10));
}

}  // namespace
}  // namespace stiction
