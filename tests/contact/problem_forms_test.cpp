// One problem in its three forms, compared with G = J M⁻¹ Jᵀ worked out densely.
#include <gtest/gtest.h>

#include <random>

#include "../support/hard_problems.h"
#include "../support/random_problems.h"
#include "stiction/contact/problem.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

using testing::Mechanics;
using testing::random_mechanics;

MatrixX delassus_of(const Mechanics& mechanics) {
  const MatrixX jacobian = mechanics.jacobian;
  return product(jacobian, testing::solve_positive(mechanics.inertia, jacobian.transpose()));
}

VectorX random_vector(int size, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  VectorX x(size);
  for (int k = 0; k < size; ++k) x[k] = uniform(generator);
  return x;
}

Mechanics mixed(unsigned seed) {
  return random_mechanics({.seed = seed,
                           .bodies = 5,
                           .contacts = 7,
                           .limits = 3,
                           .bilateral = 3,
                           .dry_friction = 2,
                           .friction = -1.0,
                           .compliance = seed % 2 ? 0.1 : 0.0});
}

// A tree: one dense component of `size` velocities, so that a constraint spans several nodes, beside a free body.
Mechanics tree(int size, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const int nv = size + 6, rows = 14;
  MatrixX a(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) a(i, j) = uniform(generator);
  }
  MatrixX inertia = MatrixX::Identity(nv, nv);
  inertia.topLeftCorner(size, size) += a * a.transpose();
  MatrixX jacobian = MatrixX::Zero(rows, nv);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < nv; ++k) {
      const bool touches = r < 6 ? k < size : r < 9 ? true : k >= size;
      if (touches) jacobian(r, k) = uniform(generator);
    }
  }
  Mechanics out;
  for (int i = 0; i < 4; ++i) out.constraints.push_back(Constraint::make_frictional(0.3 + 0.1 * i));
  out.constraints.push_back(Constraint::make_unilateral());
  out.constraints.push_back(Constraint::make_bilateral(1));
  out.inertia = inertia.sparseView();
  out.jacobian = jacobian.sparseView();
  out.velocity_free = random_vector(nv, seed + 1);
  out.offset = random_vector(rows, seed + 2);
  return out;
}

void expect_same_problem(const ContactProblem& problem, const Mechanics& mechanics, const char* what) {
  SCOPED_TRACE(what);
  const MatrixX g = delassus_of(mechanics);
  const int m = static_cast<int>(g.rows());
  const double size = g.cwiseAbs().maxCoeff();
  ASSERT_EQ(problem.num_rows(), m);
  const VectorX impulse = random_vector(m, 99),
                r = mechanics.compliance.size() ? mechanics.compliance : VectorX::Zero(m);
  VectorX out(m);
  problem.apply(impulse, out);
  EXPECT_LE((out - g * impulse).cwiseAbs().maxCoeff(), 1e-13 * size);
  problem.velocity(impulse, out);
  EXPECT_LE((out - g * impulse - r.cwiseProduct(impulse) - mechanics.free_velocity()).cwiseAbs().maxCoeff(),
            1e-13 * (size + 1.0));
  EXPECT_LE((problem.to_dense() - g).cwiseAbs().maxCoeff(), 1e-13 * size);
  EXPECT_LE((MatrixX(problem.to_sparse()) - g).cwiseAbs().maxCoeff(), 1e-13 * size);
  EXPECT_EQ(problem.to_dense(), MatrixX(problem.to_dense().transpose()));
  EXPECT_NEAR(problem.largest_diagonal(), g.diagonal().maxCoeff(), 1e-13 * size);
  EXPECT_EQ(problem.largest_free_velocity(), mechanics.free_velocity().cwiseAbs().maxCoeff());
  EXPECT_TRUE(problem.is_symmetric());
  EXPECT_EQ(problem.is_rigid(), r.isZero(0.0));
  EXPECT_EQ(problem.compliance(), r);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    Matrix3 expected = Matrix3::Zero();
    for (int a = 0; a < c.rows; ++a) {
      for (int b = 0; b < c.rows; ++b) expected(a, b) = g(c.first_row + a, c.first_row + b);
    }
    EXPECT_LE((problem.diagonal_block(i) - expected).norm(), 1e-13 * size) << "constraint " << i;
    EXPECT_EQ(c.kind, mechanics.constraints[i].kind);
  }
}

void expect_three_forms(const Mechanics& mechanics) {
  const ContactProblem factored = mechanics.problem();
  ASSERT_EQ(factored.form(), DelassusForm::factored);
  const ContactProblem sparse = factored.in_form(DelassusForm::sparse), dense = factored.in_form(DelassusForm::dense);
  ASSERT_EQ(sparse.form(), DelassusForm::sparse);
  ASSERT_EQ(dense.form(), DelassusForm::dense);
  expect_same_problem(factored, mechanics, "factored");
  expect_same_problem(factored.in_form(DelassusForm::factored), mechanics, "factored to factored");
  expect_same_problem(sparse, mechanics, "sparse");
  expect_same_problem(dense, mechanics, "dense");
  expect_same_problem(sparse.in_form(DelassusForm::dense), mechanics, "sparse to dense");
  expect_same_problem(dense.in_form(DelassusForm::sparse), mechanics, "dense to sparse");
  EXPECT_THROW(dense.in_form(DelassusForm::factored), std::invalid_argument);
}

TEST(ProblemForms, AgreeOnFreeBodiesWithMixedKinds) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    expect_three_forms(mixed(seed));
  }
}

TEST(ProblemForms, AgreeOnTreesLargerThanANode) {
  for (int size : {1, 5, 6, 7, 12, 13, 20, 37}) {
    SCOPED_TRACE(size);
    const Mechanics mechanics = tree(size, 10 + size);
    expect_three_forms(mechanics);
    const DelassusFactored factored = mechanics.problem().factored();
    EXPECT_EQ(factored.num_velocities(), size + 6);
    EXPECT_GE(factored.num_nodes(), (size + 6 + 5) / 6);
    EXPECT_LE(factored.num_nodes(), (size + 5) / 6 + 6) << "the free velocities are not coupled in M";
  }
}

// Whatever M couples: a diagonal one would make six nodes of a body, and each factorisation many times as expensive.
TEST(ProblemForms, AFreeBodyIsOneNodeWhateverItsInertiaLooksLike) {
  const testing::BoxColumns columns{.seed = 1, .columns = 3, .height = 3};
  EXPECT_EQ(testing::box_columns(columns).problem().factored().num_nodes(), 9);
  const testing::ThreePointHeap heap{.seed = 1, .bodies = 12};
  EXPECT_EQ(testing::three_point_heap(heap).problem().factored().num_nodes(), 12);
  // Velocities that share no constraint stay apart.
  Eigen::SparseMatrix<double, Eigen::RowMajor> identity(4, 4);
  identity.setIdentity();
  const std::vector<Constraint> limits(4, Constraint::make_unilateral());
  EXPECT_EQ(ContactProblem::from_inertia(limits, identity, identity, VectorX::Ones(4)).factored().num_nodes(), 4);
}

TEST(ProblemForms, MadeFromFactoredByHand) {
  // Two contacts on one particle of mass 4: A = J / 2.
  DelassusFactored f;
  f.node_size = {3};
  f.segment_begin = {0, 1, 2};
  f.segment_node = {0, 0};
  f.segment.resize(2);
  for (auto& segment : f.segment) {
    segment = {};
    for (int r = 0; r < 3; ++r) segment.row[r][r] = 0.5;
  }
  const ContactProblem problem = ContactProblem::from_factored(
      {Constraint::make_frictional(0.5), Constraint::make_frictional(0.7)}, f, VectorX::Ones(6));
  MatrixX g(6, 6);
  g << MatrixX::Identity(3, 3), MatrixX::Identity(3, 3), MatrixX::Identity(3, 3), MatrixX::Identity(3, 3);
  EXPECT_EQ(problem.to_dense(), 0.25 * g);
}

TEST(ProblemForms, ConstraintsAreLaidOutInOrder) {
  const ContactProblem problem = mixed(0).problem();
  int row = 0;
  for (const Constraint& c : problem.constraints()) {
    EXPECT_EQ(c.first_row, row);
    row += c.rows;
  }
  EXPECT_EQ(row, problem.num_rows());
  EXPECT_TRUE(problem.has_kind(ConstraintKind::dry_friction));
  EXPECT_FALSE(problem.has_kind(ConstraintKind::viscous));
}

MatrixX unsymmetric(int m, unsigned seed) {
  MatrixX a(m, m);
  for (int j = 0; j < m; ++j) a.col(j) = random_vector(m, seed + j);
  return a * a.transpose() + 0.01 * a;
}

TEST(ProblemForms, UnsymmetricMatricesAreKeptAndSymmetrisedOnRequest) {
  const int m = 7;
  const std::vector<Constraint> constraints{Constraint::make_frictional(0.5), Constraint::make_unilateral(),
                                            Constraint::make_bilateral(3)};
  const MatrixX g = unsymmetric(m, 5);
  const MatrixX half = 0.5 * (g + g.transpose());
  const double expected = (g - g.transpose()).cwiseAbs().maxCoeff() / g.cwiseAbs().maxCoeff();
  const ContactProblem dense = ContactProblem::from_dense(constraints, g, VectorX::Ones(m));
  for (const ContactProblem& problem : {dense, dense.in_form(DelassusForm::sparse)}) {
    EXPECT_EQ(problem.to_dense(), g);
    EXPECT_EQ(MatrixX(problem.to_sparse()), g);
    EXPECT_NEAR(problem.asymmetry(), expected, 1e-15);
    EXPECT_FALSE(problem.is_symmetric());
    const VectorX impulse = random_vector(m, 3);
    VectorX out(m);
    problem.apply(impulse, out);
    EXPECT_LE((out - g * impulse).norm(), 1e-14 * g.norm());
    const ContactProblem symmetric = problem.symmetric_part();
    EXPECT_EQ(symmetric.to_dense(), half);
    EXPECT_EQ(symmetric.asymmetry(), 0.0);
    symmetric.apply(impulse, out);
    EXPECT_LE((out - half * impulse).norm(), 1e-14 * g.norm());
    EXPECT_LE((symmetric.diagonal_block(0) - half.topLeftCorner(3, 3)).norm(), 1e-15 * g.norm());
  }
}

TEST(ProblemForms, SparsePatternIsSymmetricAndHoldsEveryDiagonalBlock) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> g(4, 4);
  g.insert(0, 3) = 1.0;  // block (0, 1) alone; the rest of G is missing
  const ContactProblem problem = ContactProblem::from_sparse(
      {Constraint::make_frictional(0.5), Constraint::make_unilateral()}, g, VectorX::Ones(4));
  const DelassusSparse& sparse = problem.sparse();
  EXPECT_EQ(sparse.row_begin, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(sparse.column, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(sparse.diagonal, (std::vector<int>{0, 3}));
  EXPECT_EQ(sparse.transposed, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(problem.asymmetry(), 1.0);
  EXPECT_EQ(problem.largest_diagonal(), 1.0) << "one where G has no diagonal";
}

TEST(ProblemForms, ScaledRowsAndColumns) {
  for (unsigned seed : {1u, 2u}) {
    const Mechanics mechanics = mixed(seed);
    const MatrixX g = delassus_of(mechanics);
    const int m = static_cast<int>(g.rows());
    VectorX s = random_vector(m, 4);
    s[5] = 0.0;
    const MatrixX expected = s.asDiagonal() * g * s.asDiagonal();
    std::vector<Constraint> others = mechanics.constraints;
    others[0] = Constraint::make_frictional(1.0);
    const ContactProblem factored = mechanics.problem();
    for (const ContactProblem& problem :
         {factored, factored.in_form(DelassusForm::sparse), factored.in_form(DelassusForm::dense)}) {
      const ContactProblem scaled = problem.scaled(s, others);
      EXPECT_LE((scaled.to_dense() - expected).cwiseAbs().maxCoeff(), 1e-13 * g.cwiseAbs().maxCoeff());
      EXPECT_EQ(scaled.free_velocity(), VectorX(s.cwiseProduct(problem.free_velocity())));
      EXPECT_LE((scaled.compliance() - s.cwiseAbs2().cwiseProduct(problem.compliance())).norm(), 1e-15);
      EXPECT_NEAR(scaled.largest_diagonal(), expected.diagonal().maxCoeff(), 1e-13 * g.cwiseAbs().maxCoeff());
      EXPECT_EQ(scaled.constraint(0).friction, 1.0);
      EXPECT_EQ(scaled.form(), problem.form());
    }
  }
}

TEST(ProblemForms, EmptyProblems) {
  const MatrixX none(0, 0);
  const ContactProblem problems[] = {
      ContactProblem(), ContactProblem::from_dense({}, none, VectorX()),
      ContactProblem::from_sparse({}, Eigen::SparseMatrix<double, Eigen::RowMajor>(0, 0), VectorX()),
      ContactProblem::from_factored({}, {}, VectorX()),
      ContactProblem::from_inertia({}, Eigen::SparseMatrix<double, Eigen::RowMajor>(0, 0),
                                   Eigen::SparseMatrix<double, Eigen::RowMajor>(0, 0), VectorX())};
  for (const ContactProblem& problem : problems) {
    EXPECT_EQ(problem.num_rows(), 0);
    EXPECT_EQ(problem.num_constraints(), 0);
    EXPECT_EQ(problem.to_dense().size(), 0);
    VectorX out;
    problem.velocity(VectorX(), out);
    EXPECT_EQ(problem.symmetric_part().num_rows(), 0);
  }
}

}  // namespace
}  // namespace stiction
