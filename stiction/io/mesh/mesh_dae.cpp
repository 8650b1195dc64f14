// COLLADA: the scene with its nodes, transforms and instances. The triangles of the single meshes: dae_geometry.cpp.
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "stiction/io/mesh/dae_geometry.h"
#include "stiction/io/mesh/mesh_file.h"
#include "stiction/io/xml/xml.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using Transform = Eigen::Matrix4d;

constexpr std::size_t max_dae_bytes = std::size_t{256} << 20;
constexpr int max_visits = 100'000;   // nodes, each as often as it is instanced
constexpr int max_scene_depth = 256;  // of nodes and their instances

Transform rotation(const XmlElement& element) {
  const std::vector<double> r = element.text().numbers(4);
  const Vector3 axis(r[0], r[1], r[2]);
  Transform t = Transform::Identity();
  if (r[3] == 0.0) return t;
  if (!(axis.norm() > 0.0)) element.refuse("the axis has no length");
  t.topLeftCorner<3, 3>() = Eigen::AngleAxisd(r[3] * std::numbers::pi / 180.0, axis.normalized()).toRotationMatrix();
  return t;
}

Transform matrix(const XmlElement& element) {
  const std::vector<double> m = element.text().numbers(16);
  const Transform t = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data());
  if (!(t.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).isZero(1e-6)) element.refuse("its last row must be 0 0 0 1");
  return t;
}

// The place of the eye, what it looks at, and up.
Transform look_at(const XmlElement& element) {
  const std::vector<double> n = element.text().numbers(9);
  const Vector3 eye(n[0], n[1], n[2]), at(n[3], n[4], n[5]), up(n[6], n[7], n[8]);
  const Vector3 back = (eye - at).normalized(), right = up.cross(back).normalized();
  Transform t = Transform::Identity();
  t.col(0).head<3>() = right, t.col(1).head<3>() = back.cross(right), t.col(2).head<3>() = back;
  t.col(3).head<3>() = eye;
  if (!t.allFinite() || !(std::abs(t.determinant()) > 0.5)) element.refuse("it gives no direction");
  return t;
}

// The product of what a node declares, in the order of the file.
Transform transform_of(const XmlElement& node) {
  Transform all = Transform::Identity();
  for (const XmlElement& element : node.children()) {
    const std::string name = element.name();
    Transform t = Transform::Identity();
    if (name == "matrix") {
      t = matrix(element);
    } else if (name == "translate") {
      t.col(3).head<3>() = element.text().vector3();
    } else if (name == "rotate") {
      t = rotation(element);
    } else if (name == "scale") {
      t.diagonal().head<3>() = element.text().vector3();
    } else if (name == "lookat") {
      t = look_at(element);
    } else if (name == "skew") {
      element.refuse("this transform is not read; use <matrix>");
    } else {
      continue;
    }
    all = all * t;
  }
  return all;
}

class SceneReader {
 public:
  explicit SceneReader(const XmlDocument& document) : document_(document) {}

  MeshData read() {
    const XmlElement& root = document_.root();
    if (root.name() != "COLLADA") root.refuse("the root element of a COLLADA file is <COLLADA>");
    find_ids(root);
    const double unit = root.child("asset").child("unit").attribute("meter") ? unit_of(root) : 1.0;
    const XmlElement instance = root.required_child("scene").required_child("instance_visual_scene");
    Transform to_root = Transform::Identity();
    to_root.topLeftCorner<3, 3>() *= unit;
    const XmlElement scene = target(instance, "url", scenes_, "visual_scene");
    for (const XmlElement& node : scene.children("node")) visit(node, to_root, 0);
    return std::move(mesh_);
  }

 private:
  using Index = std::unordered_map<std::string, XmlElement>;

  static double unit_of(const XmlElement& root) {
    return root.child("asset").child("unit").attribute("meter").positive();
  }

  static void add_id(Index& index, const XmlElement& element) {
    const std::string id = element.attribute("id").string("");
    if (!id.empty()) index.emplace(id, element);  // of two with one id the first counts
  }

  void find_nodes(const XmlElement& parent) {
    for (const XmlElement& node : parent.children("node")) {
      add_id(nodes_, node);
      find_nodes(node);  // the document is nowhere deeper than XmlDocument::max_depth
    }
  }

  void find_ids(const XmlElement& root) {
    for (const XmlElement& library : root.children("library_geometries")) {
      for (const XmlElement& geometry : library.children("geometry")) add_id(geometries_, geometry);
    }
    for (const XmlElement& library : root.children("library_controllers")) {
      for (const XmlElement& controller : library.children("controller")) add_id(controllers_, controller);
    }
    for (const XmlElement& library : root.children("library_nodes")) find_nodes(library);
    for (const XmlElement& library : root.children("library_visual_scenes")) {
      for (const XmlElement& scene : library.children("visual_scene")) {
        add_id(scenes_, scene);
        find_nodes(scene);
      }
    }
  }

  // What `attribute` of the element, "#id", names.
  static XmlElement target(const XmlElement& element, const char* attribute, const Index& index, const char* kind) {
    const XmlValue url = element.attribute(attribute);
    const std::string text = url.string();
    if (text[0] != '#') url.refuse("it leads out of the file; only #id is followed");
    const auto found = index.find(text.substr(1));
    if (found == index.end()) url.refuse(std::string("there is no <").append(kind).append("> with this id"));
    return found->second;
  }

  void visit(const XmlElement& node, const Transform& parent_to_root, int depth) {
    if (depth > max_scene_depth) {
      node.refuse("nodes and their instances are nested more than " + std::to_string(max_scene_depth) +
                  " deep; does one contain itself?");
    }
    if (++num_visits_ > max_visits) node.refuse("the scene has more than " + std::to_string(max_visits) + " nodes");
    const Transform to_root = parent_to_root * transform_of(node);
    const std::string name = node.attribute("name").string(node.attribute("id").string(""));
    for (const XmlElement& instance : node.children("instance_geometry")) {
      add(target(instance, "url", geometries_, "geometry"), to_root, name, instance);
    }
    for (const XmlElement& instance : node.children("instance_controller")) {  // a skin: its mesh as it stands
      const XmlElement skin = target(instance, "url", controllers_, "controller").child("skin");
      if (skin) add(target(skin, "source", geometries_, "geometry"), to_root, name, instance);
    }
    for (const XmlElement& child : node.children("node")) visit(child, to_root, depth + 1);
    for (const XmlElement& instance : node.children("instance_node")) {
      visit(target(instance, "url", nodes_, "node"), to_root, depth + 1);
    }
  }

  const std::vector<DaeTriangles>& triangles_of(const XmlElement& geometry) {
    const auto [place, is_new] = read_.try_emplace(geometry.attribute("id").string());
    if (is_new) place->second = read_dae_geometry(geometry);
    return place->second;
  }

  void add(const XmlElement& geometry, const Transform& to_root, const std::string& name, const XmlElement& instance) {
    for (const DaeTriangles& part : triangles_of(geometry)) {
      if (part.triangles.empty()) continue;
      if (mesh_.triangles.size() + part.triangles.size() > max_mesh_triangles) {
        instance.refuse("with it the scene has more than " + std::to_string(max_mesh_triangles) + " triangles");
      }
      if (mesh_.vertices.size() + part.vertices.size() > max_mesh_triangles) {
        instance.refuse("with it the scene has more than " + std::to_string(max_mesh_triangles) + " vertices");
      }
      const int base = static_cast<int>(mesh_.vertices.size());
      mesh_.parts.push_back({name, static_cast<int>(mesh_.triangles.size()), static_cast<int>(part.triangles.size())});
      for (const Vector3& v : part.vertices) {
        mesh_.vertices.push_back(to_root.topLeftCorner<3, 3>() * v + to_root.col(3).head<3>());
        if (!mesh_.vertices.back().allFinite()) instance.refuse("its transforms take a vertex to infinity");
      }
      for (const auto& t : part.triangles) mesh_.triangles.push_back({base + t[0], base + t[1], base + t[2]});
    }
  }

  const XmlDocument& document_;
  Index geometries_, controllers_, nodes_, scenes_;
  std::unordered_map<std::string, std::vector<DaeTriangles>> read_;  // by id of the geometry
  MeshData mesh_;
  int num_visits_ = 0;
};

}  // namespace

MeshData parse_dae(std::string_view text, const std::string& file) {
  return SceneReader(XmlDocument::parse(text, file, max_dae_bytes)).read();
}

}  // namespace stiction
