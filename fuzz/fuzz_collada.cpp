// Any text is a COLLADA file: the reader, and what makes hulls and terrain of its triangles, either succeed or throw
// std::invalid_argument.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

void check(const stiction::MeshData& mesh) {
  for (const stiction::Vector3& v : mesh.vertices) {
    if (!v.allFinite()) std::abort();
  }
  for (const auto& t : mesh.triangles) {
    for (const int corner : t) {
      if (corner < 0 || static_cast<std::size_t>(corner) >= mesh.vertices.size()) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_making([&] {
    const stiction::MeshData mesh = stiction::parse_dae({reinterpret_cast<const char*>(data), size}, "mesh");
    check(mesh);
    if (mesh.triangles.size() > 2000) return;  // a few nodes that multiply: what follows is known from fuzz_mesh
    mesh.volume();
    for (const auto& part : mesh.parts) mesh.part(part.name);
    try_making([&] { stiction::ConvexHull::from_points(mesh.vertices); });
    try_making([&] { stiction::TriangleMesh::make(mesh.vertices, mesh.triangles); });
  });
  return 0;
}
