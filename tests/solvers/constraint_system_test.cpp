#include "stiction/solvers/linear_algebra/constraint_system.h"

#include <gtest/gtest.h>

#include <random>

#include "../support/random_problems.h"

namespace stiction {
namespace {

// left_i (G x)_i + diagonal_i x_i = right_i checked by the definition, in all three forms, with skipped constraints.
TEST(ConstraintSystem, SolvesItsEquationsInAllForms) {
  testing::RandomProblemOptions options{.seed = 8, .bodies = 4, .contacts = 7, .limits = 3, .bilateral = 2};
  const ContactProblem factored = testing::random_problem(options);
  const int n = factored.num_constraints(), m = factored.num_rows();
  for (DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
    const ContactProblem problem = factored.in_form(form);
    std::mt19937_64 generator(4);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    ConstraintSystem system;
    system.start(problem);
    for (int i = 0; i < n; ++i) {
      const int rows = problem.constraint(i).rows;
      system.left[i].setZero();
      system.diagonal[i].setZero();
      for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < rows; ++k) system.left[i](r, k) = (r == k) + 0.2 * uniform(generator);
        for (int k = 0; k < rows; ++k) system.diagonal[i](r, k) = 0.3 * (r == k) + 0.05 * uniform(generator);
      }
      system.skip[i] = i % 4 == 1;
    }
    VectorX right(m);
    for (int k = 0; k < m; ++k) right[k] = uniform(generator);
    system.right = right;
    const std::vector<Matrix3> left = system.left, diagonal = system.diagonal;
    VectorX x(m), product(m);
    ASSERT_TRUE(system.solve(x));
    problem.apply(x, product);
    for (int i = 0; i < n; ++i) {
      const Constraint& c = problem.constraint(i);
      for (int r = 0; r < c.rows; ++r) {
        double sum = -right[c.first_row + r];
        for (int k = 0; k < c.rows; ++k) {
          sum += left[i](r, k) * product[c.first_row + k] + diagonal[i](r, k) * x[c.first_row + k];
        }
        if (i % 4 == 1) {
          EXPECT_EQ(x[c.first_row + r], 0.0);
        } else {
          EXPECT_NEAR(sum, 0.0, 1e-11);
        }
      }
    }
  }
}

TEST(ConstraintSystem, ReportsASingularMatrix) {
  const ContactProblem problem = ContactProblem::from_dense(
      {Constraint::make_unilateral(), Constraint::make_unilateral()}, Eigen::MatrixXd::Ones(2, 2), VectorX::Zero(2));
  ConstraintSystem system;
  system.start(problem);
  for (int i = 0; i < 2; ++i) {
    system.left[i].setIdentity();
    system.diagonal[i].setZero();
    system.skip[i] = 0;
  }
  system.right = VectorX::Ones(2);
  VectorX x(2);
  EXPECT_FALSE(system.solve(x));
}

}  // namespace
}  // namespace stiction
