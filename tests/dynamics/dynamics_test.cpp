// The equations of motion against themselves: recursion against matrices, matrices against energies and finite
// differences, factors against dense algebra.
#include "stiction/dynamics/dynamics.h"

#include <gtest/gtest.h>

#include <random>

#include "../support/allocation_guard.h"
#include "forests.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/factor_chain.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/dynamics/relative_motion.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

using testing::Motion;
using testing::random_forest;
using testing::random_motion;

constexpr int num_forests = 12;

struct Updated {
  std::shared_ptr<const Model> model;
  Motion motion;
  DynamicsData data;

  explicit Updated(unsigned seed, bool factor = true)
      : model(random_forest(seed)), motion(random_motion(*model, seed)), data(*model) {
    update(motion.q, motion.v, factor);
  }
  void update(const VectorX& q, const VectorX& v, bool factor = true) {
    update_kinematics(*model, q.data(), v.data(), data);
    update_inertia(*model, data);
    if (factor) factor_inertia(*model, nullptr, data);
  }
  VectorX bias() const { return ConstVectorMap(data.bias.data(), model->num_velocities()); }
  VectorX moved(const VectorX& velocity, double time) const {
    VectorX q(model->num_positions());
    integrate(*model, motion.q, velocity, time, q);
    return q;
  }
};

double relative(const MatrixX& a, const MatrixX& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

TEST(Dynamics, poses_and_velocities_follow_from_the_joints) {
  constexpr double h = 1e-6;
  int kinds[4] = {0, 0, 0, 0}, single = 0;
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const std::vector<Pose> poses = testing::body_poses(*u.model, u.motion.q),
                            after = testing::body_poses(*u.model, u.moved(u.motion.v, h)),
                            before = testing::body_poses(*u.model, u.moved(u.motion.v, -h));
    for (int i = 0; i < u.model->num_bodies(); ++i) {
      ++kinds[static_cast<int>(u.model->bodies[i].joint)];
      EXPECT_LT((body_pose(u.data, i).rotation - poses[i].rotation).norm(), 1e-13);
      EXPECT_LT((body_pose(u.data, i).position - poses[i].position).norm(), 1e-13);
      const Vector3 point(0.3, -0.2, 0.7);
      const Vector3 velocity = (after[i] * point - before[i] * point) / (2.0 * h);
      EXPECT_LT((point_velocity(u.data, i, poses[i] * point) - velocity).norm(), 1e-8 * (1.0 + velocity.norm()));
    }
    for (const Tree& tree : u.model->trees) single += tree.is_single_free_body;
  }
  for (int count : kinds) EXPECT_GT(count, 10);
  EXPECT_GT(single, 10);
}

TEST(Dynamics, recursion_equals_matrix_and_bias) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    VectorX tau(u.model->num_velocities());
    inverse_dynamics(*u.model, u.data, u.motion.a.data(), nullptr, 0, tau.data());
    EXPECT_LT(relative(inertia_matrix(*u.model, u.data) * u.motion.a + u.bias(), tau), 1e-13) << seed;
  }
}

// ½ vᵀ M v is the sum of the bodies' energies; M is its second derivative.
TEST(Dynamics, kinetic_energy_is_half_v_m_v) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const int n = u.model->num_velocities();
    const MatrixX m = inertia_matrix(*u.model, u.data);
    const auto energy = [&](const VectorX& v) {
      update_kinematics(*u.model, u.motion.q.data(), v.data(), u.data);
      return kinetic_energy(u.data, v.data());
    };
    EXPECT_NEAR(energy(u.motion.v), 0.5 * u.motion.v.dot(m * u.motion.v), 1e-12 * (1.0 + energy(u.motion.v)));
    MatrixX by_energy(n, n);  // exact: the energy is a quadratic form
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const VectorX e_i = VectorX::Unit(n, i), e_j = VectorX::Unit(n, j);
        by_energy(i, j) = energy(e_i + e_j) - energy(e_i) - energy(e_j);
      }
    }
    EXPECT_LT(relative(m, by_energy), 1e-12) << seed;
  }
}

// Lagrange: with accelerations from forward dynamics, d/dt (kinetic + gravity) = v·τ.
TEST(Dynamics, mechanical_energy_is_the_sum_over_bodies) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const MechanicalEnergy energy = mechanical_energy(u.data, u.motion.v.data());
    const double kinetic = kinetic_energy(u.data, u.motion.v.data()), gravity = gravity_energy(u.data);
    EXPECT_NEAR(energy.kinetic, kinetic, 1e-12 * (1.0 + kinetic)) << seed;
    EXPECT_NEAR(energy.gravity, gravity, 1e-12 * (1.0 + std::abs(gravity))) << seed;
  }
}

// At another velocity than that of the kinematics, by the Jacobian of the point at the tree's reference.
TEST(Dynamics, body_velocity_is_that_of_the_jacobian) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const VectorX v = VectorX::LinSpaced(u.model->num_velocities(), -1.0, 2.0);
    for (int body = 0; body < u.model->num_bodies(); ++body) {
      const Vector3 reference = to_eigen(u.data.reference[u.data.tree_of[body]]);
      const VectorX truth = point_jacobian(*u.model, u.data, body, reference) * v;
      Pack8 velocity;
      body_velocity(*u.model, u.data, v.data(), body, velocity);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(velocity[k], truth[3 + k], 1e-12 * (1.0 + truth.norm())) << seed << ' ' << body;
        EXPECT_NEAR(velocity[4 + k], truth[k], 1e-12 * (1.0 + truth.norm())) << seed << ' ' << body;
      }
    }
  }
}

TEST(Dynamics, power_of_forces_is_rate_of_energy) {
  constexpr double h = 1e-5;
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    VectorX a(u.model->num_velocities());
    forward_dynamics(*u.model, u.data, u.motion.tau.data(), a.data());
    const auto energy_at = [&](double time) {
      // q̇ = v along the way: the midpoint velocity moves q to second order.
      const VectorX q = u.moved(u.motion.v + 0.5 * time * a, time), v = u.motion.v + time * a;
      update_kinematics(*u.model, q.data(), v.data(), u.data);
      return kinetic_energy(u.data, v.data()) + gravity_energy(u.data);
    };
    const double rate = (energy_at(h) - energy_at(-h)) / (2.0 * h), power = u.motion.v.dot(u.motion.tau);
    EXPECT_NEAR(rate, power, 1e-6 * (1.0 + std::abs(energy_at(0.0)) + std::abs(power))) << seed;
  }
}

// Every component of the bias, not only the power: d/dt (∂T/∂v) by finite differences of recursion-free quantities.
TEST(Dynamics, point_acceleration_at_zero_joint_acceleration_gives_the_bias) {
  constexpr double h = 1e-5;
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const VectorX bias = u.bias();
    // Virtual power: Σ J_cᵀ m (c̈ − g) + J_ωᵀ d/dt(I ω) with c̈ and the spin's rate by differences at v̇ = 0.
    VectorX expected = VectorX::Zero(u.model->num_velocities());
    std::vector<MatrixX> jacobians;
    for (int i = 0; i < u.model->num_bodies(); ++i) {
      jacobians.push_back(point_jacobian(*u.model, u.data, i, body_pose(u.data, i) * u.model->bodies[i].com));
    }
    struct Rates {
      Vector3 velocity, spin;
    };
    const auto at = [&](double time) {
      u.update(u.moved(u.motion.v, time), u.motion.v, false);
      std::vector<Rates> rates;
      for (int i = 0; i < u.model->num_bodies(); ++i) {
        const Body& body = u.model->bodies[i];
        const Pose pose = body_pose(u.data, i);
        const Matrix3 moment = pose.rotation * body.inertia * pose.rotation.transpose();
        rates.push_back({point_velocity(u.data, i, pose * body.com), moment * angular_velocity(u.data, i)});
      }
      return rates;
    };
    const std::vector<Rates> after = at(h), before = at(-h);
    for (int i = 0; i < u.model->num_bodies(); ++i) {
      const Vector3 acceleration = (after[i].velocity - before[i].velocity) / (2.0 * h);
      expected += jacobians[i].topRows(3).transpose() * u.model->bodies[i].mass * (acceleration - u.model->gravity);
      expected += jacobians[i].bottomRows(3).transpose() * (after[i].spin - before[i].spin) / (2.0 * h);
    }
    EXPECT_LT(relative(bias, expected), 1e-7) << seed;
  }
}

// A tree that flies faster has the same bias, to the last bit.
TEST(Dynamics, bias_does_not_depend_on_the_observer) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const VectorX bias = u.bias();
    VectorX v = u.motion.v;
    for (const Body& body : u.model->bodies) {
      if (body.joint == JointType::free) v.segment(body.first_velocity, 3) += Vector3(100.1, -33.3, 7.7);
    }
    u.update(u.motion.q, v);
    EXPECT_EQ(bias, u.bias()) << seed;
  }
}

TEST(Dynamics, wrenches_enter_by_the_jacobian) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const int n = u.model->num_velocities(), body = u.model->num_bodies() - 1;
    const BodyWrench wrench{body, Vector3(1, -2, 3), Vector3(0.3, 0.2, -0.5), Vector3(0.4, 0.1, 2.0)};
    VectorX f(6);
    f << wrench.force, wrench.torque;
    const VectorX generalised = point_jacobian(*u.model, u.data, body, wrench.point).transpose() * f;
    VectorX tau = VectorX::Zero(n), with(n), without(n);
    add_body_wrench(*u.model, u.data, body, wrench.force, wrench.torque, wrench.point, tau.data());
    add_body_wrench(*u.model, u.data, -1, wrench.force, wrench.torque, wrench.point, tau.data());
    EXPECT_LT(relative(tau, generalised), 1e-14) << seed;
    inverse_dynamics(*u.model, u.data, u.motion.a.data(), &wrench, 1, with.data());
    inverse_dynamics(*u.model, u.data, u.motion.a.data(), nullptr, 0, without.data());
    EXPECT_LT(relative(without - with, generalised), 1e-13) << seed;
  }
}

TEST(Dynamics, factor_solves_as_dense_algebra_does) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const int n = u.model->num_velocities();
    MatrixX m = inertia_matrix(*u.model, u.data);
    VectorX x = u.motion.tau, y(n);
    solve_inertia(*u.model, u.data, x.data());
    EXPECT_LT(relative(m * x, u.motion.tau), 1e-11) << seed;
    multiply_inertia(*u.model, u.data, x.data(), y.data());
    EXPECT_LT(relative(y, m * x), 1e-13) << seed;
    // With an added diagonal, and without it again.
    const VectorX added = u.motion.a.cwiseAbs();
    factor_inertia(*u.model, added.data(), u.data);
    x = u.motion.tau;
    solve_inertia(*u.model, u.data, x.data());
    EXPECT_LT(relative((m + MatrixX(added.asDiagonal())) * x, u.motion.tau), 1e-11) << seed;
    factor_inertia(*u.model, nullptr, u.data);
    x = u.motion.tau;
    solve_inertia(*u.model, u.data, x.data());
    EXPECT_LT(relative(m * x, u.motion.tau), 1e-11) << seed;
    // A diagonal of zeros is no diagonal.
    VectorX again = u.motion.tau;
    const VectorX zero = VectorX::Zero(n);
    factor_inertia(*u.model, zero.data(), u.data);
    solve_inertia(*u.model, u.data, again.data());
    EXPECT_EQ(x, again) << seed;
  }
}

TEST(Dynamics, forward_is_the_inverse_of_inverse) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    VectorX tau(u.model->num_velocities());
    inverse_dynamics(*u.model, u.data, u.motion.a.data(), nullptr, 0, tau.data());
    forward_dynamics(*u.model, u.data, tau.data(), tau.data());
    EXPECT_LT(relative(tau, u.motion.a), 1e-9) << seed;
  }
}

// Rows of two bodies through the factor: A Aᵀ = J M⁻¹ Jᵀ, also between the bodies, and v = L⁻¹ D^(−1/2) Aᵀ λ.
TEST(Dynamics, chains_through_the_factor_give_the_delassus_matrix) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    Updated u(seed);
    const Model& model = *u.model;
    const int n = model.num_velocities();
    for (bool added : {false, true}) {
      const VectorX diagonal = u.motion.a.cwiseAbs();
      factor_inertia(model, added ? diagonal.data() : nullptr, u.data);
      MatrixX m = inertia_matrix(model, u.data);
      if (added) m += MatrixX(diagonal.asDiagonal());
      MatrixX a = MatrixX::Zero(3 * model.num_bodies(), n), jacobian(3 * model.num_bodies(), n);
      AlignedVector<Pack8> y(u.data.longest_chain);
      for (int i = 0; i < model.num_bodies(); ++i) {
        const Vector3 point = body_pose(u.data, i) * Vector3(0.1, -0.2, 0.3);
        jacobian.middleRows(3 * i, 3) = point_jacobian(model, u.data, i, point).topRows(3);
        const Vector3 r = point - tree_reference(u.data, model.bodies[i].tree);
        const int length = chain_through_factor(model, u.data, i, y.data());
        int j = model.last_dof(i);
        ASSERT_EQ(length, model.dofs[j].depth + 1);
        for (int e = length - 1; e >= 0; --e, j = model.dofs[j].parent) {
          const Vector3 angular(y[e][0], y[e][1], y[e][2]), linear(y[e][4], y[e][5], y[e][6]);
          a.block(3 * i, j, 3, 1) = linear + angular.cross(r);
          EXPECT_EQ(y[e][3], 0.0);
          EXPECT_EQ(y[e][7], 0.0);
        }
      }
      EXPECT_LT(relative(product_with_transposed(a, a), testing::congruent(jacobian, testing::inverse(m))), 1e-9)
          << seed;
      const VectorX impulse = VectorX::LinSpaced(a.rows(), -1.0, 1.0);
      VectorX w = a.transpose() * impulse, dv(n);
      velocity_from_factor(model, u.data, w.data(), dv.data());
      EXPECT_LT(relative(m * dv, jacobian.transpose() * impulse), 1e-10) << seed;
      velocity_from_factor(model, u.data, w.data(), w.data());
      EXPECT_EQ(w, dv);
    }
    EXPECT_EQ(chain_through_factor(model, u.data, -1, static_cast<Pack8*>(nullptr)), 0);
  }
}

TEST(Dynamics, world_stands_still) {
  Updated u(0);
  EXPECT_EQ(body_pose(u.data, -1).rotation, Matrix3::Identity());
  EXPECT_EQ(point_velocity(u.data, -1, Vector3(1, 2, 3)), Vector3::Zero());
  EXPECT_EQ(point_jacobian(*u.model, u.data, -1, Vector3(1, 2, 3)).norm(), 0.0);
}

TEST(Dynamics, no_allocation) {
  Updated u(3);
  const int n = u.model->num_velocities();
  VectorX x = u.motion.tau, y(n);
  AlignedVector<Pack8> chain(u.data.longest_chain);
  const BodyWrench wrench{1, Vector3(1, 2, 3), Vector3(3, 2, 1), Vector3(0, 1, 0)};
  const testing::AllocationGuard guard;
  update_kinematics(*u.model, u.motion.q.data(), u.motion.v.data(), u.data);
  update_inertia(*u.model, u.data);
  factor_inertia(*u.model, u.motion.v.data(), u.data);
  factor_inertia(*u.model, nullptr, u.data);
  solve_inertia(*u.model, u.data, x.data());
  multiply_inertia(*u.model, u.data, x.data(), y.data());
  velocity_from_factor(*u.model, u.data, x.data(), y.data());
  for (int i = 0; i < u.model->num_bodies(); ++i) chain_through_factor(*u.model, u.data, i, chain.data());
  inverse_dynamics(*u.model, u.data, u.motion.a.data(), &wrench, 1, y.data());
  forward_dynamics(*u.model, u.data, x.data(), y.data());
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace stiction
