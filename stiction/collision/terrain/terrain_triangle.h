// One triangle of a terrain with what lies around it, the same for meshes and height fields.
#pragma once

#include <vector>

#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {

enum class EdgeKind : std::uint8_t { border, convex, flat, hollow };

struct TerrainTriangle {
  Vector3 corner[3];
  Vector3 normal;     // unit, outward
  Vector3 beyond[3];  // far corner of the neighbour across edge k (corner k to k + 1); the own corner k at a border
  Vector3 across[3];  // normal of that neighbour; at a border: outward, along the triangle (a height field: level)
  EdgeKind kind[3];   // of the edges
  int vertex[3];      // numbers in the terrain
  int edge[3];        // numbers in the terrain: 3 triangle + k, the lower of the two
  int region;
};

void get_triangle(const TriangleMesh& mesh, int t, TerrainTriangle& out);
void get_triangle(const HeightField& field, int t, TerrainTriangle& out);

// What lies around corner k of triangle t: the other corners of the triangles that share it, and their normals.
struct TerrainFan {
  static constexpr int max_size = 64;
  int size = 0;
  Vector3 corner[max_size], normal[max_size];
};
void get_fan(const TriangleMesh& mesh, int t, int k, TerrainFan& out);
void get_fan(const HeightField& field, int t, int k, TerrainFan& out);

// Triangles whose boxes meet [low, high], sorted.
void list_triangles(const TriangleMesh& mesh, const Vector3& low, const Vector3& high, std::vector<int>& out);
void list_triangles(const HeightField& field, const Vector3& low, const Vector3& high, std::vector<int>& out);

}  // namespace stiction
