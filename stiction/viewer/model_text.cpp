#include "stiction/viewer/model_text.h"

#include <map>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction::viewer {
namespace {

struct Surface {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
};

Surface surface_of(const HeightField& field) {
  Surface surface;
  for (int j = 0; j < field.num_y(); ++j) {
    for (int i = 0; i < field.num_x(); ++i) surface.vertices.push_back(field.sample(i, j));
  }
  for (int triangle = 0; triangle < field.num_triangles(); ++triangle) {
    const auto corners = field.corners(triangle);
    std::array<int, 3> numbers{};
    for (int k = 0; k < 3; ++k) numbers[k] = corners[k].j * field.num_x() + corners[k].i;
    surface.triangles.push_back(numbers);
  }
  return surface;
}

template <class Mesh>
Surface surface_of(const Mesh& mesh) {
  const auto vertices = mesh.vertices();
  const auto triangles = mesh.triangles();
  return {{vertices.begin(), vertices.end()}, {triangles.begin(), triangles.end()}};
}

void append_surface(const Surface& surface, Bytes& out) {
  std::vector<float> column(surface.vertices.size());
  std::vector<std::int32_t> before(column.size());
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::int32_t>(i) - 1;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<float>(surface.vertices[i][axis]);
    append_column(column, before, out);
  }
  std::vector<std::int32_t> corners;
  std::int32_t last = 0;
  for (const auto& triangle : surface.triangles) {
    for (const int corner : triangle) corners.push_back(corner - last), last = corner;
  }
  append_integers(corners, out);
}

// Sizes of a primitive, m, in the order of its members.
std::vector<double> size_of(const Geometry& geometry) {
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) return {sphere->radius};
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) return {capsule->radius, capsule->half_length};
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) return {cylinder->radius, cylinder->half_length};
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) {
    return {ellipsoid->radii.x(), ellipsoid->radii.y(), ellipsoid->radii.z()};
  }
  if (const auto* box = std::get_if<Box>(&geometry))
    return {box->half_size.x(), box->half_size.y(), box->half_size.z()};
  return {};
}

// Numbers meshes as they come.
class Meshes {
 public:
  // −1: the geometry has no surface of its own.
  int number_of(const Geometry& geometry) {
    if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&geometry)) return find(**hull);
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&geometry)) return find(**mesh);
    if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&geometry)) return find(**field);
    return -1;
  }
  const std::vector<Surface>& surfaces() const { return surfaces_; }

 private:
  template <class Mesh>
  int find(const Mesh& mesh) {
    const auto [place, is_new] = numbers_.try_emplace(&mesh, static_cast<int>(surfaces_.size()));
    if (is_new) surfaces_.push_back(surface_of(mesh));
    return place->second;
  }
  std::map<const void*, int> numbers_;
  std::vector<Surface> surfaces_;
};

void add_bodies(const Model& model, JsonText& json) {
  std::vector<std::string_view> names(model.bodies.size());
  for (const Frame& frame : model.frames) {
    if (frame.body >= 0 && !frame.is_site && names[frame.body].empty()) names[frame.body] = frame.name;
  }
  json.begin_array("bodies");
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    json.begin_object().add("name", names[i]).add("parent", static_cast<double>(body.parent));
    json.add("joint", to_string(body.joint)).add("mass", body.mass);
    json.add("com", std::span<const double>(body.com.data(), 3)).end_object();
  }
  json.end_array();
}

void add_shapes(const Model& model, Meshes& meshes, JsonText& json) {
  json.begin_array("shapes");
  for (const Shape& shape : model.shapes) {
    const Quaternion rotation(shape.pose.rotation);
    const Vector3& p = shape.pose.position;
    const std::array<double, 7> pose = {p.x(), p.y(), p.z(), rotation.x(), rotation.y(), rotation.z(), rotation.w()};
    json.begin_object().add("name", std::string_view(shape.name)).add("body", static_cast<double>(shape.body));
    json.add("kind", to_string(shape.kind())).add("size", size_of(shape.geometry)).add("pose", pose);
    json.add("color", shape.color).add("friction", shape.material.friction);
    json.add("mesh", static_cast<double>(meshes.number_of(shape.geometry))).end_object();
  }
  json.end_array();
}

}  // namespace

Bytes add_model(const Model& model, JsonText& json) {
  Meshes meshes;
  json.add("gravity", std::span<const double>(model.gravity.data(), 3));
  add_bodies(model, json);
  add_shapes(model, meshes, json);
  Bytes out;
  json.begin_array("meshes");
  for (const Surface& surface : meshes.surfaces()) {
    json.begin_object().add("vertices", static_cast<double>(surface.vertices.size()));
    json.add("triangles", static_cast<double>(surface.triangles.size())).end_object();
    append_surface(surface, out);
  }
  json.end_array();
  return out;
}

}  // namespace stiction::viewer
