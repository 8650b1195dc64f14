#include "stiction/collision/convex/hull_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "../support/allocation_guard.h"
#include "../support/convex_oracle.h"
#include "../support/sanitized.h"
#include "stiction/collision/manifold/feature.h"

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

// As a mesh file has it: faces that are flat but for the seven digits of its numbers.
Hull rounded(const ConvexHull& hull) {
  const Matrix3 turn = Quaternion(0.8, 0.3, -0.2, 0.4).normalized().toRotationMatrix();
  std::vector<Vector3> points;
  for (const Vector3& v : hull.vertices()) points.push_back((turn * v).cast<float>().cast<double>());
  return ConvexHull::from_points(points);
}

std::vector<PairKind> pair_kinds() {
  std::mt19937 generator(11);
  std::vector<PairKind> kinds;
  kinds.push_back({"box, box", ConvexHull::box({0.1, 0.2, 0.05}), ConvexHull::box({0.07, 0.1, 0.15}), 10000});
  kinds.push_back({"tetrahedra", random_hull(generator, 4, 0.1), random_hull(generator, 4, 0.2), 10000});
  kinds.push_back({"random", random_hull(generator, 12, 0.1), random_hull(generator, 16, 0.15), 5000});
  kinds.push_back({"prism, box", prism_hull(12, 0.1, 0.1), ConvexHull::box({0.2, 0.3, 0.01}), 4000});
  kinds.push_back(
      {"mesh files", rounded(*prism_hull(12, 0.1, 0.1)), rounded(*ConvexHull::box({0.2, 0.3, 0.05})), 1000});
  kinds.push_back({"round, box", round_hull(60, 0.1), ConvexHull::box({0.1, 0.1, 0.1}), 1000});
  return kinds;
}

TEST(CollideHulls, equals_brute_force_on_random_poses) {
  for (const PairKind& kind : pair_kinds()) {
    SCOPED_TRACE(kind.name);
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> gaps(-1e-2, 1e-2);
    const int num_poses = num_samples(kind.num_poses, 100000);
    const double margin = 1e-3;
    double worst_gap = 0.0, worst_normal = 0.0;
    int num_verdicts = 0, num_normals = 0;
    for (int sample = 0; sample < num_poses; ++sample) {
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
    EXPECT_GT(num_normals, num_poses / 2);
    std::printf("  %-12s gap error %.1e, normal error %.1e (%d normals)\n", kind.name, worst_gap, worst_normal,
                num_normals);
  }
}

// A body that flies past another, turning, for `num_steps` steps.
std::vector<Pose> flight(std::mt19937& generator, double size, int num_steps, double step) {
  const Vector3 from = 2.5 * size * random_direction(generator), spin = 3.0 * random_direction(generator);
  const Vector3 velocity = (0.7 * size * random_direction(generator) - from).normalized();
  const Pose start = random_pose(generator, 0.0);
  std::vector<Pose> poses;
  for (int k = 0; k < num_steps; ++k) {
    const double t = k * step;
    const Matrix3 turn = Eigen::AngleAxisd(spin.norm() * t, spin.normalized()).toRotationMatrix();
    poses.emplace_back(Matrix3(turn * start.rotation), from + t * velocity);
  }
  return poses;
}

// Steps of 1 and 64 ms, and teleports: warm layers change no verdict and no gap. In overlap a warm call may stay with
// the local minimum that the pair came from: never less deep than the global one.
TEST(CollideHulls, warm_equals_cold_along_flights) {
  for (const PairKind& kind : pair_kinds()) {
    SCOPED_TRACE(kind.name);
    std::mt19937 generator(21);
    const double margin = 2e-3, size = kind.a->radius() + kind.b->radius();
    int num_touching = 0, num_apart = 0, num_local = 0;
    for (int trip = 0; trip < std::max(30 / share, 3); ++trip) {
      const double step = trip % 3 == 1 ? 0.064 : 1e-3 * size;
      HullPairCache warm;
      const Pose X_WA = random_pose(generator, 0.2);
      int count = 0;
      for (Pose X_WB : flight(generator, size, trip % 3 == 1 ? 40 : 4000 / share, step)) {
        if (trip % 3 == 2 && ++count % 37 == 0) X_WB = random_pose(generator, 0.5 * size);
        HullPairCache cold;
        Manifold cold_points, warm_points;
        X_WB = X_WA * X_WB;
        const double cold_gap = collide_hulls(*kind.a, X_WA, *kind.b, X_WB, margin, cold, cold_points);
        const double warm_gap = collide_hulls(*kind.a, X_WA, *kind.b, X_WB, margin, warm, warm_points);
        ASSERT_EQ(cold_points.size > 0, warm_points.size > 0) << cold_gap << " " << warm_gap;
        if (cold_points.size == 0) {
          ++num_apart;
          ASSERT_GT(warm_gap, margin);
          HullPairCache exact;
          Manifold ignored;
          ASSERT_LE(warm_gap, collide_hulls(*kind.a, X_WA, *kind.b, X_WB, 1e3, exact, ignored) + 1e-13);
        } else {
          ++num_touching;
          if (cold_gap >= 0.0) {
            ASSERT_NEAR(warm_gap, cold_gap, 1e-13);
          } else {
            ASSERT_LE(warm_gap, cold_gap + 1e-13);
            num_local += warm_gap < cold_gap - 1e-13;
          }
        }
      }
    }
    EXPECT_GT(num_touching, 20 / share);
    EXPECT_GT(num_apart, 1000 / share);
    std::printf("  %-12s %d apart, %d touching, %d at a local depth\n", kind.name, num_apart, num_touching, num_local);
  }
}

bool has_point(const Manifold& points, const Vector3& position, double gap, const Vector3& normal, double tolerance) {
  for (int k = 0; k < points.size; ++k) {
    if ((points.position[k] - position).norm() < tolerance && std::abs(points.gap[k] - gap) < tolerance &&
        (points.normal[k] - normal).norm() < tolerance) {
      return true;
    }
  }
  return false;
}

TEST(CollideHulls, swapped_bodies_have_the_same_points) {
  for (const PairKind& kind : pair_kinds()) {
    SCOPED_TRACE(kind.name);
    std::mt19937 generator(31);
    std::uniform_real_distribution<double> gaps(-1e-2, 1e-3);
    int differing = 0;
    const int num_poses = 1000 / share;
    for (int sample = 0; sample < num_poses; ++sample) {
      const PlacedPair placed = place(*kind.a, *kind.b, gaps(generator), generator);
      if (!oracle_gap(*kind.a, placed.X_WA, *kind.b, placed.X_WB).is_unique) continue;
      HullPairCache cache, swapped_cache;
      Manifold points, swapped;
      const double gap = collide_hulls(*kind.a, placed.X_WA, *kind.b, placed.X_WB, 1e-3, cache, points);
      const double back = collide_hulls(*kind.b, placed.X_WB, *kind.a, placed.X_WA, 1e-3, swapped_cache, swapped);
      EXPECT_NEAR(gap, back, 1e-13);
      bool same = points.size == swapped.size;
      for (int k = 0; k < points.size; ++k) {
        same &= has_point(swapped, points.position[k], points.gap[k], -points.normal[k], 1e-8);
        if (points.size > 1 && same) {
          bool named = false;
          for (int l = 0; l < swapped.size; ++l) named |= swapped.feature[l] == swapped_feature(points.feature[k]);
          same &= named;
        }
      }
      differing += !same;
    }
    EXPECT_LE(differing, num_poses / 200) << "but where two choices are equally good";
  }
}

// Mirroring turns proper rotations into improper ones, so hulls are mirrored with their poses.
TEST(CollideHulls, mirrored_scene_has_the_same_gaps) {
  std::mt19937 generator(41);
  const Matrix3 mirror = Vector3(-1.0, 1.0, 1.0).asDiagonal();
  for (const PairKind& kind : pair_kinds()) {
    auto mirrored = [&](const ConvexHull& hull) {
      std::vector<Vector3> points;
      for (const Vector3& v : hull.vertices()) points.push_back(mirror * v);
      return ConvexHull::from_points(points);
    };
    const Hull a = mirrored(*kind.a), b = mirrored(*kind.b);
    auto turned = [&](const Pose& X) { return Pose(Matrix3(mirror * X.rotation * mirror), mirror * X.position); };
    for (int sample = 0; sample < 1000 / share; ++sample) {
      const PlacedPair placed = place(*kind.a, *kind.b, 2e-3 * (sample % 11 - 5), generator);
      const Pose X = random_pose(generator, 1.0);
      HullPairCache one, two, three;
      Manifold points;
      const double gap = collide_hulls(*kind.a, placed.X_WA, *kind.b, placed.X_WB, 1.0, one, points);
      EXPECT_NEAR(gap, collide_hulls(*a, turned(placed.X_WA), *b, turned(placed.X_WB), 1.0, two, points), 1e-13);
      EXPECT_NEAR(gap, collide_hulls(*kind.a, X * placed.X_WA, *kind.b, X * placed.X_WB, 1.0, three, points), 1e-13);
    }
  }
}

// Number of steps in which the names of the points change while a body at rest jitters.
int count_changes(const ConvexHull& a, const ConvexHull* b, const Pose& X_WA, const Pose& X_WB, double jitter,
                  int num_steps) {
  std::mt19937 generator(51);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  HullPairCache cache;
  HullPlaneCache plane_cache;
  std::vector<std::uint64_t> names, old;
  int changes = 0;
  for (int step = 0; step < num_steps; ++step) {
    const Vector3 turn = jitter / a.radius() * Vector3(uniform(generator), uniform(generator), uniform(generator));
    const Vector3 move = jitter * Vector3(uniform(generator), uniform(generator), uniform(generator));
    const Matrix3 R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
    const Pose moved(Matrix3(R * X_WA.rotation), X_WA.position + move);
    Manifold points;
    if (b) {
      collide_hulls(a, moved, *b, X_WB, 1e-3, cache, points);
    } else {
      collide_hull_plane(a, moved, Vector3::UnitZ(), 0.0, 1e-3, plane_cache, points);
    }
    EXPECT_GE(points.size, 3);
    names.assign(points.feature, points.feature + points.size);
    std::sort(names.begin(), names.end());
    changes += step > 2 && names != old;
    old = names;
  }
  return changes;
}

TEST(CollideHulls, points_of_a_resting_hull_keep_their_names) {
  const Hull cube = ConvexHull::box({0.1, 0.1, 0.1}), slab = ConvexHull::box({0.5, 0.5, 0.05});
  const Hull drum = prism_hull(32, 0.1, 0.1), hexagon = prism_hull(6, 0.1, 0.1);
  const int num_steps = share > 1 ? 1000 : 10000, few = num_steps / 1000;
  const Matrix3 turned = Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix();
  for (double jitter : {1e-6, 1e-5, 1e-4}) {
    SCOPED_TRACE(jitter);
    const double rest = -2e-5;  // overlap
    for (const Hull& hull : {cube, drum, hexagon}) {
      SCOPED_TRACE(hull->num_vertices());
      EXPECT_LE(count_changes(*hull, nullptr, Pose(turned, {0, 0, 0.1 + rest}), {}, jitter, num_steps), few);
      // On a slab, hanging over its edge, and on its equal: flush and turned.
      EXPECT_LE(count_changes(*hull, slab.get(), Pose(turned, {0, 0, 0.15 + rest}), {}, jitter, num_steps), few);
      EXPECT_LE(count_changes(*hull, slab.get(), Pose(turned, {0.47, 0, 0.15 + rest}), {}, jitter, num_steps), few);
      EXPECT_LE(count_changes(*hull, hull.get(), Pose(Vector3(0, 0, 0.2 + rest)), {}, jitter, num_steps), few);
      EXPECT_LE(count_changes(*hull, hull.get(), Pose(turned, {0.03, 0.01, 0.2 + rest}), {}, jitter, num_steps), few);
    }
  }
}

TEST(CollideHulls, exactly_touching_faces_edges_and_corners) {
  const Hull cube = ConvexHull::box({0.5, 0.5, 0.5});
  const Matrix3 eighth = Eigen::AngleAxisd(M_PI / 4, Vector3::UnitX()).toRotationMatrix();
  const Matrix3 eighth_y = Eigen::AngleAxisd(M_PI / 4, Vector3::UnitY()).toRotationMatrix();
  struct Case {
    Pose X_WB;
    double gap;
    Vector3 normal;  // from B to A; zero: not unique
    int num_points;
  };
  const double r = std::sqrt(0.5);
  const Case cases[] = {
      {Pose(Vector3(0, 0, 1)), 0.0, -Vector3::UnitZ(), 4},                      // face on face, flush
      {Pose(Vector3(0.25, 0.5, 1)), 0.0, -Vector3::UnitZ(), 4},                 // face on face, shifted
      {Pose(eighth, {0, 0, 0.5 + r}), 0.0, -Vector3::UnitZ(), 2},               // edge on face
      {Pose(eighth_y, {0.2, 0, 0.5 + r - 0.01}), -0.01, -Vector3::UnitZ(), 2},  // edge in face
      {Pose(Vector3(1, 1, 1)), 0.0, Vector3::Zero(), 1},                        // corner on corner
      {Pose(Vector3(0, 1, 1)), 0.0, Vector3::Zero(), 1},                        // edge on parallel edge
      {Pose(Vector3(0, 0, 0.9)), -0.1, -Vector3::UnitZ(), 4},                   // deep
      {Pose(), -1.0, Vector3::Zero(), 1},                                       // the same place
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases);
    for (const Pose& X : {Pose(), Pose(Quaternion(0.5, 0.1, -0.7, 0.3).normalized(), Vector3(3, -2, 1))}) {
      HullPairCache cache;
      Manifold points;
      for (int call = 0; call < 3; ++call) {  // cold, warm, warm
        const double gap = collide_hulls(*cube, X, *cube, X * c.X_WB, 1e-3, cache, points);
        EXPECT_NEAR(gap, c.gap, 1e-14);
        EXPECT_GE(points.size, c.num_points);
        for (int k = 0; k < points.size; ++k) {
          EXPECT_NEAR(points.normal[k].norm(), 1.0, 1e-14);
          if (c.normal.norm() > 0.0) {
            EXPECT_LT((points.normal[k] - X.rotation * c.normal).norm(), 1e-12);
          }
        }
      }
    }
  }
}

TEST(CollideHulls, identical_hulls_in_one_place_are_pushed_apart_by_their_least_width) {
  for (const Hull& hull : {ConvexHull::box({0.1, 0.2, 0.05}), round_hull(500, 0.1), prism_hull(7, 0.1, 0.3)}) {
    HullPairCache cache;
    Manifold points;
    const double gap = collide_hulls(*hull, {}, *hull, {}, 1e-3, cache, points);
    EXPECT_GE(points.size, 1);
    EXPECT_LT(gap, -0.09);
    EXPECT_GT(gap, -0.21);
    EXPECT_TRUE(std::isfinite(points.position[0].norm()));
  }
}

TEST(CollideHulls, near_sphere_of_500_vertices) {
  const Hull a = round_hull(500, 0.1), b = ConvexHull::box({0.1, 0.05, 0.2});
  std::mt19937 generator(61);
  for (int sample = 0; sample < 20 / std::min(share, 10); ++sample) {
    const PlacedPair placed = place(*a, *b, 2e-3 * (sample % 11 - 5), generator);
    HullPairCache cache;
    Manifold points;
    const double gap = collide_hulls(*a, placed.X_WA, *b, placed.X_WB, 1.0, cache, points);
    EXPECT_NEAR(gap, oracle_gap(*a, placed.X_WA, *b, placed.X_WB).gap, 1e-12);
  }
}

TEST(CollideHulls, tiny_and_large_hulls) {
  std::mt19937 generator(71);
  for (double size : {1e-4, 100.0}) {
    for (double other : {1e-4, 1.0, 100.0}) {
      const Hull a = random_hull(generator, 10, size), b = random_hull(generator, 10, other);
      for (int sample = 0; sample < 500 / share; ++sample) {
        const PlacedPair placed = place(*a, *b, 0.02 * std::min(size, other) * (sample % 11 - 5), generator);
        HullPairCache cache;
        Manifold points;
        const double gap = collide_hulls(*a, placed.X_WA, *b, placed.X_WB, 1e3, cache, points);
        const OracleGap truth = oracle_gap(*a, placed.X_WA, *b, placed.X_WB);
        // The oracle takes the normals of the small hull from its corners in the world, far out on the large one.
        const double large = std::max({size, other, 1.0}), small = std::min(size, other);
        EXPECT_NEAR(gap, truth.gap, 1e-14 * large + 1e-15 * large * large / small) << size << " " << other;
      }
    }
  }
}

TEST(CollideHulls, poses_that_are_not_numbers_give_no_points_and_end) {
  const Hull hull = round_hull(50, 0.1), box = ConvexHull::box({0.1, 0.1, 0.1});
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (double bad : {nan, inf, -inf}) {
    for (int entry = 0; entry < 12; ++entry) {
      Pose X(Vector3(0.05, 0.0, 0.0));
      if (entry < 9) {
        X.rotation(entry / 3, entry % 3) = bad;
      } else {
        X.position[entry - 9] = bad;
      }
      HullPairCache cache;
      HullPlaneCache plane;
      Manifold points;
      EXPECT_TRUE(std::isnan(collide_hulls(*hull, X, *box, {}, 1e-3, cache, points)));
      EXPECT_EQ(points.size, 0);
      EXPECT_TRUE(std::isnan(collide_hulls(*hull, {}, *box, X, 1e-3, cache, points)));
      EXPECT_EQ(points.size, 0);
      EXPECT_TRUE(std::isnan(collide_hull_plane(*hull, X, Vector3::UnitZ(), 0.0, 1e-3, plane, points)));
      EXPECT_EQ(points.size, 0);
    }
  }
}

TEST(CollideHulls, allocates_nothing) {
  const Hull a = round_hull(100, 0.1), b = prism_hull(20, 0.1, 0.1);
  std::mt19937 generator(81);
  HullPairCache cache;
  HullPlaneCache plane;
  Manifold points;
  AllocationGuard guard;
  for (int sample = 0; sample < 1000; ++sample) {
    const Pose X = random_pose(generator, 0.15);
    collide_hulls(*a, X, *b, {}, 1e-3, cache, points);
    collide_hull_plane(*b, X, Vector3::UnitZ(), 0.0, 1e-3, plane, points);
  }
  EXPECT_EQ(guard.count(), 0);
}

TEST(CollideHullPlane, equals_brute_force_and_reports_lowest_vertices) {
  for (const PairKind& kind : pair_kinds()) {
    std::mt19937 generator(91);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    HullPlaneCache cache;
    for (int sample = 0; sample < 20000 / share; ++sample) {
      const Pose X = random_pose(generator, 0.1);
      const Vector3 n = random_direction(generator);
      const double offset = oracle_plane_gap(*kind.a, X, n, 0.0) + 0.03 * uniform(generator), margin = 2e-3;
      const double truth = oracle_plane_gap(*kind.a, X, n, offset);
      Manifold points;
      const double gap = collide_hull_plane(*kind.a, X, n, offset, margin, cache, points);
      ASSERT_EQ(points.size > 0, truth <= margin);
      ASSERT_LE(gap, truth + 1e-14);
      if (truth > margin) continue;
      ASSERT_NEAR(gap, truth, 1e-14);
      int num_below = 0;
      for (const Vector3& v : kind.a->vertices()) num_below += n.dot(X * v) - offset <= margin;
      ASSERT_GE(points.size, std::min(num_below, 2));
      ASSERT_LE(points.size, std::min(num_below, 4));
      double lowest = 1e300;
      for (int k = 0; k < points.size; ++k) {
        const Vector3 vertex = X * kind.a->vertex(static_cast<int>(points.feature[k] & 0x7fff));
        ASSERT_EQ(kind_of(points.feature[k]), FeatureKind::vertex_a);
        ASSERT_LT((points.position[k] + 0.5 * points.gap[k] * n - vertex).norm(), 1e-14);
        ASSERT_NEAR(points.gap[k], n.dot(vertex) - offset, 1e-14);
        lowest = std::min(lowest, points.gap[k]);
      }
      ASSERT_LE(lowest, truth + 0.05 * margin + 1e-6);
    }
  }
}

}  // namespace
}  // namespace stiction
