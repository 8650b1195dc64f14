// Closed forms for pairs of primitive shapes (theory §5.3).
//
// All pair kernels share one contract. X_W… are the poses of the shapes in the world. A kernel returns a proven lower
// bound of the distance when that exceeds `margin`, and then out.size = 0; else it fills `out` with the points whose
// gap is at most `margin` and returns the smallest gap. Normals go from the second to the first shape. Poses with NaN
// give no point and return NaN. `feature` numbers are explained at each kernel; they stay while the bodies move.
#pragma once

#include "stiction/collision/contact_point.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// A point of a sphere has feature 0, the ends of a capsule at z = ∓ half_length features 0 and 1, the vertices of a box
// their signs as bits (x: 1, y: 2, z: 4).
double collide_sphere_plane(const Sphere& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out);
double collide_capsule_plane(const Capsule& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out);
double collide_box_plane(const Box& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out);
// Round shapes against planes. What a cylinder has is decided by its tilt, never by the margin. Lying (its axis less
// than 42° from the plane): the lowest point of each cap (features 8 + cap). Standing (within 5°): four rim points of
// the lower cap, one in each quarter of the rim, of which one is the exact lowest (4 cap + quarter, or 8 + cap where it
// is alone). Leaning, in between: the lowest (8 + cap), beside it and opposite (10 + 3 cap …).
double collide_cylinder_plane(const Cylinder& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out);
double collide_ellipsoid_plane(const Ellipsoid& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out);

// One point, feature 0.
double collide_spheres(const Sphere& a, const Pose& X_WA, const Sphere& b, const Pose& X_WB, double margin,
                       Manifold& out);
double collide_sphere_capsule(const Sphere& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin,
                              Manifold& out);
double collide_sphere_box(const Sphere& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                          Manifold& out);
double collide_sphere_cylinder(const Sphere& a, const Pose& X_WA, const Cylinder& b, const Pose& X_WB, double margin,
                               Manifold& out);
double collide_sphere_ellipsoid(const Sphere& a, const Pose& X_WA, const Ellipsoid& b, const Pose& X_WB, double margin,
                                Manifold& out);

// Within 5° of parallel: a point at each end of the common stretch (features 0 and 1 along the first capsule's axis)
// and the closest point where it lies deeper than both (feature 2, the only one of capsules that cross).
double collide_capsules(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin,
                        Manifold& out);
// Normal within 5° of a face's: a point at each end of the stretch over the face (features 0 and 1 along the capsule's
// axis); along an edge of the box, a point at each end of that stretch (line_contact.h); the closest point where it
// lies deeper than both, or alone (feature 2).
double collide_capsule_box(const Capsule& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                           Manifold& out);

}  // namespace stiction
