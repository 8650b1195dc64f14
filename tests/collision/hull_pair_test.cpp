#include "stiction/collision/hull_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "../support/allocation_guard.h"
#include "../support/convex_oracle.h"
#include "stiction/collision/feature.h"

namespace stiction {
namespace {

using namespace stiction::testing;
using Hull = std::shared_ptr<const ConvexHull>;

#ifdef STICTION_SANITIZED
constexpr int share = 20;  // of the poses
#else
constexpr int share = 1;
#endif

static_assert(std::is_trivially_copyable_v<HullPairCache> && std::is_trivially_copyable_v<HullPlaneCache>);
static_assert(std::has_unique_object_representations_v<ManifoldMemory>, "caches are compared as bytes");

Vector3 world_normal(const HullPairCache& cache, const Pose& X_WA) {
  return X_WA.rotation * Vector3(cache.axis[0], cache.axis[1], cache.axis[2]);
}

// Poses of two hulls whose gap is near a given one: B is moved along the normal until it is.
struct PlacedPair {
  Pose X_WA, X_WB;
};
PlacedPair place(const ConvexHull& a, const ConvexHull& b, double gap, std::mt19937& generator) {
  PlacedPair placed{random_pose(generator, 0.5), random_pose(generator, 0.0)};
  const Vector3 d = random_direction(generator);
  placed.X_WB.position = placed.X_WA * a.center() + 0.7 * (a.radius() + b.radius()) * d - placed.X_WB * b.center();
  for (int round = 0; round < 3; ++round) {
    HullPairCache cache;
    Manifold points;
    const double now = collide_hulls(a, placed.X_WA, b, placed.X_WB, 1e3, cache, points);
    placed.X_WB.position += (gap - now) * world_normal(cache, placed.X_WA);
  }
  return placed;
}

struct PairKind {
  const char* name;
  Hull a, b;
  int num_poses;
};

std::vector<PairKind> pair_kinds() {
  std::mt19937 generator(11);
  std::vector<PairKind> kinds;
  kinds.push_back({"box, box", ConvexHull::box({0.1, 0.2, 0.05}), ConvexHull::box({0.07, 0.1, 0.15}), 100000});
  kinds.push_back({"tetrahedra", random_hull(generator, 4, 0.1), random_hull(generator, 4, 0.2), 100000});
  kinds.push_back({"random", random_hull(generator, 12, 0.1), random_hull(generator, 16, 0.15), 30000});
  kinds.push_back({"prism, box", prism_hull(12, 0.1, 0.1), ConvexHull::box({0.2, 0.3, 0.01}), 20000});
  kinds.push_back({"round, box", round_hull(60, 0.1), ConvexHull::box({0.1, 0.1, 0.1}), 5000});
  return kinds;
}

TEST(CollideHulls, equals_brute_force_on_random_poses) {
  for (const PairKind& kind : pair_kinds()) {
    SCOPED_TRACE(kind.name);
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> gaps(-1e-2, 1e-2);
    const double margin = 1e-3;
    double worst_gap = 0.0, worst_normal = 0.0;
    int num_verdicts = 0, num_normals = 0;
    for (int sample = 0; sample < kind.num_poses / share; ++sample) {
      const PlacedPair placed = place(*kind.a, *kind.b, gaps(generator), generator);
      const OracleGap truth = oracle_gap(*kind.a, placed.X_WA, *kind.b, placed.X_WB);
      HullPairCache cache;
      Manifold points;
      const double gap = collide_hulls(*kind.a, placed.X_WA, *kind.b, placed.X_WB, margin, cache, points);
      num_verdicts += (points.size > 0) != (truth.gap <= margin);
      worst_gap = std::max(worst_gap, std::abs(gap - truth.gap));
      if (truth.is_unique) {
        worst_normal = std::max(worst_normal, (world_normal(cache, placed.X_WA) - truth.normal).norm());
        ++num_normals;
      }
      double lowest = 1e300;
      for (int k = 0; k < points.size; ++k) {
        EXPECT_LE(points.gap[k], margin);
        EXPECT_GT(-points.normal[k].dot(world_normal(cache, placed.X_WA)), cos_face - 1e-9);
        lowest = std::min(lowest, points.gap[k]);
      }
      if (points.size > 0) {
        EXPECT_NEAR(lowest, gap, 0.05 * margin + 1e-6 + 0.1 * std::abs(gap));
      }
    }
    EXPECT_EQ(num_verdicts, 0);
    EXPECT_LT(worst_gap, 1e-12);
    EXPECT_LT(worst_normal, 1e-9);
    EXPECT_GT(num_normals, kind.num_poses / share / 2);
    std::printf("  %-12s gap error %.1e, normal error %.1e (%d normals)\n", kind.name, worst_gap, worst_normal,
                num_normals);
  }
}

}  // namespace
}  // namespace stiction
