// Distances of all pairs that may touch, against those of single pairs.
#include "stiction/collision/pair_distances.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

std::shared_ptr<const Model> three_bodies() {
  ModelBuilder builder;
  ShapeOptions ground;
  ground.name = "ground";
  ground.geometry = Plane{};
  builder.add_shape(ground);
  const Geometry geometries[] = {Sphere{0.1}, Box{{0.1, 0.2, 0.1}}, Capsule{0.05, 0.2}};
  for (int k = 0; k < 3; ++k) {
    const int body =
        builder.add_body({.pose = Pose(Vector3(0.6 * k, 0, 0.5)), .inertia = Inertia::of(Sphere{0.1}, 1.0)});
    ShapeOptions shape;
    shape.name = "shape" + std::to_string(k);
    shape.body = body;
    shape.geometry = geometries[k];
    builder.add_shape(shape);
  }
  return builder.build();
}

TEST(PairDistances, AgreeWithSinglePairsAndBoundTheFar) {
  const auto model = three_bodies();
  std::vector<Pose> poses;
  for (int k = 0; k < 3; ++k) poses.emplace_back(Vector3(0.6 * k, 0, 0.5));
  const WorldView world{*model, poses};
  for (const double within : {0.0, 0.35, 10.0}) {
    const std::vector<PairDistance> pairs = pair_distances(world, within);
    ASSERT_EQ(pairs.size(), 6u);  // three on the ground, three with each other
    for (const PairDistance& pair : pairs) {
      const double exact = shape_distance(world, pair.shape_a, pair.shape_b).distance;
      EXPECT_EQ(pair.is_bound, exact > within) << within << " " << exact;
      if (pair.is_bound) {
        EXPECT_GT(pair.distance, within);
        EXPECT_LE(pair.distance, exact + 1e-12);
      } else {
        EXPECT_NEAR(pair.distance, exact, 1e-12);
        EXPECT_NEAR((pair.point_a - pair.point_b - pair.distance * pair.normal).norm(), 0.0, 1e-12);
      }
    }
  }
}

TEST(PairDistances, NegativeReachesAreRefused) {
  const auto model = three_bodies();
  const std::vector<Pose> poses(3);
  EXPECT_THROW(pair_distances({*model, poses}, -1.0), std::invalid_argument);
  EXPECT_THROW(pair_distances({*model, poses}, std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
