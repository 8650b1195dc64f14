// A <geometry> of a COLLADA file as triangles. Private to the io room.
//
// Read are <triangles>, <polylist>, <polygons>, <tristrips> and <trifans> of a <mesh>, and of their inputs the
// positions alone. Lines and points are passed over. Declared counts must be those that are given, indices whole
// numbers of vertices that exist, positions finite.
#pragma once

#include <array>
#include <vector>

#include "stiction/io/xml/xml.h"

namespace stiction {

struct DaeTriangles {             // of one group of primitives
  std::vector<Vector3> vertices;  // those that are used, in the order of their first use
  std::vector<std::array<int, 3>> triangles;
};

// Throws std::invalid_argument naming file, line, element and value.
std::vector<DaeTriangles> read_dae_geometry(const XmlElement& geometry);

// Triangles of a polygon with its corners in order, which may be concave but for rounding is flat: indices into
// `corners`, appended. Fewer than three corners give none.
void triangulate(const std::vector<Vector3>& corners, std::vector<std::array<int, 3>>& triangles);

}  // namespace stiction
