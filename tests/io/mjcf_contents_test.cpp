// What an MJCF file contains besides its mechanics: shapes, filters, materials, loops, actuators; what is told and
// refused.
#ifdef STICTION_MUJOCO

#include "tests/io/mjcf_oracle.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

using namespace testing;

TEST(Mjcf, ShapesOfEveryKind) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco>
    <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1  0.1 0.1 0.1"/></asset>
    <worldbody><geom name="plane" type="plane" size="1 1 1" pos="0 0 -1" rgba="0.1 0.2 0.3 0.4"/>
      <body name="b" pos="0 0 2"><freejoint/>
        <geom name="sphere" type="sphere" size="0.1"/><geom name="capsule" type="capsule" size="0.1 0.2"/>
        <geom name="cylinder" type="cylinder" size="0.1 0.3"/><geom name="ellipsoid" type="ellipsoid" size="0.1 0.2 0.3"/>
        <geom name="box" type="box" size="0.1 0.2 0.3" friction="0.3 0.1 0.1" priority="2" contype="6" conaffinity="5"/>
        <geom name="wedge" type="mesh" mesh="wedge" pos="0.1 0 0"/>
        <geom name="seen" size="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>)");
  const Model& model = *loaded.model;
  ASSERT_EQ(7u, model.shapes.size());
  const auto shape = [&](const char* name) -> const Shape& { return model.shapes[model.find_shape(name)]; };
  EXPECT_EQ(ShapeKind::plane, shape("plane").kind());
  EXPECT_EQ(-1, shape("plane").body);
  EXPECT_EQ(-1.0, shape("plane").pose.position.z());
  EXPECT_NEAR(0.3, shape("plane").color[2], 1e-7);
  EXPECT_EQ(0.1, std::get<Sphere>(shape("sphere").geometry).radius);
  EXPECT_EQ(0.2, std::get<Capsule>(shape("capsule").geometry).half_length);
  EXPECT_EQ(0.3, std::get<Cylinder>(shape("cylinder").geometry).half_length);
  EXPECT_EQ(Vector3(0.1, 0.2, 0.3), std::get<Ellipsoid>(shape("ellipsoid").geometry).radii);
  EXPECT_EQ(Vector3(0.1, 0.2, 0.3), std::get<Box>(shape("box").geometry).half_size);
  EXPECT_EQ(0.3, shape("box").material.friction);
  EXPECT_EQ(2, shape("box").material.priority);
  EXPECT_EQ(6u, shape("box").group);
  EXPECT_EQ(5u, shape("box").mask);
  // The wedge keeps its place although MuJoCo moves the frames of meshes: corner (1, 0, 0) is at (1.1, 0, 0).
  const Shape& wedge = shape("wedge");
  const auto& hull = *std::get<std::shared_ptr<const ConvexHull>>(wedge.geometry);
  EXPECT_EQ(4, hull.num_vertices());
  double nearest = no_limit;
  for (const Vector3& v : hull.vertices()) nearest = std::min(nearest, (wedge.pose * v - Vector3(1.1, 0, 0)).norm());
  EXPECT_NEAR(nearest, 0.0, 1e-6);  // MuJoCo keeps vertices as floats
  EXPECT_TRUE(tells(loaded, "geom 'seen'", "only to be seen")) << all_of(loaded);
  EXPECT_EQ(1u, loaded.ignored.size()) << all_of(loaded);
}

// A small ball touches just above the surface that we read, and nothing farther up.
TEST(Mjcf, HeightFieldIsTheSurfaceThatMujocoTouches) {
  const std::string xml = R"(<mujoco><asset><hfield name="h" nrow="3" ncol="4" size="1.5 1 0.5 0.1"
      elevation="0 1 0.2 0.7  0.3 0 0.9 0.1  0.5 0.4 0 1"/></asset>
    <worldbody><geom name="h" type="hfield" hfield="h" pos="0.2 0.1 -0.3"/>
      <body><freejoint/><geom type="sphere" size="0.001"/></body></worldbody></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  Oracle oracle = Oracle::of_string(xml);
  const Shape& shape = loaded.model->shapes[0];
  const auto& field = *std::get<std::shared_ptr<const HeightField>>(shape.geometry);
  const auto touches = [&](double x, double y, double z) {
    oracle.d->qpos[0] = x, oracle.d->qpos[1] = y, oracle.d->qpos[2] = z;
    mj_forward(oracle.m, oracle.d);
    return oracle.d->ncon > 0;
  };
  for (double x = -1.2; x < 1.6; x += 0.17) {
    for (double y = -0.85; y < 1.05; y += 0.13) {
      const Vector3 local = shape.pose.to_local(Vector3(x, y, 0.0));
      const double z = shape.pose.position.z() + field.height_at(local.x(), local.y());
      EXPECT_TRUE(touches(x, y, z + 0.0005)) << x << " " << y;
      EXPECT_FALSE(touches(x, y, z + 0.005)) << x << " " << y;
    }
  }
}

TEST(Mjcf, WhoMayMeetWhom) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body name="a"><joint type="hinge"/><geom name="a" size="0.1"/>
        <body name="b"><joint type="hinge"/><geom name="b" size="0.1"/>
          <body name="c"><joint type="hinge"/><geom name="c" size="0.1"/></body></body></body>
      <body name="d"><freejoint/><geom name="d" size="0.1"/></body>
      <body name="e"><freejoint/><geom name="e" size="0.1" contype="0" conaffinity="0"/></body></worldbody>
    <contact><exclude body1="a" body2="d"/><pair geom1="a" geom2="b"/><pair geom1="e" geom2="floor" friction="0.2 0.3"/></contact>
    </mujoco>)");
  const Model& model = *loaded.model;
  const auto meet = [&](const char* a, const char* b) {
    return model.may_collide(model.find_shape(a), model.find_shape(b));
  };
  EXPECT_TRUE(meet("a", "floor"));  // the parent is the world
  EXPECT_TRUE(meet("a", "c"));
  EXPECT_TRUE(meet("b", "d"));
  EXPECT_FALSE(meet("b", "c"));  // parent
  EXPECT_FALSE(meet("a", "d"));  // excluded
  EXPECT_TRUE(meet("a", "b"));   // a pair beats the parent filter
  EXPECT_TRUE(meet("e", "floor"));
  EXPECT_FALSE(meet("e", "d"));
  EXPECT_TRUE(tells(loaded, "pair", "friction that differs by direction")) << all_of(loaded);
  EXPECT_EQ(0.2, model.pair_material(model.find_shape("floor"), model.find_shape("e")).friction);
  EXPECT_EQ(1.0, model.pair_material(model.find_shape("a"), model.find_shape("b")).friction);
  EXPECT_EQ(1u, model.pair_materials.size());
}

TEST(Mjcf, PriorityAndMaximumOfFriction) {
  const LoadedModel loaded =
      load_mjcf_string(R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.5"/>
      <body><freejoint/><geom name="rough" size="0.1" friction="0.9"/></body>
      <body><freejoint/><geom name="ice" size="0.1" friction="0.01" priority="1"/></body></worldbody></mujoco>)");
  const Model& model = *loaded.model;
  const auto friction = [&](const char* a, const char* b) {
    return combine(model.shapes[model.find_shape(a)].material, model.shapes[model.find_shape(b)].material,
                   model.friction_rule)
        .friction;
  };
  EXPECT_EQ(0.9, friction("floor", "rough"));
  EXPECT_EQ(0.01, friction("ice", "rough"));
}

const char* const loops_xml = R"(<mujoco><compiler angle="radian"/><worldbody>
    <site name="anchor" pos="0.3 0.2 0.1" euler="0.1 0.2 0.3"/>
    <body name="a" pos="0.1 0 1" euler="0.2 0.1 0"><joint name="a" type="hinge" axis="0 1 0" ref="0.4"/><geom size="0.1"/>
      <body name="b" pos="0.5 0 0" euler="0.5 0 0.2"><joint name="b" type="hinge" axis="1 1 0" ref="-0.3"/><geom size="0.1"/>
      <site name="tip" pos="0.1 0.2 0.3" euler="0.3 0 0.1"/></body></body>
    <body name="c" pos="1 1 1" euler="0 0.4 0"><freejoint/><geom size="0.1"/></body>
    <body name="fixed" pos="3 0 0"><geom size="0.1"/></body></worldbody>
  <equality>
    <connect name="connect" body1="a" body2="c" anchor="0.1 0.2 0.3"/>
    <weld name="weld" body1="b" body2="c" anchor="0.3 0.1 0"/>
    <weld name="given" body1="c" body2="a" relpose="0.1 0.2 0.3 0.8 0.6 0 0"/>
    <weld name="sites" site1="anchor" site2="tip"/>
    <joint name="joint" joint1="a" joint2="b" polycoef="0.1 0.5 -0.25 0.125 0.75"/>
    <joint name="lock" joint1="b" polycoef="0.2 0 0 0 0"/>
    <connect name="off" body1="a" body2="c" anchor="0 0 0" active="false"/>
    <weld name="idle" body1="fixed"/></equality></mujoco>)";

TEST(Mjcf, EqualitiesHoldWhereMujocosDo) {
  const LoadedModel loaded = load_mjcf_string(loops_xml);
  const Model& model = *loaded.model;
  Oracle oracle = Oracle::of_string(loops_xml);
  ASSERT_EQ(6u, model.loops.size()) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "equality 'off'", "not active"));
  EXPECT_TRUE(tells(loaded, "equality 'idle'", "rigidly joined already"));
  for (unsigned seed = 0; seed < 4; ++seed) {
    if (seed) randomise(oracle, seed);
    const VectorX q = to_position(*oracle.m, oracle.d->qpos);
    DynamicsData data(model);
    update_kinematics(model, q.data(), oracle.d->qvel, data);
    // MuJoCo's position residuals of the equalities, in the order of the file.
    int row = 0;
    for (const Loop& loop : model.loops) {
      const auto world = [&](int body, const Pose& x) { return body < 0 ? x : body_pose(data, body) * x; };
      const double* residual = oracle.d->efc_pos + row;
      if (loop.kind == LoopKind::joint_equality) {
        const double x = loop.dof_b < 0 ? 0.0 : q[model.bodies[model.dofs[loop.dof_b].body].first_position];
        double value = 0.0;
        for (int k = 4; k >= 0; --k) value = value * x + loop.coefficients[k];
        const double y = q[model.bodies[model.dofs[loop.dof_a].body].first_position];
        EXPECT_NEAR(residual[0], y - value, 1e-13) << loop.name;
        row += 1;
        continue;
      }
      const Pose a = world(loop.body_a, loop.pose_a), b = world(loop.body_b, loop.pose_b);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(residual[k], (a.position - b.position)[k], 1e-13) << loop.name;
      row += 3;
      if (loop.kind != LoopKind::weld) continue;
      // MuJoCo tells sin(angle/2) axis: it vanishes where the frames have the same orientation, and so must ours.
      const double turned = Eigen::AngleAxisd(Matrix3(a.rotation.transpose() * b.rotation)).angle();
      EXPECT_NEAR(Eigen::Map<const Vector3>(residual + 3).norm(), std::sin(0.5 * turned), 1e-10) << loop.name;
      row += 3;
    }
    EXPECT_EQ(oracle.d->ne, row);
  }
}

TEST(Mjcf, ActuatorsThatAreTorquesAndServos) {
  const char* const xml = R"(<mujoco><worldbody>
      <body><joint name="j" type="hinge" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
      <body><joint name="k" type="slide"/><geom size="0.1"/></body></worldbody>
    <actuator><motor name="motor" joint="j" gear="3" ctrlrange="-2 1" forcerange="-0.5 0.7"/>
      <position name="position" joint="j" gear="2" kp="10" kv="3" forcerange="-4 4"/>
      <velocity name="velocity" joint="k" kv="6" forcerange="-3 2"/>
      <general name="general" joint="k" gainprm="-4" gear="0.5" forcerange="-1 2"/>
      <general name="odd" joint="k" gaintype="fixed" gainprm="4" biastype="affine" biasprm="1 -4 0"/>
      <position name="slow" joint="k" kp="3" timeconst="0.1"/>
      <motor name="rotor" joint="k" gear="3" armature="0.02" damping="0.5"/></actuator></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  const Model& model = *loaded.model;
  ASSERT_EQ(7u, model.actuators.size());
  EXPECT_EQ(ActuatorKind::affine, model.actuators[model.find_actuator("odd")].kind);
  EXPECT_EQ(ActivationKind::filter_exact, model.actuators[model.find_actuator("slow")].activation);
  EXPECT_FALSE(tells(loaded, "actuator", "")) << all_of(loaded);
  // Forces by the formulas of model.h against MuJoCo's, for controls that reach the limits and controls that do not.
  Oracle oracle = Oracle::of_string(xml);
  for (double u : {-5.0, -0.3, 0.1, 0.2, 4.0}) {
    oracle.d->qpos[0] = 0.3, oracle.d->qpos[1] = 0.2, oracle.d->qvel[0] = -0.4, oracle.d->qvel[1] = 0.6;
    for (int k = 0; k < oracle.m->nu; ++k) oracle.d->ctrl[k] = 0.0;
    for (const Actuator& actuator : model.actuators) {
      const int id = mj_name2id(oracle.m, mjOBJ_ACTUATOR, actuator.name.c_str());
      oracle.d->ctrl[id] = u;
      mj_forward(oracle.m, oracle.d);
      const bool has_state = actuator.first_activation >= 0;  // which is zero
      const double control = has_state ? 0.0 : std::clamp(u, actuator.control_lower, actuator.control_upper);
      const double l = actuator.gear * oracle.d->qpos[actuator.dof], dl = actuator.gear * oracle.d->qvel[actuator.dof];
      double force = control;
      if (actuator.kind == ActuatorKind::position) force = actuator.kp * (control - l) - actuator.kd * dl;
      if (actuator.kind == ActuatorKind::velocity) force = actuator.kd * (control - dl);
      if (actuator.kind == ActuatorKind::affine) {
        force = actuator.gain[0] * control + actuator.bias[0] + actuator.bias[1] * l + actuator.bias[2] * dl;
      }
      const double torque = actuator.gear * std::clamp(force, actuator.force_lower, actuator.force_upper);
      const double expected = oracle.d->actuator_force[id] * oracle.m->actuator_gear[6 * id];
      EXPECT_NEAR(expected, torque, 1e-14) << actuator.name << " at " << u;
    }
  }
  const Dof& slide = model.dofs[model.joints[model.find_joint("k")].first_velocity];
  EXPECT_NEAR(0.02 * 9, slide.armature, 1e-15);
  EXPECT_NEAR(0.5 * 9, slide.damping, 1e-15);
}

// Against MuJoCo: the body stands where mocap_pos says, also in a keyframe, and no force moves it.
TEST(Mjcf, MotionCaptureIsAKinematicBody) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco><worldbody>
      <body name="before"><freejoint/><geom size="0.1"/></body>
      <body name="lift" mocap="true" pos="1 2 3" quat="0.6 0 0.8 0"><geom name="deck" type="box" size="1 1 .1"/>
        <body name="rail" pos="0 0 .5"><geom size="0.1"/></body></body>
      <body name="base" mocap="true"><geom size="0.1"/>
        <body name="arm"><joint name="elbow" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody>
    <keyframe><key name="up" mpos="4 5 6 0 0 0" mquat="1 0 0 0 1 0 0 0" qpos="0 0 9 1 0 0 0 .3"/></keyframe></mujoco>)");
  const Model& model = *loaded.model;
  const int lift = model.find_body("lift");
  ASSERT_TRUE(model.bodies[lift].is_kinematic);
  EXPECT_EQ(model.find_body("rail"), lift);
  EXPECT_EQ(model.find_body("base"), -1);  // it carries joints, and stands still
  EXPECT_EQ(std::count_if(loaded.ignored.begin(), loaded.ignored.end(),
                          [](const IgnoredElement& i) { return i.reason.find("motion capture") != std::string::npos; }),
            1);
  const int first = model.bodies[lift].first_position;
  EXPECT_EQ(model.initial_position.segment<3>(first), Vector3(1, 2, 3));
  EXPECT_NEAR(model.initial_position[first + 4], 0.8, 1e-15);
  const VectorX& key = model.keyframes[0].q;
  EXPECT_EQ(key[2], 9.0);
  EXPECT_EQ(key.segment<3>(first), Vector3(4, 5, 6));
  EXPECT_EQ(key[model.joints[model.find_joint("elbow")].first_position], 0.3);
}

TEST(Mjcf, NothingIsDroppedWithoutAWord) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco><option integrator="RK4" cone="elliptic"/>
    <worldbody><camera name="eye" projection="orthographic"/><body name="m" mocap="true"><geom name="mocap" size="0.1"/></body>
      <body name="b" gravcomp="1"><joint name="limit" type="ball" range="0 1" limited="true" stiffness="2"/>
        <geom name="roll" size="0.1" condim="6" margin="0.01" solref="0.1 1"/><site name="s"/></body>
      <body><joint name="h" type="hinge" actuatorfrcrange="-1 2"/><geom size="0.1"/></body></worldbody>
    <tendon><fixed name="t" armature="0.1"><joint joint="h" coef="1"/></fixed></tendon>
    <sensor><e_potential name="energy"/></sensor>
    <actuator><adhesion name="pull" body="b" ctrlrange="0 1"/></actuator></mujoco>)");
  for (const auto& [element, reason] :
       std::vector<std::pair<std::string, std::string>>{{"option integrator", "time stepping"},
                                                        {"option cone", "round"},
                                                        {"camera 'eye'", "parallel"},
                                                        {"joint 'limit'", "limit of a ball"},
                                                        {"joint 'limit'", "spring of a ball"},
                                                        {"joint 'h'", "not symmetric"},
                                                        {"geom 'roll'", "margin"},
                                                        {"solref, solimp of geom 'roll'", "rigid"},
                                                        {"tendon 't'", "armature"},
                                                        {"sensor 'energy'", "potential_energy"},
                                                        {"actuator 'pull'", "adhesion"}}) {
    EXPECT_TRUE(tells(loaded, element, reason)) << element << ": " << reason << "\n" << all_of(loaded);
  }
  const Model& model = *loaded.model;  // what is taken over is not listed
  EXPECT_GT(model.shapes[model.find_shape("roll")].material.rolling_friction, 0.0);
  EXPECT_FALSE(tells(loaded, "geom 'roll'", "rolling"));
}

// MuJoCo would print them, and write a file MUJOCO_LOG.TXT to the working directory.
TEST(Mjcf, WarningsOfMujocoAreReturnedAndNotPrinted) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  const LoadedModel loaded = load_mjcf_string(
      R"(<mujoco><compiler settotalmass="3"/><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>)");
  EXPECT_EQ("", ::testing::internal::GetCapturedStderr());
  EXPECT_EQ("", ::testing::internal::GetCapturedStdout());
  EXPECT_TRUE(tells(loaded, "warning of MuJoCo", "settotalmass")) << all_of(loaded);
  EXPECT_TRUE(mju_getLogConfig().logto_console);
  EXPECT_NEAR(3.0, total_mass(*loaded.model), 1e-12);
}

TEST(Mjcf, OptionsThatSwitchThingsOff) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco>
    <option><flag gravity="disable" limit="disable" damper="disable" spring="disable" filterparent="disable"/></option>
    <worldbody><body name="a"><joint name="j" range="0 1" damping="1" stiffness="1"/><geom name="a" size="0.1"/>
      <body><joint/><geom name="b" size="0.1"/></body></body></worldbody></mujoco>)");
  const Model& model = *loaded.model;
  EXPECT_EQ(Vector3(0, 0, 0), model.gravity);
  EXPECT_EQ(no_limit, model.dofs[0].upper);
  EXPECT_EQ(0.0, model.dofs[0].damping);
  EXPECT_EQ(0.0, model.dofs[0].stiffness);
  EXPECT_TRUE(model.may_collide(model.find_shape("a"), model.find_shape("b")));
}

TEST(Mjcf, ErrorsNameTheFileAndPassOnWhatMujocoSays) {
  EXPECT_EQ("/nowhere/robot.xml: there is no such file, and no folder \"/nowhere\"",
            message_of([] { load_mjcf("/nowhere/robot.xml"); }));
  EXPECT_NE(std::string::npos, message_of([] { load_mjcf(testing::scene_file("")); }).find("is a folder"));
  const auto path = std::filesystem::path(::testing::TempDir()) / ("broken-" + std::to_string(getpid()) + ".xml");
  std::ofstream(path) << "<mujoco><worldbody><body></worldbody></mujoco>";
  const std::string broken = message_of([&] { load_mjcf(path.string()); });
  EXPECT_EQ(0u, broken.find(path.string())) << broken;
  EXPECT_NE(std::string::npos, broken.find("XML")) << broken;
  std::ofstream(path) << "<mujoco><worldbody><geom size=\"1\" wrong=\"2\"/></worldbody></mujoco>";
  EXPECT_NE(std::string::npos, message_of([&] { load_mjcf(path.string()); }).find("wrong"));
  std::filesystem::remove(path);
  const std::string massless =
      message_of([] { load_mjcf_string("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>"); });
  EXPECT_NE(std::string::npos, massless.find("mass")) << massless;
}

TEST(Mjcf, InertiasThatAreNotNumbersAreRefused) {
  for (const std::string inertial : {"mass='1' diaginertia='nan 1 1'", "mass='nan' diaginertia='1 1 1'",
                                     "mass='1' diaginertia='1 inf 1'", "mass='1' fullinertia='1 1 1 nan 0 0'"}) {
    EXPECT_THROW(load_mjcf_string("<mujoco><worldbody><body name='b'><freejoint/><inertial pos='0 0 0' " + inertial +
                                  "/></body></worldbody></mujoco>"),
                 std::invalid_argument)
        << inertial;
  }
}

}  // namespace
}  // namespace stiction

#endif
