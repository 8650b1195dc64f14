#include "stiction/collision/manifold/line_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/manifold/clip.h"
#include "stiction/collision/manifold/feature.h"
#include "stiction/collision/manifold/manifold.h"

namespace stiction {
namespace {

constexpr double near_edge = 1e-4;      // times the radius of a face: how far from the nearest point its edge may pass
constexpr double share_of_line = 0.05;  // of a cylinder: how far along it the foot of the normal may be
constexpr double sine_across = 0.0872;  // 5°
constexpr double round_sine2 = 0.0076, sharp_sine2 = 0.0003046;  // sin² 5°, sin² 1°

bool is_across(const Vector3& along, const Vector3& direction) {
  return std::abs(along.dot(direction)) <= sine_across * along.norm();
}

std::uint64_t name(const ContactLine& a, const ContactLine& b, int end) {
  const auto first = static_cast<std::uint64_t>(std::min(a.vertices[0], a.vertices[1]));
  const auto last = static_cast<std::uint64_t>(std::max(a.vertices[0], a.vertices[1]));
  const std::uint64_t edge = end == 0 ? (first << 15) | last : (last << 15) | first;
  return feature_edges(edge, edge_bits(b.vertices[0], b.vertices[1]));
}

// The point of a round line's surface that looks along a unit vector: beside the axis, for one without balls.
Vector3 surface_offset(const ContactLine& line, const Vector3& along, const Vector3& direction) {
  if (line.has_balls || line.radius == 0.0) return line.radius * direction;
  const Vector3 radial = direction - direction.dot(along) / along.squaredNorm() * along;
  return line.radius / radial.norm() * radial;
}

}  // namespace

bool find_edge(const Vector3& half_size, const Vector3& direction, const Vector3& point, int k, ContactLine& line) {
  if (!(std::abs(direction[k]) <= sine_across)) return false;
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double u = std::abs(direction[i]), v = std::abs(direction[j]);
  const double x = point[i] - std::copysign(half_size[i], direction[i]);
  const double y = point[j] - std::copysign(half_size[j], direction[j]);
  if (!(std::abs(x) + std::abs(y) <= near_edge * (half_size[i] + half_size[j]))) return false;
  line.radius = 0.0, line.slope = std::min(u, v) / std::max(u, v);
  const int bits = (std::signbit(direction[i]) ? 0 : 1 << i) | (std::signbit(direction[j]) ? 0 : 1 << j);
  for (int end = 0; end < 2; ++end) {
    const int vertex = end == 0 ? bits : bits | 1 << k;
    for (int axis = 0; axis < 3; ++axis) line.ends[end][axis] = vertex >> axis & 1 ? half_size[axis] : -half_size[axis];
    line.vertices[end] = vertex;
  }
  return true;
}

void find_lines(const FaceView& face, double core_radius, double cosine, const Vector3& direction, const Vector3& point,
                LineSet& lines) {
  lines.size = 0;
  const int size = static_cast<int>(face.vertices.size());
  if (size > 2 && (!(cosine > 0.1) || face.roundness < 0.0)) return;
  for (int k = 0; k < (size > 2 ? size : 1) && lines.size < LineSet::max_size; ++k) {
    const int v = face.vertices[k], w = face.vertices[k + 1 < size ? k + 1 : 0];
    ContactLine& line = lines.line[lines.size];
    line.vertices[0] = std::min(v, w), line.vertices[1] = std::max(v, w);
    for (int end = 0; end < 2; ++end) line.ends[end] = face.all_vertices[line.vertices[end]];
    const Vector3 along = line.ends[1] - line.ends[0], from = point - line.ends[0];
    if (!is_across(along, direction)) continue;
    // Tilted, the side of a disc is touched on its rim: the foot of the normal lies farther along than the line is
    // long.
    const bool is_cut_off = size == 2 && face.roundness > core_radius;
    if (is_cut_off && face.roundness * std::abs(along.dot(direction)) > share_of_line * along.squaredNorm()) continue;
    const double t = std::clamp(from.dot(along) / along.squaredNorm(), 0.0, 1.0);
    if (size > 2 && !((from - t * along).norm() <= near_edge * face.radius)) continue;
    line.radius = face.roundness, line.has_balls = core_radius > 0.0;
    line.slope = size > 2 ? std::sqrt(std::max(1.0 - cosine * cosine, 0.0)) / cosine : 0.0;
    if (is_cut_off) {
      const Vector3 radial = direction - direction.dot(along) / along.squaredNorm() * along;
      for (Vector3& end : line.ends) end -= (face.roundness - core_radius) / radial.norm() * radial;
    }
    ++lines.size;
  }
}

double add_line_points(const ContactLine& a, const ContactLine& b, const Vector3& n, double margin, const Pose& X_W,
                       Manifold& out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Vector3 along_a = a.ends[1] - a.ends[0], along_b = b.ends[1] - b.ends[0];
  const double length = along_a.norm();
  if (!(length > same_point_distance) || !(along_b.norm() > same_point_distance)) return infinity;
  const Vector3 u = along_a / length;
  const bool is_sharp = a.radius == 0.0 && b.radius == 0.0;
  if (!(u.cross(along_b).squaredNorm() <= (is_sharp ? sharp_sine2 : round_sine2) * along_b.squaredNorm()))
    return infinity;
  double t0 = u.dot(b.ends[0] - a.ends[0]), t1 = u.dot(b.ends[1] - a.ends[0]);
  const double first = std::max(std::min(t0, t1), 0.0), last = std::min(std::max(t0, t1), length);
  if (!(last - first > same_point_distance)) return infinity;
  double least = infinity;
  for (int end = 0; end < 2; ++end) {
    const double s = end == 0 ? first : last;
    const Vector3 p = a.ends[0] + s * u, q = b.ends[0] + ((s - t0) / (t1 - t0)) * along_b;
    const Vector3 apart = q - p;
    Vector3 normal = n, on_a = p, on_b = q;
    double gap = n.dot(apart);
    bool is_on_b = end == 0 ? std::min(t0, t1) > 0.0 : std::max(t0, t1) < length;  // it is an end of B
    if (is_sharp) {
      // Beside its tip the blunter of the two falls off by its slope.
      gap += std::min(a.slope, b.slope) * (apart - gap * n).norm();
      is_on_b = a.slope < b.slope;
    } else {
      if (gap > 0.5 * (a.radius + b.radius)) normal = apart.normalized();  // else one axis is inside the other
      on_a += surface_offset(a, along_a, normal), on_b -= surface_offset(b, along_b, normal);
      gap = normal.dot(on_b - on_a);
    }
    const Vector3 middle = is_on_b ? Vector3(on_b - 0.5 * gap * normal) : Vector3(on_a + 0.5 * gap * normal);
    least = std::min(least, gap);
    if (gap <= margin) out.add(X_W * middle, -(X_W.rotation * normal), gap, name(a, b, end));
  }
  return least;
}

}  // namespace stiction
