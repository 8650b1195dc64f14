#include "stiction/collision/manifold/clip.h"

#include <algorithm>
#include <cmath>

#include "stiction/collision/manifold/feature.h"

namespace stiction {
namespace {

// Edge k of the incident polygon runs from its corner k to k + 1; edge k of the reference from its corner k − 1 to k,
// and is labelled first_reference_label + k.
constexpr int first_reference_label = 1 << 16;

struct Corner {
  double x, y, height;
  int edge_in, edge_out;  // labels of the edges that end and begin here
  int index;              // corner of the incident polygon; −1: made by clipping
  bool is_held;           // made a point before
};

// One edge of the reference: points with m·x > offset are cut off.
struct CutLine {
  double mx, my, offset;
  double tolerance, snap, hold;  // of m·x − offset
  int label;
};

// Copies what lies inside the line from `from` to `to`; returns the number of corners.
int cut(const Corner* from, int size, const CutLine& line, Corner* to) {
  double side[max_clip_corners];
  double largest = -1.0;
  for (int i = 0; i < size; ++i) {
    side[i] = line.mx * from[i].x + line.my * from[i].y - line.offset;
    if (from[i].index >= 0 && side[i] <= (from[i].is_held ? line.hold : line.snap)) side[i] = std::min(side[i], 0.0);
    largest = std::max(largest, side[i]);
  }
  if (largest <= line.tolerance) return -1;  // nothing to cut
  int count = 0;
  for (int i = 0; i < size && count + 2 <= max_clip_corners; ++i) {
    const int j = i > 0 ? i - 1 : size - 1;
    const bool is_in = side[i] <= line.tolerance, was_in = side[j] <= line.tolerance;
    if (is_in != was_in) {
      const double t = std::clamp(side[j] / (side[j] - side[i]), 0.0, 1.0);
      const Corner &p = from[j], &q = from[i];
      Corner& made = to[count++];
      made = {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.height + t * (q.height - p.height), 0, 0, -1, false};
      made.edge_in = was_in ? q.edge_in : line.label;
      made.edge_out = was_in ? line.label : q.edge_in;
    }
    if (is_in) to[count++] = from[i];
  }
  return count;
}

class FeatureNames {
 public:
  FeatureNames(std::span<const int> reference, std::span<const ClipCorner> incident, bool reference_is_a)
      : reference_(reference), incident_(incident), reference_is_a_(reference_is_a) {}

  std::uint64_t name(const Corner& corner) const {
    if (corner.index >= 0) return vertex(!reference_is_a_, incident_[corner.index].vertex);
    const bool in_is_reference = corner.edge_in >= first_reference_label;
    const bool out_is_reference = corner.edge_out >= first_reference_label;
    if (in_is_reference && out_is_reference) return corner_of_reference(corner);
    const std::uint64_t r =
        reference_edge((in_is_reference ? corner.edge_in : corner.edge_out) - first_reference_label);
    const std::uint64_t i = incident_edge(in_is_reference ? corner.edge_out : corner.edge_in);
    return reference_is_a_ ? feature_edges(r, i) : feature_edges(i, r);
  }

 private:
  static std::uint64_t vertex(bool of_a, int number) {
    return of_a ? feature_vertex_a(number) : feature_vertex_b(number);
  }
  std::uint64_t reference_edge(int k) const {
    return edge_bits(reference_[k > 0 ? k - 1 : reference_.size() - 1], reference_[k]);
  }
  std::uint64_t incident_edge(int k) const {
    return edge_bits(incident_[k].vertex, incident_[k + 1 < static_cast<int>(incident_.size()) ? k + 1 : 0].vertex);
  }
  std::uint64_t corner_of_reference(const Corner& corner) const {
    const int n = static_cast<int>(reference_.size());
    const int k1 = corner.edge_in - first_reference_label, k2 = corner.edge_out - first_reference_label;
    const int apart = (k2 - k1 + n) % n;
    if (apart == 1) return vertex(reference_is_a_, reference_[k1]);
    if (apart == n - 1) return vertex(reference_is_a_, reference_[k2]);
    return make_feature(reference_is_a_ ? FeatureKind::edges_a : FeatureKind::edges_b,
                        (reference_edge(k1) << 30) | reference_edge(k2));
  }

  std::span<const int> reference_;
  std::span<const ClipCorner> incident_;
  bool reference_is_a_;
};

bool is_same_point(const ContactCandidate& a, const ContactCandidate& b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return a.feature == b.feature || x * x + y * y < same_point_distance * same_point_distance;
}

// Which of two names for one point stays: one that was there before, else the simpler, a vertex rather than a crossing.
bool is_better_name(std::uint64_t name, std::uint64_t other, std::span<const std::uint64_t> old_features) {
  bool was_name = false, was_other = false;
  for (std::uint64_t old : old_features) was_name |= old == name, was_other |= old == other;
  return was_name != was_other ? was_name : name < other;
}

}  // namespace

int clip_polygon(const ReferencePolygon& reference, std::span<const ClipCorner> incident, const ClipOptions& options,
                 ContactCandidate* out) {
  Corner buffer[2][max_clip_corners];
  const int num_incident = static_cast<int>(incident.size()), num_reference = static_cast<int>(reference.points.size());
  if (num_incident + num_reference > max_clip_corners || num_reference < 3 || num_incident < 1) return 0;
  Corner* current = buffer[0];
  Corner* next = buffer[1];
  for (int k = 0; k < num_incident; ++k) {
    const ClipCorner& c = incident[k];
    bool is_held = false;
    const std::uint64_t name = options.reference_is_a ? feature_vertex_b(c.vertex) : feature_vertex_a(c.vertex);
    for (std::uint64_t old : options.old_features) is_held |= old == name;
    current[k] = {c.x, c.y, c.height, k > 0 ? k - 1 : num_incident - 1, k, k, is_held};
  }

  int size = num_incident;
  for (int k = 0; k < num_reference && size > 0; ++k) {
    const Vector2 &p = reference.points[k > 0 ? k - 1 : num_reference - 1], &q = reference.points[k];
    const double ex = q.x() - p.x(), ey = q.y() - p.y(), length = std::sqrt(ex * ex + ey * ey);
    if (!(length > 1e-10)) continue;
    CutLine line;
    line.mx = ey, line.my = -ex, line.offset = ey * p.x() - ex * p.y();
    line.tolerance = 1e-9 * length;
    line.snap = options.snap_distance * length, line.hold = options.hold_distance * length;
    line.label = first_reference_label + k;
    const int cut_size = cut(current, size, line, next);
    if (cut_size < 0) continue;
    size = cut_size;
    std::swap(current, next);
  }

  const FeatureNames names(reference.vertices, incident, options.reference_is_a);
  int count = 0;
  auto add = [&](const ContactCandidate& made, int neighbour) {
    if (count > 0 && is_same_point(made, out[neighbour])) {
      if (is_better_name(made.feature, out[neighbour].feature, options.old_features)) out[neighbour] = made;
    } else {
      out[count++] = made;
    }
  };
  for (int k = 0; k < size; ++k) {
    if (!(current[k].height <= options.margin)) continue;
    add({current[k].x, current[k].y, current[k].height, names.name(current[k])}, count - 1);
  }
  if (count > 1 && is_same_point(out[count - 1], out[0])) {
    const ContactCandidate last = out[--count];
    add(last, 0);
  }
  return count;
}

}  // namespace stiction
