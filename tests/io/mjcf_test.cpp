#include "stiction/io/mjcf/mjcf.h"

#include <gtest/gtest.h>

#ifndef STICTION_MUJOCO

namespace stiction {
namespace {

TEST(Mjcf, WithoutMujocoSaysSo) {
  EXPECT_FALSE(has_mjcf());
  try {
    load_mjcf_string("<mujoco/>");
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("built without MuJoCo"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace stiction

#else

#include "tests/io/mjcf_oracle.h"

namespace stiction {
namespace {

using namespace testing;

TEST(Mjcf, HumanoidIsMujocosHumanoid) {
  const LoadedModel loaded = load_mjcf(humanoid);
  const Model& model = *loaded.model;
  Oracle oracle = Oracle::of_file(humanoid);
  const mjModel& m = *oracle.m;
  expect_same_mechanics(model, oracle, 1e-12);
  randomise(oracle, 1);
  expect_same_mechanics(model, oracle, 1e-12);
  EXPECT_NEAR(total_mass(model), m.body_subtreemass[0], 1e-12 * m.body_subtreemass[0]);
  EXPECT_EQ(m.ngeom, static_cast<int>(model.shapes.size()));
  EXPECT_EQ(m.nu, static_cast<int>(model.actuators.size()));
  EXPECT_EQ(m.nkey, static_cast<int>(model.keyframes.size()));
  EXPECT_EQ(m.njnt, static_cast<int>(model.joints.size()));
  EXPECT_EQ(m.opt.timestep, model.suggested_time_step);
  const Joint& knee = model.joints[model.find_joint("knee_left")];
  const int id = mj_name2id(oracle.m, mjOBJ_JOINT, "knee_left");
  const Dof& dof = model.dofs[knee.first_velocity];
  EXPECT_EQ(m.jnt_range[2 * id], dof.lower);
  EXPECT_EQ(m.jnt_range[2 * id + 1], dof.upper);
  EXPECT_EQ(0.2, dof.damping);
  EXPECT_EQ(0.01, dof.armature);
  EXPECT_EQ(1.0, dof.stiffness);
  ASSERT_EQ(m.ntendon, static_cast<int>(model.tendons.size()));
  for (int k = 0; k < m.ntendon; ++k) {
    EXPECT_EQ(m.tendon_range[2 * k], model.tendons[k].lower);
    EXPECT_EQ(m.tendon_num[k], static_cast<int>(model.tendons[k].terms.size()));
  }
  EXPECT_TRUE(tells(loaded, "solref, solimp of geom", "rigid"));
  EXPECT_TRUE(tells(loaded, "light 'spotlight', 'top'", "only to see"));
}

TEST(Mjcf, FrictionOfTheHumanoidIsThatOfMujoco) {
  const LoadedModel loaded = load_mjcf(humanoid);
  const Model& model = *loaded.model;
  const Shape& floor = model.shapes[model.find_shape("floor")];
  const Shape& hand = model.shapes[model.find_shape("hand_left")];
  const Shape& thigh = model.shapes[model.find_shape("thigh_right")];
  EXPECT_EQ(1.0, combine(floor.material, hand.material, model.friction_rule).friction);  // condim 3 of the floor
  EXPECT_EQ(0.0, combine(thigh.material, hand.material, model.friction_rule).friction);  // condim 1 of both
}

TEST(Mjcf, KeyframesHaveOurLayout) {
  const LoadedModel loaded = load_mjcf(humanoid);
  Oracle oracle = Oracle::of_file(humanoid);
  const mjModel& m = *oracle.m;
  ASSERT_GT(m.nkey, 0);
  for (int k = 0; k < m.nkey; ++k) {
    mj_resetDataKeyframe(oracle.m, oracle.d, k);
    const Keyframe& keyframe = loaded.model->keyframes[k];
    EXPECT_NEAR((keyframe.q - to_position(m, oracle.d->qpos)).norm(), 0.0, 1e-14);
    EXPECT_EQ(m.nv, keyframe.v.size());
    EXPECT_EQ(m.nu, keyframe.control.size());
  }
  EXPECT_NO_THROW(loaded.model->find_keyframe("squat"));
}

// Several joints on a body, anchors, references, springs, welded bodies, frames turned anyhow.
const char* const joints_xml =
    R"(<mujoco><compiler angle="radian"/><option timestep="0.004" gravity="1 2 -3"/><worldbody>
  <body name="base" pos="1 2 3" euler="0.3 0.2 0.1">
    <joint name="slide" type="slide" axis="1 2 3" ref="0.2" springref="-0.1" stiffness="7" damping="3" range="-1 2"/>
    <joint name="hinge" type="hinge" axis="0 1 1" pos="0.1 0.2 0.3" ref="0.5" armature="0.3" frictionloss="0.7"/>
    <geom name="g" type="box" size="0.1 0.2 0.3" pos="0.1 0 0" euler="1 0 0" mass="2"/>
    <body name="welded" pos="0 0 1" euler="0 1 0"><geom type="sphere" size="0.1" mass="1"/><site name="s" pos="1 0 0"/>
      <body name="ball" pos="0.3 0 0" euler="0 0 1"><joint name="ball" type="ball" pos="0.1 0 0" damping="0.4"/>
        <geom type="capsule" size="0.1 0.2" mass="3"/></body></body></body>
  <body name="flyer" pos="-1 0 1" euler="1 1 0"><freejoint name="flyer"/>
    <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.05 0 0" mass="4"/>
    <body><joint type="hinge" axis="1 0 0"/><geom type="cylinder" size="0.1 0.2" mass="1"/></body></body>
  </worldbody></mujoco>)";

TEST(Mjcf, JointsOfEveryKindInSequence) {
  const LoadedModel loaded = load_mjcf_string(joints_xml);
  const Model& model = *loaded.model;
  Oracle oracle = Oracle::of_string(joints_xml);
  EXPECT_NEAR((model.initial_position - to_position(*oracle.m, oracle.m->qpos0)).norm(), 0.0, 1e-15);
  expect_same_mechanics(model, oracle, 1e-12);
  for (unsigned seed = 1; seed < 6; ++seed) {
    randomise(oracle, seed);
    expect_same_mechanics(model, oracle, 1e-12);
  }
  EXPECT_EQ(Vector3(1, 2, -3), model.gravity);
  EXPECT_EQ(0.004, model.suggested_time_step);
  const Dof& slide = model.dofs[model.joints[model.find_joint("slide")].first_velocity];
  EXPECT_EQ(7.0, slide.stiffness);
  EXPECT_EQ(-0.1, slide.rest_position);
  EXPECT_EQ(3.0, slide.damping);
  EXPECT_EQ(-1.0, slide.lower);
  EXPECT_EQ(2.0, slide.upper);
  const Dof& hinge = model.dofs[model.joints[model.find_joint("hinge")].first_velocity];
  EXPECT_EQ(0.3, hinge.armature);
  EXPECT_EQ(0.7, hinge.dry_friction);
  EXPECT_EQ(no_limit, hinge.upper);
  const Joint& ball = model.joints[model.find_joint("ball")];
  for (int k = 0; k < 3; ++k) EXPECT_EQ(0.4, model.dofs[ball.first_velocity + k].damping);
  EXPECT_TRUE(loaded.ignored.empty()) << all_of(loaded);
}

// A tree of random shape, joints and frames.
std::string random_mjcf(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto triple = [&](double scale) {
    std::ostringstream text;
    text << scale * uniform(random) << " " << scale * uniform(random) << " " << scale * uniform(random);
    return text.str();
  };
  std::function<std::string(int)> body = [&](int depth) {
    std::string text = "<body pos=\"" + triple(0.5) + "\" euler=\"" + triple(90) + "\">";
    const int kind = static_cast<int>(random() % 6);  // fixed, free or ball, and one to three hinges and slides
    if (kind == 1) text += depth == 0 ? "<freejoint/>" : "<joint type=\"ball\" pos=\"" + triple(0.1) + "\"/>";
    for (int k = 2; k < kind; ++k) {
      text += std::string("<joint type=\"") + (random() % 3 ? "hinge" : "slide") + "\" axis=\"" + triple(1) +
              "\" pos=\"" + triple(0.2) + "\" ref=\"" + (random() % 2 ? "0.3" : "0") + "\" armature=\"0.01\"/>";
    }
    text += "<geom type=\"box\" size=\"0.1 0.05 0.2\" pos=\"" + triple(0.1) + "\" euler=\"" + triple(90) +
            "\" mass=\"1.5\"/>";
    text += "<site pos=\"" + triple(1) + "\"/>";
    for (unsigned k = 0; depth < 3 && k < random() % 3; ++k) text += body(depth + 1);
    return text + "</body>";
  };
  std::string text = "<mujoco><worldbody><body><joint type=\"hinge\"/><geom size=\"0.1\"/></body>";
  for (int k = 0; k < 4; ++k) text += body(0);
  return text + "</worldbody></mujoco>";
}

TEST(Mjcf, RandomTreesMoveAsMujocosDo) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const std::string xml = random_mjcf(seed);
    Oracle oracle = Oracle::of_string(xml);
    const LoadedModel loaded = load_mjcf_string(xml);
    expect_same_mechanics(*loaded.model, oracle, 1e-12);
    randomise(oracle, seed);
    expect_same_mechanics(*loaded.model, oracle, 1e-12);
  }
}

}  // namespace
}  // namespace stiction

#endif
