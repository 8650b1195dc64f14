// Collision geometry of a URDF file.
#include <sstream>

#include "stiction/io/urdf/urdf_reader.h"
#include "stiction/model/geometry/convex_hull.h"

namespace stiction {
namespace {

// Below this volume of the mesh over volume of the hull the difference is told.
constexpr double convex_filling = 0.99;

}  // namespace

std::string UrdfReader::unique_shape_name(const std::string& wanted) {
  std::string name = wanted;
  for (int k = 1; !shape_names_.insert(name).second; ++k) name = wanted + "_" + std::to_string(k);
  return name;
}

void UrdfReader::add_shapes(int link) {
  for (const XmlElement& collision : links_[link].element.children("collision")) add_shape(link, collision);
}

void UrdfReader::add_shape(int k, const XmlElement& collision) {
  const UrdfLink& link = links_[k];
  for (const XmlElement& material : collision.children("material")) material.ignore("only to be seen");
  for (const XmlElement& checking : collision.children("verbose")) checking.accept();
  ShapeOptions shape{.body = link.body, .pose = read_origin(collision.child("origin"))};
  shape.name = unique_shape_name(options_.prefix + collision.attribute("name").string(link.name));
  const std::optional<Geometry> geometry = read_geometry(k, collision);
  if (!geometry) return;
  shape.geometry = *geometry;
  shape.material.friction = link.friction.value_or(shape.material.friction);
  if (link.friction_2) shape.material.friction_2 = *link.friction_2;
  shape.material.restitution = link.restitution.value_or(shape.material.restitution);
  try {
    shapes_.push_back({collision, builder_.add_shape(shape), k});
    links_[k].has_shapes = true;
    shape.body -= first_body_;
    alone_.add_shape(shape);
  } catch (const std::invalid_argument& e) {
    collision.refuse(e.what());
  }
}

std::optional<Geometry> UrdfReader::read_geometry(int link, const XmlElement& collision) {
  const XmlElement geometry = collision.required_child("geometry");
  const std::vector<XmlElement> kinds = geometry.children();
  if (kinds.size() != 1)
    geometry.refuse("one of box, sphere, cylinder, capsule and mesh is wanted, there are " +
                    std::to_string(kinds.size()));
  const XmlElement& kind = kinds[0];
  const std::string name = kind.name();
  if (name == "box") {
    const XmlValue size = kind.attribute("size");
    const Vector3 lengths = size.vector3();
    if (!(lengths.minCoeff() >= 0.0)) size.refuse("no side may be negative");
    if (lengths.minCoeff() == 0.0) {
      kind.ignore("a side is zero: it cannot collide");
      return std::nullopt;
    }
    return Box{0.5 * lengths};
  }
  if (name == "sphere" || name == "cylinder" || name == "capsule") {
    const double radius = kind.attribute("radius").not_negative();
    const double length = name == "sphere" ? 1.0 : kind.attribute("length").not_negative();
    if (radius == 0.0 || (length == 0.0 && name == "cylinder")) {
      kind.ignore("its radius or length is zero: it cannot collide");
      return std::nullopt;
    }
    if (name == "cylinder") return Cylinder{radius, 0.5 * length};
    if (name == "capsule" && length > 0.0) return Capsule{radius, 0.5 * length};
    return Sphere{radius};
  }
  if (name == "mesh") return read_mesh_geometry(link, kind);
  kind.refuse("no known geometry; box, sphere, cylinder, capsule and mesh are");
}

std::optional<Geometry> UrdfReader::read_mesh_geometry(int link, const XmlElement& mesh) {
  const XmlValue name = mesh.attribute("filename");
  const XmlValue scale_value = mesh.attribute("scale");
  Vector3 scale = Vector3::Ones();
  if (scale_value) {
    const std::vector<double> numbers = scale_value.numbers();
    if (numbers.size() != 1 && numbers.size() != 3) scale_value.refuse("one or three numbers are wanted");
    scale = numbers.size() == 1 ? Vector3(Vector3::Constant(numbers[0])) : Vector3(numbers[0], numbers[1], numbers[2]);
    if (scale.prod() == 0.0) scale_value.refuse("no scale may be zero");
  }
  std::string path;
  try {
    path = files_.resolve(name.string());
    meshes_.mesh(path);
    if (links_[link].lump < 0 && options_.meshes_as_terrain) return meshes_.terrain(path, scale);
  } catch (const std::invalid_argument& e) {
    name.refuse(e.what());
  }
  try {
    const MeshCache::Hull& hull = meshes_.hull(path, scale);
    std::ostringstream text;
    if (hull.thinned) text << "its hull has too many vertices: thinned out to " << hull.hull->num_vertices();
    if (!hull.thinned && hull.filling < convex_filling) text << "is not convex (or open): its convex hull collides";
    if (!text.str().empty()) mesh.ignore(text.str());
    return hull.hull;
  } catch (const std::invalid_argument& e) {
    mesh.ignore(std::string("has no convex hull: ") + e.what());
    return std::nullopt;
  }
}

}  // namespace stiction
