#include "arrays.h"

#define NPY_NO_DEPRECATED_API NPY_1_21_API_VERSION
#include <nanobind/stl/string.h>
#include <numpy/arrayobject.h>

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <string>
#include <vector>

namespace stiction::python {
namespace {

using InputVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputMatrix = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using InputIndices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::string shape_of(const nb::object& array) {
  const nb::object shape = array.attr("shape");
  return nb::cast<std::string>(nb::str(shape));
}

nb::object to_array(const nb::object& value, const char* name, int dimensions, const char* dtype, const char* order) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(value);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (std::string("fiub").find(kind) == std::string::npos) {
    const nb::object dtype_found = array.attr("dtype");
    const std::string type = nb::cast<std::string>(nb::str(dtype_found));
    throw nb::type_error((std::string(name) + " has entries of type " + type + "; real numbers are wanted").c_str());
  }
  if (nb::cast<int>(array.attr("ndim")) != dimensions) {
    throw nb::value_error((std::string(name) + " has shape " + shape_of(array) + "; a " +
                           (dimensions == 1 ? "vector" : "matrix") + " is wanted")
                              .c_str());
  }
  return numpy.attr("asarray")(array, dtype, order);
}

std::vector<int> to_indices(const nb::object& value, const char* name) {
  const auto array = nb::cast<InputIndices>(to_array(value, name, 1, "int64", "C"));
  std::vector<int> indices(array.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const std::int64_t index = array.data()[k];
    if (index < 0 || index > INT_MAX) {
      throw nb::value_error((std::string(name) + " holds the index " + std::to_string(index)).c_str());
    }
    indices[k] = static_cast<int>(index);
  }
  return indices;
}

int checked_size(const nb::object& size, const char* name) {
  const auto n = nb::cast<std::int64_t>(size);
  if (n < 0 || n > INT_MAX) throw nb::value_error((std::string(name) + " is too large").c_str());
  return static_cast<int>(n);
}

PyArrayObject* as_array(const nb::object& array) {
  return reinterpret_cast<PyArrayObject*>(array.ptr());
}

// An array over memory that `owner` keeps alive.
NumpyArray array_over(const double* data, std::initializer_list<Eigen::Index> shape, nb::handle owner, int flags) {
  npy_intp extents[2] = {0, 0};
  std::copy(shape.begin(), shape.end(), extents);
  nb::object array = nb::steal(PyArray_New(&PyArray_Type, static_cast<int>(shape.size()), extents, NPY_DOUBLE, nullptr,
                                           const_cast<double*>(data), 0, flags, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  if (PyArray_SetBaseObject(as_array(array), nb::borrow(owner).release().ptr()) != 0) throw nb::python_error();
  return nb::borrow<NumpyArray>(array);
}

}  // namespace

VectorX to_vector(const nb::object& value, const char* name) {
  if (value.is_none()) return VectorX();
  const auto array = nb::cast<InputVector>(to_array(value, name, 1, "float64", "C"));
  return ConstVectorMap(array.data(), static_cast<Eigen::Index>(array.size()));
}

Vector3 to_vector3(const nb::object& value, const char* name) {
  const VectorArgument vector(value, name);
  if (vector.view().size() != 3) {
    throw nb::value_error(
        (std::string(name) + " has " + std::to_string(vector.view().size()) + " entries; 3 are wanted").c_str());
  }
  return vector.view();
}

VectorArgument::VectorArgument(const nb::object& value, const char* name) {
  if (read_buffer(value.ptr()) || read_sequence(value.ptr())) return;
  copy_ = to_vector(value, name);
  data_ = copy_.data();
  size_ = copy_.size();
}

VectorArgument::~VectorArgument() {
  if (buffer_.obj) PyBuffer_Release(&buffer_);
}

bool VectorArgument::read_buffer(PyObject* value) {
  if (!PyObject_CheckBuffer(value)) return false;
  if (PyObject_GetBuffer(value, &buffer_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    buffer_.obj = nullptr;
    return false;
  }
  if (buffer_.ndim != 1 || !buffer_.format || std::string_view(buffer_.format) != "d") {
    PyBuffer_Release(&buffer_);
    buffer_.obj = nullptr;
    return false;
  }
  data_ = static_cast<const double*>(buffer_.buf);
  size_ = static_cast<Eigen::Index>(buffer_.len / static_cast<Py_ssize_t>(sizeof(double)));
  return true;
}

bool VectorArgument::read_sequence(PyObject* value) {
  constexpr Py_ssize_t longest = 64;
  const bool is_list = PyList_CheckExact(value);
  if (!is_list && !PyTuple_CheckExact(value)) return false;
  const Py_ssize_t size = is_list ? PyList_Size(value) : PyTuple_Size(value);
  if (size > longest) return false;
  copy_.resize(size);
  for (Py_ssize_t k = 0; k < size; ++k) {
    PyObject* const item = is_list ? PyList_GetItem(value, k) : PyTuple_GetItem(value, k);
    if (PyFloat_CheckExact(item)) {
      copy_[k] = PyFloat_AsDouble(item);
    } else if (PyLong_CheckExact(item)) {
      copy_[k] = PyLong_AsDouble(item);
      if (PyErr_Occurred()) throw nb::python_error();
    } else {
      return false;
    }
  }
  data_ = copy_.data();
  size_ = size;
  return true;
}

std::string to_path(const nb::object& path) {
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
}

MatrixX to_matrix(const nb::object& value, const char* name) {
  const auto array = nb::cast<InputMatrix>(to_array(value, name, 2, "float64", "F"));
  return Eigen::Map<const MatrixX>(array.data(), static_cast<Eigen::Index>(array.shape(0)),
                                   static_cast<Eigen::Index>(array.shape(1)));
}

bool is_sparse(const nb::object& value) {
  return nb::hasattr(value, "tocsr");
}

SparseRows to_sparse_rows(const nb::object& value, const char* name) {
  if (!is_sparse(value)) return to_matrix(value, name).sparseView(0.0, 0.0);
  const nb::object csr = value.attr("tocsr")();
  const nb::tuple shape = nb::cast<nb::tuple>(csr.attr("shape"));
  const int rows = checked_size(shape[0], name), columns = checked_size(shape[1], name);
  const VectorX data = to_vector(csr.attr("data"), name);
  const std::vector<int> column = to_indices(csr.attr("indices"), name);
  const std::vector<int> begin = to_indices(csr.attr("indptr"), name);
  if (static_cast<int>(begin.size()) != rows + 1 || begin.front() != 0 ||
      begin.back() > static_cast<int>(column.size()) || data.size() != static_cast<Eigen::Index>(column.size())) {
    throw nb::value_error((std::string(name) + ": the arrays of the sparse matrix do not fit together").c_str());
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(column.size());
  for (int i = 0; i < rows; ++i) {
    if (begin[i] > begin[i + 1]) throw nb::value_error((std::string(name) + ": indptr descends").c_str());
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      if (column[k] >= columns) {
        throw nb::value_error(
            (std::string(name) + ": column " + std::to_string(column[k]) + " is outside the matrix").c_str());
      }
      entries.emplace_back(i, column[k], data[k]);
    }
  }
  SparseRows matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void import_numpy() {
  if (_import_array() < 0) throw nb::python_error();
}

template <class Number>
NewArray<Number> new_array(std::initializer_list<std::size_t> shape) {
  constexpr int type = std::is_same_v<Number, std::uint8_t>   ? NPY_UINT8
                       : std::is_same_v<Number, double>       ? NPY_DOUBLE
                       : std::is_same_v<Number, std::int32_t> ? NPY_INT32
                                                              : NPY_UINT64;
  npy_intp extents[8];
  std::copy(shape.begin(), shape.end(), extents);
  nb::object array = nb::steal(PyArray_SimpleNew(static_cast<int>(shape.size()), extents, type));
  if (!array.is_valid()) throw nb::python_error();
  auto* const data = static_cast<Number*>(PyArray_DATA(as_array(array)));
  return {std::move(array), data};
}
template NewArray<std::uint8_t> new_array(std::initializer_list<std::size_t>);
template NewArray<double> new_array(std::initializer_list<std::size_t>);
template NewArray<std::int32_t> new_array(std::initializer_list<std::size_t>);
template NewArray<std::uint64_t> new_array(std::initializer_list<std::size_t>);

NumpyArray to_numpy(VectorX&& values) {
  auto* kept = new VectorX(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<VectorX*>(p); });
  return array_over(kept->data(), {kept->size()}, owner, NPY_ARRAY_CARRAY);
}

NumpyArray to_numpy(MatrixX&& values) {
  auto* kept = new MatrixX(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<MatrixX*>(p); });
  return array_over(kept->data(), {kept->rows(), kept->cols()}, owner, NPY_ARRAY_FARRAY);
}

NumpyArray copy_to_numpy(VectorView values) {
  const auto [array, data] = new_array<double>({static_cast<std::size_t>(values.size())});
  std::copy_n(values.data(), values.size(), data);
  return nb::borrow<NumpyArray>(array);
}

NumpyArray copy_matrix_to_numpy(const MatrixX& values) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto [array, data] =
      new_array<double>({static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())});
  Eigen::Map<RowMajor>(data, values.rows(), values.cols()) = values;
  return nb::borrow<NumpyArray>(array);
}

void make_read_only(const nb::object& array) {
  PyArray_CLEARFLAGS(as_array(array), NPY_ARRAY_WRITEABLE);
}

NumpyArray view_of(const double* values, Eigen::Index size, nb::handle owner) {
  return array_over(values, {size}, owner, NPY_ARRAY_CARRAY_RO);
}

NumpyArray view_of(const Matrix3& values, nb::handle owner) {
  return array_over(values.data(), {3, 3}, owner, NPY_ARRAY_FARRAY_RO);
}

nb::object to_scipy(const SparseRows& matrix) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object csr_matrix = nb::module_::import_("scipy.sparse").attr("csr_matrix");
  const auto copied = [&](const auto* data, Eigen::Index size) {
    using Entry = std::remove_cv_t<std::remove_pointer_t<decltype(data)>>;
    using View = nb::ndarray<nb::numpy, const Entry, nb::ndim<1>>;
    return numpy.attr("array")(
        nb::cast(View(data, {static_cast<std::size_t>(size)}, nb::handle()), nb::rv_policy::reference));
  };
  SparseRows packed = matrix;
  packed.makeCompressed();
  const nb::tuple arrays =
      nb::make_tuple(copied(packed.valuePtr(), packed.nonZeros()), copied(packed.innerIndexPtr(), packed.nonZeros()),
                     copied(packed.outerIndexPtr(), packed.rows() + 1));
  return csr_matrix(arrays, nb::make_tuple(packed.rows(), packed.cols()));
}

}  // namespace stiction::python
