// Families of contact problems on which some methods fail and others do not, by seed: what a portfolio is for.
#pragma once

#include "random_problems.h"

namespace stiction::testing {

// Bodies in a loose heap, each touching `partners` earlier ones or the ground at three points of a common plane.
struct ThreePointHeap {
  unsigned seed = 0;
  int bodies = 40;
  int partners = 2;
  double friction = 1.0;
};
Mechanics three_point_heap(const ThreePointHeap& options);

// count³ spheres of 1 kg on a jittered grid in a box that presses on all of them, one contact per pair that touches.
// M is diagonal. With a mass ratio every other sphere is so much heavier.
struct SpheresInBox {
  unsigned seed = 0;
  int count = 6;
  double friction = 0.9;
  double mass_ratio = 1.0;
};
Mechanics spheres_in_box(const SpheresInBox& options);

// Bodies that do not touch each other, each held by three contacts with normals around a cone: with much friction they
// wedge. Half-angle of the cone of normals in rad.
struct Wedges {
  unsigned seed = 0;
  int bodies = 1;
  double friction = 3.0;
  double half_angle = 1.2;
};
Mechanics wedges(const Wedges& options);

// Boxes of 1 kg in columns, four corners each on the one below, pushed aside. M is diagonal.
struct BoxColumns {
  unsigned seed = 0;
  int columns = 6;
  int height = 6;
  double friction = 0.6;
};
Mechanics box_columns(const BoxColumns& options);

}  // namespace stiction::testing
