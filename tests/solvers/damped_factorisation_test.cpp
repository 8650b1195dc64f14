#include "stiction/solvers/linear_algebra/damped_factorisation.h"

#include <gtest/gtest.h>

#include "../support/allocation_guard.h"
#include "../support/random_problems.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

using testing::AllocationGuard;
using testing::random_problem;
using testing::RandomProblemOptions;

RandomProblemOptions mixed(unsigned seed) {
  return {.seed = seed, .bodies = 4, .contacts = 9, .limits = 3, .bilateral = 3, .dry_friction = 2};
}

// A scale and a right-hand side that differ from row to row.
VectorX ramp(int m, double first, double step) {
  VectorX v(m);
  for (int r = 0; r < m; ++r) v[r] = first + step * ((r * 5) % 11);
  return v;
}

MatrixX damped(const ContactProblem& problem, const VectorX& s, double delta) {
  MatrixX f = problem.to_dense();
  f.diagonal() += problem.compliance();
  f = (s.asDiagonal() * f * s.asDiagonal()).eval();
  f.diagonal().array() += delta;
  return f;
}

ContactProblem in_space(const ContactProblem& problem, FactorisationSpace space) {
  return space == FactorisationSpace::sparse ? problem.in_form(DelassusForm::sparse) : problem;
}

constexpr FactorisationSpace all_spaces[] = {FactorisationSpace::dense, FactorisationSpace::sparse,
                                             FactorisationSpace::velocity};

TEST(DampedFactorisation, EverySpaceInvertsTheDampedOperator) {
  RandomProblemOptions options = mixed(3);
  for (double compliance : {0.0, 0.1}) {
    options.compliance = compliance;
    const ContactProblem problem = random_problem(options);
    const int m = problem.num_rows();
    const VectorX s = ramp(m, 0.5, 0.1), b = ramp(m, -1.0, 0.3);
    for (FactorisationSpace space : all_spaces) {
      const ContactProblem form = in_space(problem, space);
      DampedFactorisation factorisation;
      factorisation.analyse(form, space, s);
      for (double delta : {1.0, 1e-2, 1e-4}) {
        ASSERT_TRUE(factorisation.factor(delta));
        VectorX x(m);
        factorisation.solve(b, x);
        const MatrixX f = damped(problem, s, delta);
        const VectorX expected = testing::solve(f, b);
        const double condition = f.trace() / delta;
        EXPECT_LE((x - expected).norm(), 1e-15 * condition * expected.norm())
            << "space " << static_cast<int>(space) << " delta " << delta;
      }
      EXPECT_EQ(factorisation.count(), 3);
    }
  }
}

TEST(DampedFactorisation, RowsLeftOutVanish) {
  const ContactProblem problem = random_problem(mixed(4));
  const int m = problem.num_rows();
  std::vector<char> active(m);
  for (int r = 0; r < m; ++r) active[r] = r % 3 != 1;
  const VectorX s = ramp(m, 0.5, 0.1), b = ramp(m, -1.0, 0.3);
  MatrixX f = damped(problem, s, 0.05);
  VectorX kept = b;
  for (int r = 0; r < m; ++r) {
    if (active[r]) continue;
    f.row(r).setZero();
    f.col(r).setZero();
    f(r, r) = 1.0;
    kept[r] = 0.0;
  }
  const VectorX expected = testing::solve(f, kept);
  for (FactorisationSpace space : all_spaces) {
    const ContactProblem form = in_space(problem, space);
    DampedFactorisation factorisation;
    factorisation.analyse(form, space, s, active);
    ASSERT_TRUE(factorisation.factor(0.05));
    VectorX x(m), back(m);
    factorisation.solve(b, x);
    EXPECT_LE((x - expected).norm(), 1e-11 * expected.norm()) << static_cast<int>(space);
    factorisation.apply(x, back);
    EXPECT_LE((back + 0.05 * x - kept).norm(), 1e-11 * expected.norm()) << static_cast<int>(space);
  }
}

TEST(DampedFactorisation, NonSymmetricMatrixIsUsedAsItIs) {
  const ContactProblem symmetric = random_problem(mixed(5));
  const int m = symmetric.num_rows();
  MatrixX g = symmetric.to_dense();
  for (int r = 0; r + 1 < m; ++r) {
    if (g(r, r + 1) != 0.0) g(r, r + 1) *= 1.05;
  }
  const VectorX b = ramp(m, -1.0, 0.3), s = VectorX::Ones(m);
  const std::vector<Constraint> constraints(symmetric.constraints().begin(), symmetric.constraints().end());
  const ContactProblem problem = ContactProblem::from_dense(constraints, g, symmetric.free_velocity());
  ASSERT_FALSE(problem.is_symmetric());
  const VectorX expected = testing::solve(damped(problem, s, 0.1), b);
  for (FactorisationSpace space : {FactorisationSpace::dense, FactorisationSpace::sparse}) {
    DampedFactorisation factorisation;
    factorisation.analyse(problem, space);
    ASSERT_TRUE(factorisation.factor(0.1));
    VectorX x(m);
    factorisation.solve(b, x);
    EXPECT_LE((x - expected).norm(), 1e-11 * expected.norm());
  }
}

TEST(DampedFactorisation, ChoosesByFormAndSize) {
  DampedFactorisation factorisation;
  const ContactProblem small = random_problem({.bodies = 2, .contacts = 3});
  factorisation.analyse(small);
  EXPECT_EQ(factorisation.space(), FactorisationSpace::dense);
  const ContactProblem large = random_problem({.bodies = 10, .contacts = 40});
  factorisation.analyse(large);
  EXPECT_EQ(factorisation.space(), FactorisationSpace::velocity);
  const ContactProblem sparse = large.in_form(DelassusForm::sparse);
  factorisation.analyse(sparse);
  EXPECT_EQ(factorisation.space(), FactorisationSpace::sparse);
  const ContactProblem dense = large.in_form(DelassusForm::dense);
  factorisation.analyse(dense);
  EXPECT_EQ(factorisation.space(), FactorisationSpace::dense);
}

TEST(DampedFactorisation, SecondUseOfASizeAllocatesNothing) {
  const ContactProblem factored = random_problem({.seed = 1, .bodies = 10, .contacts = 40});
  for (DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
    const ContactProblem problem = form == DelassusForm::factored ? factored : factored.in_form(form);
    const int m = problem.num_rows();
    DampedFactorisation factorisation;
    const VectorX s = ramp(m, 0.5, 0.1), b = ramp(m, -1.0, 0.3);
    VectorX x(m), y(m);
    const auto use = [&] {
      factorisation.analyse(problem, FactorisationSpace::automatic, s);
      factorisation.factor(0.1);
      factorisation.factor(0.01);
      factorisation.solve(b, x);
      factorisation.apply(x, y);
    };
    use();
    const AllocationGuard guard;
    use();
    EXPECT_EQ(guard.count(), 0) << static_cast<int>(form);
  }
}

TEST(DampedFactorisation, RefusesWhatDoesNotFit) {
  const ContactProblem problem = random_problem({.contacts = 3});
  const ContactProblem dense = problem.in_form(DelassusForm::dense);
  DampedFactorisation factorisation;
  EXPECT_THROW(factorisation.analyse(dense, FactorisationSpace::velocity), std::invalid_argument);
  EXPECT_THROW(factorisation.analyse(dense, FactorisationSpace::dense, VectorX::Ones(4)), std::invalid_argument);
  EXPECT_THROW(factorisation.analyse(dense, FactorisationSpace::dense, VectorX::Zero(9)), std::invalid_argument);
  const std::vector<char> active(2, 1);
  EXPECT_THROW(factorisation.analyse(dense, FactorisationSpace::dense, VectorX(), active), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
