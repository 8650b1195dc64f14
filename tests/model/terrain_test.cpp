// Triangle meshes and height fields as containers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

TEST(TriangleMesh, MergesVerticesAndFindsNeighbours) {
  // Two triangles of a square as a file without shared vertices gives them, and one without area.
  const std::vector<Vector3> v = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const auto mesh = TriangleMesh::make(v, std::vector<std::array<int, 3>>{{0, 1, 2}, {3, 4, 5}, {0, 3, 1}});
  EXPECT_EQ(mesh->num_vertices(), 4);
  ASSERT_EQ(mesh->num_triangles(), 2);
  EXPECT_EQ(mesh->across(0, 2), 1);
  EXPECT_EQ(mesh->across(1, 0), 0);
  EXPECT_EQ(mesh->across(0, 0), -1);
  EXPECT_EQ(mesh->normal(0), Vector3(0, 0, 1));
  EXPECT_EQ(mesh->region(1), 0);
  EXPECT_EQ(mesh->upper(), Vector3(1, 1, 0));
}

TEST(TriangleMesh, TreeFindsWhatBruteForceFinds) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int t = 0; t < 500; ++t) {
    const Vector3 c(u(engine), u(engine), u(engine));
    for (int k = 0; k < 3; ++k) vertices.push_back(c + 0.1 * Vector3(u(engine), u(engine), u(engine)));
    triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const auto mesh = TriangleMesh::make(vertices, triangles);
  ASSERT_EQ(mesh->num_triangles(), 500);
  for (int query = 0; query < 200; ++query) {
    const Vector3 c(u(engine), u(engine), u(engine)), low = c.array() - 0.15, high = c.array() + 0.15;
    std::multiset<int> found, truth;
    mesh->for_each_in(low, high, [&](int t) { found.insert(t); });
    for (int t = 0; t < 500; ++t) {
      const Vector3 a = mesh->corner(t, 0), b = mesh->corner(t, 1), d = mesh->corner(t, 2);
      const bool meets = (a.cwiseMin(b).cwiseMin(d).array() <= high.array()).all() &&
                         (a.cwiseMax(b).cwiseMax(d).array() >= low.array()).all();
      if (meets) truth.insert(t);
    }
    for (const int t : truth) EXPECT_EQ(found.count(t), 1u);
    EXPECT_LE(found.size(), truth.size() + 40);  // whole leaves are visited
  }
}

TEST(TriangleMesh, RefusesBadInput) {
  const std::vector<Vector3> v = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  EXPECT_THROW(TriangleMesh::make(v, std::vector<std::array<int, 3>>{{0, 1, 3}}), std::invalid_argument);
  EXPECT_THROW(TriangleMesh::make(v, std::vector<std::array<int, 3>>{{0, 1, -1}}), std::invalid_argument);
  EXPECT_THROW(TriangleMesh::make(v, std::vector<std::array<int, 3>>{{0, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(TriangleMesh::make(v, {}), std::invalid_argument);
  const std::vector<Vector3> nan = {{0, 0, 0}, {1, 0, 0}, {1, std::nan(""), 0}};
  EXPECT_THROW(TriangleMesh::make(nan, std::vector<std::array<int, 3>>{{0, 1, 2}}), std::invalid_argument);
}

TEST(HeightField, HeightIsThatOfItsTriangles) {
  // One cell; the diagonal from (0, 0) to (1, 1) is a valley.
  const auto field = HeightField::make(2, 2, 2.0, 1.0, std::vector<double>{0.0, 1.0, 1.0, 0.0});
  EXPECT_DOUBLE_EQ(field->height_at(0.0, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(field->height_at(1.0, -0.5), 1.0);
  EXPECT_DOUBLE_EQ(field->height_at(0.5, -0.25), 0.5);  // s = 0.75, t = 0.25
  EXPECT_DOUBLE_EQ(field->height_at(-0.5, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(field->height_at(9.0, 9.0), 0.0);
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_DOUBLE_EQ(field->height_at(infinity, -infinity), 1.0);  // at the corner
  EXPECT_DOUBLE_EQ(field->height_at(-infinity, -infinity), 0.0);
  EXPECT_DOUBLE_EQ(field->height_at(1e300, -1e300), 1.0);
  for (const double other : {0.0, infinity, nan}) {
    EXPECT_TRUE(std::isnan(field->height_at(nan, other)));
    EXPECT_TRUE(std::isnan(field->height_at(other, nan)));
  }
  EXPECT_EQ(field->lower(), Vector3(-1.0, -0.5, 0.0));
  EXPECT_EQ(field->upper(), Vector3(1.0, 0.5, 1.0));
  EXPECT_DOUBLE_EQ(field->highest_in(0, 0), 1.0);
}

TEST(HeightField, NeighboursAndFlatRegions) {
  // 4 x 3 samples, flat but for one corner, which lifts one triangle.
  std::vector<double> h(12, 0.5);
  h[3] = 1.0;
  const auto field = HeightField::make(4, 3, 0.5, 1.0, h);
  ASSERT_EQ(field->num_triangles(), 12);
  int borders = 0, apart = 0;
  for (int t = 0; t < field->num_triangles(); ++t) {
    const auto own = field->corners(t);
    apart += field->region(t) != 0;
    for (int k = 0; k < 3; ++k) {
      const int other = field->across(t, k);
      if (other < 0) {
        ++borders;
        continue;
      }
      // The shared edge runs the other way round there.
      bool found = false;
      const auto its = field->corners(other);
      for (int m = 0; m < 3; ++m)
        found |= field->across(other, m) == t && its[m].i == own[(k + 1) % 3].i && its[m].j == own[(k + 1) % 3].j &&
                 its[(m + 1) % 3].i == own[k].i && its[(m + 1) % 3].j == own[k].j;
      EXPECT_TRUE(found) << t << " " << k;
    }
  }
  EXPECT_EQ(borders, 2 * (3 + 2));
  EXPECT_EQ(apart, 1);
  EXPECT_EQ(field->region(4), 4);  // cell (2, 0), the half with corner (3, 0)
}

TEST(HeightField, RefusesBadInput) {
  const std::vector<double> h(4, 0.0);
  EXPECT_THROW(HeightField::make(1, 4, 1.0, 1.0, h), std::invalid_argument);
  EXPECT_THROW(HeightField::make(2, 2, 0.0, 1.0, h), std::invalid_argument);
  EXPECT_THROW(HeightField::make(2, 2, 1.0, std::nan(""), h), std::invalid_argument);
  EXPECT_THROW(HeightField::make(2, 3, 1.0, 1.0, h), std::invalid_argument);
  const std::vector<double> bad = {0.0, 0.0, std::numeric_limits<double>::infinity(), 0.0};
  EXPECT_THROW(HeightField::make(2, 2, 1.0, 1.0, bad), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
