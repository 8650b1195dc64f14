// The inner step of GJK: the point of a simplex that is nearest to the origin, and the corners that carry it.
#pragma once

#include "stiction/math/pose.h"

namespace stiction {

// Up to four points of the Minkowski difference A − B.
struct SimplexPoints {
  int size = 0;
  Vector3 w[4];
  double weight[4] = {1.0, 0.0, 0.0, 0.0};  // of the nearest point: Σ weight w, the weights add up to 1
};

// Keeps only the corners whose weight is positive and sets weight and v, the nearest point; from[i] tells where corner
// i stood before. Returns true, and changes nothing, where the origin lies inside the tetrahedron. Flat tetrahedra are
// tried by all their faces, degenerate triangles by their best edge.
bool reduce_simplex(SimplexPoints& simplex, Vector3& v, int from[4]);

// The same by trying every face in long double, for the rare simplices on which reduce_simplex() makes no progress.
void reduce_simplex_carefully(SimplexPoints& simplex, Vector3& v, int from[4]);

}  // namespace stiction
