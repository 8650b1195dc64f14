// The scenes of the gallery do what their headers say: they stand without drift, every step certified, at 1 and 5 ms;
// and they fall where they must. tests/docs/gallery_test.py looks at the files.
#ifdef STICTION_MUJOCO
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

std::string file_of(const std::string& name) {
  return testing::scene_file("gallery/") + name + ".xml";
}

Simulator simulator_of(const std::string& name, double time_step, const std::string& keyframe = "") {
  SimulatorSettings settings;
  settings.time_step = time_step;
  settings.sleeping = false;
  Simulator simulator(load_mjcf(file_of(name)).model, settings);
  if (!keyframe.empty()) simulator.reset(simulator.model().find_keyframe(keyframe));
  return simulator;
}

// Of every body its origin and a point 5 cm along each of its axes; as seen from a body, if one is named.
std::vector<Vector3> points(Simulator& simulator, const std::string& seen_from = "") {
  std::vector<Vector3> shown;
  for (std::size_t f = 0; f < simulator.model().frames.size(); ++f) {
    const Pose pose = simulator.frame_pose(static_cast<int>(f));
    shown.push_back(pose.position);
    for (int axis = 0; axis < 3; ++axis) shown.push_back(pose.position + 0.05 * pose.rotation.col(axis));
  }
  if (seen_from.empty()) return shown;
  const Pose from = simulator.frame_pose(simulator.model().find_frame(seen_from));
  for (Vector3& point : shown) point = from.rotation.transpose() * (point - from.position);
  return shown;
}

double moved(const std::vector<Vector3>& a, const std::vector<Vector3>& b) {
  double farthest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) farthest = std::max(farthest, (a[k] - b[k]).norm());
  return farthest;
}

double height_of(Simulator& simulator, const std::string& body) {
  return simulator.frame_pose(simulator.model().find_frame(body)).position.z();
}

// A simulated time in steps, a tenth of it under a sanitizer.
int steps(const Simulator& simulator, double seconds) {
  const int usual = static_cast<int>(std::lround(seconds / simulator.settings().time_step));
  return testing::num_samples(usual, usual);
}

// ------------------------------------------------------------------------------------------------------------- what
// stands

struct Standing {
  const char* scene;
  double time_step;
  int steps;  // fewer where there are many bodies
};

void PrintTo(const Standing& standing, std::ostream* out) {
  *out << standing.scene << " at " << standing.time_step << " s";
}

class GalleryStands : public ::testing::TestWithParam<Standing> {};

TEST_P(GalleryStands, WithoutDriftAndCertified) {
  for (const IgnoredElement& ignored : load_mjcf(file_of(GetParam().scene)).ignored) {
    EXPECT_TRUE(ignored.element.starts_with("camera")) << ignored.element << ": " << ignored.reason;
  }
  Simulator simulator = simulator_of(GetParam().scene, GetParam().time_step);
  const int half = testing::num_samples(GetParam().steps, GetParam().steps) / 2;
  const std::vector<Vector3> start = points(simulator);
  simulator.step();
  EXPECT_LT(simulator.report().largest_penetration, 6e-9);  // blocks begin just touching
  simulator.step(half);
  const std::vector<Vector3> settled = points(simulator);
  EXPECT_LT(moved(settled, start), 1e-7);  // meshes have single precision
  simulator.step(half);
  // A tenth of the time under a sanitizer: misfits of arches are still closing.
  EXPECT_LT(moved(points(simulator), settled), testing::sanitized ? 2e-8 : 1e-9);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0) << simulator.worst_residual();
  EXPECT_GE(simulator.report().num_sticking, 3 * static_cast<int>(simulator.model().frames.size()) - 3);
}

// Arches need some seconds until the misfits of their meshes have closed.
INSTANTIATE_TEST_SUITE_P(All, GalleryStands,
                         ::testing::Values(Standing{"house_of_cards", 1e-3, 400}, Standing{"house_of_cards", 5e-3, 400},
                                           Standing{"card_pyramid", 1e-3, 400}, Standing{"card_pyramid", 5e-3, 400},
                                           Standing{"arch_semicircle", 1e-3, 10000},
                                           Standing{"arch_semicircle", 5e-3, 4000},
                                           Standing{"arch_catenary", 1e-3, 6000}, Standing{"arch_catenary", 5e-3, 2000},
                                           Standing{"arch_flat", 1e-3, 10000}, Standing{"arch_flat", 5e-3, 2000},
                                           Standing{"kapla", 1e-3, 200}, Standing{"kapla", 5e-3, 200},
                                           Standing{"dominoes", 1e-3, 400}, Standing{"dominoes", 5e-3, 400}));

// What a step accepts because its guess was acceptable the next one would accept, too: 36 of these steps.
TEST(Gallery, AcceptedStepsDoNotLast) {
  if (testing::sanitized) GTEST_SKIP() << "a minute, of which the last seconds matter";
  const auto model = load_mjcf(file_of("arch_flat")).model;
  SimulatorSettings settings{.time_step = 5e-3, .sleeping = false};
  Simulator usual(model, settings);
  settings.max_iterations = 1000;
  Simulator patient(model, settings);
  usual.step(12000);
  EXPECT_LE(usual.num_uncertified_steps(), 8);
  patient.step(12000);
  EXPECT_EQ(patient.num_uncertified_steps(), 0);
}

// ------------------------------------------------------------------------------------------------------- what must not
// stand

// How far a body goes in some steps of 2 ms.
double fallen(Simulator simulator, int count) {
  const std::vector<Vector3> start = points(simulator);
  simulator.step(count);
  return moved(points(simulator), start);
}

Simulator with_friction(const std::string& scene, double friction) {
  std::stringstream text;
  text << std::ifstream(file_of(scene)).rdbuf();
  const std::string old_text = text.str();
  const std::string changed = std::regex_replace(old_text, std::regex("<geom friction=\"[0-9.]+\""),
                                                 "<geom friction=\"" + std::to_string(friction) + "\"");
  EXPECT_NE(changed, old_text);
  return Simulator(load_mjcf_string(changed).model, {.time_step = 2e-3});
}

TEST(Gallery, FallsWithTooLittleFriction) {
  EXPECT_GT(fallen(with_friction("house_of_cards", 0.24), 60), 5e-3);
  EXPECT_GT(fallen(with_friction("card_pyramid", 0.22), 60), 5e-3);
  EXPECT_GT(fallen(with_friction("arch_catenary", 0.1), 100), 5e-3);
  EXPECT_GT(fallen(with_friction("arch_flat", 0.2), 100), 5e-3);
}

int add_block(ModelBuilder& builder, const Geometry& geometry, const Pose& pose, double friction) {
  const int body = builder.add_body({.pose = pose});
  ShapeOptions shape;
  shape.body = body;
  shape.geometry = geometry;
  shape.material.friction = friction;
  shape.density = 1000.0;
  builder.add_shape(shape);
  return body;
}

Simulator on_ground(ModelBuilder& builder, double friction) {
  ShapeOptions ground;
  ground.geometry = Plane{};
  ground.material.friction = friction;
  builder.add_shape(ground);
  return Simulator(builder.build(), {.time_step = 2e-3});
}

// Two cards of length L and thickness t that lean on each other. Moments about a foot: the thrust is tan(lean)/2 - t/(2
// L) of the weight of a card, and that much friction the feet need. Where the cards meet, edge on edge, the normal may
// be the face of one of them: friction of tan(lean) is enough for any.
Simulator tent(double lean, double length, double thickness, double friction) {
  ModelBuilder builder;
  for (const double side : {-1.0, 1.0}) {
    const double x = length / 2 * std::sin(lean) + thickness / 2 * std::cos(lean);
    const double z = length / 2 * std::cos(lean) + thickness / 2 * std::sin(lean);
    add_block(builder, Box{{thickness / 2, 0.044, length / 2}},
              Pose(Quaternion(Eigen::AngleAxisd(-side * lean, Vector3::UnitY())), Vector3(side * x, 0.0, z)), friction);
  }
  return on_ground(builder, friction);
}

TEST(Gallery, TwoCardsStandByFriction) {
  const double lean = 16.0 * M_PI / 180.0, length = 0.063, thickness = 3e-4;
  const double needed = std::tan(lean) / 2 - thickness / (2 * length);
  EXPECT_GT(fallen(tent(lean, length, thickness, 0.97 * needed), 200), 5e-4);
  EXPECT_LT(fallen(tent(lean, length, thickness, 1.02 * std::tan(lean)), 200), 1e-9);
}

// A semicircular arch with the radius 1 of its middle.
Simulator arch(int blocks, double thickness, double friction) {
  ModelBuilder builder;
  const double half = M_PI / (2 * blocks), inner = 1.0 - thickness / 2, outer = 1.0 + thickness / 2;
  std::vector<Vector3> corners;  // of a stone at the top, about (0, 0, 1)
  for (const double radius : {inner, outer}) {
    for (const double side : {-1.0, 1.0}) {
      for (const double y : {-0.15, 0.15}) {
        corners.push_back({side * radius * std::sin(half), y, radius * std::cos(half) - 1.0});
      }
    }
  }
  const Geometry stone = ConvexHull::from_points(corners);
  for (int k = 0; k < blocks; ++k) {
    const Quaternion turned(Eigen::AngleAxisd((2 * k + 1) * half - M_PI / 2, Vector3::UnitY()));
    add_block(builder, stone, Pose(turned, turned * Vector3::UnitZ()), friction);
  }
  return on_ground(builder, friction);
}

// Under its own weight it stands if it is thicker than 0.1075 of its radius (Milankovitch 1907).
TEST(Gallery, RoundArchThinnerThanMilankovitchSaysFalls) {
  EXPECT_GT(fallen(arch(31, 0.105, 0.7), testing::num_samples(1000, 1000)), testing::sanitized ? 1e-4 : 1e-2);
  EXPECT_LT(fallen(arch(31, 0.110, 0.7), testing::num_samples(500, 500)), 1e-9);
}

TEST(Gallery, DominoesFallInOrder) {
  Simulator simulator = simulator_of("dominoes", 1e-3, "push");
  const int count = static_cast<int>(simulator.model().frames.size());
  ASSERT_EQ(count, 40);
  std::vector<int> order;
  std::vector<char> down(count, 0);
  const int wanted = testing::sanitized ? 3 : count;
  for (int k = 0; k < 300 && static_cast<int>(order.size()) < wanted; ++k) {
    simulator.step(5);
    for (int d = 0; d < count; ++d) {
      const std::string name = (d < 10 ? "domino0" : "domino") + std::to_string(d);
      if (!down[d] && simulator.frame_pose(simulator.model().find_frame(name)).rotation(2, 2) < std::cos(0.35)) {
        down[d] = 1;
        order.push_back(d);
      }
    }
  }
  EXPECT_GE(static_cast<int>(order.size()), wanted);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(simulator.num_failed_steps(), 0);
}

// --------------------------------------------------------------------------------------------------- what is held, and
// carried

class GalleryHolds : public ::testing::TestWithParam<std::tuple<const char*, double>> {};

TEST_P(GalleryHolds, WithoutDriftAndCertified) {
  const auto [scene, time_step] = GetParam();
  Simulator simulator = simulator_of(scene, time_step, "hold");
  simulator.step(steps(simulator, 0.5));
  const std::vector<Vector3> settled = points(simulator);
  simulator.step(steps(simulator, 1.0));
  EXPECT_LT(moved(points(simulator), settled), 1e-9);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0) << simulator.worst_residual();
}

INSTANTIATE_TEST_SUITE_P(All, GalleryHolds,
                         ::testing::Combine(::testing::Values("gripper", "hand"), ::testing::Values(1e-3, 5e-3)));

TEST(Gallery, GripperAndHandLift) {
  for (const auto& [scene, things] :
       {std::pair<std::string, std::vector<std::string>>{"gripper", {"carriage", "block0", "block2", "block4"}},
        {"hand", {"palm", "can"}}}) {
    Simulator simulator = simulator_of(scene, 5e-3, "lift");
    std::vector<double> before;
    for (const std::string& thing : things) before.push_back(height_of(simulator, thing));
    simulator.step(800);
    for (std::size_t k = 0; k < things.size(); ++k) {
      EXPECT_NEAR(height_of(simulator, things[k]) - before[k], 0.1, 1e-4) << things[k];
    }
    EXPECT_EQ(simulator.num_uncertified_steps(), 0) << scene;
  }
}

// With a fraction of the pressure. The last control is the height.
TEST(Gallery, GripperAndHandDropWhatTheyHardlyHold) {
  for (const auto& [scene, thing, share] :
       {std::tuple<std::string, std::string, double>{"gripper", "block2", 0.25}, {"hand", "can", 0.05}}) {
    Simulator simulator = simulator_of(scene, 2e-3, "hold");
    VectorX control = simulator.state().control;
    control.head(control.size() - 1) *= share;
    simulator.set_control(control);
    const double before = height_of(simulator, thing);
    simulator.step(250);
    EXPECT_LT(height_of(simulator, thing), before - 0.02) << scene;
  }
}

TEST(Gallery, TurntableCarriesWithoutDrift) {
  for (const double time_step : {1e-3, 5e-3}) {
    Simulator simulator = simulator_of("turntable", time_step, "turn");
    simulator.step(steps(simulator, 6.0));
    const std::vector<Vector3> settled = points(simulator, "table"), before = points(simulator);
    simulator.step(steps(simulator, 1.0));
    if (!testing::sanitized) {
      EXPECT_NEAR(simulator.state().v[0], 2.0, 1e-6);
    }
    EXPECT_GT(moved(points(simulator), before), 0.05);
    EXPECT_LT(moved(points(simulator, "table"), settled), testing::sanitized ? 1e-6 : 1e-9);
    EXPECT_EQ(simulator.num_uncertified_steps(), 0);
  }
}

}  // namespace
}  // namespace stiction
#endif
