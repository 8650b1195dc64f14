// The gap of two convex shapes near zero and below, by GJK on shapes moved apart (theory §5.1, L4 ii).
#pragma once

#include "stiction/collision/convex/nearest_points.h"

namespace stiction {

// The gap near zero and below: a local maximum of the separation s(n) over directions n.
struct ShiftedResult {
  bool converged = false;
  double gap = 0.0;                  // s(n), m
  Vector3 normal = Vector3::Zero();  // n, from A to B, unit
  double weight[4] = {};
};

// Moves B away along n by τ = shift − s(n), so that GJK sees a distance near `shift`, whose direction n′ is sharp; the
// separation along it is s(n′) = d′ − τ n·n′. Repeats while that grows by more than rounding. Exact through zero, both
// signs; finds the maximum that belongs to the starting n. `keys` warm-starts and returns the simplex of the witness.
template <class A, class B>
ShiftedResult shifted_gjk(const A& a, const B& b, const Pose& X_AB, const Vector3& start, double shift,
                          KeysOf<A, B>& keys) {
  ShiftedResult best;
  best.normal = start;
  typename A::Key i = keys.size > 0 ? keys.a[0] : typename A::Key{};
  typename B::Key j = keys.size > 0 ? keys.b[0] : typename B::Key{};
  best.gap = separation_along(a, b, X_AB, start, i, j);
  if (keys.size == 0 || keys.size > 3) keys.size = 1, keys.a[0] = i, keys.b[0] = j;
  const double rounding = 1e-16 * (a.extent() + b.extent() + X_AB.position.norm());
  for (int round = 0; round < 30; ++round) {
    const double tau = shift - best.gap;
    const Pose moved(X_AB.rotation, X_AB.position + tau * best.normal);
    GjkResult found;
    find_distance(a, b, moved, best.normal, keys, found);
    if (found.overlapping || !(found.distance > 0.0)) break;
    const Vector3 n = found.normal();
    const double cosine = n.dot(best.normal), gap = found.distance - tau * cosine;
    std::copy(found.weight, found.weight + 4, best.weight);
    best.converged = true;
    if (!(gap > best.gap + rounding)) break;
    best.gap = gap, best.normal = n;
    if (cosine > 1.0 - 1e-15) break;
  }
  return best;
}

}  // namespace stiction
