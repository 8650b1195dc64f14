// Poses and shapes between Python and C++, for the files that expose model and sim.
#pragma once

#include <memory>

#include "arrays.h"
#include "stiction/model/geometry/shape.h"

namespace stiction::python {

// Shapes that are shared and never change: Python holds the same object as the model.
template <class Shape>
struct Shared {
  std::shared_ptr<const Shape> shape;
};

bool is_geometry(PyObject* value);
class GeometryLike : public nb::object {
  NB_OBJECT(GeometryLike, nb::object,
            "Plane | Sphere | Capsule | Cylinder | Ellipsoid | Box | ConvexHull | TriangleMesh | HeightField",
            is_geometry)
};
Geometry to_geometry(const nb::object& value);
nb::object from_geometry(const Geometry& geometry);

// (x, y, z, w) with w ≥ 0.
Eigen::Vector4d orientation_of(const Pose& pose);

}  // namespace stiction::python
