#include "stiction/contact/linear_complementarity_problem.h"

#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

template <class... Parts>
[[noreturn]] void refuse_lcp(const Parts&... parts) {
  refuse("linear complementarity problem: ", parts...);
}

}  // namespace

void LinearComplementarityProblem::validate() const {
  const Eigen::Index n = offset.size();
  if (matrix.rows() != n || matrix.cols() != n) {
    refuse_lcp("M is ", matrix.rows(), " x ", matrix.cols(), " but q has ", n, " entries");
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!std::isfinite(offset[j])) refuse_lcp("q[", j, "] is ", offset[j]);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!std::isfinite(matrix(i, j))) refuse_lcp("M[", i, ", ", j, "] is ", matrix(i, j));
    }
  }
}

}  // namespace stiction
