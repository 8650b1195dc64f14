// A convex shape as a terrain feels it: its separation from a point or an edge along a direction, whether it overlaps a
// triangle, and which of its faces lies on an edge. Everything in the terrain's frame; normals point from the terrain
// to the shape.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/collision/convex/convex_face.h"
#include "stiction/collision/convex/convex_gap.h"
#include "stiction/collision/convex/hull_faces.h"
#include "stiction/collision/manifold/feature.h"
#include "stiction/collision/terrain/terrain_span.h"

namespace stiction {

template <class G>
class TerrainProbe {
 public:
  using Core = std::decay_t<decltype(detail::probe_core(std::declval<const G&>()))>;
  using Key = typename Core::Key;
  static constexpr bool is_point = std::is_same_v<Core, SupportPoint>;

  // X_BA: the shape in the terrain's frame.
  TerrainProbe(const G& shape, const Pose& X_BA)
      : shape_(shape), core_(detail::probe_core(shape)), X_BA_(X_BA), X_AB_(X_BA.inverse()) {
    if constexpr (std::is_same_v<G, Sphere> || std::is_same_v<G, Capsule>) radius_ = shape.radius;
  }

  double core_radius() const { return radius_; }

  // Height of its lowest point over the plane through q.
  double height_over(const Vector3& q, const Vector3& n) const { return n.dot(lowest_along(n) - q) - radius_; }
  // Its lowest point; of spheres and capsules without the radius.
  Vector3 lowest_along(const Vector3& n) const {
    hint_ = core_.support(-(X_AB_.rotation * n), hint_);
    return X_BA_ * Vector3(core_.point(hint_));
  }

  // The shortest distance of the core where it is apart, else nothing but is_apart = false.
  ProbeResult distance_to(const SupportSpan& span) const {
    ProbeResult out;
    const Vector3 e = span.ends[1] - span.ends[0];
    if constexpr (is_point) {
      const double t = span.foot(X_BA_.position);
      out.at = span.ends[0] + t * e;
      const Vector3 d = X_BA_.position - out.at;
      const double distance = d.norm();
      out.is_apart = distance > 1e-12;
      if (out.is_apart) out.normal = d / distance, out.gap = distance - radius_;
    } else {
      KeysOf<Core, SupportSpan> keys;
      GjkResult found;
      gjk(core_, span, X_AB_, X_AB_ * Vector3(span.ends[0] + 0.5 * e), keys, found);
      out.is_apart = !found.overlapping && found.distance > near_distance(core_.extent(), span.extent());
      if (!out.is_apart) return out;
      const Vector3 n = found.normal();
      const Vector3 on_a = detail::find_witness(core_, span, X_AB_, keys, found.weight, n, found.distance);
      out.normal = -(X_BA_.rotation * n);
      out.gap = found.distance - radius_;
      out.at = span.ends[0] + span.foot(X_BA_ * Vector3(on_a + found.distance * n)) * e;
    }
    return out;
  }

  static constexpr bool is_smooth = !std::is_same_v<Key, int>;

  // The local maximum of the separation from the span over all directions that belongs to `start`; false where none
  // comes out. Sharp for polytopes only.
  bool separate(const SupportSpan& span, const Vector3& start, ProbeResult& out) const {
    KeysOf<Core, SupportSpan> keys;
    const ShiftedResult found =
        shifted_gjk(core_, span, X_AB_, -(X_AB_.rotation * start), shift_distance(core_, span), keys);
    if (!found.converged) return false;
    out.normal = -(X_BA_.rotation * found.normal);
    out.gap = found.gap - radius_;
    return true;
  }

  // Calls visit(n, separation) for the directions of the faces of a polytope, against the point p.
  template <class Visit>
  void for_each_face(const Vector3& p, Visit&& visit) const {
    const Vector3 q = X_AB_ * p;
    if constexpr (std::is_same_v<G, ConvexHull>) {
      for (const auto& face : shape_.faces())
        visit(Vector3(-(X_BA_.rotation * face.normal)), face.normal.dot(q - face.origin));
    } else if constexpr (std::is_same_v<G, Box>) {
      for (int k = 0; k < 3; ++k)
        for (const double sign : {-1.0, 1.0})
          visit(Vector3(-sign * X_BA_.rotation.col(k)), sign * q[k] - shape_.half_size[k]);
    }
  }

  // Whether the shape, moved by u, has less than `slack` of overlap with the triangle.
  bool is_free_of(const SupportTriangle& triangle, const Vector3& u, double slack) const {
    const Pose moved(X_AB_.rotation, X_AB_.position - X_AB_.rotation * u);
    KeysOf<Core, SupportTriangle> keys;
    GjkResult found;
    gjk(core_, triangle, moved, moved * triangle.corners[0], keys, found);
    return !found.overlapping && found.distance >= radius_ - slack;
  }

  // The part of an edge that lies under the face of the shape that looks down along n (within 5°), or along the line of
  // a capsule or cylinder. Returns how many points, two at most.
  int clip_edge(const Vector3& from, const Vector3& to, const Vector3& n, EdgePoint out[2]) const {
    if constexpr (std::is_same_v<G, Sphere> || std::is_same_v<G, Ellipsoid>) {
      return 0;
    } else {
      FaceStore store;
      double cosine = -2.0;
      const FaceView* face = face_towards(n, store, cosine);
      if (!face) return 0;
      if (face->vertices.size() == 2) return clip_to_line(*face, from, to, n, out);
      if (cosine >= cos_face) return clip_to_polygon(*face, from, to, n, out);
      if constexpr (std::is_same_v<G, Box> || std::is_same_v<G, ConvexHull>) return cross_lowest(from, to, n, out);
      return 0;
    }
  }

  // Calls visit(position, number) for the vertices of a hull, and for the rim of the cap that looks down along n within
  // 5°.
  template <class Visit>
  void for_each_corner(const Vector3& n, Visit&& visit) const {
    if constexpr (std::is_same_v<G, ConvexHull>) {
      for (int v = 0; v < static_cast<int>(shape_.vertices().size()); ++v) visit(X_BA_ * shape_.vertex(v), v);
    } else if constexpr (std::is_same_v<G, Cylinder>) {
      FaceStore store;
      double cosine = -2.0;
      const FaceView* face = face_towards(n, store, cosine);
      if (!face || face->vertices.size() == 2 || cosine < cos_face) return;
      for (const int v : face->vertices) visit(X_BA_ * Vector3(face->all_vertices[v]), v);
    }
  }

 private:
  const FaceView* face_towards(const Vector3& n, FaceStore& store, double& cosine) const {
    const Vector3 down = -(X_AB_.rotation * n);
    if constexpr (std::is_same_v<G, ConvexHull>) {
      const int vertex = core_.support(down, 0);
      store.view = face_view(shape_, shape_.faces()[best_face(shape_, down, &vertex, 1, -1, cosine)]);
      return &store.view;
    } else {
      return face_along(shape_, down, store, cosine);
    }
  }

  int clip_to_polygon(const FaceView& face, const Vector3& from, const Vector3& to, const Vector3& n,
                      EdgePoint out[2]) const {
    const Vector3 a = X_AB_ * from - face.origin, b = X_AB_ * to - face.origin;
    const Vector2 p(a.dot(face.tangent_1), a.dot(face.tangent_2)), q(b.dot(face.tangent_1), b.dot(face.tangent_2));
    double first = 0.0, last = 1.0;
    std::uint64_t name_first = 0, name_last = 0;
    const std::size_t size = face.points.size();
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t j = k > 0 ? k - 1 : size - 1;
      const Vector2 side = face.points[k] - face.points[j];
      const auto inside = [&](const Vector2& x) {
        return side.x() * (x.y() - face.points[j].y()) - side.y() * (x.x() - face.points[j].x());
      };
      const double at_p = inside(p), at_q = inside(q), slack = 1e-9 * side.norm();
      if (at_p < -slack && at_q < -slack) return 0;
      if (at_p >= -slack && at_q >= -slack) continue;
      const double t = at_p / (at_p - at_q);
      const std::uint64_t name = 1 + edge_bits(face.vertices[j], face.vertices[k]);
      if (at_p < at_q && t > first) first = t, name_first = name;
      if (at_p > at_q && t < last) last = t, name_last = name;
    }
    if (first > last) return 0;
    const double cosine = -(X_AB_.rotation * n).dot(face.normal);
    const double low = a.dot(face.normal) / cosine, high = b.dot(face.normal) / cosine;
    out[0] = {first, low + first * (high - low), name_first};
    if (!((last - first) * (to - from).norm() > same_point)) return 1;
    out[1] = {last, low + last * (high - low), name_last};
    return 2;
  }

  int clip_to_line(const FaceView& line, const Vector3& from, const Vector3& to, const Vector3& n,
                   EdgePoint out[2]) const {
    const Vector3 a = X_BA_ * Vector3(line.all_vertices[line.vertices[0]]);
    const Vector3 b = X_BA_ * Vector3(line.all_vertices[line.vertices[1]]);
    const Vector3 e = to - from;
    const double length2 = e.squaredNorm(), at_a = (a - from).dot(e) / length2, at_b = (b - from).dot(e) / length2;
    const double way = std::abs(at_b - at_a), line_length = (b - a).norm();
    if (!(line_length > same_point)) return 0;
    if (!(way * std::sqrt(length2) >= cos_face * line_length)) return cross_line(a, b, from, e, n, out);
    double first = std::max(0.0, std::min(at_a, at_b)), last = std::min(1.0, std::max(at_a, at_b));
    // How far the line is beside the edge, as seen along n: at most a tenth of the radius, which lifts the surface a
    // little.
    const Vector3 beside = e.cross(n).normalized();
    const double round = detail::round_radius(shape_), limit = 0.1 * round;
    const double drift = beside.dot(b - a) / (at_b - at_a), start = beside.dot(a - from) - drift * at_a;
    if (std::abs(drift) > 1e-12) {
      const double low = (-limit - start) / drift, high = (limit - start) / drift;
      first = std::max(first, std::min(low, high)), last = std::min(last, std::max(low, high));
    } else if (std::abs(start) > limit) {
      return 0;
    }
    if (first > last) return 0;
    const auto point = [&](double t) {
      const Vector3 on_line = a + ((t - at_a) / (at_b - at_a)) * (b - a);
      const std::uint64_t name = t == at_a ? 1 : t == at_b ? 2 : 0;
      const double off = start + drift * t, lift = round - std::sqrt(std::max(round * round - off * off, 0.0));
      return EdgePoint{t, n.dot(on_line - (from + t * e)) - radius_ + lift, name};
    };
    out[0] = point(first);
    if (!((last - first) * std::sqrt(length2) > same_point)) return 1;
    out[1] = point(last);
    return 2;
  }

  // Where an edge of a polytope that is level to 0.02 rad crosses the edge: turned by that to both sides, the lowest
  // points lie to both sides of it.
  int cross_lowest(const Vector3& from, const Vector3& to, const Vector3& n, EdgePoint out[2]) const {
    const Vector3 e = to - from, across = e.cross(n).normalized();
    const Vector3 p = lowest_along((n - 0.02 * across).normalized()),
                  q = lowest_along((n + 0.02 * across).normalized());
    const double at_p = across.dot(p - from), at_q = across.dot(q - from);
    if (!(at_p * at_q < 0.0)) return 0;
    const Vector3 above = p + (at_p / (at_p - at_q)) * (q - p);
    const double along = (above - from).dot(e) / e.squaredNorm();
    if (!(along >= 0.0 && along <= 1.0)) return 0;
    out[0] = {along, n.dot(above - from), 4};
    return 1;
  }

  // Where the line from a to b, within 5° of level, crosses the edge as seen along n.
  int cross_line(const Vector3& a, const Vector3& b, const Vector3& from, const Vector3& e, const Vector3& n,
                 EdgePoint out[2]) const {
    const Vector3 line = b - a, across = e.cross(n);
    const double rate = across.dot(line);
    if (n.dot(line) * n.dot(line) > (1.0 - cos_face * cos_face) * line.squaredNorm()) return 0;
    const double on_line = across.dot(from - a) / rate;
    if (!(on_line >= 0.0 && on_line <= 1.0)) return 0;
    const Vector3 above = a + on_line * line;
    const double along = (above - from).dot(e) / e.squaredNorm();
    if (!(along >= 0.0 && along <= 1.0)) return 0;
    out[0] = {along, n.dot(above - from) - radius_, 3};
    return 1;
  }

  static constexpr double same_point = 1e-7;  // m
  const G& shape_;
  Core core_;
  Pose X_BA_, X_AB_;
  double radius_ = 0.0;
  mutable Key hint_{};  // where the next climb over a hull begins
};

}  // namespace stiction
