// Geoms that may touch something.
#include <algorithm>
#include <cmath>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

std::array<double, 4> color_of(const mjModel& m, int geom) {
  const float* own = m.geom_rgba + 4 * geom;
  const bool is_default = own[0] == 0.5f && own[1] == 0.5f && own[2] == 0.5f && own[3] == 1.0f;
  const float* rgba = m.geom_matid[geom] >= 0 && is_default ? m.mat_rgba + 4 * m.geom_matid[geom] : own;
  std::array<double, 4> color{};
  for (int k = 0; k < 4; ++k) color[k] = std::clamp(static_cast<double>(rgba[k]), 0.0, 1.0);
  return color;
}

// Vertices of the hull that MuJoCo computed (it honours maxhullvert), else all vertices of the mesh.
std::vector<Vector3> hull_points(const mjModel& m, int mesh) {
  const float* vertices = m.mesh_vert + 3 * m.mesh_vertadr[mesh];
  std::vector<Vector3> points;
  const auto add = [&](int i) { points.emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]); };
  if (m.mesh_graphadr[mesh] >= 0) {
    // Layout of the graph: number of vertices, number of faces, where the edges of each vertex begin, its number.
    const int* graph = m.mesh_graph + m.mesh_graphadr[mesh];
    for (int k = 0; k < graph[0]; ++k) add(graph[2 + graph[0] + k]);
  } else {
    for (int k = 0; k < m.mesh_vertnum[mesh]; ++k) add(k);
  }
  return points;
}

std::shared_ptr<const TriangleMesh> surface(const mjModel& m, int mesh) {
  const float* v = m.mesh_vert + 3 * m.mesh_vertadr[mesh];
  const int* f = m.mesh_face + 3 * m.mesh_faceadr[mesh];
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int k = 0; k < m.mesh_vertnum[mesh]; ++k) vertices.emplace_back(v[3 * k], v[3 * k + 1], v[3 * k + 2]);
  for (int k = 0; k < m.mesh_facenum[mesh]; ++k) triangles.push_back({f[3 * k], f[3 * k + 1], f[3 * k + 2]});
  return TriangleMesh::make(vertices, triangles);
}

// Rows of MuJoCo run along y, columns along x, and cells are cut as ours are.
std::shared_ptr<const HeightField> height_field(const mjModel& m, int field) {
  const int rows = m.hfield_nrow[field], columns = m.hfield_ncol[field];
  const mjtNum* size = m.hfield_size + 4 * field;
  const float* data = m.hfield_data + m.hfield_adr[field];
  std::vector<double> heights(static_cast<std::size_t>(rows) * columns);
  for (std::size_t k = 0; k < heights.size(); ++k) heights[k] = size[2] * data[k];
  return HeightField::make(columns, rows, 2.0 * size[0] / (columns - 1), 2.0 * size[1] / (rows - 1), heights);
}

}  // namespace

void MjcfReader::read_shapes() {
  in_pair_.assign(m_.ngeom, false);
  shape_of_.assign(m_.ngeom, -1);
  if (without_constraint(mjDSBL_CONTACT)) {
    if (m_.ngeom > 0) ignored_.add("geom", "(all)", "the options of the file switch contacts off");
    return;
  }
  for (int pair = 0; pair < m_.npair; ++pair) {
    in_pair_[m_.pair_geom1[pair]] = in_pair_[m_.pair_geom2[pair]] = true;
  }
  for (int geom = 0; geom < m_.ngeom; ++geom) {
    if (may_touch(geom)) {
      read_shape(geom);
    } else if (!is_in_fluid(geom)) {
      ignored_.add("geom", label_of(mjOBJ_GEOM, geom), "only to be seen: contype and conaffinity are 0");
    }
  }
}

void MjcfReader::read_shape(int geom) {
  ShapeOptions options;
  if (!make_geometry(geom, options.geometry)) return;
  options.name = prefixed(name_of(mjOBJ_GEOM, geom));
  options.body = builder_body(m_.geom_bodyid[geom]);
  options.pose = placed(m_.geom_bodyid[geom], pose(m_.geom_pos + 3 * geom, m_.geom_quat + 4 * geom));
  options.material = material_of(geom);
  options.group = static_cast<std::uint32_t>(m_.geom_contype[geom]);
  options.mask = static_cast<std::uint32_t>(m_.geom_conaffinity[geom]);
  options.color = color_of(m_, geom);
  shape_of_[geom] = builder_.add_shape(options);
}

bool MjcfReader::make_geometry(int geom, Geometry& geometry) {
  const mjtNum* size = m_.geom_size + 3 * geom;
  switch (m_.geom_type[geom]) {
    case mjGEOM_PLANE:
      geometry = Plane{};
      return true;
    case mjGEOM_SPHERE:
      geometry = Sphere{size[0]};
      return true;
    case mjGEOM_CAPSULE:
      if (size[1] > 0.0) {
        geometry = Capsule{size[0], size[1]};
      } else {
        geometry = Sphere{size[0]};
      }
      return true;
    case mjGEOM_CYLINDER:
      geometry = Cylinder{size[0], size[1]};
      return true;
    case mjGEOM_ELLIPSOID:
      geometry = Ellipsoid{vector3(size)};
      return true;
    case mjGEOM_BOX:
      geometry = Box{vector3(size)};
      return true;
    case mjGEOM_MESH:
      return make_mesh(geom, geometry);
    case mjGEOM_HFIELD:
      geometry = height_field(m_, m_.geom_dataid[geom]);
      return true;
    default:
      ignored_.add("geom", label_of(mjOBJ_GEOM, geom), "a type of geom that is no collision shape here");
      return false;
  }
}

// Its convex hull; or the surface itself, where that is asked for and the mesh is part of the world.
bool MjcfReader::make_mesh(int geom, Geometry& geometry) {
  const int mesh = m_.geom_dataid[geom], body = m_.geom_bodyid[geom];
  const bool is_terrain = options_.meshes_as_terrain && m_.body_weldid[body] == 0 && !is_freed_[m_.body_rootid[body]];
  const auto known = known_meshes_.find({mesh, is_terrain});
  if (known != known_meshes_.end()) {
    geometry = known->second;
    return true;
  }
  try {
    if (is_terrain) {
      geometry = surface(m_, mesh);
    } else {
      geometry = ConvexHull::from_points(hull_points(m_, mesh));
    }
  } catch (const std::invalid_argument& e) {
    ignored_.add(
        "geom", label_of(mjOBJ_GEOM, geom),
        "mesh " + label_of(mjOBJ_MESH, mesh) + (is_terrain ? " is no surface: " : " has no convex hull: ") + e.what());
    return false;
  }
  known_meshes_.emplace(std::pair{mesh, is_terrain}, geometry);
  return true;
}

}  // namespace stiction
