#include "stiction/collision/convex/convex_pair.h"

#include <cmath>

#include "stiction/collision/convex/convex_face.h"
#include "stiction/collision/convex/convex_gap.h"
#include "stiction/collision/convex/hull_faces.h"

namespace stiction {
namespace {

constexpr double sphere_slack = 0.02, axis_share = 0.3;  // as for hulls

// Core and radius of every shape.
SupportPoint core_of(const Sphere&) {
  return {};
}
SupportSegment core_of(const Capsule& shape) {
  return {shape.half_length};
}
SupportCylinder core_of(const Cylinder& shape) {
  return {shape.radius, shape.half_length};
}
SupportEllipsoid core_of(const Ellipsoid& shape) {
  return {shape.radii};
}
SupportBox core_of(const Box& shape) {
  return {shape.half_size};
}
SupportHull core_of(const ConvexHull& shape) {
  return {shape};
}
const SupportTriangle& core_of(const SupportTriangle& shape) {
  return shape;
}
template <class Shape>
double radius_of(const Shape& shape) {
  if constexpr (requires { shape.half_length; } && !std::is_same_v<Shape, Cylinder>) return shape.radius;
  if constexpr (std::is_same_v<Shape, Sphere>) return shape.radius;
  return 0.0;
}
template <class Shape>
Vector3 center_of(const Shape& shape) {
  if constexpr (std::is_same_v<Shape, ConvexHull>) return shape.center();
  if constexpr (std::is_same_v<Shape, SupportTriangle>) return shape.corners[0];
  return Vector3::Zero();
}

template <class Shape, class Key>
const FaceView* find_face(const Shape& shape, const Vector3& direction, const Key* keys, int size, std::int32_t& cached,
                          FaceStore& store, double& cosine) {
  if constexpr (std::is_same_v<Shape, ConvexHull>) {
    const int face = best_face(shape, direction, keys, size, cached - 1, cosine);
    cached = face + 1;
    store.view = face_view(shape, shape.faces()[face]);
    return &store.view;
  } else if constexpr (std::is_same_v<Shape, Sphere> || std::is_same_v<Shape, Ellipsoid>) {
    return nullptr;
  } else {
    return face_along(shape, direction, store, cosine);
  }
}

template <class ShapeA, class ShapeB>
struct PairWork {
  using A = std::decay_t<decltype(core_of(std::declval<const ShapeA&>()))>;
  using B = std::decay_t<decltype(core_of(std::declval<const ShapeB&>()))>;
  static constexpr bool has_numbers = std::is_same_v<typename A::Key, int> && std::is_same_v<typename B::Key, int>;
  static constexpr bool is_polytope = has_numbers && !std::is_same_v<A, SupportPoint> &&
                                      !std::is_same_v<A, SupportSegment> && !std::is_same_v<B, SupportPoint> &&
                                      !std::is_same_v<B, SupportSegment>;

  const ShapeA& shape_a;
  const ShapeB& shape_b;
  A a;
  B b;
  Pose X_WA, X_AB;
  double radii;
  ConvexPairCache& cache;

  Vector3 kept_axis() const { return {cache.axis[0], cache.axis[1], cache.axis[2]}; }

  double bound_of_kept_axis() {
    typename A::Key i{};
    typename B::Key j{};
    if constexpr (std::is_same_v<typename A::Key, int>) i = cache.support_a;
    if constexpr (std::is_same_v<typename B::Key, int>) j = cache.support_b;
    const double bound = separation_along(a, b, X_AB, kept_axis(), i, j) - radii;
    if constexpr (std::is_same_v<typename A::Key, int>) cache.support_a = i;
    if constexpr (std::is_same_v<typename B::Key, int>) cache.support_b = j;
    return bound;
  }

  bool find(ConvexGap<A, B>& found) const {
    KeysOf<A, B> keys;
    if constexpr (has_numbers) {
      keys.size = cache.simplex_size;
      for (int k = 0; k < 4; ++k) keys.a[k] = cache.simplex_a[k], keys.b[k] = cache.simplex_b[k];
    }
    const bool is_found = find_gap(a, b, X_AB, {kept_axis(), cache.distance + radii}, keys, found);
    if constexpr (std::is_same_v<B, SupportTriangle>) {
      if (is_found && found.gap < 0.0) prefer_upper_side(found);
    }
    return is_found;
  }

  // A triangle of a terrain is one of many: sideways over its edge is no way out. Its own normal is, unless that is
  // more than twice as deep and the other does not lead below.
  void prefer_upper_side(ConvexGap<A, B>& found) const {
    const Vector3 up = (b.corners[1] - b.corners[0]).cross(b.corners[2] - b.corners[0]);
    const Vector3 down = -(X_AB.rotation * up).normalized();
    typename A::Key i = found.keys.a[0];
    int j = found.keys.b[0];
    const double gap = separation_along(a, b, X_AB, down, i, j);
    if (found.normal.dot(down) > 0.0 && gap < 2.0 * found.gap) return;
    found.gap = found.lower_bound = gap;
    found.normal = down;
    found.keys.size = 1, found.keys.a[0] = i, found.keys.b[0] = j;
    found.point_a = a.point(i);
  }

  void remember(const ConvexGap<A, B>& found) {
    for (int k = 0; k < 3; ++k) cache.axis[k] = found.normal[k];
    cache.distance = found.gap - radii;
    cache.simplex_size = found.keys.size;
    for (int k = 0; k < found.keys.size; ++k) {
      if constexpr (has_numbers) cache.simplex_a[k] = found.keys.a[k], cache.simplex_b[k] = found.keys.b[k];
    }
    if constexpr (std::is_same_v<typename A::Key, int>) cache.support_a = found.keys.a[0];
    if constexpr (std::is_same_v<typename B::Key, int>) cache.support_b = found.keys.b[0];
  }

  void report(const ConvexGap<A, B>& found, double margin, Manifold& out) {
    TouchingPair touching;
    touching.X_WA = X_WA, touching.X_AB = X_AB;
    touching.normal = found.normal, touching.gap = found.gap - radii, touching.point_a = found.point_a;
    touching.radius_a = radius_of(shape_a), touching.radius_b = radius_of(shape_b);
    touching.margin = margin;
    if constexpr (is_polytope) {
      touching.witness_feature = witness_feature(found.keys.size, found.keys.a, found.keys.b);
    }
    FaceStore store_a, store_b;
    const Vector3 n_B = X_AB.rotation.transpose() * -found.normal;
    touching.face_a =
        find_face(shape_a, found.normal, found.keys.a, found.keys.size, cache.face_a, store_a, touching.cosine_a);
    touching.face_b = find_face(shape_b, n_B, found.keys.b, found.keys.size, cache.face_b, store_b, touching.cosine_b);
    make_manifold(touching, cache.points, out);
  }

  double collide(double margin, Manifold& out) {
    if (cache.simplex_size > 0 && !cache.is_touching) {
      const double bound = bound_of_kept_axis();
      if (bound > margin + axis_share * std::max(cache.distance - margin, 0.0)) return bound;
    }
    ConvexGap<A, B> found;
    if (!find(found)) return std::numeric_limits<double>::quiet_NaN();
    remember(found);
    if (found.gap - radii > margin) {
      forget_points(cache);
      return found.lower_bound - radii;
    }
    cache.is_touching = 1;
    report(found, margin, out);
    return found.gap - radii;
  }
};

}  // namespace

template <class ShapeA, class ShapeB>
double collide_convex(const ShapeA& a, const Pose& X_WA, const ShapeB& b, const Pose& X_WB, double margin,
                      ConvexPairCache& cache, Manifold& out) {
  out.clear();
  const auto& core_a = core_of(a);
  const auto& core_b = core_of(b);
  const double radii = radius_of(a) + radius_of(b);
  const double of_spheres =
      (X_WA * center_of(a) - X_WB * center_of(b)).norm() - core_a.extent() - core_b.extent() - radii;
  if (!std::isfinite(of_spheres)) return std::numeric_limits<double>::quiet_NaN();
  if (of_spheres > margin + sphere_slack) {
    if (cache.is_touching) forget_points(cache);
    return of_spheres;
  }
  const Matrix3 R_AW = X_WA.rotation.transpose();
  const Pose X_AB(R_AW * X_WB.rotation, R_AW * (X_WB.position - X_WA.position));
  PairWork<ShapeA, ShapeB> work{a, b, core_a, core_b, X_WA, X_AB, radii, cache};
  return work.collide(margin, out);
}

#define STICTION_CONVEX_PAIR(A, B)                                                                             \
  template double collide_convex<A, B>(const A&, const Pose&, const B&, const Pose&, double, ConvexPairCache&, \
                                       Manifold&);
STICTION_CONVEX_PAIR(Sphere, ConvexHull)
STICTION_CONVEX_PAIR(Capsule, ConvexHull)
STICTION_CONVEX_PAIR(Cylinder, ConvexHull)
STICTION_CONVEX_PAIR(Ellipsoid, ConvexHull)
STICTION_CONVEX_PAIR(Box, ConvexHull)
STICTION_CONVEX_PAIR(Sphere, Cylinder)
STICTION_CONVEX_PAIR(Capsule, Cylinder)
STICTION_CONVEX_PAIR(Cylinder, Cylinder)
STICTION_CONVEX_PAIR(Cylinder, Ellipsoid)
STICTION_CONVEX_PAIR(Cylinder, Box)
STICTION_CONVEX_PAIR(Sphere, Ellipsoid)
STICTION_CONVEX_PAIR(Capsule, Ellipsoid)
STICTION_CONVEX_PAIR(Ellipsoid, Ellipsoid)
STICTION_CONVEX_PAIR(Ellipsoid, Box)
STICTION_CONVEX_PAIR(Sphere, SupportTriangle)
STICTION_CONVEX_PAIR(Capsule, SupportTriangle)
STICTION_CONVEX_PAIR(Cylinder, SupportTriangle)
STICTION_CONVEX_PAIR(Ellipsoid, SupportTriangle)
STICTION_CONVEX_PAIR(Box, SupportTriangle)
STICTION_CONVEX_PAIR(ConvexHull, SupportTriangle)
#undef STICTION_CONVEX_PAIR

}  // namespace stiction
