// Features of MJCF that change motion, one by one, beside MuJoCo; and what the options of a file switch off.
#ifdef STICTION_MUJOCO

#include "tests/io/mjcf_motion.h"

#include <regex>

namespace stiction {
namespace {

using namespace testing;

const std::string hard = std::string("solref=\"") + hard_solref + "\" solimp=\"" + hard_solimp + "\"";

VectorX velocities(std::initializer_list<double> values) {
  return ConstVectorMap(values.begin(), static_cast<Eigen::Index>(values.size()));
}

const std::string two_joints = R"(<worldbody><body name="a" pos="0 0 1"><joint name="j1" type="hinge" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
    <body name="b" pos="0.4 0 0"><joint name="j2" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></body></worldbody>)";

// ---- tendons round bodies

const std::string wrapped =
    R"(<worldbody><site name="top" pos="0.05 0.01 1.3"/><geom name="ball" type="sphere" size="0.08" pos="0.1 0 1.1"/>
    <site name="beside" pos="0.3 0 1.15"/>
    <body name="a" pos="0 0 1"><joint name="j1" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/><site name="s1" pos="0.2 0.02 0.05"/>
      <geom name="roll" type="cylinder" size="0.05 0.1" pos="0.4 0 0" zaxis="0 1 0.1"/><site name="side" pos="0.4 0 0.12"/>
      <body name="b" pos="0.4 0 0"><joint name="j2" type="hinge" axis="0 1 0.2"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/><site name="s2" pos="0.2 -0.03 0.02"/></body></body>
  </worldbody>)";

TEST(MjcfMotion, TendonsRoundASphere) {
  expect_same_motion(std::string(hard_header) + wrapped + R"(<tendon>
      <spatial name="t" stiffness="60" damping="1" springlength="0.2"><site site="top"/><geom geom="ball"/><site site="s1"/></spatial>
      <spatial name="u" stiffness="30" springlength="0.1"><site site="top"/><geom geom="ball" sidesite="beside"/><site site="s2"/></spatial></tendon>
    <actuator><motor tendon="t"/></actuator></mujoco>)",
                     0.2, 0.3, {-0.5}, 2.5e-5);
}

TEST(MjcfMotion, TendonsRoundACylinder) {
  expect_same_motion(std::string(motion_header) + wrapped + R"(<tendon>
      <spatial name="t" stiffness="80" damping="1" springlength="0.2"><site site="s1"/><geom geom="roll" sidesite="side"/><site site="s2"/></spatial>
      <spatial name="u"><site site="s1"/><geom geom="roll"/><site site="s2"/></spatial></tendon>
    <actuator><motor tendon="u"/></actuator></mujoco>)",
                     0.3, 0.3, {-0.7});
}

TEST(MjcfMotion, TendonLimitsHoldWhileTheJointsMove) {
  // It begins at the upper limit, 0, with velocities along it; weight and motor pull outwards.
  expect_same_motion(std::string(hard_header) + two_joints + R"(<tendon><fixed name="t" limited="true" range="-3 0"
      solreflimit=")" + hard_solref +
                         R"(" solimplimit=")" + hard_solimp + R"("><joint joint="j1" coef="0.5"/>
      <joint joint="j2" coef="1"/></fixed></tendon><actuator><motor tendon="t"/></actuator></mujoco>)",
                     0.3, velocities({0.6, -0.3}), {2.0});
}

TEST(MjcfMotion, DryFrictionOfTendonsAndJoints) {
  const std::string hard_friction =
      std::string("solreffriction=\"") + hard_solref + "\" solimpfriction=\"" + hard_solimp + "\"";
  expect_same_motion(std::string(hard_header) + two_joints + "<tendon><fixed name=\"t\" frictionloss=\"0.4\" " +
                         hard_friction + R"(><joint joint="j1" coef="0.5"/><joint joint="j2" coef="1"/></fixed></tendon>
    </mujoco>)",
                     0.2, velocities({0.6, 0.3}), {});
  // It slides one way all the time: where it turns round, our step ends at rest, which no extrapolation knows.
  const std::string with_friction =
      std::regex_replace(two_joints, std::regex("name=\"j2\""), "name=\"j2\" frictionloss=\"0.05\" " + hard_friction);
  expect_same_motion(std::string(hard_header) + with_friction + "</mujoco>", 0.2, velocities({0.6, -0.3}), {});
}

// ---- limits of force

TEST(MjcfMotion, ForcesWithinTheirLimits) {
  // The first two saturate from the beginning, the third in the course of the motion.
  expect_same_motion(std::string(hard_header) + two_joints + R"(<actuator>
      <position joint="j1" kp="40" kv="1" forcerange="-3 2.5"/><motor joint="j2" ctrlrange="-0.4 0.3"/>
      <velocity joint="j2" kv="0.5" forcerange="-0.2 0.2" gear="1.5"/></actuator></mujoco>)",
                     0.3, 0.5, {0.5, 0.9, -0.6}, 2.5e-5);
}

TEST(MjcfMotion, ForcesWithinThoseOfJointsAndTendons) {
  const std::string limited = std::regex_replace(two_joints, std::regex("name=\"j1\""),
                                                 "name=\"j1\" actuatorfrclimited=\"true\" actuatorfrcrange=\"-2 2\"");
  // MuJoCo limits what comes through tendons with the rest; here they stay apart, which is listed.
  EXPECT_TRUE(tells(load_mjcf_string(std::string(motion_header) + limited + R"(<tendon>
      <fixed name="t"><joint joint="j1" coef="0.4"/><joint joint="j2" coef="1"/></fixed></tendon>
    <actuator><motor tendon="t"/></actuator></mujoco>)"),
                    "joint 'j1'", "through tendons"));
  expect_same_motion(std::string(motion_header) + limited + R"(<tendon>
      <fixed name="t" actuatorfrcrange="-0.5 0.5"><joint joint="j2" coef="1.2"/></fixed></tendon>
    <actuator><motor joint="j1"/><motor joint="j1" gear="2"/><motor tendon="t"/><motor tendon="t"/></actuator></mujoco>)",
                     0.3, 0.5, {3.0, 0.5, 0.9, 0.4});
}

// ---- PIDs

TEST(MjcfMotion, PidsWithOneInputAndTwo) {
  expect_same_motion(std::string(motion_header) + two_joints + R"(<actuator>
      <pid joint="j1" kp="20" kv="2"/><pid joint="j2" kp="6" kv="0.5" input="pos" forcerange="-1 1"/></actuator></mujoco>)",
                     0.3, 0.5, {0.4, 0.3, -0.2});
}

constexpr const char* plugin = R"(<extension><plugin plugin="mujoco.pid">
    <instance name="shared"><config key="kp" value="6"/><config key="kd" value="0.5"/></instance></plugin></extension>)";

TEST(MjcfMotion, PidPluginsAreServos) {
  // The reader makes the plugin known; MuJoCo then runs it.
  expect_same_motion(std::string(motion_header) + plugin + two_joints + R"(<actuator>
      <plugin joint="j1" plugin="mujoco.pid" forcerange="-4 4"><config key="kp" value="20"/><config key="kd" value="2"/></plugin>
      <plugin joint="j2" instance="shared" gear="1.5"/></actuator></mujoco>)",
                     0.3, 0.5, {0.4, 0.3});
}

TEST(MjcfMotion, WhatAPidPluginHasBesidesIsListed) {
  const LoadedModel loaded =
      load_mjcf_string(std::string(motion_header) + R"(<extension><plugin plugin="mujoco.pid"/></extension>)" +
                       two_joints + R"(<actuator>
      <plugin name="i" joint="j1" plugin="mujoco.pid" actdim="1"><config key="kp" value="20"/><config key="ki" value="3"/></plugin>
      <plugin name="s" joint="j2" plugin="mujoco.pid" actdim="1"><config key="kp" value="5"/><config key="slewmax" value="3"/></plugin>
      <motor name="m" joint="j2"/></actuator></mujoco>)");
  ASSERT_EQ(3u, loaded.model->actuators.size()) << all_of(loaded);
  EXPECT_EQ(ActuatorKind::position, loaded.model->actuators[0].kind);
  EXPECT_EQ(20.0, loaded.model->actuators[0].kp);
  EXPECT_TRUE(tells(loaded, "actuator 'i'", "ki and imax")) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "actuator 's'", "slewmax")) << all_of(loaded);
  EXPECT_FALSE(tells(loaded, "actuator 'm'", "")) << all_of(loaded);
  const auto refused = [](const std::string& gain) {
    return message_of([&] {
      load_mjcf_string("<mujoco><extension><plugin plugin=\"mujoco.pid\"/></extension>" + two_joints +
                       "<actuator><plugin name=\"i\" joint=\"j1\" plugin=\"mujoco.pid\"><config key=\"kp\" value=\"" +
                       gain + "\"/></plugin></actuator></mujoco>");
    });
  };
  for (const std::string gain : {"nan", "-3", "much"}) {
    const std::string message = refused(gain);
    EXPECT_NE(std::string::npos, message.find("actuator 'i': kp")) << message;
    EXPECT_NE(std::string::npos, message.find("'" + gain + "'")) << message;
  }
  const std::string unknown =
      message_of([] { load_mjcf_string(R"(<mujoco><extension><plugin plugin="mine.own"/></extension></mujoco>)"); });
  EXPECT_NE(std::string::npos, unknown.find("mine.own")) << unknown;
}

// ---- equalities

TEST(MjcfMotion, PolynomialsOfJoints) {
  // q_2 = 0.4 q_1 + 0.5 q_1² − 0.3 q_1³ + 0.2 q_1⁴; at the beginning q̇_2 = 0.4 q̇_1.
  expect_same_motion(std::string(hard_header) + two_joints + "<equality><joint joint1=\"j2\" joint2=\"j1\" " +
                         "polycoef=\"0 0.4 0.5 -0.3 0.2\" " + hard + "/></equality></mujoco>",
                     0.3, velocities({0.5, 0.2}), {});
}

TEST(MjcfMotion, PolynomialsOfTendons) {
  expect_same_motion(std::string(hard_header) + wrapped + R"(<tendon>
      <fixed name="f"><joint joint="j1" coef="0.7"/><joint joint="j2" coef="0.2"/></fixed>
      <fixed name="g"><joint joint="j2" coef="1"/></fixed></tendon>
    <equality><tendon tendon1="g" tendon2="f" polycoef="0 0.5 0.4 0 0" )" +
                         hard + "/></equality></mujoco>",
                     0.3, velocities({0.9, 0.35}), {});  // 0.35 = 0.5 (0.7 · 0.9 + 0.2 · 0.35)
}

TEST(MjcfMotion, ConnectedAndWelded) {
  // A four-bar: the end of the second link is held in place by a third; and a block welded to the first link.
  expect_same_motion(std::string(hard_header) + R"(<worldbody><body name="a" pos="0 0 1"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
      <body name="b" pos="0 0 -0.4"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></body>
    <body name="c" pos="0.3 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02"/></body>
    <body name="block" pos="0.1 0 0.8"><freejoint/><geom type="box" size="0.03 0.02 0.04"/></body></worldbody>
    <equality><connect body1="b" body2="c" anchor="0.3 0 0" )" +
                         hard + "/><weld body1=\"a\" body2=\"block\" " + hard + "/></equality></mujoco>",
                     0.3, VectorX::Zero(9), {});
}

// ---- what options switch off

TEST(MjcfMotion, GroupsOfActuatorsThatAreOff) {
  const std::string xml = R"(<mujoco><compiler angle="radian"/><option integrator="RK4" timestep="1e-4"
      actuatorgroupdisable="2 30"><flag contact="disable"/></option>)" +
                          two_joints + R"(<actuator>
      <motor name="a" joint="j1"/><position name="b" joint="j2" kp="20" kv="1" group="2"/>
      <motor name="c" joint="j1" group="30" gear="4"/><motor name="d" joint="j2" group="3"/></actuator></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  ASSERT_EQ(2u, loaded.model->actuators.size()) << all_of(loaded);
  EXPECT_EQ("a", loaded.model->actuators[0].name);
  EXPECT_EQ("d", loaded.model->actuators[1].name);
  EXPECT_TRUE(tells(loaded, "actuator 'b', 'c'", "actuatorgroupdisable")) << all_of(loaded);
  // As MuJoCo moves it, whatever the controls of the others are.
  Oracle oracle = Oracle::of_string(xml);
  oracle.d->ctrl[0] = 0.5, oracle.d->ctrl[1] = 1.0, oracle.d->ctrl[2] = 2.0, oracle.d->ctrl[3] = -0.2;
  while (oracle.d->time < 0.2 - 5e-5) mj_step(oracle.m, oracle.d);
  const MotionStart start{.v = VectorX::Zero(2), .control = velocities({0.5, -0.2})};
  const VectorX ours = 2.0 * run_ours(loaded.model, 1e-4, 0.2, start) - run_ours(loaded.model, 2e-4, 0.2, start);
  EXPECT_LE((ours - to_position(*oracle.m, oracle.d->qpos)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MjcfMotion, ConstraintsThatAreOff) {
  // Limits that it goes beyond, and friction that would hold it, of joints and of a tendon.
  const std::string xml = R"(<mujoco><compiler angle="radian"/><option integrator="RK4" timestep="1e-4">
      <flag constraint="disable"/></option><worldbody><body name="a" pos="0 0 1">
      <joint name="j1" axis="0 1 0" range="-0.01 0.01" frictionloss="5"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      <body pos="0.4 0 0"><joint name="j2" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></body></worldbody>
    <tendon><fixed name="t" range="-0.01 0.01" frictionloss="5"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed></tendon>
    <equality><joint joint1="j2"/></equality></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  const Model& model = *loaded.model;
  EXPECT_TRUE(model.loops.empty());
  EXPECT_EQ(0.0, model.dofs[0].dry_friction);
  EXPECT_EQ(no_limit, model.dofs[0].upper);
  EXPECT_EQ(0.0, model.tendons[0].dry_friction);
  EXPECT_EQ(no_limit, model.tendons[0].upper);
  Oracle oracle = Oracle::of_string(xml);
  EXPECT_TRUE(moves_alike(loaded.model, oracle, 0.3, {.v = mixed_velocity(2, 0.5)}));
}

// ---- what moves nothing

const std::string drone =
    R"(<mujoco><worldbody><site name="sky" pos="0 0 5"/><body name="drone" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.1 0.02" mass="0.5"/><site name="m0" pos="0.1 0.1 0"/><site name="m1" pos="-0.1 0.1 0"/>
    <body name="arm" pos="0 0 -0.1"><joint name="swing" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.01"/>
      <site name="hook" pos="0 0 -0.2"/></body></body></worldbody>
  <tendon><spatial name="wire"><site site="sky"/><site site="m0"/></spatial>
    <spatial name="rope"><site site="m0"/><site site="hook"/></spatial></tendon>
  <equality><tendon name="keep" tendon1="wire" tendon2="rope"/></equality>
  <actuator><motor name="up" site="m0" gear="0 0 1 0 0 0"/><motor name="across" site="m1" refsite="m0" gear="0 0 1 0 0 0"/>
    <motor name="winch" tendon="wire"/><motor name="pull" tendon="rope"/><motor name="grip" site="hook" gear="1 0 0 0 0 0"/>
    <motor name="nowhere" site="sky" gear="0 0 1 0 0 0"/></actuator>
  <sensor><tendonpos name="of_wire" tendon="wire"/><tendonpos name="of_rope" tendon="rope"/></sensor></mujoco>)";

TEST(MjcfMotion, WhatMovesNothingIsListedAndTheRestIsRead) {
  const LoadedModel held = load_mjcf_string(drone, {.base = BaseKind::fixed});
  ASSERT_EQ(2u, held.model->actuators.size()) << all_of(held);
  EXPECT_EQ("pull", held.model->actuators[0].name);
  EXPECT_EQ("grip", held.model->actuators[1].name);
  ASSERT_EQ(1u, held.model->tendons.size());
  EXPECT_EQ("rope", held.model->tendons[0].name);
  ASSERT_EQ(1u, held.model->sensors.size());
  EXPECT_TRUE(tells(held, "tendon 'wire'", "moves nothing")) << all_of(held);
  EXPECT_TRUE(tells(held, "actuator 'up', 'across', 'nowhere'", "part of the world")) << all_of(held);
  EXPECT_TRUE(tells(held, "actuator 'winch'", "tendon")) << all_of(held);
  EXPECT_TRUE(tells(held, "equality 'keep'", "moves nothing")) << all_of(held);
  EXPECT_TRUE(tells(held, "sensor 'of_wire'", "ignored")) << all_of(held);
  Simulator simulator(held.model);
  simulator.step(10);
  // On its own it flies; two sites on one body still push against nothing.
  const LoadedModel free = load_mjcf_string(drone);
  EXPECT_EQ(2u, free.model->tendons.size());
  EXPECT_EQ(4u, free.model->actuators.size()) << all_of(free);
  EXPECT_TRUE(tells(free, "actuator 'across'", "rigid")) << all_of(free);
}

TEST(MjcfMotion, FreedBasesMoveWhatStoodStill) {
  const std::string stand = R"(<mujoco><worldbody><site name="sky" pos="0 0 5"/><body name="base"><geom size="0.1"/>
      <site name="m" pos="0.1 0 0"/><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body></body></worldbody>
    <tendon><spatial name="wire"><site site="sky"/><site site="m"/></spatial></tendon>
    <actuator><motor name="up" site="m" gear="0 0 1 0 0 0"/></actuator></mujoco>)";
  const LoadedModel fixed = load_mjcf_string(stand);
  EXPECT_TRUE(fixed.model->tendons.empty() && fixed.model->actuators.empty()) << all_of(fixed);
  const LoadedModel floating = load_mjcf_string(stand, {.base = BaseKind::floating});
  EXPECT_EQ(1u, floating.model->tendons.size());
  EXPECT_EQ(1u, floating.model->actuators.size()) << all_of(floating);
}

}  // namespace
}  // namespace stiction

#endif
