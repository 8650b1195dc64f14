// Distance of two convex shapes by projections in turns: the point of A nearest to that of B, the point of B nearest to
// that of A, and so on. For shapes of which the nearest point is a closed form, where one of them is round and GJK
// would build its curve of many points: a wheel above a bar, a drum on a box.
//
// What comes out is proven by the support planes across it (theory §5.1, L3); where a few rounds do not get there
// (edges that cross at a slant) the answer is false, and GJK is to be asked.
#pragma once

#include <concepts>
#include <limits>

#include "stiction/collision/convex/gjk.h"

namespace stiction {

template <class A, class B>
concept HasNearestPoints = requires(const A& a, const B& b, const Vector3& x) {
  { a.nearest(x) } -> std::same_as<Vector3>;
  { b.nearest(x) } -> std::same_as<Vector3>;
  requires std::same_as<typename A::Key, Vector3>;
};

template <class A, class B>
  requires HasNearestPoints<A, B>
bool project_in_turns(const A& a, const B& b, const Pose& X_AB, const Vector3& axis, KeysOf<A, B>& keys,
                      GjkResult& result) {
  constexpr int most_rounds = 8;
  constexpr double rounding = 2e-16;
  const double size = a.extent() + b.extent() + X_AB.position.norm();
  Vector3 p = a.support(axis, {});
  double previous = std::numeric_limits<double>::infinity();
  for (int round = 1; round <= most_rounds; ++round) {
    const Vector3 q = X_AB * b.nearest(X_AB.to_local(p));
    p = a.nearest(q);
    const Vector3 v = p - q;
    const double distance = v.norm();
    if (!(distance > 1e3 * rounding * size)) return false;  // they overlap, or nearly
    typename A::Key i{};
    typename B::Key j{};
    const double bound = separation_along(a, b, X_AB, v / -distance, i, j);
    if (distance - bound <= 64.0 * rounding * size) {
      keys.size = 1, keys.a[0] = p, keys.b[0] = j;
      result.overlapping = false;
      result.distance = distance, result.lower_bound = std::min(bound, distance);
      result.v = v;
      result.weight[0] = 1.0, result.weight[1] = result.weight[2] = result.weight[3] = 0.0;
      result.iterations = round;
      return true;
    }
    // Where the points creep (along lines that are nearly parallel, round a wheel close to a face): on from the point
    // that is farthest along the normal.
    if (!(previous - distance > 0.5 * (distance - bound))) p = i;
    previous = distance;
  }
  return false;
}

// gjk(), by projections where they do.
template <class A, class B>
void find_distance(const A& a, const B& b, const Pose& X_AB, const Vector3& axis, KeysOf<A, B>& keys,
                   GjkResult& result) {
  if constexpr (HasNearestPoints<A, B>) {
    if (project_in_turns(a, b, X_AB, axis, keys, result)) return;
  }
  gjk(a, b, X_AB, axis, keys, result);
}

}  // namespace stiction
