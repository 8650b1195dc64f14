// Which face of a hull takes part in a contact, and the name of a contact without faces.
#pragma once

#include <cstdint>

#include "stiction/model/geometry/convex_hull.h"

namespace stiction {

// Of the faces around the given vertices the one best aligned with `direction`; the old one (−1: none) where it is as
// good within 2e-7 in the cosine, which is 6e-4 rad.
int best_face(const ConvexHull& hull, const Vector3& direction, const int* vertices, int num_vertices, int old,
              double& cosine);

// Name of the nearest points of two polytopes by the simplex that carries them: vertex over face, edge across edge, and
// where vertices or edges meet otherwise, the edge from a vertex to itself.
std::uint64_t witness_feature(int size, const int* a, const int* b);

}  // namespace stiction
