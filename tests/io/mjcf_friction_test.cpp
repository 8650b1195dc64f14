// Materials of MJCF: condim 4 and 6, pairs with a friction of their own, surfaces that move. Read, written, and moved
// beside MuJoCo where the two laws agree.
#ifdef STICTION_MUJOCO

#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/sim/simulator.h"
#include "tests/io/mjcf_oracle.h"
#include "tests/io/round_trip.h"

namespace stiction {
namespace {

using namespace testing;

// A ball of 0.1 m on the ground, which is tilted by gravity.
std::string ball_file(int condim, double torsional, double rolling, const std::string& gravity = "0 0 -9.81",
                      const std::string& more = "") {
  const std::string friction = "\"0.8 " + std::to_string(torsional) + " " + std::to_string(rolling) + "\"";
  const std::string material = " condim=\"" + std::to_string(condim) + "\" friction=" + friction + " ";
  return "<mujoco><option timestep=\"0.001\" cone=\"elliptic\" integrator=\"implicitfast\" impratio=\"100\" gravity=\"" +
         gravity + "\"/><worldbody><geom name=\"floor\" type=\"plane\" size=\"5 5 1\"" + material + more +
         "/><body pos=\"0 0 0.1\"><freejoint/><geom name=\"ball\" size=\"0.1\" mass=\"2\"" + material +
         "/></body></worldbody></mujoco>";
}

// Velocities after `steps`, ours and MuJoCo's, in MuJoCo's layout: linear in the world, angular in the body.
struct Pair {
  VectorX ours, theirs;
};
Pair moved(const std::string& xml, const VectorX& v, int steps) {
  const LoadedModel loaded = load_mjcf_string(xml);
  Simulator simulator(loaded.model, {.time_step = 1e-3});
  Oracle oracle = Oracle::of_string(xml);
  // It stands where MuJoCo's soft contact carries it.
  for (int k = 0; k < 500; ++k) {
    for (int j = 0; j < 6; ++j) oracle.d->qvel[j] = j == 2 ? oracle.d->qvel[j] : 0.0;
    mj_step(oracle.m, oracle.d);
  }
  for (int j = 0; j < 6; ++j) {
    if (j != 2) oracle.d->qvel[j] = v[j];
  }
  simulator.set_velocity(v);
  for (int k = 0; k < steps; ++k) mj_step(oracle.m, oracle.d);
  simulator.step(steps);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0);
  return {simulator.state().v, ConstVectorMap(oracle.d->qvel, 6)};
}

TEST(MjcfFriction, ASpinEndsAsInMujoco) {
  VectorX v = VectorX::Zero(6);
  v[5] = 5.0;
  const Pair pair = moved(ball_file(4, 0.005, 0.5), v, 200);  // condim 4: its rolling friction does not count
  EXPECT_NEAR(pair.ours[5], 5.0 - 0.005 * 9.81 / (0.4 * 0.01) * 0.2, 1e-8);
  EXPECT_NEAR(pair.ours[5], pair.theirs[5], 0.01 * (5.0 - pair.ours[5]));
}

TEST(MjcfFriction, ARollingBallSlowsAsInMujoco) {
  VectorX v = VectorX::Zero(6);
  v[0] = 1.0, v[4] = 10.0;
  const Pair pair = moved(ball_file(6, 0.0001, 0.002), v, 500);
  EXPECT_NEAR(pair.ours[0], 1.0 - 9.81 * 0.02 / 1.4 * 0.5, 1e-6);
  EXPECT_NEAR(pair.ours[0], pair.theirs[0], 0.02 * (1.0 - pair.ours[0]));
}

TEST(MjcfFriction, ABallRollsDownAsInMujoco) {
  const Pair pair = moved(ball_file(6, 0.0001, 0.002, "1.5 0 -9.81"), VectorX::Zero(6), 300);
  EXPECT_NEAR(pair.ours[0], (1.5 - 9.81 * 0.02) / 1.4 * 0.3, 1e-6);
  EXPECT_NEAR(pair.ours[0], pair.theirs[0], 0.02 * pair.ours[0]);
  const Pair held = moved(ball_file(6, 0.0001, 0.02, "1.5 0 -9.81"), VectorX::Zero(6), 300);
  EXPECT_LE(held.ours.norm(), 1e-9);
}

TEST(MjcfFriction, ABeltCarriesAsInMujoco) {
  const Pair pair = moved(ball_file(3, 0.0, 0.0, "0 0 -9.81", "surfacevel=\"0 0.5 0 0 0 0\""), VectorX::Zero(6), 400);
  EXPECT_NEAR(pair.ours[1], pair.theirs[1], 0.01);
  EXPECT_NEAR(pair.ours[1], 0.5 * 2.0 / 7.0, 1e-6);  // rolls on the belt: R ω = 5/2 v against it
}

// A geom of condim 3 has coefficients that a partner of condim 4 brings to life; one of condim 1 likewise.
TEST(MjcfFriction, PairsHaveMujocosCondimAndFriction) {
  const std::string xml = R"(<mujoco><worldbody>
      <geom name="floor" type="plane" size="1 1 1" condim="3" friction="0.5 0.02 0.001"/>
      <body pos="0 0 1"><freejoint/><geom name="four" size="0.1" condim="4" friction="0.7 0.01 0.5"/></body>
      <body pos="1 0 1"><freejoint/><geom name="six" size="0.1" condim="6" friction="0.3 0.03 0.002"/></body>
      <body pos="0 1 1"><freejoint/><geom name="one" size="0.1" condim="1" friction="0.9 0.04 0.003"/></body>
      <body pos="1 1 1"><freejoint/><geom name="first" size="0.1" condim="6" friction="0.2 0.001 0.001" priority="1"/></body>
    </worldbody></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  Oracle oracle = Oracle::of_string(xml);
  const Model& model = *loaded.model;
  // MuJoCo's own combination, from contacts that it makes.
  const std::vector<std::string> names = {"floor", "four", "six", "one", "first"};
  int seen = 0;
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = std::max<std::size_t>(1, a + 1); b < names.size(); ++b) {
      for (int body = 0; body < 4; ++body) oracle.d->qpos[7 * body + 2] = 10.0 * (body + 1);
      const int first = static_cast<int>(a) - 1, second = static_cast<int>(b) - 1;
      for (int k = 0; k < 2; ++k) oracle.d->qpos[7 * second + k] = first >= 0 ? oracle.d->qpos[7 * first + k] : 0.0;
      oracle.d->qpos[7 * second + 2] = first >= 0 ? oracle.d->qpos[7 * first + 2] + 0.19 : 0.09;
      mj_forward(oracle.m, oracle.d);
      ASSERT_EQ(oracle.d->ncon, 1) << names[a] << " " << names[b];
      const mjContact& contact = oracle.d->contact[0];
      const PairMaterial ours = model.pair_material(std::min(model.find_shape(names[a]), model.find_shape(names[b])),
                                                    std::max(model.find_shape(names[a]), model.find_shape(names[b])));
      const std::string what = names[a] + " " + names[b];
      EXPECT_EQ(ours.friction, contact.dim == 1 ? 0.0 : contact.friction[0]) << what;
      EXPECT_EQ(ours.torsional_friction, contact.dim >= 4 ? contact.friction[2] : 0.0) << what;
      EXPECT_EQ(ours.rolling_friction, contact.dim == 6 ? contact.friction[3] : 0.0) << what;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 10);
  EXPECT_TRUE(loaded.ignored.empty());
}

TEST(MjcfFriction, ExplicitPairsHaveTheirOwn) {
  const LoadedModel loaded = load_mjcf_string(R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1" mass="1"/></body></worldbody>
    <contact><pair geom1="ball" geom2="floor" condim="6" friction="0.3 0.3 0.02 0.003 0.003" margin="0.01"
      solreffriction="0.1 1"/></contact></mujoco>)");
  const PairMaterial pair = loaded.model->pair_material(0, 1);
  EXPECT_EQ(pair.friction, 0.3);
  EXPECT_EQ(pair.torsional_friction, 0.02);
  EXPECT_EQ(pair.rolling_friction, 0.003);
  EXPECT_TRUE(tells(loaded, "pair", "margin and gap"));
  EXPECT_TRUE(tells(loaded, "solreffriction", "friction is rigid"));
  EXPECT_EQ(loaded.ignored.size(), 2u);
}

TEST(MjcfFriction, WrittenAndReadAgain) {
  ModelBuilder builder;
  builder.set_friction_rule(FrictionRule::maximum);
  Material belt;
  belt.friction = 0.7, belt.torsional_friction = 0.01, belt.surface_velocity = Vector3(1, 2, 0);
  belt.surface_spin = Vector3(0, 0, 3);
  const int floor = builder.add_shape({.name = "floor", .geometry = Plane{}, .material = belt});
  for (const char* name : {"rolls", "plain"}) {
    const int body = builder.add_body({.name = name, .inertia = Inertia::of(Sphere{0.1}, 1.0)});
    Material own;
    own.friction = 0.4;
    if (name == std::string("rolls")) own.rolling_friction = 0.002, own.torsional_friction = 0.003;
    const int shape = builder.add_shape({.name = name, .body = body, .geometry = Sphere{0.1}, .material = own});
    if (name == std::string("plain")) {
      builder.set_pair_material(floor, shape, {.friction = 0.1, .friction_2 = 0.1, .torsional_friction = 0.5});
    }
  }
  const auto model = builder.build();
  const RoundTrip trip =
      make_round_trip(*model, "model.xml", write_mjcf, [](const auto& path) { return load_mjcf(path); });
  for (const std::string& lost : trip.written.lost) ADD_FAILURE() << lost;
  for (const IgnoredElement& ignored : trip.loaded.ignored) ADD_FAILURE() << ignored.element << ": " << ignored.reason;
  const Model& read = *trip.loaded.model;
  const Material& again = read.shapes[read.find_shape("floor")].material;
  EXPECT_EQ(again.surface_velocity, belt.surface_velocity);
  EXPECT_EQ(again.surface_spin, belt.surface_spin);
  for (int a = 0; a < 3; ++a) {
    for (int b = a + 1; b < 3; ++b) {
      const auto pair = [&](const Model& m) {
        const int i = m.find_shape(model->shapes[a].name), j = m.find_shape(model->shapes[b].name);
        return m.pair_material(std::min(i, j), std::max(i, j));
      };
      EXPECT_EQ(pair(read).friction, pair(*model).friction) << a << b;
      EXPECT_EQ(pair(read).torsional_friction, pair(*model).torsional_friction) << a << b;
      EXPECT_EQ(pair(read).rolling_friction, pair(*model).rolling_friction) << a << b;
    }
  }
}

}  // namespace
}  // namespace stiction
#endif
