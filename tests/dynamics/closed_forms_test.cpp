// Mechanisms whose equations one can write down.
#include <gtest/gtest.h>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

constexpr double g = 9.81;

Inertia point_like(double mass, const Vector3& com, double moment) {
  Inertia i;
  i.mass = mass;
  i.com = com;
  i.moment = moment * Matrix3::Identity();
  return i;
}

struct Case {
  std::shared_ptr<const Model> model;
  DynamicsData data;
  VectorX bias;
  MatrixX inertia;

  Case(const ModelBuilder& builder, const VectorX& q, const VectorX& v) : model(builder.build()), data(*model) {
    update_kinematics(*model, q.data(), v.data(), data);
    update_inertia(*model, data);
    factor_inertia(*model, nullptr, data);
    bias = ConstVectorMap(data.bias.data(), v.size());
    inertia = inertia_matrix(*model, data);
  }
};

// About y, hanging along −z at zero: (I + m l²) q̈ + m g l sin q = 0.
TEST(ClosedForms, pendulum) {
  constexpr double mass = 2.0, length = 0.7, moment = 0.05;
  ModelBuilder builder;
  BodyOptions body{.pose = Pose(Vector3(1.0, 2.0, 3.0))};
  body.joint.kind = JointKind::revolute;
  body.joint.axis = Vector3::UnitY();
  body.joint.armature = 0.01;
  body.inertia = point_like(mass, Vector3(0.0, 0.0, -length), moment);
  builder.add_body(body);
  for (double q : {0.0, 0.4, -2.0, 3.0, 1e3, 3e6, -1e15}) {  // also beyond the range of the packed sine
    const Case c(builder, VectorX::Constant(1, q), VectorX::Constant(1, 1.7));
    EXPECT_NEAR(c.inertia(0, 0), moment + mass * length * length + 0.01, 1e-14);
    EXPECT_NEAR(c.bias[0], mass * g * length * std::sin(q), 1e-13 * mass * g * length) << q;
  }
}

// Two links in a vertical plane, angles relative: the textbook's matrix, Coriolis terms and weights.
TEST(ClosedForms, two_link_arm) {
  constexpr double m1 = 1.5, m2 = 0.8, l1 = 0.6, c1 = 0.25, c2 = 0.35, i1 = 0.02, i2 = 0.03;
  ModelBuilder builder;
  BodyOptions first;
  first.joint.kind = JointKind::revolute;
  first.joint.axis = -Vector3::UnitY();  // x towards z
  first.inertia = point_like(m1, Vector3(c1, 0.0, 0.0), i1);
  BodyOptions second = first;
  second.parent = builder.add_body(first);
  second.pose = Pose(Vector3(l1, 0.0, 0.0));
  second.inertia = point_like(m2, Vector3(c2, 0.0, 0.0), i2);
  builder.add_body(second);
  const double q1 = 0.4, q2 = -1.1, v1 = 0.9, v2 = -2.3;
  const Case c(builder, Vector2(q1, q2), Vector2(v1, v2));
  const double cross = m2 * l1 * c2 * std::cos(q2), h = m2 * l1 * c2 * std::sin(q2);
  EXPECT_NEAR(c.inertia(0, 0), i1 + i2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2) + 2.0 * cross, 1e-14);
  EXPECT_NEAR(c.inertia(0, 1), i2 + m2 * c2 * c2 + cross, 1e-14);
  EXPECT_NEAR(c.inertia(1, 1), i2 + m2 * c2 * c2, 1e-14);
  const double weight2 = m2 * g * c2 * std::cos(q1 + q2);
  EXPECT_NEAR(c.bias[0], -h * (2.0 * v1 * v2 + v2 * v2) + (m1 * c1 + m2 * l1) * g * std::cos(q1) + weight2, 1e-13);
  EXPECT_NEAR(c.bias[1], h * v1 * v1 + weight2, 1e-13);
}

// A symmetric top on a ball joint that precesses steadily: tilt θ, precession Ω, spin s about its axis solve
// m g l = Ω (I₃ s − I₁ Ω cos θ) (s: total spin about the axis), and then the angular acceleration seen from the body
// is that of steady precession.
TEST(ClosedForms, spinning_top) {
  constexpr double mass = 0.5, length = 0.2, i_axis = 0.003, i_side = 0.004, tilt = 0.6, precession = 1.3;
  const double i1 = i_side + mass * length * length;
  const double spin = (mass * g * length / precession + i1 * precession * std::cos(tilt)) / i_axis;
  ModelBuilder builder;
  BodyOptions body;
  body.joint.kind = JointKind::ball;
  body.inertia = Inertia{mass, Vector3(0.0, 0.0, length), Vector3(i_side, i_side, i_axis).asDiagonal()};
  builder.add_body(body);
  const Quaternion r(Eigen::AngleAxisd(tilt, Vector3::UnitX()));
  // Body axes: Ω along the world's z, of which the part along the axis is within the spin.
  const Vector3 omega(0.0, precession * std::sin(tilt), spin);
  Case c(builder, r.coeffs(), omega);
  Vector3 a;
  const Vector3 zero = Vector3::Zero();
  forward_dynamics(*c.model, c.data, zero.data(), a.data());
  // Steady precession: ω̇ in the body = −ω_rel × ω with ω_rel the spin relative to the precessing frame.
  const Vector3 relative(0.0, 0.0, spin - precession * std::cos(tilt));
  EXPECT_LT((a - omega.cross(relative)).norm(), 1e-11 * spin);
}

// Torque-free rotation of a free body: Euler's equations, and a straight flight.
TEST(ClosedForms, free_body) {
  const Vector3 moments(0.1, 0.2, 0.25), omega(3.0, -2.0, 1.0);
  ModelBuilder builder;
  BodyOptions body;
  body.inertia = Inertia{1.7, Vector3::Zero(), moments.asDiagonal()};
  builder.add_body(body);
  VectorX q(7), v(6), a(6);
  q << 1.0, 2.0, 3.0, Quaternion(0.1, 0.5, -0.7, 0.2).normalized().coeffs();
  v << 10.0, -20.0, 30.0, omega;
  const Case c(builder, q, v);
  const VectorX zero = VectorX::Zero(6);
  forward_dynamics(*c.model, c.data, zero.data(), a.data());
  EXPECT_TRUE(c.model->trees[0].is_single_free_body);
  EXPECT_EQ(a.head(2), Vector2(0.0, 0.0));
  EXPECT_NEAR(a[2], -g, 2e-15 * g);
  const Vector3 euler = -omega.cross(Vector3(moments.cwiseProduct(omega))).cwiseQuotient(moments);
  EXPECT_LT((a.tail(3) - euler).norm(), 1e-14 * euler.norm());
}

// The same body seen from another origin: same motion, other coordinates.
TEST(ClosedForms, free_body_off_its_centre) {
  const Vector3 moments(0.1, 0.2, 0.25), omega(3.0, -2.0, 1.0), com(0.3, -0.1, 0.2), velocity(1.0, 2.0, -1.0);
  ModelBuilder builder;
  BodyOptions body;
  body.inertia = Inertia{1.7, com, moments.asDiagonal()};
  builder.add_body(body);
  const Quaternion r = Quaternion(0.1, 0.5, -0.7, 0.2).normalized();
  VectorX q(7), v(6), a(6);
  q << 1.0, 2.0, 3.0, r.coeffs();
  v << velocity, omega;
  const Case c(builder, q, v);
  const VectorX zero = VectorX::Zero(6);
  forward_dynamics(*c.model, c.data, zero.data(), a.data());
  EXPECT_FALSE(c.model->trees[0].is_single_free_body);
  const Vector3 euler = -omega.cross(Vector3(moments.cwiseProduct(omega))).cwiseQuotient(moments);
  EXPECT_LT((a.tail(3) - euler).norm(), 1e-12 * euler.norm());
  // p = c − R com: p̈ = g − R (ω̇ × com + ω × (ω × com)).
  const Vector3 origin = Vector3(0.0, 0.0, -g) - r * (euler.cross(com) + omega.cross(omega.cross(com)));
  EXPECT_LT((a.head(3) - origin).norm(), 1e-12 * origin.norm());
  EXPECT_LT((center_of_mass_velocity(c.data) - (velocity + r * omega.cross(com))).norm(), 1e-14);
}

}  // namespace
}  // namespace stiction
