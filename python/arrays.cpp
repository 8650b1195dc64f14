#include "arrays.h"

#include <nanobind/stl/string.h>

#include <climits>
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

}  // namespace

VectorX to_vector(const nb::object& value, const char* name) {
  if (value.is_none()) return VectorX();
  const auto array = nb::cast<InputVector>(to_array(value, name, 1, "float64", "C"));
  return Eigen::Map<const VectorX>(array.data(), static_cast<Eigen::Index>(array.size()));
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

NumpyVector to_numpy(VectorX&& values) {
  auto* kept = new VectorX(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<VectorX*>(p); });
  return NumpyVector(kept->data(), {static_cast<std::size_t>(kept->size())}, owner);
}

NumpyMatrix to_numpy(MatrixX&& values) {
  auto* kept = new MatrixX(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<MatrixX*>(p); });
  return NumpyMatrix(kept->data(), {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())},
                     owner, {1, static_cast<std::int64_t>(kept->rows())});
}

NumpyVectorView view_of(const VectorX& values, nb::handle owner) {
  return NumpyVectorView(values.data(), {static_cast<std::size_t>(values.size())}, owner);
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
