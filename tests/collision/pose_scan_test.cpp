// A scan over poses of every pair of convex kinds, and of each on a plane: around faces, edges and corners, level and
// tilted by 1e-9 … 1, apart by up to 0.3 m and overlapping by up to a hundredth of the size, with margins of 0.1 mm …
// 0.3 m and from needles to discs. Every list is proven or refuted by closed forms (solid_truth.h), not compared with
// another algorithm:
//
//   verdict   no points: some plane separates by more than the margin. Points: two points of the solids are that near.
//   gap       what the kernel returns is the signed distance, and the least gap of a point is;
//   normals   along each normal the solids lie on their sides: no gap is less than the separation along it;
//   places    the points lie on both solids;
//   cover     where faces, sides or edges lie on each other, the points reach over the common patch: both ends of a
//   line.
//
// STICTION_SCAN=100 in the environment takes a hundred times as many poses.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>

#include "../support/convex_oracle.h"
#include "../support/sanitized.h"
#include "../support/solid_truth.h"
#include "oracles.h"
#include "stiction/collision/pair_kernels.h"

namespace stiction {
namespace {

using namespace stiction::testing;
using HullPointer = std::shared_ptr<const ConvexHull>;

constexpr int num_kinds = 6;
const char* const kind_names[num_kinds + 1] = {"sphere", "capsule", "cylinder", "ellipsoid", "box", "hull", "plane"};

// Ordinary ones, small ones, needles, discs and plates.
std::vector<Geometry> shapes_of(int kind) {
  static std::mt19937 generator(5);
  static const HullPointer pebble = random_hull(generator, 12, 0.08);
  switch (kind) {
    case 0:
      return {Sphere{0.05}, Sphere{0.002}, Sphere{0.3}};
    case 1:
      return {Capsule{0.05, 0.1}, Capsule{0.01, 0.05}, Capsule{0.0005, 0.05}, Capsule{0.1, 0.01}};
    case 2:
      return {Cylinder{0.05, 0.1}, Cylinder{0.01, 0.05}, Cylinder{0.0005, 0.05}, Cylinder{0.1, 0.005}};
    case 3:
      return {Ellipsoid{{0.1, 0.05, 0.08}}, Ellipsoid{{0.05, 0.05, 0.05}}, Ellipsoid{{0.1, 0.02, 0.03}}};
    case 4:
      return {Box{{0.1, 0.05, 0.02}}, Box{{0.05, 0.05, 0.05}}, Box{{0.1, 0.1, 0.0005}}, Box{{0.0005, 0.0005, 0.05}}};
    case 5:
      return {ConvexHull::box({0.05, 0.1, 0.03}), prism_hull(6, 0.06, 0.02), pebble,
              ConvexHull::box({0.05, 0.0005, 0.0005})};
    default:
      return {Plane{}};
  }
}

double log_uniform(Random& r, double low, double high) {
  return std::pow(10.0, r.uniform(low, high));
}

// A direction in the shape's frame towards a face, an edge, a corner, a side, or anywhere.
Vector3 feature_direction(const Geometry& g, Random& r) {
  if (std::holds_alternative<Plane>(g)) return Vector3::UnitZ();
  if (r.index(8) == 0) return r.unit();
  if (std::holds_alternative<Box>(g)) {
    Vector3 d;
    do {
      for (int k = 0; k < 3; ++k) d[k] = (r.index(3) - 1) * (r.index(2) ? 1.0 : r.uniform(0.1, 1.0));
    } while (d.norm() == 0.0);
    return d.normalized();
  }
  if (const auto* hull = std::get_if<HullPointer>(&g)) {
    const auto faces = (*hull)->faces_of(r.index((*hull)->num_vertices()));
    Vector3 d = Vector3::Zero();
    const int count = 1 + r.index(3);
    for (int k = 0; k < count; ++k)
      d += r.uniform(0.1, 1.0) * (*hull)->faces()[faces[r.index(static_cast<int>(faces.size()))]].normal;
    return d.normalized();
  }
  switch (r.index(4)) {
    case 0:
      return r.index(2) ? Vector3::UnitZ() : Vector3(-Vector3::UnitZ());
    case 1:
      return Vector3::Unit(r.index(3));
    default: {
      const double angle = r.uniform(0, 2 * M_PI), up = r.index(3) == 0 ? r.uniform(-1, 1) : 0.0;
      return Vector3(std::cos(angle), std::sin(angle), up).normalized();
    }
  }
}

// Columns: a tangent along the shape's z axis (or x, where that is the direction), another, d.
Matrix3 frame_about(const Vector3& d) {
  const Vector3 along = std::abs(d.z()) < 0.9 ? Vector3::UnitZ() : Vector3::UnitX();
  Matrix3 f;
  f.col(2) = d;
  f.col(0) = (along - along.dot(d) * d).normalized();
  f.col(1) = d.cross(f.col(0));
  return f;
}

struct Scene {
  Solid a, b;
  double margin = 0.0;
  Vector3 axis;  // from A to B: the feature directions meet along it
};

Scene random_scene(const std::vector<Geometry>& kinds_a, const std::vector<Geometry>& kinds_b, Random& r) {
  Scene s;
  s.a.geometry = kinds_a[r.index(static_cast<int>(kinds_a.size()))];
  s.b.geometry = kinds_b[r.index(static_cast<int>(kinds_b.size()))];
  const bool on_plane = s.b.is_plane();
  const double size_a = s.a.size(), size_b = on_plane ? 0.0 : s.b.size();
  const double small = on_plane ? s.a.thickness() : std::min(s.a.thickness(), s.b.thickness());
  s.a.X = Pose(r.index(4) ? r.rotation() : Matrix3::Identity(), r.vector(0.3));
  const Matrix3 fa = s.a.X.rotation * frame_about(feature_direction(s.a.geometry, r));
  const Matrix3 fb = frame_about(feature_direction(s.b.geometry, r));
  const Vector3 n = fa.col(2);
  const double spins[4] = {0.0, M_PI / 2, M_PI / 4, r.uniform(0, 2 * M_PI)};
  const double spin = spins[r.index(4)];
  Matrix3 meeting;  // fb's columns go here
  meeting.col(2) = -n;
  meeting.col(0) = std::cos(spin) * fa.col(0) + std::sin(spin) * fa.col(1);
  meeting.col(1) = meeting.col(2).cross(meeting.col(0));
  const double tilt = r.index(4) == 0 ? 0.0 : log_uniform(r, -9, 0);
  const Vector3 about = r.index(2) ? Vector3(fa.col(r.index(2))) : r.unit();
  s.b.X.rotation = Eigen::AngleAxisd(tilt, about).toRotationMatrix() * meeting * fb.transpose();
  const auto place = [&] {
    const double places[5] = {0.0, size_a, size_a - size_b, size_a + size_b, r.uniform(-1, 1) * (size_a + size_b)};
    return places[r.index(2) ? r.index(4) : 4];
  };
  s.b.X.position = s.a.X.position + place() * fa.col(0) + place() * fa.col(1);
  const double aims[5] = {0.0, small * log_uniform(r, -9, -2), -small * log_uniform(r, -9, -2),
                          small * log_uniform(r, -3, 0), r.uniform(0, 0.3)};
  s.axis = on_plane ? Vector3(-s.b.X.rotation.col(2)) : n;
  s.b.X.position += (aims[r.index(5)] - separation(s.a, s.b, s.axis)) * s.axis;
  const double margins[5] = {1e-4, 1e-3, 1e-2, 0.1, 0.3};
  s.margin = margins[r.index(5)];
  return s;
}

double collide(const Scene& s, double margin, Manifold& out) {
  Shape a, b;
  a.geometry = s.a.geometry, b.geometry = s.b.geometry;
  alignas(16) std::array<std::byte, 1024> memory{};
  if (pair_memory_size(a.kind(), b.kind()) > memory.size()) std::abort();
  return find_pair_kernel(a.kind(), b.kind())(a, s.a.X, b, s.b.X, margin, memory.data(), out);
}

// The worst excess of a property over what it allows, and where.
struct Property {
  const char* name;
  double allowed;
  double worst = 0.0;
  int count = 0, at = -1;
  std::string what = {};
  void see(double excess, int pose, const std::string& words = {}) {
    if (!(excess <= allowed)) ++count;
    if (!(excess <= worst)) worst = excess, at = pose, what = words;
  }
};

// Depth along a face up to 5° off the best way out, against that way.
constexpr double face_share = 0.01;
// Ends of lines that cross lie on one of the two solids; the deepest point lies on both.
constexpr double places_off_line = 5e-2;
// The deepest point may be higher than the distance by gap_tolerance(): names stay while bodies tremble.
constexpr double documented = 0.05 * 1e-3 + 1e-6;

struct Scan {
  // Relative to the sizes. Of round shapes without a closed form all is known less sharply.
  explicit Scan(bool is_closed) : least_allowed(is_closed ? 1e-9 : 1e-7), overlap_blur(is_closed ? 1e-6 : 1e-5) {
    if (!is_closed) returned.allowed = 5e-6, normals.allowed = 1e-7, overlap.allowed = 1e-5, places.allowed = 1e-3;
  }
  Property verdict{"verdict", 0.0}, returned{"returned", 1e-9}, least{"least gap", 0.0}, overlap{"overlap", 1e-9},
      normals{"normals", 1e-9}, places{"places", 1e-5}, cover{"cover", 0.0};
  double least_allowed, overlap_blur;
  int num_touching = 0, num_covered = 0;
  std::mt19937 generator{11};

  void look(const Scene& s, int pose);
  void look_at_points(const Scene& s, const Manifold& m, double gap, int pose);
  void look_at_cover(const Scene& s, const Manifold& m, double gap, int pose);
};

void Scan::look(const Scene& s, int pose) {
  Manifold m;
  const double gap = collide(s, s.margin, m), scale = s.a.size() + (s.b.is_plane() ? 0.0 : s.b.size());
  if (m.size > 0) {
    ++num_touching;
    return look_at_points(s, m, gap, pose);
  }
  // Some plane separates by more than the margin, and by as much as was returned. The kernel may propose it.
  double proven = separation(s.a, s.b, s.axis);
  const double limit = std::max(gap, s.margin);
  if (proven < limit) {
    collide(s, 1e3, m);
    for (int k = 0; k < m.size; ++k) proven = std::max(proven, separation(s.a, s.b, -m.normal[k]));
  }
  if (proven < limit - 1e-9 * scale && !s.b.is_plane()) proven = enclose_distance(s.a, s.b, s.axis).lower;
  verdict.see(proven > s.margin - 1e-9 * scale && gap > s.margin - 1e-9 * scale ? 0.0 : 1.0, pose,
              std::to_string(proven) + " against " + std::to_string(s.margin));
  returned.see((gap - proven) / scale, pose, "bound");
}

void Scan::look_at_points(const Scene& s, const Manifold& m, double gap, int pose) {
  const double scale = s.a.size() + (s.b.is_plane() ? 0.0 : s.b.size());
  double lower = separation(s.a, s.b, s.axis), upper = 1e300, smallest = 1e300, off_deepest = 0.0;
  int deepest = 0;
  for (int k = 0; k < m.size; ++k) {
    const Vector3 n = m.normal[k];
    const Vector3 on_a = m.position[k] + 0.5 * m.gap[k] * n, on_b = m.position[k] - 0.5 * m.gap[k] * n;
    const double along = separation(s.a, s.b, -n);
    const double off = std::max(s.a.outside(on_a), 0.0) + std::max(s.b.outside(on_b), 0.0);
    normals.see(std::max({(along - m.gap[k]) / scale, std::abs(n.norm() - 1.0), (m.gap[k] - s.margin) / scale}), pose);
    places.see(std::max(s.a.outside(on_a), s.b.outside(on_b)) / scale - places_off_line, pose);
    if (m.gap[k] < smallest) smallest = m.gap[k], deepest = k, off_deepest = off / scale;
    lower = std::max(lower, along);
    if (m.gap[k] >= 0.0) upper = std::min(upper, m.gap[k] + off);
  }
  places.see(off_deepest, pose);
  const bool is_apart = lower >= 0.0 || smallest > 0.0;
  if (!is_apart) {
    // Exact for polytopes; for others it climbs farther where it seems to be short of the summit.
    const bool starts_at_axis = lower > separation(s.a, s.b, -m.normal[deepest]);
    const Vector3 start = starts_at_axis ? s.axis : Vector3(-m.normal[deepest]);
    double best = best_separation(s.a, s.b, start, 24, generator);
    for (int num_around = 300; best < gap - returned.allowed * scale && num_around < 1e5; num_around *= 10)
      best = best_separation(s.a, s.b, start, num_around, generator);
    overlap.see((best - gap - face_share * std::abs(gap)) / scale, pose,
                std::to_string(best) + " over " + std::to_string(gap));
    lower = best, upper = 0.0;
  } else if (upper - lower > 1e-9 * scale && !s.b.is_plane()) {
    const Bounds bounds = enclose_distance(s.a, s.b, -m.normal[deepest]);
    lower = std::max(lower, bounds.lower), upper = std::min(upper, bounds.upper);
  }
  verdict.see(std::min(upper, lower) < s.margin + 1e-9 * scale ? 0.0 : 1.0, pose, "too far");
  // In overlap the truth is a climb, and heights over a face may stand for the depth.
  const double off = std::max(lower - gap, gap - (is_apart ? upper : lower));
  const double blur = is_apart ? 0.0 : face_share * std::abs(gap) + overlap_blur * scale;
  returned.see((off - blur) / scale, pose, std::to_string(gap) + " of " + std::to_string(lower));
  least.see(std::abs(smallest - lower) - documented - least_allowed * scale, pose,
            std::to_string(smallest) + " over " + std::to_string(lower));
  look_at_cover(s, m, gap, pose);
}

void Scan::look_at_cover(const Scene& s, const Manifold& m, double gap, int pose) {
  // What is as deep as the deepest, for choose_points(), is the patch: where the axis is the normal, and near touching.
  const double scale = s.a.size() + (s.b.is_plane() ? 0.0 : s.b.size());
  const double tolerance = 0.05 * std::min(s.margin, 1e-3) + 1e-6;
  if (std::abs(separation(s.a, s.b, s.axis) - gap) > 1e-9 * scale || gap > 1e-2 * scale) return;
  const Vector3 n = s.axis;
  const Matrix3 f = frame_about(n);
  const auto set_a = s.a.support_set(n, tolerance);
  const auto set_b = s.b.is_plane() ? set_a : s.b.support_set(-n, tolerance);
  const auto patch = common_patch(set_a, set_b, f.col(0), f.col(1), 1e-6 * scale, 1e-4 * scale);
  double extent = 0.0;
  for (const Vector2& p : patch) extent = std::max(extent, (p - patch[0]).norm());
  if (patch.size() < 2 || extent < 1e-3 * scale || gap + 2.0 * tolerance > s.margin) return;
  std::vector<Vector2> points;
  for (int k = 0; k < m.size; ++k) points.emplace_back(f.col(0).dot(m.position[k]), f.col(1).dot(m.position[k]));
  ++num_covered;
  // Four points are all corners of a face of a box; of a disc or a hull's face they reach over less.
  const bool is_box = std::holds_alternative<Box>(s.a.geometry) &&
                      (s.b.is_plane() || (std::holds_alternative<Box>(s.b.geometry) && patch.size() == 4));
  const double reached = coverage(patch, points), wanted = patch.size() == 2 ? 0.97 : is_box ? 0.9 : 0.2;
  cover.see(std::max(wanted - reached, 0.0), pose,
            std::to_string(patch.size()) + " corners, " + std::to_string(m.size) + " points, " +
                std::to_string(reached) + " reached, gap " + std::to_string(gap) + ", margin " +
                std::to_string(s.margin));
}

int num_poses() {
  const char* factor = std::getenv("STICTION_SCAN");
  return num_samples(100000, 100000) * (factor != nullptr ? std::max(std::atoi(factor), 1) : 1);
}

class PoseScan : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(PoseScan, ListsAreProven) {
  const auto [a, b] = GetParam();
  const std::vector<Geometry> kinds_a = shapes_of(a), kinds_b = shapes_of(b);
  Random random(1000 + 10 * a + b);
  const bool is_round = a == 2 || a == 3 || b == 2 || b == 3;
  Scan scan(!is_round || a == 0 || b == num_kinds);
  const int n = num_poses();
  for (int pose = 0; pose < n; ++pose) scan.look(random_scene(kinds_a, kinds_b, random), pose);
  std::printf("%s, %s: %d poses, %d touching, %d with a patch\n", kind_names[a], kind_names[b], n, scan.num_touching,
              scan.num_covered);
  for (const Property* p :
       {&scan.verdict, &scan.returned, &scan.least, &scan.overlap, &scan.normals, &scan.places, &scan.cover}) {
    std::printf("   %s %.1e", p->name, p->worst);
    // One point may stand for a short line where a hull's best aligned face is not the one that touches, or where a
    // line lies exactly along the border of a face. And caps are polygons: near their rim little things lose some
    // patch.
    const int tolerated = p == &scan.cover && b != num_kinds ? 1 + n / 20000 : 0;
    EXPECT_LE(p->count, tolerated) << p->name << ": " << p->count << " of them, " << p->worst << " at pose " << p->at
                                   << ": " << p->what;
  }
  std::printf("\n");
  EXPECT_GT(scan.num_touching, n / 10);
}

std::vector<std::pair<int, int>> all_pairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < num_kinds; ++a)
    for (int b = a; b <= num_kinds; ++b) pairs.emplace_back(a, b);
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Pairs, PoseScan, ::testing::ValuesIn(all_pairs()), [](const auto& pair) {
  return std::string(kind_names[pair.param.first]) + "_" + kind_names[pair.param.second];
});

}  // namespace
}  // namespace stiction
