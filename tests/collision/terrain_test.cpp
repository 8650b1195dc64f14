// Bodies on triangle meshes and height fields: the same points as on a plane where the terrain is flat, nothing that
// catches on inner edges, ridges that carry.
#include "stiction/collision/terrain/terrain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "../support/allocation_guard.h"
#include "oracles.h"
#include "stiction/collision/collider.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using testing::Random;

constexpr double margin = 1e-3;

// z = height(x, y) over [−1, 1]², n cells along an axis.
template <class Height>
std::shared_ptr<const HeightField> make_field(int n, Height&& height) {
  std::vector<double> h;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) h.push_back(height(-1.0 + 2.0 * i / n, -1.0 + 2.0 * j / n));
  return HeightField::make(n + 1, n + 1, 2.0 / n, 2.0 / n, h);
}

std::shared_ptr<const TriangleMesh> as_mesh(const HeightField& field) {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < field.num_y(); ++j)
    for (int i = 0; i < field.num_x(); ++i) vertices.push_back(field.sample(i, j));
  for (int t = 0; t < field.num_triangles(); ++t) {
    const auto c = field.corners(t);
    const auto number = [&](int k) { return c[k].j * field.num_x() + c[k].i; };
    triangles.push_back({number(0), number(1), number(2)});
  }
  return TriangleMesh::make(vertices, triangles);
}

// One body on one terrain (or on a plane).
struct World {
  World(const Geometry& body, const Geometry& ground) {
    ModelBuilder builder;
    builder.add_shape({.geometry = ground});
    const int b = builder.add_body({});
    builder.add_shape({.body = b, .geometry = body, .mass = 1.0});
    collider.emplace(builder.build(), CollisionSettings{.margin = margin});
  }
  std::span<const ContactPoint> at(const Pose& pose) {
    poses[0] = pose;
    return collider->collide(poses, {}, cache);
  }
  std::optional<Collider> collider;
  CollisionCache cache;
  std::vector<Pose> poses = std::vector<Pose>(1);
};

double least_gap(std::span<const ContactPoint> points) {
  double least = 1.0;
  for (const ContactPoint& p : points) least = std::min(least, p.gap);
  return least;
}

std::vector<Geometry> bodies() {
  return {Sphere{0.1}, Capsule{0.05, 0.1}, Cylinder{0.07, 0.1}, Ellipsoid{{0.1, 0.05, 0.08}}, Box{{0.1, 0.05, 0.08}}};
}

TEST(Terrain, FlatTerrainIsAPlane) {
  const auto field = make_field(20, [](double, double) { return 0.0; });
  for (const Geometry& body : bodies())
    for (const Geometry& ground : {Geometry(field), Geometry(as_mesh(*field))}) {
      World terrain(body, ground), plane(body, Plane{});
      Random random(1);
      int touching = 0;
      for (int i = 0; i < 400; ++i) {
        Pose pose(i % 2 ? random.rotation() : random.small_rotation(1e-3),
                  Vector3(random.uniform(-0.5, 0.5), 0.1, 0.1));
        pose.position.z() += random.uniform(-0.06, 0.1);
        const auto expected = plane.at(pose), found = terrain.at(pose);
        ASSERT_EQ(found.size(), expected.size());
        touching += !found.empty();
        for (std::size_t k = 0; k < found.size(); ++k) {
          EXPECT_LT((found[k].normal - Vector3(0, 0, -1)).norm(), 1e-12);  // the terrain is shape 0
          bool is_there = false;
          for (const ContactPoint& p : expected)
            is_there |= (p.position - found[k].position).norm() < 1e-12 && std::abs(p.gap - found[k].gap) < 1e-12;
          EXPECT_TRUE(is_there);
        }
      }
      EXPECT_GT(touching, 50);
    }
}

TEST(Terrain, SlidingOverInnerEdgesKeepsNamesAndNormals) {
  const auto field = make_field(40, [](double x, double y) { return 0.1 * x + 0.05 * y; });
  const Vector3 up = Vector3(-0.1, -0.05, 1.0).normalized();
  const Matrix3 R = rotation_with_z(up);
  for (const Geometry& ground : {Geometry(field), Geometry(as_mesh(*field))}) {
    World world(Box{{0.1, 0.05, 0.08}}, ground);
    std::set<std::uint64_t> names;
    for (int i = 0; i < 500; ++i) {
      const double x = -0.5 + 0.002 * i;
      const auto points = world.at(Pose(R, Vector3(x, 0.013, 0.1 * x + 0.05 * 0.013) + 0.0799 * up));
      ASSERT_EQ(points.size(), 4u);
      for (const ContactPoint& p : points) {
        names.insert(p.id.feature);
        EXPECT_LT((p.normal + up).norm(), 1e-9);
        EXPECT_NEAR(p.gap, -1e-4, 1e-9);
      }
    }
    EXPECT_EQ(names.size(), 4u);
  }
}

TEST(Terrain, SphereOnHillsAgainstEveryTriangle) {
  // Distance of a point from a surface that it is above: the nearest point of all triangles.
  const auto field = make_field(12, [](double x, double y) { return 0.2 * std::sin(4.0 * x) * std::cos(3.0 * y); });
  const auto mesh = as_mesh(*field);
  World on_field(Sphere{0.15}, field), on_mesh(Sphere{0.15}, mesh);
  Random random(3);
  int touching = 0;
  for (int i = 0; i < 1000; ++i) {
    Vector3 c(random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), 0.0);
    c.z() = field->height_at(c.x(), c.y()) + random.uniform(0.1, 0.3);
    double truth = 1.0;
    for (int t = 0; t < mesh->num_triangles(); ++t) {
      const Vector3 p = mesh->corner(t, 0), q = mesh->corner(t, 1), r = mesh->corner(t, 2), n = mesh->normal(t);
      bool inside = true;
      for (int k = 0; k < 3; ++k) {
        const Vector3 e = mesh->corner(t, (k + 1) % 3) - mesh->corner(t, k);
        inside &= n.cross(e).dot(c - mesh->corner(t, k)) >= 0.0;
      }
      Vector3 foot;
      if (inside) truth = std::min(truth, std::abs(n.dot(c - p)));
      for (const auto& s : {testing::Segment{p, q}, testing::Segment{q, r}, testing::Segment{r, p}})
        truth = std::min(truth, testing::point_segment(c, s, foot));
    }
    for (World* world : {&on_field, &on_mesh}) {
      const auto points = world->at(Pose(c));
      if (truth - 0.15 > margin + 1e-9) {
        EXPECT_TRUE(points.empty()) << truth;
      } else {
        ASSERT_FALSE(points.empty()) << truth << " at " << c.transpose() << (world == &on_mesh ? " mesh" : " field");
        EXPECT_NEAR(least_gap(points), truth - 0.15, 1e-9);
        ++touching;
      }
    }
  }
  EXPECT_GT(touching, 200);
}

TEST(Terrain, BoxOnARidgeAndOverABorder) {
  // A roof along y: a box balances on its ridge.
  const auto roof = make_field(10, [](double x, double) { return -std::abs(x); });
  for (const Geometry& ground : {Geometry(roof), Geometry(as_mesh(*roof))}) {
    World world(Box{{0.1, 0.05, 0.08}}, ground);
    const auto points = world.at(Pose(Vector3(0.01, 0.1, 0.0799)));  // no vertex below it
    ASSERT_EQ(points.size(), 2u);
    for (const ContactPoint& p : points) {
      EXPECT_LT((p.normal + Vector3::UnitZ()).norm(), 1e-9);
      EXPECT_NEAR(p.gap, -1e-4, 1e-9);
      EXPECT_NEAR(p.position.x(), 0.0, 1e-9);
    }
    EXPECT_NEAR(std::abs(points[0].position.y() - points[1].position.y()), 0.1, 1e-9);
  }
  // A plank larger than the table: it lies on the border of the mesh.
  const auto table = as_mesh(*make_field(4, [](double, double) { return 0.0; }));
  World world(Box{{1.5, 0.2, 0.05}}, table);
  const auto points = world.at(Pose(Vector3(0.0, 0.1, 0.0499)));
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(p.gap, -1e-4, 1e-9);
    EXPECT_NEAR(std::abs(p.position.x()), 1.0, 1e-6);
    EXPECT_NEAR(std::abs(p.position.y() - 0.1), 0.2, 1e-6);
  }
}

TEST(Terrain, RestingBoxKeepsItsPointsUnderJitter) {
  const auto flat = make_field(30, [](double, double) { return 0.0; });
  for (const Geometry& ground : {Geometry(flat), Geometry(as_mesh(*flat))})
    for (const double jitter : {1e-6, 1e-4}) {
      World world(Box{{0.1, 0.05, 0.08}}, ground);
      Random random(5);
      std::set<std::uint64_t> last;
      int changes = 0;
      for (int i = 0; i < 1000; ++i) {
        const auto points = world.at(Pose(random.small_rotation(jitter), Vector3(0, 0, 0.08) + random.vector(jitter)));
        std::set<std::uint64_t> names;
        for (const ContactPoint& p : points) names.insert(p.id.feature);
        EXPECT_EQ(names.size(), 4u);
        changes += i > 0 && names != last;
        last = names;
      }
      EXPECT_EQ(changes, 0);
    }
}

TEST(Terrain, SecondCallDoesNotAllocateAndNanIsHarmless) {
  const auto hills = make_field(30, [](double x, double y) { return 0.1 * std::sin(5.0 * x) * std::cos(7.0 * y); });
  for (const Geometry& ground : {Geometry(hills), Geometry(as_mesh(*hills))}) {
    World world(Box{{0.1, 0.05, 0.08}}, ground);
    Random random(7);
    std::vector<Pose> poses;
    for (int i = 0; i < 50; ++i) poses.emplace_back(random.rotation(), Vector3(random.vector(0.5).x(), 0.0, 0.05));
    for (const Pose& p : poses) world.at(p);
    const testing::AllocationGuard guard;
    for (const Pose& p : poses) world.at(p);
    EXPECT_EQ(guard.count(), 0);
    Pose bad = poses[0];
    bad.position.z() = std::nan("");
    EXPECT_TRUE(world.at(bad).empty());
    bad.position.z() = 1e300;
    EXPECT_TRUE(world.at(bad).empty());
  }
}

}  // namespace
}  // namespace stiction
