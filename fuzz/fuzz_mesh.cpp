// Any bytes are a mesh: the readers of STL and OBJ, and what makes hulls and terrain of their triangles, either succeed
// or throw std::invalid_argument. The first byte chooses the format: o is OBJ.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "stiction/io/mesh/mesh_file.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace {

template <class Make>
void try_making(const Make& make) {
  try {
    make();
  } catch (const std::invalid_argument&) {
    // refused with a message, as it should be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try_making([&] {
    const stiction::MeshData mesh =
        data[0] == 'o' ? stiction::parse_obj(bytes, "mesh") : stiction::parse_stl(bytes, "mesh");
    mesh.volume();
    for (const auto& part : mesh.parts) mesh.part(part.name);
    const stiction::MeshData scaled = mesh.scaled({1.0, -2.0, 0.5});
    try_making([&] { stiction::ConvexHull::from_points(scaled.vertices); });
    try_making([&] { stiction::TriangleMesh::make(scaled.vertices, scaled.triangles); });
  });
  return 0;
}
