#include "stiction/model/geometry/convex_hull.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "stiction/model/geometry/hull_triangulation.h"

namespace stiction {
namespace {

using Points = std::vector<Vector3>;

Points random_points(int n, unsigned seed, double scale = 1.0, const Vector3& at = Vector3::Zero()) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Points points(n);
  for (Vector3& p : points) p = at + scale * Vector3(normal(generator), normal(generator), normal(generator));
  return points;
}

// Rounded to single precision, as meshes are: faces are then coplanar only nearly.
Points rotated_grid(int n, bool rounded) {
  const Matrix3 r = Quaternion(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized())).toRotationMatrix();
  Points points;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Vector3 p = r * (0.1 * Vector3(i, 2 * j, 3 * k));
        points.push_back(rounded ? Vector3(p.cast<float>().cast<double>()) : p);
      }
    }
  }
  return points;
}

Points cylinder_points(int n) {
  Points points;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * M_PI * i / n;
    for (double z : {-0.3, 0.5}) points.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  return points;
}

Points sphere_points(int n) {
  Points points = random_points(n, 5);
  for (Vector3& p : points) p.normalize();
  return points;
}

// Everything that must hold for any hull of any points.
void expect_sound(const ConvexHull& hull, const Points& points, double concavity = 1e-15) {
  const double size = hull.radius();
  const int v = hull.num_vertices(), t = static_cast<int>(hull.triangles().size());
  EXPECT_EQ(v - t / 2, 2) << "Euler's formula for a closed triangulation";
  for (const auto& [a, b, c] : hull.triangles()) {
    const Vector3 n = (hull.vertex(b) - hull.vertex(a)).cross(hull.vertex(c) - hull.vertex(a));
    if (n.norm() < 1e-6 * size * size) continue;  // the normal of a sliver is not to be trusted
    for (const Vector3& p : points) EXPECT_LE(n.normalized().dot(p - hull.vertex(a)), 1e-9 * size);
  }
  std::set<int> seen;
  for (const ConvexHull::Face& face : hull.faces()) {
    EXPECT_NEAR(face.normal.norm(), 1.0, 1e-14);
    EXPECT_NEAR(face.tangent_1.cross(face.tangent_2).dot(face.normal), 1.0, 1e-14);
    const auto loop = hull.face_vertices(face);
    ASSERT_GE(face.size, 3);
    double area = 0.0;
    for (int k = 0; k < face.size; ++k) {
      const Vector2 p = hull.face_points(face)[k], q = hull.face_points(face)[(k + 1) % face.size];
      area += p.x() * q.y() - p.y() * q.x();
      seen.insert(loop[k]);
      EXPECT_NEAR(face.normal.dot(hull.vertex(loop[k])), face.offset, 1.0001e-5 * size);
      const auto faces_of = hull.faces_of(loop[k]);
      EXPECT_NE(std::find(faces_of.begin(), faces_of.end(), &face - hull.faces().data()), faces_of.end());
    }
    EXPECT_GT(area, 0.0) << "counter-clockwise from outside";
    for (const Vector3& p : points) EXPECT_LE(face.normal.dot(p) - face.offset, 1e-9 * size);
  }
  for (const Vector3& p : hull.vertices()) EXPECT_LE((p - hull.center()).norm(), hull.radius());
  // Climbing from anywhere reaches what a scan over all given points finds.
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < 2000; ++sample) {
    Vector3 d(normal(generator), normal(generator), normal(generator));
    if (sample % 2) d = hull.faces()[generator() % hull.num_faces()].normal;  // where ties are
    d.normalize();
    const int found = hull.support(d, static_cast<int>(generator() % v));
    double best = -1e300;
    for (const Vector3& p : points) best = std::max(best, d.dot(p));
    EXPECT_NEAR(d.dot(hull.vertex(found)), best, concavity * (size + hull.center().norm()));
  }
}

TEST(ConvexHull, random_points_near_and_far_small_and_large) {
  for (double scale : {1e-4, 1.0, 100.0}) {
    for (int n : {4, 5, 8, 30, 500}) {
      const Points points = random_points(n, n, scale, scale * Vector3(3, -2, 1));
      expect_sound(*ConvexHull::from_points(points), points, 4e-15);
    }
  }
}

TEST(ConvexHull, points_on_a_sphere_are_all_vertices_in_their_order) {
  const Points points = sphere_points(500);
  const auto hull = ConvexHull::from_points(points);
  ASSERT_EQ(hull->num_vertices(), 500);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(hull->vertex(i), points[i]);
  expect_sound(*hull, points);
  EXPECT_NEAR(hull->radius(), 1.0, 1e-3);
}

TEST(ConvexHull, coplanar_points_make_six_faces) {
  for (bool rounded : {false, true}) {
    const Points points = rotated_grid(8, rounded);
    const auto hull = ConvexHull::from_points(points);
    EXPECT_EQ(hull->num_faces(), 6);
    expect_sound(*hull, points, 1e-14);
  }
}

TEST(ConvexHull, cylinder_has_two_caps_and_a_quadrilateral_per_side) {
  const Points points = cylinder_points(64);
  const auto hull = ConvexHull::from_points(points);
  EXPECT_EQ(hull->num_faces(), 66);
  expect_sound(*hull, points);
}

TEST(ConvexHull, polygons_that_do_not_fit_are_thinned_out) {
  const auto hull = ConvexHull::from_points(cylinder_points(700));
  int largest = 0;
  for (const auto& face : hull->faces()) largest = std::max(largest, face.size);
  EXPECT_LE(largest, ConvexHull::max_face_vertices);
  EXPECT_GE(largest, ConvexHull::max_face_vertices / 2);
}

TEST(ConvexHull, duplicates_and_inner_points_are_dropped) {
  Points points = random_points(40, 1);
  const auto hull = ConvexHull::from_points(points);
  Points more = points;
  for (const Vector3& p : points) more.push_back(p), more.push_back(0.5 * p), more.push_back(p * (1 + 1e-15));
  const auto same = ConvexHull::from_points(more);
  EXPECT_EQ(same->num_vertices(), hull->num_vertices());
  EXPECT_NEAR(same->volume(), hull->volume(), 1e-13 * hull->volume());
}

TEST(ConvexHull, box_has_numbered_corners_and_closed_form_mass_properties) {
  const Vector3 h(0.1, 0.2, 0.3);
  const auto hull = ConvexHull::box(h);
  ASSERT_EQ(hull->num_vertices(), 8);
  EXPECT_EQ(hull->vertex(0), -h);
  EXPECT_EQ(hull->vertex(5), Vector3(0.1, -0.2, 0.3));
  EXPECT_EQ(hull->num_faces(), 6);
  EXPECT_NEAR(hull->volume(), 8 * 0.006, 1e-16);
  EXPECT_LT(hull->com().norm(), 1e-16);
  EXPECT_NEAR(hull->radius(), h.norm(), 1e-15);
  const double m = 8 * 0.006;
  const Vector3 moment = m / 3 * Vector3(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04);
  EXPECT_LT((hull->unit_inertia() - Matrix3(moment.asDiagonal())).norm(), 1e-16);
}

TEST(ConvexHull, mass_properties_of_a_moved_tetrahedron) {
  // Corner tetrahedron with legs 1: V = 1/6, com = 1/4, and about its centre of mass I_xx = 3/480·2, I_xy = 1/480.
  const Vector3 at(5, -3, 2);
  const Points points{at, at + Vector3::UnitX(), at + Vector3::UnitY(), at + Vector3::UnitZ()};
  const auto hull = ConvexHull::from_points(points);
  EXPECT_NEAR(hull->volume(), 1.0 / 6, 1e-15);
  EXPECT_LT((hull->com() - at - Vector3::Constant(0.25)).norm(), 1e-14);
  Matrix3 expected = Matrix3::Constant(1.0 / 480);
  expected.diagonal().setConstant(6.0 / 480);
  EXPECT_LT((hull->unit_inertia() - expected).norm(), 1e-15);
}

// Flips edges of a sound surface that have no vertex in common, so that each is a dent, and has it mended.
TEST(ConvexHull, dented_surface_is_mended_by_flips) {
  const auto hull = ConvexHull::from_points(sphere_points(60));
  std::mt19937 generator(9);
  for (int round = 0; round < 50; ++round) {
    HullTriangulation surface;
    surface.vertices.assign(hull->vertices().begin(), hull->vertices().end());
    surface.triangles.assign(hull->triangles().begin(), hull->triangles().end());
    int num_dents = 0;
    std::set<int> touched;
    for (int attempt = 0; attempt < 40; ++attempt) {
      std::vector<std::array<int, 3>> across;
      ASSERT_TRUE(find_across(surface.triangles, across));
      const int t = static_cast<int>(generator() % surface.triangles.size()), k = static_cast<int>(generator() % 3);
      auto flipped = surface.triangles;
      const int u = across[t][k], a = flipped[t][k], b = flipped[t][(k + 1) % 3], c = flipped[t][(k + 2) % 3];
      const int d = flipped[u][0] + flipped[u][1] + flipped[u][2] - a - b;
      flipped[t] = {a, d, c}, flipped[u] = {d, b, c};
      if (touched.contains(a) || touched.contains(b) || touched.contains(c) || touched.contains(d)) continue;
      if (!find_across(flipped, across)) continue;  // the edge (c, d) was there already
      touched.insert({a, b, c, d});
      surface.triangles = flipped;
      ++num_dents;
    }
    EXPECT_GT(num_dents, 3);
    EXPECT_LE(make_convex(surface), 1e-15);
    EXPECT_EQ(surface.vertices.size(), 60u);
    double volume = 0.0;
    for (const auto& [a, b, c] : surface.triangles) {
      volume += surface.vertices[a].dot(surface.vertices[b].cross(surface.vertices[c])) / 6.0;
    }
    EXPECT_NEAR(volume, hull->volume(), 1e-13);
  }
}

TEST(ConvexHull, vertex_inside_is_dropped_by_the_repair) {
  // A tetrahedron with one face split by a point that lies below it.
  HullTriangulation surface;
  surface.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.05}};
  surface.triangles = {{0, 4, 1}, {4, 2, 1}, {0, 2, 4}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  EXPECT_EQ(make_convex(surface), 0.0);
  EXPECT_EQ(surface.vertices.size(), 4u);
  EXPECT_EQ(surface.triangles.size(), 4u);
}

std::string message_of(const Points& points) {
  try {
    ConvexHull::from_points(points);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConvexHull, refuses_what_has_no_volume) {
  EXPECT_NE(message_of({}).find("0 points"), std::string::npos);
  EXPECT_NE(message_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).find("3 points"), std::string::npos);
  EXPECT_NE(message_of(Points(10, Vector3(1, 2, 3))).find("are the same"), std::string::npos);
  EXPECT_NE(message_of({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}}).find("one line"), std::string::npos);
  Points flat = random_points(30, 2);
  for (Vector3& p : flat) p.z() = 0.3 * p.x() - 0.1 * p.y() + 1;
  EXPECT_NE(message_of(flat).find("one plane"), std::string::npos);
  Points bad = random_points(30, 2);
  bad[7].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of(bad).find("point 7"), std::string::npos);
  bad[7].y() = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of(bad).find("point 7"), std::string::npos);
  EXPECT_THROW(ConvexHull::box({1, 0, 1}), std::invalid_argument);
}

TEST(ConvexHull, support_of_a_direction_that_is_not_a_number_ends) {
  const auto hull = ConvexHull::from_points(sphere_points(100));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(hull->support({nan, 0, 0}, 17), 17);
}

}  // namespace
}  // namespace stiction
