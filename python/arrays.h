// NumPy and SciPy in, NumPy out. Whatever NumPy can read as real numbers is taken; anything else is refused with the
// name of the argument.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/SparseCore>

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

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// ValueError where the shape is wrong, TypeError where the entries are no real numbers. None gives an empty vector.
VectorX to_vector(const nb::object& value, const char* name);
MatrixX to_matrix(const nb::object& value, const char* name);
// Duck-typed: anything with tocsr(), or a dense array.
bool is_sparse(const nb::object& value);
SparseRows to_sparse_rows(const nb::object& value, const char* name);

using NumpyVector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using NumpyVectorView = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// Arrays that take over the memory of their argument: no copy.
NumpyVector to_numpy(VectorX&& values);
NumpyMatrix to_numpy(MatrixX&& values);
// A read-only view into `owner`, which it keeps alive.
NumpyVectorView view_of(const VectorX& values, nb::handle owner);
// scipy.sparse.csr_matrix; ImportError without SciPy.
nb::object to_scipy(const SparseRows& matrix);

}  // namespace stiction::python
