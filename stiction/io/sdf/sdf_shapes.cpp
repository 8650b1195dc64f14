// Inertias and collision geometry of links.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "stiction/io/sdf/sdf_reader.h"
#include "stiction/io/urdf/urdf_reader.h"

namespace stiction {
namespace {

// Below this volume of the mesh over volume of the hull the difference is told.
constexpr double convex_filling = 0.99;

constexpr double default_density = 1000.0;  // kg/m³, where inertias are to be computed

std::optional<double> automatic_density(const XmlElement& link) {
  const XmlElement inertial = link.child("inertial");
  if (!inertial || !inertial.attribute("auto").boolean(false)) return std::nullopt;
  return inertial.text_of("density") ? inertial.text_of("density").positive() : default_density;
}

// 65535, 0xffff.
std::uint32_t read_bitmask(const XmlValue& text) {
  const std::string word = text.string();
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  const char *first = word.data() + (hexadecimal ? 2 : 0), *last = word.data() + word.size();
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != last) text.refuse("an integer of 32 bits is wanted");
  return value;
}

double read_positive(const XmlElement& kind, const char* name) {
  return kind.required_child(name).text().positive();
}

}  // namespace

// SDF gives 1 kg and 1 kg·m² to a link that says nothing.
std::optional<Inertia> SdfReader::read_inertia(const SdfLink& link) {
  const XmlElement inertial = link.element.child("inertial");
  if (link.is_static) {
    inertial.accept();
    return std::nullopt;
  }
  if (automatic_density(link.element)) {
    inertial.child("mass").ignore("the inertia is computed, as auto asks");
    inertial.child("inertia").ignore("the inertia is computed, as auto asks");
    inertial.child("pose").ignore("the inertia is computed, as auto asks");
    return std::nullopt;
  }
  if (!inertial) {
    note(link.element, "link '" + link.name + "'", "has no <inertial>: 1 kg and 1 kg·m², as SDF has it");
  }
  Inertia inertia;
  const XmlElement mass = inertial.child("mass"), tensor = inertial.child("inertia");
  inertia.mass = mass ? mass.text().positive() : 1.0;
  const auto entry = [&](const char* name, double fallback) { return tensor.text_of(name).number(fallback); };
  // Read before the matrix is filled: what is refused halfway leaves Eigen's list of entries incomplete.
  const double xx = entry("ixx", 1.0), yy = entry("iyy", 1.0), zz = entry("izz", 1.0);
  const double xy = entry("ixy", 0.0), xz = entry("ixz", 0.0), yz = entry("iyz", 0.0);
  inertia.moment << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  inertial.child("fluid_added_mass").ignore("there is no medium here");
  const Pose pose = read_sdf_pose(inertial.child("pose"));
  try {
    check_inertia(inertia, "link '" + link.name + "'");
  } catch (const std::invalid_argument& e) {
    if (!is_finite(inertia)) inertial.refuse(e.what());
    if (!options_.repair_inertia) inertial.refuse(e.what() + std::string(" (repair_inertia mends it)"));
    inertia = repaired_inertia(inertia);
    note(inertial, "inertial of link '" + link.name + "'",
         e.what() + std::string(": repaired, as repair_inertia asks"));
  }
  return inertia.in(pose);
}

void SdfReader::add_shapes(SdfLink& link) {
  const std::optional<double> density = link.is_static ? std::nullopt : automatic_density(link.element);
  for (const XmlElement& collision : link.element.children("collision")) add_shape(link, collision, density);
}

void SdfReader::add_shape(SdfLink& link, const XmlElement& collision, std::optional<double> density) {
  ShapeOptions shape{.body = link.body};
  const std::string wanted = link.name + "/" + collision.attribute("name").string("collision");
  shape.name = wanted;
  for (int k = 2; !shape_names_.insert(shape.name).second; ++k) shape.name = wanted + "_" + std::to_string(k);
  for (const char* unused : {"laser_retro", "max_contacts"}) collision.child(unused).ignore("belongs to Gazebo");
  const XmlElement own_density = collision.child("density");
  if (density) {
    shape.density = own_density ? own_density.text().positive() : *density;
  } else {
    own_density.ignore("the inertia of the link is given");
  }
  shape.pose = frames_[link.frame].world.inverse() * pose_in_world(collision.child("pose"), link.scope, link.frame);
  const std::optional<Geometry> geometry = read_geometry(link, collision, shape.pose);
  read_surface(collision.child("surface"), shape);
  if (!geometry) return;
  shape.geometry = *geometry;
  try {
    builder_.add_shape(shape);
  } catch (const std::invalid_argument& e) {
    collision.refuse(e.what());
  }
  link.has_shapes = true;
}

std::optional<Geometry> SdfReader::read_geometry(const SdfLink& link, const XmlElement& collision, Pose& pose) {
  const XmlElement geometry = collision.required_child("geometry");
  const std::vector<XmlElement> kinds = geometry.children();
  if (kinds.empty()) return std::nullopt;
  if (kinds.size() > 1) geometry.refuse("one kind of geometry is wanted, there are " + std::to_string(kinds.size()));
  const XmlElement& kind = kinds[0];
  const std::string name = kind.name();
  if (name == "box") {
    const XmlValue size = kind.required_child("size").text();
    if (!(size.vector3().minCoeff() > 0.0)) size.refuse("all sides must be positive");
    return Box{0.5 * size.vector3()};
  }
  if (name == "sphere") return Sphere{read_positive(kind, "radius")};
  if (name == "cylinder") return Cylinder{read_positive(kind, "radius"), 0.5 * read_positive(kind, "length")};
  if (name == "capsule") return Capsule{read_positive(kind, "radius"), 0.5 * read_positive(kind, "length")};
  if (name == "ellipsoid") {
    const XmlValue radii = kind.required_child("radii").text();
    if (!(radii.vector3().minCoeff() > 0.0)) radii.refuse("all radii must be positive");
    return Ellipsoid{radii.vector3()};
  }
  if (name == "plane") {
    const XmlValue normal = kind.text_of("normal");
    const Vector3 n = normal.vector3(Vector3::UnitZ());
    if (!(n.norm() > 1e-9)) normal.refuse("the normal has no direction");
    if (!is_in_world(frames_[link.frame].link)) {
      kind.ignore("a plane on a link that moves");
      return std::nullopt;
    }
    kind.child("size").accept();  // for the eye; a plane collides without end
    pose = pose * Pose(rotation_with_z(n.normalized()), Vector3::Zero());
    return Plane{};
  }
  if (name == "mesh") return read_mesh_geometry(link, kind);
  if (name == "empty") return std::nullopt;
  for (const char* known : {"heightmap", "polyline", "image", "cone"}) {
    if (name != known) continue;
    kind.ignore("no collision shape here");
    return std::nullopt;
  }
  kind.refuse("no known geometry; box, sphere, cylinder, capsule, ellipsoid, plane, mesh and empty are");
}

std::optional<Geometry> SdfReader::read_mesh_geometry(const SdfLink& link, const XmlElement& mesh) {
  const XmlElement uri = mesh.required_child("uri"), scale_element = mesh.child("scale");
  const Vector3 scale = scale_element.text().vector3(Vector3::Ones());
  if (scale.prod() == 0.0) scale_element.text().refuse("no scale may be zero");
  mesh.attribute("optimization");
  mesh.child("convex_decomposition").ignore("the convex hull collides");
  const XmlElement submesh = mesh.child("submesh");
  const std::string part = submesh ? submesh.required_child("name").text().string() : "";
  if (submesh.text_of("center").boolean(false)) submesh.child("center").refuse("parts of meshes are not moved here");
  std::string path;
  try {
    path = scopes_[link.scope].file->paths.resolve(uri.text().string());
    meshes_.mesh(path);
    if (is_in_world(frames_[link.frame].link) && options_.meshes_as_terrain) return meshes_.terrain(path, scale, part);
  } catch (const std::invalid_argument& e) {
    uri.text().refuse(e.what());
  }
  try {
    const MeshCache::Hull& hull = meshes_.hull(path, scale, part);
    std::ostringstream text;
    if (hull.thinned) text << "its hull has too many vertices: thinned out";
    if (!hull.thinned && hull.filling < convex_filling) text << "is not convex (or open): its convex hull collides";
    if (!text.str().empty()) mesh.ignore(text.str());
    return hull.hull;
  } catch (const std::invalid_argument& e) {
    mesh.ignore(std::string("has no convex hull: ") + e.what());
    return std::nullopt;
  }
}

// Friction along the x axis of the shape where fdir1 says so; otherwise directions that differ cannot be told.
void SdfReader::read_surface(const XmlElement& surface, ShapeOptions& shape) {
  const XmlElement friction = surface.child("friction"), ode = friction.child("ode");
  const double mu = ode.text_of("mu").not_negative(1.0), mu2 = ode.text_of("mu2").not_negative(mu);
  const Vector3 direction = ode.text_of("fdir1").vector3(Vector3::Zero());
  shape.material.friction = mu;
  if (mu2 != mu) {
    const bool along_x = direction.cross(Vector3::UnitX()).norm() < 1e-9 * direction.norm();
    if (along_x) {
      shape.material.friction_2 = mu2;
    } else {
      shape.material.friction = std::min(mu, mu2);
      ode.child("mu2").ignore(
          "differs from mu, not along the x axis of the shape: the smaller holds in all directions");
    }
  }
  for (const char* slip : {"slip1", "slip2"}) {
    const XmlElement element = ode.child(slip);
    if (element && element.text().number() != 0.0) element.ignore("friction is Coulomb's");
  }
  friction.child("torsional").ignore("torsional friction");
  friction.child("bullet").ignore("settings of another engine; those of <ode> hold");
  const XmlElement bounce = surface.child("bounce");
  const XmlValue restitution = bounce.text_of("restitution_coefficient");
  shape.material.restitution = restitution.not_negative(0.0);
  if (shape.material.restitution > 1.0) restitution.refuse("it must lie in 0 … 1");
  bounce.child("threshold").ignore("the simulator has one threshold for all");
  surface.child("soft_contact").ignore("contacts are rigid here");
  const XmlElement contact = surface.child("contact");
  for (const char* engine : {"ode", "bullet"}) contact.child(engine).ignore("contacts are rigid here");
  for (const char* name : {"poissons_ratio", "elastic_modulus", "collide_without_contact_bitmask"}) {
    contact.child(name).ignore("contacts are rigid here");
  }
  const XmlElement bitmask = contact.child("collide_bitmask");
  if (bitmask) shape.group = shape.mask = read_bitmask(bitmask.text());
  const XmlElement sensor_only = contact.child("collide_without_contact");
  if (sensor_only && sensor_only.text().boolean()) {
    shape.group = shape.mask = 0;
    sensor_only.ignore("shapes that only feel: this one meets nothing");
  }
}

}  // namespace stiction
