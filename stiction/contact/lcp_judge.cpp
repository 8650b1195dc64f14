#include "stiction/contact/lcp_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"

namespace stiction {

LcpResiduals judge_lcp(const LinearComplementarityProblem& problem, VectorView unknown) {
  problem.validate();
  const int n = problem.size();
  if (unknown.size() != n) {
    refuse("judge_lcp: z has ", unknown.size(), " entries but the problem has ", n);
  }
  LcpResiduals out;
  if (n == 0) return out;
  double largest_m = problem.matrix.cwiseAbs().maxCoeff(), largest_q = problem.offset.cwiseAbs().maxCoeff();
  if (largest_m == 0.0) largest_m = 1.0;
  if (largest_q == 0.0) largest_q = 1.0;

  double worst = -1.0;
  for (int i = 0; i < n; ++i) {
    double w = problem.offset[i];
    for (int j = 0; j < n; ++j) w += problem.matrix(i, j) * unknown[j];
    const double z = unknown[i];
    if (!std::isfinite(z) || !std::isfinite(w) || !std::isfinite(z * w)) {
      const double infinity = std::numeric_limits<double>::infinity();
      return {infinity, infinity, infinity, infinity, infinity, infinity, infinity, i};
    }
    out.negative_unknown = std::max(out.negative_unknown, -z);
    out.negative_slack = std::max(out.negative_slack, -w);
    out.complementarity = std::max(out.complementarity, std::abs(z * w));
    out.natural_map = std::max(out.natural_map, std::abs(std::min(z, w)));

    const double z_scaled = z * largest_m / largest_q, w_scaled = w / largest_q;
    const double size = std::max(1.0, std::abs(z_scaled)), product = std::abs(z_scaled * w_scaled);
    out.eps_rel = std::max({out.eps_rel, -z_scaled, -w_scaled, product});
    const double natural = std::max({-z_scaled / size, -w_scaled, product / size});
    out.eps_nat = std::max(out.eps_nat, natural);
    if (natural > worst) {
      worst = natural;
      out.worst_row = i;
    }
  }
  out.eps_abs = std::max({out.negative_unknown, out.negative_slack, out.complementarity});
  return out;
}

}  // namespace stiction
