#include "stiction/collision/pair_kernels.h"

#include <array>
#include <utility>

#include "stiction/collision/convex/convex_pair.h"
#include "stiction/collision/primitives/box_box.h"
#include "stiction/collision/primitives/primitives.h"
#include "stiction/collision/terrain/terrain.h"

namespace stiction {

namespace {

constexpr int num_kinds = static_cast<int>(std::variant_size_v<Geometry>);

// Convex hulls are shared: the shape holds a pointer.
using HullPointer = std::shared_ptr<const ConvexHull>;
template <class T>
const T& geometry_of(const Shape& shape) {
  if constexpr (std::is_same_v<T, ConvexHull>)
    return **std::get_if<HullPointer>(&shape.geometry);
  else
    return *std::get_if<T>(&shape.geometry);
}

// Adapters from the kernels' own signatures to PairKernel.
template <class A, auto kernel>
double with_plane(const Shape& a, const Pose& X_WA, const Shape&, const Pose& X_WB, double margin, std::byte*,
                  Manifold& out) {
  return kernel(geometry_of<A>(a), X_WA, X_WB, margin, out);
}
template <class A, class B, auto kernel>
double of_two(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, std::byte*,
              Manifold& out) {
  return kernel(geometry_of<A>(a), X_WA, geometry_of<B>(b), X_WB, margin, out);
}
template <class A, class B, class Memory, auto kernel>
double with_memory(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, std::byte* memory,
                   Manifold& out) {
  return kernel(geometry_of<A>(a), X_WA, geometry_of<B>(b), X_WB, margin, *reinterpret_cast<Memory*>(memory), out);
}

template <class A, class B>
double convex(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, std::byte* memory,
              Manifold& out) {
  return collide_convex(geometry_of<A>(a), X_WA, geometry_of<B>(b), X_WB, margin,
                        *reinterpret_cast<ConvexPairCache*>(memory), out);
}
double hull_with_plane(const Shape& a, const Pose& X_WA, const Shape&, const Pose& X_WB, double margin,
                       std::byte* memory, Manifold& out) {
  const Vector3 n = X_WB.rotation.col(2);
  return collide_hull_plane(geometry_of<ConvexHull>(a), X_WA, n, n.dot(X_WB.position), margin,
                            *reinterpret_cast<HullPlaneCache*>(memory), out);
}
double hull_with_hull(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                      std::byte* memory, Manifold& out) {
  return collide_hulls(geometry_of<ConvexHull>(a), X_WA, geometry_of<ConvexHull>(b), X_WB, margin,
                       *reinterpret_cast<HullPairCache*>(memory), out);
}

// The same kernel for the shapes in the other order.
template <PairKernel kernel>
double swapped(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, std::byte* memory,
               Manifold& out) {
  const double gap = kernel(b, X_WB, a, X_WA, margin, memory, out);
  for (int i = 0; i < out.size; ++i) out.normal[i] = -out.normal[i];
  return gap;
}

struct Entry {
  PairKernel kernel = nullptr;
  std::size_t memory = 0;
};

struct Table {
  std::array<std::array<Entry, num_kinds>, num_kinds> entry{};

  template <PairKernel kernel>
  constexpr void add(ShapeKind a, ShapeKind b, std::size_t memory = 0) {
    entry[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = {&swapped<kernel>, memory};
    entry[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = {kernel, memory};
  }

  constexpr Table() {
    using enum ShapeKind;
    add<with_plane<Sphere, collide_sphere_plane>>(sphere, plane);
    add<with_plane<Capsule, collide_capsule_plane>>(capsule, plane);
    add<with_plane<Cylinder, collide_cylinder_plane>>(cylinder, plane);
    add<with_plane<Ellipsoid, collide_ellipsoid_plane>>(ellipsoid, plane);
    add<with_plane<Box, collide_box_plane>>(box, plane);
    add<of_two<Sphere, Sphere, collide_spheres>>(sphere, sphere);
    add<of_two<Sphere, Capsule, collide_sphere_capsule>>(sphere, capsule);
    add<of_two<Sphere, Cylinder, collide_sphere_cylinder>>(sphere, cylinder);
    add<of_two<Sphere, Ellipsoid, collide_sphere_ellipsoid>>(sphere, ellipsoid);
    add<of_two<Sphere, Box, collide_sphere_box>>(sphere, box);
    add<of_two<Capsule, Capsule, collide_capsules>>(capsule, capsule);
    add<of_two<Capsule, Box, collide_capsule_box>>(capsule, box);
    add<with_memory<Box, Box, BoxPairMemory, collide_boxes>>(box, box, sizeof(BoxPairMemory));
    add<hull_with_plane>(convex_hull, plane, sizeof(HullPlaneCache));
    add<hull_with_hull>(convex_hull, convex_hull, sizeof(HullPairCache));
    constexpr std::size_t size = sizeof(ConvexPairCache);
    add<convex<Sphere, ConvexHull>>(sphere, convex_hull, size);
    add<convex<Capsule, ConvexHull>>(capsule, convex_hull, size);
    add<convex<Cylinder, ConvexHull>>(cylinder, convex_hull, size);
    add<convex<Ellipsoid, ConvexHull>>(ellipsoid, convex_hull, size);
    add<convex<Box, ConvexHull>>(box, convex_hull, size);
    add<convex<Capsule, Cylinder>>(capsule, cylinder, size);
    add<convex<Cylinder, Cylinder>>(cylinder, cylinder, size);
    add<convex<Cylinder, Ellipsoid>>(cylinder, ellipsoid, size);
    add<convex<Cylinder, Box>>(cylinder, box, size);
    add<convex<Capsule, Ellipsoid>>(capsule, ellipsoid, size);
    add<convex<Ellipsoid, Ellipsoid>>(ellipsoid, ellipsoid, size);
    add<convex<Ellipsoid, Box>>(ellipsoid, box, size);
  }
};
constexpr Table table;

const Entry& find(ShapeKind a, ShapeKind b) {
  return table.entry[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

}  // namespace

PairKernel find_pair_kernel(ShapeKind a, ShapeKind b) {
  return find(a, b).kernel;
}

bool may_meet(ShapeKind a, ShapeKind b) {
  if (is_terrain(a) || is_terrain(b))
    return !is_terrain(is_terrain(a) ? b : a) && a != ShapeKind::plane && b != ShapeKind::plane;
  return find(a, b).kernel != nullptr;
}

std::size_t pair_memory_size(ShapeKind a, ShapeKind b) {
  if (is_terrain(a) || is_terrain(b)) return sizeof(TerrainMemory);
  return find(a, b).memory;
}

}  // namespace stiction
