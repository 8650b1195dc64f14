// Cone algebra of the interior point, its scaled problem, and the solver ncp-ip.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "stiction/contact/judge.h"
#include "stiction/solvers/interior_point/lorentz_cone.h"
#include "stiction/solvers/interior_point/newton_contact_space.h"
#include "stiction/solvers/interior_point/newton_long_double.h"
#include "stiction/solvers/interior_point/newton_velocity_space.h"
#include "stiction/solvers/interior_point/solver_ncp_ip.h"
#include "tests/support/random_problems.h"

namespace stiction {
namespace {

using Point = ConePoint<double>;

constexpr double deltas[] = {0.0, 0.3, 0.6, 0.8, 0.99};
constexpr double frictions[] = {1e-3, 0.3, 1.0, 4.0};

struct Random {
  std::mt19937_64 generator{7};
  double uniform(double low = -1.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  }
  Point any() {
    const double a = uniform(), b = uniform(), c = uniform();
    return {a, b, c};
  }
  // Strictly inside the cone; near its boundary for small gap.
  Point inside(double gap) {
    const Point p = any();
    return {p.t1, p.t2, tangent_norm(p) + gap * (0.1 + std::abs(p.n))};
  }
};

Eigen::Vector3d vector(const Point& p) {
  return {p.t1, p.t2, p.n};
}

// ε_abs of the one-contact problem with G = I and g chosen so that λ has velocity σ.
double law_violation(const Point& lambda, const Point& sigma, double mu) {
  const ContactProblem problem = ContactProblem::from_dense({Constraint::make_frictional(mu)}, Matrix3::Identity(),
                                                            vector(sigma) - vector(lambda));
  return judge(problem, vector(lambda)).eps_abs;
}

TEST(LorentzCone, DualPointWithZeroProductIsTheLawInEveryRegime) {
  Random random;
  for (double delta : deltas) {
    for (double mu : frictions) {
      for (int k = 0; k < 20; ++k) {
        // Stick: y = 0, x anywhere in the cone.
        const Point x = random.inside(1.0);
        EXPECT_LE(law_violation({x.t1, x.t2, x.n / mu}, velocity_of_dual(Point{0, 0, 0}, mu, delta), mu), 1e-12);
        // Open: x = 0, y inside; the normal velocity must be positive.
        const Point y = random.inside(1.0);
        const Point open = velocity_of_dual(y, mu, delta);
        EXPECT_GT(open.n, 0.0);
        EXPECT_LE(law_violation({0, 0, 0}, open, mu), 1e-12);
        // Slide: both on the boundary, opposite tangents.
        const double angle = random.uniform(-3.0, 3.0), a = random.uniform(0.1, 2.0), b = random.uniform(0.1, 2.0);
        const Point on{a * std::cos(angle), a * std::sin(angle), a};
        const Point against{-b * std::cos(angle), -b * std::sin(angle), b};
        const Point zero = jordan_product(on, against);
        EXPECT_LE(std::abs(zero.n) + std::abs(zero.t1) + std::abs(zero.t2), 1e-14);
        EXPECT_LE(law_violation({on.t1, on.t2, on.n / mu}, velocity_of_dual(against, mu, delta), mu), 1e-12 * (1 + mu));
      }
    }
  }
}

TEST(LorentzCone, TheDualOfAVelocityHasThatVelocity) {
  Random random;
  for (double delta : deltas) {
    for (double mu : frictions) {
      for (int k = 0; k < 50; ++k) {
        const Point any = random.any(), sigma{any.t1, any.t2, std::abs(any.n)};
        const Point y = dual_of_velocity(sigma, mu, delta);
        EXPECT_GE(y.n, tangent_norm(y) * (1.0 - 1e-14));
        EXPECT_LE((vector(velocity_of_dual(y, mu, delta)) - vector(sigma)).norm(), 1e-13 * (1.0 + mu * y.n));
      }
      const Point into = dual_of_velocity({0.3, 0.4, -1.0}, mu, delta);  // counts as sliding
      EXPECT_NEAR(into.n, 0.5, 1e-12);
    }
  }
}

TEST(LorentzCone, CentralPairsHaveTheProductAndTheDifferenceAsked) {
  Random random;
  for (double kappa : {1.0, 1e-4, 1e-12}) {
    for (int k = 0; k < 200; ++k) {
      const Point z = random.any();
      const CentralConePair pair(z, kappa);
      EXPECT_GT(pair.x.n, tangent_norm(pair.x));
      EXPECT_GT(pair.y.n, tangent_norm(pair.y));
      EXPECT_LE((vector(pair.x - pair.y) - vector(z)).norm(), 1e-14);
      const Point product = jordan_product(pair.x, pair.y);
      EXPECT_LE((vector(product) - Eigen::Vector3d(0, 0, kappa)).norm(), 1e-15 + 1e-13 * kappa);
    }
  }
  const CentralPair far(-1e3, 1e-9);
  EXPECT_NEAR(far.x, 1e-12, 1e-24);
}

TEST(LorentzCone, DerivativeOfTheDeSaxceTermMatchesFiniteDifferences) {
  Random random;
  for (double delta : deltas) {
    for (int k = 0; k < 50; ++k) {
      const double mu = random.uniform(0.1, 2.0), h = 1e-6;
      const Point y = random.inside(1.0), d = random.any();
      const Point slope = DualDerivative<double>(y, mu, delta) * d;
      const Point difference =
          (0.5 / h) * (velocity_of_dual(y + h * d, mu, delta) - velocity_of_dual(y - h * d, mu, delta));
      EXPECT_LE((vector(slope) - vector(difference)).norm(), 1e-6 / std::min(1.0, tangent_norm(y) + delta));
    }
  }
}

TEST(LorentzCone, ArrowInverseUndoesTheJordanProduct) {
  Random random;
  for (double gap : {1.0, 1e-3, 1e-9}) {
    for (int k = 0; k < 100; ++k) {
      const Point x = random.inside(gap), v = random.any();
      const Point back = ArrowInverse<double>(x) * jordan_product(x, v);
      EXPECT_LE((vector(back) - vector(v)).norm(), 1e-13 / gap);
    }
  }
}

TEST(LorentzCone, LargestStepEndsOnTheBoundary) {
  Random random;
  int bounded = 0;
  for (double gap : {1.0, 1e-2, 1e-6}) {
    for (int k = 0; k < 1000; ++k) {
      const Point x = random.inside(gap), d = random.any();
      const double inverse = inverse_largest_step(x, d);
      if (inverse == 0.0) {
        EXPECT_GE(d.n, tangent_norm(d) - 1e-12);
        continue;
      }
      ++bounded;
      const Point end = x + (1.0 / inverse) * d;
      const double size = end.n + tangent_norm(end) + tangent_norm(x) + std::abs(d.n) / inverse;
      EXPECT_NEAR(end.n - tangent_norm(end), 0.0, 1e-12 / gap * size);
      EXPECT_GE(end.n, -1e-12 / gap * size);
      const Point before = x + (0.999 / inverse) * d;
      EXPECT_GT(before.n, tangent_norm(before));
    }
  }
  EXPECT_GT(bounded, 1000);
}

TEST(LorentzCone, PolarStepStaysInsideAndAgreesToFirstOrder) {
  Random random;
  for (double gap : {1.0, 1e-2, 1e-6}) {
    for (int k = 0; k < 300; ++k) {
      const Point x = random.inside(gap), d = random.any();
      const double largest = 1.0 / std::max(1e-6, PolarStep::inverse_largest(x, d));
      const Point end = PolarStep::advance(x, d, 0.95 * largest);
      EXPECT_GT(end.n, tangent_norm(end));
      const double h = 1e-7 * std::min(1.0, tangent_norm(x));
      const Point moved = (1.0 / h) * (PolarStep::advance(x, d, h) - x);
      EXPECT_LE((vector(moved) - vector(d)).norm(), 1e-4);
    }
  }
}

testing::RandomProblemOptions mixed(unsigned seed, double compliance = 0.0) {
  testing::RandomProblemOptions options;
  options.seed = seed;
  options.bodies = 4;
  options.contacts = 7;
  options.limits = 3;
  options.bilateral = 2;
  options.dry_friction = 3;
  options.friction = -1.0;
  options.compliance = compliance;
  return options;
}

TEST(ConeProblem, ResidualIsTheOneOfTheStoppingTest) {
  Random random;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const ContactProblem problem = testing::random_problem(mixed(seed, 0.1));
    VectorX impulse(problem.num_rows()), velocity(problem.num_rows());
    for (double& value : impulse) value = random.uniform() * std::pow(10.0, random.uniform(-3.0, 3.0));
    problem.velocity(impulse, velocity);
    const StoppingResidual expected = stopping_residual(problem, ContactModel::ncp, impulse, velocity);
    ConeProblem cones;
    cones.load(problem);
    NewtonVelocitySpace space;
    space.load(problem, cones);
    Rows3 scaled(cones.size(), 3), sigma(cones.size(), 3);
    cones.read_impulse(impulse, scaled);
    space.velocity(scaled, sigma);
    const StoppingResidual found = cones.residual(scaled, sigma);
    EXPECT_NEAR(found.relative, expected.relative, 1e-10 * expected.relative);
    EXPECT_NEAR(found.natural, expected.natural, 1e-10 * expected.natural);
    EXPECT_NEAR(found.primal, expected.primal, 1e-10 * (expected.primal + 1e-3));
    scaled(0, 0) = std::nan("");
    space.velocity(scaled, sigma);
    EXPECT_FALSE(std::isfinite(cones.residual(scaled, sigma).natural));
  }
}

// r_p and the bent r_p differ by what σ(y) changes beyond its derivative over a step a, spread over the direction.
TEST(ConeProblem, BentResidualHoldsTheSecondOrderOfTheVelocity) {
  const ContactProblem problem = testing::random_problem(mixed(12, 0.1));
  ConeProblem cones;
  cones.load(problem);
  const int n = cones.size();
  ConeVector at, direction;
  at.resize(n);
  direction.resize(n);
  cones.start_cold(1.0, at);
  at.y.col(0) = 0.3 * at.y.col(2);
  for (int i = 0; i < n; ++i) direction.y.row(i) << 0.1 * i, 0.5, -0.4;
  const Rows3 zero = Rows3::Zero(n, 3);
  Rows3 here(n, 3), there(n, 3), slope(n, 3), bent(n, 3);
  constexpr double a = 0.7, delta = 0.8, h = 1e-7;
  cones.primal_residual(zero, at.y, delta, here);  // −σ(y)
  cones.primal_residual(zero, at.y + a * direction.y, delta, there);
  cones.primal_residual(zero, at.y + h * direction.y, delta, slope);
  cones.bent_primal_residual(here, at, direction, a, delta, bent);
  const Rows3 expected = here + (there - here) / a - (slope - here) / h;
  EXPECT_LE((bent - expected).abs().maxCoeff(), 1e-6);
  EXPECT_GE((bent - here).abs().maxCoeff(), 1e-2);
  for (const ScalarConstraint& s : cones.scalars()) EXPECT_TRUE((bent.row(s.index) == here.row(s.index)).all());
}

// The two spaces and the long double form solve the same linear system, theory (4-5).
TEST(NewtonSystem, SpacesAgreeOnDirectionAndDeterminantSign) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    testing::RandomProblemOptions options = mixed(seed, seed % 2 == 0 ? 0.0 : 0.2);
    options.contacts = 3;  // fewer rows than velocities, so that η does not matter
    options.limits = 2;
    options.bilateral = 1;
    options.dry_friction = 2;
    const ContactProblem factored = testing::random_problem(options);
    const ContactProblem sparse = factored.in_form(DelassusForm::sparse);
    const ContactProblem dense = factored.in_form(DelassusForm::dense);
    ConeProblem cones;
    cones.load(factored);
    NewtonVelocitySpace velocity_space;
    velocity_space.load(factored, cones);
    velocity_space.eta_numerator = 0.0;
    NewtonLongDouble long_double;
    long_double.load(factored, cones);
    NewtonContactSpace contact_space, contact_space_dense;
    contact_space.load(sparse, cones);
    contact_space_dense.load(dense, cones);
    const int n = cones.size();
    ConeVector at;
    at.resize(n);
    cones.start_cold(1.0, at);
    for (int i = 0; i < n; ++i) {  // off the axes
      at.impulse(i, 0) += (factored.constraint(i).rows == 3 ? 0.1 : 0.01) * std::min(1.0, at.x(i, 2));
      if (factored.constraint(i).kind == ConstraintKind::frictional) at.y(i, 1) -= 0.2 * at.y(i, 2);
      if (factored.constraint(i).kind == ConstraintKind::dry_friction) at.y(i, 0) += 0.2 * at.y(i, 2);
    }
    cones.to_cone(at);
    Rows3 sigma(n, 3), rp(n, 3), rc(n, 3);
    velocity_space.velocity(at.impulse, sigma);
    cones.primal_residual(sigma, at.y, 0.8, rp);
    cones.complementarity_residual(at, 0.3 * cones.mean_product(at), 0.0, nullptr, rc);
    ConeVector reference;
    reference.resize(n);
    ASSERT_TRUE(long_double.factor(at, 0.8));
    long_double.solve(at, rp, rc, reference);
    for (NewtonSystem* system :
         {static_cast<NewtonSystem*>(&velocity_space), static_cast<NewtonSystem*>(&contact_space),
          static_cast<NewtonSystem*>(&contact_space_dense)}) {
      ConeVector d;
      d.resize(n);
      ASSERT_TRUE(system->factor(at, 0.8));
      system->solve(at, rp, rc, d);
      const double size = reference.impulse.abs().maxCoeff() + reference.y.abs().maxCoeff();
      EXPECT_LE((d.impulse - reference.impulse).abs().maxCoeff(), 1e-5 * size) << "seed " << seed;
      EXPECT_LE((d.y - reference.y).abs().maxCoeff(), 1e-5 * size) << "seed " << seed;
      EXPECT_LE((d.x - reference.x).abs().maxCoeff(), 1e-5 * size) << "seed " << seed;
      EXPECT_EQ(system->determinant_sign(), 1);
      // The linearised complementarity holds.
      for (int i = 0; i < n; ++i) {
        if (factored.constraint(i).kind == ConstraintKind::bilateral) continue;
        const Point left = jordan_product(get(at.x, i), get(d.y, i)) + jordan_product(get(at.y, i), get(d.x, i));
        EXPECT_LE((vector(left) - vector(get(rc, i))).norm(), 1e-7 * size) << "constraint " << i;
      }
    }
    EXPECT_EQ(long_double.determinant_sign(), 1);
  }
}

TEST(SolverInteriorPoint, SolvesMixedKindsInEveryFormAndDelta) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem factored = testing::random_problem(mixed(seed, seed % 3 == 0 ? 0.1 : 0.0));
    for (DelassusForm form : {DelassusForm::factored, DelassusForm::sparse, DelassusForm::dense}) {
      const ContactProblem problem = factored.in_form(form);
      for (double delta : {0.3, 0.8}) {
        SolverInteriorPoint solver;
        solver.settings().tolerance = 1e-9;
        solver.settings().delta = delta;
        ContactSolution solution;
        const SolveReport report = solver.solve(problem, solution);
        EXPECT_EQ(report.status, SolveStatus::converged) << "seed " << seed << " form " << static_cast<int>(form);
        EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1e-9) << "seed " << seed;
        EXPECT_LE(report.iterations, 40);
      }
    }
  }
}

TEST(SolverInteriorPoint, IterationLimitIsAStatusAndHistoryIsKept) {
  const ContactProblem problem = testing::random_problem(mixed(3));
  SolverInteriorPoint solver;
  solver.settings().max_iterations = 2;
  solver.settings().record_history = true;
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_EQ(solver.history().size(), 3u);
  solver.settings().delta = 1.0;
  EXPECT_THROW(solver.solve(problem, solution), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
