#include "stiction/contact/least_impulse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stiction/contact/judge.h"

namespace stiction {
namespace {

// Contacts at the corners of a square of half side 1 under one body of mass 1 and turning inertia 1 about all axes.
ContactProblem square(double mu, const Vector3& velocity) {
  const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  Eigen::SparseMatrix<double, Eigen::RowMajor> jacobian(12, 6), inertia(6, 6);
  std::vector<Constraint> constraints;
  inertia.setIdentity();
  for (int i = 0; i < 4; ++i) {
    const double x = corner[i][0], y = corner[i][1], z = -1.0;
    const double rows[3][6] = {{1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}, {0, 0, 1, y, -x, 0}};
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 6; ++k) jacobian.coeffRef(3 * i + r, k) = rows[r][k];
    }
    constraints.push_back(Constraint::make_frictional(mu));
  }
  VectorX v = VectorX::Zero(6);
  v.head<3>() = velocity;
  const VectorX g = jacobian * v;
  return ContactProblem::from_inertia(constraints, inertia, jacobian, g);
}

// Each corner carries a quarter; what is added squeezes: both directions of friction, and the normals' diagonal mode.
TEST(LeastImpulse, TakesAwayWhatOnlySqueezes) {
  const ContactProblem problem = square(0.5, Vector3(0, 0, -1));
  VectorX quarter = VectorX::Zero(12);
  for (int i = 0; i < 4; ++i) quarter[3 * i + 2] = 0.25;
  VectorX squeezed = quarter;
  const double mode[4] = {1, -1, 1, -1};
  for (int i = 0; i < 4; ++i) squeezed[3 * i + 2] += 0.05 * mode[i];
  squeezed[0] += 0.02, squeezed[3] -= 0.02;  // two corners pull at each other along x
  EXPECT_LE(judge(problem, squeezed).eps_nat, 1e-12);
  const LeastImpulse found = find_least_impulse(problem, squeezed);
  EXPECT_TRUE(found.converged);
  EXPECT_LE((found.impulse - quarter).norm(), 1e-10);
  EXPECT_LE((found.impulse + found.internal - squeezed).norm(), 1e-15);
  EXPECT_LE(found.mismatch, 1e-10);
  EXPECT_LE(judge(problem, found.impulse).eps_nat, 1e-9);
}

// Where it slides λ_T stays at the edge of the cone against the slip, which the plain projection would leave.
TEST(LeastImpulse, StaysInTheConesOfASlidingBody) {
  const double mu = 0.3;
  const ContactProblem problem = square(mu, Vector3(5, 0, -1));
  // Normals N0 at the leading and N1 at the trailing corners; friction turns the body, normals hold it.
  VectorX impulse = VectorX::Zero(12);
  const double total = 1.0, moment = mu * total;  // friction at z = −1 turns about y; leading corners carry more
  const double lead = 0.25 * (total + moment), trail = 0.25 * (total - moment);
  const double normal[4] = {lead, trail, trail, lead}, mode[4] = {1, -1, 1, -1};
  for (int i = 0; i < 4; ++i) {
    impulse[3 * i + 2] = normal[i] + 0.03 * mode[i];
    impulse[3 * i] = -mu * impulse[3 * i + 2];
  }
  VectorX velocity(12);
  problem.velocity(impulse, velocity);
  const LeastImpulse found = find_least_impulse(problem, impulse);
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.impulse.norm(), impulse.norm() + 1e-12);
  EXPECT_LE(found.mismatch, 1e-9);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(-mu * found.impulse[3 * i + 2], found.impulse[3 * i], 1e-9);
    EXPECT_NEAR(0.0, found.impulse[3 * i + 1], 1e-9);
  }
}

TEST(LeastImpulse, LeavesWhatIsDeterminedAlone) {
  const auto problem = ContactProblem::from_dense({Constraint::make_frictional(0.5), Constraint::make_unilateral()},
                                                  MatrixX::Identity(4, 4), -VectorX::Ones(4));
  VectorX impulse(4);
  impulse << 0.2, 0.2, 1.0, 1.0;
  const LeastImpulse found = find_least_impulse(problem, impulse);
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.internal.norm(), 1e-7);
}

TEST(LeastImpulse, RefusesBadInput) {
  const ContactProblem problem = square(0.5, Vector3(0, 0, -1));
  EXPECT_THROW(find_least_impulse(problem, VectorX::Zero(11)), std::invalid_argument);
  VectorX broken = VectorX::Zero(12);
  broken[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(find_least_impulse(problem, broken), std::invalid_argument);
  EXPECT_THROW(find_least_impulse(problem, VectorX::Zero(12), -1.0), std::invalid_argument);
  EXPECT_EQ(0, find_least_impulse(ContactProblem(), VectorX()).impulse.size());
}

}  // namespace
}  // namespace stiction
