// Surfaces of triangles from files: STL (binary and text), OBJ, and COLLADA (.dae).
//
// Taken are the corners as the file places them: the transforms of a COLLADA scene are applied and its unit of length
// is too, its up direction is not (robot files mean the coordinates as they stand). Colours, textures and materials are
// not read. Polygons become triangles: those of OBJ files as fans. Every declared size is checked before memory is
// taken.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "stiction/model/geometry/shape.h"

namespace stiction {

struct MeshData {
  struct Part {  // an object of an OBJ file, a mesh of a COLLADA scene
    std::string name{};
    int first_triangle = 0, num_triangles = 0;
  };
  std::vector<Vector3> vertices;  // m; those of STL files come three to a triangle
  std::vector<std::array<int, 3>> triangles;
  std::vector<Part> parts;

  // Volume inside the surface, m³; negative where it is inside out, meaningless where it is open.
  double volume() const;
  MeshData scaled(const Vector3& scale) const;  // mirrored scales keep the outside outside
  // The triangles of the parts called `name`. Throws std::invalid_argument naming those that there are.
  MeshData part(const std::string& name) const;
};

inline constexpr std::size_t max_mesh_bytes = std::size_t{1} << 30;
inline constexpr std::size_t max_mesh_triangles = 10'000'000;

// Throws std::invalid_argument naming the file (and line or offset) where it is not a sound mesh of at least one
// triangle.
MeshData read_mesh(const std::string& path);
// The same from bytes; `file` is what messages call them.
MeshData parse_stl(std::string_view bytes, const std::string& file);
MeshData parse_obj(std::string_view text, const std::string& file);
MeshData parse_dae(std::string_view text, const std::string& file);

// What one model needs of its meshes: every file is read once, every hull made once.
class MeshCache {
 public:
  struct Hull {
    std::shared_ptr<const ConvexHull> hull;
    double filling = 1.0;  // volume of the mesh over that of the hull; clearly below 1: it is not convex, or open
    bool thinned = false;  // the hull has had more vertices than a hull may have, and lies inside the true one
  };

  std::shared_ptr<const MeshData> mesh(const std::string& path);
  // `part`: only the parts of that name; empty: all. Throws std::invalid_argument where the points lie in one plane.
  const Hull& hull(const std::string& path, const Vector3& scale, const std::string& part = {});
  std::shared_ptr<const TriangleMesh> terrain(const std::string& path, const Vector3& scale,
                                              const std::string& part = {});

 private:
  using Key = std::tuple<std::string, double, double, double, std::string>;
  MeshData selected(const std::string& path, const Vector3& scale, const std::string& part);

  std::map<std::string, std::shared_ptr<const MeshData>> meshes_;
  std::map<Key, Hull> hulls_;
  std::map<Key, std::shared_ptr<const TriangleMesh>> terrains_;
};

}  // namespace stiction
