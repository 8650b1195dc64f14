#include "stiction/contact/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "../support/random_problems.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

using testing::mass_ratio_stack;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Residuals judge_as(const ContactProblem& problem, const VectorX& impulse, ContactModel model) {
  return judge(problem, impulse, {.model = model});
}

// One contact with μ and free velocity g; W is the inverse inertia seen by it.
ContactProblem one_contact(double mu, const Vector3& g, const Matrix3& w = Matrix3::Identity()) {
  return ContactProblem::from_dense({Constraint::make_frictional(mu)}, w, g);
}
ContactProblem one_row(const Constraint& constraint, double g, double w = 1.0) {
  return ContactProblem::from_dense({constraint}, MatrixX::Constant(1, 1, w), VectorX::Constant(1, g));
}

// ---- closed forms: a unit mass that flies, sticks and slides ------------------------------------------------------

TEST(Judge, PullingWithoutFrictionIsAFaultOfItsSize) {
  for (const double free : {0.5, 1.0}) {  // with 0.5 nothing moves: it is glued on
    const Residuals pulled = judge(one_contact(0.0, {0, 0, free}), Vector3(0, 0, -0.5));
    EXPECT_EQ(pulled.natural_map, 0.5);
    EXPECT_EQ(pulled.eps_abs, 0.5);
    EXPECT_GE(pulled.eps_nat, 0.5);
  }
}

TEST(Judge, OneContactExactInAllRegimes) {
  EXPECT_EQ(judge(one_contact(0.5, {1, 2, 3}), Vector3(0, 0, 0)).eps_abs, 0.0) << "open";
  EXPECT_EQ(judge(one_contact(0.5, {1, 2, 0}), Vector3(0, 0, 0)).eps_abs, 0.0) << "grazing";
  EXPECT_EQ(judge(one_contact(0.5, {0.5, -1, -4}), Vector3(-0.5, 1, 4)).eps_abs, 0.0) << "sticking";
  // Sliding: λ_N = 2, λ_T = −μ λ_N (0.6, 0.8), σ_T = 5 (0.6, 0.8) + λ_T.
  const Vector3 slide(-0.6, -0.8, 2.0);
  const ContactProblem problem = one_contact(0.5, {3, 4, -2});
  const Residuals exact = judge(problem, slide);
  EXPECT_LE(exact.eps_abs, 1e-15);
  EXPECT_LE(exact.eps_rel, 1e-15);
  EXPECT_LE(exact.natural_map, 1e-15);
  EXPECT_LE(exact.dissipation, 1e-15);
  EXPECT_EQ(exact.worst_constraint, 0);
}

TEST(Judge, DistancesByHand) {
  // λ = (3, 0, 1) with μ = 1 is √2 outside; g cancels everything else.
  EXPECT_NEAR(judge(one_contact(1.0, {-3, 0, -1}), Vector3(3, 0, 1)).eps_abs, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(judge(one_contact(1.0, {-1, 0, 3}), Vector3(1, 0, -3)).eps_abs, std::hypot(1.0, 3.0), 1e-15) << "apex";
  // λ = 0, σ = (0, 0, −2): ε_d = 2; with max |g| = 2 that is one.
  const Residuals falling = judge(one_contact(0.5, {0, 0, -2}), Vector3::Zero());
  EXPECT_EQ(falling.eps_abs, 2.0);
  EXPECT_EQ(falling.eps_rel, 1.0);
  EXPECT_EQ(falling.signorini_penetration, 2.0);
  // λ = (0, 0, 2), σ = (0, 0, 1): ε_c = 2, and |λ_N σ_N| = 2; ‖λ̂‖ = 2 G/g = 4 with g = −1/2, G = 1.
  const Residuals lifting = judge(ContactProblem::from_dense({Constraint::make_frictional(0.5)}, Matrix3::Identity(),
                                                             Vector3(0, 0, -0.5), Vector3(0, 0, -0.25).cwiseAbs()),
                                  Vector3(0, 0, 2));
  EXPECT_EQ(lifting.eps_abs, 4.0) << "sigma_N = (1 + 1/4) 2 - 1/2";
  EXPECT_EQ(lifting.signorini_complementarity, 4.0);
  EXPECT_EQ(lifting.normal_separation, 2.0);
  EXPECT_EQ(lifting.eps_rel, 16.0) << "impulse times 2, velocity times 2";
  EXPECT_EQ(lifting.eps_nat, 4.0) << "divided by the scaled impulse of 4";
}

TEST(Judge, TimeStepTurnsImpulsesIntoForces) {
  const ContactProblem problem = one_contact(1.0, {-3, 0, -1});
  EXPECT_NEAR(judge(problem, Vector3(3, 0, 1), {.time_step = 0.1}).eps_abs, 10.0 * std::sqrt(2.0), 1e-13);
  EXPECT_NEAR(judge(problem, Vector3(3, 0, 1), {.time_step = 0.1}).eps_rel, judge(problem, Vector3(3, 0, 1)).eps_rel,
              0.0);
  for (double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(judge(problem, Vector3(3, 0, 1), {.time_step = bad}), std::invalid_argument);
  }
}

TEST(Judge, LawsAreReportedApart) {
  // Coulomb: σ = 0 but λ_T too long by 1.
  const Residuals outside = judge(one_contact(0.5, {2, 0, -2}), Vector3(-2, 0, 2));
  EXPECT_EQ(outside.coulomb, 1.0);
  EXPECT_EQ(outside.signorini_complementarity, 0.0);
  // Dissipation: on the cone, but across the sliding direction: λ_T = (0, −1), σ_T = (3, 0).
  const Residuals across = judge(one_contact(0.5, {3, 1, -2}), Vector3(0, -1, 2));
  EXPECT_NEAR(across.dissipation, std::sqrt(2.0), 1e-15);
  EXPECT_EQ(across.coulomb, 0.0);
  EXPECT_EQ(across.signorini_penetration, 0.0);
  EXPECT_NEAR(across.eps_abs, 2.0 * 0.5 * 3.0, 1e-15) << "lambda_N mu |sigma_T|, as lambda_T does no work";
}

TEST(Judge, FrictionlessSlidingAtZeroMu) {
  const ContactProblem problem = one_contact(0.0, {3, 4, -2});
  EXPECT_EQ(judge(problem, Vector3(0, 0, 2)).eps_abs, 0.0);
  EXPECT_NEAR(judge(problem, Vector3(0.1, 0, 2)).coulomb, 0.1, 1e-16);
  EXPECT_GE(judge(problem, Vector3(0.1, 0, 2)).eps_abs, 0.1);
  EXPECT_EQ(judge_as(one_contact(0.7, {3, 4, -2}), Vector3(0, 0, 2), ContactModel::frictionless).eps_abs, 0.0);
  EXPECT_GE(judge_as(one_contact(0.7, {3, 4, -2}), Vector3(0, 0.1, 2), ContactModel::frictionless).eps_abs, 0.1);
}

TEST(Judge, OneRowKinds) {
  const Constraint limit = Constraint::make_unilateral(), dry = Constraint::make_dry_friction(0.5);
  EXPECT_EQ(judge(one_row(limit, -2.0), VectorX::Constant(1, 2.0)).eps_abs, 0.0);
  EXPECT_EQ(judge(one_row(limit, 2.0), VectorX::Zero(1)).eps_abs, 0.0);
  EXPECT_EQ(judge(one_row(limit, -2.0), VectorX::Zero(1)).eps_abs, 2.0) << "penetrates";
  EXPECT_EQ(judge(one_row(limit, 2.0), VectorX::Constant(1, -2.0)).eps_abs, 2.0) << "pulls";
  EXPECT_EQ(judge(one_row(limit, -1.0), VectorX::Constant(1, 2.0)).eps_abs, 2.0) << "pushes and leaves";

  EXPECT_EQ(judge(one_row(dry, -0.25), VectorX::Constant(1, 0.25)).eps_abs, 0.0) << "sticks";
  EXPECT_EQ(judge(one_row(dry, -2.0), VectorX::Constant(1, 0.5)).eps_abs, 0.0) << "slides";
  EXPECT_EQ(judge(one_row(dry, 2.0), VectorX::Constant(1, -0.5)).eps_abs, 0.0) << "slides back";
  EXPECT_EQ(judge(one_row(dry, 2.0), VectorX::Constant(1, 0.5)).eps_abs, 1.0) << "drives";
  EXPECT_EQ(judge(one_row(dry, -2.0), VectorX::Constant(1, 2.0)).eps_abs, 1.5) << "outside the box";
  EXPECT_EQ(judge(one_row(Constraint::make_dry_friction(0.0), 2.0), VectorX::Zero(1)).eps_abs, 0.0);

  const ContactProblem loop =
      ContactProblem::from_dense({Constraint::make_bilateral(3)}, Matrix3::Identity(), Vector3(3, -4, 12));
  EXPECT_EQ(judge(loop, Vector3(-3, 4, -12)).eps_abs, 0.0);
  EXPECT_EQ(judge(loop, Vector3::Zero()).eps_abs, 13.0);
  EXPECT_EQ(judge(loop, Vector3::Zero()).natural_map, 1.0);
}

TEST(Judge, RelaxedModelsOnAUnitMass) {
  // CCP: it slides with σ_T = s (1, 0) and lifts off with σ_N = μ s; λ = p (−μ, 0, 1). With μ = 1/2, s = 2, p = 4:
  const Vector3 impulse(-2, 0, 4);
  const ContactProblem ccp = one_contact(0.5, Vector3(2, 0, 1) - impulse);
  EXPECT_LE(judge_as(ccp, impulse, ContactModel::ccp).eps_abs, 1e-15);
  EXPECT_EQ(judge_as(ccp, impulse, ContactModel::ncp).normal_separation, 1.0);
  EXPECT_GT(judge_as(ccp, impulse, ContactModel::ncp).eps_abs, 1.0);
  // LCP: friction sits in the corner of the pyramid, so its length is √2 μ λ_N.
  const Vector3 corner(-2, 2, 4);
  const ContactProblem lcp = one_contact(0.5, Vector3(1, -3, 0) - corner);
  EXPECT_LE(judge_as(lcp, corner, ContactModel::lcp).eps_abs, 1e-15);
  EXPECT_NEAR(judge(lcp, corner).coulomb, 2.0 * std::sqrt(2.0) - 2.0, 1e-15);
  // … or on an edge, where the other component need not slide.
  const Vector3 edge(-2, 0.5, 4);
  EXPECT_LE(judge_as(one_contact(0.5, Vector3(1, 0, 0) - edge), edge, ContactModel::lcp).eps_abs, 1e-15);
  EXPECT_GT(judge_as(one_contact(0.5, Vector3(1, 0.1, 0) - edge), edge, ContactModel::lcp).eps_abs, 0.1);
}

TEST(Judge, RaisimBendsTheSlidingDirection) {
  Matrix3 w;
  w << 2.0, 0.1, 0.6, 0.1, 1.5, -0.4, 0.6, -0.4, 1.2;
  const double mu = 0.8, push = 2.0;
  const Vector3 impulse(mu * push * 0.6, -mu * push * 0.8, push);
  const double bend = mu * mu * push / w(2, 2);
  const Vector2 d(impulse[0] + bend * w(0, 2), impulse[1] + bend * w(1, 2));
  const auto sliding = [&](const Vector2& tangential) {
    const Vector3 sigma(tangential[0], tangential[1], 0.0);
    return judge_as(one_contact(mu, sigma - w * impulse, w), impulse, ContactModel::raisim).eps_abs;
  };
  EXPECT_LE(sliding(-3.0 * d), 1e-14);
  EXPECT_GT(sliding(3.0 * d), 1.0) << "friction must not drive";
  EXPECT_GT(sliding(-3.0 * impulse.head<2>()), 0.1) << "the straight direction is another law's";
  // With compliance W_NN includes R_N.
  const Vector3 r(0.0, 0.0, 0.7);
  const double softer = mu * mu * push / (w(2, 2) + r[2]);
  const Vector3 sigma(-impulse[0] - softer * w(0, 2), -impulse[1] - softer * w(1, 2), 0.0);
  const ContactProblem soft = ContactProblem::from_dense({Constraint::make_frictional(mu)}, w,
                                                         sigma - w * impulse - r.cwiseProduct(impulse), r);
  EXPECT_LE(judge_as(soft, impulse, ContactModel::raisim).eps_abs, 1e-14);
}

TEST(Judge, MaximumDissipationAndViscousContactsAreJudgedByAdmissibility) {
  const ContactProblem viscous =
      ContactProblem::from_dense({Constraint::make_viscous(0.5, 3.0)}, Matrix3::Identity(), Vector3(-5, 0, -8));
  EXPECT_EQ(judge(viscous, Vector3(5, 0, 8)).eps_abs, 0.0) << "5 = hypot(0.5 * 8, 3)";
  EXPECT_NEAR(judge(viscous, Vector3(6, 0, 8)).eps_abs, 1.0, 1e-15);
  EXPECT_EQ(judge(viscous, Vector3(0, 0, 7)).eps_abs, 1.0) << "sigma_N = -1";
  EXPECT_EQ(judge_as(one_contact(0.5, {0, 0, -1}), Vector3(0, 0, 2), ContactModel::max_dissipation).eps_abs, 0.0);
}

TEST(Judge, AnisotropicContactIsTheRoundOneInOtherCoordinates) {
  Matrix3 w;
  w << 2.0, 0.1, 0.6, 0.1, 1.5, -0.4, 0.6, -0.4, 1.2;
  const Vector3 g(1.0, -2.0, -3.0), scale(0.5, 0.25, 1.0);
  const ContactProblem problem = ContactProblem::from_dense({Constraint::make_anisotropic(0.5, 0.25)}, w, g);
  const ContactProblem round = problem.scaled(scale, {Constraint::make_frictional(1.0)});
  for (ContactModel model :
       {ContactModel::ncp, ContactModel::ccp, ContactModel::lcp, ContactModel::raisim, ContactModel::max_dissipation}) {
    for (const Vector3& l : {Vector3(0.1, 0.2, 3.0), Vector3(-1.0, 0.3, 2.0), Vector3(1, 1, 1), Vector3(0, 0, -1)}) {
      const double expected = judge_as(round, l, model).eps_abs;
      EXPECT_NEAR(judge_as(problem, scale.cwiseProduct(l), model).eps_abs, expected, 1e-14 * (1.0 + expected))
          << to_string(model);
      if (model == ContactModel::ncp) {
        EXPECT_NEAR(judge(problem, scale.cwiseProduct(l)).natural_map * std::max(1.0, g.norm()),
                    judge(round, l).natural_map * std::max(1.0, scale.cwiseProduct(g).norm()), 1e-13);
      }
    }
  }
  // A direction without friction: any impulse along it is a fault of its size.
  const ContactProblem half =
      ContactProblem::from_dense({Constraint::make_anisotropic(0.5, 0.0)}, Matrix3::Identity(), Vector3(-1, 3, -4));
  EXPECT_EQ(judge(half, Vector3(1, 0, 4)).eps_abs, 0.0);
  EXPECT_EQ(judge(half, Vector3(1, 0.25, 4)).eps_abs, 0.25);
  EXPECT_GE(judge(half, Vector3(1, 0.25, 4)).natural_map, 0.01);
}

// ---- exact solutions of large problems, by construction -------------------------------------------------------------

// Pairs (λ_i, σ_i) that obey the law of `model` are drawn in all regimes; with any G, g = σ − (G + R) λ makes λ a
// solution.
struct Constructed {
  ContactProblem problem;
  VectorX impulse;
};

class Construction {
 public:
  Construction(ContactModel model, unsigned seed) : model_(model), generator_(seed) {}

  Constructed make() {
    add_kinds();
    int m = 0;
    for (const Constraint& c : constraints_) m += c.rows;
    MatrixX a(m, m);
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) a(i, j) = uniform(-1, 1);
    }
    const MatrixX g = product_with_transposed(a, a) / m + 0.1 * MatrixX::Identity(m, m);
    VectorX impulse(m), sigma(m), compliance(m);
    for (int k = 0; k < m; ++k) compliance[k] = uniform(0.0, 0.3);
    int row = 0;
    for (int i = 0; i < static_cast<int>(constraints_.size()); ++i) {
      const Constraint& c = constraints_[i];
      if (c.rows == 3 && c.kind != ConstraintKind::bilateral) {
        Matrix3 w = g.block<3, 3>(row, row);
        w.diagonal() += compliance.segment<3>(row);
        draw_contact(c, i % 3, w, impulse.segment<3>(row), sigma.segment<3>(row));
      } else {
        for (int r = 0; r < c.rows; ++r) draw_row(c, i % 3, impulse[row + r], sigma[row + r]);
      }
      row += c.rows;
    }
    const VectorX free = sigma - g * impulse - compliance.cwiseProduct(impulse);
    return {ContactProblem::from_dense(constraints_, g, free, compliance), impulse};
  }

 private:
  using Segment = Eigen::Ref<Vector3>;

  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(generator_); }

  void add_kinds() {
    for (int i = 0; i < 9; ++i) {
      const bool anisotropic = i % 2 == 1;
      constraints_.push_back(anisotropic ? Constraint::make_anisotropic(uniform(0.1, 1), uniform(0.1, 1))
                                         : Constraint::make_frictional(uniform(0.1, 1)));
    }
    for (int i = 0; i < 3; ++i) constraints_.push_back(Constraint::make_unilateral());
    for (int i = 0; i < 3; ++i) constraints_.push_back(Constraint::make_dry_friction(uniform(0.1, 1)));
    constraints_.push_back(Constraint::make_bilateral(3));
    constraints_.push_back(Constraint::make_bilateral(1));
  }

  void draw_row(const Constraint& c, int regime, double& l, double& s) {
    l = s = 0.0;
    if (c.kind == ConstraintKind::bilateral) l = uniform(-1, 1);
    if (c.kind == ConstraintKind::unilateral) (regime == 0 ? s : l) = uniform(0.1, 1);
    if (c.kind == ConstraintKind::dry_friction) {
      l = regime == 0 ? uniform(-0.9, 0.9) * c.bound : regime == 1 ? c.bound : -c.bound;
      s = regime == 0 ? 0.0 : std::copysign(uniform(0.1, 1), -l);
    }
  }

  // In the coordinates in which the cone is round: regime 0 open, 1 sticking, 2 sliding.
  void draw_contact(const Constraint& c, int regime, Matrix3 w, Segment l, Segment s) {
    const bool anisotropic = c.kind == ConstraintKind::anisotropic;
    const double mu = model_ == ContactModel::frictionless ? 0.0 : anisotropic ? 1.0 : c.friction;
    Vector3 scale = Vector3::Ones();
    if (anisotropic && model_ != ContactModel::frictionless) scale = {c.friction, c.friction_2, 1.0};
    w = scale.asDiagonal() * w * scale.asDiagonal();
    const double angle = uniform(-3, 3), p = uniform(0.5, 1.5), speed = uniform(0.5, 1.5);
    const Vector2 u(std::cos(angle), std::sin(angle));
    l.setZero();
    s.setZero();
    if (regime == 0) {
      s << speed * u, (model_ == ContactModel::ccp ? mu * speed : 0.0) + uniform(0.1, 1);
    } else if (regime == 1) {
      l << uniform(0.1, 0.9) * mu * p * u, p;
      if (model_ == ContactModel::frictionless) s << speed * u, 0.0;
    } else {
      slide(mu, p, speed, u, w, l, s);
    }
    l = scale.cwiseProduct(l).eval();
    s = s.cwiseQuotient(scale).eval();
  }

  void slide(double mu, double p, double speed, const Vector2& u, const Matrix3& w, Segment l, Segment s) {
    l << -mu * p * u, p;
    s << speed * u, model_ == ContactModel::ccp ? mu * speed : 0.0;
    if (model_ == ContactModel::lcp) l << -mu * p * u.cwiseSign(), p;
    if (model_ == ContactModel::raisim) {
      const double bend = mu * mu * p / w(2, 2);
      s << -speed * (l[0] + bend * w(0, 2)), -speed * (l[1] + bend * w(1, 2)), 0.0;
    }
  }

  ContactModel model_;
  std::mt19937_64 generator_;
  std::vector<Constraint> constraints_;
};

class JudgeOfModel : public ::testing::TestWithParam<ContactModel> {};

TEST_P(JudgeOfModel, ConstructedSolutionsHaveNoResidual) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto [problem, impulse] = Construction(GetParam(), seed).make();
    for (const ContactProblem& p : {problem, problem.in_form(DelassusForm::sparse)}) {
      const Residuals residuals = judge_as(p, impulse, GetParam());
      ASSERT_LE(residuals.eps_abs, 1e-13) << seed << ", constraint " << residuals.worst_constraint;
      ASSERT_LE(residuals.eps_rel, 1e-12) << seed;
      ASSERT_LE(residuals.eps_nat, 1e-13) << seed;
    }
  }
}

TEST_P(JudgeOfModel, EveryPerturbationIsSeenInEveryMeasure) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto [problem, impulse] = Construction(GetParam(), seed).make();
    for (int k = 0; k < impulse.size(); ++k) {
      for (double change : {1e-3, -1e-3, 1e-6}) {
        VectorX perturbed = impulse;
        perturbed[k] += change;
        const Residuals residuals = judge_as(problem, perturbed, GetParam());
        ASSERT_GE(residuals.eps_abs, 1e-3 * std::abs(change)) << "seed " << seed << ", row " << k;
        ASSERT_GE(residuals.eps_rel, 1e-3 * std::abs(change)) << "seed " << seed << ", row " << k;
        ASSERT_GE(residuals.eps_nat, 1e-3 * std::abs(change)) << "seed " << seed << ", row " << k;
        if (GetParam() == ContactModel::ncp) {
          ASSERT_GE(residuals.natural_map, 1e-3 * std::abs(change)) << "seed " << seed << ", row " << k;
        }
      }
    }
  }
}

TEST_P(JudgeOfModel, NothingFiniteHidesNan) {
  const auto [problem, impulse] = Construction(GetParam(), 1).make();
  for (double bad : {nan, std::numeric_limits<double>::infinity(), 1e308}) {
    for (int k = 0; k < impulse.size(); ++k) {
      VectorX broken = impulse;
      broken[k] = bad;
      for (const ContactProblem& p : {problem, problem.in_form(DelassusForm::sparse)}) {
        const Residuals residuals = judge_as(p, broken, GetParam());
        for (double value : {residuals.eps_abs, residuals.eps_rel, residuals.eps_nat, residuals.natural_map,
                             residuals.signorini_complementarity, residuals.signorini_penetration, residuals.coulomb,
                             residuals.dissipation, residuals.normal_separation}) {
          ASSERT_TRUE(std::isinf(value)) << "row " << k;
        }
        ASSERT_GE(residuals.worst_constraint, 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JudgeOfModel,
                         ::testing::Values(ContactModel::ncp, ContactModel::ccp, ContactModel::lcp,
                                           ContactModel::raisim, ContactModel::frictionless),
                         [](const auto& instance) { return std::string(to_string(instance.param)); });

TEST(Judge, NanIsSeenInModelsThatJudgeAdmissibilityOnly) {
  for (int k = 0; k < 3; ++k) {
    Vector3 broken(0, 0, 1);
    broken[k] = nan;
    EXPECT_TRUE(std::isinf(judge_as(one_contact(0.5, {0, 0, -1}), broken, ContactModel::max_dissipation).eps_nat));
    const ContactProblem lonely =  // G = 0: NaN does not reach σ through zero blocks of the factored form
        ContactProblem::from_factored({Constraint::make_anisotropic(0.0, 0.0)}, {{}, {0, 0}, {}, {}}, Vector3(0, 0, 1));
    EXPECT_TRUE(std::isinf(judge(lonely, broken).eps_nat));
  }
}

TEST(Judge, NamesTheWorstConstraint) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto [problem, impulse] = Construction(ContactModel::ncp, seed).make();
    for (int i = 0; i < problem.num_constraints(); ++i) {
      // A fault of one constraint alone: its own row of g, so that no other velocity changes.
      const Constraint& c = problem.constraint(i);
      VectorX g = problem.free_velocity();
      const int last = c.first_row + c.rows - 1;
      g[last] += c.kind == ConstraintKind::dry_friction ? std::copysign(5.0, impulse[last]) : -5.0;
      const ContactProblem faulty = ContactProblem::from_dense(
          {problem.constraints().begin(), problem.constraints().end()}, problem.to_dense(), g, problem.compliance());
      EXPECT_EQ(judge(faulty, impulse).worst_constraint, i);
    }
  }
  const MatrixX g = MatrixX::Identity(2, 2);
  const ContactProblem two =
      ContactProblem::from_dense({Constraint::make_unilateral(), Constraint::make_unilateral()}, g, Vector2(1, 1));
  EXPECT_EQ(judge(two, Vector2(0, nan)).worst_constraint, 1);
  EXPECT_EQ(judge(two, Vector2(nan, nan)).worst_constraint, 0);
}

// ---- invariants
// -------------------------------------------------------------------------------------------------------

TEST(Judge, RelativeResidualsDoNotSeeUnits) {
  for (double a : {1e-8, 1e3, 1e8}) {
    for (double b : {1e-8, 1.0, 1e8}) {
      auto [problem, impulse] = Construction(ContactModel::ncp, 3).make();
      impulse.array() += 0.01;
      std::vector<Constraint> constraints(problem.constraints().begin(), problem.constraints().end());
      for (Constraint& c : constraints) c.bound *= b / a;
      const ContactProblem other = ContactProblem::from_dense(constraints, a * problem.to_dense(),
                                                              b * problem.free_velocity(), a * problem.compliance());
      const Residuals one = judge(problem, impulse), two = judge(other, b / a * impulse);
      EXPECT_NEAR(one.eps_rel / two.eps_rel, 1.0, 1e-12);
      EXPECT_NEAR(one.eps_nat / two.eps_nat, 1.0, 1e-12);
      EXPECT_EQ(one.worst_constraint, two.worst_constraint);
    }
  }
}

TEST(Judge, TurningTangentsChangesNothing) {
  const auto mechanics = testing::random_mechanics({.seed = 4});
  const ContactProblem problem = mechanics.problem();
  const int m = problem.num_rows();
  MatrixX turn = MatrixX::Identity(m, m);
  const double a = 0.7;
  turn.block<2, 2>(6, 6) << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
  const ContactProblem turned = ContactProblem::from_dense(
      mechanics.constraints, turn * problem.to_dense() * turn.transpose(), turn * problem.free_velocity());
  const VectorX impulse = VectorX::LinSpaced(m, -0.2, 0.4);
  for (ContactModel model : {ContactModel::ncp, ContactModel::ccp, ContactModel::raisim, ContactModel::frictionless}) {
    const Residuals one = judge_as(problem, impulse, model), two = judge_as(turned, turn * impulse, model);
    EXPECT_NEAR(one.eps_abs, two.eps_abs, 1e-13);
    EXPECT_NEAR(one.natural_map, two.natural_map, 1e-13);
    EXPECT_NEAR(one.dissipation, two.dissipation, 1e-13);
    EXPECT_NEAR(one.coulomb, two.coulomb, 1e-13);
  }
}

TEST(Judge, FormsGiveTheSameResiduals) {
  const ContactProblem problem =
      testing::random_problem({.seed = 6, .limits = 2, .bilateral = 2, .dry_friction = 2, .compliance = 0.1});
  const VectorX impulse = VectorX::LinSpaced(problem.num_rows(), -0.2, 0.4);
  const Residuals expected = judge(problem, impulse);
  for (DelassusForm form : {DelassusForm::sparse, DelassusForm::dense}) {
    const Residuals other = judge(problem.in_form(form), impulse);
    EXPECT_NEAR(other.eps_abs, expected.eps_abs, 1e-13);
    EXPECT_NEAR(other.eps_nat, expected.eps_nat, 1e-13);
    EXPECT_NEAR(other.natural_map, expected.natural_map, 1e-13);
    EXPECT_EQ(other.worst_constraint, expected.worst_constraint);
  }
}

TEST(Judge, ExactStackAtRestHasNoResidual) {
  const auto mechanics = mass_ratio_stack(1.0, 1);
  const ContactProblem problem = mechanics.problem();
  VectorX impulse = VectorX::Zero(12);
  for (int i = 0; i < 4; ++i) impulse[3 * i + 2] = 9.81e-3 / 4;
  EXPECT_LE(judge(problem, impulse).eps_rel, 1e-15);
  impulse[2] *= 1.001;
  EXPECT_GT(judge(problem, impulse).eps_rel, 1e-6);
}

TEST(Judge, EmptyProblemAndWrongSizes) {
  const Residuals nothing = judge(ContactProblem(), VectorX());
  EXPECT_EQ(nothing.eps_nat, 0.0);
  EXPECT_EQ(nothing.worst_constraint, -1);
  EXPECT_THROW(judge(one_contact(0.5, {0, 0, 0}), VectorX::Zero(2)), std::invalid_argument);
  EXPECT_EQ(judge(one_contact(0.5, {0, 0, 0}), Vector3::Zero()).eps_rel, 0.0) << "g = 0 is no division by zero";
}

TEST(Judge, RegimesOfContacts) {
  const ContactProblem problem = ContactProblem::from_dense(
      {Constraint::make_frictional(0.5), Constraint::make_frictional(0.5), Constraint::make_frictional(0.5),
       Constraint::make_unilateral(), Constraint::make_unilateral()},
      MatrixX::Identity(11, 11), VectorX::Ones(11));
  VectorX impulse = VectorX::Zero(11), velocity = VectorX::Zero(11);
  impulse[5] = impulse[8] = impulse[10] = 1.0;
  velocity[2] = velocity[7] = velocity[9] = 1.0;
  const ContactRegime expected[] = {ContactRegime::open, ContactRegime::sticking, ContactRegime::sliding,
                                    ContactRegime::open, ContactRegime::sticking};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(contact_regime(problem, i, impulse, velocity), expected[i]) << i;
  impulse[5] = nan;
  EXPECT_EQ(contact_regime(problem, 1, impulse, velocity), ContactRegime::open);
}

TEST(Residuals, MergeTakesTheWorseOfEachAndTheConstraintOfTheWorst) {
  const Residuals a{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10};
  const Residuals b{9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 20};
  for (const bool swapped : {false, true}) {
    Residuals whole = swapped ? b : a;
    merge(swapped ? a : b, whole);
    EXPECT_EQ(whole.eps_abs, 9.0);
    EXPECT_EQ(whole.eps_rel, 8.0);
    EXPECT_EQ(whole.eps_nat, 7.0);
    EXPECT_EQ(whole.natural_map, 6.0);
    EXPECT_EQ(whole.signorini_complementarity, 5.0);
    EXPECT_EQ(whole.signorini_penetration, 6.0);
    EXPECT_EQ(whole.coulomb, 7.0);
    EXPECT_EQ(whole.dissipation, 8.0);
    EXPECT_EQ(whole.normal_separation, 9.0);
    EXPECT_EQ(whole.worst_constraint, 20) << "of b, which has the larger eps_nat";
  }
  static_assert(sizeof(Residuals) == 9 * sizeof(double) + 8, "a new residual is to be merged, too");
  Residuals later = a;
  merge({.eps_nat = a.eps_nat, .worst_constraint = 30}, later);
  EXPECT_EQ(later.worst_constraint, 30) << "the later of equals";
}

}  // namespace
}  // namespace stiction
