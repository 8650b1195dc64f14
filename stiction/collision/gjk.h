// Distance of two convex shapes (Gilbert, Johnson, Keerthi), warm-started, careful at degenerate simplices, and its
// extension through zero by shifting (specification 7.1, L3 and L4).
//
//     SimplexKeys<int, int> keys;                          // empty: cold; kept from the last call: warm
//     GjkResult found;
//     gjk(SupportHull{hull}, SupportBox{half}, X_AB, axis, keys, found);
//     if (!found.overlapping) … found.distance, found.normal, witness_a(shape_a, keys, found)
//
// Everything is in A's frame; X_AB places B in it. Normals point from A to B. Radii are the caller's: subtract them.
// `lower_bound` is certified by support planes; distance − lower_bound is at most 1e-15 distance for polytopes.
// Differences from the textbook: stops on a repeated support pair or |v|² − v·w ≤ 1e-15 |v|² only; where neither is
// reached and |v| no longer falls, the simplex is projected again in long double, then restarted.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/simplex.h"
#include "stiction/collision/support_shape.h"

namespace stiction {

template <class KeyA, class KeyB>
struct SimplexKeys {
  int size = 0;
  KeyA a[4];
  KeyB b[4];
};
template <class A, class B>
using KeysOf = SimplexKeys<typename A::Key, typename B::Key>;

struct GjkResult {
  bool overlapping = false;
  double distance = 0.0;  // 0 where overlapping
  double lower_bound = -std::numeric_limits<double>::infinity();
  Vector3 v = Vector3::Zero();  // nearest point of A minus nearest point of B
  double weight[4] = {};        // of the corners, for the witness points
  int iterations = 0;

  Vector3 normal() const { return v / -distance; }  // from A to B, unit
};

template <class A, class B>
Vector3 difference_point(const A& a, const B& b, const Pose& X_AB, const typename A::Key& i, const typename B::Key& j) {
  return a.point(i) - X_AB * b.point(j);
}

// Nearest point of A, in A's frame.
template <class A, class Keys>
Vector3 witness_a(const A& a, const Keys& keys, const double weight[4]) {
  Vector3 p = weight[0] * a.point(keys.a[0]);
  for (int k = 1; k < keys.size; ++k) p += weight[k] * a.point(keys.a[k]);
  return p;
}

// `axis`: a first direction from A to B for a cold start, any length; may be zero. Where the shapes overlap, `keys` is
// a simplex around the origin: a tetrahedron, or fewer corners where the shapes just touch.
template <class A, class B>
void gjk(const A& a, const B& b, const Pose& X_AB, const Vector3& axis, KeysOf<A, B>& keys, GjkResult& result) {
  constexpr double tolerance = 1e-15, loose_tolerance = 1e-12, stall_tolerance = 1e-9;
  constexpr int max_iterations = 128;
  using Keys = KeysOf<A, B>;
  const auto& R = X_AB.rotation;

  if (keys.size == 0) {
    keys.size = 1;
    keys.a[0] = a.support(axis, typename A::Key{});
    keys.b[0] = b.support(-(R.transpose() * axis), typename B::Key{});
  }
  SimplexPoints simplex;
  auto evaluate = [&] {
    simplex.size = keys.size;
    for (int k = 0; k < keys.size; ++k) simplex.w[k] = difference_point(a, b, X_AB, keys.a[k], keys.b[k]);
  };
  // Drops the keys of the corners that carry nothing.
  auto compact = [&](const int from[4]) {
    for (int k = 0; k < simplex.size; ++k) keys.a[k] = keys.a[from[k]], keys.b[k] = keys.b[from[k]];
    keys.size = simplex.size;
  };
  auto finish = [&](bool overlapping, double distance) {
    result.overlapping = overlapping, result.distance = distance;
    for (int k = 0; k < 4; ++k) result.weight[k] = k < keys.size ? simplex.weight[k] : 0.0;
  };

  evaluate();
  int from[4];
  Vector3 v;
  result.lower_bound = -std::numeric_limits<double>::infinity();
  result.iterations = 0;
  if (reduce_simplex(simplex, v, from)) return finish(true, 0.0);
  compact(from);
  auto i = keys.a[0];
  auto j = keys.b[0];
  double previous = std::numeric_limits<double>::infinity();
  int careful_rounds = 0, restarts = 0;
  Keys full;  // the simplex before its last reduction

  for (result.iterations = 1;; ++result.iterations) {
    const double vv = v.squaredNorm(), length = std::sqrt(vv);
    result.v = v;
    double largest = simplex.w[0].squaredNorm();
    for (int k = 1; k < simplex.size; ++k) largest = std::max(largest, simplex.w[k].squaredNorm());
    if (!(vv > 1e-30 * largest)) return finish(true, 0.0);  // touching, or not a number

    i = a.support(-v, i);
    j = b.support(R.transpose() * v, j);
    const Vector3 w = difference_point(a, b, X_AB, i, j);
    const double vw = v.dot(w), missing = vv - vw;
    result.lower_bound = std::max(result.lower_bound, vw / length);
    bool repeated = false;
    for (int k = 0; k < keys.size; ++k) repeated |= keys.a[k] == i && keys.b[k] == j;
    if (missing <= tolerance * vv || result.iterations >= max_iterations) return finish(false, length);
    if (repeated && (missing <= loose_tolerance * vv || careful_rounds >= 3)) return finish(false, length);

    const bool stalled = !(vv < previous);
    if ((repeated || stalled) && careful_rounds < 3 && full.size > 0) {
      ++careful_rounds;
      keys = full, full.size = 0;
      bool has = false;
      for (int k = 0; k < keys.size; ++k) has |= keys.a[k] == i && keys.b[k] == j;
      if (!has && keys.size < 4) keys.a[keys.size] = i, keys.b[keys.size] = j, ++keys.size;
      evaluate();
      reduce_simplex_carefully(simplex, v, from);
      compact(from);
      previous = std::numeric_limits<double>::infinity();
      continue;
    }
    if (repeated) return finish(false, length);
    previous = vv;
    if (stalled) {
      if (missing <= stall_tolerance * vv || restarts++ > 3) return finish(false, length);
      keys.size = simplex.size = 0;
      previous = std::numeric_limits<double>::infinity();
    }
    keys.a[keys.size] = i, keys.b[keys.size] = j, simplex.w[simplex.size] = w;
    ++keys.size, ++simplex.size;
    full = keys;
    if (reduce_simplex(simplex, v, from)) return finish(true, 0.0);
    compact(from);
  }
}

// Separation of the shapes along a direction; negative where they overlap along it.
template <class A, class B>
double separation_along(const A& a, const B& b, const Pose& X_AB, const Vector3& n, typename A::Key& i,
                        typename B::Key& j) {
  i = a.support(n, i);
  j = b.support(-(X_AB.rotation.transpose() * n), j);
  return -n.dot(difference_point(a, b, X_AB, i, j));
}

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
    gjk(a, b, moved, best.normal, keys, found);
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
