// Torsional and rolling friction: the judge knows them by the normal impulse of their partner.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problems.h"
#include "stiction/contact/energy.h"
#include "stiction/contact/held_bounds.h"
#include "stiction/contact/judge.h"

namespace stiction {
namespace {

constexpr double mu = 0.5, r = 0.1, push = 2.0;

// A contact that pushes by `push` and rests; torsion (row 3) and rolling (rows 4, 5, 6) that end with the velocities
// given once they carry what is asked for.
struct Case {
  ContactProblem problem;
  VectorX impulse = VectorX::Zero(7);

  Case(double torsion, double spin, const Vector2& rolling, const Vector2& roll) {
    impulse[2] = push;
    impulse[3] = torsion;
    impulse.segment<2>(4) = rolling;
    MatrixX g = MatrixX::Identity(7, 7);
    g(6, 6) = 0.0;
    VectorX sigma = VectorX::Zero(7);
    sigma[3] = spin;
    sigma.segment<2>(4) = roll;
    problem = ContactProblem::from_dense(
        {Constraint::make_frictional(mu), Constraint::make_torsional(r, 0), Constraint::make_rolling(r, 0)}, g,
        sigma - g * impulse);
  }
  Residuals judged(ContactModel model = ContactModel::ncp) const { return judge(problem, impulse, {.model = model}); }
};

TEST(JudgeCoupled, AcceptsTheLaw) {
  const Case sticks(0.1, 0.0, {0.1, -0.1}, {0.0, 0.0});
  const Case slips(-r * push, 3.0, {-r * push * 0.6, -r * push * 0.8}, {1.2, 1.6});
  const Case at_the_bound(r * push, 0.0, {0.0, r * push}, {0.0, 0.0});
  for (const Case* c : {&sticks, &slips, &at_the_bound}) {
    for (const ContactModel model : {ContactModel::ncp, ContactModel::ccp, ContactModel::raisim,
                                     ContactModel::max_dissipation}) {
      const Residuals judged = c->judged(model);
      EXPECT_LE(judged.eps_nat, 1e-15) << to_string(model);
      EXPECT_LE(judged.eps_rel, 1e-15) << to_string(model);
      EXPECT_LE(judged.eps_abs, 1e-15) << to_string(model);
    }
    EXPECT_LE(c->judged().natural_map, 1e-15);
    EXPECT_GT(c->judged(ContactModel::frictionless).eps_nat, 0.1);  // without friction there are no torques
  }
}

TEST(JudgeCoupled, SeesEveryPerturbation) {
  const Case good(-r * push, 3.0, {-r * push * 0.6, -r * push * 0.8}, {1.2, 1.6});
  for (const double part : {1e-2, 1e-4, 1e-6}) {
    const auto changed = [&](auto change) {
      Case c = good;
      const VectorX before = c.problem.to_dense() * c.impulse + c.problem.free_velocity();
      change(c.impulse);
      // Velocities as before: it is the law of the torques that is broken, not that of the contact.
      c.problem = ContactProblem::from_dense({c.problem.constraints().begin(), c.problem.constraints().end()},
                                             c.problem.to_dense(), before - c.problem.to_dense() * c.impulse);
      return c.judged().eps_nat;
    };
    EXPECT_GT(changed([&](VectorX& x) { x[3] *= 1.0 + part; }), 0.5 * part) << "too much torsion";
    EXPECT_GT(changed([&](VectorX& x) { x[3] *= 1.0 - part; }), 0.1 * part) << "too little torsion";
    EXPECT_GT(changed([&](VectorX& x) { x.segment<2>(4) *= 1.0 + part; }), 0.5 * part) << "too much rolling friction";
    EXPECT_GT(changed([&](VectorX& x) { x.segment<2>(4) *= 1.0 - part; }), 0.1 * part) << "too little";
    EXPECT_GT(changed([&](VectorX& x) {
                x.segment<2>(4) += part * r * push * Vector2(0.8, -0.6);
              }),
              0.1 * part)
        << "turned";
    EXPECT_GT(changed([&](VectorX& x) { x[2] *= 1.0 - part; }), 0.5 * part) << "a partner that pushes less";
    EXPECT_GT(changed([&](VectorX& x) { x[6] = part * r * push; }), 0.5 * part) << "an impulse in the empty row";
  }
}

// A square is no disc: only the pyramidal model takes it.
TEST(JudgeCoupled, CornersBelongToThePyramidalModel) {
  const Case corner(0.0, 0.0, {-r * push, -r * push}, {1.0, 1.0});
  EXPECT_LE(corner.judged(ContactModel::lcp).eps_nat, 1e-15);
  EXPECT_GT(corner.judged(ContactModel::ncp).eps_nat, 0.1);
}

TEST(JudgeCoupled, NothingWithoutAPartner) {
  const MatrixX g = MatrixX::Identity(1, 1);
  const VectorX spin = VectorX::Constant(1, 2.0), none = VectorX::Zero(1), some = VectorX::Constant(1, -0.1);
  const auto alone = ContactProblem::from_dense({Constraint::make_torsional(r, -1)}, g, spin);
  EXPECT_EQ(judge(alone, none).eps_nat, 0.0);
  EXPECT_GT(judge(alone, some).eps_nat, 0.01);
}

TEST(JudgeCoupled, NotFiniteIsInfinite) {
  Case c(0.1, 0.0, {0.1, -0.1}, {0.0, 0.0});
  c.impulse[3] = std::nan("");
  EXPECT_TRUE(std::isinf(c.judged().eps_nat));
}

TEST(JudgeCoupled, EnergyCountsWhatTorquesTake) {
  const Case slips(-r * push, 3.0, {-r * push * 0.6, -r * push * 0.8}, {1.2, 1.6});
  EXPECT_NEAR(contact_energy(slips.problem, slips.impulse).dissipated, r * push * 3.0 + r * push * 2.0, 1e-15);
}

TEST(CoupledProblem, BadInputIsRefused) {
  const Constraint contact = Constraint::make_frictional(mu);
  const auto make = [&](const Constraint& coupled, double third = 0.0) {
    const int m = 3 + coupled.rows;
    MatrixX g = MatrixX::Identity(m, m);
    if (coupled.rows == 3) g(5, 5) = third;
    return ContactProblem::from_dense({contact, coupled}, g, VectorX::Zero(m));
  };
  EXPECT_NO_THROW(make(Constraint::make_rolling(r, 0)));
  EXPECT_NO_THROW(make(Constraint::make_torsional(r, 0)));
  EXPECT_THROW(make(Constraint::make_torsional(-r, 0)), std::invalid_argument);
  EXPECT_THROW(make(Constraint::make_torsional(std::nan(""), 0)), std::invalid_argument);
  EXPECT_THROW(make(Constraint::make_torsional(r, 1)), std::invalid_argument);  // itself
  EXPECT_THROW(make(Constraint::make_torsional(r, 2)), std::invalid_argument);
  EXPECT_THROW(make(Constraint::make_rolling(r, -2)), std::invalid_argument);
  EXPECT_THROW(make(Constraint::make_rolling(r, 0), 1.0), std::invalid_argument);  // its third row moves something
  Constraint odd = Constraint::make_dry_friction(1.0);
  odd.partner = 0;
  EXPECT_THROW(make(odd), std::invalid_argument);
}

// Solved with its bounds right, the problem that solvers see is the coupled one.
TEST(HeldBoundsTest, SolutionsOfTheCoupledProblemAreItsSolutions) {
  const Case slips(-r * push, 3.0, {-r * push * 0.6, -r * push * 0.8}, {1.2, 1.6});
  HeldBounds held;
  held.make(slips.problem, 1.0);
  ASSERT_EQ(held.size(), 2);
  EXPECT_FALSE(held.problem().is_coupled());
  held.set_bound(0, r * push);
  held.set_bound(1, r * push);
  VectorX impulse = slips.impulse;
  impulse[6] = r * push;  // the spring of the third row
  EXPECT_LE(judge(held.problem(), impulse).eps_nat, 1e-15);
  held.set_bound(1, 1.1 * r * push);
  EXPECT_GT(judge(held.problem(), impulse).eps_nat, 1e-3);
}

}  // namespace
}  // namespace stiction
