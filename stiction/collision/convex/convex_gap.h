// Signed gap of two convex shapes, whichever way is cheapest and exact: GJK where they are apart, shifted GJK near zero
// and below, EPA where nothing is known (theory §5.1, L3 and L4).
#pragma once

#include "stiction/collision/convex/epa.h"

namespace stiction {

// What is known from the step before; all zero: nothing.
struct GapMemory {
  Vector3 axis = Vector3::Zero();  // normal from A to B in A's frame; zero: unknown
  double gap = 0.0;                // of the cores
};

template <class A, class B>
struct ConvexGap {
  double gap = 0.0;          // of the cores; m
  double lower_bound = 0.0;  // proven; gap to rounding
  Vector3 normal;            // from A to B, in A's frame
  Vector3 point_a;           // nearest point of A; of B: point_a + gap normal
  KeysOf<A, B> keys;
};

// Distances below this are found by shifting: the direction of a shorter vector is not sharp.
inline double near_distance(double extent_a, double extent_b) {
  const double large = std::max(extent_a, extent_b), small = std::min(extent_a, extent_b);
  return std::max(1e-3 * (small > 0.0 ? small : large), 1e-6 * large);
}

// How far apart shifted_gjk() looks at them. Smooth shapes: the larger the shift against the depth, the faster it turns
// to the best normal; polytopes get there in a few steps anyway, and a small shift leaves the simplex warm.
template <class A, class B>
double shift_distance(const A& a, const B& b) {
  constexpr bool is_smooth = !std::is_same_v<typename A::Key, int> || !std::is_same_v<typename B::Key, int>;
  const double near = near_distance(a.extent(), b.extent());
  return is_smooth ? std::max(near, 0.5 * std::max(a.extent(), b.extent())) : near;
}

namespace detail {

// Nearest point of A: by the weights of the simplex, or, sharper, as the one point of a round shape along the normal.
template <class A, class B>
Vector3 find_witness(const A& a, const B& b, const Pose& X_AB, const KeysOf<A, B>& keys, const double weight[4],
                     const Vector3& normal, double gap) {
  if constexpr (requires { A::is_strictly_convex; }) {
    return a.point(a.support(normal, {}));
  } else if constexpr (requires { B::is_strictly_convex; }) {
    return X_AB * b.point(b.support(-(X_AB.rotation.transpose() * normal), {})) - gap * normal;
  } else {
    return witness_a(a, keys, weight);
  }
}

template <class A, class B>
void take(const A& a, const B& b, const Pose& X_AB, const ShiftedResult& found, const KeysOf<A, B>& keys,
          ConvexGap<A, B>& out) {
  out.gap = out.lower_bound = found.gap;
  out.normal = found.normal;
  out.keys = keys;
  out.point_a = find_witness(a, b, X_AB, keys, found.weight, found.normal, found.gap);
}

// Nothing to start from but a simplex: EPA, made exact by shifting where it did not end at a face of A − B.
template <class A, class B>
bool find_gap_by_expansion(const A& a, const B& b, const Pose& X_AB, double shift, const KeysOf<A, B>& start,
                           ConvexGap<A, B>& out) {
  constexpr bool is_smooth = !std::is_same_v<typename A::Key, int> || !std::is_same_v<typename B::Key, int>;
  KeysOf<A, B> keys = start;
  ShiftedResult found = epa(a, b, X_AB, keys);
  const bool has_normal = found.normal.squaredNorm() > 0.5;
  if (found.converged && !is_smooth) return take<A, B>(a, b, X_AB, found, keys, out), true;
  if (!has_normal) return false;
  ShiftedResult polished = shifted_gjk(a, b, X_AB, found.normal, shift, keys);
  if (!polished.converged) return false;
  take<A, B>(a, b, X_AB, polished, keys, out);
  return true;
}

}  // namespace detail

// False where no number comes out (poses that are not finite, shapes without volume on top of each other).
// A shifted solution from the remembered axis is a local one; it is taken where the overlap did not grow at once: else
// EPA finds the global one.
template <class A, class B>
bool find_gap(const A& a, const B& b, const Pose& X_AB, const GapMemory& memory, const KeysOf<A, B>& start,
              ConvexGap<A, B>& out) {
  const double near = near_distance(a.extent(), b.extent());
  const double shift = shift_distance(a, b);
  const bool has_axis = memory.axis.squaredNorm() > 0.5;
  KeysOf<A, B> keys = start;
  if constexpr (HasNearestPoints<A, B>) {
    // Near what it was, a local maximum of the separation that is positive is the only one; so is one that is hardly
    // negative, if nothing is as thin as that.
    if (has_axis && memory.gap < 2.0 * near) {
      const ShiftedResult shifted = shifted_gjk(a, b, X_AB, memory.axis, shift, keys);
      if (shifted.converged && shifted.gap >= -1e-2 * near && shifted.gap <= near)
        return detail::take<A, B>(a, b, X_AB, shifted, keys, out), true;
      keys = start;
    }
  }
  GjkResult found;
  find_distance(a, b, X_AB, has_axis ? memory.axis : X_AB.position, keys, found);
  if (!found.overlapping && found.distance > near) {
    out.gap = found.distance, out.lower_bound = found.lower_bound;
    out.normal = found.normal(), out.keys = keys;
    out.point_a = detail::find_witness(a, b, X_AB, keys, found.weight, out.normal, out.gap);
    return true;
  }
  const double rounding = 1e-14 * (a.extent() + b.extent() + X_AB.position.norm());
  const double floor =
      found.overlapping ? -(1.5 * std::max(-memory.gap, 0.0) + near) : found.distance - rounding - 1e-9 * near;
  const KeysOf<A, B> touching = keys;
  if (has_axis) {
    const ShiftedResult shifted = shifted_gjk(a, b, X_AB, memory.axis, shift, keys);
    if (shifted.converged && shifted.gap >= floor) return detail::take<A, B>(a, b, X_AB, shifted, keys, out), true;
  }
  if (!found.overlapping) {
    keys = touching;
    const ShiftedResult shifted = shifted_gjk(a, b, X_AB, found.normal(), shift, keys);
    if (shifted.converged && shifted.gap >= floor) return detail::take<A, B>(a, b, X_AB, shifted, keys, out), true;
  }
  return detail::find_gap_by_expansion<A, B>(a, b, X_AB, shift, touching, out);
}

}  // namespace stiction
