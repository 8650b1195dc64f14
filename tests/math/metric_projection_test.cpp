#include "stiction/math/metric_projection.h"

#include <gtest/gtest.h>

#include <random>

namespace stiction {
namespace {

class Metrics : public ::testing::Test {
 protected:
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(generator_); }
  double wide(double decades) { return std::pow(10.0, uniform(-decades, decades)); }
  Vector3 point() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  std::mt19937_64 generator_{3};
};

// y = P^D(x) is the only point of the set with ⟨D (x − y), c − y⟩ ≤ 0 for all c of the set. Apex, y itself and a fan of
// boundary points of the cone are enough to refute any other.
template <class Set>
void check_optimal(const Set& set, const Vector3& x, const Vector3& y, const Vector3& d) {
  const Vector3 pull = d.cwiseProduct(x - y);
  const double size = d.cwiseProduct(x).norm() * x.norm();
  ASSERT_TRUE(set.contains(y, 1e-13 * y.norm())) << "x = " << x << ", y = " << y;
  ASSERT_LE(std::abs(pull.dot(y)), 1e-13 * size) << "x = " << x << ", y = " << y;
  for (int k = 0; k < 64; ++k) {
    const double a = k * M_PI / 32.0;
    const Vector3 c = set.project({std::cos(a), std::sin(a), 0.0});
    ASSERT_LE(pull.dot(c), 1e-13 * d.cwiseProduct(x).norm()) << "x = " << x << ", y = " << y << ", c = " << c;
  }
}

TEST_F(Metrics, RoundMetricSatisfiesTheVariationalInequality) {
  for (double mu : {0.0, 1e-3, 0.3, 1.0, 10.0}) {
    for (int k = 0; k < 5000; ++k) {
      const RoundMetric d{wide(3.0), wide(3.0)};
      const Vector3 x = point();
      const Vector3 y = project_in_metric(SetCoulombCone{mu}, x, d);
      check_optimal(SetCoulombCone{mu}, x, y, {d.tangent, d.tangent, d.normal});
      const Vector3 z = project_in_metric(SetCoulombCone{mu}, x, Vector3(d.tangent, d.tangent, d.normal));
      ASSERT_LE((y - z).norm(), 1e-12 * x.norm() * std::sqrt(std::max(1.0, d.tangent / d.normal)));
    }
  }
}

TEST_F(Metrics, ThreeWeightsSatisfyTheVariationalInequality) {
  for (double mu : {0.0, 1e-3, 0.3, 1.0, 10.0}) {
    for (int k = 0; k < 3000; ++k) {
      const Vector3 d(wide(3.0), wide(3.0), wide(3.0)), x = point();
      check_optimal(SetCoulombCone{mu}, x, project_in_metric(SetCoulombCone{mu}, x, d), d);
      check_optimal(SetAnisotropicCone{mu, 0.7}, x, project_in_metric(SetAnisotropicCone{mu, 0.7}, x, d), d);
    }
  }
}

TEST_F(Metrics, IdentityIsTheOrdinaryProjection) {
  for (int k = 0; k < 1000; ++k) {
    const Vector3 x = point();
    EXPECT_EQ(project_in_metric(SetCoulombCone{0.4}, x, RoundMetric{1.0, 1.0}), SetCoulombCone{0.4}.project(x));
  }
}

TEST_F(Metrics, DerivativesMatchFiniteDifferences) {
  int compared = 0;
  for (int k = 0; k < 2000; ++k) {
    const RoundMetric round{wide(1.0), wide(1.0)};
    const Vector3 three(wide(1.0), wide(1.0), wide(1.0)), x = point(), v = point().normalized();
    const auto compare = [&](const auto& project, const Matrix3& derivative) {
      const auto difference = [&](double h) { return Vector3((project(x + h * v) - project(x - h * v)) / (2.0 * h)); };
      const Vector3 wide_step = difference(1e-5), narrow = difference(5e-6);
      if ((wide_step - narrow).norm() > 1e-9) return;
      ++compared;
      ASSERT_LE((derivative * v - narrow).norm(), 1e-7) << "x = " << x;
    };
    compare([&](const Vector3& p) { return project_in_metric(SetCoulombCone{0.6}, p, round); },
            project_in_metric_derivative(SetCoulombCone{0.6}, x, round));
    compare([&](const Vector3& p) { return project_in_metric(SetAnisotropicCone{0.6, 1.5}, p, three); },
            project_in_metric_derivative(SetAnisotropicCone{0.6, 1.5}, x, three));
  }
  EXPECT_GE(compared, 3000);
}

}  // namespace
}  // namespace stiction
