#include "stiction/collision/terrain/terrain_triangle.h"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

constexpr double flat_sine = 1e-6;  // edges that bend less are flat

// The kind of edge k from the far corner of the neighbour.
void classify(TerrainTriangle& t, int k, bool has_neighbour, bool is_same_region) {
  if (!has_neighbour) {
    t.kind[k] = EdgeKind::border, t.beyond[k] = t.corner[k];
    t.across[k] = (t.corner[(k + 1) % 3] - t.corner[k]).cross(t.normal).normalized();
    return;
  }
  const Vector3 e = t.beyond[k] - t.corner[k];
  const double height = t.normal.dot(e), limit = flat_sine * e.norm();
  t.kind[k] = is_same_region || std::abs(height) <= limit ? EdgeKind::flat
              : height < 0.0                              ? EdgeKind::convex
                                                          : EdgeKind::hollow;
}

int vertex_of(const TriangleMesh& mesh, int t, int k) {
  return mesh.triangles()[t][k];
}
int vertex_of(const HeightField& field, int t, int k) {
  const auto c = field.corners(t)[k];
  return c.j * field.num_x() + c.i;
}
const Vector3& place_of(const TriangleMesh& mesh, int vertex) {
  return mesh.vertex(vertex);
}
Vector3 place_of(const HeightField& field, int vertex) {
  return field.sample(vertex % field.num_x(), vertex / field.num_x());
}

// Walks around the corner across one side, then, where that ends at a border, across the other.
template <class Terrain>
void collect_fan(const Terrain& terrain, int t, int k, TerrainFan& out) {
  const int center = vertex_of(terrain, t, k);
  const Vector3 origin = place_of(terrain, center);
  out.size = 0;
  const auto add = [&](int triangle, int corner) {
    const Vector3 a = place_of(terrain, vertex_of(terrain, triangle, (corner + 1) % 3));
    const Vector3 b = place_of(terrain, vertex_of(terrain, triangle, (corner + 2) % 3));
    const Vector3 n = (a - origin).cross(b - origin).normalized();
    if (out.size < TerrainFan::max_size) out.corner[out.size] = a, out.normal[out.size++] = n;
    if (out.size < TerrainFan::max_size) out.corner[out.size] = b, out.normal[out.size++] = n;
  };
  add(t, k);
  for (const int side : {2, 0}) {
    int triangle = t, corner = k;
    for (int step = 0; step < TerrainFan::max_size; ++step) {
      triangle = terrain.across(triangle, (corner + side) % 3);
      if (triangle == t) return;
      if (triangle < 0) break;
      for (corner = 0; corner < 2 && vertex_of(terrain, triangle, corner) != center;) ++corner;
      add(triangle, corner);
    }
  }
}

}  // namespace

void get_fan(const TriangleMesh& mesh, int t, int k, TerrainFan& out) {
  collect_fan(mesh, t, k, out);
}
void get_fan(const HeightField& field, int t, int k, TerrainFan& out) {
  collect_fan(field, t, k, out);
  // Its sides go straight down: their normals belong to the corners of the border.
  const auto c = field.corners(t)[k];
  const auto add = [&](const Vector3& n) {
    for (int i = 0; i < 2 && out.size < TerrainFan::max_size; ++i)
      out.corner[out.size] = out.corner[0], out.normal[out.size++] = n;
  };
  if (c.i == 0) add(-Vector3::UnitX());
  if (c.i == field.num_x() - 1) add(Vector3::UnitX());
  if (c.j == 0) add(-Vector3::UnitY());
  if (c.j == field.num_y() - 1) add(Vector3::UnitY());
}

void get_triangle(const TriangleMesh& mesh, int t, TerrainTriangle& out) {
  out.normal = mesh.normal(t), out.region = mesh.region(t);
  for (int k = 0; k < 3; ++k) out.corner[k] = mesh.corner(t, k), out.vertex[k] = mesh.triangles()[t][k];
  for (int k = 0; k < 3; ++k) {
    const int other = mesh.across(t, k);
    out.edge[k] = 3 * t + k;
    if (other >= 0)
      for (int m = 0; m < 3; ++m)
        if (mesh.across(other, m) == t && mesh.triangles()[other][m] == out.vertex[(k + 1) % 3]) {
          out.beyond[k] = mesh.corner(other, (m + 2) % 3), out.across[k] = mesh.normal(other);
          out.edge[k] = std::min(out.edge[k], 3 * other + m);
        }
    classify(out, k, other >= 0, other >= 0 && mesh.region(other) == out.region);
  }
}

void get_triangle(const HeightField& field, int t, TerrainTriangle& out) {
  const auto own = field.corners(t);
  for (int k = 0; k < 3; ++k) {
    out.corner[k] = field.sample(own[k].i, own[k].j);
    out.vertex[k] = own[k].j * field.num_x() + own[k].i;
  }
  out.normal = (out.corner[1] - out.corner[0]).cross(out.corner[2] - out.corner[0]).normalized();
  out.region = field.region(t);
  for (int k = 0; k < 3; ++k) {
    const int other = field.across(t, k);
    out.edge[k] = 3 * t + k;
    if (other >= 0) {
      const auto its = field.corners(other);
      for (int m = 0; m < 3; ++m) {
        const int v = its[m].j * field.num_x() + its[m].i;
        if (v != out.vertex[k] && v != out.vertex[(k + 1) % 3]) out.beyond[k] = field.sample(its[m].i, its[m].j);
        if (v == out.vertex[(k + 1) % 3]) out.edge[k] = std::min(out.edge[k], 3 * other + m);
      }
    }
    classify(out, k, other >= 0, other >= 0 && field.region(other) == out.region);
    const Vector3 &p = out.corner[k], &q = out.corner[(k + 1) % 3];
    if (out.kind[k] == EdgeKind::border)
      out.across[k] = Vector3(q.y() - p.y(), p.x() - q.x(), 0.0).normalized();
    else if (out.kind[k] == EdgeKind::flat)
      out.across[k] = out.normal;
    else
      out.across[k] = (out.beyond[k] - p).cross(q - p).normalized();
  }
}

void list_triangles(const TriangleMesh& mesh, const Vector3& low, const Vector3& high, std::vector<int>& out) {
  out.clear();
  mesh.for_each_in(low, high, [&](int t) { out.push_back(t); });
  std::sort(out.begin(), out.end());
}

// Solid below: what counts is whether the shape reaches down to the highest sample of a cell.
void list_triangles(const HeightField& field, const Vector3& low, const Vector3& high, std::vector<int>& out) {
  out.clear();
  if (!(low[2] <= field.upper()[2])) return;
  const auto cell = [](double x, double spacing, int cells) {
    return static_cast<int>(std::clamp(std::floor(x / spacing), -1.0, static_cast<double>(cells)));
  };
  const int cells_x = field.num_x() - 1, cells_y = field.num_y() - 1;
  const int i0 = std::max(cell(low[0] - field.left(), field.spacing_x(), cells_x), 0);
  const int i1 = std::min(cell(high[0] - field.left(), field.spacing_x(), cells_x), cells_x - 1);
  const int j0 = std::max(cell(low[1] - field.front(), field.spacing_y(), cells_y), 0);
  const int j1 = std::min(cell(high[1] - field.front(), field.spacing_y(), cells_y), cells_y - 1);
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      if (low[2] > field.highest_in(i, j)) continue;
      const int t = 2 * (j * cells_x + i);
      out.push_back(t), out.push_back(t + 1);
    }
}

}  // namespace stiction
