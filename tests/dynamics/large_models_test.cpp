// Long chains and many bodies.
#include <gtest/gtest.h>

#include "forests.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/factor_chain.h"
#include "stiction/dynamics/mechanics.h"

namespace stiction {
namespace {

TEST(LargeModels, chain_of_five_hundred_links) {
  constexpr int links = 500;
  testing::Rng rng(1);
  ModelBuilder builder;
  for (int k = 0; k < links; ++k) {
    BodyOptions body{.parent = k - 1, .pose = Pose(Vector3(0.0, 0.0, 0.1))};
    body.joint.kind = JointKind::revolute;
    body.joint.axis = testing::random_direction(rng);
    body.joint.armature = 0.01;
    body.inertia = testing::random_inertia(rng);
    builder.add_body(body);
  }
  const auto model = builder.build();
  const testing::Motion m = testing::random_motion(*model, 1);
  DynamicsData data(*model);
  update_kinematics(*model, m.q.data(), m.v.data(), data);
  update_inertia(*model, data);
  factor_inertia(*model, nullptr, data);
  VectorX tau(links), product(links), a(links);
  inverse_dynamics(*model, data, m.a.data(), nullptr, 0, tau.data());
  multiply_inertia(*model, data, m.a.data(), product.data());
  const ConstVectorMap bias(data.bias.data(), links);
  const double scale = tau.cwiseAbs().maxCoeff();
  EXPECT_LT((product + bias - tau).cwiseAbs().maxCoeff(), 1e-12 * scale);
  forward_dynamics(*model, data, tau.data(), a.data());
  multiply_inertia(*model, data, a.data(), product.data());
  EXPECT_LT((product + bias - tau).cwiseAbs().maxCoeff(), 1e-10 * scale);
  // The mobility of the tip: through the factor, and by a solve.
  AlignedVector<Pack8> y(data.longest_chain);
  ASSERT_EQ(chain_through_factor(*model, data, links - 1, y.data()), links);
  const MatrixX jacobian = point_jacobian(*model, data, links - 1, tree_reference(data, 0));
  VectorX x = jacobian.row(2).transpose();
  solve_inertia(*model, data, x.data());
  double mobility = 0.0;
  for (const Pack8& entry : y) mobility += entry[6] * entry[6];
  EXPECT_NEAR(mobility, jacobian.row(2).dot(x), 1e-8 * mobility);
  EXPECT_GT(mobility, 0.0);
}

TEST(LargeModels, two_thousand_free_bodies) {
  constexpr int count = 2000;
  testing::Rng rng(2);
  ModelBuilder builder;
  for (int k = 0; k < count; ++k) builder.add_body(testing::random_single_body(rng));
  const auto model = builder.build();
  const testing::Motion m = testing::random_motion(*model, 2);
  DynamicsData data(*model);
  update_kinematics(*model, m.q.data(), m.v.data(), data);
  update_inertia(*model, data);
  factor_inertia(*model, nullptr, data);
  VectorX a(6 * count);
  forward_dynamics(*model, data, m.tau.data(), a.data());
  EXPECT_EQ(data.runs.size(), 1u);
  for (int k = 0; k < count; k += 97) {
    const Body& body = model->bodies[k];
    const int j = body.first_velocity;
    const Vector3 omega = m.v.segment(j + 3, 3), moment = m.tau.segment(j + 3, 3), force = m.tau.segment(j, 3);
    EXPECT_LT((a.segment(j, 3) - model->gravity - force / body.mass).norm(), 1e-12 * (1.0 + force.norm() / body.mass));
    const Vector3 rate = a.segment(j + 3, 3);
    EXPECT_LT((body.inertia * rate + omega.cross(body.inertia * omega) - moment).norm(), 1e-13);
  }
}

// A world whose trees have gone astray one by one leaves the others untouched.
TEST(LargeModels, a_broken_tree_stays_alone) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const auto model = testing::random_forest(seed);
    testing::Motion m = testing::random_motion(*model, seed);
    DynamicsData data(*model);
    const auto accelerations = [&] {
      update_kinematics(*model, m.q.data(), m.v.data(), data);
      update_inertia(*model, data);
      factor_inertia(*model, nullptr, data);
      VectorX a(m.v.size());
      forward_dynamics(*model, data, m.tau.data(), a.data());
      return a;
    };
    const VectorX good = accelerations();
    for (const Tree& broken : model->trees) {
      const testing::Motion kept = m;
      m.v.segment(broken.first_velocity, broken.num_velocities).setConstant(std::nan(""));
      m.q[model->bodies[broken.first_body].first_position] = std::nan("");
      const VectorX a = accelerations();
      for (int j = 0; j < a.size(); ++j) {
        if (j >= broken.first_velocity && j < broken.first_velocity + broken.num_velocities) continue;
        EXPECT_EQ(a[j], good[j]) << seed << " " << j;
      }
      m = kept;
    }
    EXPECT_EQ(accelerations(), good);
  }
}

}  // namespace
}  // namespace stiction
