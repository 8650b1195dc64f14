#include "stiction/collision/convex/hull_pair.h"

#include <algorithm>
#include <cmath>

#include "stiction/collision/convex/convex_gap.h"
#include "stiction/collision/convex/hull_faces.h"
#include "stiction/collision/manifold/feature.h"
#include "stiction/collision/manifold/reduce.h"

namespace stiction {
namespace {

using HullKeys = SimplexKeys<int, int>;
using HullGap = ConvexGap<SupportHull, SupportHull>;

constexpr double sphere_slack = 0.02;  // m; spheres are believed only where the pair can then sleep for long
constexpr double axis_share = 0.3;     // of the last distance that a kept axis must still prove
// A face this flat, times the radius of the hull, answers for the distance without GJK, and as sharply.
constexpr double exact_flatness = 1e-13;
constexpr double least_sine = 1e-3;  // between two edges of a triangle whose normal is sharp to 1e-13

struct HullPair {
  const ConvexHull &a, &b;
  Pose X_AB;
};

Vector3 axis_of(const HullPairCache& cache) {
  return {cache.axis[0], cache.axis[1], cache.axis[2]};
}

// L2: the axis of the last exact distance still separates.
double separation_of_kept_axis(const HullPair& pair, HullPairCache& cache) {
  return separation_along(SupportHull{pair.a}, SupportHull{pair.b}, pair.X_AB, axis_of(cache), cache.support_a,
                          cache.support_b);
}

// Whether a point below a face is inside the hull: by the neighbours of the face, where it is not deep, else by all.
bool is_inside(const ConvexHull& hull, const ConvexHull::Face& face, const Vector3& p, bool is_deep) {
  const auto faces = hull.faces();
  auto is_below = [&](const ConvexHull::Face& f) { return f.normal.dot(p) <= f.offset; };
  if (is_deep) return std::all_of(faces.begin(), faces.end(), is_below);
  for (int v : hull.face_vertices(face)) {
    for (int f : hull.faces_of(v)) {
      if (!is_below(faces[f])) return false;
    }
  }
  return true;
}

// L4 (i): the deepest vertex of one hull lies over the last reference face of the other, so that the gap is its height.
bool find_gap_by_last_face(const HullPair& pair, const HullPairCache& cache, HullGap& out) {
  if (cache.points.reference == Reference::none) return false;
  const bool is_a = cache.points.reference == Reference::a;
  const ConvexHull& hull = is_a ? pair.a : pair.b;
  const ConvexHull::Face& face = hull.faces()[(is_a ? cache.face_a : cache.face_b) - 1];
  if (face.flatness > exact_flatness * hull.radius()) return false;
  const Matrix3& R = pair.X_AB.rotation;
  Vector3 p;  // the deepest vertex in the frame of the face's hull
  int vertex;
  if (is_a) {
    vertex = pair.b.support(-(R.transpose() * face.normal), cache.support_b);
    p = pair.X_AB * pair.b.vertex(vertex);
  } else {
    vertex = pair.a.support(-(R * face.normal), cache.support_a);
    p = R.transpose() * (pair.a.vertex(vertex) - pair.X_AB.position);
  }
  const Vector3 from_origin = p - face.origin;
  const double x = from_origin.dot(face.tangent_1), y = from_origin.dot(face.tangent_2);
  const auto corners = hull.face_points(face);
  const Vector2* previous = &corners.back();
  for (const Vector2& corner : corners) {
    const double ex = corner.x() - previous->x(), ey = corner.y() - previous->y();
    if (!(ex * (y - previous->y()) - ey * (x - previous->x()) >= 0.0)) return false;
    previous = &corner;
  }
  out.gap = out.lower_bound = face.normal.dot(p) - face.offset;
  if (out.gap < 0.0) {
    // A local minimum of the depth: stays only while the overlap does not grow at once, and the vertex is inside.
    const double near = near_distance(pair.a.radius(), pair.b.radius());
    if (out.gap < -(1.5 * std::max(-cache.distance, 0.0) + near)) return false;
    if (!is_inside(hull, face, p, out.gap < -10.0 * near)) return false;
  }
  const int corner = hull.face_vertices(face)[0];
  out.keys.size = 1;
  out.keys.a[0] = is_a ? corner : vertex, out.keys.b[0] = is_a ? vertex : corner;
  out.normal = is_a ? face.normal : Vector3(-(R * face.normal));
  const Vector3 foot = is_a ? p - out.gap * face.normal : pair.a.vertex(vertex);
  out.point_a = foot;
  return true;
}

// L4 (i), for hulls of rounded numbers, whose large faces are not quite flat: the three vertex pairs of the last
// simplex span a triangle of A − B (a vertex over a face, two edges that cross). Where its plane still supports A − B
// and the foot of the origin lies within it, its distance from the origin is the gap: the least one where the hulls are
// apart, a local one in overlap. Overlap is proven by a tetrahedron of A − B around the origin.
bool find_gap_by_last_simplex(const HullPair& pair, const HullPairCache& cache, HullGap& out) {
  if (cache.simplex_size != 3) return false;
  const Matrix3& R = pair.X_AB.rotation;
  Vector3 w[3];
  for (int k = 0; k < 3; ++k) w[k] = pair.a.vertex(cache.simplex_a[k]) - pair.X_AB * pair.b.vertex(cache.simplex_b[k]);
  const Vector3 e1 = w[1] - w[0], e2 = w[2] - w[0], c = e1.cross(e2);
  const double cc = c.squaredNorm();
  if (!(cc > least_sine * least_sine * e1.squaredNorm() * e2.squaredNorm())) return false;  // too thin for its plane
  // Whether a point w₀ + d of the plane, d = x e₁ + y e₂, is inside.
  const auto is_within = [&](const Vector3& d, double& x, double& y) {
    x = d.cross(e2).dot(c) / cc, y = e1.cross(d).dot(c) / cc;
    return x > 0.0 && y > 0.0 && x + y < 1.0;
  };
  double x, y, ignored;
  if (!is_within(-w[0], x, y)) return false;
  const double side = c.dot(axis_of(cache));
  const Vector3 n = (side > 0.0 ? 1.0 : -1.0) / std::sqrt(cc) * c;
  if (!(side * side > 0.8 * cc)) return false;  // another face by now, if not the other side
  const double gap = -n.dot(w[0]);
  const int i = pair.a.support(n, cache.simplex_a[0]), j = pair.b.support(-(R.transpose() * n), cache.simplex_b[0]);
  const double true_gap = -n.dot(pair.a.vertex(i) - pair.X_AB * pair.b.vertex(j));
  if (!(true_gap >= gap - 1e-15 * (pair.a.radius() + pair.b.radius() + pair.X_AB.position.norm()))) return false;
  if (gap < 0.0) {
    const double near = near_distance(pair.a.radius(), pair.b.radius());
    if (gap < -(1.5 * std::max(-cache.distance, 0.0) + near)) return false;
    const Vector3 inner = pair.a.com() - pair.X_AB * pair.b.com();
    const double height = n.dot(inner);
    if (!(height < 0.0) || !is_within(-gap / height * inner - w[0], ignored, ignored)) return false;
  }
  out.gap = out.lower_bound = gap;
  out.normal = n;
  out.keys.size = 3;
  for (int k = 0; k < 3; ++k) out.keys.a[k] = cache.simplex_a[k], out.keys.b[k] = cache.simplex_b[k];
  const auto a = [&](int k) -> const Vector3& { return pair.a.vertex(cache.simplex_a[k]); };
  out.point_a = (1.0 - x - y) * a(0) + x * a(1) + y * a(2);
  return true;
}

void remember(const HullGap& found, HullPairCache& cache) {
  for (int k = 0; k < 3; ++k) cache.axis[k] = found.normal[k];
  cache.distance = found.gap;
  cache.simplex_size = found.keys.size;
  cache.support_a = found.keys.a[0], cache.support_b = found.keys.b[0];
  for (int k = 0; k < found.keys.size; ++k) {
    cache.simplex_a[k] = found.keys.a[k], cache.simplex_b[k] = found.keys.b[k];
  }
}

bool find_gap_of_hulls(const HullPair& pair, const HullPairCache& cache, HullGap& found) {
  HullKeys keys;
  keys.size = cache.simplex_size;
  for (int k = 0; k < 4; ++k) keys.a[k] = cache.simplex_a[k], keys.b[k] = cache.simplex_b[k];
  const GapMemory memory{axis_of(cache), cache.distance};
  return find_gap(SupportHull{pair.a}, SupportHull{pair.b}, pair.X_AB, memory, keys, found);
}

void report_points(const HullPair& pair, const Pose& X_WA, const HullGap& found, double margin, HullPairCache& cache,
                   Manifold& out) {
  TouchingPair touching;
  touching.X_WA = X_WA, touching.X_AB = pair.X_AB;
  touching.normal = found.normal, touching.gap = found.gap, touching.point_a = found.point_a;
  touching.margin = margin;
  touching.witness_feature = witness_feature(found.keys.size, found.keys.a, found.keys.b);
  const Vector3 n_B = pair.X_AB.rotation.transpose() * -found.normal;
  cache.face_a =
      1 + best_face(pair.a, found.normal, found.keys.a, found.keys.size, cache.face_a - 1, touching.cosine_a);
  cache.face_b = 1 + best_face(pair.b, n_B, found.keys.b, found.keys.size, cache.face_b - 1, touching.cosine_b);
  const FaceView face_a = face_view(pair.a, pair.a.faces()[cache.face_a - 1]);
  const FaceView face_b = face_view(pair.b, pair.b.faces()[cache.face_b - 1]);
  touching.face_a = &face_a, touching.face_b = &face_b;
  make_manifold(touching, cache.points, out);
}

}  // namespace

void forget_points(HullPairCache& cache) {
  cache.points = ManifoldMemory{};
  cache.face_a = cache.face_b = cache.is_touching = 0;
}

double collide_hulls(const ConvexHull& a, const Pose& X_WA, const ConvexHull& b, const Pose& X_WB, double margin,
                     HullPairCache& cache, Manifold& out) {
  out.clear();
  const double of_spheres = (X_WA * a.center() - X_WB * b.center()).norm() - a.radius() - b.radius();
  if (!std::isfinite(of_spheres)) return std::numeric_limits<double>::quiet_NaN();
  if (of_spheres > margin + sphere_slack) {
    if (cache.is_touching) forget_points(cache);
    return of_spheres;
  }
  const HullPair pair{
      a, b, {X_WA.rotation.transpose() * X_WB.rotation, X_WA.rotation.transpose() * (X_WB.position - X_WA.position)}};
  HullGap found;
  bool is_found = false;
  if (cache.is_touching) {
    is_found = find_gap_by_last_face(pair, cache, found) || find_gap_by_last_simplex(pair, cache, found);
  } else if (cache.simplex_size > 0) {
    const double bound = separation_of_kept_axis(pair, cache);
    if (bound > margin + axis_share * std::max(cache.distance - margin, 0.0)) return bound;
  }
  if (!is_found) is_found = find_gap_of_hulls(pair, cache, found);
  if (!is_found) return std::numeric_limits<double>::quiet_NaN();

  remember(found, cache);
  if (found.gap > margin) {
    if (cache.is_touching) forget_points(cache);
    return found.lower_bound;
  }
  cache.is_touching = 1;
  report_points(pair, X_WA, found, margin, cache, out);
  return found.gap;
}

namespace {

// Vertices with gap ≤ margin: they hang together, so the adjacency is flooded from the deepest.
int flood(const ConvexHull& hull, const Vector3& n, double height, double margin, int start, ContactCandidate* out,
          const Vector3& t1, const Vector3& t2) {
  std::uint64_t seen[ConvexHull::max_vertices / 64];
  std::fill_n(seen, (hull.num_vertices() + 63) / 64, std::uint64_t{0});
  int queue[max_clip_corners];
  int count = 0;
  auto visit = [&](int v) {
    if (seen[v / 64] >> (v % 64) & 1) return;
    seen[v / 64] |= std::uint64_t{1} << (v % 64);
    const Vector3& x = hull.vertex(v);
    const double gap = n.dot(x) + height;
    if (!(gap <= margin) || count == max_clip_corners) return;
    out[count] = {t1.dot(x), t2.dot(x), gap, feature_vertex_a(v)};
    queue[count++] = v;
  };
  visit(start);
  for (int next = 0; next < count; ++next) {
    for (int v : hull.neighbours(queue[next])) visit(v);
  }
  return count;
}

// Only what some face looks down at (60°), and what is as deep as the deepest, can touch before the hull has turned
// far: not the upper side of a thin one. Returns how many remain.
int drop_upper_side(const ConvexHull& hull, const Vector3& n, double limit, ContactCandidate* candidates, int size) {
  const auto faces = hull.faces();
  int kept = 0;
  for (int k = 0; k < size; ++k) {
    bool is_low = candidates[k].gap <= limit;
    if (!is_low) {
      for (int f : hull.faces_of(static_cast<int>(candidates[k].feature & 0x7fff))) {
        is_low = n.dot(faces[f].normal) < -0.5;
        if (is_low) break;
      }
    }
    if (is_low) candidates[kept++] = candidates[k];
  }
  return kept;
}

}  // namespace

double collide_hull_plane(const ConvexHull& a, const Pose& X_WA, const Vector3& normal, double offset, double margin,
                          HullPlaneCache& cache, Manifold& out) {
  out.clear();
  const double of_sphere = normal.dot(X_WA * a.center()) - offset - a.radius();
  if (!std::isfinite(of_sphere)) return std::numeric_limits<double>::quiet_NaN();
  if (of_sphere > margin + sphere_slack) {
    cache.points = ManifoldMemory{};
    return of_sphere;
  }
  const Vector3 n = X_WA.rotation.transpose() * normal;  // in A's frame
  const double height = normal.dot(X_WA.position) - offset;
  cache.vertex = a.support(-n, cache.vertex);
  const double gap = n.dot(a.vertex(cache.vertex)) + height;
  if (!(gap <= margin)) {
    cache.points = ManifoldMemory{};
    return gap;
  }
  const Vector3 t1 = (std::abs(n.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(n).normalized();
  ContactCandidate candidates[max_clip_corners];
  int size = flood(a, n, height, margin, cache.vertex, candidates, t1, n.cross(t1));
  // Where the centre of mass lies beyond the margin, all of these are on the lower side.
  if (size > 4 && n.dot(a.com()) + height <= margin)
    size = drop_upper_side(a, n, gap + gap_tolerance(margin), candidates, size);
  int index[4];
  const std::span<const std::uint64_t> old(cache.points.feature, static_cast<std::size_t>(cache.points.size));
  const int chosen = choose_points({candidates, static_cast<std::size_t>(size)}, margin, old, index);
  for (int k = 0; k < chosen; ++k) {
    const ContactCandidate& c = candidates[index[k]];
    const int v = static_cast<int>(c.feature & 0x7fff);
    out.add(X_WA * a.vertex(v) - (0.5 * c.gap) * normal, normal, c.gap, c.feature);
  }
  cache.points.size = chosen;
  for (int k = 0; k < 4; ++k) cache.points.feature[k] = k < chosen ? out.feature[k] : 0;
  return gap;
}

}  // namespace stiction
