#include "stiction/solvers/pivoting/linear_complementarity.h"

#include <gtest/gtest.h>

#include <random>

#include "../support/allocation_guard.h"
#include "stiction/contact/lcp_judge.h"
#include "stiction/problem_files/lcp.h"
#include "tests/support/dense.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

MatrixX random_matrix(std::mt19937_64& generator, int rows, int cols) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  MatrixX m(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) m(i, j) = uniform(generator);
  }
  return m;
}

// Every complementary basis in turn; the number of solutions and the first of them.
int enumerate_solutions(const LinearComplementarityProblem& p, VectorX& first) {
  const int n = p.size();
  int count = 0;
  for (int mask = 0; mask < 1 << n; ++mask) {
    MatrixX basis = MatrixX::Identity(n, n);  // w − M z = q
    for (int j = 0; j < n; ++j) {
      if (mask >> j & 1) basis.col(j) = -p.matrix.col(j);
    }
    VectorX x;
    if (!testing::solve_if_invertible(basis, p.offset, x)) continue;
    if (x.minCoeff() < -1e-10) continue;
    if (count++ == 0) {
      first = VectorX::Zero(n);
      for (int j = 0; j < n; ++j) {
        if (mask >> j & 1) first[j] = x[j];
      }
    }
  }
  return count;
}

// Cottle, Pang, Stone's kind of textbook problem: P-matrix, one solution.
TEST(Lemke, TextbookProblemWithOneSolution) {
  LinearComplementarityProblem p;
  p.matrix = (MatrixX(3, 3) << 1, 0, 0, 2, 1, 0, 2, 2, 1).finished();
  p.offset = (VectorX(3) << -8, -12, -14).finished();
  VectorX z;
  LinearComplementarity solver;
  EXPECT_EQ(solver.solve_lemke(p, z).status, LcpStatus::solved);
  EXPECT_LE((z - (VectorX(3) << 8, 0, 0).finished()).norm(), 1e-13);
}

TEST(Lemke, NonNegativeOffsetIsSolvedByZero) {
  LinearComplementarityProblem p{-MatrixX::Identity(2, 2), VectorX::Ones(2)};
  VectorX z;
  LinearComplementarity solver;
  const LcpReport report = solver.solve_lemke(p, z);
  EXPECT_EQ(report.status, LcpStatus::solved);
  EXPECT_EQ(report.pivots, 0);
  EXPECT_EQ(z, VectorX::Zero(2));
}

TEST(Lemke, ProblemWithoutSolutionEndsOnARay) {
  LinearComplementarityProblem p{-MatrixX::Identity(2, 2), (VectorX(2) << -1, -2).finished()};
  VectorX z;
  LinearComplementarity solver;
  EXPECT_EQ(solver.solve_lemke(p, z).status, LcpStatus::ray);
  EXPECT_TRUE(z.allFinite());
}

TEST(Lemke, IterationLimitIsAnOutcome) {
  std::mt19937_64 generator(3);
  const MatrixX a = random_matrix(generator, 12, 12);
  LinearComplementarityProblem p{a * a.transpose(), -VectorX::Ones(12)};
  VectorX z;
  LinearComplementarity solver;
  LcpSettings settings;
  settings.max_pivots = 3;
  EXPECT_EQ(solver.solve_lemke(p, z, settings).status, LcpStatus::iteration_limit);
  EXPECT_TRUE(z.allFinite());
}

// Kostreva's example: Lemke with a careless choice among ties goes round in circles.
TEST(Lemke, DegenerateProblemDoesNotCycle) {
  LinearComplementarityProblem p;
  p.matrix = (MatrixX(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  p.offset = -VectorX::Ones(3);
  VectorX z;
  LinearComplementarity solver;
  const LcpReport report = solver.solve_lemke(p, z);
  EXPECT_EQ(report.status, LcpStatus::solved);
  EXPECT_LE(report.pivots, 10);
  EXPECT_LE((z - VectorX::Constant(3, 1.0 / 3.0)).norm(), 1e-14);
}

// Many equal rows of an integer matrix: ties at every pivot.
TEST(Lemke, HighlyDegenerateRandomProblemsAreSolved) {
  LinearComplementarity solver;
  std::mt19937_64 generator(11);
  std::uniform_int_distribution<int> digit(-1, 1);
  for (int k = 0; k < 300; ++k) {
    const int n = 8, rank = 3;
    MatrixX a(n, rank);
    for (int j = 0; j < rank; ++j) {
      for (int i = 0; i < n; ++i) a(i, j) = digit(generator);
    }
    VectorX v(rank);
    for (int j = 0; j < rank; ++j) v[j] = digit(generator);
    // q in the range of M = A Aᵀ: consistent, so that a solution exists
    LinearComplementarityProblem p{a * a.transpose(), a * v};
    VectorX z;
    ASSERT_EQ(solver.solve_lemke(p, z).status, LcpStatus::solved) << k;
    ASSERT_LE(judge_lcp(p, z).eps_abs, 1e-12) << k;
    ASSERT_EQ(solver.solve_dantzig(p, z).status, LcpStatus::solved) << k;
    ASSERT_LE(judge_lcp(p, z).eps_abs, 1e-12) << k;
  }
}

// A positive definite part plus any skew part is a P-matrix: one solution, which Lemke must find.
TEST(Lemke, AgreesWithEnumerationOnRandomPMatrices) {
  LinearComplementarity solver;
  std::mt19937_64 generator(5);
  for (int k = 0; k < 400; ++k) {
    const int n = 1 + k % 7;
    const MatrixX a = random_matrix(generator, n, n), b = random_matrix(generator, n, n);
    LinearComplementarityProblem p{a * a.transpose() + 0.01 * MatrixX::Identity(n, n) + 2.0 * (b - b.transpose()),
                                   random_matrix(generator, n, 1)};
    VectorX expected, z;
    ASSERT_EQ(enumerate_solutions(p, expected), 1) << k;
    ASSERT_EQ(solver.solve_lemke(p, z).status, LcpStatus::solved) << k;
    EXPECT_LE((z - expected).norm(), 1e-9 * (1.0 + expected.norm())) << k;
  }
}

// Any matrix at all: what Lemke calls solved is a solution; for copositive-plus M a ray means that there is none.
TEST(Lemke, OutcomeIsRightForRandomMatrices) {
  LinearComplementarity solver;
  std::mt19937_64 generator(7);
  int rays = 0, solved = 0;
  for (int k = 0; k < 600; ++k) {
    const int n = 2 + k % 5;
    LinearComplementarityProblem p{random_matrix(generator, n, n), random_matrix(generator, n, 1)};
    const bool semidefinite = k % 2 == 0;
    if (semidefinite) {
      const MatrixX a = p.matrix.leftCols(std::max(1, n - 2)).eval();
      p.matrix = a * a.transpose();
    }
    VectorX z, any;
    const LcpReport report = solver.solve_lemke(p, z);
    ASSERT_TRUE(report.status == LcpStatus::solved || report.status == LcpStatus::ray) << k;
    if (report.status == LcpStatus::solved) {
      ++solved;
      ASSERT_LE(judge_lcp(p, z).eps_nat, 1e-10) << k;
    } else {
      ++rays;
      if (semidefinite) {
        ASSERT_EQ(enumerate_solutions(p, any), 0) << k;
      }
    }
  }
  EXPECT_GT(rays, 20);
  EXPECT_GT(solved, 300);
}

TEST(Lemke, ScaleOfRowsColumnsAndOffsetDoesNotMatter) {
  LinearComplementarity solver;
  std::mt19937_64 generator(9);
  const int n = 12;
  const MatrixX a = random_matrix(generator, n, n), b = random_matrix(generator, n, n);
  const LinearComplementarityProblem p{a * a.transpose() + 0.01 * MatrixX::Identity(n, n) + (b - b.transpose()),
                                       random_matrix(generator, n, 1)};
  VectorX expected;
  ASSERT_EQ(solver.solve_lemke(p, expected).status, LcpStatus::solved);
  VectorX rows(n), columns(n);
  for (int i = 0; i < n; ++i) {
    rows[i] = std::pow(10.0, i % 7 - 3);
    columns[i] = std::pow(10.0, 2 * (i % 5) - 4);
  }
  const LinearComplementarityProblem scaled{rows.asDiagonal() * p.matrix * columns.asDiagonal(),
                                            1e5 * rows.cwiseProduct(p.offset)};
  VectorX z;
  ASSERT_EQ(solver.solve_lemke(scaled, z).status, LcpStatus::solved);
  const VectorX back = 1e-5 * columns.cwiseProduct(z);
  EXPECT_LE((back - expected).norm(), 1e-10 * expected.norm());
}

// Murty's family, on which least-index methods need 2ⁿ − 1 pivots.
TEST(Lemke, MurtysFamily) {
  const int n = 12;
  LinearComplementarityProblem p{MatrixX::Identity(n, n), VectorX::Constant(n, -1.0)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) p.matrix(i, j) = 2.0;
  }
  VectorX z;
  LinearComplementarity solver;
  EXPECT_EQ(solver.solve_lemke(p, z).status, LcpStatus::solved);
  VectorX expected = VectorX::Zero(n);
  expected[0] = 1.0;
  EXPECT_LE((z - expected).norm(), 1e-13);
}

TEST(Dantzig, AgreesWithLemkeAndEnumerationOnSemidefiniteProblems) {
  LinearComplementarity solver;
  std::mt19937_64 generator(21);
  for (int k = 0; k < 400; ++k) {
    const int n = 2 + k % 9, rank = std::max(1, n - k % 4);
    const MatrixX a = random_matrix(generator, n, rank);
    LinearComplementarityProblem p{a * a.transpose(), a * random_matrix(generator, rank, 1)};
    VectorX by_lemke, by_dantzig;
    ASSERT_EQ(solver.solve_lemke(p, by_lemke).status, LcpStatus::solved) << k;
    ASSERT_EQ(solver.solve_dantzig(p, by_dantzig).status, LcpStatus::solved) << k;
    EXPECT_LE(judge_lcp(p, by_lemke).eps_nat, 1e-10) << k;
    EXPECT_LE(judge_lcp(p, by_dantzig).eps_nat, 1e-10) << k;
    // M z is unique where M is semidefinite, z is not
    EXPECT_LE((p.matrix * (by_lemke - by_dantzig)).norm(), 1e-9 * (1.0 + by_lemke.norm())) << k;
  }
}

TEST(Dantzig, InfeasibleProblemIsARay) {
  LinearComplementarityProblem p{(MatrixX(2, 2) << 1, -1, -1, 1).finished(), (VectorX(2) << -1, -1).finished()};
  VectorX z;
  LinearComplementarity solver;
  EXPECT_EQ(solver.solve_dantzig(p, z).status, LcpStatus::ray);
}

TEST(Dantzig, IndefiniteMatrixIsANumericalErrorAndAsymmetricOneIsRefused) {
  LinearComplementarity solver;
  VectorX z;
  LinearComplementarityProblem p{(MatrixX(2, 2) << 1, 3, 3, 1).finished(), (VectorX(2) << -1, -4).finished()};
  const LcpStatus status = solver.solve_dantzig(p, z).status;
  EXPECT_TRUE(status == LcpStatus::numerical_error || judge_lcp(p, z).eps_nat < 1e-10);
  p.matrix << -1, 0, 0, -1;
  EXPECT_EQ(solver.solve_dantzig(p, z).status, LcpStatus::numerical_error);
  p.matrix << 1, 0.5, 0, 1;
  EXPECT_THROW(solver.solve_dantzig(p, z), std::invalid_argument);
}

TEST(Dantzig, BoundsHold) {
  LinearComplementarity solver;
  std::mt19937_64 generator(31);
  const double infinity = std::numeric_limits<double>::infinity();
  int at_upper = 0;
  for (int k = 0; k < 300; ++k) {
    const int n = 3 + k % 8;
    const MatrixX a = random_matrix(generator, n, n);
    const LinearComplementarityProblem p{a * a.transpose(), random_matrix(generator, n, 1)};
    VectorX lower(n), upper(n), z;
    for (int i = 0; i < n; ++i) {
      lower[i] = i % 3 == 0 ? 0.0 : i % 3 == 1 ? -0.4 : -infinity;
      upper[i] = i % 3 == 1 ? 0.4 : infinity;
    }
    ASSERT_EQ(solver.solve_dantzig(p, lower, upper, z).status, LcpStatus::solved) << k;
    const VectorX w = p.matrix * z + p.offset;
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(z[i], std::clamp(z[i] - w[i], lower[i], upper[i]), 1e-9 * (1.0 + z.norm())) << k;
      at_upper += z[i] == upper[i];
    }
  }
  EXPECT_GT(at_upper, 20);
  VectorX z;
  EXPECT_THROW(solver.solve_dantzig({MatrixX::Identity(1, 1), VectorX::Ones(1)}, VectorX::Ones(1), VectorX::Ones(1), z),
               std::invalid_argument);
}

// The stored corner cases. CPS_3 is a bimatrix game with an indefinite matrix: Lemke's path leaves on a ray although
// there are solutions.
TEST(Lemke, SolvesTheStoredProblems) {
  LinearComplementarity solver;
  const auto solve = [&](const std::string& name, VectorX& z) {
    const auto file = read_lcp(testing::scene_file("fclib/lcp/lcp_") + name + ".hdf5");
    const LcpStatus status = solver.solve_lemke(file.problem, z).status;
    if (status == LcpStatus::solved) {
      EXPECT_LE(judge_lcp(file.problem, z).eps_nat, 1e-13) << name;
    }
    return status;
  };
  VectorX z;
  for (const char* name : {"CPS_1", "CPS_4", "Pang_isolated_sol", "deudeu", "exp_murty", "mmc", "ortiz", "trivial"}) {
    EXPECT_EQ(solve(name, z), LcpStatus::solved) << name;
  }
  EXPECT_EQ(solve("CPS_3", z), LcpStatus::ray);
  EXPECT_TRUE(z.allFinite());
}

TEST(LinearComplementarity, RefusesNanAndTakesTheEmptyProblem) {
  LinearComplementarity solver;
  VectorX z;
  EXPECT_EQ(solver.solve_lemke({}, z).status, LcpStatus::solved);
  EXPECT_EQ(solver.solve_dantzig({}, z).status, LcpStatus::solved);
  LinearComplementarityProblem p{MatrixX::Identity(2, 2), VectorX::Constant(2, std::nan(""))};
  EXPECT_THROW(solver.solve_lemke(p, z), std::invalid_argument);
  EXPECT_THROW(solver.solve_dantzig(p, z), std::invalid_argument);
}

TEST(LinearComplementarity, SecondSolveOfASizeAllocatesNothing) {
  LinearComplementarity solver;
  std::mt19937_64 generator(41);
  const int n = 30;
  const MatrixX a = random_matrix(generator, n, n - 5);
  const LinearComplementarityProblem p{a * a.transpose(), a * random_matrix(generator, n - 5, 1)};
  VectorX z, first, second;
  solver.solve_lemke(p, z);
  first = z;
  testing::AllocationGuard lemke;
  solver.solve_lemke(p, z);
  EXPECT_EQ(lemke.count(), 0);
  EXPECT_EQ(z, first);
  solver.solve_dantzig(p, z);
  second = z;
  testing::AllocationGuard dantzig;
  solver.solve_dantzig(p, z);
  EXPECT_EQ(dantzig.count(), 0);
  EXPECT_EQ(z, second);
}

}  // namespace
}  // namespace stiction
