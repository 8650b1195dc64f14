#include "stiction/io/mesh/mesh_writer.h"

#include <algorithm>

#include "stiction/io/xml/xml_writer.h"
#include "stiction/math/refuse.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

template <class Mesh>
std::string to_obj(const Mesh& mesh) {
  std::string text;
  for (const Vector3& v : mesh.vertices()) text.append("v ").append(numbers_text(v)).append("\n");
  for (const auto& t : mesh.triangles()) {
    text.append("f");
    for (const int corner : t) text.append(" ").append(std::to_string(corner + 1));
    text.append("\n");
  }
  return text;
}

// A name that any file system takes.
std::string file_name(const std::string& name) {
  std::string out = name;
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return !(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.'); }, '_');
  if (out.empty() || out[0] == '.') out.insert(0, "mesh");
  return out;
}

}  // namespace

MeshWriter::MeshWriter(const std::string& model_path) {
  const std::filesystem::path path(model_path);
  folder_ = path.parent_path() / (path.stem().string() + "_meshes");
}

const std::string& MeshWriter::name_of(const Shape& shape) {
  const void* key = nullptr;
  std::string text;
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape.geometry)) {
    key = hull->get();
    if (!names_.contains(key)) text = to_obj(**hull);
  } else {
    const auto& mesh = std::get<std::shared_ptr<const TriangleMesh>>(shape.geometry);
    key = mesh.get();
    if (!names_.contains(key)) text = to_obj(*mesh);
  }
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) refuse(folder_.string(), ": the folder cannot be made: ", error.message());
  std::string base = file_name(shape.name);
  const auto taken = [&](const std::string& candidate) {
    return std::find(files_.begin(), files_.end(), (folder_ / (candidate + ".obj")).string()) != files_.end();
  };
  while (taken(base)) base += "_";
  const std::filesystem::path path = folder_ / (base + ".obj");
  write_text_file(path.string(), text);
  files_.push_back(path.string());
  return names_[key] = folder_.filename().string() + "/" + base + ".obj";
}

}  // namespace stiction
