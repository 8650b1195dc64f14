#include "stiction/collision/terrain/terrain_ways.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/terrain/terrain_faces.h"

namespace stiction {

namespace {

using namespace detail;

constexpr double cone_sine = 1e-6;  // normals may lean this far out of the cone of their feature: rounding
constexpr double on_end = 1e-9;     // of an edge's length

bool is_sharp(EdgeKind kind) {
  return kind == EdgeKind::convex || kind == EdgeKind::border;
}

template <class G, class Terrain>
class WayFinder : private FaceFinder<G, Terrain> {
  using Base = FaceFinder<G, Terrain>;
  using Base::add_point, Base::add_way, Base::drop_if_empty, Base::is_field;
  using Base::q_, Base::terrain_, Base::probe_, Base::s_, Base::lowest_middle_;

 public:
  using Base::Base;

  void run() {
    s_.near.clear(), s_.near_number.clear(), s_.edges.clear(), s_.corners_seen.clear();
    s_.ways.clear(), s_.found.clear();
    this->gather();
    this->find_faces();
    find_edges();
    drop_false_ways();
  }

 private:
  void find_edges() {
    for (int i = 0; i < static_cast<int>(s_.near.size()); ++i)
      for (int k = 0; k < 3; ++k)
        if (is_sharp(s_.near[i].kind[k])) s_.edges.push_back({s_.near[i].edge[k], i, k});
    std::sort(s_.edges.begin(), s_.edges.end(), [](const TerrainScratch::Edge& a, const TerrainScratch::Edge& b) {
      return a.number != b.number ? a.number < b.number : a.triangle < b.triangle;
    });
    int last = -1;
    for (const TerrainScratch::Edge& e : s_.edges) {
      if (e.number == last) continue;
      last = e.number;
      find_edge(e);
    }
  }

  void find_edge(const TerrainScratch::Edge& e) {
    const TerrainTriangle& t = s_.near[e.triangle];
    const SupportSpan span{{t.corner[e.k], t.corner[(e.k + 1) % 3]}};
    const Vector3 along = span.ends[1] - span.ends[0];
    const double length2 = along.squaredNorm();
    const double foot = std::clamp((q_.center - span.ends[0]).dot(along) / length2, 0.0, 1.0);
    const double reach = q_.radius + q_.margin;
    if (!((q_.center - span.ends[0] - foot * along).squaredNorm() <= reach * reach)) return;
    const ProbeResult apart = probe_.distance_to(span);
    if (apart.is_apart) {
      if (!(apart.gap <= q_.margin)) {
        find_tip(e, span);
        return;
      }
      // The nearest point is inside the edge where the normal is across it.
      const double lean = apart.normal.dot(along) / std::sqrt(length2);
      if (std::abs(lean) <= cone_sine) {
        if (is_in_cone(t, e.k, apart.at, apart.normal))
          take_edge(e, span, apart, (apart.at - span.ends[0]).dot(along) / length2);
        else
          find_beside_edge(e, span, apart.normal);
      } else {
        take_corner(e.triangle, lean < 0.0 ? e.k : (e.k + 1) % 3, apart);
        find_beside_edge(e, span, apart.normal);
      }
      return;
    }
    find_overlapping_edge(e, span);
    find_corner(e.triangle, e.k);
    find_corner(e.triangle, (e.k + 1) % 3);
  }

  // Whether n is in the cone of edge k: the surface on both sides lies below.
  bool is_in_cone(const TerrainTriangle& t, int k, const Vector3& at, const Vector3& n) const {
    const Vector3 along = (t.corner[(k + 1) % 3] - t.corner[k]).normalized();
    const auto is_below = [&](const Vector3& p) {
      const Vector3 aside = p - at - along.dot(p - at) * along;
      return n.dot(aside) <= cone_sine * aside.norm() + 1e-12;
    };
    if (!(std::max(n.dot(t.normal), n.dot(t.across[k])) > 0.0)) return false;
    if (!(n.dot(q_.center - at) >= lowest_middle_)) return false;
    if (t.kind[k] == EdgeKind::border) {
      // Open: from the face's normal to outward along the face, or level where the solid goes down.
      if (!(n.dot(is_field ? Vector3(Vector3::UnitZ()) : t.normal) > -cone_sine)) return false;
      return is_below(t.corner[(k + 2) % 3]);
    }
    return is_below(t.corner[(k + 2) % 3]) && is_below(t.beyond[k]);
  }
  bool is_in_cone(const TerrainTriangle& t, int k, const TerrainFan& fan, const Vector3& n) const {
    const Vector3& v = t.corner[k];
    if (!(n.dot(q_.center - v) >= lowest_middle_)) return false;
    double most = -1.0;
    for (int i = 0; i < fan.size; ++i) {
      if (!(n.dot(fan.corner[i] - v) <= cone_sine * (fan.corner[i] - v).norm() + 1e-12)) return false;
      most = std::max(most, n.dot(fan.normal[i]));
    }
    if (is_field && !(n.z() > -cone_sine)) return false;
    return most > 0.0;
  }

  void take_edge(const TerrainScratch::Edge& e, const SupportSpan& span, const ProbeResult& r, double s) {
    EdgePoint clipped[2];
    const int size = probe_.clip_edge(span.ends[0], span.ends[1], r.normal, clipped);
    const bool is_inside = s >= -on_end && s <= 1.0 + on_end;
    if (size == 0 && !is_inside) return;
    TerrainWay& way = add_way(WayKind::edge, e.number, e.triangle, e.k, r.normal, span.ends[0], r.gap);
    const double least = add_edge_points(way, e, span, clipped, size);
    if (is_inside && least > r.gap + 1e-9)
      add_point(way, r.at + (0.5 * r.gap) * r.normal, r.gap, terrain_feature(edge_kind, 0, e.number));
    drop_if_empty();
  }

  // The nearest point of an edge is its end.
  void take_corner(int triangle, int k, const ProbeResult& r) {
    const TerrainTriangle& t = s_.near[triangle];
    if (t.vertex[k] < 0) return;  // of a side: its top is a corner of the surface
    TerrainFan fan;
    get_fan(terrain_, s_.near_number[triangle], k, fan);
    if (!is_in_cone(t, k, fan, r.normal)) return;
    TerrainWay& way = add_way(WayKind::corner, t.vertex[k], triangle, k, r.normal, t.corner[k], r.gap);
    add_point(way, r.at + (0.5 * r.gap) * r.normal, r.gap, terrain_feature(vertex_kind, 0, t.vertex[k]));
    drop_if_empty();
  }

  // The shape is apart from the edge, and something else of the terrain is nearer.
  void find_beside_edge(const TerrainScratch::Edge& e, const SupportSpan& span, const Vector3& n) {
    if (!find_tip(e, span)) add_edge_under_face(e, span, n);
  }
  // A tip of the shape below the edge, inside the terrain, however far from the edge.
  bool find_tip(const TerrainScratch::Edge& e, const SupportSpan& span) {
    if constexpr (TerrainProbe<G>::is_point) return false;
    const TerrainTriangle& t = s_.near[e.triangle];
    const std::size_t num_ways = s_.ways.size();
    // Of spheres and capsules the core: outside, the shortest distance of the core is all there is.
    const double low = -probe_.core_radius();
    if (!(probe_.height_over(span.ends[0], t.normal) < low)) return false;
    if (!(probe_.height_over(span.ends[0], t.across[e.k]) < low) || !find_overlapping_edge(e, span)) return false;
    if (s_.ways.size() > num_ways) s_.ways.back().is_tip = true;
    return true;
  }

  // Something else is nearest, and the edge runs under a face of the shape that is within 5° of n: points of it, with
  // the normal of the edge's cone that is next to n.
  void add_edge_under_face(const TerrainScratch::Edge& e, const SupportSpan& span, const Vector3& n) {
    const TerrainTriangle& t = s_.near[e.triangle];
    const Vector3 along = span.ends[1] - span.ends[0], unit = along.normalized();
    Vector3 next = (n - n.dot(unit) * unit).normalized();
    const Vector3 at = span.ends[0] + 0.5 * along;
    if (!is_in_cone(t, e.k, at, next)) next = next.dot(t.normal) > next.dot(t.across[e.k]) ? t.normal : t.across[e.k];
    EdgePoint clipped[2];
    if (!(next.dot(n) >= cos_face) || !is_in_cone(t, e.k, at, next)) return;
    const int size = probe_.clip_edge(span.ends[0], span.ends[1], next, clipped);
    if (size == 0) return;
    TerrainWay& way =
        add_way(WayKind::edge, e.number, e.triangle, e.k, next, span.ends[0], probe_.height_over(span.ends[0], next));
    add_edge_points(way, e, span, clipped, size);
    drop_if_empty();
  }

  // Returns the least gap.
  double add_edge_points(TerrainWay& way, const TerrainScratch::Edge& e, const SupportSpan& span, EdgePoint* clipped,
                         int size) {
    const TerrainTriangle& t = s_.near[e.triangle];
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < size; ++i) {
      const double along = clipped[i].along;
      const double gap =
          std::max(clipped[i].gap, way.gap);  // faces lean up to 5°: no point is deeper than the shape is
      const int end = along < 0.5 ? e.k : (e.k + 1) % 3;
      const bool is_end = (along == 0.0 || along == 1.0) && t.vertex[end] >= 0;
      least = std::min(least, gap);
      add_point(way, span.ends[0] + along * (span.ends[1] - span.ends[0]) + (0.5 * gap) * way.normal, gap,
                is_end ? terrain_feature(vertex_kind, 0, t.vertex[end])
                       : terrain_feature(edge_kind, clipped[i].of_shape, e.number));
    }
    return least;
  }

  // The core overlaps the edge. Between the normals of the two faces the separation from the edge's line is a function
  // of one angle; its local maxima are sought. (Not against the edge itself: a piece of a longer edge must not be left
  // over its ends.)
  bool find_overlapping_edge(const TerrainScratch::Edge& e, const SupportSpan& span) {
    const TerrainTriangle& t = s_.near[e.triangle];
    const Vector3& first = t.normal;
    const Vector3 along = span.ends[1] - span.ends[0], beside = along.normalized().cross(first);
    const double angle = std::atan2(beside.dot(t.across[e.k]), first.dot(t.across[e.k]));
    const auto direction = [&](double x) {
      return Vector3(std::cos(x * angle) * first + std::sin(x * angle) * beside);
    };
    const auto separation = [&](double x) { return probe_.height_over(span.ends[0], direction(x)); };
    ProbeResult best;
    double best_s = 0.0;
    bool is_found = false;
    const auto consider = [&](double x) {
      ProbeResult r;
      r.normal = direction(x), r.gap = separation(x);
      if (!(r.gap <= q_.margin) || (is_found && !(r.gap > best.gap))) return;
      double s = -1.0;
      if (!is_touched(span, along, angle, x, direction, s)) return;
      if (!is_in_cone(t, e.k, span.ends[0] + 0.5 * along, r.normal)) return;
      r.at = span.ends[0] + s * along;
      best = r, best_s = s, is_found = true;
    };
    find_maxima(separation, angle, consider);
    if constexpr (std::is_same_v<G, Box>) {
      // Overlapping, maxima are where the edge crosses one of the box's edges: none of them is missed.
      for (int i = 0; i < 3; ++i)
        for (const double sign : {-1.0, 1.0}) {
          const Vector3 n = sign * along.cross(q_.X_BA.rotation.col(i));
          const double x = std::atan2(beside.dot(n), first.dot(n)) / angle;
          if (n.norm() > 1e-6 * along.norm() && x > 0.0 && x < 1.0 && is_maximum(separation, x)) consider(x);
        }
    }
    if (is_found) take_edge(e, span, best, best_s);
    return is_found;
  }

  template <class F>
  static bool is_maximum(const F& f, double x) {
    const double value = f(x);
    return value < 0.0 && f(x - 1e-6) < value && f(x + 1e-6) < value;
  }

  // Calls visit(x) for the local maxima of f over 0 … 1, an angle in all.
  template <class F, class Visit>
  static void find_maxima(const F& f, double angle, const Visit& visit) {
    constexpr bool is_hull = std::is_same_v<G, ConvexHull>;  // has many edges, and as many maxima
    constexpr int max_starts = is_hull ? 33 : 17;
    constexpr double spacing = is_hull ? 0.05 : 0.1;  // rad
    const int last = std::clamp(static_cast<int>(std::abs(angle) / spacing) + 1, 2, max_starts - 1);
    double value[max_starts];
    for (int i = 0; i <= last; ++i) value[i] = f(static_cast<double>(i) / last);
    for (int i = 0; i <= last; ++i) {
      if ((i > 0 && value[i] < value[i - 1]) || (i < last && value[i] <= value[i + 1])) continue;
      visit(find_maximum(f, std::max(i - 1, 0) / static_cast<double>(last),
                         std::min(i + 1, last) / static_cast<double>(last)));
    }
  }

  // The best of a few samples, then golden section beside it; the ends count.
  template <class F>
  static double find_maximum(const F& f, double low, double high) {
    constexpr double share = 0.38196601125010515;
    constexpr int samples = 8;
    const double ends[2] = {low, high}, step = (high - low) / samples;
    double at = low, most = -std::numeric_limits<double>::infinity();
    for (int i = 0; i <= samples; ++i) {
      const double value = f(ends[0] + i * step);
      if (value > most) most = value, at = ends[0] + i * step;
    }
    low = std::max(at - step, ends[0]), high = std::min(at + step, ends[1]);
    double x = low + share * (high - low), y = high - share * (high - low), fx = f(x), fy = f(y);
    for (int i = 0; i < 38; ++i) {
      if (fx >= fy) {
        high = y, y = x, fy = fx;
        x = low + share * (high - low), fx = f(x);
      } else {
        low = x, x = y, fx = fy;
        y = high - share * (high - low), fy = f(y);
      }
    }
    double best = 0.5 * (low + high), value = f(best);
    for (const double end : ends)
      if (f(end) >= value) best = end, value = f(end);
    return best;
  }

  // Whether the shape is lowest over the edge itself, along direction(x); s: where, 0 … 1. To both sides of the best
  // angle the lowest point lies to either side of the edge; between them it is over the edge. At the ends of the angle
  // it is a face that is touched, of which only the part over the edge counts.
  template <class Direction>
  bool is_touched(const SupportSpan& span, const Vector3& along, double angle, double x, const Direction& direction,
                  double& s) const {
    constexpr double step = 1e-7;
    EdgePoint clipped[2];
    const bool is_under_face = probe_.clip_edge(span.ends[0], span.ends[1], direction(x), clipped) > 0;
    if (x == 0.0 || x == 1.0) return is_under_face;
    const Vector3 across = along.normalized().cross(direction(x));
    const Vector3 p = probe_.lowest_along(direction(x - step / std::abs(angle)));
    const Vector3 q = probe_.lowest_along(direction(x + step / std::abs(angle)));
    const double at_p = across.dot(p - span.ends[0]), at_q = across.dot(q - span.ends[0]);
    const double share = at_p * at_q < 0.0 ? at_p / (at_p - at_q) : 0.5;
    s = (p + share * (q - p) - span.ends[0]).dot(along) / along.squaredNorm();
    return is_under_face || (s >= -on_end && s <= 1.0 + on_end);
  }

  // A corner inside the shape.
  void find_corner(int triangle, int k) {
    const TerrainTriangle& t = s_.near[triangle];
    if (t.vertex[k] < 0) return;
    for (const int seen : s_.corners_seen)
      if (seen == t.vertex[k]) return;
    s_.corners_seen.push_back(t.vertex[k]);
    const SupportSpan point{{t.corner[k], t.corner[k]}};
    if (probe_.distance_to(point).is_apart) return;
    TerrainFan fan;
    get_fan(terrain_, s_.near_number[triangle], k, fan);
    ProbeResult best;
    bool is_found = false;
    const auto take = [&](const Vector3& n, double gap) {
      if (!(gap <= q_.margin) || (is_found && !(gap > best.gap)) || !is_in_cone(t, k, fan, n)) return;
      best.normal = n, best.gap = gap, is_found = true;
    };
    Vector3 mean = Vector3::Zero();
    for (int i = 0; i < fan.size; ++i) mean += fan.normal[i];
    const auto start_from = [&](const Vector3& start) {
      ProbeResult r;
      if (!probe_.separate(point, start, r)) return;
      if constexpr (TerrainProbe<G>::is_smooth) climb(t, k, fan, r);
      take(r.normal, r.gap);
    };
    if (mean.norm() > 1e-3) start_from(mean.normalized());
    for (int i = 0; i < fan.size; i += 2)
      if (i == 0 || fan.normal[i].dot(fan.normal[i - 1]) < 0.999) start_from(fan.normal[i]);
    probe_.for_each_face(t.corner[k], take);
    if (!is_found) return;
    TerrainWay& way = add_way(WayKind::corner, t.vertex[k], triangle, k, best.normal, t.corner[k], best.gap);
    add_point(way, t.corner[k] + (0.5 * best.gap) * best.normal, best.gap,
              terrain_feature(vertex_kind, 0, t.vertex[k]));
    drop_if_empty();
  }

  // Round shapes: a search in the cone of the corner, with steps that halve.
  void climb(const TerrainTriangle& t, int k, const TerrainFan& fan, ProbeResult& r) const {
    for (double step = 0.1; step > 1e-8;) {
      const Vector3 a =
          (std::abs(r.normal.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(r.normal).normalized();
      const Vector3 b = r.normal.cross(a);
      bool is_better = false;
      for (const Vector3& d : {a, Vector3(-a), b, Vector3(-b)}) {
        const Vector3 n = (r.normal + step * d).normalized();
        const double gap = probe_.height_over(t.corner[k], n);
        if (!(gap > r.gap) || !is_in_cone(t, k, fan, n)) continue;
        r.gap = gap, r.normal = n, is_better = true;
      }
      if (!is_better) step *= 0.5;
    }
  }

  // A way with points `depth` below demands of a motion u that n·u ≥ depth. It is false where the shape leaves the
  // feature on a shorter way that does not do so: where another way c′, of which u = −gap′ n′, leads out of this
  // feature, too. So a box beside a cube, a little over its side, is not lifted on top of it; and a ball in a valley
  // keeps both slopes, as no one way leads out of the other.
  void drop_false_ways() {
    if (s_.ways.size() < 2 && s_.edges.empty()) return;
    std::sort(s_.ways.begin(), s_.ways.end(), [](const TerrainWay& a, const TerrainWay& b) {
      if (a.gap != b.gap) return a.gap > b.gap;
      return a.kind != b.kind ? a.kind < b.kind : a.number < b.number;
    });
    const double slack = 1e-9 + 1e-7 * q_.radius;
    int num_true = 0;
    for (TerrainWay& c : s_.ways) {
      if (c.depth > slack) {
        c.is_false = !is_overlapping(c, slack);
        for (const TerrainWay& other : s_.ways) {
          if (c.is_false || &other == &c) break;
          if (other.is_false) continue;
          const double way_out = std::max(-other.gap, 0.0);
          if (way_out * c.normal.dot(other.normal) >= c.depth - slack) continue;
          c.is_false = leads_out_of(other, way_out, c, slack);
        }
      }
      num_true += !c.is_false;
    }
    if (is_field && num_true == 0) rescue();
  }

  // Wholly below the surface of a height field: the shortest way is true.
  void rescue() {
    if constexpr (is_field) {
      const bool is_inside =
          std::abs(q_.center.x()) <= -terrain_.left() && std::abs(q_.center.y()) <= -terrain_.front();
      if (s_.ways.empty() || !is_inside) return;
      if (!(q_.center.z() < terrain_.height_at(q_.center.x(), q_.center.y()))) return;
      s_.ways.front().is_false = false;
    }
  }

  SupportTriangle triangle(int i) const {
    const TerrainTriangle& t = s_.near[i];
    return {{t.corner[0], t.corner[1], t.corner[2]}};
  }
  bool overlaps_region(int region, double slack) const {
    for (std::size_t i = 0; i < s_.near.size(); ++i)
      if (s_.near[i].region == region && !probe_.is_free_of(triangle(static_cast<int>(i)), Vector3::Zero(), slack))
        return true;
    return false;
  }
  // Whether the shape overlaps the face; other edges and corners were found by overlapping.
  bool is_overlapping(const TerrainWay& c, double slack) const {
    if (c.is_tip) {
      for (const TerrainScratch::Edge& e : s_.edges)
        if (e.number == c.number && overlaps_region(s_.near[e.triangle].region, slack)) return true;
      // The sides of a height field have no part in its border edges.
      for (int side = 0; is_field && side < 4; ++side)
        if (overlaps_region(terrain_.num_triangles() + side, slack)) return true;
      return false;
    }
    if (c.kind != WayKind::face) return true;
    const int n = static_cast<int>(s_.near.size());
    const double middle = c.normal.dot(q_.center - c.at);
    for (int p = c.first; p < c.last && middle > 0.0; ++p) {
      // The line from the point to the middle is in the shape. Where it crosses the face they overlap.
      const double height = 0.5 * s_.found[p].gap;
      if (!(height < 0.0)) continue;
      const Vector3 low = s_.found[p].position + height * c.normal;
      const Vector3 crossing = low + (-2.0 * height / (middle - 2.0 * height)) * (q_.center - low);
      for (int i = c.triangle; i < n && s_.near[i].region == c.number; ++i)
        if (barycentric(s_.near[i], crossing).minCoeff() >= 0.0) return true;
    }
    return overlaps_region(c.number, slack);
  }

  // Whether the shape, moved by `way_out` along the other way, no longer overlaps the feature of c. Where all of the
  // feature is below the plane that the shape is then above, this is plain.
  bool leads_out_of(const TerrainWay& other, double way_out, const TerrainWay& c, double slack) const {
    const Vector3 u = (way_out + slack) * other.normal;
    const auto is_below = [&](const Vector3& p) { return other.normal.dot(p - other.at) <= slack; };
    const TerrainTriangle& t = s_.near[c.triangle];
    if (c.kind == WayKind::corner) {
      return is_below(t.corner[c.k]) || probe_.is_free_of({{t.corner[c.k], t.corner[c.k], t.corner[c.k]}}, u, slack);
    }
    if (c.kind == WayKind::edge) {
      const Vector3 &p = t.corner[c.k], &q = t.corner[(c.k + 1) % 3];
      return (is_below(p) && is_below(q)) || probe_.is_free_of({{p, q, q}}, u, slack);
    }
    const int n = static_cast<int>(s_.near.size());
    for (int i = c.triangle; i < n && s_.near[i].region == c.number; ++i) {
      const TerrainTriangle& f = s_.near[i];
      if (is_below(f.corner[0]) && is_below(f.corner[1]) && is_below(f.corner[2])) continue;
      if (!probe_.is_free_of(triangle(i), u, slack)) return false;
    }
    return true;
  }
};

template <class Terrain>
void find_ways_on(const TerrainQuery& query, const Terrain& terrain, TerrainScratch& s) {
  std::visit(
      [&](const auto& g) {
        using G = std::decay_t<decltype(g)>;
        if constexpr (std::is_same_v<G, std::shared_ptr<const ConvexHull>>)
          WayFinder<ConvexHull, Terrain>(query, *g, terrain, s).run();
        else if constexpr (std::is_same_v<G, Sphere> || std::is_same_v<G, Capsule> || std::is_same_v<G, Cylinder> ||
                           std::is_same_v<G, Ellipsoid> || std::is_same_v<G, Box>)
          WayFinder<G, Terrain>(query, g, terrain, s).run();
      },
      query.shape.geometry);
}

}  // namespace

void find_ways(const TerrainQuery& query, const TriangleMesh& mesh, TerrainScratch& s) {
  find_ways_on(query, mesh, s);
}
void find_ways(const TerrainQuery& query, const HeightField& field, TerrainScratch& s) {
  find_ways_on(query, field, s);
}

}  // namespace stiction
