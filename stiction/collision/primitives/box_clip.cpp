#include "stiction/collision/primitives/box_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/collision/manifold/feature.h"

namespace stiction {

namespace {

constexpr double hold_fraction = 2e-3;  // of the size of the smaller face: how far outside a remembered vertex stays
constexpr int max_corners = BoxCandidates::max_size;

// A corner of the clipped polygon: coordinates in the reference face, height over it, and the edges that meet there.
// Edges 0 … 3 are those of the incident face, 4 … 7 those of the reference face: y = −v, x = u, y = v, x = −u.
struct Corner {
  double x, y, h;
  double tolerance;     // how far outside it still counts as inside
  std::int8_t in, out;  // edges before and after it
  std::int8_t vertex;   // of the incident face, 0 … 3; −1: a crossing
};
constexpr std::int8_t first_reference_edge = 4;

// Vertex numbers (signs as bits) of the corners of the six faces, ~k before k; corners go round (−, −), (+, −), (+, +),
// (−, +) in the axes k + 1, k + 2.
constexpr std::array<std::array<std::int8_t, 4>, 6> make_face_vertices() {
  std::array<std::array<std::int8_t, 4>, 6> table{};
  for (int k = 0; k < 3; ++k)
    for (int corner = 0; corner < 4; ++corner) {
      const int su = corner == 1 || corner == 2, sv = corner >= 2;
      const int bits = (su << ((k + 1) % 3)) | (sv << ((k + 2) % 3));
      table[2 - k][corner] = static_cast<std::int8_t>(bits);
      table[3 + k][corner] = static_cast<std::int8_t>(bits | (1 << k));
    }
  return table;
}
constexpr auto face_vertices = make_face_vertices();
const std::int8_t* vertices_of(int axis) {
  return face_vertices[static_cast<std::size_t>(3 + axis)].data();  // ~k = −1 − k
}

// Keeps the part of the polygon where d ≤ tolerance; d[i] is the distance of corner i beyond the edge `label`.
int clip(const Corner* from, const double* d, int size, double eps, std::int8_t label, Corner* to) {
  int n = 0;
  for (int i = 0, j = size - 1; i < size && n < max_corners; j = i++) {
    const bool is_in = d[i] <= from[i].tolerance, was_in = d[j] <= from[j].tolerance;
    if (is_in != was_in) {
      const double s = std::min(std::max(d[j] / (d[j] - d[i]), 0.0), 1.0);
      const Corner &p = from[j], &q = from[i];
      Corner& c = to[n++];
      c.x = p.x + s * (q.x - p.x), c.y = p.y + s * (q.y - p.y), c.h = p.h + s * (q.h - p.h);
      c.tolerance = eps, c.vertex = -1;
      c.in = is_in ? label : q.in, c.out = is_in ? q.in : label;
    }
    if (is_in && n < max_corners) to[n++] = from[i];
  }
  return n;
}

std::uint64_t feature_of(const BoxFaces& faces, const Corner& c) {
  const std::int8_t *incident = vertices_of(faces.axis_incident), *reference = vertices_of(faces.axis_reference);
  const bool in_reference = c.in >= first_reference_edge, out_reference = c.out >= first_reference_edge;
  if (c.vertex >= 0 || (in_reference && out_reference)) {
    // A corner of the reference face lies between two of its edges.
    const int e = c.in & 3, f = c.out & 3;
    const int v = c.vertex >= 0 ? incident[c.vertex] : reference[f == ((e + 1) & 3) ? f : e];
    return (c.vertex >= 0) == faces.reference_is_first ? feature_vertex_b(v) : feature_vertex_a(v);
  }
  const int r = (in_reference ? c.in : c.out) & 3, i = in_reference ? c.out : c.in;
  const std::uint64_t edge_r = edge_bits(reference[r], reference[(r + 1) & 3]);
  const std::uint64_t edge_i = edge_bits(incident[i], incident[(i + 1) & 3]);
  return faces.reference_is_first ? feature_edges(edge_r, edge_i) : feature_edges(edge_i, edge_r);
}

}  // namespace

void clip_box_faces(const BoxFaces& faces, double margin, std::span<const std::uint64_t> old_features,
                    BoxCandidates& out) {
  const int k = faces.axis_reference < 0 ? ~faces.axis_reference : faces.axis_reference;
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  const double sign = faces.axis_reference < 0 ? -1.0 : 1.0;
  const int m = faces.axis_incident < 0 ? ~faces.axis_incident : faces.axis_incident;
  const double half_u = faces.half_incident[(m + 1) % 3], half_v = faces.half_incident[(m + 2) % 3];
  const Vector3 eu = half_u * faces.R.col((m + 1) % 3), ev = half_v * faces.R.col((m + 2) % 3);
  const Vector3 center = faces.t + ((faces.axis_incident < 0 ? -1.0 : 1.0) * faces.half_incident[m]) * faces.R.col(m);
  const double hu = faces.half_reference[u], hv = faces.half_reference[v], eps = 1e-9 * (hu + hv);
  const double hold = hold_fraction * std::min(hu + hv, half_u + half_v);

  Corner polygon[2][max_corners];
  int size = 4, current = 0;
  bool is_inside = true;
  for (int i = 0; i < 4; ++i) {
    const double su = i == 1 || i == 2 ? 1.0 : -1.0, sv = i >= 2 ? 1.0 : -1.0;
    Corner& c = polygon[0][i];
    c.x = center[u] + su * eu[u] + sv * ev[u], c.y = center[v] + su * eu[v] + sv * ev[v];
    c.h = sign * (center[k] + su * eu[k] + sv * ev[k]) - faces.half_reference[k];
    c.in = static_cast<std::int8_t>((i + 3) & 3), c.out = c.vertex = static_cast<std::int8_t>(i);
    c.tolerance = eps;
    const double outside = std::max(std::abs(c.x) - hu, std::abs(c.y) - hv);
    if (outside > eps && outside <= hold) {
      const std::uint64_t feature = feature_of(faces, c);
      if (std::find(old_features.begin(), old_features.end(), feature) != old_features.end()) c.tolerance = hold;
    }
    is_inside &= outside <= c.tolerance;
  }
  for (int edge = 0; edge < 4 && size > 0 && !is_inside; ++edge) {
    double d[max_corners], most = -1.0;
    const double side = edge == 1 || edge == 2 ? 1.0 : -1.0, half = (edge & 1) ? hu : hv;
    for (int i = 0; i < size; ++i) {
      const Corner& c = polygon[current][i];
      d[i] = side * ((edge & 1) ? c.x : c.y) - half;
      most = std::max(most, d[i] - c.tolerance);
    }
    if (most <= 0.0) continue;
    size = clip(polygon[current], d, size, eps, static_cast<std::int8_t>(first_reference_edge + edge),
                polygon[1 - current]);
    current = 1 - current;
  }

  out.size = 0;
  out.least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < size; ++i) {
    const Corner& c = polygon[current][i];
    if (!(c.h <= margin)) continue;
    bool is_new = true;
    for (int j = 0; j < out.size && is_new; ++j)
      is_new = std::abs(out.point[j].x - c.x) + std::abs(out.point[j].y - c.y) > same_point_distance;
    if (!is_new) continue;
    out.point[out.size++] = {c.x, c.y, c.h, feature_of(faces, c)};
    out.least = std::min(out.least, c.h);
  }
}

}  // namespace stiction
