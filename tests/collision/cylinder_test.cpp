// What a cylinder has on a plane and on other shapes is decided by its tilt, whatever the margin: both ends of a lying
// one, four points of a standing one, the deepest point always.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "oracles.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/primitives/primitives.h"
#include "stiction/model/geometry/convex_hull.h"

namespace stiction {
namespace {

using testing::Random;

constexpr double margins[] = {1e-3, 1e-2, 0.05, 0.2};
const Cylinder cylinders[] = {{0.01, 0.05}, {0.0005, 0.05}, {0.05, 0.1}, {0.1, 0.002}};
const Matrix3 lying = Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()).toRotationMatrix();

// Axis at `tilt` from the plane's normal.
Matrix3 tilted(double tilt, double spin) {
  return Eigen::AngleAxisd(tilt, Vector3::UnitX()).toRotationMatrix() *
         Eigen::AngleAxisd(spin, Vector3::UnitZ()).toRotationMatrix();
}

// Height of the centre at which the lowest point is at zero.
double rest_height(const Cylinder& c, double tilt) {
  return c.half_length * std::abs(std::cos(tilt)) + c.radius * std::abs(std::sin(tilt));
}

TEST(CylinderPlane, LyingHasBothEndsWhateverTheMargin) {
  for (const Cylinder& c : cylinders)
    for (const double margin : margins)
      for (const double tilt : {0.0, 1e-9, -1e-6, 1e-4, -1e-3}) {
        if (2.0 * c.half_length * std::abs(tilt) > 0.5 * margin) continue;  // one end is out of reach
        const Pose X(tilted(M_PI / 2 + tilt, 0.3), Vector3(0.1, 0.2, rest_height(c, M_PI / 2 + tilt) - 1e-5));
        Manifold m;
        collide_cylinder_plane(c, X, Pose(), margin, m);
        ASSERT_EQ(m.size, 2) << c.radius << " " << margin << " " << tilt;
        EXPECT_EQ(std::set<std::uint64_t>(m.feature, m.feature + 2), (std::set<std::uint64_t>{8, 9}));
        EXPECT_NEAR((m.position[0] - m.position[1]).norm(), 2.0 * c.half_length, 1e-5);
      }
}

TEST(CylinderPlane, EveryTiltHasWhatCouldTouch) {
  for (const Cylinder& c : cylinders)
    for (const double margin : margins)
      for (int i = 0; i <= 1000; ++i) {
        const double tilt = i * M_PI / 2000;
        const Pose X(tilted(tilt, 1.0), Vector3(0, 0, rest_height(c, tilt)));
        Manifold m;
        EXPECT_NEAR(collide_cylinder_plane(c, X, Pose(), margin, m), 0.0, 1e-15);
        ASSERT_GE(m.size, 1);
        EXPECT_LE(*std::min_element(m.gap, m.gap + m.size), 2e-9);
        int num_low = 0, num_high = 0;  // points of the lower and of the upper cap
        for (int k = 0; k < m.size; ++k) {
          const Vector3 p = X.to_local(m.position[k] + 0.5 * m.gap[k] * m.normal[k]);
          EXPECT_NEAR(p.head<2>().norm(), c.radius, 1e-12);
          ++(p.z() < 0.0 ? num_low : num_high);
        }
        const double rim = 2.0 * c.radius * std::sin(tilt), end = 2.0 * c.half_length * std::cos(tilt);
        if (tilt < M_PI / 4 && rim <= margin - 1e-12) {
          EXPECT_EQ(num_low, 4) << tilt;
        }
        if (tilt > 50.0 / 180.0 * M_PI && end <= margin - 1e-12) {
          EXPECT_EQ(num_high, 1) << tilt;
        }
        EXPECT_GE(num_low, 1);
      }
}

TEST(BoxPlane, ThinBoxesHaveEveryVertexThatFits) {
  // A plate of 1 mm leans on its edge: both vertices of the edge and those above them, at any margin up to its width.
  const Box plate{{0.1, 0.1, 0.0005}};
  for (const double margin : {1.1e-3, 5e-3, 0.02})
    for (const double tilt : {0.2, 0.5, 0.7, 0.9, 1.3}) {
      const Matrix3 R = Eigen::AngleAxisd(tilt, Vector3::UnitX()).toRotationMatrix();
      const double z = 0.1 * std::sin(tilt) + 0.0005 * std::cos(tilt);
      Manifold m;
      EXPECT_NEAR(collide_box_plane(plate, Pose(R, Vector3(0, 0, z)), Pose(), margin, m), 0.0, 1e-15);
      ASSERT_EQ(m.size, 4) << tilt;
      const std::set<std::uint64_t> names(m.feature, m.feature + 4);
      EXPECT_EQ(names, (std::set<std::uint64_t>{0, 1, 4, 5})) << tilt;  // all at y = −0.1
      for (int k = 0; k < 4; ++k) EXPECT_NEAR(m.position[k].z(), 0.5 * m.gap[k], 1e-15);
    }
}

// ---- on other shapes

struct Pair {
  Shape a, b;
  alignas(16) std::array<std::byte, 1024> memory{};
  Pair(const Geometry& one, const Geometry& two) { a.geometry = one, b.geometry = two; }
  double collide(const Pose& X_WA, const Pose& X_WB, double margin, Manifold& m) {
    return find_pair_kernel(a.kind(), b.kind())(a, X_WA, b, X_WB, margin, memory.data(), m);
  }
};

double length_of(const Manifold& m) {
  double length = 0.0;
  for (int i = 0; i < m.size; ++i)
    for (int k = 0; k < i; ++k) length = std::max(length, (m.position[i] - m.position[k]).norm());
  return length;
}

// Tables whose top is z = 0.
std::vector<std::pair<Geometry, Pose>> tables() {
  return {{Box{{0.5, 0.5, 0.1}}, Pose(Vector3(0, 0, -0.1))},
          {ConvexHull::box({0.5, 0.5, 0.1}), Pose(Vector3(0, 0, -0.1))},
          {Cylinder{0.5, 0.1}, Pose(Vector3(0, 0, -0.1))}};
}

TEST(CylinderOnShapes, LyingAndStandingWhateverTheMargin) {
  for (const auto& [table, X_table] : tables())
    for (const Cylinder& c : cylinders)
      for (const double margin : margins) {
        Manifold m;
        const Pose level(lying, Vector3(0.1, 0.05, c.radius - 1e-6));
        EXPECT_NEAR(Pair(c, table).collide(level, X_table, margin, m), -1e-6, 1e-9);
        EXPECT_EQ(m.size, 2);
        EXPECT_NEAR(length_of(m), 2.0 * c.half_length, 1e-9);
        const Pose upright(Vector3(0.1, 0.05, c.half_length - 1e-6));
        EXPECT_NEAR(Pair(c, table).collide(upright, X_table, margin, m), -1e-6, 1e-9);
        EXPECT_EQ(m.size, 4);
        EXPECT_GT(length_of(m), 1.9 * c.radius);
      }
}

TEST(CylinderOnShapes, LeaningHasTheRimThatCouldTouch) {
  const Cylinder c{0.05, 0.1};
  for (const auto& [table, X_table] : tables())
    for (const double degrees : {3.0, 6.0, 15.0, 29.0, 31.0, 44.0}) {
      const double tilt = degrees * M_PI / 180;
      const Pose X(tilted(tilt, 0.2), Vector3(0.1, 0.05, rest_height(c, tilt)));
      Manifold m;
      EXPECT_NEAR(Pair(c, table).collide(X, X_table, 0.15, m), 0.0, 1e-9);
      EXPECT_EQ(m.size, 4) << degrees;
      EXPECT_GT(length_of(m), 1.9 * c.radius * std::cos(tilt));
      EXPECT_NEAR(*std::min_element(m.gap, m.gap + m.size), 0.0, 6e-5);
    }
}

TEST(LineContact, ParallelSidesHaveBothEnds) {
  const Geometry sides[] = {Cylinder{0.05, 0.1}, Capsule{0.02, 0.15}, Cylinder{0.0005, 0.05}};
  const double radii[] = {0.05, 0.02, 0.0005}, halves[] = {0.1, 0.15, 0.05};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (const double gap : {-1e-5, 0.0, 1e-5, 5e-4}) {
        const Pose upper(lying, Vector3(0.02, 0.0, radii[i] + radii[k] + gap)), lower(lying, Vector3::Zero());
        Manifold m;
        EXPECT_NEAR(Pair(sides[i], sides[k]).collide(upper, lower, 1e-3, m), gap, 1e-7);
        ASSERT_EQ(m.size, 2) << i << k << " " << gap;
        const double low = std::max(-halves[i] + 0.02, -halves[k]), high = std::min(halves[i] + 0.02, halves[k]);
        EXPECT_NEAR(length_of(m), high - low, 1e-6);
        for (int j = 0; j < 2; ++j) EXPECT_GT(m.normal[j].z(), 1.0 - 1e-9);
      }
}

TEST(LineContact, EdgesAlongEachOtherHaveBothEnds) {
  // Roofs: shapes on their edges, top to bottom.
  const Matrix3 on_edge = Eigen::AngleAxisd(0.6, Vector3::UnitX()).toRotationMatrix();
  const double half = 0.1, up = half * (std::cos(0.6) + std::sin(0.6));
  const Geometry boxes[] = {Box{Vector3::Constant(half)}, ConvexHull::box(Vector3::Constant(half))};
  for (const Geometry& lower : boxes)
    for (const double gap : {1e-6, 3e-4}) {
      Manifold m;
      const Pose X_lower(on_edge, Vector3(0, 0, -up));
      const Vector3 edge(0, -half * std::sin(0.6) + half * std::cos(0.6), 0);  // where the upper edge of the lower is
      for (const Geometry& upper : boxes) {
        const Pose X(on_edge, Vector3(0.03, 0, up + gap) + 2.0 * edge);
        EXPECT_NEAR(Pair(upper, lower).collide(X, X_lower, 1e-3, m), gap, 1e-9);
        EXPECT_EQ(m.size, 2);
        EXPECT_NEAR(length_of(m), 2.0 * half - 0.03, 1e-6);
      }
      for (const Geometry& upper : {Geometry(Capsule{0.05, 0.08}), Geometry(Cylinder{0.05, 0.08})}) {
        const Pose X(lying, Vector3(0.03, 0, 0.05 + gap) + edge);
        EXPECT_NEAR(Pair(upper, lower).collide(X, X_lower, 1e-3, m), gap, 1e-9);
        EXPECT_EQ(m.size, 2);
        EXPECT_NEAR(length_of(m), 0.15, 1e-6);
      }
    }
}

// ---- names

class CylinderJitter : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Sizes, CylinderJitter, ::testing::Values(1e-6, 1e-5, 1e-4));

double share_of_changes(const Geometry& body, const Pose& rest, const Geometry& ground, const Pose& X_ground,
                        double jitter, double margin) {
  Random random(19);
  Pair pair(body, ground);
  std::set<std::uint64_t> last;
  int changes = 0;
  constexpr int settling = 500, steps = 5500;
  for (int i = 0; i < steps; ++i) {
    const Pose X(random.small_rotation(jitter) * rest.rotation, rest.position + random.vector(jitter));
    Manifold m;
    pair.collide(X, X_ground, margin, m);
    const std::set<std::uint64_t> names(m.feature, m.feature + m.size);
    EXPECT_GE(names.size(), 2u);
    changes += i >= settling && names != last;
    last = names;
  }
  return static_cast<double>(changes) / (steps - settling);
}

TEST_P(CylinderJitter, LyingKeepsItsNamesAtAnyMargin) {
  auto grounds = tables();
  grounds.emplace_back(Plane{}, Pose());
  for (const auto& [ground, X_ground] : grounds)
    for (const Cylinder& c : {cylinders[0], cylinders[1]})
      for (const double margin : {1e-3, 0.05}) {
        const Pose rest(lying, Vector3(0.05, 0.02, c.radius - 2e-5));
        EXPECT_LT(share_of_changes(c, rest, ground, X_ground, GetParam(), margin), 1e-3) << c.radius << " " << margin;
      }
}

TEST_P(CylinderJitter, ParallelCylindersKeepTheirNames) {
  const Cylinder c{0.05, 0.1};
  const Pose rest(lying, Vector3(0.0, 0.0, 0.1)), below(lying, Vector3::Zero());
  EXPECT_LT(share_of_changes(c, rest, c, below, GetParam(), 1e-3), 1e-3);
}

}  // namespace
}  // namespace stiction
