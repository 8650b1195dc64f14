// Bodies on a block that is a mesh or a height field move as on the Box.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/model/geometry/height_field.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/terrain_truth.h"

namespace stiction {
namespace {

using testing::add_free;

const Vector3 half(1.0, 0.5, 0.2);

Geometry as_box() {
  return Box{half};
}
Geometry as_mesh(int cells) {
  return testing::block_mesh(half, cells, false);
}
// Its top at z = half.z().
Geometry as_field() {
  const std::vector<double> heights(11 * 8, half.z());
  return HeightField::make(11, 8, 2.0 * half.x() / 10, 2.0 * half.y() / 7, heights);
}

Simulator make_world(const Geometry& ground, const Geometry& body, const Pose& pose, const VectorX& v,
                     double friction) {
  ModelBuilder builder;
  ShapeOptions shape;
  shape.name = "ground";
  shape.geometry = ground;
  shape.material.friction = friction;
  builder.add_shape(shape);
  add_free(builder, "body", body, 1.0, pose, friction);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_velocity(v);
  return simulator;
}

VectorX velocity(double x, double y, double z) {
  VectorX v = VectorX::Zero(6);
  v.head<3>() << x, y, z;
  return v;
}

struct Case {
  const char* name;
  Geometry body;
  Matrix3 turn;
  double height;
};
std::vector<Case> cases() {
  const Matrix3 lying = Eigen::AngleAxisd(0.5 * M_PI, Vector3::UnitX()).toRotationMatrix();
  const Matrix3 aside = Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix();
  return {{"box", Box{{0.1, 0.08, 0.05}}, aside, 0.05},
          {"cylinder", Cylinder{0.08, 0.06}, aside, 0.06},
          {"sphere", Sphere{0.1}, Matrix3::Identity(), 0.1},
          {"capsule", Capsule{0.06, 0.1}, lying, 0.06}};
}

// Over many inner edges at 1 m/s, with friction: half a second.
TEST(TerrainMotion, SlidesOverInnerEdgesAsOnTheBox) {
  for (const Case& c : cases())
    for (const Geometry& ground : {as_mesh(10), as_field()}) {
      const Pose start(c.turn, Vector3(-0.7, 0.03, half.z() + c.height));
      Simulator on_box = make_world(as_box(), c.body, start, velocity(1.0, 0.1, 0.0), 0.3);
      Simulator on_terrain = make_world(ground, c.body, start, velocity(1.0, 0.1, 0.0), 0.3);
      double apart = 0.0, bump = 0.0;
      for (int i = 0; i < 500; ++i) {
        on_box.step(), on_terrain.step();
        apart = std::max(apart, (on_box.state().q - on_terrain.state().q).cwiseAbs().maxCoeff());
        bump = std::max(bump, std::abs(on_terrain.state().q[2] - start.position.z()));
      }
      EXPECT_LT(apart, 1e-6) << c.name;
      EXPECT_LT(bump, 1e-6) << c.name;
      EXPECT_GT(on_terrain.state().q[0], -0.55) << c.name;
      EXPECT_EQ(on_terrain.num_failed_steps(), 0);
    }
}

struct Fall {
  double deepest = 0.0;  // gap
  double most_energy = 0.0, first_energy = 0.0;
  VectorX end;
};
Fall watch(Simulator& simulator, int steps) {
  Fall out;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = simulator.step();
    const double energy = report.kinetic_energy + report.potential_energy;
    if (i == 0) out.first_energy = out.most_energy = energy;
    out.most_energy = std::max(out.most_energy, energy);
    for (const Contact& c : simulator.contacts()) out.deepest = std::min(out.deepest, c.point.gap);
  }
  out.end = simulator.state().q;
  return out;
}

// Over the edge of the block and down: half a second from the edge on.
TEST(TerrainMotion, RollsOffTheEdgeAsOffTheBox) {
  for (const Case& c : cases())
    for (const Geometry& ground : {as_mesh(1), as_mesh(6), as_field()}) {
      const Pose start(c.turn, Vector3(0.9, 0.03, half.z() + c.height));
      Simulator on_box = make_world(as_box(), c.body, start, velocity(0.6, 0.0, 0.0), 0.1);
      Simulator on_terrain = make_world(ground, c.body, start, velocity(0.6, 0.0, 0.0), 0.1);
      const Fall there = watch(on_box, 500), here = watch(on_terrain, 500);
      EXPECT_GT(here.deepest, there.deepest - 1e-4) << c.name;
      EXPECT_LT(here.most_energy, here.first_energy + 1e-3) << c.name;
      EXPECT_LT((here.end - there.end).head<3>().norm(), 0.02)
          << c.name << " " << here.end.transpose() << " | " << there.end.transpose();
      EXPECT_LT(here.end[2], 0.1) << c.name;
    }
}

// Dropped from 5 cm, askew, on an edge and on a corner.
TEST(TerrainMotion, DroppedOnEdgesAndCornersAsOnTheBox) {
  const Matrix3 askew = Eigen::AngleAxisd(0.7, Vector3(1.0, 0.4, 0.2).normalized()).toRotationMatrix();
  for (const Case& c : cases())
    for (const Vector3& place : {Vector3(half.x(), 0.1, 0.0), Vector3(half.x(), half.y(), 0.0)})
      for (const Geometry& ground : {as_mesh(1), as_mesh(4), as_field()}) {
        const Pose start(askew * c.turn, place + Vector3(-0.03, -0.02, half.z() + 0.2));
        Simulator on_box = make_world(as_box(), c.body, start, velocity(0.0, 0.0, 0.0), 0.5);
        Simulator on_terrain = make_world(ground, c.body, start, velocity(0.0, 0.0, 0.0), 0.5);
        const Fall there = watch(on_box, 400), here = watch(on_terrain, 400);
        EXPECT_GT(here.deepest, there.deepest - 5e-4) << c.name << " " << place.transpose();
        EXPECT_LT(here.most_energy, here.first_energy + 1e-3) << c.name << " " << place.transpose();
        EXPECT_EQ(on_terrain.num_failed_steps(), 0) << c.name;
      }
}

}  // namespace
}  // namespace stiction
