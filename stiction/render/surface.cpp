#include "stiction/render/surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction::raster {
namespace {

// The unit circle, the same points on both sides of an axis to the last bit.
Vector2 circle_point(int k, int segments) {
  const double angle = 2.0 * std::numbers::pi * k / segments;
  return {std::cos(angle), std::sin(angle)};
}

// Rings of `segments` vertices, the first `first`, joined to those of the next ring, which lies above.
void join_rings(int first, int segments, Surface& out) {
  for (int k = 0; k < segments; ++k) {
    const int a = first + k, b = first + (k + 1) % segments;
    out.triangles.push_back({a, b, b + segments});
    out.triangles.push_back({a, b + segments, a + segments});
  }
}

// A ring of vertices and the point at its end: below (`side` −1) or above it.
void close_ring(int first, int segments, int tip, int side, Surface& out) {
  for (int k = 0; k < segments; ++k) {
    const int a = first + k, b = first + (k + 1) % segments;
    out.triangles.push_back(side > 0 ? std::array{a, b, tip} : std::array{b, a, tip});
  }
}

// Half spheres, scaled by `radii`, at z = ± half_length.
void make_round(const Vector3& radii, double half_length, int segments, Surface& out) {
  const int half_rings = std::max(segments / 4, 3);  // of one half, the equator included
  out.vertices.push_back({0.0, 0.0, -radii.z() - half_length});
  for (int ring = 1 - half_rings; ring <= half_rings; ++ring) {
    const int from_equator = ring <= 0 ? ring : ring - 1;  // the equator twice, where a capsule is drawn out
    if (half_length == 0.0 && ring == 1) continue;
    const double latitude = 0.5 * std::numbers::pi * from_equator / half_rings;
    const double z = radii.z() * std::sin(latitude) + (ring <= 0 ? -half_length : half_length);
    for (int k = 0; k < segments; ++k) {
      const Vector2 p = std::cos(latitude) * circle_point(k, segments);
      out.vertices.push_back({radii.x() * p.x(), radii.y() * p.y(), z});
    }
  }
  const int rings = (static_cast<int>(out.vertices.size()) - 1) / segments;
  out.vertices.push_back({0.0, 0.0, radii.z() + half_length});
  close_ring(1, segments, 0, -1, out);
  for (int ring = 0; ring + 1 < rings; ++ring) join_rings(1 + ring * segments, segments, out);
  close_ring(1 + (rings - 1) * segments, segments, static_cast<int>(out.vertices.size()) - 1, 1, out);
  out.num_smooth = static_cast<int>(out.triangles.size());
}

void make_cylinder(double radius, double half_length, int segments, Surface& out) {
  for (const double z : {-half_length, half_length}) {
    for (int k = 0; k < segments; ++k) {
      const Vector2 p = radius * circle_point(k, segments);
      out.vertices.push_back({p.x(), p.y(), z});
    }
  }
  join_rings(0, segments, out);
  out.num_smooth = static_cast<int>(out.triangles.size());
  out.vertices.push_back({0.0, 0.0, -half_length});
  out.vertices.push_back({0.0, 0.0, half_length});
  close_ring(0, segments, 2 * segments, -1, out);
  close_ring(segments, segments, 2 * segments + 1, 1, out);
}

void make_box(const Vector3& h, Surface& out) {
  for (int k = 0; k < 8; ++k) {
    out.vertices.push_back({(k & 1) ? h.x() : -h.x(), (k & 2) ? h.y() : -h.y(), (k & 4) ? h.z() : -h.z()});
  }
  constexpr int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& f : faces) {
    out.triangles.push_back({f[0], f[1], f[2]});
    out.triangles.push_back({f[0], f[2], f[3]});
  }
}

void make_height_field(const HeightField& field, Surface& out) {
  const auto places = [](int count) {
    const int cells = count - 1, stride = (cells + most_cells - 1) / most_cells;
    std::vector<int> out_places;
    for (int k = 0; k < cells; k += stride) out_places.push_back(k);
    out_places.push_back(cells);
    return out_places;
  };
  const std::vector<int> xs = places(field.num_x()), ys = places(field.num_y());
  for (const int j : ys) {
    for (const int i : xs) out.vertices.push_back(field.sample(i, j));
  }
  const int width = static_cast<int>(xs.size());
  for (int j = 0; j + 1 < static_cast<int>(ys.size()); ++j) {
    for (int i = 0; i + 1 < width; ++i) {
      const int a = j * width + i;
      out.triangles.push_back({a, a + 1, a + width + 1});
      out.triangles.push_back({a, a + width + 1, a + width});
    }
  }
  out.is_closed = false;
}

struct MakeSurface {
  int segments;
  Surface& out;

  void operator()(const Plane&) const {}  // without end: no triangles
  void operator()(const Sphere& g) const { make_round(Vector3::Constant(g.radius), 0.0, segments, out); }
  void operator()(const Capsule& g) const { make_round(Vector3::Constant(g.radius), g.half_length, segments, out); }
  void operator()(const Cylinder& g) const { make_cylinder(g.radius, g.half_length, segments, out); }
  void operator()(const Ellipsoid& g) const { make_round(g.radii, 0.0, segments, out); }
  void operator()(const Box& g) const { make_box(g.half_size, out); }
  void operator()(const std::shared_ptr<const HeightField>& g) const { make_height_field(*g, out); }
  template <class Mesh>
  void operator()(const std::shared_ptr<const Mesh>& g) const {
    out.vertices.assign(g->vertices().begin(), g->vertices().end());
    out.triangles.assign(g->triangles().begin(), g->triangles().end());
    out.is_closed = std::is_same_v<Mesh, ConvexHull>;
  }
};

void clear(Surface& out) {
  out.vertices.clear();
  out.triangles.clear();
  out.num_smooth = 0;
  out.is_closed = true;
}

}  // namespace

int num_segments(double radius_in_pixels) {
  constexpr int sizes[] = {12, 16, 24, 36, 52, 76, 112, 160};
  // r (1 − cos(π/n)) = 0.1
  const double wanted = std::numbers::pi * std::sqrt(std::clamp(radius_in_pixels, 0.0, 1e6) / 0.2);
  for (const int size : sizes) {
    if (size >= wanted) return size;
  }
  return sizes[std::size(sizes) - 1];
}

void make_surface(const Geometry& geometry, int segments, Surface& out) {
  clear(out);
  std::visit(MakeSurface{segments, out}, geometry);
}

void make_cone(double radius, double height, int segments, Surface& out) {
  clear(out);
  for (int k = 0; k < segments; ++k) {
    const Vector2 p = radius * circle_point(k, segments);
    out.vertices.push_back({p.x(), p.y(), 0.0});
  }
  out.vertices.push_back({0.0, 0.0, height});
  out.vertices.push_back({0.0, 0.0, 0.0});
  close_ring(0, segments, segments, 1, out);
  close_ring(0, segments, segments + 1, -1, out);
}

}  // namespace stiction::raster
