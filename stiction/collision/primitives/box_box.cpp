#include "stiction/collision/primitives/box_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/convex/gjk.h"
#include "stiction/collision/convex/hull_faces.h"
#include "stiction/collision/manifold/feature.h"
#include "stiction/collision/manifold/line_contact.h"
#include "stiction/collision/manifold/reduce.h"
#include "stiction/collision/primitives/box_clip.h"
#include "stiction/collision/primitives/segment.h"
#include "stiction/math/pack.h"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double keep_reference = 1e-3;  // in cosine: what the other face must win by

Pack4 absolute(const Pack4& a) {
  using Bits = std::int64_t __attribute__((vector_size(32)));
  return reinterpret_cast<Pack4>(reinterpret_cast<Bits>(a) & std::numeric_limits<std::int64_t>::max());
}

// Both boxes in the frame of the first. Lanes run over axes; the fourth means nothing.
struct Pair {
  Pack4 row[3], column[3];  // of R_AB: axes of the second box are its columns
  Pack4 t;                  // centre of the second box
  Vector3 a, b;             // half sizes

  Vector3 column_vector(int j) const { return {column[j][0], column[j][1], column[j][2]}; }
  Vector3 to_second(const Vector3& v) const {  // R_ABᵀ v
    const Pack4 r = row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    return {r[0], r[1], r[2]};
  }
  Vector3 offset() const { return {t[0], t[1], t[2]}; }
};

void transpose(const Pack4 from[3], Pack4 to[3]) {
  const Pack4 low = __builtin_shufflevector(from[0], from[1], 0, 4, 1, 5);
  const Pack4 high = __builtin_shufflevector(from[0], from[1], 2, 6, 3, 7);
  to[0] = __builtin_shufflevector(low, from[2], 0, 1, 4, 7);
  to[1] = __builtin_shufflevector(low, from[2], 2, 3, 5, 7);
  to[2] = __builtin_shufflevector(high, from[2], 0, 1, 6, 7);
}

Pair relate(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB) {
  const Matrix3& rb = X_WB.rotation;
  // Columns, each with a number more, and of the last column the first three: it lies at the end of the matrix.
  const double* ra = X_WA.rotation.data();
  const Pack4 a_column[3] = {load4(ra), load4(ra + 3), Pack4{ra[6], ra[7], ra[8], 0.0}};
  Pack4 a_row[3];
  transpose(a_column, a_row);
  const Vector3 d = X_WB.position - X_WA.position;
  Pair pair;
  for (int i = 0; i < 3; ++i) pair.column[i] = a_row[0] * rb(0, i) + a_row[1] * rb(1, i) + a_row[2] * rb(2, i);
  transpose(pair.column, pair.row);
  pair.t = a_row[0] * d[0] + a_row[1] * d[1] + a_row[2] * d[2];
  pair.a = a.half_size, pair.b = b.half_size;
  return pair;
}

// The largest separation over a set of axes. n is the axis, from the first to the second box, in the first's frame.
struct Separation {
  double value = -infinity;
  Vector3 n = Vector3::UnitZ();
  int edge_a = -1, edge_b = -1;  // axes of the boxes whose edges cross; −1: a face's normal
};

double signed_like(double magnitude, double sign) {
  return sign < 0.0 ? -magnitude : magnitude;
}

int largest(const Pack4& s) {
  const int k = s[1] > s[0] ? 1 : 0;
  return s[2] > s[k] ? 2 : k;
}

int longest_axis(const Vector3& v) {
  const int k = std::abs(v[1]) > std::abs(v[0]) ? 1 : 0;
  return std::abs(v[2]) > std::abs(v[k]) ? 2 : k;
}

// Separation along any unit vector, exact to rounding.
double separation_along(const Pair& p, const Vector3& n) {
  const Vector3 m = p.to_second(n);
  double s = std::abs(n.dot(p.offset()));
  for (int k = 0; k < 3; ++k) s -= p.a[k] * std::abs(n[k]) + p.b[k] * std::abs(m[k]);
  return s;
}

// e_i × b_j, unit, from the first to the second box.
Vector3 edge_normal(const Pair& p, int i, int j) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  Vector3 n = Vector3::Zero();
  n[i1] = -p.column[j][i2], n[i2] = p.column[j][i1];
  n /= std::sqrt(n[i1] * n[i1] + n[i2] * n[i2]);
  return n.dot(p.offset()) < 0.0 ? Vector3(-n) : n;
}

// The nine cross products of edges, where they separate by more than `limit`. Nearly parallel ones lose their digits
// here and are left to `near_parallel_edges`.
Separation edge_axes(const Pair& p, double limit, double& least_sine2) {
  Separation best;
  best.value = limit;
  Pack4 smallest = broadcast4(1.0);
  const Pack4 b1{p.b[1], p.b[2], p.b[0], 0.0}, b2{p.b[2], p.b[0], p.b[1], 0.0};
  const Pack4 r[3] = {absolute(p.row[0]), absolute(p.row[1]), absolute(p.row[2])};
  // d / √sine² > limit without the root: x |x| keeps the order.
  const double limit2 = limit * std::abs(limit);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const Pack4 sine2 = p.row[i1] * p.row[i1] + p.row[i2] * p.row[i2];
    const Pack4 r1 = __builtin_shufflevector(r[i], r[i], 1, 2, 0, 3),
                r2 = __builtin_shufflevector(r[i], r[i], 2, 0, 1, 3);
    const Pack4 d =
        absolute(p.t[i2] * p.row[i1] - p.t[i1] * p.row[i2]) - p.a[i1] * r[i2] - p.a[i2] * r[i1] - b1 * r2 - b2 * r1;
    smallest = sine2 < smallest ? sine2 : smallest;
    const auto is_better = (d * absolute(d) > limit2 * sine2) & (sine2 > 1e-4);
    if ((is_better[0] | is_better[1] | is_better[2]) == 0) continue;
    for (int j = 0; j < 3; ++j)
      if (is_better[j] && d[j] / std::sqrt(sine2[j]) > best.value)
        best.value = d[j] / std::sqrt(sine2[j]), best.edge_a = i, best.edge_b = j;
  }
  least_sine2 = std::min({smallest[0], smallest[1], smallest[2]});
  if (best.edge_a >= 0) best.n = edge_normal(p, best.edge_a, best.edge_b);
  return best;
}

// Edges within 1e-2 of parallel cut a strip of width L sine off an edge of the Minkowski difference, so that they can
// win only where two face separations of a box are within that of zero.
void near_parallel_edges(const Pair& p, Separation& best) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double sine2 =
          p.row[(i + 1) % 3][j] * p.row[(i + 1) % 3][j] + p.row[(i + 2) % 3][j] * p.row[(i + 2) % 3][j];
      if (sine2 > 1e-4 || sine2 < 1e-24) continue;
      const Vector3 n = edge_normal(p, i, j);
      const double s = separation_along(p, n);
      if (s > best.value) best = {s, n, i, j};
    }
}

double norm_of_positive(const Pack4& s) {
  const Pack4 p = s > 0.0 ? s : s - s;
  return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

double second_largest(const Pack4& s) {
  const double low = std::min(s[0], s[1]), high = std::max(s[0], s[1]);
  return std::max(low, std::min(high, s[2]));
}

// A pair of closest points, in the first box's frame.
struct Witness {
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();
  std::uint64_t feature = 0;
  bool is_inside = false;  // of both edges
};

struct Edge {
  Vector3 middle, direction;
  double half_length = 0.0;
  int low = 0, high = 0;  // its vertices
};

// The edge along `axis` whose other coordinates have the signs of `bits`, in the box's own frame.
Edge edge_of(const Vector3& half, int axis, int bits) {
  Edge e;
  for (int k = 0; k < 3; ++k) e.middle[k] = k == axis ? 0.0 : (bits >> k & 1) ? half[k] : -half[k];
  e.direction = Vector3::Unit(axis), e.half_length = half[axis];
  e.low = bits & ~(1 << axis), e.high = bits | (1 << axis);
  return e;
}

int signs(const Vector3& v) {
  return (v[0] > 0.0 ? 1 : 0) | (v[1] > 0.0 ? 2 : 0) | (v[2] > 0.0 ? 4 : 0);
}

// Closest points of an edge of the first and an edge of the second box, and what they lie on.
Witness meet_edges(const Pair& p, const Edge& a, const Edge& b) {
  const Vector3 c0 = p.column_vector(0), c1 = p.column_vector(1), c2 = p.column_vector(2);
  const auto turn = [&](const Vector3& v) { return Vector3(v[0] * c0 + v[1] * c1 + v[2] * c2); };
  const Vector3 middle = turn(b.middle) + p.offset(), direction = turn(b.direction);
  const SegmentPair c = closest_on_segments(a.middle, a.direction, a.half_length, middle, direction, b.half_length);
  Witness w;
  w.on_a = a.middle + c.s * a.direction, w.on_b = middle + c.t * direction;
  const bool a_inside = std::abs(c.s) < a.half_length, b_inside = std::abs(c.t) < b.half_length;
  w.is_inside = a_inside && b_inside;
  const int va = c.s < 0.0 ? a.low : a.high, vb = c.t < 0.0 ? b.low : b.high;
  w.feature = feature_edges(a_inside ? edge_bits(a.low, a.high) : edge_bits(va, va),
                            b_inside ? edge_bits(b.low, b.high) : edge_bits(vb, vb));
  return w;
}

// What is needed to make the manifold of a touching pair.
struct Touch {
  const Pair& pair;
  const Box &a, &b;
  const Pose &X_WA, &X_WB;
  double margin;
  BoxPairMemory& memory;
  Manifold& out;
};

// Heights over a face that is some degrees off the normal are not the gap; they may be this far from it.
double face_tolerance(const Touch& c, double gap) {
  return gap_tolerance(c.margin) + 0.01 * std::abs(gap);
}

void add_points(const Touch& c, bool is_a, int axis, const BoxCandidates& candidates,
                std::span<const std::uint64_t> old) {
  const Pose& X = is_a ? c.X_WA : c.X_WB;
  const double half = (is_a ? c.a : c.b).half_size[axis < 0 ? ~axis : axis], sign = axis < 0 ? -1.0 : 1.0;
  const int k = axis < 0 ? ~axis : axis, u = (k + 1) % 3, v = (k + 2) % 3;
  const Vector3 outward = sign * X.rotation.col(k), normal = is_a ? Vector3(-outward) : outward;
  const Vector3 center = X.position + half * outward;
  int chosen[Manifold::max_points];
  const int size = choose_points({candidates.point, static_cast<std::size_t>(candidates.size)}, c.margin, old, chosen);
  for (int i = 0; i < size; ++i) {
    const ContactCandidate& q = candidates.point[chosen[i]];
    c.out.add(center + q.x * X.rotation.col(u) + q.y * X.rotation.col(v) + (0.5 * q.gap) * outward, normal, q.gap,
              q.feature);
  }
}

// Clips the face of one box against the face of the other that are nearest to the normal n; `gap`: the least. False
// where no face is near enough or nothing remains.
bool clip_faces(const Touch& c, const Vector3& n, double must_reach, double& gap) {
  const Vector3 m = -c.pair.to_second(n);  // towards the first box, in the second's frame
  const int ka = longest_axis(n), kb = longest_axis(m);
  const double cosine_a = std::abs(n[ka]), cosine_b = std::abs(m[kb]);
  if (std::max(cosine_a, cosine_b) < cos_face) return false;
  const auto face_size = [](const Box& box, int k) {
    return box.half_size[(k + 1) % 3] * box.half_size[(k + 1) % 3] +
           box.half_size[(k + 2) % 3] * box.half_size[(k + 2) % 3];
  };
  bool is_a = cosine_a >= cosine_b;
  if (std::min(cosine_a, cosine_b) > cos_flush)
    is_a = face_size(c.a, ka) >= face_size(c.b, kb);
  else if (c.memory.reference == Reference::a && cosine_a > cos_face)
    is_a = cosine_b - cosine_a < keep_reference;
  else if (c.memory.reference == Reference::b && cosine_b > cos_face)
    is_a = cosine_a - cosine_b >= keep_reference;

  BoxFaces faces;
  faces.reference_is_first = is_a;
  if (is_a) {
    for (int j = 0; j < 3; ++j) faces.R.col(j) = c.pair.column_vector(j);
    faces.t = c.pair.offset();
    faces.half_reference = c.a.half_size, faces.half_incident = c.b.half_size;
    faces.axis_reference = n[ka] < 0.0 ? ~ka : ka, faces.axis_incident = m[kb] < 0.0 ? ~kb : kb;
  } else {
    for (int j = 0; j < 3; ++j) faces.R.row(j) = c.pair.column_vector(j).transpose();
    faces.t = -c.pair.to_second(c.pair.offset());
    faces.half_reference = c.b.half_size, faces.half_incident = c.a.half_size;
    faces.axis_reference = m[kb] < 0.0 ? ~kb : kb, faces.axis_incident = n[ka] < 0.0 ? ~ka : ka;
  }
  BoxCandidates candidates;
  const std::span<const std::uint64_t> old(c.memory.feature, static_cast<std::size_t>(c.memory.size));
  clip_box_faces(faces, c.margin, old, candidates);
  if (candidates.size == 0 || candidates.least > must_reach) return false;
  add_points(c, is_a, faces.axis_reference, candidates, old);
  gap = candidates.least;
  c.memory.reference = is_a ? Reference::a : Reference::b;
  return true;
}

void remember(const Manifold& out, BoxPairMemory& memory) {
  memory.size = out.size;
  for (int i = 0; i < out.size; ++i) memory.feature[i] = out.feature[i];
}

double add_witness(const Touch& c, const Witness& w, const Vector3& n, double gap) {
  c.out.add(c.X_WA * (0.5 * (w.on_a + w.on_b)).eval(), -(c.X_WA.rotation * n), gap, w.feature);
  c.memory.reference = Reference::none;
  return gap;
}

// The points of two faces miss the nearest: it takes the place of the one next to it.
void insert_witness(const Touch& c, const Witness& w, const Vector3& n, double gap) {
  if (c.out.size == Manifold::max_points) {
    const Vector3 p = c.X_WA * (0.5 * (w.on_a + w.on_b)).eval();
    int nearest = 0;
    for (int k = 1; k < c.out.size; ++k)
      if ((c.out.position[k] - p).squaredNorm() < (c.out.position[nearest] - p).squaredNorm()) nearest = k;
    const int last = --c.out.size;
    c.out.position[nearest] = c.out.position[last], c.out.normal[nearest] = c.out.normal[last];
    c.out.gap[nearest] = c.out.gap[last], c.out.feature[nearest] = c.out.feature[last];
  }
  const Reference reference = c.memory.reference;
  add_witness(c, w, n, gap);
  c.memory.reference = reference;
}

// Edges that lie along each other: the ends of their common stretch. Returns the least gap.
double add_lines(const Touch& c, const Vector3& n, const Witness& w) {
  const Vector3 m = -c.pair.to_second(n), on_b = c.pair.to_second(w.on_b - c.pair.offset());
  // Of the axes square to the normal the two that are most parallel.
  ContactLine a, b, best_a, best_b;
  double most = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (std::abs(c.pair.row[i][j]) > most && find_edge(c.a.half_size, n, w.on_a, i, a) &&
          find_edge(c.b.half_size, m, on_b, j, b))
        most = std::abs(c.pair.row[i][j]), best_a = a, best_b = b;
  if (most == 0.0) return infinity;
  for (Vector3& end : best_b.ends) {
    end = end[0] * c.pair.column_vector(0) + end[1] * c.pair.column_vector(1) + end[2] * c.pair.column_vector(2) +
          c.pair.offset();
  }
  c.memory.reference = Reference::none;
  return add_line_points(best_a, best_b, n, c.margin, c.X_WA, c.out);
}

// Boxes that are apart, and not along the normal of a face or of two crossing edges: a vertex meets a vertex or an
// edge.
double touch_at_edges(const Touch& c, const Separation& s) {
  Matrix3 R;
  for (int j = 0; j < 3; ++j) R.col(j) = c.pair.column_vector(j);
  const SupportBox a{c.a.half_size}, b{c.b.half_size};
  SimplexKeys<int, int> keys;
  GjkResult found;
  gjk(a, b, Pose(R, c.pair.offset()), s.n, keys, found);
  const bool is_sharp = !found.overlapping && found.distance > 1e-9;  // else its direction is rounding
  const double distance = is_sharp ? std::max(found.distance, s.value) : s.value;
  if (!(distance <= c.margin)) return distance;
  const Vector3 n = is_sharp ? found.normal() : s.n;
  double gap = 0.0;
  const Vector3 p = witness_a(a, keys, found.weight);
  const Witness w{p, p + distance * n, witness_feature(keys.size, keys.a, keys.b), true};
  if (clip_faces(c, n, distance + face_tolerance(c, distance), gap)) {
    if (gap > distance + gap_tolerance(c.margin)) insert_witness(c, w, n, distance);
    return std::min(gap, distance);
  }
  const double least = add_lines(c, n, w);
  if (c.out.size > 0 && distance >= least - same_point_distance) return std::min(least, distance);
  return add_witness(c, w, n, distance);
}

double touch(const Touch& c, const Separation& s) {
  // Apart, the points must realise the separation; else it is only a bound.
  const double must_reach = s.value + (s.value > 0.0 ? 1e-10 : face_tolerance(c, s.value));
  double gap = 0.0;
  if (clip_faces(c, s.n, must_reach, gap)) return std::min(gap, s.value);
  if (s.edge_a >= 0) {
    const Edge a = edge_of(c.a.half_size, s.edge_a, signs(s.n));
    const Edge b = edge_of(c.b.half_size, s.edge_b, signs(-c.pair.to_second(s.n)));
    const Witness w = meet_edges(c.pair, a, b);
    if (s.value <= 0.0 || w.is_inside) {
      const double least = add_lines(c, s.n, w);
      if (c.out.size > 0 && s.value >= least - same_point_distance) return std::min(least, s.value);
      return add_witness(c, w, s.n, s.value);
    }
  }
  if (s.value > 0.0) return touch_at_edges(c, s);
  // A face's normal, and rounding left nothing of the clipped face: the deepest vertex.
  const Vector3 m = -c.pair.to_second(s.n);
  Vector3 p = c.pair.offset();
  for (int j = 0; j < 3; ++j) p += signed_like(c.b.half_size[j], m[j]) * c.pair.column_vector(j);
  return add_witness(c, {p - s.value * s.n, p, feature_vertex_b(signs(m))}, s.n, s.value);
}

double forget(BoxPairMemory& memory, double gap) {
  if (memory.size != 0) memory.size = 0, memory.reference = Reference::none;
  return gap;
}

// Boxes that no face's normal separates by more than the margin; `second`: the second largest separation by a face of
// the first. Apart from collide_boxes(), whose short way would else pay for this one's registers.
[[gnu::noinline]] double collide_near(const Touch& c, Separation best, double second) {
  double least_sine2 = 1.0;
  Separation edges = edge_axes(c.pair, best.value + 1e-12, least_sine2);
  if (least_sine2 < 1e-4) {
    const double width = 2.0 * 1e-2 * (c.a.half_size.sum() + c.b.half_size.sum());
    if (second > -width) near_parallel_edges(c.pair, edges);
  }
  if (edges.edge_a >= 0) best = edges;
  if (!(best.value <= c.margin)) return forget(c.memory, best.value);
  const double gap = touch(c, best);
  remember(c.out, c.memory);
  return gap;
}

}  // namespace

double collide_boxes(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                     BoxPairMemory& memory, Manifold& out) {
  out.clear();
  const Pair p = relate(a, X_WA, b, X_WB);
  const Pack4 across = p.row[0] * p.t[0] + p.row[1] * p.t[1] + p.row[2] * p.t[2];  // t along the second box's axes
  const Pack4 sa = absolute(p.t) - Pack4{p.a[0], p.a[1], p.a[2], 0.0} - p.b[0] * absolute(p.column[0]) -
                   p.b[1] * absolute(p.column[1]) - p.b[2] * absolute(p.column[2]);
  const Pack4 sb = absolute(across) - Pack4{p.b[0], p.b[1], p.b[2], 0.0} - p.a[0] * absolute(p.row[0]) -
                   p.a[1] * absolute(p.row[1]) - p.a[2] * absolute(p.row[2]);
  const int ka = largest(sa), kb = largest(sb);
  Separation best;
  best.value = std::max(sb[kb], sa[ka]);
  if (!(best.value <= margin)) return forget(memory, best.value);
  // Gaps along the three axes of one box add up: diagonal neighbours end here.
  const double apart = best.value > 0.0 ? std::max(norm_of_positive(sa), norm_of_positive(sb)) : best.value;
  if (!(apart <= margin)) return forget(memory, apart);
  best.n = sa[ka] >= sb[kb] ? Vector3(signed_like(1.0, p.t[ka]) * Vector3::Unit(ka))
                            : Vector3(signed_like(1.0, across[kb]) * p.column_vector(kb));
  return collide_near({p, a, b, X_WA, X_WB, margin, memory, out}, best, second_largest(sa));
}

}  // namespace stiction
