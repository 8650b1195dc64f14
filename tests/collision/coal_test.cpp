// Pairs of convex shapes against Coal's signed distances (tests/data/collision/coal.txt, written by
// tests/oracles/export_collision.py).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "stiction/collision/pair_kernels.h"
#include "stiction/model/geometry/convex_hull.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

Vector3 read_vector(std::istream& in) {
  Vector3 v;
  in >> v.x() >> v.y() >> v.z();
  return v;
}

Geometry read_geometry(std::istream& in, std::string& kind) {
  in >> kind;
  double a = 0.0, b = 0.0;
  if (kind == "sphere") {
    in >> a;
    return Sphere{a};
  }
  if (kind == "capsule" || kind == "cylinder") {
    in >> a >> b;
    return kind == "capsule" ? Geometry(Capsule{a, b}) : Geometry(Cylinder{a, b});
  }
  if (kind == "box") return Box{read_vector(in)};
  if (kind == "ellipsoid") return Ellipsoid{read_vector(in)};
  if (kind != "hull") throw std::runtime_error("unknown shape " + kind);
  int count = 0;
  in >> count;
  std::vector<Vector3> points(count);
  for (Vector3& p : points) p = read_vector(in);
  return ConvexHull::from_points(points);
}

Pose read_pose(std::istream& in) {
  const Vector3 position = read_vector(in);
  Quaternion q;
  in >> q.x() >> q.y() >> q.z() >> q.w();
  return Pose(q.normalized(), position);
}

// The gap as the kernel of the two kinds finds it from scratch, whatever points it then chooses.
double gap_of(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB) {
  Shape shape_a, shape_b;
  shape_a.geometry = a;
  shape_b.geometry = b;
  alignas(16) std::array<std::byte, 4096> memory{};
  if (pair_memory_size(shape_a.kind(), shape_b.kind()) > memory.size()) throw std::logic_error("too little memory");
  Manifold points;
  return find_pair_kernel(shape_a.kind(), shape_b.kind())(shape_a, X_WA, shape_b, X_WB, 2e-2, memory.data(), points);
}

// Coal stops at a tolerance of its own (asked for 1e-10), which leaves the gaps of curved shapes at up to 1e-6. In
// overlap it may end in a local minimum of the depth: ours is then less, and never more.
TEST(Coal, SameSignedDistances) {
  std::ifstream file(testing::data_file("collision/coal.txt"));
  ASSERT_TRUE(file.good());
  struct Worst {
    double error = 0.0;
    int count = 0, deeper = 0;
  };
  std::map<std::string, Worst> worst;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string kind_a, kind_b;
    const Geometry a = read_geometry(in, kind_a), b = read_geometry(in, kind_b);
    const Pose X_WA = read_pose(in), X_WB = read_pose(in);
    double truth = 0.0;
    in >> truth;
    ASSERT_TRUE(in) << line;
    const double gap = gap_of(a, X_WA, b, X_WB);
    Worst& w = worst[kind_a + ", " + kind_b];
    ++w.count;
    if (truth < 0.0 && gap > truth + 1e-7) {
      ++w.deeper;
    } else {
      w.error = std::max(w.error, std::abs(gap - truth));
    }
  }
  ASSERT_EQ(worst.size(), 21u);
  for (const auto& [kinds, w] : worst) {
    EXPECT_EQ(w.count, 40) << kinds;
    const bool is_curved = kinds.find("cylinder") != std::string::npos || kinds.find("ellipsoid") != std::string::npos;
    EXPECT_LE(w.error, is_curved ? 1e-6 : 1e-12) << kinds;
    EXPECT_EQ(w.deeper, 0) << kinds;
    std::printf("  %-22s gap error %.1e, Coal deeper in %d of %d\n", kinds.c_str(), w.error, w.deeper, w.count);
  }
}

}  // namespace
}  // namespace stiction
