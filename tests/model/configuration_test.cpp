// Steps on the configuration manifold.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../support/random_model.h"

namespace stiction {
namespace {

using testing::Rng;

VectorX step(const Model& model, const VectorX& q, const VectorX& v, double time_step) {
  VectorX out(q.size());
  integrate(model, q, v, time_step, out);
  return out;
}

VectorX between(const Model& model, const VectorX& q, const VectorX& other) {
  VectorX v(model.num_velocities());
  difference(model, q, other, v);
  return v;
}

TEST(Configuration, DifferenceUndoesIntegrate) {
  Rng rng(11);
  for (int round = 0; round < 30; ++round) {
    const auto model = testing::random_model(rng, 10);
    const VectorX q = testing::random_position(rng, *model), v = testing::random_velocity(rng, *model);
    for (const double time_step : {1.0, 1e-3, 1e-9}) {
      const VectorX next = step(*model, q, v, time_step);
      EXPECT_LT((between(*model, q, next) - time_step * v).cwiseAbs().maxCoeff(), 1e-14);
    }
    const VectorX other = testing::random_position(rng, *model);
    const VectorX back = step(*model, q, between(*model, q, other), 1.0);
    EXPECT_LT(between(*model, back, other).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT(between(*model, q, q).cwiseAbs().maxCoeff(), 1e-15);
  }
}

std::shared_ptr<const Model> one_body(JointKind kind) {
  ModelBuilder builder;
  const int body = builder.add_body({.joint = {.kind = kind}});
  builder.add_shape({.body = body, .geometry = Sphere{0.1}, .mass = 1.0});
  return builder.build();
}

TEST(Configuration, BodyTurnsAboutItsOwnAxes) {
  const auto model = one_body(JointKind::free);
  VectorX q(7), v = VectorX::Zero(6);
  // Turned by 90° about x, so that its y axis points along the world's z; then a turn about its y.
  const double s = std::sqrt(0.5);
  q << 1, 2, 3, s, 0, 0, s;
  v << 0.5, 0, -1, 0, std::numbers::pi / 2, 0;
  const VectorX next = step(*model, q, v, 1.0);
  EXPECT_LT((next.head<3>() - Vector3(1.5, 2.0, 2.0)).norm(), 1e-15);
  const Matrix3 found = Quaternion(next[6], next[3], next[4], next[5]).toRotationMatrix();
  const Matrix3 expected = (Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitZ()) *
                            Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitX()))
                               .toRotationMatrix();
  EXPECT_LT((found - expected).norm(), 1e-14);
}

TEST(Configuration, SmallAndLargeTurns) {
  const auto model = one_body(JointKind::ball);
  VectorX q(4);
  q << 0, 0, 0, 1;
  // Around the change of formula, and nearly half a turn.
  for (const double angle : {1e-300, 1e-12, 0.99e-4, 1.01e-4, 1e-2, 3.1415}) {
    const VectorX v = angle * Vector3(0.48, -0.6, 0.64);
    const VectorX next = step(*model, q, v, 1.0);
    EXPECT_NEAR(next.norm(), 1.0, 4e-16);
    EXPECT_LT((next.head<3>() - std::sin(0.5 * angle) * v / angle).norm(), 1e-15 * angle) << angle;
    EXPECT_LT((between(*model, q, next) - v).norm(), 4e-15 * angle) << angle;
  }
}

TEST(Configuration, BothSignsOfAQuaternionAreOneOrientation) {
  const auto model = one_body(JointKind::ball);
  VectorX q(4), other(4);
  q << 0, 0, 0, 1;
  other << 0, 0, -std::sin(0.1), -std::cos(0.1);
  EXPECT_LT((between(*model, q, other) - Vector3(0, 0, 0.2)).norm(), 1e-15);
}

TEST(Configuration, AtRestNoBitChanges) {
  Rng rng(12);
  const auto model = testing::random_model(rng, 20);
  const VectorX q = testing::random_position(rng, *model);
  EXPECT_EQ(step(*model, q, VectorX::Zero(model->num_velocities()), 1e-3), q);
}

TEST(Configuration, StepsMayBeInPlace) {
  Rng rng(13);
  const auto model = testing::random_model(rng, 20);
  VectorX q = testing::random_position(rng, *model);
  const VectorX v = testing::random_velocity(rng, *model), apart = step(*model, q, v, 0.1);
  integrate(*model, q, v, 0.1, q);
  EXPECT_EQ(q, apart);
}

TEST(Configuration, QuaternionsStayOfLengthOne) {
  Rng rng(14);
  for (const JointKind kind : {JointKind::free, JointKind::ball}) {
    const auto model = one_body(kind);
    VectorX q = testing::random_position(rng, *model);
    q.tail<4>() *= 1.0 + 1e-10;
    const VectorX v = 10.0 * testing::random_velocity(rng, *model);
    integrate(*model, q, v, 1e-2, q);
    EXPECT_NEAR(q.tail<4>().norm(), 1.0, 1e-15);
    for (int k = 0; k < 10000; ++k) integrate(*model, q, v, 1e-2, q);
    EXPECT_NEAR(q.tail<4>().norm(), 1.0, 1e-15);
  }
}

}  // namespace
}  // namespace stiction
