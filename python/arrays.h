// NumPy and SciPy in, NumPy out. Whatever NumPy can read as real numbers is taken; anything else is refused with the
// name of the argument.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/SparseCore>
#include <cstdint>
#include <string>

#include "stiction/math/types.h"

namespace stiction::python {

namespace nb = nanobind;

inline bool is_anything(PyObject*) {
  return true;
}

// Arguments whose reading can fail with a message of ours; the names are what the stubs show.
class ArrayLike : public nb::object {
  NB_OBJECT(ArrayLike, nb::object, "numpy.typing.ArrayLike", is_anything)
};
class MatrixLike : public nb::object {  // an array or a SciPy sparse matrix
  NB_OBJECT(MatrixLike, nb::object, "typing.Any", is_anything)
};

class FrameLike : public nb::object {  // an index or a name
  NB_OBJECT(FrameLike, nb::object, "int | str", is_anything)
};
class PathLike : public nb::object {
  NB_OBJECT(PathLike, nb::object, "str | os.PathLike[str]", is_anything)
};
std::string to_path(const nb::object& path);

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// ValueError where the shape is wrong, TypeError where the entries are no real numbers. None gives an empty vector.
VectorX to_vector(const nb::object& value, const char* name);
MatrixX to_matrix(const nb::object& value, const char* name);
Vector3 to_vector3(const nb::object& value, const char* name);

// The entries of an argument. Arrays of doubles in one piece are read where they are, without NumPy's help, and short
// lists of numbers directly: such calls stand beside steps of a microsecond.
class VectorArgument {
 public:
  VectorArgument(const nb::object& value, const char* name);
  ~VectorArgument();
  VectorArgument(const VectorArgument&) = delete;
  VectorArgument& operator=(const VectorArgument&) = delete;
  ConstVectorMap view() const { return {data_, size_}; }

 private:
  bool read_buffer(PyObject* value);
  bool read_sequence(PyObject* value);

  Py_buffer buffer_{};  // keeps data_ alive where obj is set
  VectorX copy_;
  const double* data_ = nullptr;
  Eigen::Index size_ = 0;
};

// Duck-typed: anything with tocsr(), or a dense array.
bool is_sparse(const nb::object& value);
SparseRows to_sparse_rows(const nb::object& value, const char* name);

// An array of doubles unless said otherwise.
class NumpyArray : public nb::object {
  NB_OBJECT(NumpyArray, nb::object, "numpy.typing.NDArray[numpy.float64]", is_anything)
};

// To be called once, before anything below.
void import_numpy();

// Arrays that take over the memory of their argument: no copy. Matrices are in Fortran's order.
NumpyArray to_numpy(VectorX&& values);
NumpyArray to_numpy(MatrixX&& values);
// By copy, what is best for small ones. Matrices are in C's order.
NumpyArray copy_to_numpy(VectorView values);
NumpyArray copy_matrix_to_numpy(const MatrixX& values);
// Read-only views into `owner`, which they keep alive.
NumpyArray view_of(const double* values, Eigen::Index size, nb::handle owner);
NumpyArray view_of(const Matrix3& values, nb::handle owner);
inline NumpyArray view_of(const VectorX& values, nb::handle owner) {
  return view_of(values.data(), values.size(), owner);
}
inline NumpyArray view_of(const Vector3& values, nb::handle owner) {
  return view_of(values.data(), 3, owner);
}
void make_read_only(const nb::object& array);

// An array of that shape with its entries still to be written, in C's order.
template <class Number>
struct NewArray {
  nb::object array;
  Number* data;
};
template <class Number>
NewArray<Number> new_array(std::initializer_list<std::size_t> shape);

// The getter of a member that is a vector or a matrix: a read-only view into the object.
template <class Owner, class Value>
auto view_of_member(Value Owner::* member) {
  return [member](nb::handle_t<Owner> self) { return view_of(nb::cast<const Owner&>(self).*member, self); };
}
// scipy.sparse.csr_matrix; ImportError without SciPy.
nb::object to_scipy(const SparseRows& matrix);

}  // namespace stiction::python
