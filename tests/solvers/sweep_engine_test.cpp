#include "stiction/solvers/sweeps/sweep_engine.h"

#include <gtest/gtest.h>

#include "../support/random_problems.h"
#include "stiction/solvers/sweeps/sparse_sweep.h"

namespace stiction {
namespace {

using testing::random_problem;
using testing::RandomProblemOptions;

// A law that moves every contact by an amount of its own and remembers what it saw.
struct RecordingLaw {
  std::vector<Vector3> seen;
  double relaxation() const { return 1.0; }
  void end_sweep() {}
  void contact(int i, const Matrix3&, const double* sigma, double* lambda) {
    seen.emplace_back(sigma[0], sigma[1], sigma[2]);
    lambda[0] += 0.1 * (i + 1);
    lambda[2] += 0.01;
  }
};

class SweepEngineForms : public ::testing::TestWithParam<DelassusForm> {};

TEST_P(SweepEngineForms, ReadsTheVelocityOfTheNewestImpulses) {
  RandomProblemOptions options{.seed = 3, .contacts = 6, .limits = 2, .bilateral = 3, .dry_friction = 2};
  options.compliance = 0.1;
  const ContactProblem factored = random_problem(options);
  const ContactProblem problem = factored.in_form(GetParam());
  VectorX impulse = VectorX::LinSpaced(problem.num_rows(), 0.1, 0.9);
  SweepEngine engine;
  engine.start(problem, impulse);
  RecordingLaw law;
  engine.sweep(law);

  // The same sweep by the definition: σ = (G + R) λ + g after every change.
  VectorX sigma(problem.num_rows());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    problem.velocity(impulse, sigma);
    if (c.kind == ConstraintKind::frictional) {
      EXPECT_LE((law.seen[i] - sigma.segment<3>(c.first_row)).norm(), 1e-12) << i;
    }
    for (int r = 0; r < c.rows; ++r) impulse[c.first_row + r] = engine.impulse()[c.first_row + r];
    problem.velocity(impulse, sigma);
    for (int r = 0; r < c.rows; ++r) {
      const double l = impulse[c.first_row + r], s = sigma[c.first_row + r];
      if (c.kind == ConstraintKind::bilateral) {
        EXPECT_NEAR(s, 0.0, 1e-11);
      } else if (c.kind == ConstraintKind::unilateral) {
        EXPECT_TRUE(l == 0.0 ? s >= -1e-12 : std::abs(s) <= 1e-12) << l << ' ' << s;
      } else if (c.kind == ConstraintKind::dry_friction) {
        EXPECT_TRUE(std::abs(l) < c.bound ? std::abs(s) <= 1e-12 : l * s <= 0.0) << l << ' ' << s;
      }
    }
  }
  EXPECT_LE((engine.refresh_velocity() - sigma).norm(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, SweepEngineForms,
                         ::testing::Values(DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored));

// Two of three bilateral rows say the same, as in a redundant weld: one visit is enough, in every form and every sweep.
TEST(SweepEngine, ASingularBlockIsSolvedInOneVisit) {
  Eigen::Matrix<double, 3, 2> a;
  a << 1.0, 0.2, -0.5, 1.5, 0.5, 1.7;  // the third row is the sum of the others
  const Matrix3 w = a * a.transpose();
  const Vector3 g = a * Vector2(0.3, -0.7);
  const ContactProblem dense = ContactProblem::from_dense({Constraint::make_bilateral(3)}, w, g);
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
    const ContactProblem problem = dense.in_form(form);
    SweepEngine engine;
    RecordingLaw law;
    engine.start(problem, VectorX::Zero(3));
    engine.sweep(law);
    EXPECT_LE(engine.refresh_velocity().norm(), 1e-14);
  }
  const ContactProblem sparse = dense.in_form(DelassusForm::sparse);
  SparseSweep sweeps;
  VectorX impulse = VectorX::Zero(3), velocity(3);
  sweeps.load(sparse);
  sweeps.sweep(impulse.data(), false);
  sparse.velocity(impulse, velocity);
  EXPECT_LE(velocity.norm(), 1e-14);
}

TEST(BestIterate, IgnoresWhatIsNotBetterOrNotANumber) {
  BestIterate best;
  best.start(VectorX::Zero(1), 1.0);
  EXPECT_FALSE(best.offer(VectorX::Ones(1), std::nan("")));
  EXPECT_FALSE(best.offer(VectorX::Ones(1), 1.0));
  EXPECT_TRUE(best.offer(VectorX::Ones(1), 0.5));
  EXPECT_EQ(best.impulse()[0], 1.0);
}

}  // namespace
}  // namespace stiction
