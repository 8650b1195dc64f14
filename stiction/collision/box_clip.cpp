#include "stiction/collision/box_clip.h"

#include <cmath>
#include <limits>

namespace stiction {

namespace {

constexpr double same_point = 1e-7;     // m; points closer than this are one
constexpr double hold_fraction = 5e-3;  // of the size of the smaller face: how far outside a remembered vertex stays

// A corner of the clipped polygon: coordinates in the reference face, height over it, and the edges that meet there.
// Edges 0 … 3 are those of the incident face, 4 … 7 those of the reference face: y = −v, x = u, y = v, x = −u.
struct Corner {
  double x, y, h;
  int in, out;       // edges before and after it
  int vertex;        // of the incident face, 0 … 3; −1: a crossing
  double tolerance;  // how far outside it still counts as inside
};
constexpr int first_reference_edge = 4;
constexpr int max_corners = 8;  // of two quadrilaterals; rounding of thin ones could ask for more

// Vertex number (signs as bits) of the corner of a face; corners go round (−, −), (+, −), (+, +), (−, +).
unsigned vertex_of(int axis, int corner) {
  const int k = axis < 0 ? ~axis : axis, u = (k + 1) % 3, v = (k + 2) % 3;
  const unsigned su = corner == 1 || corner == 2 ? 1u : 0u, sv = corner >= 2 ? 1u : 0u;
  return (axis < 0 ? 0u : 1u << k) | (su << u) | (sv << v);
}

std::uint64_t edge_of_face(int axis, int edge) {
  return box_feature::edge(vertex_of(axis, edge), vertex_of(axis, (edge + 1) & 3));
}

// Keeps the part of the polygon where d ≤ tolerance; d[i] is the distance of corner i beyond the edge `label`.
int clip(const Corner* from, const double* d, int size, double eps, int label, Corner* to) {
  int n = 0;
  for (int i = 0, j = size - 1; i < size && n < max_corners; j = i++) {
    const bool is_in = d[i] <= from[i].tolerance, was_in = d[j] <= from[j].tolerance;
    if (is_in != was_in) {
      const double s = std::clamp(d[j] / (d[j] - d[i]), 0.0, 1.0);
      const Corner &p = from[j], &q = from[i];
      Corner& c = to[n++];
      c = {p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.h + s * (q.h - p.h), q.in, label, -1, eps};
      if (is_in) c.in = label, c.out = q.in;
    }
    if (is_in && n < max_corners) to[n++] = from[i];
  }
  return n;
}

std::uint64_t feature_of(const BoxFaces& faces, const Corner& c) {
  const unsigned incident = faces.reference_is_first ? 1 : 0;
  if (c.vertex >= 0) return box_feature::vertex(incident, vertex_of(faces.axis_incident, c.vertex));
  const bool in_reference = c.in >= first_reference_edge, out_reference = c.out >= first_reference_edge;
  if (in_reference && out_reference) {
    const int e = c.in - first_reference_edge, f = c.out - first_reference_edge;
    const int corner = f == ((e + 1) & 3) ? f : e;
    return box_feature::vertex(1 - incident, vertex_of(faces.axis_reference, corner));
  }
  const int r = (in_reference ? c.in : c.out) - first_reference_edge, i = in_reference ? c.out : c.in;
  const std::uint64_t edge_r = edge_of_face(faces.axis_reference, r), edge_i = edge_of_face(faces.axis_incident, i);
  return faces.reference_is_first ? box_feature::pair(edge_r, edge_i) : box_feature::pair(edge_i, edge_r);
}

double cross(const BoxCandidate& o, const BoxCandidate& p, const BoxCandidate& q) {
  return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

}  // namespace

void clip_box_faces(const BoxFaces& faces, double margin, const BoxPairMemory& memory, BoxCandidates& out) {
  const int k = faces.axis_reference < 0 ? ~faces.axis_reference : faces.axis_reference;
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  const double sign = faces.axis_reference < 0 ? -1.0 : 1.0;
  const int m = faces.axis_incident < 0 ? ~faces.axis_incident : faces.axis_incident;
  const Vector3 eu = faces.half_incident[(m + 1) % 3] * faces.R.col((m + 1) % 3);
  const Vector3 ev = faces.half_incident[(m + 2) % 3] * faces.R.col((m + 2) % 3);
  const Vector3 center = faces.t + ((faces.axis_incident < 0 ? -1.0 : 1.0) * faces.half_incident[m]) * faces.R.col(m);

  const double hu = faces.half_reference[u], hv = faces.half_reference[v], eps = 1e-9 * (hu + hv);
  const double hold =
      hold_fraction * std::min(hu + hv, faces.half_incident[(m + 1) % 3] + faces.half_incident[(m + 2) % 3]);
  Corner polygon[2][max_corners];
  int size = 4, current = 0;
  for (int i = 0; i < 4; ++i) {
    const double su = i == 1 || i == 2 ? 1.0 : -1.0, sv = i >= 2 ? 1.0 : -1.0;
    const Vector3 p = center + su * eu + sv * ev;
    const std::uint64_t feature =
        box_feature::vertex(faces.reference_is_first ? 1 : 0, vertex_of(faces.axis_incident, i));
    const bool is_old =
        std::find(memory.feature, memory.feature + memory.size, feature) != memory.feature + memory.size;
    polygon[0][i] = {p[u], p[v], sign * p[k] - faces.half_reference[k], (i + 3) & 3, i, i, is_old ? hold : eps};
  }
  for (int edge = 0; edge < 4 && size > 0; ++edge) {
    double d[max_corners], most = -1.0;
    for (int i = 0; i < size; ++i) {
      const Corner& c = polygon[current][i];
      d[i] = edge == 0 ? -c.y - hv : edge == 1 ? c.x - hu : edge == 2 ? c.y - hv : -c.x - hu;
      most = std::max(most, d[i] - c.tolerance);
    }
    if (most <= 0.0) continue;
    size = clip(polygon[current], d, size, eps, first_reference_edge + edge, polygon[1 - current]);
    current = 1 - current;
  }

  out.size = 0;
  out.least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < size; ++i) {
    const Corner& c = polygon[current][i];
    if (!(c.h <= margin)) continue;
    bool is_new = true;
    for (int j = 0; j < out.size && is_new; ++j)
      is_new = std::abs(out.point[j].x - c.x) + std::abs(out.point[j].y - c.y) > same_point;
    if (!is_new) continue;
    BoxCandidate& q = out.point[out.size++];
    q.gap = c.h, q.x = c.x, q.y = c.y;
    q.position[u] = c.x, q.position[v] = c.y, q.position[k] = sign * (faces.half_reference[k] + 0.5 * c.h);
    q.feature = feature_of(faces, c);
    out.least = std::min(out.least, c.h);
  }
}

namespace {

// Weight of a point: deep points count ten times those at the margin, before squaring.
struct Weights {
  double w[8], least = 0.0;
  int deepest = 0;

  Weights(const BoxCandidates& c, double margin) {
    for (int i = 1; i < c.size; ++i)
      if (c.point[i].gap < c.point[deepest].gap) deepest = i;
    least = c.point[deepest].gap;
    const double slope = 0.9 / (margin - std::min(least, margin) + 1e-9);
    for (int i = 0; i < c.size; ++i) {
      const double x = 1.0 - slope * (c.point[i].gap - least);
      w[i] = x * x;
    }
  }
};

// The candidates are the corners of a convex polygon in cyclic order, so the best four of at most eight are found by
// trying all; the area is weighted by the mean weight of its corners.
double weighted_area(const BoxCandidates& c, const Weights& w, const int* pick) {
  const BoxCandidate &p = c.point[pick[0]], &q = c.point[pick[1]], &r = c.point[pick[2]], &s = c.point[pick[3]];
  const double area = std::abs(cross(p, q, r) + cross(p, r, s));
  return area * (w.w[pick[0]] + w.w[pick[1]] + w.w[pick[2]] + w.w[pick[3]]);
}

}  // namespace

int choose_four(const BoxCandidates& c, double margin, const BoxPairMemory& memory, int chosen[Manifold::max_points]) {
  if (c.size <= Manifold::max_points) {
    for (int i = 0; i < c.size; ++i) chosen[i] = i;
    return c.size;
  }
  const Weights weights(c, margin);
  double most = -1.0;
  for (int i = 0; i < c.size; ++i)
    for (int j = i + 1; j < c.size; ++j)
      for (int k = j + 1; k < c.size; ++k)
        for (int l = k + 1; l < c.size; ++l) {
          const int d = weights.deepest;
          if (i != d && j != d && k != d && l != d) continue;
          const int pick[4] = {i, j, k, l};
          const double area = weighted_area(c, weights, pick);
          if (area > most) most = area, std::copy(pick, pick + 4, chosen);
        }
  // Keep rule: the old four, where all are still there, nearly as large and nearly as deep.
  if (memory.size != Manifold::max_points) return Manifold::max_points;
  int old[4], n = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < c.size && n < 4; ++i)
    for (int k = 0; k < 4; ++k)
      if (c.point[i].feature == memory.feature[k]) {
        old[n++] = i, least = std::min(least, c.point[i].gap);
        break;
      }
  if (n == 4 && weighted_area(c, weights, old) >= 0.8 * most && least <= weights.least + 0.05 * margin + 1e-6)
    std::copy(old, old + 4, chosen);
  return Manifold::max_points;
}

}  // namespace stiction
