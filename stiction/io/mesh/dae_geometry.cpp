#include "stiction/io/mesh/dae_geometry.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "stiction/io/mesh/mesh_file.h"

namespace stiction {
namespace {

constexpr int max_inputs = 64;  // offsets of one group of primitives
constexpr std::size_t max_corners = 3 * max_mesh_triangles;
constexpr std::size_t max_concave = 2000;  // corners of a polygon that is not convex: they are sought in n² … n³

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Whole numbers as a file lists them. `take` gets the place in the list and the number.
template <class Take>
std::size_t for_each_integer(const XmlElement& element, const Take& take) {
  const XmlValue value = element.text();
  const std::string text = value.string("");
  const char *at = text.data(), *const end = at + text.size();
  std::size_t count = 0;
  while (true) {
    while (at < end && is_blank(*at)) ++at;
    if (at == end) return count;
    int number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (after < end && !is_blank(*after))) {
      const char* stop = std::find_if(at, end, is_blank);
      value.refuse("entry " + std::to_string(count) + ", " + std::string(at, std::min(stop, at + 40)) +
                   ", is not a whole number");
    }
    take(count, number);
    ++count;
    at = after;
  }
}

// "#id", followed inside of the mesh.
XmlElement local_target(const XmlElement& mesh, const XmlValue& reference, const char* kind) {
  const std::string text = reference.string();
  if (text[0] == '#') {
    for (const XmlElement& element : mesh.children(kind)) {
      if (element.attribute("id").string("") == text.substr(1)) return element;
    }
  }
  reference.refuse(std::string("the <mesh> has no <").append(kind).append("> with this id"));
}

struct Positions {
  XmlElement source;
  std::vector<Vector3> points;
};

// Where X, Y and Z stand in an entry: by their names, or the first three.
std::array<int, 3> places_of_axes(const XmlElement& accessor) {
  const std::vector<XmlElement> params = accessor.children("param");
  std::array<int, 3> named{-1, -1, -1};
  for (std::size_t k = 0; k < params.size(); ++k) {
    const std::string name = params[k].attribute("name").string("");
    for (int axis = 0; axis < 3; ++axis) {
      if (name == std::string(1, "XYZ"[axis])) named[axis] = static_cast<int>(k);
    }
  }
  if (std::min({named[0], named[1], named[2]}) >= 0) return named;
  if (!params.empty() && params.size() < 3) accessor.refuse("positions have the params X, Y and Z");
  return {0, 1, 2};
}

int count_of(const XmlElement& element, const char* name, int fallback) {
  const XmlValue value = element.attribute(name);
  if (!value) return fallback;
  const int count = value.integer();
  if (count < 0) value.refuse("it must not be negative");
  return count;
}

Positions read_positions(const XmlElement& mesh, const XmlValue& reference) {
  Positions positions;
  const XmlElement source = positions.source = local_target(mesh, reference, "source");
  const XmlElement array = source.required_child("float_array");
  const std::vector<double> numbers = array.text().numbers();
  const int declared = count_of(array, "count", static_cast<int>(std::min<std::size_t>(numbers.size(), 1 << 30)));
  if (numbers.size() != static_cast<std::size_t>(declared)) {
    array.attribute("count").refuse("there are " + std::to_string(numbers.size()) + " numbers");
  }
  const XmlElement accessor = source.required_child("technique_common").required_child("accessor");
  const std::array<int, 3> axes = places_of_axes(accessor);
  const int stride = count_of(accessor, "stride", 1), offset = count_of(accessor, "offset", 0);
  if (stride <= *std::max_element(axes.begin(), axes.end())) {
    accessor.refuse("a stride of " + std::to_string(stride) + " has no room for X, Y and Z");
  }
  const int count = count_of(accessor, "count", 0);
  const std::int64_t last =
      std::int64_t{offset} + (std::int64_t{count} - 1) * stride + *std::max_element(axes.begin(), axes.end());
  if (count > 0 && last >= static_cast<std::int64_t>(numbers.size())) {
    accessor.attribute("count").refuse("the array ends before: it has " + std::to_string(numbers.size()) + " numbers");
  }
  positions.points.reserve(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const double* entry = numbers.data() + offset + k * static_cast<std::size_t>(stride);
    positions.points.emplace_back(entry[axes[0]], entry[axes[1]], entry[axes[2]]);
  }
  return positions;
}

// How the list of indices is woven: one index per input, `stride` of them per corner, that of the vertex at `offset`.
struct Weave {
  int stride = 1, offset = -1;
  XmlValue vertices;
};

Weave weave_of(const XmlElement& group) {
  Weave weave;
  for (const XmlElement& input : group.children("input")) {
    const XmlValue value = input.attribute("offset");
    const int offset = value.integer();
    if (offset < 0 || offset >= max_inputs) value.refuse("it must be 0 … " + std::to_string(max_inputs - 1));
    weave.stride = std::max(weave.stride, offset + 1);
    if (input.attribute("semantic").string() != "VERTEX") continue;
    if (weave.offset >= 0) input.refuse("there is an input VERTEX already");
    weave.offset = offset;
    weave.vertices = input.attribute("source");
  }
  if (weave.offset < 0) group.refuse("no <input> has the semantic VERTEX");
  return weave;
}

class GroupReader {
 public:
  GroupReader(const XmlElement& group, const std::vector<Vector3>& points, const Weave& weave)
      : group_(group), points_(points), weave_(weave), place_(points.size(), -1) {}

  DaeTriangles read() {
    const std::string kind = group_.name();
    const std::vector<XmlElement> lists = group_.children("p");
    if (group_.children("ph").size() > 0) group_.refuse("polygons with holes (<ph>) are not read");
    std::int64_t num_primitives = 0;
    if (kind == "triangles" || kind == "polylist") {
      if (lists.size() > 1) lists[1].refuse("there is a <p> already; only one may be given");
      if (!lists.empty()) read_corners(lists[0]);
      num_primitives = kind == "triangles" ? take_triangles() : take_polygons();
    } else {
      for (const XmlElement& list : lists) {
        read_corners(list);
        if (kind == "polygons") add_polygon(0, corners_.size());
        if (kind == "tristrips") add_strip();
        if (kind == "trifans") add_fan();
      }
      num_primitives = static_cast<std::int64_t>(lists.size());
    }
    const XmlValue count = group_.attribute("count");
    if (count && count.integer() != num_primitives) {
      count.refuse("there are " + std::to_string(num_primitives));
    }
    return std::move(out_);
  }

 private:
  // The vertices of a <p>, every one an index of a position that exists.
  void read_corners(const XmlElement& list) {
    corners_.clear();
    const std::size_t stride = static_cast<std::size_t>(weave_.stride),
                      offset = static_cast<std::size_t>(weave_.offset);
    const std::size_t count = for_each_integer(list, [&](std::size_t k, int index) {
      if (k % stride != offset) return;
      if (index < 0 || static_cast<std::size_t>(index) >= points_.size()) {
        list.refuse("entry " + std::to_string(k) + " names vertex " + std::to_string(index) + "; there are " +
                    std::to_string(points_.size()));
      }
      if (corners_.size() >= max_corners) list.refuse("it has more than " + std::to_string(max_corners) + " corners");
      corners_.push_back(index);
    });
    if (count % stride != 0) {
      list.refuse("it has " + std::to_string(count) + " entries, which is no multiple of " + std::to_string(stride));
    }
  }

  std::int64_t take_triangles() {
    if (corners_.size() % 3 != 0)
      group_.refuse("its " + std::to_string(corners_.size()) + " corners make no triangles");
    for (std::size_t k = 0; k < corners_.size(); k += 3) add_triangle(k, k + 1, k + 2);
    return static_cast<std::int64_t>(corners_.size() / 3);
  }

  std::int64_t take_polygons() {
    const XmlElement counts = group_.child("vcount");
    if (!counts && corners_.empty()) return 0;
    if (!counts) counts.refuse("it is missing");
    std::size_t first = 0;
    const std::size_t num_polygons = for_each_integer(counts, [&](std::size_t k, int count) {
      if (count < 0 || static_cast<std::size_t>(count) > corners_.size() - first) {
        counts.refuse("polygon " + std::to_string(k) + " has " + std::to_string(count) + " corners; <p> has " +
                      std::to_string(corners_.size() - first) + " left");
      }
      add_polygon(first, static_cast<std::size_t>(count));
      first += static_cast<std::size_t>(count);
    });
    if (first != corners_.size()) {
      counts.refuse("<p> has " + std::to_string(corners_.size()) + " corners; " + std::to_string(first) + " are taken");
    }
    return static_cast<std::int64_t>(num_polygons);
  }

  void add_polygon(std::size_t first, std::size_t count) {
    if (count == 3) return add_triangle(first, first + 1, first + 2);
    polygon_.clear();
    for (std::size_t k = 0; k < count; ++k) polygon_.push_back(points_[corners_[first + k]]);
    pieces_.clear();
    triangulate(polygon_, pieces_);
    for (const auto& t : pieces_) add_triangle(first + t[0], first + t[1], first + t[2]);
  }

  void add_strip() {
    for (std::size_t k = 0; k + 2 < corners_.size(); ++k) add_triangle(k, k + 1 + k % 2, k + 2 - k % 2);
  }

  void add_fan() {
    for (std::size_t k = 1; k + 1 < corners_.size(); ++k) add_triangle(0, k, k + 1);
  }

  void add_triangle(std::size_t a, std::size_t b, std::size_t c) {
    if (out_.triangles.size() >= max_mesh_triangles) {
      group_.refuse("it has more than " + std::to_string(max_mesh_triangles) + " triangles");
    }
    out_.triangles.push_back({vertex(a), vertex(b), vertex(c)});
  }

  int vertex(std::size_t corner) {
    int& place = place_[corners_[corner]];
    if (place < 0) {
      place = static_cast<int>(out_.vertices.size());
      out_.vertices.push_back(points_[corners_[corner]]);
    }
    return place;
  }

  const XmlElement& group_;
  const std::vector<Vector3>& points_;
  Weave weave_;
  std::vector<int> place_;    // of every position in the vertices of the group; −1: not used yet
  std::vector<int> corners_;  // positions that the <p> at hand names
  std::vector<Vector3> polygon_;
  std::vector<std::array<int, 3>> pieces_;
  DaeTriangles out_;
};

}  // namespace

std::vector<DaeTriangles> read_dae_geometry(const XmlElement& geometry) {
  std::vector<DaeTriangles> groups;
  const XmlElement mesh = geometry.child("mesh");
  if (!mesh) return groups;  // splines and the like
  std::string known;         // reference of the positions at hand
  Positions positions;
  for (const XmlElement& group : mesh.children()) {
    const std::string kind = group.name();
    if (kind != "triangles" && kind != "polylist" && kind != "polygons" && kind != "tristrips" && kind != "trifans") {
      continue;
    }
    const Weave weave = weave_of(group);
    if (positions.source && weave.vertices.string() == known) {
      groups.push_back(GroupReader(group, positions.points, weave).read());
      continue;
    }
    const XmlElement vertices = local_target(mesh, weave.vertices, "vertices");
    XmlValue reference;
    for (const XmlElement& input : vertices.children("input")) {
      if (input.attribute("semantic").string() == "POSITION") reference = input.attribute("source");
    }
    if (!reference) vertices.refuse("no <input> has the semantic POSITION");
    positions = read_positions(mesh, reference);
    known = weave.vertices.string();
    groups.push_back(GroupReader(group, positions.points, weave).read());
  }
  return groups;
}

namespace {

// Corners of a polygon in its plane (Newell's normal): where a corner bends to the left it is convex.
struct FlatPolygon {
  std::vector<Eigen::Vector2d> at;

  explicit FlatPolygon(const std::vector<Vector3>& corners) {
    const std::size_t n = corners.size();
    Vector3 normal = Vector3::Zero();
    for (std::size_t k = 0; k < n; ++k) {
      normal += (corners[k] - corners[0]).cross(corners[(k + 1) % n] - corners[0]);
    }
    int axis = 0;
    normal.cwiseAbs().maxCoeff(&axis);
    const bool turned = normal[axis] < 0.0;
    for (const Vector3& c : corners) {
      const double x = c[(axis + 1) % 3], y = c[(axis + 2) % 3];
      at.emplace_back(turned ? Eigen::Vector2d(y, x) : Eigen::Vector2d(x, y));
    }
  }
  // Twice the area of a triangle, positive where it turns to the left.
  double area(int a, int b, int c) const {
    const Eigen::Vector2d u = at[b] - at[a], w = at[c] - at[a];
    return u[0] * w[1] - u[1] * w[0];
  }
  bool is_inside(int point, int a, int b, int c) const {
    return area(a, b, point) >= 0.0 && area(b, c, point) >= 0.0 && area(c, a, point) >= 0.0;
  }
};

// A corner whose triangle holds no other corner; none where rounding or self-intersection leaves none.
std::size_t find_ear(const FlatPolygon& polygon, const std::vector<int>& left) {
  const std::size_t n = left.size();
  for (std::size_t k = 0; k < n; ++k) {
    const int a = left[(k + n - 1) % n], b = left[k], c = left[(k + 1) % n];
    if (!(polygon.area(a, b, c) > 0.0)) continue;
    const bool holds = std::any_of(left.begin(), left.end(), [&](int other) {
      return other != a && other != b && other != c && polygon.at[other] != polygon.at[a] &&
             polygon.at[other] != polygon.at[b] && polygon.at[other] != polygon.at[c] &&
             polygon.is_inside(other, a, b, c);
    });
    if (!holds) return k;
  }
  return n;
}

}  // namespace

void triangulate(const std::vector<Vector3>& corners, std::vector<std::array<int, 3>>& triangles) {
  const int n = static_cast<int>(corners.size());
  if (n < 3) return;
  std::vector<int> left(static_cast<std::size_t>(n));
  std::iota(left.begin(), left.end(), 0);
  if (n > 3 && left.size() <= max_concave) {
    const FlatPolygon polygon(corners);
    const auto bends_right = [&](int k) { return polygon.area((k + n - 1) % n, k, (k + 1) % n) < 0.0; };
    if (std::any_of(left.begin(), left.end(), bends_right)) {
      while (left.size() > 3) {
        const std::size_t k = find_ear(polygon, left), m = left.size();
        if (k == m) break;
        triangles.push_back({left[(k + m - 1) % m], left[k], left[(k + 1) % m]});
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
  }
  for (std::size_t k = 1; k + 1 < left.size(); ++k) triangles.push_back({left[0], left[k], left[k + 1]});
}

}  // namespace stiction
