#include "stiction/collision/convex/simplex.h"

#include <cmath>
#include <limits>

namespace stiction {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Squared distance of the origin from segment (a, b); l: weights of the ends.
double nearest_on_segment(const Vector3& a, const Vector3& b, double l[2]) {
  const Vector3 e = b - a;
  const double along = -a.dot(e), ee = e.squaredNorm();
  if (!(along > 0.0 && ee > 0.0)) {
    l[0] = 1.0, l[1] = 0.0;
    return a.squaredNorm();
  }
  if (along >= ee) {
    l[0] = 0.0, l[1] = 1.0;
    return b.squaredNorm();
  }
  const double t = along / ee;
  l[0] = 1.0 - t, l[1] = t;
  return (a + t * e).squaredNorm();
}

double nearest_on_edges(const Vector3& a, const Vector3& b, const Vector3& c, double l[3]) {
  const Vector3* corner[3] = {&a, &b, &c};
  double best = infinite;
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    double m[2];
    const double distance = nearest_on_segment(*corner[k], *corner[next], m);
    if (distance < best) best = distance, l[k] = m[0], l[next] = m[1], l[(k + 2) % 3] = 0.0;
  }
  return best;
}

// Squared distance of the origin from triangle (a, b, c), by its Voronoi regions: corners, edges, inside.
double nearest_on_triangle(const Vector3& a, const Vector3& b, const Vector3& c, double l[3]) {
  const Vector3 ab = b - a, ac = c - a;
  const double ab_a = -ab.dot(a), ac_a = -ac.dot(a), ab_b = -ab.dot(b), ac_b = -ac.dot(b);
  const double ab_c = -ab.dot(c), ac_c = -ac.dot(c);
  l[0] = l[1] = l[2] = 0.0;
  if (ab_a <= 0.0 && ac_a <= 0.0) return l[0] = 1.0, a.squaredNorm();
  if (ab_b >= 0.0 && ac_b <= ab_b) return l[1] = 1.0, b.squaredNorm();
  if (ac_c >= 0.0 && ab_c <= ac_c) return l[2] = 1.0, c.squaredNorm();

  // Weights of the corners times |n|², by cross products with n: they cancel less than products of the above.
  const Vector3 n = ab.cross(ac);
  const double nn = n.squaredNorm();
  const double wc = n.dot(a.cross(b)), wb = n.dot(c.cross(a)), wa = n.dot(b.cross(c));
  if (wc <= 0.0 && ab_a >= 0.0 && ab_b <= 0.0) {
    l[1] = ab_a / (ab_a - ab_b), l[0] = 1.0 - l[1];
    return (a + l[1] * ab).squaredNorm();
  }
  if (wb <= 0.0 && ac_a >= 0.0 && ac_c <= 0.0) {
    l[2] = ac_a / (ac_a - ac_c), l[0] = 1.0 - l[2];
    return (a + l[2] * ac).squaredNorm();
  }
  const double towards_c = ac_b - ab_b, towards_b = ab_c - ac_c;
  if (wa <= 0.0 && towards_c >= 0.0 && towards_b >= 0.0) {
    l[2] = towards_c / (towards_c + towards_b), l[1] = 1.0 - l[2];
    return (b + l[2] * (c - b)).squaredNorm();
  }
  if (!(wa > 0.0 && wb > 0.0 && wc > 0.0) || nn <= 1e-24 * ab.squaredNorm() * ac.squaredNorm()) {
    return nearest_on_edges(a, b, c, l);
  }
  const double scale = 1.0 / (wa + wb + wc);
  l[0] = wa * scale, l[1] = wb * scale, l[2] = wc * scale;
  const double height = n.dot(a);
  return height * height / nn;
}

// Weights of the nearest point of a tetrahedron's surface; false where the origin is inside.
bool nearest_on_tetrahedron(const Vector3 w[4], double weight[4]) {
  static constexpr int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  static constexpr int opposite[4] = {3, 2, 1, 0};
  const Vector3 e1 = w[1] - w[0], e2 = w[2] - w[0], e3 = w[3] - w[0];
  const double volume = e1.cross(e2).dot(e3);
  const bool is_flat = volume * volume <= 1e-20 * e1.squaredNorm() * e2.squaredNorm() * e3.squaredNorm();
  double best = infinite, l[3];
  bool is_outside = false;
  for (int f = 0; f < 4; ++f) {
    const Vector3 &a = w[face[f][0]], &b = w[face[f][1]], &c = w[face[f][2]];
    const Vector3 n = (b - a).cross(c - a);
    const double of_origin = -n.dot(a), of_opposite = n.dot(w[opposite[f]] - a);
    if (!is_flat && of_origin * of_opposite > 0.0) continue;
    is_outside = true;
    const double distance = nearest_on_triangle(a, b, c, l);
    if (!(distance < best)) continue;
    best = distance;
    weight[opposite[f]] = 0.0;
    for (int k = 0; k < 3; ++k) weight[face[f][k]] = l[k];
  }
  return is_outside;
}

void keep_corners(SimplexPoints& s, int from[4]) {
  int kept = 0;
  for (int k = 0; k < s.size; ++k) {
    if (!(s.weight[k] > 0.0)) continue;
    s.w[kept] = s.w[k], s.weight[kept] = s.weight[k];
    from[kept++] = k;
  }
  if (kept == 0) kept = 1, from[0] = 0, s.weight[0] = 1.0;  // not a number
  s.size = kept;
}

}  // namespace

bool reduce_simplex(SimplexPoints& s, Vector3& v, int from[4]) {
  switch (s.size) {
    case 1:
      s.weight[0] = 1.0;
      break;
    case 2:
      nearest_on_segment(s.w[0], s.w[1], s.weight);
      break;
    case 3:
      nearest_on_triangle(s.w[0], s.w[1], s.w[2], s.weight);
      break;
    default:
      if (!nearest_on_tetrahedron(s.w, s.weight)) {
        for (int k = 0; k < 4; ++k) from[k] = k;
        v.setZero();
        return true;
      }
  }
  keep_corners(s, from);
  // From the normal of the face, not from the weights: sharper where the origin is near.
  if (s.size == 3) {
    const Vector3 n = (s.w[1] - s.w[0]).cross(s.w[2] - s.w[0]);
    v = (n.dot(s.w[0]) / n.squaredNorm()) * n;
  } else if (s.size == 2) {
    const Vector3 e = s.w[1] - s.w[0];
    v = s.w[0] - (s.w[0].dot(e) / e.squaredNorm()) * e;
  } else {
    v = s.w[0];
  }
  return false;
}

void reduce_simplex_carefully(SimplexPoints& s, Vector3& v, int from[4]) {
  using VectorL = Eigen::Matrix<long double, 3, 1>;
  VectorL w[4];
  for (int k = 0; k < s.size; ++k) w[k] = s.w[k].cast<long double>();
  long double best = std::numeric_limits<long double>::infinity(), best_weight[4] = {1, 0, 0, 0};
  VectorL best_v = w[0];
  for (int mask = 1; mask < (1 << s.size); ++mask) {
    int id[4], n = 0;
    for (int k = 0; k < s.size; ++k) {
      if (mask >> k & 1) id[n++] = k;
    }
    long double l[3] = {1, 0, 0};
    VectorL nearest = w[id[0]];
    if (n == 4) continue;
    if (n == 2) {
      const VectorL e = w[id[1]] - w[id[0]];
      l[1] = -e.dot(w[id[0]]) / e.squaredNorm();
      l[0] = 1 - l[1];
      if (!(l[0] > 0 && l[1] > 0)) continue;
      nearest += l[1] * e;
    } else if (n == 3) {
      const VectorL a = w[id[1]] - w[id[0]], b = w[id[2]] - w[id[0]], normal = a.cross(b);
      const long double nn = normal.squaredNorm();
      if (!(nn > 1e-34L * a.squaredNorm() * b.squaredNorm())) continue;
      nearest = (normal.dot(w[id[0]]) / nn) * normal;
      const VectorL r = nearest - w[id[0]];
      l[1] = r.cross(b).dot(normal) / nn, l[2] = a.cross(r).dot(normal) / nn;
      l[0] = 1 - l[1] - l[2];
      if (!(l[0] > 0 && l[1] > 0 && l[2] > 0)) continue;
    }
    if (!(nearest.squaredNorm() < best)) continue;
    best = nearest.squaredNorm(), best_v = nearest;
    for (int k = 0; k < 4; ++k) best_weight[k] = 0;
    for (int k = 0; k < n; ++k) best_weight[id[k]] = l[k];
  }
  for (int k = 0; k < 4; ++k) s.weight[k] = static_cast<double>(best_weight[k]);
  keep_corners(s, from);
  v = best_v.cast<double>();
}

}  // namespace stiction
