#include "stiction/contact/linear_complementarity_problem.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace stiction {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  message.precision(17);
  message << "linear complementarity problem: ";
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

}  // namespace

void LinearComplementarityProblem::validate() const {
  const Eigen::Index n = offset.size();
  if (matrix.rows() != n || matrix.cols() != n) {
    refuse("M is ", matrix.rows(), " x ", matrix.cols(), " but q has ", n, " entries");
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!std::isfinite(offset[j])) refuse("q[", j, "] is ", offset[j]);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!std::isfinite(matrix(i, j))) refuse("M[", i, ", ", j, "] is ", matrix(i, j));
    }
  }
}

}  // namespace stiction
