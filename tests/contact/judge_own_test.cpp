// ε_nat means what a reader expects: speeds and impulses relative to the constraint's own, angles as angles.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/contact/judge.h"

namespace stiction {
namespace {

ContactProblem one_contact(double mu, const Vector3& g, double w = 1.0) {
  return ContactProblem::from_dense({Constraint::make_frictional(mu)}, w * Matrix3::Identity(), g);
}

double nat(const ContactProblem& problem, const VectorX& impulse, ContactModel model = ContactModel::ncp) {
  return judge(problem, impulse, {.model = model}).eps_nat;
}

// Two contacts that do not feel each other.
ContactProblem two_contacts(const Vector3& first, const Vector3& second, double mu = 0.5) {
  VectorX g(6);
  g << first, second;
  return ContactProblem::from_dense({Constraint::make_frictional(mu), Constraint::make_frictional(mu)},
                                    MatrixX::Identity(6, 6), g);
}

TEST(OwnMeasure, PenetrationCountsWhateverTheFriction) {
  for (const double mu : {0.0, 0.5, 1.0, 1e3, 1e9, 1e12}) {
    const Residuals falling = judge(one_contact(mu, {0, 0, -1}), Vector3::Zero());
    EXPECT_EQ(falling.eps_nat, 1.0) << mu;
    EXPECT_GE(falling.eps_rel, std::sqrt(0.5)) << mu;
    for (const ContactModel model : {ContactModel::ccp, ContactModel::lcp, ContactModel::raisim}) {
      EXPECT_GE(nat(one_contact(mu, {0, 0, -1}), Vector3::Zero(), model), 1.0) << mu;
    }
  }
}

TEST(OwnMeasure, RelativeResidualIsFclibsUpToFrictionOne) {
  for (const double mu : {0.1, 0.5, 1.0}) {
    const Residuals falling = judge(one_contact(mu, {1, 0, -1}), Vector3::Zero());
    EXPECT_NEAR(falling.eps_rel, 1.0 / std::sqrt(1.0 + mu * mu), 1e-15) << mu;
  }
}

TEST(OwnMeasure, AFastContactDoesNotHideASlowOne) {
  VectorX impulse = VectorX::Zero(6);
  impulse[2] = 1e8;
  const double hidden = nat(two_contacts({0, 0, -1e8}, {0, 0, -1}), impulse);
  EXPECT_GE(hidden, 1e-6);  // 1 m/s beside 1e8; relative to the fastest it would be 1e-8
  impulse[5] = 1.0;
  EXPECT_EQ(nat(two_contacts({0, 0, -1e8}, {0, 0, -1}), impulse), 0.0);
  // Up to a factor of a thousand speeds are relative to the fastest.
  impulse << 0, 0, 1, 0, 0, 0;
  EXPECT_NEAR(nat(two_contacts({0, 0, -1}, {0, 0, -1e-2}), impulse), 1e-2, 1e-12);
}

// A box that slides at 10 m/s while gravity asks for 1 cm/s: friction turned by θ is wrong by θ, not by θ².
TEST(OwnMeasure, AnglesOfFrictionAreSeenAsAngles) {
  const double mu = 0.5, push = 1e-2, speed = 10.0;
  for (const double angle : {1e-2, 1e-4, 1e-6}) {
    const Vector3 impulse(-mu * push * std::cos(angle), -mu * push * std::sin(angle), push);
    const Vector3 free = Vector3(speed, 0, 0) - impulse;
    const double seen = nat(one_contact(mu, free), impulse);
    EXPECT_NEAR(seen, mu * angle / std::sqrt(1.0 + mu * mu), 0.01 * angle) << angle;
  }
}

// A contact that slides fast pushes little compared with its speed. That is no excuse for parting or closing.
TEST(OwnMeasure, NormalVelocitiesCountHoweverLittleAContactPushes) {
  const double mu = 0.5, speed = 10.0;
  for (const double push : {1.0, 1e-2}) {
    for (const double normal : {1e-4, 1e-7}) {
      const Vector3 impulse(-mu * push, 0, push);
      const auto moving = [&](double velocity) { return one_contact(mu, Vector3(speed, 0, velocity) - impulse); };
      EXPECT_NEAR(nat(moving(normal), impulse), normal / speed, 0.2 * normal / speed) << "parts";
      EXPECT_NEAR(nat(moving(-normal), impulse), normal / speed, 0.2 * normal / speed) << "closes";
    }
  }
}

TEST(OwnMeasure, RoundingOfASlipCountsLittleWhereFrictionIsHuge) {
  for (const double mu : {1e3, 1e6, 1e12}) {
    const Vector3 impulse(0.3, 0, 1.0), slip(1e-16, 0, 0);
    const ContactProblem problem = one_contact(mu, Vector3(slip - impulse));
    EXPECT_LE(nat(problem, impulse), 1e-15) << mu;
    EXPECT_LE(nat(problem, impulse, ContactModel::lcp), 1e-15) << mu;
    const ContactProblem moving = one_contact(mu, Vector3(Vector3(0.1, 0, 0) - impulse));
    EXPECT_GE(nat(moving, impulse), 0.05) << mu;
  }
}

TEST(OwnMeasure, DryFrictionIsMeasuredAgainstItsBound) {
  const auto joint = [](double bound, double g) {
    return ContactProblem::from_dense({Constraint::make_dry_friction(bound)}, MatrixX::Identity(1, 1),
                                      VectorX::Constant(1, g));
  };
  const auto slide = [](double impulse) { return VectorX::Constant(1, impulse); };
  EXPECT_EQ(nat(joint(0.01, -1.0), slide(0.01)), 0.0);
  EXPECT_NEAR(nat(joint(0.01, -1.0), slide(0.00999)), 1e-3, 1e-4) << "a thousandth of the friction is missing";
  EXPECT_NEAR(nat(joint(0.01, -1.0), slide(0.01001)), 1e-3, 1e-4) << "a thousandth too much";
  EXPECT_NEAR(nat(joint(5.0, -1.0), slide(1.0 - 1e-4)), 1e-4, 1e-4) << "creeps although it could hold";
  EXPECT_GE(nat(joint(5.0, -1.0), slide(1.0 - 1e-4)), 5e-5);
}

TEST(OwnMeasure, AnisotropicWithEqualFrictionIsIsotropic) {
  for (const double mu : {0.2, 1.0, 3.0}) {
    for (const Vector3& impulse : {Vector3(-0.3, 0.1, 1.0), Vector3(0.0, 0.0, 0.5), Vector3(0.05, -0.02, 2.0)}) {
      const Vector3 free(0.8, -0.4, -1.0);
      const ContactProblem even =
          ContactProblem::from_dense({Constraint::make_anisotropic(mu, mu)}, Matrix3::Identity(), free);
      const double expected = nat(one_contact(mu, free), impulse);
      EXPECT_NEAR(nat(even, impulse), expected, 0.5 * expected + 1e-15) << mu;
    }
  }
}

// On an ellipse friction is not opposite to slip; maximum dissipation says where it points.
TEST(OwnMeasure, AnisotropicFrictionHasItsOwnDirection) {
  const double mu_1 = 0.2, mu_2 = 0.8, push = 1.0;
  const Vector2 slip(3.0, 1.0);
  const double power = std::hypot(mu_1 * slip[0], mu_2 * slip[1]);
  const Vector3 right(-push * mu_1 * mu_1 * slip[0] / power, -push * mu_2 * mu_2 * slip[1] / power, push);
  const auto problem = [&](const Vector3& impulse) {
    return ContactProblem::from_dense({Constraint::make_anisotropic(mu_1, mu_2)}, Matrix3::Identity(),
                                      Vector3(slip[0], slip[1], 0.0) - impulse);
  };
  EXPECT_LE(nat(problem(right), right), 1e-15);
  const double length = right.head<2>().norm();
  const Vector3 opposite(-length * slip[0] / slip.norm(), -length * slip[1] / slip.norm(), push);
  EXPECT_GE(nat(problem(opposite), opposite), 0.1);
}

TEST(OwnMeasure, UnitsDoNotMatter) {
  const Vector3 impulse(-0.3, 0.2, 1.1), free(0.8, -0.4, -1.0);
  const double expected = nat(one_contact(0.4, free), impulse);
  ASSERT_GT(expected, 0.01);
  for (const double kilograms : {1e-6, 1e6}) {
    for (const double speed : {1e-6, 1e6}) {
      const ContactProblem problem = one_contact(0.4, speed * free, 1.0 / kilograms);
      EXPECT_NEAR(nat(problem, kilograms * speed * impulse), expected, 1e-12 * expected);
    }
  }
  // Nor do the axes of the tangents.
  const double c = std::cos(0.7), d = std::sin(0.7);
  const Vector3 turned_impulse(c * impulse[0] - d * impulse[1], d * impulse[0] + c * impulse[1], impulse[2]);
  const Vector3 turned_free(c * free[0] - d * free[1], d * free[0] + c * free[1], free[2]);
  EXPECT_NEAR(nat(one_contact(0.4, turned_free), turned_impulse), expected, 0.2 * expected);
}

}  // namespace
}  // namespace stiction
