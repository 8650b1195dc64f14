// Tendons, actuators on anything, activations, carried weights: lengths and motions against MuJoCo on the same file.
#ifdef STICTION_MUJOCO

#include "stiction/dynamics/coupled_lengths.h"
#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/io/recording/model_storage.h"
#include "tests/io/mjcf_motion.h"
#include "tests/io/round_trip.h"

namespace stiction {
namespace {

using namespace testing;

constexpr const char* header = motion_header;

// Lengths and their rates, of tendons and of actuators, in random states.
void expect_same_lengths(const std::string& xml, int states = 20) {
  const LoadedModel loaded = load_mjcf_string(xml);
  Oracle oracle = Oracle::of_string(xml);
  const Model& model = *loaded.model;
  CoupledLengths lengths(model);
  DynamicsData data(model);
  ASSERT_EQ(oracle.m->ntendon, static_cast<int>(model.tendons.size()));
  for (int seed = 0; seed < states; ++seed) {
    mj_resetData(oracle.m, oracle.d);
    randomise(oracle, static_cast<unsigned>(seed));
    const VectorX q = to_position(*oracle.m, oracle.d->qpos);
    update_kinematics(model, q.data(), oracle.d->qvel, data);
    lengths.update(model, data, q.data());
    for (int k = 0; k < oracle.m->ntendon; ++k) {
      EXPECT_NEAR(oracle.d->ten_length[k], lengths.length(k), 1e-9) << "tendon " << k << ", state " << seed;
      EXPECT_NEAR(oracle.d->ten_velocity[k], lengths.rate(k, oracle.d->qvel), 1e-8)
          << "tendon " << k << ", state " << seed;
    }
    for (int i = 0; i < oracle.m->nactuator; ++i) {
      if (oracle.m->actuator_trntype[i] == mjTRN_TENDON || lengths.of_actuator(i) < 0) continue;
      const double gear = model.actuators[i].gear;
      const int k = lengths.of_actuator(i);
      EXPECT_NEAR(oracle.d->actuator_length[i], gear * lengths.length(k), 1e-9)
          << "actuator " << i << ", state " << seed;
      EXPECT_NEAR(oracle.d->actuator_velocity[i], gear * lengths.rate(k, oracle.d->qvel), 1e-9)
          << "actuator " << i << ", state " << seed;
    }
  }
}

const std::string two_joints = R"(<worldbody><body name="a" pos="0 0 1"><joint name="j1" type="hinge" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
    <body name="b" pos="0.4 0 0"><joint name="j2" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></body></worldbody>)";

TEST(MjcfTransmissions, AffineActuatorsMoveAsInMujoco) {
  // The 0 … 255 idiom, a constant bias, and a damper whose gain is the velocity.
  expect_same_motion(std::string(header) + two_joints + R"(<actuator>
      <general joint="j1" ctrlrange="0 255" gainprm="0.08" biastype="affine" biasprm="-1 -20 -2"/>
      <general joint="j2" gainprm="0.5" gear="2" biastype="affine" biasprm="0.7 -3 -0.4"/>
      <damper joint="j2" kv="0.3" ctrlrange="0 1"/></actuator></mujoco>)",
                     0.4, 0.5, {100.0, 0.3, 0.8});
}

TEST(MjcfTransmissions, FiltersMoveAsInMujoco) {
  expect_same_motion(std::string(header) + two_joints + R"(<actuator>
      <general joint="j1" dyntype="filter" dynprm="0.1" gainprm="6" biastype="affine" biasprm="0 -20 -2"/>
      <general joint="j2" dyntype="filter" dynprm="0.05" gainprm="2"/></actuator></mujoco>)",
                     0.4, 0.5, {0.7, -0.6});
}

TEST(MjcfTransmissions, IntegratorsMoveAsInMujoco) {
  expect_same_motion(std::string(header) + two_joints + R"(<actuator>
      <intvelocity joint="j2" kp="8" kv="1" actrange="-3 3"/></actuator></mujoco>)",
                     0.4, 0.5, {1.5});
}

// Not beside MuJoCo: within a step of its Runge-Kutta rule activations go beyond their limits.
TEST(MjcfTransmissions, IntegratorsStopAtTheirLimits) {
  const LoadedModel loaded = load_mjcf_string(std::string(header) + two_joints + R"(<actuator>
      <intvelocity joint="j2" kp="8" kv="1" actrange="-0.3 0.12"/></actuator></mujoco>)");
  Simulator simulator(loaded.model, {.time_step = 1e-2});
  simulator.set_control(VectorX::Constant(1, 1.5));
  for (int k = 1; k <= 20; ++k) {
    simulator.step();
    EXPECT_NEAR(std::min(0.015 * k, 0.12), simulator.state().activation[0], 1e-14) << k;
  }
}

// a = u (1 − exp(−t/T)), by the exact rule to rounding.
TEST(MjcfTransmissions, ExactFiltersFollowTheirClosedForm) {
  const LoadedModel loaded = load_mjcf_string(std::string(header) + two_joints + R"(<actuator>
      <general joint="j1" dyntype="filterexact" dynprm="0.05" gainprm="2"/></actuator></mujoco>)");
  Simulator simulator(loaded.model, {.time_step = 1e-2});
  const VectorX u = VectorX::Constant(1, -0.6);
  simulator.set_control(u);
  for (int k = 1; k <= 20; ++k) {
    simulator.step();
    EXPECT_NEAR(-0.6 * -std::expm1(-0.2 * k), simulator.state().activation[0], 1e-14) << k;
  }
}

TEST(MjcfTransmissions, CarriedWeights) {
  const std::string arm = std::string(header) +
                          R"(<worldbody><body gravcomp="1" pos="0 0 1"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      <body pos="0.4 0 0" gravcomp="1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
        <body pos="0.3 0 0.1" gravcomp="1"><geom size="0.05"/></body></body></body></worldbody></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(arm);
  EXPECT_FALSE(tells(loaded, "body", "grav")) << all_of(loaded);
  Simulator simulator(loaded.model, {.time_step = 2e-3});
  simulator.step(5000);
  EXPECT_LE(simulator.state().q.cwiseAbs().maxCoeff(), 1e-12);  // it stays
  EXPECT_EQ(0, simulator.num_uncertified_steps());
  // Half of one link alone.
  expect_same_motion(std::string(header) + R"(<worldbody><body pos="0 0 1"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      <body pos="0.4 0 0" gravcomp="0.6"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
        </body></body></worldbody></mujoco>)",
                     0.4, 0.5, {});
}

TEST(MjcfTransmissions, FixedTendonsMoveAsInMujoco) {
  expect_same_motion(std::string(header) + two_joints + R"(<tendon>
      <fixed name="t" stiffness="30" damping="0.4" springlength="0.1 0.3"><joint joint="j1" coef="0.7"/>
        <joint joint="j2" coef="-1.3"/></fixed>
      <fixed name="s" stiffness="5" springlength="0.05"><joint joint="j1" coef="1"/><joint joint="j2" coef="0.5"/></fixed></tendon>
    <actuator><motor tendon="t" gear="0.5"/><position tendon="s" kp="12" kv="0.8"/>
      <general tendon="t" gainprm="0.02" biastype="affine" biasprm="0 -4 -0.5" ctrlrange="0 255"/></actuator></mujoco>)",
                     0.4, 0.5, {1.0, 0.2, 90.0});
}

const std::string quadrotor = R"(<worldbody><body name="drone" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.1 0.02" mass="0.5"/>
    <site name="m0" pos="0.1 0.1 0"/><site name="m1" pos="-0.1 0.1 0"/><site name="m2" pos="-0.1 -0.1 0"/>
    <site name="m3" pos="0.1 -0.1 0"/></body></worldbody>
  <actuator><motor site="m0" gear="0 0 1 0 0 -0.02" ctrlrange="0 5"/><motor site="m1" gear="0 0 1 0 0 0.02" ctrlrange="0 5"/>
    <motor site="m2" gear="0 0 1 0 0 -0.02" ctrlrange="0 5"/><motor site="m3" gear="0 0 1 0 0 0.02" ctrlrange="0 5"/></actuator></mujoco>)";

TEST(MjcfTransmissions, QuadrotorHovers) {
  const LoadedModel loaded = load_mjcf_string(std::string(header) + quadrotor);
  Simulator simulator(loaded.model, {.time_step = 2e-3});
  simulator.set_control(VectorX::Constant(4, 0.5 * 9.81 / 4.0));
  simulator.step(5000);
  EXPECT_NEAR(1.0, simulator.state().q[2], 1e-9);
  EXPECT_LE(simulator.state().v.cwiseAbs().maxCoeff(), 1e-10);
  expect_same_lengths(std::string(header) + quadrotor);
  expect_same_motion(std::string(header) + quadrotor, 0.4, 0.3, {1.3, 1.2, 1.25, 1.28});
}

TEST(MjcfTransmissions, SitesWithReference) {
  const std::string xml = std::string(header) +
                          R"(<worldbody><site name="base" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1"/>
      <body pos="0 0 1"><joint axis="0 1 0"/><joint type="slide" axis="1 0 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/><site name="lower" pos="0.1 0 0.1" euler="0.1 0.4 0.2"/>
        <body pos="0.4 0 0"><joint axis="0 0 1"/><joint axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/><site name="tip" pos="0.3 0 0.05"/></body></body></worldbody>
    <actuator><general site="tip" refsite="base" gear="1 0.5 -0.3 0 0 0" gainprm="10" biastype="affine" biasprm="0 -10 -1"/>
      <motor site="tip" refsite="lower" gear="0 0 0 0.1 0.2 0.3"/></actuator></mujoco>)";
  expect_same_lengths(xml);
  expect_same_motion(xml, 0.3, 0.3, {0.4, 0.5});
}

TEST(MjcfTransmissions, SliderCrank) {
  const std::string xml = std::string(header) +
                          R"(<worldbody><site name="slider" pos="0.5 0 1" zaxis="-1 0 0"/>
      <body pos="0 0 1"><joint name="j" axis="0 1 0"/><geom type="cylinder" size="0.1 0.02" zaxis="0 1 0"/>
        <site name="crank" pos="0 0 0.1"/></body></worldbody>
    <actuator><motor slidersite="slider" cranksite="crank" cranklength="0.35" gear="3"/></actuator></mujoco>)";
  expect_same_lengths(xml);
  expect_same_motion(xml, 0.3, 0.3, {1.0});
}

const std::string spatial =
    R"(<worldbody><site name="top" pos="0.05 0.01 1.3"/><geom name="ball" type="sphere" size="0.08" pos="0.1 0 1.1"/>
    <site name="beside" pos="0.3 0 1.15"/>
    <body name="a" pos="0 0 1"><joint name="j1" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/><site name="s1" pos="0.2 0.02 0.05"/>
      <geom name="roll" type="cylinder" size="0.05 0.1" pos="0.4 0 0" zaxis="0 1 0.1"/><site name="side" pos="0.4 0 0.12"/>
      <body name="b" pos="0.4 0 0"><joint name="j2" type="hinge" axis="0 1 0.2"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/><site name="s2" pos="0.2 -0.03 0.02"/></body></body>
    <body name="c" pos="0.5 0 0.6"><freejoint/><geom size="0.05"/><site name="s3" pos="0 0 0.05"/></body></worldbody>)";

TEST(MjcfTransmissions, SpatialTendonsHaveMujocosLengths) {
  expect_same_lengths(std::string(header) + spatial + R"(<tendon>
      <spatial><site site="top"/><site site="s1"/><site site="s2"/></spatial>
      <spatial><site site="top"/><site site="s1"/><pulley divisor="2"/><site site="s1"/><site site="s3"/><pulley divisor="3"/><site site="s3"/><site site="s2"/></spatial>
      <spatial><site site="top"/><geom geom="ball"/><site site="s1"/></spatial>
      <spatial><site site="top"/><geom geom="ball" sidesite="beside"/><site site="s1"/></spatial>
      <spatial><site site="s1"/><geom geom="roll"/><site site="s2"/></spatial>
      <spatial><site site="s1"/><geom geom="roll" sidesite="side"/><site site="s2"/></spatial></tendon></mujoco>)",
                      200);
}

TEST(MjcfTransmissions, SpatialTendonsMoveAsInMujoco) {
  expect_same_motion(std::string(header) + spatial + R"(<tendon>
      <spatial name="t" stiffness="60" damping="1" springlength="0.2"><site site="top"/><site site="s1"/><site site="s2"/></spatial>
      <spatial name="p" stiffness="20" springlength="0.1"><site site="top"/><site site="s3"/><pulley divisor="2"/><site site="s3"/><site site="s2"/></spatial></tendon>
    <actuator><motor tendon="t"/></actuator></mujoco>)",
                     0.3, 0.3, {-0.5});
}

TEST(MjcfTransmissions, MusclesMoveAsInMujoco) {
  expect_same_motion(std::string(header) + spatial + R"(<tendon>
      <spatial name="t"><site site="top"/><site site="s1"/><site site="s2"/></spatial></tendon>
    <actuator><muscle tendon="t" lengthrange="0.2 0.9" force="40" timeconst="0.02 0.06" tausmooth="0.2"/></actuator></mujoco>)",
                     0.3, 0.3, {0.6});
}

// ---- A gripper: two fingers on slides, closed by one servo on the tendon between them, 0 … 255.
constexpr const char* gripper = R"(<mujoco><option timestep="0.002"/><worldbody>
    <body name="hand" pos="0 0 0.5" gravcomp="1"><joint name="lift" type="slide" axis="0 0 1" damping="20" armature="1"/>
      <geom type="box" size="0.1 0.03 0.02" mass="1"/>
      <body name="left" pos="-0.05 0 -0.06" gravcomp="1"><joint name="left" type="slide" axis="1 0 0" range="0 0.05" armature="0.05"/>
        <geom type="box" size="0.005 0.02 0.04" mass="0.05" friction="1"/></body>
      <body name="right" pos="0.05 0 -0.06" gravcomp="1"><joint name="right" type="slide" axis="-1 0 0" range="0 0.05" armature="0.05"/>
        <geom type="box" size="0.005 0.02 0.04" mass="0.05" friction="1"/></body></body>
    <body name="cube" pos="0 0 0.43"><freejoint/><geom type="box" size="0.02 0.02 0.02" mass="0.1" friction="1"/></body></worldbody>
  <contact><exclude body1="hand" body2="left"/><exclude body1="hand" body2="right"/></contact>
  <tendon><fixed name="split"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
  <equality><joint joint1="left" joint2="right"/></equality>
  <actuator><general name="grip" tendon="split" ctrlrange="0 255" forcerange="-100 100" gainprm="0.157" biastype="affine" biasprm="0 -800 -40"/>
    <position joint="lift" kp="2000" kv="200"/></actuator></mujoco>)";

TEST(MjcfTransmissions, GripperOnATendonHoldsACube) {
  const LoadedModel loaded = load_mjcf_string(gripper);
  Simulator simulator(loaded.model);
  VectorX control(2);
  control << 255.0, 0.0;
  simulator.set_control(control);
  simulator.step(1000);
  const VectorX held = simulator.state().q;
  EXPECT_NEAR(0.43, held[5], 0.05);
  simulator.step(15000);  // 30 s
  EXPECT_LE((simulator.state().q - held).cwiseAbs().maxCoeff(), 1e-9) << (simulator.state().q - held).transpose();
  // 0.157 · 255 = 40.035 N at ℓ = 0, less 800 N/m times what the fingers have moved, from both sides.
  const double length = simulator.tendon_lengths()[0];
  EXPECT_NEAR(0.5 * (held[1] + held[2]), length, 1e-9);
  EXPECT_NEAR(0.157 * 255.0 - 800.0 * length, simulator.actuator_forces()[0], 1e-6);
  EXPECT_EQ(0, simulator.num_uncertified_steps());
}

// Of everything there is: through a file, through bytes, and through a builder.
TEST(MjcfTransmissions, WhatIsWrittenStoredAndAttachedMovesTheSame) {
  const std::string xml = std::string(header) + spatial + R"(<tendon>
      <fixed name="f" stiffness="30" damping="0.4" springlength="0.1 0.3" range="-2 2" frictionloss="0.1">
        <joint joint="j1" coef="0.7"/><joint joint="j2" coef="-1.3"/></fixed>
      <spatial name="t" stiffness="5" damping="0.1"><site site="top"/><geom geom="ball" sidesite="beside"/><site site="s1"/>
        <site site="s2"/><pulley divisor="2"/><site site="s2"/><site site="s3"/></spatial></tendon>
    <equality><tendon tendon1="f" polycoef="0.02 0 0 0 0" active="false"/></equality>
    <actuator><general name="g" tendon="f" dyntype="filter" dynprm="0.1" gainprm="3" biastype="affine" biasprm="0.1 -4 -0.5" forcerange="-2 2"/>
      <motor name="s" site="s3" gear="0 0 1 0.1 0 0"/><motor name="r" site="s2" refsite="top" gear="1 0 0 0 0 0"/>
      <muscle name="m" tendon="t" lengthrange="0.2 1.5" force="10"/>
      <position name="p" joint="j2" kp="5" timeconst="0.05"/></actuator>
    <keyframe><key name="k" act="0.1 0.2 0.3" ctrl="1 2 3 0.5 0.6"/></keyframe></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  const Model& model = *loaded.model;
  ASSERT_EQ(5u, model.actuators.size()) << all_of(loaded);
  ASSERT_EQ(3, model.num_activations());
  EXPECT_EQ(0.3, model.keyframes.at(0).activation[2]);
  const auto run = [](const std::shared_ptr<const Model>& of) {
    Simulator simulator(of, {.time_step = 1e-3});
    simulator.reset(0);
    simulator.step(200);
    return std::pair<VectorX, VectorX>(simulator.state().q, simulator.state().activation);
  };
  const auto [q, activation] = run(loaded.model);
  EXPECT_GT((q - model.initial_position).cwiseAbs().maxCoeff(), 0.01);
  const auto bytes = model_to_bytes(model);
  const auto stored = model_from_bytes(bytes);
  EXPECT_EQ(bytes, model_to_bytes(*stored));
  EXPECT_EQ(q, run(stored).first);
  const auto built = ModelBuilder::from_model(model).build();
  EXPECT_EQ(bytes, model_to_bytes(*built));
  const ScratchFolder folder;
  const WrittenModel written = write_mjcf(model, folder.file("model.xml"));
  for (const std::string& lost : written.lost) EXPECT_EQ("", lost);
  const LoadedModel again = load_mjcf(folder.file("model.xml"));
  ASSERT_EQ(model.tendons.size(), again.model->tendons.size());
  ASSERT_EQ(model.actuators.size(), again.model->actuators.size());
  const auto [q_again, activation_again] = run(again.model);
  EXPECT_LE((q - q_again).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((activation - activation_again).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(MjcfTransmissions, RemovingABodyTakesItsTendonsAndActuators) {
  const LoadedModel loaded = load_mjcf_string(std::string(header) + spatial + R"(<tendon>
      <spatial name="t"><site site="top"/><site site="s1"/></spatial><spatial name="u"><site site="top"/><site site="s3"/></spatial></tendon>
    <actuator><motor name="a" tendon="t"/><motor name="b" tendon="u"/><motor name="c" site="s3" gear="1 0 0 0 0 0"/></actuator></mujoco>)");
  ModelBuilder builder = ModelBuilder::from_model(*loaded.model);
  builder.remove_body(2);  // c, the third of the file
  const auto left = builder.build();
  ASSERT_EQ(1u, left->tendons.size());
  EXPECT_EQ("t", left->tendons[0].name);
  ASSERT_EQ(1u, left->actuators.size());
  EXPECT_EQ("a", left->actuators[0].name);
}

TEST(MjcfTransmissions, WhatCannotBeReadIsListedAsAnActuator) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco><worldbody><body name="b"><joint name="ball" type="ball"/>
      <geom size="0.1"/><body name="c"><joint name="j" type="slide"/><geom size="0.1"/></body></body></worldbody>
    <actuator><adhesion name="sticky" body="b" ctrlrange="0 1"/><motor name="spin" joint="ball"/>
      <pid name="integral" joint="j" kp="10" kv="1" ki="3"/><motor name="plain" joint="j"/>
      <pid name="pd" joint="j" kp="10" kv="1"/></actuator></mujoco>)");
  EXPECT_TRUE(tells(loaded, "actuator 'sticky'", "adhesion")) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "actuator 'spin'", "several degrees")) << all_of(loaded);
  EXPECT_TRUE(tells(loaded, "actuator 'integral'", "integral")) << all_of(loaded);
  ASSERT_EQ(3u, loaded.model->actuators.size());
  EXPECT_EQ("plain", loaded.model->actuators[0].name);
  EXPECT_EQ(ActuatorKind::position, loaded.model->actuators[1].kind);
  EXPECT_EQ("pd_velocity", loaded.model->actuators[2].name);
}

TEST(MjcfTransmissions, BadFilesAreToldByElementAndValue) {
  const auto refused = [](const std::string& more) {
    return message_of([&] { load_mjcf_string(std::string("<mujoco>") + two_joints + more + "</mujoco>"); });
  };
  const std::string zero = refused(R"(<tendon><fixed name="t"><joint joint="j1" coef="0"/></fixed></tendon>)");
  EXPECT_NE(std::string::npos, zero.find("'t'")) << zero;
  EXPECT_NE(std::string::npos, zero.find("is 0")) << zero;
  const std::string site =
      refused(R"(<tendon><spatial name="t"><site site="nowhere"/><site site="x"/></spatial></tendon>)");
  EXPECT_NE(std::string::npos, site.find("nowhere")) << site;
  const std::string cycle =
      refused(R"(<equality><joint joint1="j1" joint2="j2"/><joint name="back" joint1="j2" joint2="j1"/></equality>)");
  EXPECT_NE(std::string::npos, cycle.find("cycle")) << cycle;
  const std::string gain = refused(R"(<actuator><general name="g" joint="j1" gainprm="nan"/></actuator>)");
  EXPECT_NE(std::string::npos, gain.find("'g': gain[0] is nan")) << gain;
  const std::string bias =
      refused(R"(<actuator><general name="g" joint="j1" biastype="affine" biasprm="0 inf 0"/></actuator>)");
  EXPECT_NE(std::string::npos, bias.find("'g': bias[1] is inf")) << bias;
  const std::string kind = refused(R"(<actuator><rocket name="g" joint="j1"/></actuator>)");
  EXPECT_NE(std::string::npos, kind.find("rocket")) << kind;
  const std::string dynamics = refused(R"(<actuator><general name="g" joint="j1" dyntype="magic"/></actuator>)");
  EXPECT_NE(std::string::npos, dynamics.find("magic")) << dynamics;
}

TEST(MjcfTransmissions, TendonEqualityHoldsLengths) {
  const LoadedModel loaded = load_mjcf_string(std::string("<mujoco>") + two_joints + R"(<tendon>
      <fixed name="a"><joint joint="j1" coef="1"/></fixed><fixed name="b"><joint joint="j2" coef="2"/></fixed></tendon>
    <equality><tendon tendon1="a" tendon2="b" polycoef="0 0.5 0.3 0 0"/></equality></mujoco>)");
  Simulator simulator(loaded.model, {.time_step = 1e-3});
  simulator.step(500);
  const VectorX l = simulator.tendon_lengths();
  EXPECT_GT(std::abs(l[1]), 0.05);
  EXPECT_NEAR(0.5 * l[1] + 0.3 * l[1] * l[1], l[0], 5e-5);  // as other loops that swing, at 1 ms
}

}  // namespace
}  // namespace stiction

#endif
