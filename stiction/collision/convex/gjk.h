// Distance of two convex shapes (Gilbert, Johnson, Keerthi), warm-started, careful at degenerate simplices,
// (theory §5.1, L3); shifted_gjk.h takes it through zero.
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
#include <type_traits>

#include "stiction/collision/convex/simplex.h"
#include "stiction/collision/convex/support_shape.h"

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

namespace detail {

template <class A, class B>
class GjkRun {
 public:
  using Keys = KeysOf<A, B>;
  // Support points of smooth shapes draw together until their plane is noise.
  static constexpr bool is_smooth = !std::is_same_v<typename A::Key, int> || !std::is_same_v<typename B::Key, int>;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  GjkRun(const A& a, const B& b, const Pose& X_AB, Keys& keys, GjkResult& result)
      : a_(a), b_(b), X_AB_(X_AB), keys_(keys), result_(result) {}

  void run(const Vector3& axis) {
    constexpr double tolerance = 1e-15, loose_tolerance = 1e-12, stall_tolerance = 1e-9;
    constexpr int max_iterations = 128;
    result_.lower_bound = -infinite;
    if (!start(axis)) return finish(true, 0.0);
    for (result_.iterations = 1;; ++result_.iterations) {
      const double vv = v_.squaredNorm(), length = std::sqrt(vv);
      result_.v = v_;
      if (!(vv > 1e-30 * largest_squared())) return finish(true, 0.0);  // touching, or not a number
      i_ = a_.support(-v_, i_);
      j_ = b_.support(X_AB_.rotation.transpose() * v_, j_);
      const Vector3 w = difference_point(a_, b_, X_AB_, i_, j_);
      const double vw = v_.dot(w), missing = vv - vw;
      result_.lower_bound = std::max(result_.lower_bound, vw / length);
      if (missing <= tolerance * vv || result_.iterations >= max_iterations) return finish(false, length);

      const bool repeated = contains(keys_), stalled = !(vv < previous_);
      if constexpr (is_smooth) {
        if (stalled || length < result_.lower_bound * (1.0 - 1e-9)) return finish_with_best();
        if (repeated) return finish(false, length);
        best_v_ = v_, best_keys_ = keys_, best_simplex_ = simplex_;
      } else {
        if (repeated && (missing <= loose_tolerance * vv || careful_rounds_ >= 3)) return finish(false, length);
        if ((repeated || stalled) && careful_rounds_ < 3 && full_.size > 0) {
          project_again();
          continue;
        }
        if (repeated) return finish(false, length);
      }
      previous_ = vv;
      if (stalled) {
        if (missing <= stall_tolerance * vv || restarts_++ > 3) return finish(false, length);
        keys_.size = simplex_.size = 0;
        previous_ = infinite;
      }
      if (!grow(w)) return finish(true, 0.0);
    }
  }

 private:
  bool start(const Vector3& axis) {
    if (keys_.size == 0) {
      keys_.size = 1;
      keys_.a[0] = a_.support(axis, typename A::Key{});
      keys_.b[0] = b_.support(-(X_AB_.rotation.transpose() * axis), typename B::Key{});
    }
    evaluate();
    int from[4];
    if (reduce_simplex(simplex_, v_, from)) return false;
    compact(from);
    i_ = keys_.a[0], j_ = keys_.b[0];
    return true;
  }
  void evaluate() {
    simplex_.size = keys_.size;
    for (int k = 0; k < keys_.size; ++k) {
      simplex_.w[k] = difference_point(a_, b_, X_AB_, keys_.a[k], keys_.b[k]);
    }
  }
  // Drops the keys of the corners that carry nothing.
  void compact(const int from[4]) {
    for (int k = 0; k < simplex_.size; ++k) keys_.a[k] = keys_.a[from[k]], keys_.b[k] = keys_.b[from[k]];
    keys_.size = simplex_.size;
  }
  bool contains(const Keys& keys) const {
    bool found = false;
    for (int k = 0; k < keys.size; ++k) found |= keys.a[k] == i_ && keys.b[k] == j_;
    return found;
  }
  double largest_squared() const {
    double largest = simplex_.w[0].squaredNorm();
    for (int k = 1; k < simplex_.size; ++k) largest = std::max(largest, simplex_.w[k].squaredNorm());
    return largest;
  }
  // Adds the support point; false where the origin is inside.
  bool grow(const Vector3& w) {
    keys_.a[keys_.size] = i_, keys_.b[keys_.size] = j_, simplex_.w[simplex_.size] = w;
    ++keys_.size, ++simplex_.size;
    full_ = keys_;
    int from[4];
    if (reduce_simplex(simplex_, v_, from)) {
      // A plane is known that separates them: the tetrahedron is so small or flat that rounding put the origin inside.
      if (!(result_.lower_bound > 0.0)) return false;
      reduce_simplex_carefully(simplex_, v_, from);
    }
    compact(from);
    return true;
  }
  // The last reduction led nowhere: once more from the whole simplex, in long double.
  void project_again() {
    ++careful_rounds_;
    keys_ = full_, full_.size = 0;
    if (!contains(keys_) && keys_.size < 4) keys_.a[keys_.size] = i_, keys_.b[keys_.size] = j_, ++keys_.size;
    evaluate();
    int from[4];
    reduce_simplex_carefully(simplex_, v_, from);
    compact(from);
    previous_ = infinite;
  }
  void finish(bool overlapping, double distance) {
    result_.overlapping = overlapping, result_.distance = distance;
    for (int k = 0; k < 4; ++k) result_.weight[k] = k < keys_.size ? simplex_.weight[k] : 0.0;
  }
  void finish_with_best() {
    result_.v = best_v_, keys_ = best_keys_, simplex_ = best_simplex_;
    finish(false, std::sqrt(previous_));
  }

  const A& a_;
  const B& b_;
  const Pose& X_AB_;
  Keys& keys_;
  GjkResult& result_;
  SimplexPoints simplex_;
  Vector3 v_;
  typename A::Key i_{};
  typename B::Key j_{};
  double previous_ = infinite;
  int careful_rounds_ = 0, restarts_ = 0;
  Keys full_;  // the simplex before its last reduction
  // Smooth shapes: before the last step.
  Vector3 best_v_;
  Keys best_keys_;
  SimplexPoints best_simplex_;
};

}  // namespace detail

// `axis`: a first direction from A to B for a cold start, any length; may be zero. Where the shapes overlap, `keys` is
// a simplex around the origin: a tetrahedron, or fewer corners where the shapes just touch.
template <class A, class B>
void gjk(const A& a, const B& b, const Pose& X_AB, const Vector3& axis, KeysOf<A, B>& keys, GjkResult& result) {
  detail::GjkRun<A, B>(a, b, X_AB, keys, result).run(axis);
}

// Separation of the shapes along a direction; negative where they overlap along it.
template <class A, class B>
double separation_along(const A& a, const B& b, const Pose& X_AB, const Vector3& n, typename A::Key& i,
                        typename B::Key& j) {
  i = a.support(n, i);
  j = b.support(-(X_AB.rotation.transpose() * n), j);
  return -n.dot(difference_point(a, b, X_AB, i, j));
}

}  // namespace stiction
