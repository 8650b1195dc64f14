// Jacobians, momenta and energies against finite differences along the configuration manifold.
#include "stiction/dynamics/mechanics.h"

#include <gtest/gtest.h>

#include "forests.h"
#include "stiction/dynamics/dynamics_data.h"

namespace stiction {
namespace {

using testing::Motion;
using testing::random_forest;
using testing::random_motion;

constexpr int num_forests = 8;

// Central difference of a quantity along the velocity v.
template <class Quantity>
auto rate(const Model& model, const Motion& m, const VectorX& v, double h, Quantity quantity) {
  VectorX after(m.q.size()), before(m.q.size());
  integrate(model, m.q, v, h, after);
  integrate(model, m.q, v, -h, before);
  const auto a = quantity(after), b = quantity(before);
  return decltype(quantity(after))((a - b) / (2.0 * h));
}

TEST(Mechanics, frame_jacobian_is_the_derivative_of_the_pose) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    const auto model = random_forest(seed);
    const Motion m = random_motion(*model, seed);
    const int n = model->num_velocities();
    DynamicsData data(*model), moved(*model);
    update_kinematics(*model, m.q.data(), m.v.data(), data);
    for (int frame = 0; frame < static_cast<int>(model->frames.size()); frame += 2) {
      const MatrixX jacobian = frame_jacobian(*model, data, frame);
      const Matrix3 rotation = frame_pose(*model, data, frame).rotation;
      for (int j = 0; j < n; ++j) {
        const VectorX unit = VectorX::Unit(n, j);
        const auto pose_at = [&](const VectorX& q) {
          update_kinematics(*model, q.data(), m.v.data(), moved);
          const Pose pose = frame_pose(*model, moved, frame);
          Eigen::Matrix<double, 12, 1> flat;
          flat << pose.position, pose.rotation.reshaped();
          return flat;
        };
        const Eigen::Matrix<double, 12, 1> d = rate(*model, m, unit, 1e-6, pose_at);
        EXPECT_LT((jacobian.col(j).head(3) - d.head(3)).norm(), 1e-8);
        const Matrix3 spin = Matrix3(d.tail(9).reshaped(3, 3)) * rotation.transpose();
        const Vector3 angular(spin(2, 1), spin(0, 2), spin(1, 0));
        EXPECT_LT((jacobian.col(j).tail(3) - angular).norm(), 1e-8);
      }
    }
  }
}

TEST(Mechanics, center_of_mass_and_its_jacobian) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    const auto model = random_forest(seed);
    const Motion m = random_motion(*model, seed);
    DynamicsData data(*model);
    const auto center_at = [&](const VectorX& q) {
      update_kinematics(*model, q.data(), m.v.data(), data);
      return center_of_mass(data);
    };
    const Vector3 by_difference = rate(*model, m, m.v, 1e-6, center_at);
    const Vector3 center = center_at(m.q);
    const std::vector<Pose> poses = testing::body_poses(*model, m.q);
    Vector3 expected = Vector3::Zero();
    double mass = 0.0;
    for (int i = 0; i < model->num_bodies(); ++i) {
      mass += model->bodies[i].mass;
      expected += model->bodies[i].mass * (poses[i] * model->bodies[i].com);
    }
    EXPECT_NEAR(total_mass(*model), mass, 1e-13 * mass);
    EXPECT_LT((center - expected / mass).norm(), 1e-13);
    EXPECT_LT((center_of_mass_velocity(data) - by_difference).norm(), 1e-8);
    EXPECT_LT((center_of_mass_jacobian(*model, data) * m.v - by_difference).norm(), 1e-8);
    EXPECT_LT((linear_momentum(data) - mass * center_of_mass_velocity(data)).norm(), 1e-12);
  }
}

// Newton and Euler: the momenta of a flying tree change by its weight and by what is applied, whatever its joints do.
TEST(Mechanics, momentum_changes_by_external_forces_only) {
  constexpr double h = 1e-6;
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    testing::Rng rng(seed);
    ModelBuilder builder;
    for (int k = 0; k < 6; ++k) {
      BodyOptions body{.parent = k - 1 - (k > 3), .pose = testing::random_pose(rng, 0.4)};
      const JointKind kinds[] = {JointKind::free,      JointKind::ball,      JointKind::revolute,
                                 JointKind::prismatic, JointKind::universal, JointKind::planar};
      body.joint.kind = kinds[k];
      body.joint.axis = testing::random_direction(rng);
      body.joint.axis_2 = body.joint.axis.unitOrthogonal();
      body.inertia = testing::random_inertia(rng);
      builder.add_body(body);
    }
    const auto model = builder.build();
    const Motion m = random_motion(*model, seed);
    const int n = model->num_velocities();
    DynamicsData data(*model);
    update_kinematics(*model, m.q.data(), m.v.data(), data);
    update_inertia(*model, data);
    factor_inertia(*model, nullptr, data);
    VectorX tau = m.tau;
    tau.head(6).setZero();  // joints push inside the tree
    const Vector3 force(1.0, -2.0, 0.5), torque(0.2, 0.3, -0.4), point(0.3, 0.2, 0.1);
    add_body_wrench(*model, data, model->num_bodies() - 1, force, torque, point, tau.data());
    VectorX a(n);
    forward_dynamics(*model, data, tau.data(), a.data());
    const Vector3 center = center_of_mass(data);
    const Vector3 weight = total_mass(*model) * model->gravity;
    struct Momenta {
      Vector3 linear, angular;
    };
    const auto at = [&](double time) {
      VectorX q(m.q.size());
      integrate(*model, m.q, m.v + 0.5 * time * a, time, q);
      const VectorX v = m.v + time * a;
      update_kinematics(*model, q.data(), v.data(), data);
      return Momenta{linear_momentum(data), angular_momentum_about_origin(data)};
    };
    const Momenta after = at(h), before = at(-h), now = at(0.0);
    const Vector3 linear_rate = (after.linear - before.linear) / (2.0 * h);
    const Vector3 angular_rate = (after.angular - before.angular) / (2.0 * h);
    EXPECT_LT((linear_rate - (weight + force)).norm(), 1e-6) << seed;
    EXPECT_LT((angular_rate - (center.cross(weight) + torque + point.cross(force))).norm(), 1e-6) << seed;
    const Vector3 about_center = angular_momentum_about_center_of_mass(data);
    EXPECT_LT((about_center + center.cross(now.linear) - now.angular).norm(), 1e-12) << seed;
  }
}

TEST(Mechanics, gravity_energy_is_the_potential_of_the_bias_at_rest) {
  for (unsigned seed = 0; seed < num_forests; ++seed) {
    const auto model = random_forest(seed);
    Motion m = random_motion(*model, seed);
    DynamicsData data(*model);
    const auto energy_at = [&](const VectorX& q) {
      update_kinematics(*model, q.data(), m.v.data(), data);
      return gravity_energy(data);
    };
    const double by_difference = rate(*model, m, m.v, 1e-6, energy_at);
    const VectorX rest = VectorX::Zero(m.v.size());
    update_kinematics(*model, m.q.data(), rest.data(), data);
    update_inertia(*model, data);
    const ConstVectorMap bias(data.bias.data(), m.v.size());
    EXPECT_NEAR(bias.dot(m.v), by_difference, 1e-7 * (1.0 + std::abs(by_difference)));
  }
}

TEST(Mechanics, spring_energy) {
  ModelBuilder builder;
  BodyOptions body;
  body.inertia = Inertia::of(Box{{0.1, 0.1, 0.1}}, 1.0);
  body.joint.kind = JointKind::revolute;
  body.joint.stiffness = 3.0;
  body.joint.rest_position = 0.5;
  builder.add_body(body);
  const auto model = builder.build();
  const double q = 1.5;
  EXPECT_DOUBLE_EQ(spring_energy(*model, &q), 1.5);
}

}  // namespace
}  // namespace stiction
