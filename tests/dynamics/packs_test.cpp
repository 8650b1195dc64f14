// Packs of environments give, lane by lane, what one environment gives.
#include <gtest/gtest.h>

#include "forests.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/factor_chain.h"

namespace stiction {
namespace {

using testing::Motion;

template <class Pack>
void compare_lanes(unsigned seed) {
  constexpr int lanes = sizeof(Pack) / sizeof(double);
  const auto model = testing::random_forest(seed);
  const int nq = model->num_positions(), nv = model->num_velocities();
  AlignedVector<Pack> q(nq), v(nv), tau(nv), added(nv), x(nv), y(nv), dv(nv);
  std::vector<Motion> motions;
  for (int lane = 0; lane < lanes; ++lane) {
    motions.push_back(testing::random_motion(*model, 100 * seed + lane));
    if (lane == 1) {  // one environment has turned too far for the packed sine
      for (const Body& body : model->bodies) {
        if (body.joint == JointType::revolute) motions[lane].q[body.first_position] += 1e7;
      }
    }
    const Motion& m = motions.back();
    for (int i = 0; i < nq; ++i) q[i][lane] = m.q[i];
    for (int j = 0; j < nv; ++j) v[j][lane] = m.v[j], tau[j][lane] = m.tau[j], added[j][lane] = std::abs(m.a[j]);
  }
  for (bool with_diagonal : {false, true}) {
    DynamicsDataT<Pack> packed(*model);
    update_kinematics(*model, q.data(), v.data(), packed);
    update_inertia(*model, packed);
    factor_inertia(*model, with_diagonal ? added.data() : nullptr, packed);
    x = tau;
    solve_inertia(*model, packed, x.data());
    multiply_inertia(*model, packed, tau.data(), y.data());
    velocity_from_factor(*model, packed, tau.data(), dv.data());
    AlignedVector<SpatialVector<Pack>> chain(packed.longest_chain);
    const int last = model->num_bodies() / 2, length = chain_through_factor(*model, packed, last, chain.data());
    for (int lane = 0; lane < lanes; ++lane) {
      const Motion& m = motions[lane];
      const VectorX diagonal = m.a.cwiseAbs();
      DynamicsData one(*model);
      update_kinematics(*model, m.q.data(), m.v.data(), one);
      update_inertia(*model, one);
      factor_inertia(*model, with_diagonal ? diagonal.data() : nullptr, one);
      VectorX x1 = m.tau, y1(nv), dv1(nv);
      solve_inertia(*model, one, x1.data());
      multiply_inertia(*model, one, m.tau.data(), y1.data());
      velocity_from_factor(*model, one, m.tau.data(), dv1.data());
      const auto near = [&](double a, double b, double scale) { EXPECT_NEAR(a, b, 1e-11 * (1.0 + scale)); };
      for (int j = 0; j < nv; ++j) {
        near(packed.bias[j][lane], one.bias[j], 10.0);
        near(x[j][lane], x1[j], x1.cwiseAbs().maxCoeff());
        near(y[j][lane], y1[j], y1.cwiseAbs().maxCoeff());
        near(dv[j][lane], dv1[j], dv1.cwiseAbs().maxCoeff());
        for (int e = one.row_begin[j]; e <= one.row_begin[j] + one.depth[j]; ++e) {
          near(packed.mass_matrix[e][lane], one.mass_matrix[e], 10.0);
        }
      }
      AlignedVector<SpatialVector<double>> chain1(one.longest_chain);
      ASSERT_EQ(chain_through_factor(*model, one, last, chain1.data()), length);
      for (int e = 0; e < length; ++e) {
        near(chain[e].angular.y()[lane], chain1[e].angular.y(), 10.0);
        near(chain[e].linear.z()[lane], chain1[e].linear.z(), 10.0);
      }
    }
  }
}

TEST(Packs, four_lanes) {
  for (unsigned seed = 0; seed < 6; ++seed) compare_lanes<Pack4>(seed);
}

TEST(Packs, eight_lanes) {
  for (unsigned seed = 6; seed < 10; ++seed) compare_lanes<Pack8>(seed);
}

}  // namespace
}  // namespace stiction
