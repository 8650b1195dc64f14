// Points of two lines that lie along each other: sides of cylinders and capsules, edges of boxes and hulls. A line that
// carries a body needs both of its ends; the nearest points alone are one, anywhere between them.
#pragma once

#include <cstdint>

#include "stiction/collision/contact_point.h"
#include "stiction/math/pose.h"

namespace stiction {

struct FaceView;

// A straight line of a surface across the normal. Round: the axis, the radius of the surface about it, and whether it
// ends in balls (a capsule) or is cut off. An edge: its ends, radius 0, and how steeply the surface falls off beside
// it, at least (the tangent of the angle between the normal and the nearer face).
struct ContactLine {
  Vector3 ends[2];
  double radius = 0.0, slope = 0.0;
  bool has_balls = false;
  int vertices[2] = {};
};

// The edge of a box along its axis k farthest along the unit vector `direction`; false where that is more than 5° from
// square to it or does not go through `point`, the nearest of the box.
bool find_edge(const Vector3& half_size, const Vector3& direction, const Vector3& point, int k, ContactLine& line);

// The lines of a face that go through the nearest point of its shape and are square to the normal within 5°: the side
// of a round shape (a segment with `core_radius` about it), or edges of a polygon.
struct LineSet {
  static constexpr int max_size = 4;
  int size = 0;
  ContactLine line[max_size];
};
void find_lines(const FaceView& face, double core_radius, double cosine, const Vector3& direction, const Vector3& point,
                LineSet& lines);

// Both lines in a frame that X_W places in the world, n the unit normal from A to B. Adds the ends of the common
// stretch where their gap is at most the margin, and returns the least of these gaps; infinity where the lines are not
// along each other: 5° for round ones, 1° for two edges, whose ends part quickly. Features: the two edges, the second
// end with the vertices of A in descending order.
double add_line_points(const ContactLine& a, const ContactLine& b, const Vector3& n, double margin, const Pose& X_W,
                       Manifold& out);

}  // namespace stiction
