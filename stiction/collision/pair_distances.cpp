#include "stiction/collision/pair_distances.h"

#include <cmath>

#include "stiction/collision/pair_gap.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// A bound without a kernel: bounding spheres of both, where both have one.
double sphere_bound(const WorldView& world, const Shape& a, const Shape& b) {
  const auto center = [&](const Shape& s) {
    return s.body < 0 ? s.bound_center : world.body_pose[static_cast<std::size_t>(s.body)] * s.bound_center;
  };
  return (center(a) - center(b)).norm() - (a.bound_radius + b.bound_radius) * (1.0 + 1e-12);
}

}  // namespace

std::vector<PairDistance> pair_distances(const WorldView& world, double within) {
  if (!(within >= 0.0)) refuse("pair_distances: within is ", within, "; it must be at least 0 m");
  const Model& model = world.model;
  std::vector<PairDistance> list;
  PairGap gap;
  for (int a = 0; a < static_cast<int>(model.shapes.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(model.shapes.size()); ++b) {
      const Shape &shape_a = model.shapes[a], &shape_b = model.shapes[b];
      if (!model.may_collide(a, b) || !may_meet(shape_a.kind(), shape_b.kind())) continue;
      PairDistance& pair = list.emplace_back();
      pair.shape_a = a, pair.shape_b = b, pair.is_bound = true;
      const bool is_bounded = std::isfinite(shape_a.bound_radius + shape_b.bound_radius);
      pair.distance = is_bounded ? sphere_bound(world, shape_a, shape_b) : 0.0;
      if (is_bounded && pair.distance > within) continue;
      pair.distance = gap.look(shape_a, world.shape_pose(a), shape_b, world.shape_pose(b), within);
      const ContactPoint* nearest = gap.deepest();
      if (nearest == nullptr) continue;
      pair.is_bound = false;
      pair.distance = nearest->gap;
      pair.normal = nearest->normal;
      pair.point_a = nearest->position + 0.5 * nearest->gap * nearest->normal;
      pair.point_b = nearest->position - 0.5 * nearest->gap * nearest->normal;
    }
  }
  return list;
}

}  // namespace stiction
