// Distances of primitives by trying everything, written apart from the kernels: what the kernels are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stiction/model/geometry/shape.h"

namespace stiction::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  int index(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vector3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vector3 unit() { return Vector3(normal(), normal(), normal()).normalized(); }
  Matrix3 rotation() { return Quaternion(normal(), normal(), normal(), normal()).normalized().toRotationMatrix(); }
  // Turned by about `angle`.
  Matrix3 small_rotation(double angle) { return Eigen::AngleAxisd(angle * normal(), unit()).toRotationMatrix(); }
  Pose pose(double size) { return {rotation(), vector(size)}; }

 private:
  std::mt19937 engine_;
};

struct Gap {
  double value = std::numeric_limits<double>::infinity();      // signed distance, m
  Vector3 normal = Vector3::Zero();                            // from the second to the first shape
  double runner_up = std::numeric_limits<double>::infinity();  // how far the next best normal is from being as good
};

struct Segment {
  Vector3 a, b;
};

inline double point_segment(const Vector3& p, const Segment& s, Vector3& q) {
  const Vector3 d = s.b - s.a;
  const double l2 = d.squaredNorm();
  const double t = l2 > 0.0 ? std::clamp((p - s.a).dot(d) / l2, 0.0, 1.0) : 0.0;
  q = s.a + t * d;
  return (p - q).norm();
}

// Ends against segments, and the common perpendicular where it lies inside both. e = point of s minus point of r.
inline double segment_segment(const Segment& s, const Segment& r, Vector3& e) {
  double best = std::numeric_limits<double>::infinity();
  Vector3 q;
  const auto take = [&](double d, const Vector3& v) {
    if (d < best) best = d, e = v;
  };
  for (const Vector3& p : {s.a, s.b}) {
    const double d = point_segment(p, r, q);
    take(d, p - q);
  }
  for (const Vector3& p : {r.a, r.b}) {
    const double d = point_segment(p, s, q);
    take(d, q - p);
  }
  const Vector3 u = s.b - s.a, v = r.b - r.a, n = u.cross(v);
  const double n2 = n.squaredNorm();
  if (n2 > 1e-20 * u.squaredNorm() * v.squaredNorm()) {
    const Vector3 w = r.a - s.a;
    const double x = w.cross(v).dot(n) / n2, y = w.cross(u).dot(n) / n2;
    if (x > 0.0 && x < 1.0 && y > 0.0 && y < 1.0) {
      const Vector3 c = -(w.dot(n) / n2) * n;
      take(c.norm(), c);
    }
  }
  return best;
}

// A convex polytope by its corners, edges and face normals: a box, or the axis of a capsule.
struct Polytope {
  std::vector<Vector3> corners, normals, directions;  // normals of faces, directions of edges
  std::vector<Segment> edges;
  double radius = 0.0;  // rounded by this
};

inline Polytope polytope(const Box& box, const Pose& X) {
  Polytope p;
  for (int i = 0; i < 8; ++i)
    p.corners.push_back(X * Vector3((i & 1 ? 1 : -1) * box.half_size[0], (i & 2 ? 1 : -1) * box.half_size[1],
                                    (i & 4 ? 1 : -1) * box.half_size[2]));
  for (int k = 0; k < 3; ++k) {
    p.normals.push_back(X.rotation.col(k)), p.directions.push_back(X.rotation.col(k));
    for (int i = 0; i < 8; ++i)
      if (!(i >> k & 1)) p.edges.push_back({p.corners[i], p.corners[i | 1 << k]});
  }
  return p;
}

inline Polytope polytope(const Capsule& c, const Pose& X) {
  Polytope p;
  p.corners = {X * Vector3(0, 0, -c.half_length), X * Vector3(0, 0, c.half_length)};
  p.edges = {{p.corners[0], p.corners[1]}};
  p.directions = {X.rotation.col(2)};
  p.radius = c.radius;
  return p;
}

inline Polytope polytope(const Sphere& s, const Pose& X) {
  Polytope p;
  p.corners = {X.position}, p.edges = {{X.position, X.position}}, p.radius = s.radius;
  return p;
}

// Separation along n, from the second to the first.
inline double separation(const Polytope& a, const Polytope& b, const Vector3& n) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vector3& p : a.corners) low = std::min(low, n.dot(p));
  for (const Vector3& p : b.corners) high = std::max(high, n.dot(p));
  return low - high;
}

// Signed distance of rounded polytopes. The axes of separation give the depth of an overlap and a bound where they are
// apart; then corners against solids (by their face normals, for boxes) and edges against edges give the distance.
inline Gap gap_of(const Polytope& a, const Polytope& b) {
  Gap overlap;
  overlap.value = -std::numeric_limits<double>::infinity();
  double second = overlap.value;
  std::vector<Vector3> axes = a.normals;
  axes.insert(axes.end(), b.normals.begin(), b.normals.end());
  for (const Vector3& u : a.directions)
    for (const Vector3& v : b.directions)
      if (const Vector3 n = u.cross(v); n.norm() > 1e-9) axes.push_back(n.normalized());
  for (const Vector3& axis : axes)
    for (const double sign : {1.0, -1.0}) {
      const double s = separation(a, b, sign * axis);
      if (s > overlap.value) {
        if (overlap.normal.dot(sign * axis) < 1.0 - 1e-9) second = overlap.value;
        overlap.value = s, overlap.normal = sign * axis;
      } else if (s > second && overlap.normal.dot(sign * axis) < 1.0 - 1e-9) {
        second = s;
      }
    }
  overlap.runner_up = overlap.value - second;
  Gap result = overlap;
  if (axes.empty() || overlap.value > 0.0) {
    Gap apart;
    const auto take = [&](double d, const Vector3& e) {
      if (d < apart.value) apart.value = d, apart.normal = e.normalized();
    };
    for (const Segment& s : a.edges)
      for (const Segment& r : b.edges) {
        Vector3 e;
        const double d = segment_segment(s, r, e);
        take(d, e);
      }
    // A corner over a face: the separation along that face's normal is then the distance. Wherever it is larger than
    // what edges give, rounding aside, it is not; where smaller, the foot must be on the face.
    const auto corners_over_faces = [&](const Polytope& solid, const Polytope& other, double sign) {
      for (const Vector3& axis : solid.normals)
        for (const double side : {1.0, -1.0}) {
          const Vector3 n = side * axis;
          double top = -std::numeric_limits<double>::infinity();
          for (const Vector3& p : solid.corners) top = std::max(top, n.dot(p));
          for (const Vector3& p : other.corners) {
            const double h = n.dot(p) - top;
            if (h < 0.0) continue;
            bool inside = true;
            for (const Vector3& side_axis : solid.normals) {
              if (std::abs(side_axis.dot(n)) > 0.5) continue;
              double low = std::numeric_limits<double>::infinity(), high = -low;
              for (const Vector3& q : solid.corners)
                low = std::min(low, side_axis.dot(q)), high = std::max(high, side_axis.dot(q));
              inside &= side_axis.dot(p) >= low && side_axis.dot(p) <= high;
            }
            if (inside) take(h, sign * n);
          }
        }
    };
    corners_over_faces(b, a, 1.0);
    corners_over_faces(a, b, -1.0);
    result = apart;
  }
  result.value -= a.radius + b.radius;
  return result;
}

}  // namespace stiction::testing
