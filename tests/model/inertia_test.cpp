// Masses and inertias: closed forms against integration over a grid, sums and changes of frame against points.
#include "stiction/model/geometry/inertia.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "../support/random_model.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/solid.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

using testing::Rng;

Matrix3 point_moment(double mass, const Vector3& at) {
  return mass * (at.squaredNorm() * Matrix3::Identity() - at * at.transpose());
}

// Mass properties of the points of a grid (midpoints) that lie inside, at density one.
Inertia integrate_grid(const Vector3& half_size, int cells, const std::function<bool(const Vector3&)>& inside) {
  const Vector3 step = 2.0 * half_size / cells;
  const double volume = step.prod();
  Inertia sum;
  Matrix3 about_origin = Matrix3::Zero();
  Vector3 first = Vector3::Zero();
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      for (int k = 0; k < cells; ++k) {
        const Vector3 x = -half_size + step.cwiseProduct(Vector3(i + 0.5, j + 0.5, k + 0.5));
        if (!inside(x)) continue;
        sum.mass += volume;
        first += volume * x;
        about_origin += point_moment(volume, x);
      }
    }
  }
  sum.com = first / sum.mass;
  sum.moment = about_origin - point_moment(sum.mass, sum.com);
  return sum;
}

void expect_near(const Inertia& found, const Inertia& expected, double tolerance) {
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LT((found.com - expected.com).norm(), tolerance);
  EXPECT_LT((found.moment - expected.moment).norm(), tolerance * expected.moment.norm());
}

TEST(Inertia, SolidsAgreeWithIntegration) {
  const int cells = 100;
  const double error = 5e-3;  // of the staircase along the surface
  expect_near(Inertia::of_density(Sphere{0.7}, 1.0),
              integrate_grid(Vector3::Constant(0.7), cells, [](const Vector3& x) { return x.norm() < 0.7; }), error);
  expect_near(Inertia::of_density(Box{{0.2, 0.3, 0.5}}, 1.0),
              integrate_grid({0.2, 0.3, 0.5}, cells, [](const Vector3&) { return true; }), error);
  expect_near(Inertia::of_density(Cylinder{0.3, 0.8}, 1.0),
              integrate_grid({0.3, 0.3, 0.8}, cells, [](const Vector3& x) { return x.head<2>().norm() < 0.3; }), error);
  expect_near(
      Inertia::of_density(Capsule{0.3, 0.5}, 1.0),
      integrate_grid({0.3, 0.3, 0.8}, cells,
                     [](const Vector3& x) { return (x - Vector3(0, 0, std::clamp(x[2], -0.5, 0.5))).norm() < 0.3; }),
      error);
  const Vector3 radii(0.2, 0.5, 0.3);
  expect_near(Inertia::of_density(Ellipsoid{radii}, 1.0),
              integrate_grid(radii, cells, [&](const Vector3& x) { return x.cwiseQuotient(radii).norm() < 1.0; }),
              error);
}

TEST(Inertia, LimitsBetweenShapes) {
  const double r = 0.3;
  EXPECT_TRUE(Inertia::of(Capsule{r, 1e-12}, 2.0).moment.isApprox(Inertia::of(Sphere{r}, 2.0).moment, 1e-10));
  EXPECT_TRUE(
      Inertia::of(Ellipsoid{Vector3::Constant(r)}, 2.0).moment.isApprox(Inertia::of(Sphere{r}, 2.0).moment, 1e-15));
  EXPECT_NEAR(Inertia::of_density(Sphere{r}, 1000.0).mass, 4000.0 / 3.0 * std::numbers::pi * r * r * r, 1e-10);
}

TEST(Inertia, HullOfABoxIsTheBox) {
  const Vector3 half_size(0.2, 0.3, 0.5);
  const std::shared_ptr<const ConvexHull> hull = ConvexHull::box(half_size);
  expect_near(Inertia::of(hull, 3.0), Inertia::of(Box{half_size}, 3.0), 1e-12);
  expect_near(Inertia::of_density(hull, 500.0), Inertia::of_density(Box{half_size}, 500.0), 1e-12);
}

TEST(Inertia, SumAndChangeOfFrameAgreeWithThePointsOfTheBodies) {
  Rng rng(5);
  // Bodies of point masses: everything follows from the points.
  struct Points {
    std::vector<double> mass;
    std::vector<Vector3> at;
    Inertia inertia() const {
      Inertia out;
      Vector3 first = Vector3::Zero();
      for (std::size_t k = 0; k < mass.size(); ++k) out.mass += mass[k], first += mass[k] * at[k];
      out.com = first / out.mass;
      for (std::size_t k = 0; k < mass.size(); ++k) out.moment += point_moment(mass[k], at[k] - out.com);
      return out;
    }
  };
  const auto random_points = [&] {
    Points points;
    for (int k = 0; k < 5; ++k) {
      points.mass.push_back(testing::random_real(rng, 0.1, 2.0));
      points.at.push_back(testing::random_vector(rng));
    }
    return points;
  };
  for (int round = 0; round < 20; ++round) {
    const Points a = random_points();
    Points b = random_points();
    const Pose pose = testing::random_pose(rng);
    const Inertia joined = a.inertia() + b.inertia().in(pose);
    Points all = a;
    for (std::size_t k = 0; k < b.at.size(); ++k) all.mass.push_back(b.mass[k]), all.at.push_back(pose * b.at[k]);
    expect_near(joined, all.inertia(), 1e-13);
  }
}

TEST(Inertia, NothingAddsNothing) {
  Rng rng(6);
  const Inertia a = testing::random_inertia(rng);
  expect_near(a + Inertia{}, a, 1e-15);
  expect_near(Inertia{} + a, a, 1e-15);
  EXPECT_EQ((Inertia{} + Inertia{}).mass, 0.0);
  EXPECT_TRUE((Inertia{} + Inertia{}).com.allFinite());
}

TEST(Inertia, ShapesWithoutVolumeAreRefused) {
  EXPECT_THROW(Inertia::of(Plane{}, 1.0), std::invalid_argument);
  EXPECT_THROW(Inertia::of(std::shared_ptr<const TriangleMesh>(), 1.0), std::invalid_argument);
  EXPECT_THROW(Inertia::of_density(std::shared_ptr<const HeightField>(), 1.0), std::invalid_argument);
}

std::string refusal(const Inertia& inertia) {
  try {
    check_inertia(inertia, "arm");
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Inertia, CheckNamesWhatIsWrong) {
  const Inertia good = Inertia::of(Box{{0.1, 0.2, 0.3}}, 2.0);
  EXPECT_EQ(refusal(good), "");
  Inertia bad = good;
  bad.mass = -1.0;
  EXPECT_EQ(refusal(bad).find("arm: mass is -1"), 0u) << refusal(bad);
  bad.mass = 0.0, bad.moment.setZero();
  EXPECT_NE(refusal(bad).find("mass is 0"), std::string::npos);
  bad = good;
  bad.com[1] = std::nan("");
  EXPECT_NE(refusal(bad).find("centre of mass"), std::string::npos);
  bad = good;
  bad.moment(1, 2) = bad.moment(2, 1) = std::nan("");
  EXPECT_NE(refusal(bad).find("moment[1, 2] is nan"), std::string::npos) << refusal(bad);
  bad = good;
  bad.moment(0, 1) = 0.5;
  EXPECT_NE(refusal(bad).find("symmetric"), std::string::npos);
  bad = good;
  bad.moment = Vector3(1.0, 2.0, 3.5).asDiagonal();
  EXPECT_NE(refusal(bad).find("1, 2, 3.5"), std::string::npos) << refusal(bad);
  bad.moment = Vector3(1.0, 2.0, 3.0 + 1e-7).asDiagonal();
  EXPECT_EQ(refusal(bad), "");  // a rounded flat plate
  bad.moment = Vector3(-1.0, 2.0, 2.0).asDiagonal();
  EXPECT_NE(refusal(bad).find("-1, 2, 2"), std::string::npos) << refusal(bad);
  bad.moment = Vector3(0.0, 2.0, 2.0).asDiagonal();
  EXPECT_NE(refusal(bad).find("positive"), std::string::npos);
}

TEST(Solid, BoundsEncloseAndTouch) {
  EXPECT_TRUE(std::isinf(bounding_sphere(Plane{}).radius));
  EXPECT_EQ(bounding_sphere(Sphere{0.4}).radius, 0.4);
  EXPECT_EQ(bounding_sphere(Capsule{0.25, 0.5}).radius, 0.75);
  EXPECT_DOUBLE_EQ(bounding_sphere(Cylinder{0.3, 0.4}).radius, 0.5);
  EXPECT_EQ(bounding_sphere(Ellipsoid{{0.1, 0.6, 0.2}}).radius, 0.6);
  EXPECT_DOUBLE_EQ(bounding_sphere(Box{{0.2, 0.3, 0.6}}).radius, 0.7);
  const std::shared_ptr<const ConvexHull> hull = ConvexHull::box({0.2, 0.3, 0.6});
  const BoundingSphere bound = bounding_sphere(hull);
  for (const Vector3& v : hull->vertices()) EXPECT_LE((v - bound.center).norm(), bound.radius * (1.0 + 1e-12));
  EXPECT_LT(bound.radius, 0.75);
  const std::vector<Vector3> corners = {{1, 1, 1}, {3, 1, 1}, {1, 4, 1}, {1, 1, 7}};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
  const BoundingSphere about_mesh = bounding_sphere(TriangleMesh::make(corners, triangles));
  EXPECT_LT((about_mesh.center - Vector3(2, 2.5, 4)).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(about_mesh.radius, 3.5);
  EXPECT_TRUE(std::isinf(bounding_sphere(HeightField::make(2, 2, 1.0, 1.0, std::vector<double>(4))).radius));
}

}  // namespace
}  // namespace stiction
