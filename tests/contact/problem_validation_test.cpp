// Bad input is turned away with a message that names argument, index and value.
#include <gtest/gtest.h>

#include <limits>

#include "stiction/contact/problem.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// The message must hold every one of the given parts.
template <class Action>
void expect_refused(const Action& action, std::initializer_list<const char*> parts) {
  try {
    action();
    ADD_FAILURE() << "accepted; expected a message with '" << *parts.begin() << "'";
  } catch (const std::invalid_argument& error) {
    for (const char* part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "'" << part << "' in: " << error.what();
    }
  }
}

std::vector<Constraint> two() {
  return {Constraint::make_unilateral(), Constraint::make_frictional(0.5)};
}

ContactProblem dense(std::vector<Constraint> constraints, const MatrixX& g, const VectorX& velocity,
                     const VectorX& compliance = VectorX()) {
  return ContactProblem::from_dense(std::move(constraints), g, velocity, compliance);
}

TEST(ProblemValidation, Delassus) {
  for (double bad : {nan, infinity, -infinity}) {
    MatrixX g = MatrixX::Identity(4, 4);
    g(2, 1) = bad;
    const char* shown = std::isnan(bad) ? "nan" : "inf";
    expect_refused([&] { dense(two(), g, VectorX::Ones(4)); }, {"G[2, 1]", shown});
    expect_refused([&] { ContactProblem::from_sparse(two(), g.sparseView(), VectorX::Ones(4)); }, {"G[2, 1]", shown});
  }
  MatrixX g = MatrixX::Identity(4, 4);
  g(3, 3) = -0.25;
  expect_refused([&] { dense(two(), g, VectorX::Ones(4)); }, {"G[3, 3]", "-0.25"});
  expect_refused([&] { ContactProblem::from_sparse(two(), g.sparseView(), VectorX::Ones(4)); }, {"G[3, 3]", "-0.25"});
  const MatrixX wrong = MatrixX::Identity(4, 5);
  expect_refused([&] { dense(two(), wrong, VectorX::Ones(4)); }, {"4 x 5", "4 rows"});
  expect_refused([&] { ContactProblem::from_sparse(two(), SparseRows(5, 5), VectorX::Ones(4)); }, {"5 x 5", "4 rows"});
}

TEST(ProblemValidation, VelocityAndCompliance) {
  const MatrixX g = MatrixX::Identity(4, 4);
  for (double bad : {nan, infinity}) {
    VectorX v = VectorX::Ones(4);
    v[3] = bad;
    expect_refused([&] { dense(two(), g, v); }, {"g[3]", std::isnan(bad) ? "nan" : "inf"});
    expect_refused([&] { dense(two(), g, VectorX::Ones(4), v); }, {"R[3]", std::isnan(bad) ? "nan" : "inf"});
  }
  VectorX negative = VectorX::Zero(4);
  negative[2] = -0.5;
  expect_refused([&] { dense(two(), g, VectorX::Ones(4), negative); }, {"R[2]", "-0.5"});
  expect_refused([&] { dense(two(), g, VectorX::Ones(3)); }, {"g has 3", "4 rows"});
  expect_refused([&] { dense(two(), g, VectorX::Ones(4), VectorX::Ones(5)); }, {"R has 5", "4 rows"});
}

TEST(ProblemValidation, Constraints) {
  const MatrixX g = MatrixX::Identity(4, 4);
  const auto with = [&](const Constraint& c) {
    return [&g, c] { dense({Constraint::make_unilateral(), c}, g, VectorX::Ones(4)); };
  };
  for (double bad : {nan, infinity, -0.125}) {
    const char* shown = std::isnan(bad) ? "nan" : std::isinf(bad) ? "inf" : "-0.125";
    expect_refused(with(Constraint::make_frictional(bad)), {"friction of constraint 1", shown});
    expect_refused(with(Constraint::make_anisotropic(0.5, bad)), {"friction_2 of constraint 1", shown});
    expect_refused(with(Constraint::make_anisotropic(bad, 0.5)), {"friction of constraint 1", shown});
    expect_refused(with(Constraint::make_viscous(0.5, bad)), {"bound of constraint 1", shown});
    expect_refused([&] { dense({Constraint::make_dry_friction(bad)}, g.topLeftCorner(1, 1), VectorX::Ones(1)); },
                   {"bound of constraint 0", shown});
  }
  Constraint c = Constraint::make_frictional(0.5);
  c.friction_2 = 0.75;
  expect_refused(with(c), {"constraint 1 (frictional)", "0.5", "0.75"});
  c = Constraint::make_frictional(0.5);
  c.bound = 0.25;
  expect_refused(with(c), {"bound of constraint 1 (frictional)", "0.25"});
  for (int rows : {-1, 0, 1, 2, 4}) {
    c = Constraint::make_frictional(0.5);
    c.rows = rows;
    expect_refused(with(c), {"constraint 1 (frictional) has", std::to_string(rows).c_str()});
  }
  expect_refused(with(Constraint::make_bilateral(2)), {"constraint 1 (bilateral) has 2 rows"});
  c = Constraint::make_unilateral();
  c.rows = 3;
  expect_refused(with(c), {"constraint 1 (unilateral) has 3 rows"});
}

class InertiaValidation : public ::testing::Test {
 protected:
  MatrixX m = 2.0 * MatrixX::Identity(4, 4);
  MatrixX j = MatrixX::Identity(4, 4);
  ContactProblem make(const std::vector<Constraint>& constraints = two()) {
    return ContactProblem::from_inertia(constraints, m.sparseView(), j.sparseView(), VectorX::Ones(4));
  }
};

TEST_F(InertiaValidation, AcceptsWhatIsGood) {
  EXPECT_NEAR(make().to_dense().trace(), 2.0, 1e-15);
}

TEST_F(InertiaValidation, RefusesBadMatrices) {
  m(1, 2) = nan;
  expect_refused([&] { make(); }, {"M[1, 2]", "nan"});
  m(1, 2) = 0.5;
  expect_refused([&] { make(); }, {"M[2, 1]", "0.5", "symmetric"});
  m(2, 1) = 0.5;
  make();
  m(1, 2) = m(2, 1) = 3.0;
  expect_refused([&] { make(); }, {"M is not positive definite", "velocity 1"});
  m(1, 2) = m(2, 1) = 0.0;
  m(3, 3) = -1.0;
  expect_refused([&] { make(); }, {"M[3, 3]", "-1", "positive definite"});
  m(3, 3) = 0.0;
  expect_refused([&] { make(); }, {"M[3, 3]", "positive definite"});
  m(3, 3) = 2.0;
  j(0, 3) = infinity;
  expect_refused([&] { make(); }, {"J[0, 3]", "inf"});
}

TEST_F(InertiaValidation, RefusesBadSizes) {
  j = MatrixX::Identity(4, 5);
  expect_refused([&] { make(); }, {"J is 4 x 5", "4"});
  j = MatrixX::Identity(3, 4);
  expect_refused([&] { make(); }, {"J is 3 x 4", "4 rows"});
  j = MatrixX::Identity(4, 4);
  m = MatrixX::Identity(4, 5);
  expect_refused([&] { make(); }, {"M is 4 x 5"});
  m = MatrixX::Identity(4, 4);
  Constraint c = Constraint::make_frictional(0.5);
  c.rows = 1000;
  expect_refused([&] { make({Constraint::make_unilateral(), c}); }, {"constraint 1 (frictional) has 1000 rows"});
}

TEST_F(InertiaValidation, RefusesOverflow) {
  m(0, 0) = 1e-320;
  expect_refused([&] { make(); }, {"G[0, 0]", "inf"});
}

class FactoredValidation : public ::testing::Test {
 protected:
  void SetUp() override {
    f.node_size = {6, 2};
    f.segment_begin = {0, 1, 3};
    f.segment_node = {0, 0, 1};
    f.segment.resize(3);
    for (auto& segment : f.segment) {
      segment = {};
      segment.row[0][0] = 1.0;
    }
  }
  void expect_bad(std::initializer_list<const char*> parts) {
    expect_refused([&] { ContactProblem::from_factored(two(), f, VectorX::Ones(4)); }, parts);
  }
  DelassusFactored f;
};

TEST_F(FactoredValidation, AcceptsWhatIsGood) {
  EXPECT_EQ(ContactProblem::from_factored(two(), f, VectorX::Ones(4)).num_rows(), 4);
}
TEST_F(FactoredValidation, NodeSizes) {
  f.node_size[1] = 7;
  expect_bad({"node_size[1]", "7"});
  f.node_size[1] = 0;
  expect_bad({"node_size[1]", "0"});
}
TEST_F(FactoredValidation, SegmentRanges) {
  f.segment_begin = {0, 100, 3};
  expect_bad({"segment_begin[2] is 3"});
  f.segment_begin = {0, 1, 4};
  expect_bad({"segment_begin[2] is 4", "3 segments"});
  f.segment_begin = {1, 1, 3};
  expect_bad({"segment_begin[0] is 1"});
  f.segment_begin = {0, 3};
  expect_bad({"segment_begin has 2", "2 constraints"});
  f.segment_begin = {0, 1, 3};
  f.segment_node.push_back(1);
  expect_bad({"segment_node has 4", "3 segments"});
}
TEST_F(FactoredValidation, Nodes) {
  f.segment_node = {0, 0, 2};
  expect_bad({"segment_node[2] of constraint 1 is 2"});
  f.segment_node = {-1, 0, 1};
  expect_bad({"segment_node[0] of constraint 0 is -1"});
  f.segment_node = {0, 1, 1};
  expect_bad({"segment_node[2] of constraint 1 is 1", "ascend"});
}
TEST_F(FactoredValidation, Entries) {
  f.segment[2].row[1][1] = nan;
  expect_bad({"segment[2] of constraint 1", "nan", "row 1, column 1"});
  f.segment[2].row[1][1] = 0.0;
  f.segment[2].row[1][2] = 0.5;
  expect_bad({"segment[2] of constraint 1", "0.5", "padding"});
  f.segment[2].row[1][2] = 0.0;
  f.segment[0].row[1][0] = 0.5;
  expect_bad({"segment[0] of constraint 0", "0.5", "padding"});
}

TEST(ProblemValidation, Scaled) {
  const ContactProblem problem = dense(two(), MatrixX::Identity(4, 4), VectorX::Ones(4));
  expect_refused([&] { problem.scaled(VectorX::Ones(3), two()); }, {"row_scale has 3", "4 rows"});
  VectorX scale = VectorX::Ones(4);
  scale[1] = nan;
  expect_refused([&] { problem.scaled(scale, two()); }, {"row_scale[1]", "nan"});
  expect_refused([&] { problem.scaled(VectorX::Ones(4), {Constraint::make_unilateral()}); }, {"1 constraints", "2"});
  expect_refused(
      [&] { problem.scaled(VectorX::Ones(4), {Constraint::make_frictional(0.5), Constraint::make_unilateral()}); },
      {"constraint 0 has 1 rows", "3"});
}

}  // namespace
}  // namespace stiction
