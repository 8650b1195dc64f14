#include "stiction/io/mesh/mesh_file.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "stiction/io/model_path.h"
#include "stiction/io/xml/xml.h"
#include "stiction/math/refuse.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

// --- Shared

struct VertexHash {
  std::size_t operator()(const std::array<std::uint64_t, 3>& bits) const {
    std::uint64_t h = 0x9E3779B97F4A7C15ull;
    for (const std::uint64_t b : bits) h = (h ^ b) * 0xD6E8FEB86659FD93ull, h ^= h >> 32;
    return static_cast<std::size_t>(h);
  }
};

// Vertices at the same place become one; those that no triangle uses are left out. Checks that all is finite.
void weld(MeshData& mesh, const std::string& file) {
  std::unordered_map<std::array<std::uint64_t, 3>, int, VertexHash> known;
  known.reserve(mesh.vertices.size());
  std::vector<int> index(mesh.vertices.size(), -1);
  std::vector<Vector3> kept;
  for (std::array<int, 3>& triangle : mesh.triangles) {
    for (int& corner : triangle) {
      int& new_index = index[corner];
      if (new_index < 0) {
        const Vector3 v = mesh.vertices[corner] + Vector3::Zero();  // −0 becomes 0
        if (!v.allFinite()) refuse(file, ": vertex ", corner, " is (", v.transpose(), "); it must be finite");
        const std::array<std::uint64_t, 3> bits{std::bit_cast<std::uint64_t>(v[0]), std::bit_cast<std::uint64_t>(v[1]),
                                                std::bit_cast<std::uint64_t>(v[2])};
        const auto [at, is_new] = known.try_emplace(bits, static_cast<int>(kept.size()));
        if (is_new) kept.push_back(v);
        new_index = at->second;
      }
      corner = new_index;
    }
  }
  mesh.vertices = std::move(kept);
}

MeshData finished(MeshData mesh, const std::string& file) {
  if (mesh.triangles.empty()) refuse(file, ": there is no triangle in it");
  weld(mesh, file);
  return mesh;
}

void check_count(std::size_t triangles, const std::string& file) {
  if (triangles > max_mesh_triangles) refuse(file, ": has more than ", max_mesh_triangles, " triangles");
}

// Lines and words of a text, with the number of the line for messages.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  bool next_line() {
    if (rest_.empty()) return false;
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    return true;
  }
  std::string_view word() {  // empty at the end of the line
    while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
    std::size_t end = 0;
    while (end < line_.size() && !is_blank(line_[end])) ++end;
    const std::string_view found = line_.substr(0, end);
    line_.remove_prefix(end);
    return found;
  }
  std::string rest_of_line() {
    const std::string_view first = word();
    return std::string(first.data(), static_cast<std::size_t>(line_.data() + line_.size() - first.data()));
  }
  double number() {
    const std::string_view text = word();
    const std::optional<double> value = parse_number(text);
    if (!value || !std::isfinite(*value)) refuse_line("\"", std::string(text.substr(0, 40)), "\" is no finite number");
    return *value;
  }
  Vector3 vector3() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  bool continues() {  // a line that ends in a backslash goes on in the next
    if (line_ != "\\") return false;
    return next_line();
  }
  template <class... Parts>
  [[noreturn]] void refuse_line(const Parts&... parts) const {
    refuse(file_, ":", number_, ": ", parts...);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

  std::string_view rest_, line_;
  const std::string& file_;
  int number_ = 0;
};

// --- STL

MeshData parse_binary_stl(std::string_view bytes, std::size_t count, const std::string& file) {
  check_count(count, file);
  MeshData mesh;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    float corners[9];
    std::memcpy(corners, bytes.data() + 84 + 50 * k + 12, sizeof corners);  // after the normal
    const int first = static_cast<int>(mesh.vertices.size());
    for (int c = 0; c < 3; ++c) mesh.vertices.emplace_back(corners[3 * c], corners[3 * c + 1], corners[3 * c + 2]);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return finished(std::move(mesh), file);
}

MeshData parse_text_stl(std::string_view text, const std::string& file) {
  MeshData mesh;
  Words words(text, file);
  std::size_t corners_of_facet = 0;
  while (words.next_line()) {
    const std::string_view word = words.word();
    if (word == "vertex") {
      mesh.vertices.push_back(words.vector3());
      ++corners_of_facet;
    } else if (word == "endloop") {
      if (corners_of_facet != 3) words.refuse_line("the facet has ", corners_of_facet, " corners, not 3");
      const int last = static_cast<int>(mesh.vertices.size()) - 1;
      mesh.triangles.push_back({last - 2, last - 1, last});
      check_count(mesh.triangles.size(), file);
      corners_of_facet = 0;
    } else if (!(word.empty() || word == "solid" || word == "facet" || word == "outer" || word == "endfacet" ||
                 word == "endsolid")) {
      words.refuse_line("\"", std::string(word.substr(0, 40)), "\" is no word of an STL file");
    }
  }
  if (corners_of_facet != 0) words.refuse_line("the file ends within a facet");
  return finished(std::move(mesh), file);
}

// --- OBJ

// "7", "7/1", "7//2", "7/1/2"; counted from 1, or from the end where negative.
int obj_corner(std::string_view text, std::size_t num_vertices, const Words& words) {
  const std::string_view head = text.substr(0, text.find('/'));
  long long index = 0;
  const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), index);
  if (error != std::errc() || end != head.data() + head.size()) {
    words.refuse_line("\"", std::string(text.substr(0, 40)), "\" is no corner of a face");
  }
  const long long n = static_cast<long long>(num_vertices);
  const long long at = index > 0 ? index - 1 : n + index;
  if (index == 0 || at < 0 || at >= n) {
    words.refuse_line("a face names vertex ", index, "; there are ", num_vertices, " so far");
  }
  return static_cast<int>(at);
}

void read_obj_face(Words& words, MeshData& mesh, const std::string& file) {
  int first = -1, previous = -1, corners = 0;
  for (;;) {
    if (words.continues()) continue;
    const std::string_view word = words.word();
    if (word.empty()) break;
    if (word == "\\") {
      if (!words.next_line()) break;
      continue;
    }
    const int corner = obj_corner(word, mesh.vertices.size(), words);
    if (corners == 0) first = corner;
    if (corners >= 2) mesh.triangles.push_back({first, previous, corner});
    previous = corner;
    ++corners;
    check_count(mesh.triangles.size(), file);
  }
  if (corners < 3) words.refuse_line("a face of ", corners, " corners");
}

}  // namespace

MeshData parse_stl(std::string_view bytes, const std::string& file) {
  std::size_t declared = 0;
  if (bytes.size() >= 84) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, sizeof count);
    declared = count;
    if (bytes.size() - 84 == 50 * declared) return parse_binary_stl(bytes, declared, file);
  }
  const std::size_t begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (bytes.substr(begin).starts_with("solid") && bytes.find('\0') == std::string_view::npos) {
    return parse_text_stl(bytes, file);
  }
  // Some programs append bytes of their own.
  if (bytes.size() >= 84 && (bytes.size() - 84) / 50 >= declared) return parse_binary_stl(bytes, declared, file);
  if (bytes.size() < 84) refuse(file, ": has ", bytes.size(), " bytes; an STL file starts with 84 or with \"solid\"");
  refuse(file, ": declares ", declared, " triangles, ", 84 + 50 * declared, " bytes, but has only ", bytes.size());
}

MeshData parse_obj(std::string_view text, const std::string& file) {
  MeshData mesh;
  Words words(text, file);
  const auto close_part = [&] {
    if (mesh.parts.empty()) return;
    MeshData::Part& part = mesh.parts.back();
    part.num_triangles = static_cast<int>(mesh.triangles.size()) - part.first_triangle;
    if (part.num_triangles == 0) mesh.parts.pop_back();
  };
  while (words.next_line()) {
    const std::string_view word = words.word();
    if (word == "v") {
      mesh.vertices.push_back(words.vector3());
      if (mesh.vertices.size() > 3 * max_mesh_triangles) words.refuse_line("too many vertices");
    } else if (word == "f") {
      read_obj_face(words, mesh, file);
    } else if (word == "o" || word == "g") {
      close_part();
      mesh.parts.push_back({words.rest_of_line(), static_cast<int>(mesh.triangles.size()), 0});
    }
  }
  close_part();
  return finished(std::move(mesh), file);
}

MeshData read_mesh(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (ending != ".stl" && ending != ".obj" && ending != ".dae") {
    refuse(path, ": the ending '", ending, "' is no known format of meshes; .stl, .obj and .dae are");
  }
  const std::string bytes = read_whole_file(path, max_mesh_bytes);
  if (ending == ".stl") return parse_stl(bytes, path);
  if (ending == ".obj") return parse_obj(bytes, path);
  return finished(parse_dae(bytes, path), path);
}

double MeshData::volume() const {
  double six_volumes = 0.0;
  const Vector3 o = vertices.empty() ? Vector3(Vector3::Zero()) : vertices[0];
  for (const auto& [a, b, c] : triangles) {
    six_volumes += (vertices[a] - o).dot((vertices[b] - o).cross(vertices[c] - o));
  }
  return six_volumes / 6.0;
}

MeshData MeshData::scaled(const Vector3& scale) const {
  MeshData out = *this;
  for (Vector3& v : out.vertices) v = v.cwiseProduct(scale);
  if (scale.prod() < 0.0) {
    for (std::array<int, 3>& triangle : out.triangles) std::swap(triangle[1], triangle[2]);
  }
  return out;
}

MeshData MeshData::part(const std::string& name) const {
  MeshData out;
  std::string known;
  for (const Part& candidate : parts) {
    known += (known.empty() ? "'" : ", '") + candidate.name + "'";
    if (candidate.name != name) continue;
    const auto first = triangles.begin() + candidate.first_triangle;
    out.triangles.insert(out.triangles.end(), first, first + candidate.num_triangles);
  }
  if (out.triangles.empty()) refuse("no part is called '", name, "'; there is ", known.empty() ? "none" : known);
  out.vertices = vertices;
  weld(out, name);
  return out;
}

// --- Cache

namespace {

// Points that are extreme along directions spread evenly over the sphere.
std::vector<Vector3> extreme_points(const std::vector<Vector3>& points, int num_directions) {
  std::vector<int> chosen;
  for (int k = 0; k < num_directions; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / num_directions, r = std::sqrt(1.0 - z * z), a = 2.399963229728653 * k;
    const Vector3 direction(r * std::cos(a), r * std::sin(a), z);
    int best = 0;
    for (int i = 1; i < static_cast<int>(points.size()); ++i) {
      if (points[i].dot(direction) > points[best].dot(direction)) best = i;
    }
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Vector3> out;
  for (const int i : chosen) out.push_back(points[i]);
  return out;
}

}  // namespace

std::shared_ptr<const MeshData> MeshCache::mesh(const std::string& path) {
  auto& known = meshes_[path];
  if (!known) known = std::make_shared<const MeshData>(read_mesh(path));
  return known;
}

MeshData MeshCache::selected(const std::string& path, const Vector3& scale, const std::string& part) {
  const std::shared_ptr<const MeshData> whole = mesh(path);
  if (part.empty()) return whole->scaled(scale);
  try {
    return whole->part(part).scaled(scale);
  } catch (const std::invalid_argument& e) {
    refuse(path, ": ", e.what());
  }
}

const MeshCache::Hull& MeshCache::hull(const std::string& path, const Vector3& scale, const std::string& part) {
  const Key key{path, scale[0], scale[1], scale[2], part};
  const auto known = hulls_.find(key);
  if (known != hulls_.end()) return known->second;
  const MeshData data = selected(path, scale, part);
  Hull made;
  try {
    try {
      made.hull = ConvexHull::from_points(data.vertices);
    } catch (const std::invalid_argument&) {
      if (data.vertices.size() <= static_cast<std::size_t>(ConvexHull::max_vertices)) throw;
      constexpr int num_directions = 2048;
      made.hull = ConvexHull::from_points(extreme_points(data.vertices, num_directions));
      made.thinned = true;
    }
  } catch (const std::invalid_argument& e) {
    refuse(path, ": ", e.what());
  }
  made.filling = std::abs(data.volume()) / made.hull->volume();
  return hulls_.emplace(key, made).first->second;
}

std::shared_ptr<const TriangleMesh> MeshCache::terrain(const std::string& path, const Vector3& scale,
                                                       const std::string& part) {
  auto& known = terrains_[Key{path, scale[0], scale[1], scale[2], part}];
  if (known) return known;
  const MeshData data = selected(path, scale, part);
  try {
    known = TriangleMesh::make(data.vertices, data.triangles);
  } catch (const std::invalid_argument& e) {
    refuse(path, ": ", e.what());
  }
  return known;
}

}  // namespace stiction
