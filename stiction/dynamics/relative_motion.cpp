#include "stiction/dynamics/relative_motion.h"

namespace stiction {

int dof_through_factor(const Model& model, const DynamicsData& data, int dof, double* y) {
  const int length = data.depth[dof] + 1;
  const int* ancestor = model.row_ancestor.data() + model.row_begin[dof];
  for (int e = 0; e < length; e += 4) store4(y + e, Pack4{});
  y[length - 1] = 1.0;
  for (int e = length - 1; e > 0; --e) {
    const double* row = &data.factor[model.row_begin[ancestor[e]]];
    const double ye = y[e];
    for (int g = 0; g < e; g += 4) store4(y + g, load4(y + g) - ye * load4(row + g));  // zero from the diagonal on
  }
  for (int e = 0; e < length; ++e) y[e] *= data.inverse_root_pivot[ancestor[e]];
  return length;
}

void row_through_factor(const Model& model, const DynamicsData& data, std::span<const int> chain, double* x) {
  for (std::size_t k = chain.size(); k-- > 0;) {
    const int j = chain[k], begin = model.row_begin[j];
    const double xj = x[j];
    for (int e = 0; e < data.depth[j]; ++e) x[model.row_ancestor[begin + e]] -= xj * data.factor[begin + e];
    x[j] = xj * data.inverse_root_pivot[j];
  }
}

void body_velocity(const Model& model, const DynamicsData& data, const double* v, int body, Pack8& velocity) {
  const int last = data.first_velocity[body + 1] - 1, length = data.depth[last] + 1;
  const int* ancestor = model.row_ancestor.data() + data.row_begin[last];
  Pack4 angular{}, linear{};
  for (int e = 0; e < length; ++e) {
    const int j = ancestor[e];
    angular += v[j] * data.motion[j].angular.lanes();
    linear += v[j] * data.motion[j].linear.lanes();
  }
  double* out = reinterpret_cast<double*>(&velocity);
  store4(out, angular);
  store4(out + 4, linear);
}

void body_velocities(const DynamicsData& data, const double* v, AlignedVector<SpatialVector<double>>& velocity) {
  const int n = static_cast<int>(data.bodies.size());
  velocity.resize(static_cast<std::size_t>(n));
  for (int b = 0; b < n; ++b) {
    Pack4 angular{}, linear{};
    if (const int parent = data.parent[b]; parent >= 0) {
      angular = velocity[parent].angular.lanes();
      linear = velocity[parent].linear.lanes();
    }
    for (int j = data.first_velocity[b]; j < data.first_velocity[b + 1]; ++j) {
      angular += v[j] * data.motion[j].angular.lanes();
      linear += v[j] * data.motion[j].linear.lanes();
    }
    velocity[b] = {Vec3<double>(angular), Vec3<double>(linear)};
  }
}

}  // namespace stiction
