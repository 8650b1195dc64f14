// Every set obeys the same laws, so one suite is run over all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "stiction/math/set_anisotropic_cone.h"
#include "stiction/math/set_box.h"
#include "stiction/math/set_coulomb_cone.h"
#include "stiction/math/set_disc.h"
#include "stiction/math/set_dual_cone.h"
#include "stiction/math/set_half_line.h"
#include "stiction/math/set_pyramid.h"
#include "stiction/math/set_whole_space.h"

namespace stiction {
namespace {

constexpr double round_off = 4e-15;
constexpr double frictions[] = {0.0, 1e-6, 0.3, 1.0, 10.0, 1e6};

// Numbers and vectors behind the same few functions.
double dot(double a, double b) {
  return a * b;
}
template <class V>
double dot(const Eigen::MatrixBase<V>& a, const Eigen::MatrixBase<V>& b) {
  return a.dot(b);
}
double norm(double a) {
  return std::abs(a);
}
template <class V>
double norm(const Eigen::MatrixBase<V>& a) {
  return a.norm();
}

// Directions of all kinds: the ratio of tangent to normal varies over many orders of magnitude, as the cones do.
class Points {
 public:
  explicit Points(unsigned seed) : generator_(seed) {}

  double uniform(double from = -1.0, double to = 1.0) {
    return std::uniform_real_distribution<double>(from, to)(generator_);
  }
  double wide() { return std::copysign(std::pow(10.0, uniform(-8.0, 8.0)), uniform()); }
  bool coin() { return uniform() > 0.0; }

  void draw(double& x) { x = coin() ? wide() : uniform(); }
  template <int n>
  void draw(Eigen::Matrix<double, n, 1>& x) {
    const bool spread = coin();
    for (int k = 0; k < n; ++k) x[k] = spread ? wide() : uniform();
  }

 private:
  std::mt19937_64 generator_;
};

// Projection: y ∈ C, idempotent, and ⟨x − y, c − y⟩ ≤ 0 for all c ∈ C (seen by other projected points c).
template <class X, class Set>
void check_projection(const Set& set, int count, unsigned seed) {
  Points points(seed);
  for (int k = 0; k < count; ++k) {
    X x, other;
    points.draw(x);
    points.draw(other);
    const X y = set.project(x), c = set.project(other);
    const double size = norm(x) + norm(y);
    ASSERT_LE(norm(y), norm(x) * (1.0 + round_off)) << "every set here holds the origin";
    ASSERT_TRUE(set.contains(y, round_off * size)) << "x = " << x << ", y = " << y;
    ASSERT_LE(norm(X(set.project(y) - y)), round_off * size) << "x = " << x;
    ASSERT_LE(dot(X(x - y), X(c - y)), round_off * size * (size + norm(other))) << "x = " << x << ", c = " << c;
    ASSERT_TRUE(!set.contains(x) || norm(X(x - y)) == 0.0) << "x = " << x;
  }
}

// Cones: ⟨x − P x, P x⟩ = 0, Moreau x = P_K(x) − P_{K*}(−x), positive homogeneity.
template <class X, class Set>
void check_cone(const Set& set, int count, unsigned seed) {
  Points points(seed);
  const auto dual = set.dual();
  for (int k = 0; k < count; ++k) {
    X x;
    points.draw(x);
    const X y = set.project(x), z = dual.project(X(-x));
    const double size = norm(x);
    ASSERT_LE(std::abs(dot(X(x - y), y)), round_off * size * size) << "x = " << x;
    ASSERT_LE(norm(X(x - y + z)), round_off * size) << "x = " << x << "\ny = " << y << "\nz = " << z;
    ASSERT_LE(norm(X(set.project(X(8.0 * x)) - 8.0 * y)), round_off * 8.0 * size) << "x = " << x;
    // Every element of the dual has a non-negative product with every element of the cone.
    X other;
    points.draw(other);
    const X w = dual.project(other);
    ASSERT_GE(dot(w, y), -round_off * norm(other) * size) << "x = " << x << ", other = " << other;
  }
}

// Far outside the range in which squares fit a double, cones still project the same way.
template <class Set>
void check_extremes(const Set& set) {
  Points points(5);
  ASSERT_EQ(set.project(Vector3::Zero()), Vector3::Zero());
  for (int k = 0; k < 500; ++k) {
    Vector3 x;
    points.draw(x);
    const Vector3 y = set.project(x);
    for (double scale : {0x1p-960, 0x1p-600, 0x1p600, 0x1p960}) {
      const Vector3 scaled = set.project(scale * x) / scale;
      ASSERT_LE((scaled - y).norm(), round_off * x.norm()) << "scale " << scale << ", x = " << x;
    }
  }
}

TEST(Sets, WithoutFrictionTheConeIsAHalfLine) {
  const SetCoulombCone line{0.0};
  EXPECT_FALSE(line.contains(Vector3(0, 0, -1)));
  EXPECT_TRUE(line.contains(Vector3(0, 0, 1)));
  EXPECT_EQ(line.project(Vector3(0, 0, -1)), Vector3(0, 0, 0));
  EXPECT_EQ(line.project(Vector3(3, 4, 2)), Vector3(0, 0, 2));
  EXPECT_EQ(line.project_derivative(Vector3(0, 0, -1)), Matrix3::Zero().eval());
}

TEST(Sets, CoulombConeAndItsDual) {
  for (double mu : frictions) {
    SCOPED_TRACE(mu);
    check_projection<Vector3>(SetCoulombCone{mu}, 100000, 1);
    check_cone<Vector3>(SetCoulombCone{mu}, 100000, 2);
    check_extremes(SetCoulombCone{mu});
    check_projection<Vector3>(SetDualCone{mu}, 20000, 3);
    check_cone<Vector3>(SetDualCone{mu}, 20000, 4);
    check_extremes(SetDualCone{mu});
  }
}

TEST(Sets, PyramidAndItsDual) {
  for (double mu : frictions) {
    SCOPED_TRACE(mu);
    check_projection<Vector3>(SetPyramid{mu}, 100000, 1);
    check_cone<Vector3>(SetPyramid{mu}, 100000, 2);
    check_extremes(SetPyramid{mu});
    check_projection<Vector3>(SetPyramid{mu}.dual(), 20000, 3);
  }
}

TEST(Sets, AnisotropicConeAndItsDual) {
  for (double mu_1 : frictions) {
    for (double mu_2 : frictions) {
      std::ostringstream name;
      name << mu_1 << ", " << mu_2;
      SCOPED_TRACE(name.str());
      check_projection<Vector3>(SetAnisotropicCone{mu_1, mu_2}, 2000, 1);
      check_cone<Vector3>(SetAnisotropicCone{mu_1, mu_2}, 2000, 2);
      check_extremes(SetAnisotropicCone{mu_1, mu_2});
      check_projection<Vector3>(SetAnisotropicCone{mu_1, mu_2}.dual(), 2000, 3);
    }
  }
}

TEST(Sets, HalfLineBoxDiscWholeSpaceOrigin) {
  check_projection<double>(SetHalfLine{}, 1000, 1);
  check_cone<double>(SetHalfLine{}, 1000, 2);
  check_projection<double>(SetWholeSpace{}, 1000, 1);
  check_cone<double>(SetWholeSpace{}, 1000, 2);
  check_projection<Vector3>(SetWholeSpace{}, 1000, 1);
  check_cone<Vector3>(SetWholeSpace{}, 1000, 2);
  check_cone<Vector3>(SetOrigin{}, 1000, 2);
  check_projection<Vector2>(SetOrigin{}, 1000, 2);
  for (double size : {0.0, 1e-6, 1.0, 1e6}) {
    check_projection<double>(SetBox{size}, 10000, 1);
    check_projection<Vector2>(SetDisc{size}, 10000, 1);
  }
}

TEST(Sets, ClosedForms) {
  // Theory (1-9) by hand: μ = 1, x = (3, 0, 1): s = 2.
  EXPECT_LE((SetCoulombCone{1.0}.project({3, 0, 1}) - Vector3(2, 0, 2)).norm(), 1e-15);
  EXPECT_EQ(SetCoulombCone{0.5}.project({0.3, 0.4, 1.0}), Vector3(0.3, 0.4, 1.0));
  EXPECT_EQ(SetCoulombCone{0.5}.project({3, 4, -2.5}), Vector3::Zero());
  EXPECT_EQ(SetCoulombCone{0.0}.project({3, 4, 2}), Vector3(0, 0, 2));
  EXPECT_EQ(SetDualCone{0.0}.project({3, 4, -2}), Vector3(3, 4, 0));
  EXPECT_LE((SetDualCone{2.0}.project({1, 0, 0}) - Vector3(0.2, 0, 0.4)).norm(), 1e-16);
  // Pyramid, μ = 1: one side (x = (3, 0.5, 1): h = 2), both sides (x = (3, 3, 0): h = 2).
  EXPECT_LE((SetPyramid{1.0}.project({3, 0.5, 1}) - Vector3(2, 0.5, 2)).norm(), 1e-15);
  EXPECT_LE((SetPyramid{1.0}.project({3, -3, 0}) - Vector3(2, -2, 2)).norm(), 1e-15);
  // In a plane of symmetry the anisotropic cone is the round one.
  EXPECT_LE((SetAnisotropicCone{1.0, 7.0}.project({3, 0, 1}) - Vector3(2, 0, 2)).norm(), 1e-15);
  EXPECT_LE((SetAnisotropicCone{7.0, 2.0}.project({0, 3, -1}) - SetCoulombCone{2.0}.project({0, 3, -1})).norm(), 1e-15);
  EXPECT_EQ(SetAnisotropicCone(0.0, 0.5).project({9, 0.4, 1}), Vector3(0, 0.4, 1));
  EXPECT_EQ(SetDisc{5.0}.project({6, 8}), Vector2(3, 4));
  EXPECT_LE((SetDisc{5.0}.project({6e200, 8e200}) - Vector2(3, 4)).norm(), 1e-15);
  EXPECT_EQ(SetBox{2.0}.project(-3.0), -2.0);
  EXPECT_EQ(SetHalfLine{}.project(-3.0), 0.0);
}

TEST(Sets, AnisotropicConeOfEqualFrictionsIsTheRoundOne) {
  Points points(11);
  for (double mu : frictions) {
    for (int k = 0; k < 5000; ++k) {
      Vector3 x;
      points.draw(x);
      const Vector3 a = SetAnisotropicCone{mu, mu}.project(x), b = SetCoulombCone{mu}.project(x);
      ASSERT_LE((a - b).norm(), round_off * x.norm()) << "mu = " << mu << ", x = " << x;
      if (mu == 0.0) continue;
      const Matrix3 da = SetAnisotropicCone{mu, mu}.project_derivative(x),
                    db = SetCoulombCone{mu}.project_derivative(x);
      ASSERT_LE((da - db).norm(), 1e-9) << "mu = " << mu << ", x = " << x;
    }
  }
}

TEST(Sets, DeSaxceShiftIsTheSupportOfTheSection) {
  // Γ_N(σ) = max ⟨−σ_T, x_T⟩ over the section x_N = 1, reached by some point of the cone.
  const Vector3 sigma(-0.6, 0.8, 5.0);
  EXPECT_LE((SetCoulombCone{0.5}.de_saxce_shift(sigma) - Vector3(0, 0, 0.5)).norm(), 1e-16);
  EXPECT_LE((SetPyramid{0.5}.de_saxce_shift(sigma) - Vector3(0, 0, 0.7)).norm(), 1e-16);
  EXPECT_LE((SetAnisotropicCone{5.0, 0.0}.de_saxce_shift(sigma) - Vector3(0, 0, 3.0)).norm(), 1e-15);
  EXPECT_LE((SetDualCone{0.5}.de_saxce_shift(sigma) - Vector3(0, 0, 2.0)).norm(), 1e-15);
  EXPECT_EQ(SetDisc{1.0}.de_saxce_shift({1, 2}), Vector2::Zero());
  EXPECT_EQ(SetHalfLine{}.de_saxce_shift(3.0), 0.0);
  const auto sampled = [&](const auto& cone) {
    double best = 0.0;
    for (int k = 0; k < 3600; ++k) {
      const double a = k * M_PI / 1800.0;
      Vector3 x = cone.project({1e3 * std::cos(a), 1e3 * std::sin(a), 1.0});
      x /= x[2];
      best = std::max(best, -sigma.head<2>().dot(x.head<2>()));
    }
    return best;
  };
  EXPECT_NEAR(sampled(SetCoulombCone{0.5}), 0.5, 1e-5);
  EXPECT_NEAR(sampled(SetPyramid{0.5}), 0.7, 1e-5);
  EXPECT_NEAR(sampled(SetAnisotropicCone{0.5, 0.25}), std::hypot(0.3, 0.2), 1e-5);
}

// ---- derivatives -------------------------------------------------------------------------------------------------

double column(double derivative, int) {
  return derivative;
}
template <int n>
Eigen::Matrix<double, n, 1> column(const Eigen::Matrix<double, n, n>& derivative, int k) {
  return derivative.col(k);
}
void nudge(double& x, int, double by) {
  x += by;
}
template <int n>
void nudge(Eigen::Matrix<double, n, 1>& x, int k, double by) {
  x[k] += by;
}

// Away from kinks central differences of two widths agree and the slopes of both sides are equal; elsewhere the point
// is left out.
template <class X, class Set>
void check_derivative(const Set& set, int dimension, unsigned seed) {
  Points points(seed);
  int compared = 0;
  constexpr int count = 3000;
  for (int k = 0; k < count; ++k) {
    X x;
    points.draw(x);
    x = x / norm(x);
    const auto derivative = set.project_derivative(x);
    for (int j = 0; j < dimension; ++j) {
      const auto at = [&](double h) {
        X nudged = x;
        nudge(nudged, j, h);
        return set.project(nudged);
      };
      const auto difference = [&](double h) { return X((at(h) - at(-h)) / (2.0 * h)); };
      const auto bend = [&](double h) { return X((at(h) - 2.0 * at(0.0) + at(-h)) / h); };  // jump of slope + O(h)
      const X wide = difference(1e-5), narrow = difference(5e-6), jump = 2.0 * bend(5e-6) - bend(1e-5);
      if (norm(X(wide - narrow)) > 1e-9 || norm(jump) > 1e-8) continue;
      ++compared;
      ASSERT_LE(norm(X(column(derivative, j) - narrow)), 1e-7) << "x = " << x << ", direction " << j;
    }
  }
  EXPECT_GE(compared, count * dimension / 4);
}

// Symmetric, eigenvalues in [0, 1], and P(x) = P'(x) x on cones: true for elements of the Jacobian at kinks as well.
template <class Set>
void check_jacobian_element(const Set& set, unsigned seed) {
  Points points(seed);
  for (int k = 0; k < 3000; ++k) {
    Vector3 x, v;
    points.draw(x);
    points.draw(v);
    if (k % 3 == 0) x = set.project(x);  // on the boundary
    if (k % 30 == 0) x.setZero();        // at the apex
    const Matrix3 d = set.project_derivative(x);
    ASSERT_TRUE(d.allFinite()) << "x = " << x;
    ASSERT_LE((d - d.transpose()).norm(), 1e-14);
    v.normalize();
    const double along = v.dot(d * v);
    ASSERT_GE(along, -1e-10) << "x = " << x;
    ASSERT_LE(along, 1.0 + 1e-10) << "x = " << x;
    ASSERT_LE((d * x - set.project(x)).norm(), 1e-9 * x.norm()) << "x = " << x;
  }
}

TEST(SetDerivatives, MatchFiniteDifferences) {
  for (double mu : {0.0, 1e-3, 0.3, 1.0, 10.0, 1e3}) {
    SCOPED_TRACE(mu);
    check_derivative<Vector3>(SetCoulombCone{mu}, 3, 1);
    check_derivative<Vector3>(SetDualCone{mu}, 3, 2);
    check_derivative<Vector3>(SetPyramid{mu}, 3, 3);
    check_derivative<Vector3>(SetPyramid{mu}.dual(), 3, 4);
    check_derivative<Vector3>(SetAnisotropicCone{mu, 0.5}, 3, 5);
    check_derivative<Vector3>(SetAnisotropicCone{0.2, mu}.dual(), 3, 6);
  }
  for (double size : {0.0, 0.3, 2.0}) {
    check_derivative<double>(SetBox{size}, 1, 7);
    check_derivative<Vector2>(SetDisc{size}, 2, 8);
  }
  check_derivative<double>(SetHalfLine{}, 1, 9);
  check_derivative<Vector3>(SetWholeSpace{}, 3, 10);
  check_derivative<Vector3>(SetOrigin{}, 3, 11);
}

TEST(SetDerivatives, AreElementsOfTheJacobianEverywhere) {
  for (double mu : frictions) {
    SCOPED_TRACE(mu);
    check_jacobian_element(SetCoulombCone{mu}, 1);
    check_jacobian_element(SetDualCone{mu}, 2);
    check_jacobian_element(SetPyramid{mu}, 3);
    check_jacobian_element(SetPyramid{mu}.dual(), 4);
    check_jacobian_element(SetAnisotropicCone{mu, 0.5}, 5);
    check_jacobian_element(SetAnisotropicCone{0.2, mu}, 6);
    check_jacobian_element(SetAnisotropicCone{mu, 0.0}, 7);
  }
}

}  // namespace
}  // namespace stiction
