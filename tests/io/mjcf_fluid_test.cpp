// Fluids: forces and motions against MuJoCo on the same file.
#ifdef STICTION_MUJOCO

#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/io/recording/model_storage.h"
#include "stiction/model/describe.h"
#include "stiction/model/model_builder.h"
#include "stiction/sim/fluid_forces.h"
#include "tests/io/mjcf_motion.h"
#include "tests/io/round_trip.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using namespace testing;

std::string world(const std::string& option, const std::string& bodies) {
  return "<mujoco><compiler angle=\"radian\"/><option integrator=\"RK4\" timestep=\"1e-4\" " + option +
         "><flag contact=\"disable\"/></option><worldbody>" + bodies + "</worldbody></mujoco>";
}

// A free body with a chain on it, none of whose axes is along anything.
std::string chain(const std::string& geom) {
  return R"(<body pos="0.1 0.2 1" euler="0.3 -0.2 0.5"><freejoint/>
      <geom type="box" size="0.1 0.15 0.07" pos="0.02 0 0.01" euler="0.2 0.1 0.4" )" +
         geom + R"(/>
      <body pos="0.2 0 0.05"><joint axis="0 1 0.3"/><geom type="capsule" fromto="0 0 0 0.3 0.05 0" size="0.03" )" +
         geom + R"(/>
        <body pos="0.3 0.05 0"><joint axis="1 0.4 0"/><joint type="slide" axis="0.2 0 1" stiffness="30"/>
          <geom type="ellipsoid" size="0.05 0.12 0.08" pos="0.1 0 0" )" +
         geom + R"(/></body></body></body>)";
}

constexpr const char* own_ellipsoid = R"(fluidshape="ellipsoid" fluidcoef="0.6 0.3 1.2 0.9 1.1")";

// Forces by velocity in random states; `forms` of them.
void expect_same_forces(const std::string& xml, std::size_t forms) {
  const LoadedModel loaded = load_mjcf_string(xml);
  for (const IgnoredElement& i : loaded.ignored) {
    EXPECT_TRUE(i.reason.find("time step") != std::string::npos || i.element.find("geom") == 0)
        << i.element << ": " << i.reason;
  }
  const Model& model = *loaded.model;
  ASSERT_EQ(forms, model.fluid_forms.size());
  Oracle oracle = Oracle::of_string(xml);
  FluidForces fluid(model);
  DynamicsData data(model);
  for (unsigned seed = 0; seed < 10; ++seed) {
    mj_resetData(oracle.m, oracle.d);
    randomise(oracle, seed);
    const VectorX q = to_position(*oracle.m, oracle.d->qpos), v = ConstVectorMap(oracle.d->qvel, oracle.m->nv);
    update_kinematics(model, q.data(), v.data(), data);
    fluid.update(model, data, v.data(), 0.0, false);
    const VectorX expected = ConstVectorMap(oracle.d->qfrc_fluid, oracle.m->nv);
    ASSERT_GT(expected.norm(), 1e-3);
    // MuJoCo's integrals of carried fluid are right to about 1e-6.
    EXPECT_LE((fluid.force() - expected).norm(), 1e-6 * expected.norm()) << seed;
  }
}

const std::string water = R"(density="300" viscosity="0.4" wind="0.3 -0.5 0.2")";

TEST(MjcfFluid, ForcesOnBoxesAreMujocos) {
  expect_same_forces(world(water, chain("")), 3);
  expect_same_forces(world(R"(viscosity="0.7")", chain("")), 3);
  expect_same_forces(world(R"(density="2.5")", chain("")), 3);
}

TEST(MjcfFluid, ForcesOnEllipsoidsAreMujocos) {
  expect_same_forces(world(water, chain(own_ellipsoid)), 3);
  expect_same_forces(world(R"(viscosity="0.7")", chain(own_ellipsoid)), 3);
  expect_same_forces(world(R"(density="2.5" wind="1 2 3")", chain(own_ellipsoid)), 3);
  for (const char* only : {"1 0 0 0 0", "0 1 0 0 0", "0 0 1 0 0", "0 0 0 1 0", "0 0 0 0 1", "0 0 0 0 0"}) {
    expect_same_forces(
        world(R"(density="30")", chain(std::string(R"(fluidshape="ellipsoid" fluidcoef=")") + only + "\"")), 3);
  }
}

// Two bodies that are fixed to each other are one here; each keeps what the fluid sees of it. Ellipsoids take the place
// of the box of their body alone, and need touch nothing.
TEST(MjcfFluid, ForcesOnBodiesThatAreFixedToEachOther) {
  expect_same_forces(world(water, R"(<body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.05"/>
      <geom type="sphere" size="0.05" pos="0.3 0 0"/>
      <body pos="0.2 0.1 0" euler="0.1 0.2 0.3"><geom type="cylinder" size="0.05 0.1" fluidshape="ellipsoid"/>
        <geom type="sphere" size="0.08" pos="0 0 0.2" fluidshape="ellipsoid" contype="0" conaffinity="0"/></body>
      <body pos="-0.3 0 0.1"><geom type="box" size="0.05 0.1 0.02" euler="0 0 1"/></body></body>)"),
                     4);
}

TEST(MjcfFluid, MotionsInViscousFluidsAreMujocos) {
  expect_same_motion(world(R"(viscosity="2")", chain("")), 0.4, 1.0, {});
}

TEST(MjcfFluid, MotionsInDenseFluidsAreMujocos) {
  expect_same_motion(world(R"(density="200")", chain("")), 0.2, 1.0, {});
}

TEST(MjcfFluid, MotionsInWindAreMujocos) {
  expect_same_motion(world(R"(density="100" viscosity="0.5" wind="3 -2 1")", chain("")), 0.2, 1.0, {});
}

TEST(MjcfFluid, MotionsOfEllipsoidsAreMujocos) {
  expect_same_motion(world(R"(density="100" viscosity="0.5" wind="3 -2 1")", chain(own_ellipsoid)), 0.2, 1.0, {});
  expect_same_motion(world(R"(density="400")", chain(own_ellipsoid)), 0.2, 2.0, {});
}

TEST(MjcfFluid, BoxesAndEllipsoidsComeBackFromAFile) {
  for (const std::string& geom : {std::string(), std::string(own_ellipsoid)}) {
    const LoadedModel loaded = load_mjcf_string(world(water, chain(geom)));
    const Model& model = *loaded.model;
    const ScratchFolder folder;
    const WrittenModel written = write_mjcf(model, folder.file("model.xml"));
    for (const std::string& lost : written.lost) EXPECT_EQ("", lost);
    const LoadedModel again = load_mjcf(folder.file("model.xml"));
    ASSERT_EQ(model.fluid_forms.size(), again.model->fluid_forms.size());
    EXPECT_EQ(model.fluid.density, again.model->fluid.density);
    EXPECT_EQ(model.fluid.viscosity, again.model->fluid.viscosity);
    EXPECT_EQ(model.fluid.wind, again.model->fluid.wind);
    const auto run = [](const std::shared_ptr<const Model>& of) {
      Simulator simulator(of, {.time_step = 1e-3});
      simulator.set_velocity(VectorX::LinSpaced(of->num_velocities(), -2.0, 3.0));
      simulator.step(100);
      return simulator.state().v;
    };
    EXPECT_LE((run(loaded.model) - run(again.model)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Two boxes that were fixed to each other become one body of one inertia, whose box is another.
TEST(MjcfFluid, WhatAFileCannotSayIsTold) {
  const LoadedModel loaded = load_mjcf_string(world(water, R"(<body name="hull"><freejoint/>
      <geom type="box" size="0.1 0.2 0.05"/><body pos="0.2 0.1 0"><geom type="box" size="0.1 0.1 0.1"/></body></body>)"));
  const ScratchFolder folder;
  EXPECT_TRUE(mentions(write_mjcf(*loaded.model, folder.file("model.xml")).lost, "boxes that the fluid acts on"));
}

TEST(MjcfFluid, SpringAndDamperSwitchedOffTogetherSwitchFluidsOff) {
  const auto fluid = [](const std::string& flags) {
    return load_mjcf_string(R"(<mujoco><option density="10"><flag )" + flags +
                            R"(/></option><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)")
        .model->fluid.is_there();
  };
  EXPECT_TRUE(fluid(R"(spring="disable")"));
  EXPECT_TRUE(fluid(R"(damper="disable")"));
  EXPECT_FALSE(fluid(R"(spring="disable" damper="disable")"));
}

TEST(MjcfFluid, BadValuesAreNamed) {
  const std::string ball = R"(<body><freejoint/><geom name="g" size="0.1")";
  const auto refused = [&](const std::string& option, const std::string& geom, const char* what, const char* value) {
    const std::string xml = world(option, ball + geom + "/></body>");
    EXPECT_REFUSED(load_mjcf_string(xml), what);
    EXPECT_REFUSED(load_mjcf_string(xml), value);
  };
  refused(R"(density="-1")", "", "fluid density", "-1");
  refused(R"(viscosity="-0.5")", "", "fluid viscosity", "-0.5");
  refused(R"(density="1" wind="0 nan 0")", "", "wind", "nan");
  refused(R"(density="1")", R"( fluidshape="ellipsoid" fluidcoef="-2 0.25 1.5 1 1")", "geom 'g'", "blunt_drag is -2");
}

}  // namespace
}  // namespace stiction

#endif
