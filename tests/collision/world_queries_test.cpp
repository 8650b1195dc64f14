// Rays, distances and overlaps against what is true of the solids.
#include "stiction/collision/world_queries.h"

#include <gtest/gtest.h>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"
#include "tests/support/convex_oracle.h"
#include "tests/support/refused.h"
#include "tests/support/solid_truth.h"

namespace stiction {
namespace {

using testing::Solid;

std::vector<Geometry> convex_kinds(std::mt19937& generator) {
  return {Sphere{0.4},          Capsule{0.2, 0.5},          Cylinder{0.3, 0.4},
          Box{{0.3, 0.2, 0.5}}, Ellipsoid{{0.5, 0.3, 0.2}}, testing::random_hull(generator, 30, 0.5)};
}

// A hit is on the surface, all before it is outside, and a little beyond is inside; where there is none, nothing of the
// ray is inside.
TEST(CastRay, EveryConvexKindIsMetWhereItBegins) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> real(-1.0, 1.0);
  int hits = 0, misses = 0;
  for (const Geometry& geometry : convex_kinds(generator)) {
    for (int trial = 0; trial < 300; ++trial) {
      const Solid solid{geometry, testing::random_pose(generator, 0.5)};
      const Vector3 aim(real(generator), real(generator), real(generator));
      const Vector3 origin = 2.0 * testing::random_direction(generator) + solid.X.position;
      const Vector3 d = (solid.X.position + 0.6 * aim - origin).normalized();
      const auto hit = cast_ray(geometry, solid.X, origin, d);
      const double end = hit ? hit->distance : 5.0;
      for (int k = 0; k < 50; ++k) {
        ASSERT_GT(solid.outside(origin + (k / 50.0) * (end - 1e-9) * d), -1e-9) << geometry.index();
      }
      ++(hit ? hits : misses);
      if (!hit) continue;
      EXPECT_LT(std::abs(solid.outside(hit->position)), 1e-9) << geometry.index();
      EXPECT_LT((origin + hit->distance * d - hit->position).norm(), 1e-14);
      EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-12);
      EXPECT_LE(hit->normal.dot(d), 1e-12);
      // The plane of the surface there has the solid below it.
      EXPECT_LT(solid.height(hit->normal) - hit->normal.dot(hit->position), 1e-9) << geometry.index();
      EXPECT_FALSE(cast_ray(geometry, solid.X, origin, d, hit->distance - 1e-6));
      EXPECT_FALSE(cast_ray(geometry, solid.X, origin, -d));
    }
  }
  EXPECT_GT(hits, 300);
  EXPECT_GT(misses, 100);
}

TEST(CastRay, InsideIsDistanceZero) {
  std::mt19937 generator(2);
  for (const Geometry& geometry : convex_kinds(generator)) {
    const auto hit = cast_ray(geometry, Pose(), Vector3(0.01, 0.02, -0.01), Vector3::UnitX());
    ASSERT_TRUE(hit) << geometry.index();
    EXPECT_EQ(hit->distance, 0.0);
    EXPECT_EQ(hit->normal, -Vector3::UnitX());
  }
}

TEST(CastRay, ClosedForms) {
  const auto down = cast_ray(Plane{}, Pose(Vector3(0, 0, 0.5)), Vector3(3, 4, 2), -Vector3::UnitZ());
  ASSERT_TRUE(down);
  EXPECT_EQ(down->distance, 1.5);
  EXPECT_EQ(down->normal, Vector3::UnitZ());
  EXPECT_FALSE(cast_ray(Plane{}, Pose(), Vector3(0, 0, 1), Vector3::UnitX()));
  const auto ball = cast_ray(Sphere{1.0}, Pose(), Vector3(-3, 0.6, 0), Vector3::UnitX());
  ASSERT_TRUE(ball);
  EXPECT_NEAR(ball->distance, 2.2, 1e-15);  // 3 − 0.8
  EXPECT_LT((ball->normal - Vector3(-0.8, 0.6, 0)).norm(), 1e-15);
  const auto rod = cast_ray(Cylinder{0.5, 1.0}, Pose(), Vector3(0.2, 0.1, 3.0), -Vector3::UnitZ());  // along its axis
  ASSERT_TRUE(rod);
  EXPECT_NEAR(rod->distance, 2.0, 1e-15);
  EXPECT_EQ(rod->normal, Vector3::UnitZ());
}

// A bumpy field and a mesh of the same triangles: rays from above must agree, and lie on the surface.
TEST(CastRay, HeightFieldsAndMeshesAgree) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> real(-1.0, 1.0);
  const int nx = 9, ny = 7;
  std::vector<double> heights;
  for (int k = 0; k < nx * ny; ++k) heights.push_back(0.15 * real(generator));
  const auto field = HeightField::make(nx, ny, 0.25, 0.3, heights);
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) vertices.push_back(field->sample(i, j));
  }
  for (int t = 0; t < field->num_triangles(); ++t) {
    const auto c = field->corners(t);
    triangles.push_back({c[0].j * nx + c[0].i, c[1].j * nx + c[1].i, c[2].j * nx + c[2].i});
  }
  const auto mesh = TriangleMesh::make(vertices, triangles);
  const Pose pose = testing::random_pose(generator, 1.0);
  int hits = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3 from(1.2 * real(generator), 1.1 * real(generator), 0.2 + std::abs(real(generator)));
    const Vector3 to(0.9 * real(generator), 0.8 * real(generator), -0.2);
    Vector3 d = (to - from).normalized();
    if (trial % 50 == 0) d = -Vector3::UnitZ();
    if (trial % 50 == 1) d = Vector3(1.0, 0.0, -0.1).normalized();  // along lines of the grid
    const Vector3 origin = pose * from, along = pose.rotation * d;
    const auto on_mesh = cast_ray(mesh, pose, origin, along), on_field = cast_ray(field, pose, origin, along);
    const Vector3 met = on_field ? pose.to_local(on_field->position) : Vector3::Zero();
    const bool is_on_top = on_field && std::abs(met.z() - field->height_at(met.x(), met.y())) < 1e-9;
    if (on_field && !is_on_top) {  // into a side of the solid: the surface, if at all, is met later and from below
      if (on_mesh) {
        EXPECT_GT(on_mesh->distance, on_field->distance) << trial;
      }
      continue;
    }
    ASSERT_EQ(on_mesh.has_value(), on_field.has_value()) << trial;
    if (!on_mesh) continue;
    ++hits;
    EXPECT_NEAR(on_mesh->distance, on_field->distance, 1e-12) << trial;
    EXPECT_LT((on_mesh->normal - on_field->normal).norm(), 1e-9) << trial;
  }
  EXPECT_GT(hits, 1000);
  // Through the side, and from below.
  const auto side = cast_ray(field, Pose(), Vector3(-5, 0, -3), Vector3::UnitX());
  ASSERT_TRUE(side);
  EXPECT_NEAR(side->distance, 4.0, 1e-12);
  EXPECT_EQ(side->normal, -Vector3::UnitX());
  EXPECT_EQ(cast_ray(field, Pose(), Vector3(0, 0, -3), Vector3::UnitZ())->distance, 0.0);
  EXPECT_FALSE(cast_ray(field, Pose(), Vector3(0, 0, 1), Vector3::UnitZ()));
  EXPECT_FALSE(cast_ray(field, Pose(), Vector3(0, 0, 1), Vector3::UnitX()));
}

// Signed gaps of all pairs of convex kinds, near, far and overlapping.
TEST(ShapeDistance, IsTheSignedDistanceOfTheSolids) {
  std::mt19937 generator(4);
  const auto kinds = convex_kinds(generator);
  for (const Geometry& a : kinds) {
    for (const Geometry& b : kinds) {
      for (const double far : {0.3, 1.0, 4.0, 50.0}) {
        ModelBuilder builder;
        const Pose pose_a = testing::random_pose(generator, 0.2);
        Pose pose_b = testing::random_pose(generator, 0.2);
        pose_b.position = pose_a.position + far * testing::random_direction(generator);
        const int first = builder.add_body({.name = "a", .inertia = Inertia::of(Sphere{1}, 1.0)});
        builder.add_shape({.name = "a", .body = first, .geometry = a});
        builder.add_shape({.name = "b", .pose = pose_b, .geometry = b});
        const auto model = builder.build();
        const std::vector<Pose> poses{pose_a};
        const WorldView world{*model, poses};
        const Distance found = shape_distance(world, 0, 1), back = shape_distance(world, 1, 0);
        const Solid x{a, pose_a}, y{b, pose_b};
        const std::string what =
            std::to_string(a.index()) + " and " + std::to_string(b.index()) + " at " + std::to_string(far);
        const bool has_hull = std::holds_alternative<std::shared_ptr<const ConvexHull>>(a) ||
                              std::holds_alternative<std::shared_ptr<const ConvexHull>>(b);
        if (has_hull && found.distance < -0.1) {  // as deep as the points of a contact are, which may be less
          const double depth = -testing::separation(x, y, -found.normal);
          EXPECT_LT(-found.distance, depth + 1e-7) << what;
          EXPECT_GT(-found.distance, 0.9 * depth) << what;
          continue;
        }
        // From below: the planes across the normal separate by so much. From above: two points that far apart.
        EXPECT_NEAR(testing::separation(x, y, -found.normal), found.distance, 1e-7 * (1.0 + far)) << what;
        if (found.distance > 0.0) {
          EXPECT_NEAR((found.point_a - found.point_b).norm(), found.distance, 1e-9 * (1.0 + far)) << what;
          EXPECT_LT(x.outside(found.point_a), 1e-6 * (1.0 + far)) << what;
          EXPECT_LT(y.outside(found.point_b), 1e-6 * (1.0 + far)) << what;
        } else {
          EXPECT_LT(testing::best_separation(x, y, -found.normal, 200, generator), found.distance + 1e-5) << what;
        }
        EXPECT_NEAR(back.distance, found.distance, 1e-7 * (1.0 + far)) << what;
        EXPECT_LT((back.normal + found.normal).norm(), 1e-2) << what;
      }
    }
  }
}

struct Yard {
  std::shared_ptr<const Model> model;
  std::vector<Pose> poses;
  WorldView view() const { return {*model, poses}; }
};

Yard yard() {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  const int ball = builder.add_body({.name = "ball", .inertia = Inertia::of(Sphere{0.5}, 1.0)});
  builder.add_shape({.name = "ball", .body = ball, .geometry = Sphere{0.5}, .group = 2});
  const int box = builder.add_body({.name = "box", .inertia = Inertia::of(Sphere{0.5}, 1.0)});
  builder.add_shape({.name = "box", .body = box, .geometry = Box{{0.5, 0.5, 0.5}}});
  builder.add_shape({.name = "knob", .body = box, .pose = Pose(Vector3(0, 0, 0.7)), .geometry = Sphere{0.2}});
  builder.add_body({.name = "ghost", .inertia = Inertia::of(Sphere{0.5}, 1.0)});
  builder.add_shape({.name = "field",
                     .pose = Pose(Vector3(40, 0, 0)),
                     .geometry = HeightField::make(2, 2, 1.0, 1.0, std::vector<double>{0.1, 0.1, 0.1, 0.1})});
  return {builder.build(), {Pose(Vector3(0, 0, 2)), Pose(Vector3(3, 0, 2)), Pose()}};
}

TEST(WorldQueries, RaysMeetTheNearestShapeAndGoThroughWhatTheyAreTold) {
  const Yard y = yard();
  const WorldRayHit hit = cast_ray(y.view(), Vector3(-5, 0, 2), Vector3(10, 0, 0));
  EXPECT_EQ(hit.shape, y.model->find_shape("ball"));
  EXPECT_EQ(hit.body, 0);
  EXPECT_NEAR(hit.distance, 4.5, 1e-14);
  EXPECT_EQ(cast_ray(y.view(), Vector3(-5, 0, 2), Vector3::UnitX(), {.without_body = 0}).shape, 2);
  EXPECT_EQ(cast_ray(y.view(), Vector3(-5, 0, 2), Vector3::UnitX(), {.mask = 1}).shape, 2);
  EXPECT_FALSE(cast_ray(y.view(), Vector3(-5, 0, 2), Vector3::UnitX(), {.max_distance = 4.4}));
  EXPECT_FALSE(cast_ray(y.view(), Vector3(-5, 0, 2), -Vector3::UnitX()));
  EXPECT_EQ(cast_ray(y.view(), Vector3(0, 0, 10), -Vector3::UnitZ(), {.without_body = 0}).shape, 0);
  EXPECT_REFUSED(cast_ray(y.view(), Vector3::Zero(), Vector3::Zero()), "direction");
  EXPECT_REFUSED(cast_ray(y.view(), Vector3(NAN, 0, 0), Vector3::UnitX()), "origin");
  EXPECT_REFUSED(cast_ray(y.view(), Vector3::Zero(), Vector3::UnitX(), {.max_distance = -1.0}), "max_distance is -1");
}

TEST(WorldQueries, DistancesOfBodies) {
  const Yard y = yard();
  const Distance apart = body_distance(y.view(), 0, 1);
  EXPECT_NEAR(apart.distance, 2.0, 1e-12);
  EXPECT_EQ(apart.shape_b, y.model->find_shape("box"));
  EXPECT_LT((apart.normal + Vector3::UnitX()).norm(), 1e-12);
  EXPECT_LT((apart.point_a - Vector3(0.5, 0, 2)).norm(), 1e-12);
  EXPECT_LT((apart.point_b - Vector3(2.5, 0, 2)).norm(), 1e-12);
  EXPECT_NEAR(body_distance(y.view(), 0, -1).distance, 1.5, 1e-12);
  EXPECT_EQ(body_distance(y.view(), 0, 2).shape_a, -1);  // has no shape
  EXPECT_NEAR(shape_distance(y.view(), 1, 4).distance, (Vector3(39.5, 0, 0.1) - Vector3(0, 0, 2)).norm() - 0.5, 1e-9);
  EXPECT_REFUSED(shape_distance(y.view(), 0, 4), "'ground' (plane)");
  EXPECT_REFUSED(shape_distance(y.view(), 0, 9), "shape 9");
  EXPECT_REFUSED(body_distance(y.view(), 0, 0), "itself");
  EXPECT_REFUSED(body_distance(y.view(), 0, 7), "body 7");
}

TEST(WorldQueries, OverlapsOfPointsAndBoxes) {
  const Yard y = yard();
  const auto at = [&](const Geometry& g, const Vector3& p, double margin = 0.0) {
    return overlapping_shapes(y.view(), g, Pose(p), margin);
  };
  using Shapes = std::vector<int>;
  EXPECT_EQ(at(Sphere{0.0}, Vector3(0, 0, 2.4)), Shapes{1});
  EXPECT_EQ(at(Sphere{0.0}, Vector3(0, 0, 2.6)), Shapes{});
  EXPECT_EQ(at(Sphere{0.0}, Vector3(0, 0, 2.6), 0.11), Shapes{1});
  EXPECT_EQ(at(Sphere{0.0}, Vector3(0, 0, -1)), Shapes{0});
  EXPECT_EQ(at(Sphere{0.0}, Vector3(3, 0, 2.495)), (Shapes{2}));
  EXPECT_EQ(at(Box{{2.0, 0.1, 0.1}}, Vector3(1.5, 0, 2)), (Shapes{1, 2}));
  EXPECT_EQ(at(Box{{0.1, 0.1, 2.1}}, Vector3(0, 0, 2)), (Shapes{0, 1}));
  EXPECT_EQ(at(Sphere{0.3}, Vector3(40, 0, 0.31)), (Shapes{4}));  // the ground is a centimetre below
  EXPECT_REFUSED(at(Plane{}, Vector3::Zero()), "plane");
  EXPECT_REFUSED(at(Sphere{0.1}, Vector3(NAN, 0, 0)), "overlap");
  EXPECT_REFUSED(at(Sphere{0.1}, Vector3::Zero(), -1.0), "margin -1");
}

}  // namespace
}  // namespace stiction
