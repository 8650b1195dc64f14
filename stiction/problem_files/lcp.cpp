#include "stiction/problem_files/lcp.h"

#include <stdexcept>

#include "stiction/math/refuse.h"
#include "stiction/problem_files/hdf5.h"

namespace stiction {

LcpFile read_lcp(const hdf5::File& file) {
  if (!file.has("/lcp")) refuse(file.path(), ": holds no /lcp: no complementarity problem");
  const auto shape = file.shape("/lcp/M");
  if (shape.size() != 2 || shape[0] != shape[1]) file.refuse("/lcp/M", "is not a square matrix");
  const auto n = shape[0];
  LcpFile contents;
  contents.problem.offset = file.read_doubles("/lcp/q", n);
  const VectorX values = file.read_doubles("/lcp/M", n * n);  // row after row
  contents.problem.matrix =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(values.data(), n, n);
  if (file.has("/lcp/source")) contents.source = file.read_string("/lcp/source");
  try {
    contents.problem.validate();
  } catch (const std::invalid_argument& error) {
    refuse(file.path(), ": ", error.what());
  }
  return contents;
}

LcpFile read_lcp(const std::string& path) {
  return read_lcp(hdf5::File::open(path));
}

}  // namespace stiction
