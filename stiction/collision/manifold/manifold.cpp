#include "stiction/collision/manifold/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/manifold/clip.h"
#include "stiction/collision/manifold/line_contact.h"
#include "stiction/collision/manifold/reduce.h"

namespace stiction {
namespace {

// How far outside the reference polygon a vertex may be that made a point before, times the smaller polygon's radius;
// half of that for the other vertices of a pair that touched before on this face. A cold call clips exactly.
constexpr double hold_fraction = 2e-3;

// The face within 5° of the normal that is better aligned, the old one unless the other wins by 1e-3; of two flush
// faces the larger. A segment cannot be the reference.
Reference choose_reference(const TouchingPair& pair, Reference old) {
  const bool a_can = pair.face_a && pair.face_a->vertices.size() > 2 && pair.cosine_a >= cos_face;
  const bool b_can = pair.face_b && pair.face_b->vertices.size() > 2 && pair.cosine_b >= cos_face;
  if (!pair.face_a || !pair.face_b || !(a_can || b_can)) return Reference::none;
  if (a_can != b_can) return a_can ? Reference::a : Reference::b;
  const double size_a = pair.face_a->radius, size_b = pair.face_b->radius;
  if (pair.cosine_a > cos_flush && pair.cosine_b > cos_flush && std::abs(size_a - size_b) > 1e-6 * size_a) {
    return size_a > size_b ? Reference::a : Reference::b;
  }
  const double lead = pair.cosine_a - pair.cosine_b;
  if (old != Reference::none && std::abs(lead) < 1e-3) return old;
  return lead >= 0.0 ? Reference::a : Reference::b;
}

void add_witness(const TouchingPair& pair, Manifold& out) {
  const Vector3 middle = pair.point_a + (pair.radius_a + 0.5 * pair.gap) * pair.normal;
  out.add(pair.X_WA * middle, -(pair.X_WA.rotation * pair.normal), pair.gap, pair.witness_feature);
}

// No face takes part: both ends of a line, the witness where it lies deeper or alone.
void add_without_face(const TouchingPair& pair, ManifoldMemory& memory, Manifold& out) {
  double least = std::numeric_limits<double>::infinity();
  if (pair.face_a && pair.face_b) {
    const Vector3 n_B = pair.X_AB.rotation.transpose() * -pair.normal;
    const Vector3 point_b = pair.X_AB.to_local(pair.point_a + (pair.gap + pair.radius_a + pair.radius_b) * pair.normal);
    LineSet a, b;
    find_lines(*pair.face_a, pair.radius_a, pair.cosine_a, pair.normal, pair.point_a, a);
    if (a.size > 0) find_lines(*pair.face_b, pair.radius_b, pair.cosine_b, n_B, point_b, b);
    const ContactLine *best_a = nullptr, *best_b = nullptr;
    double most = 0.0;
    for (int j = 0; j < b.size; ++j) {
      for (Vector3& end : b.line[j].ends) end = pair.X_AB * end;
      const Vector3 along = (b.line[j].ends[1] - b.line[j].ends[0]).normalized();
      for (int i = 0; i < a.size; ++i) {
        const double cosine = std::abs(along.dot((a.line[i].ends[1] - a.line[i].ends[0]).normalized()));
        if (cosine > most) most = cosine, best_a = &a.line[i], best_b = &b.line[j];
      }
    }
    if (best_a) least = add_line_points(*best_a, *best_b, pair.normal, pair.margin, pair.X_WA, out);
  }
  if (out.size == 0 || pair.gap < least - same_point_distance) add_witness(pair, out);
  memory = ManifoldMemory{};
  memory.size = out.size;
  for (int k = 0; k < out.size; ++k) memory.feature[k] = out.feature[k];
}

// The two faces need not contain the nearest points: where an edge that leans away is nearer, the exact witness joins
// the candidates, so that the deepest point is always there. `at`: its place in the reference frame. Returns its index,
// −1 where it is not needed.
int add_missing_witness(const TouchingPair& pair, const Vector3& at, ContactCandidate* candidates, int& count) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < count; ++k) lowest = std::min(lowest, candidates[k].gap);
  if (lowest <= pair.gap + gap_tolerance(pair.margin) || count == max_clip_corners) return -1;
  candidates[count] = {at.x(), at.y(), pair.gap, pair.witness_feature};
  return count++;
}

}  // namespace

FaceView face_view(const ConvexHull& hull, const ConvexHull::Face& face) {
  return {face.normal,    face.origin, face.tangent_1,         face.tangent_2,
          face.radius,    0.0,         hull.face_points(face), hull.face_vertices(face),
          hull.vertices()};
}

void make_manifold(const TouchingPair& pair, ManifoldMemory& memory, Manifold& out) {
  const Reference chosen = choose_reference(pair, memory.reference);
  if (chosen == Reference::none) return add_without_face(pair, memory, out);
  const bool is_a = chosen == Reference::a;
  const FaceView& reference = is_a ? *pair.face_a : *pair.face_b;
  const FaceView& incident = is_a ? *pair.face_b : *pair.face_a;
  const double radii = pair.radius_a + pair.radius_b;

  // Incident corners in the frame (t1, t2, n) of the reference face.
  Matrix3 axes;  // rows
  axes << reference.tangent_1.transpose(), reference.tangent_2.transpose(), reference.normal.transpose();
  const Matrix3& R_AB = pair.X_AB.rotation;
  const Matrix3 turn = is_a ? Matrix3(axes * R_AB) : Matrix3(axes * R_AB.transpose());
  const Vector3 from = is_a ? Vector3(axes * (pair.X_AB.position - reference.origin))
                            : Vector3(-(turn * pair.X_AB.position) - axes * reference.origin);
  ClipCorner corners[ConvexHull::max_face_vertices];
  const int num_corners = static_cast<int>(incident.vertices.size());
  for (int k = 0; k < num_corners; ++k) {
    const int v = incident.vertices[k];
    const Vector3 x = turn * incident.all_vertices[v] + from;
    corners[k] = {x.x(), x.y(), x.z() - radii, v};
  }

  ContactCandidate candidates[max_clip_corners];
  const std::span<const std::uint64_t> old(memory.feature, static_cast<std::size_t>(memory.size));
  ClipOptions options;
  options.reference_is_a = is_a;
  options.margin = pair.margin;
  options.old_features = old;
  options.hold_distance = hold_fraction * std::min(reference.radius, incident.radius);
  options.snap_distance = memory.reference == chosen ? 0.5 * options.hold_distance : 0.0;
  int num_candidates = clip_polygon({reference.points, reference.vertices},
                                    {corners, static_cast<std::size_t>(num_corners)}, options, candidates);
  if (num_candidates == 0) return add_without_face(pair, memory, out);
  const int witness = add_missing_witness(
      pair, is_a ? Vector3(axes * (pair.point_a - reference.origin)) : Vector3(turn * pair.point_a + from), candidates,
      num_candidates);
  int index[4];
  const int size = choose_points({candidates, static_cast<std::size_t>(num_candidates)}, pair.margin, old, index);

  const Pose X_WR = is_a ? pair.X_WA : pair.X_WA * pair.X_AB;
  const Vector3 normal = X_WR.rotation * reference.normal;
  const Vector3 t1 = X_WR.rotation * reference.tangent_1, t2 = X_WR.rotation * reference.tangent_2;
  const Vector3 origin = X_WR * reference.origin;
  const double surface = is_a ? pair.radius_a : pair.radius_b;
  for (int k = 0; k < size; ++k) {
    const ContactCandidate& c = candidates[index[k]];
    memory.feature[k] = c.feature;
    if (index[k] == witness) {
      add_witness(pair, out);
      continue;
    }
    const Vector3 middle = origin + c.x * t1 + c.y * t2 + (surface + 0.5 * c.gap) * normal;
    out.add(middle, is_a ? Vector3(-normal) : normal, c.gap, c.feature);
  }
  memory.size = size;
  memory.reference = chosen;
}

}  // namespace stiction
