// The parts of the convex path, each along slow motions of round hulls of 30, 120 and 500 vertices (theory §5.1):
// support, kept axis, GJK warm and cold, the ways through zero, whole calls with points. CPU time per call.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "stiction/collision/convex/convex_gap.h"
#include "stiction/collision/convex/hull_pair.h"

namespace stiction {
namespace {

constexpr int num_poses = 1024;
using Keys = SimplexKeys<int, int>;
using Hull = std::shared_ptr<const ConvexHull>;

// Points on an ellipsoid, by Fibonacci's spiral, cut off below so that it can lie on a face.
Hull round_hull(int num_vertices) {
  std::vector<Vector3> points;
  for (int k = 0; k < num_vertices; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / num_vertices, angle = 2.399963229728653 * k, r = std::sqrt(1.0 - z * z);
    points.emplace_back(0.1 * r * std::cos(angle), 0.08 * r * std::sin(angle), 0.12 * std::max(z, -0.6));
  }
  return ConvexHull::from_points(points);
}

// B circles A at a distance of the centres, turning: 1 mm and 5 mrad per pose.
std::vector<Pose> circle(double distance) {
  std::vector<Pose> poses;
  for (int k = 0; k < num_poses; ++k) {
    const double angle = 1e-3 / distance * k;
    const Matrix3 R = Eigen::AngleAxisd(5e-3 * k, Vector3(1, 2, 3).normalized()).toRotationMatrix();
    poses.emplace_back(R, distance * Vector3(std::cos(angle), std::sin(angle), 0.3 * std::sin(2 * angle)));
  }
  return poses;
}

// B lies on a slab, sliding and trembling.
std::vector<Pose> rest(double height) {
  std::vector<Pose> poses;
  for (int k = 0; k < num_poses; ++k) {
    const Matrix3 R = Eigen::AngleAxisd(1e-4 * std::sin(17.0 * k), Vector3(1, 2, 0).normalized()).toRotationMatrix();
    poses.emplace_back(R, Vector3(1e-5 * k, 0.0, height + 1e-5 * std::sin(31.0 * k)));
  }
  return poses;
}

template <class Call>
void per_pose(benchmark::State& state, const std::vector<Pose>& poses, Call call) {
  for (auto _ : state) {
    for (const Pose& X : poses) call(X);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(poses.size()));
  state.counters["ns"] = benchmark::Counter(static_cast<double>(state.iterations()) * 1e-9 * num_poses,
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void support(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  int vertex = 0;
  per_pose(state, circle(0.3),
           [&](const Pose& X) { benchmark::DoNotOptimize(vertex = a->support(X.position, vertex)); });
}

void kept_axis(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  int i = 0, j = 0;
  per_pose(state, circle(0.3), [&](const Pose& X) {
    benchmark::DoNotOptimize(separation_along(SupportHull{*a}, SupportHull{*a}, X, Vector3::UnitX(), i, j));
  });
}

void gjk_warm(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  Keys keys;
  GjkResult found;
  per_pose(state, circle(0.3), [&](const Pose& X) {
    gjk(SupportHull{*a}, SupportHull{*a}, X, X.position, keys, found);
    benchmark::DoNotOptimize(found.distance);
  });
}

void gjk_cold(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  GjkResult found;
  per_pose(state, circle(0.3), [&](const Pose& X) {
    Keys keys;
    gjk(SupportHull{*a}, SupportHull{*a}, X, X.position, keys, found);
    benchmark::DoNotOptimize(found.distance);
  });
}

void shifted_warm(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  Keys keys;
  Vector3 n = Vector3::UnitX();
  per_pose(state, circle(0.18), [&](const Pose& X) {
    const ShiftedResult found = shifted_gjk(SupportHull{*a}, SupportHull{*a}, X, n, 1e-4, keys);
    n = found.normal;
    benchmark::DoNotOptimize(found.gap);
  });
}

void epa_cold(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  GjkResult found;
  per_pose(state, circle(0.16), [&](const Pose& X) {
    Keys keys;
    gjk(SupportHull{*a}, SupportHull{*a}, X, X.position, keys, found);
    if (found.overlapping) benchmark::DoNotOptimize(epa(SupportHull{*a}, SupportHull{*a}, X, keys).gap);
  });
}

void pair_touching_round(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  HullPairCache cache;
  Manifold points;
  per_pose(state, circle(0.18),
           [&](const Pose& X) { benchmark::DoNotOptimize(collide_hulls(*a, {}, *a, X, 0.05, cache, points)); });
}

void pair_resting_on_slab(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0))), slab = ConvexHull::box({0.5, 0.5, 0.05});
  HullPairCache cache;
  Manifold points;
  per_pose(state, rest(0.05 + 0.072),
           [&](const Pose& X) { benchmark::DoNotOptimize(collide_hulls(*a, X, *slab, {}, 1e-3, cache, points)); });
}

void plane_resting(benchmark::State& state) {
  const Hull a = round_hull(static_cast<int>(state.range(0)));
  HullPlaneCache cache;
  Manifold points;
  per_pose(state, rest(0.072), [&](const Pose& X) {
    benchmark::DoNotOptimize(collide_hull_plane(*a, X, Vector3::UnitZ(), 0.0, 1e-3, cache, points));
  });
}

void boxes_resting(benchmark::State& state) {
  const Hull a = ConvexHull::box({0.1, 0.1, 0.1}), slab = ConvexHull::box({0.5, 0.5, 0.05});
  HullPairCache cache;
  Manifold points;
  per_pose(state, rest(0.15),
           [&](const Pose& X) { benchmark::DoNotOptimize(collide_hulls(*a, X, *slab, {}, 1e-3, cache, points)); });
}

BENCHMARK(support)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(kept_axis)->Arg(30)->Arg(500);
BENCHMARK(gjk_warm)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(gjk_cold)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(shifted_warm)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(epa_cold)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(pair_touching_round)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(pair_resting_on_slab)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(plane_resting)->Arg(30)->Arg(120)->Arg(500);
BENCHMARK(boxes_resting);

}  // namespace
}  // namespace stiction

BENCHMARK_MAIN();
