// The geometric certificate: contacts that are all there and only there, and what is found when something is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/sim/geometry_check.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;
using testing::box_on_slope;

void add_wall(ModelBuilder& builder, const Vector3& center, const Vector3& half_size, double restitution = 0.0) {
  ShapeOptions wall;
  wall.name = "wall";
  wall.geometry = Box{half_size};
  wall.pose = Pose(center);
  wall.material.friction = 0.5;
  wall.material.restitution = restitution;
  builder.add_shape(wall);
}

// ---- what is planted is found, in the step in which it acts

struct Planted {
  const char* name;
  void (*change)(std::vector<ContactPoint>& points);
};

class PlantedDefect : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedDefect, IsFoundInOneStep) {
  for (const double dt : {1e-3, 5e-3}) {
    Simulator simulator(box_on_slope(0.5, 0.0), {.time_step = dt, .recheck = false});
    simulator.step(20);
    ASSERT_TRUE(simulator.report().geometry_certified);
    // A load on a corner, so that it matters.
    const ContactPoint loaded = simulator.state().found.points[0];
    simulator.add_external_force(0, Vector3(0.0, 0.0, -20.0), loaded.position);
    simulator.step(20);
    ASSERT_LE(simulator.report().largest_gap_error, 1e-12);
    State state = simulator.state();
    ASSERT_EQ(state.found.points.size(), 4u);
    GetParam().change(state.found.points);
    simulator.set_state(state);
    const StepReport& report = simulator.step();
    EXPECT_TRUE(report.law_certified);
    EXPECT_FALSE(report.geometry_certified) << report.unforeseen_penetration << ' ' << report.largest_gap_error;
    EXPECT_FALSE(report.certified());
    EXPECT_EQ(simulator.num_geometry_uncertified_steps(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedDefect,
    ::testing::Values(Planted{"ContactLeftOut", [](std::vector<ContactPoint>& p) { p.erase(p.begin()); }},
                      Planted{"AllLeftOut", [](std::vector<ContactPoint>& p) { p.clear(); }},
                      Planted{"NormalTurned",
                              [](std::vector<ContactPoint>& p) {
                                p[0].normal = Vector3(std::sin(0.1), 0.0, std::cos(0.1));
                              }},
                      Planted{"AllNormalsTurned",
                              [](std::vector<ContactPoint>& p) {
                                for (ContactPoint& c : p) c.normal = Vector3(0.0, std::sin(0.1), std::cos(0.1));
                              }},
                      Planted{"GapTooLarge", [](std::vector<ContactPoint>& p) { p[0].gap = 2e-4; }},
                      Planted{"GapTooSmall",
                              [](std::vector<ContactPoint>& p) {
                                for (ContactPoint& c : p) c.gap = -1e-4;
                              }}),
    [](const auto& instance) { return instance.param.name; });

// A contact that pushes where nothing is: between the box and a wall farther or nearer than the margin, and beside the
// box on the ground that it stands on. Its gap is promised and kept; only that nothing is there tells.
struct Invented {
  const char* name;
  double wall;           // how far the wall is, m
  bool is_of_wall;       // the pair of the contact
  bool takes_real_name;  // of a contact that is there
};

class InventedContact : public ::testing::TestWithParam<Invented> {};

TEST_P(InventedContact, IsFoundInOneStep) {
  const Invented& planted = GetParam();
  for (const double margin : {1e-3, 1e-4}) {
    for (const double dt : {1e-3, 5e-3}) {
      for (const bool is_recheck : {false, true}) {
        ModelBuilder builder;
        add_ground(builder, 0.5);
        add_wall(builder, Vector3(0.1 + planted.wall + 0.1, 0.0, 0.0), Vector3(0.1, 1.0, 1.0));
        add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
        SimulatorSettings settings{.time_step = dt, .recheck = is_recheck};
        settings.collision.margin = margin;
        Simulator simulator(builder.build(), settings);
        // Towards the wall; so that the corners at +x carry more, and none of them can be spared.
        simulator.add_external_force(0, Vector3(4.0, 0.0, planted.is_of_wall ? 0.0 : -5.0), Vector3(0.08, 0.0, 0.1));
        simulator.step(20);
        ASSERT_TRUE(simulator.report().certified());
        State state = simulator.state();
        std::vector<ContactPoint>& points = state.found.points;
        ASSERT_EQ(points.size(), 4u);
        if (planted.is_of_wall) {
          // From the second shape to the first.
          points.push_back({{1, 2, 1}, Vector3(0.1, 0.0, 0.1), Vector3::UnitX(), 0.0});
        } else {
          const auto corner =
              std::max_element(points.begin(), points.end(), [](const ContactPoint& a, const ContactPoint& b) {
                return a.position.x() + a.position.y() < b.position.x() + b.position.y();
              });
          corner->position = Vector3(0.2, 0.0, 0.0);
          if (!planted.takes_real_name) corner->id.feature += 1000;
        }
        std::sort(points.begin(), points.end(),
                  [](const ContactPoint& a, const ContactPoint& b) { return a.id < b.id; });
        simulator.set_state(state);
        const StepReport& report = simulator.step();
        EXPECT_TRUE(report.law_certified);
        EXPECT_FALSE(report.geometry_certified) << margin << ' ' << dt << ' ' << report.largest_gap_error;
        EXPECT_GE(report.largest_gap_error, 0.99 * (planted.is_of_wall ? std::min(0.01, planted.wall) : 0.01));
        EXPECT_TRUE(simulator.step().geometry_certified) << "the next step sees the world";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, InventedContact,
                         ::testing::Values(Invented{"OfAFarPair", 0.5, true, false},
                                           Invented{"OfAPairWithinTheTolerance", 4e-3, true, false},
                                           Invented{"BesideTheBox", 0.5, false, false},
                                           Invented{"BesideTheBoxByARealName", 0.5, false, true}),
                         [](const auto& instance) { return instance.param.name; });

// With recheck what was left out is put back, and the box rests.
TEST(GeometryCheck, RecheckMendsWhatWasLeftOut) {
  Simulator simulator(box_on_slope(0.5, 0.0), {.time_step = 1e-3});
  simulator.step(20);
  State state = simulator.state();
  state.found.points.clear();
  const VectorX q = state.q;
  simulator.set_state(state);
  const StepReport& report = simulator.step();
  EXPECT_GE(report.num_rechecks, 1);
  EXPECT_TRUE(report.certified()) << report.unforeseen_penetration << ' ' << report.residuals.eps_nat;
  EXPECT_LE((simulator.state().q - q).norm(), 1e-7);
}

// A normal that is wrong where nothing moves shows by itself: no gap tells.
TEST(GeometryCheck, NormalsOfWhatRestsMustStay) {
  const auto model = box_on_slope(0.5, 0.0);
  DynamicsData dynamics(*model);
  update_kinematics(*model, model->initial_position.data(), model->initial_velocity.data(), dynamics);
  const std::vector<Pose> poses{body_pose(dynamics, 0)};
  const std::vector<double> way{0.0};
  const ContactPoint point{{0, 1, 7}, Vector3(0.1, 0.1, 0.0), Vector3::UnitZ(), 0.0};
  for (const double turn : {0.0, 0.1}) {
    const std::vector<GapPromise> promises{{.id = point.id,
                                            .position = point.position,
                                            .normal = Vector3(std::sin(turn), 0.0, std::cos(turn)),
                                            .is_carried = true}};
    GeometryCheck check;
    check.check({.model = *model,
                 .before = poses,
                 .after = poses,
                 .promises = promises,
                 .sought = {},
                 .found = {&point, 1},
                 .way = way,
                 .dynamics = dynamics,
                 .time_step = 1e-3,
                 .margin = 1e-3,
                 .tolerance = 1e-3});
    EXPECT_EQ(check.is_certified(), turn == 0.0);
    EXPECT_NEAR(check.largest_normal_error(), turn, 1e-7);
  }
}

}  // namespace
}  // namespace stiction
