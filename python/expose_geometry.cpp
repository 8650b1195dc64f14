// The room `model`, its pieces: poses, shapes, inertias.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <sstream>

#include "expose.h"
#include "fields.h"
#include "geometry.h"
#include "stiction/math/refuse.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/inertia.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using Triangles = std::vector<std::array<int, 3>>;
using Hull = Shared<ConvexHull>;
using Mesh = Shared<TriangleMesh>;
using Field2 = Shared<HeightField>;

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

std::string list(const Vector3& v) {
  return text("(", v.x(), ", ", v.y(), ", ", v.z(), ")");
}

std::vector<Vector3> to_points(const nb::object& value, const char* name) {
  const MatrixX matrix = to_matrix(value, name);
  if (matrix.cols() != 3) refuse(name, " is ", matrix.rows(), " x ", matrix.cols(), "; a row per point is wanted");
  std::vector<Vector3> points(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = matrix.row(static_cast<Eigen::Index>(i));
  return points;
}

Triangles to_triangles(const nb::object& value, const char* name) {
  const MatrixX matrix = to_matrix(value, name);
  if (matrix.cols() != 3) refuse(name, " is ", matrix.rows(), " x ", matrix.cols(), "; three corners a row are wanted");
  Triangles triangles(static_cast<std::size_t>(matrix.rows()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double corner = matrix(i, k);
      if (!(corner >= 0.0 && corner < 2147483648.0) || corner != std::floor(corner)) {
        refuse(name, "[", i, ", ", k, "] is ", corner, "; it must be the index of a vertex");
      }
      triangles[i][k] = static_cast<int>(corner);
    }
  }
  return triangles;
}

NumpyArray from_points(std::span<const Vector3> points) {
  MatrixX matrix(static_cast<Eigen::Index>(points.size()), 3);
  for (std::size_t i = 0; i < points.size(); ++i) matrix.row(static_cast<Eigen::Index>(i)) = points[i];
  return to_numpy(std::move(matrix));
}

nb::object from_triangles(std::span<const std::array<int, 3>> triangles) {
  auto [array, data] = new_array<std::int32_t>({triangles.size(), 3});
  for (const std::array<int, 3>& triangle : triangles) data = std::copy(triangle.begin(), triangle.end(), data);
  return array;
}

MatrixX matrix_of(const Pose& pose) {
  MatrixX matrix = MatrixX::Identity(4, 4);
  matrix.topLeftCorner<3, 3>() = pose.rotation;
  matrix.topRightCorner<3, 1>() = pose.position;
  return matrix;
}

Pose pose_from_matrix(const nb::object& value) {
  const MatrixX m = to_matrix(value, "matrix");
  if (m.rows() != 4 || m.cols() != 4) refuse("matrix is ", m.rows(), " x ", m.cols(), "; 4 x 4 is wanted");
  const Matrix3 rotation = m.topLeftCorner<3, 3>();
  const double error = (rotation.transpose() * rotation - Matrix3::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= 1e-6) || !(rotation.determinant() > 0.0)) refuse("matrix holds no rotation: RᵀR is off by ", error);
  return Pose(rotation, m.topRightCorner<3, 1>());
}

void expose_pose(nb::module_& module) {
  nb::class_<Pose>(module, "Pose",
                   "Where frame B is in frame A: pose * point maps coordinates in B to coordinates in A. Unpacks into "
                   "(position, orientation).")
      .def(
          "__init__",
          [](Pose* self, const ArrayLike& position, const ArrayLike& orientation) {
            Pose pose(to_vector3(position, "position"));
            read_orientation({orientation, "orientation"}, pose.rotation);
            new (self) Pose(pose);
          },
          "position"_a = nb::make_tuple(0.0, 0.0, 0.0), "orientation"_a = nb::make_tuple(0.0, 0.0, 0.0, 1.0),
          "Metres, and a quaternion (x, y, z, w)")
      .def_static(
          "from_matrix", [](const ArrayLike& matrix) { return pose_from_matrix(matrix); }, "matrix"_a, "From 4 x 4")
      .def_prop_ro("position", view_of_member(&Pose::position), "m")
      .def_prop_ro("rotation", view_of_member(&Pose::rotation), "3 x 3")
      .def_prop_ro(
          "orientation", [](const Pose& pose) { return copy_to_numpy(orientation_of(pose)); }, "(x, y, z, w), w >= 0")
      .def_prop_ro(
          "matrix", [](const Pose& pose) { return copy_matrix_to_numpy(matrix_of(pose)); }, "4 x 4")
      .def("__mul__", [](const Pose& a, const Pose& b) { return a * b; })
      .def("__mul__", [](const Pose& a, const ArrayLike& b) { return copy_to_numpy(a * to_vector3(b, "point")); })
      .def("inverse", &Pose::inverse)
      .def(
          "__iter__",
          [](const Pose& pose) {
            return nb::iter(nb::make_tuple(copy_to_numpy(pose.position), copy_to_numpy(orientation_of(pose))));
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[numpy.typing.NDArray[numpy.float64]]"))
      .def("__repr__", [](const Pose& pose) {
        const Eigen::Vector4d q = orientation_of(pose);
        return text("Pose(", list(pose.position), ", (", q[0], ", ", q[1], ", ", q[2], ", ", q[3], "))");
      });
}

// radius and half_length, about z.
template <class Round>
void expose_round(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Round>(module, name, doc)
      .def(
          "__init__", [](Round* self, double radius, double half_length) { new (self) Round{radius, half_length}; },
          "radius"_a, "half_length"_a)
      .def_ro("radius", &Round::radius)
      .def_ro("half_length", &Round::half_length)
      .def("__repr__",
           [name](const Round& r) { return text(name, "(radius=", r.radius, ", half_length=", r.half_length, ")"); });
}

// Three lengths.
template <class Solid>
void expose_solid(nb::module_& module, const char* name, const char* field, Vector3 Solid::* lengths, const char* doc) {
  nb::class_<Solid>(module, name, doc)
      .def(
          "__init__", [field](Solid* self, const ArrayLike& value) { new (self) Solid{to_vector3(value, field)}; },
          nb::arg(field))
      .def_prop_ro(field, view_of_member(lengths))
      .def("__repr__",
           [name, field, lengths](const Solid& s) { return text(name, "(", field, "=", list(s.*lengths), ")"); });
}

void expose_primitives(nb::module_& module) {
  nb::class_<Plane>(module, "Plane", "The half space z <= 0").def(nb::init<>()).def("__repr__", [](const Plane&) {
    return "Plane()";
  });
  nb::class_<Sphere>(module, "Sphere")
      .def(
          "__init__", [](Sphere* self, double radius) { new (self) Sphere{radius}; }, "radius"_a)
      .def_ro("radius", &Sphere::radius)
      .def("__repr__", [](const Sphere& s) { return text("Sphere(radius=", s.radius, ")"); });
  expose_round<Capsule>(module, "Capsule", "About z, with half spheres at z = +- half_length");
  expose_round<Cylinder>(module, "Cylinder", "About z, flat at z = +- half_length");
  expose_solid(module, "Ellipsoid", "radii", &Ellipsoid::radii, "Half axes along x, y, z, m");
  expose_solid(module, "Box", "half_size", &Box::half_size, "Half edges along x, y, z, m");
}

void expose_meshes(nb::module_& module) {
  nb::class_<Hull>(module, "ConvexHull", "The convex hull of points")
      .def(
          "__init__",
          [](Hull* self, const ArrayLike& points) {
            const std::vector<Vector3> list_of_points = to_points(points, "points");
            new (self) Hull{ConvexHull::from_points(list_of_points)};
          },
          "points"_a, "One point a row, m")
      .def_prop_ro("vertices", [](const Hull& h) { return from_points(h.shape->vertices()); })
      .def_prop_ro(
          "triangles", [](const Hull& h) { return from_triangles(h.shape->triangles()); },
          "counter-clockwise seen from outside")
      .def_prop_ro("num_vertices", [](const Hull& h) { return h.shape->num_vertices(); })
      .def_prop_ro("num_faces", [](const Hull& h) { return h.shape->num_faces(); })
      .def_prop_ro(
          "volume", [](const Hull& h) { return h.shape->volume(); }, "m^3")
      .def_prop_ro(
          "com", [](const Hull& h) { return copy_to_numpy(h.shape->com()); }, "m")
      .def("__repr__", [](const Hull& h) {
        return text("ConvexHull(", h.shape->num_vertices(), " vertices, ", h.shape->num_faces(), " faces)");
      });
  nb::class_<Mesh>(module, "TriangleMesh", "Terrain of triangles; outside is where corners go round counter-clockwise")
      .def(
          "__init__",
          [](Mesh* self, const ArrayLike& vertices, const ArrayLike& triangles) {
            new (self) Mesh{TriangleMesh::make(to_points(vertices, "vertices"), to_triangles(triangles, "triangles"))};
          },
          "vertices"_a, "triangles"_a, "One point a row, m; three indices a row")
      .def_prop_ro("vertices", [](const Mesh& m) { return from_points(m.shape->vertices()); })
      .def_prop_ro("triangles", [](const Mesh& m) { return from_triangles(m.shape->triangles()); })
      .def_prop_ro("num_vertices", [](const Mesh& m) { return m.shape->num_vertices(); })
      .def_prop_ro("num_triangles", [](const Mesh& m) { return m.shape->num_triangles(); })
      .def("__repr__", [](const Mesh& m) {
        return text("TriangleMesh(", m.shape->num_vertices(), " vertices, ", m.shape->num_triangles(), " triangles)");
      });
  nb::class_<Field2>(module, "HeightField", "Terrain of heights over a grid, centred on the origin: the solid is below")
      .def(
          "__init__",
          [](Field2* self, const ArrayLike& heights, double spacing_x, double spacing_y) {
            // heights[j, i]: NumPy's rows are one after the other, which is the transpose's columns.
            const MatrixX h = to_matrix(heights, "heights").transpose();
            new (self) Field2{HeightField::make(static_cast<int>(h.rows()), static_cast<int>(h.cols()), spacing_x,
                                                spacing_y, {h.data(), static_cast<std::size_t>(h.size())})};
          },
          "heights"_a, "spacing_x"_a, "spacing_y"_a,
          "heights[j, i] at y = j spacing_y, x = i spacing_x from a corner, m")
      .def_prop_ro("num_x", [](const Field2& f) { return f.shape->num_x(); })
      .def_prop_ro("num_y", [](const Field2& f) { return f.shape->num_y(); })
      .def_prop_ro("spacing_x", [](const Field2& f) { return f.shape->spacing_x(); })
      .def_prop_ro("spacing_y", [](const Field2& f) { return f.shape->spacing_y(); })
      .def_prop_ro(
          "heights",
          [](const Field2& f) {
            return to_numpy(MatrixX(
                Eigen::Map<const MatrixX>(f.shape->heights().data(), f.shape->num_x(), f.shape->num_y()).transpose()));
          })
      .def(
          "height_at", [](const Field2& f, double x, double y) { return f.shape->height_at(x, y); }, "x"_a, "y"_a)
      .def("__repr__",
           [](const Field2& f) { return text("HeightField(", f.shape->num_x(), " x ", f.shape->num_y(), ")"); });
}

// A matrix, or its diagonal.
Matrix3 to_moment(const nb::object& value) {
  if (nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(value)) == 1) {
    return to_vector3(value, "moment").asDiagonal();
  }
  const MatrixX moment = to_matrix(value, "moment");
  if (moment.rows() != 3 || moment.cols() != 3) {
    refuse("moment is ", moment.rows(), " x ", moment.cols(), "; 3 x 3 or a diagonal of 3 is wanted");
  }
  return moment;
}

void expose_inertia(nb::module_& module) {
  nb::class_<Inertia>(module, "Inertia", "Mass, centre of mass and moment of inertia of a body")
      .def(
          "__init__",
          [](Inertia* self, double mass, const ArrayLike& moment, const ArrayLike& com) {
            new (self) Inertia{mass, to_vector3(com, "com"), to_moment(moment)};
          },
          "mass"_a, "moment"_a, "com"_a = nb::make_tuple(0.0, 0.0, 0.0),
          "kg; 3 x 3 or a diagonal, about the centre of mass, kg m^2; m")
      .def_static(
          "of", [](const GeometryLike& geometry, double mass) { return Inertia::of(to_geometry(geometry), mass); },
          "geometry"_a, "mass"_a, "Uniform solid of a mass")
      .def_static(
          "of_density",
          [](const GeometryLike& geometry, double density) {
            return Inertia::of_density(to_geometry(geometry), density);
          },
          "geometry"_a, "density"_a, "Uniform solid of a density, kg/m^3")
      .def_ro("mass", &Inertia::mass, "kg")
      .def_prop_ro("com", view_of_member(&Inertia::com), "m")
      .def_prop_ro("moment", view_of_member(&Inertia::moment), "about the centre of mass, kg m^2")
      .def("in_", &Inertia::in, "pose"_a, "The same body seen from the frame that `pose` leads to (C++: in)")
      .def("__add__", &Inertia::operator+, "Of two bodies rigidly joined")
      .def("__repr__", [](const Inertia& i) {
        return text("Inertia(mass=", i.mass, ", com=", list(i.com), ", moment diagonal ", list(i.moment.diagonal()),
                    ")");
      });
}

template <class Value>
bool take(const nb::object& value, Geometry& to) {
  if (!nb::isinstance<Value>(value)) return false;
  if constexpr (requires(Value v) { v.shape; }) {
    to = nb::cast<const Value&>(value).shape;
  } else {
    to = nb::cast<const Value&>(value);
  }
  return true;
}

}  // namespace

bool is_geometry(PyObject* value) {
  const nb::handle h(value);
  return nb::isinstance<Plane>(h) || nb::isinstance<Sphere>(h) || nb::isinstance<Capsule>(h) ||
         nb::isinstance<Cylinder>(h) || nb::isinstance<Ellipsoid>(h) || nb::isinstance<Box>(h) ||
         nb::isinstance<Hull>(h) || nb::isinstance<Mesh>(h) || nb::isinstance<Field2>(h);
}

Geometry to_geometry(const nb::object& value) {
  Geometry geometry;
  if (take<Plane>(value, geometry) || take<Sphere>(value, geometry) || take<Capsule>(value, geometry) ||
      take<Cylinder>(value, geometry) || take<Ellipsoid>(value, geometry) || take<Box>(value, geometry) ||
      take<Hull>(value, geometry) || take<Mesh>(value, geometry) || take<Field2>(value, geometry)) {
    return geometry;
  }
  throw nb::type_error(
      "geometry is no Plane, Sphere, Capsule, Cylinder, Ellipsoid, Box, ConvexHull, TriangleMesh or "
      "HeightField");
}

nb::object from_geometry(const Geometry& geometry) {
  return std::visit(
      []<class Value>(const Value& value) {
        if constexpr (requires { value.get(); }) {
          using Shape = std::remove_cvref_t<decltype(*value)>;
          return nb::cast(Shared<Shape>{value});
        } else {
          return nb::cast(value);
        }
      },
      geometry);
}

Eigen::Vector4d orientation_of(const Pose& pose) {
  Quaternion q(pose.rotation);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  return q.coeffs();
}

void expose_geometry(nb::module_& module) {
  expose_pose(module);
  expose_primitives(module);
  expose_meshes(module);
  expose_inertia(module);
}

}  // namespace stiction::python
