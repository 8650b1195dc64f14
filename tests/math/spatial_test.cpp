#include "stiction/math/spatial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stiction/math/pose.h"
#include "stiction/math/sin_cos.h"
#include "stiction/math/spatial_inertia.h"

namespace stiction {
namespace {

// Error in units of the last place of the larger of the value and 1e-3: near a zero the absolute error counts.
double error_in_ulps(double value, double exact) {
  const double unit = std::ldexp(1.0, std::ilogb(std::max(std::abs(exact), 1e-3)) - 52);
  return std::abs(value - exact) / unit;
}

TEST(SinCos, to_the_last_place) {
  std::mt19937 generator(1);
  double worst = 0.0;
  for (double range : {0.1, 1.0, 10.0, 1e3, sin_cos_limit}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 20000; ++i) {
      Pack4 x, s, c;
      for (int lane = 0; lane < 4; ++lane) x[lane] = uniform(generator);
      sin_cos(x, s, c);
      for (int lane = 0; lane < 4; ++lane) {
        worst = std::max(worst, error_in_ulps(s[lane], std::sin(x[lane])));
        worst = std::max(worst, error_in_ulps(c[lane], std::cos(x[lane])));
      }
    }
  }
  EXPECT_LE(worst, 2.0);
}

TEST(SinCos, quarter_turns) {
  for (int k = -9; k <= 9; ++k) {
    const double angle = k * 1.5707963267948966;
    Pack8 s, c;
    sin_cos(broadcast8(angle), s, c);
    EXPECT_NEAR(s[7], std::sin(angle), 1e-16) << k;
    EXPECT_NEAR(c[3], std::cos(angle), 1e-16) << k;
  }
  Pack4 s, c;
  sin_cos(Pack4{}, s, c);
  EXPECT_EQ(s[0], 0.0);
  EXPECT_EQ(c[0], 1.0);
}

// The products against Eigen, for doubles and for one lane of a pack.
template <class T>
struct Scalars;
template <>
struct Scalars<double> {
  static double make(double a) { return a; }
  static double get(double a) { return a; }
};
template <>
struct Scalars<Pack4> {
  static Pack4 make(double a) { return Pack4{1.0, 7.0 * a, a, -a}; }
  static double get(const Pack4& a) { return a[2]; }
};

template <class T>
class Spatial : public ::testing::Test {
 public:
  static Vec3<T> make(const Vector3& a) {
    return {Scalars<T>::make(a[0]), Scalars<T>::make(a[1]), Scalars<T>::make(a[2])};
  }
  static Vector3 get(const Vec3<T>& a) {
    return {Scalars<T>::get(a.x()), Scalars<T>::get(a.y()), Scalars<T>::get(a.z())};
  }
};
using ScalarTypes = ::testing::Types<double, Pack4>;
TYPED_TEST_SUITE(Spatial, ScalarTypes);

TYPED_TEST(Spatial, vectors) {
  using F = Spatial<TypeParam>;
  const Vector3 a(1.0, 2.0, -3.0), b(0.5, -0.7, 0.2), c(0.1, 4.0, 1.0), d(-2.0, 0.3, 0.9);
  const auto p = F::make(a), q = F::make(b), r = F::make(c), s = F::make(d);
  EXPECT_EQ(F::get(p + q), a + b);
  EXPECT_EQ(F::get(p - q), a - b);
  EXPECT_LT((F::get(cross(p, q)) - a.cross(b)).norm(), 1e-15);
  EXPECT_LT((F::get(cross_sum(p, q, r, s)) - a.cross(b) - c.cross(d)).norm(), 1e-14);
  EXPECT_NEAR(Scalars<TypeParam>::get(dot(p, q)), a.dot(b), 1e-15);
  const SpatialVector<TypeParam> v{p, q}, f{r, s};
  EXPECT_NEAR(Scalars<TypeParam>::get(dot(v, f)), a.dot(c) + b.dot(d), 1e-14);
  // Power is the same for all observers: (v × m)·f + m·(v ×* f) = 0.
  const SpatialVector<TypeParam> m{s, p};
  EXPECT_NEAR(Scalars<TypeParam>::get(dot(cross_motion(v, m), f) + dot(m, cross_force(v, f))), 0.0, 1e-13);
}

TYPED_TEST(Spatial, inertias) {
  using F = Spatial<TypeParam>;
  const Quaternion quaternion = Quaternion(0.3, -0.5, 0.7, 0.1).normalized();
  const Matrix3 r = quaternion.toRotationMatrix();
  Matrix3 moment;
  moment << 0.3, 0.02, -0.01, 0.02, 0.4, 0.05, -0.01, 0.05, 0.5;
  const double packed[6] = {0.3, 0.02, -0.01, 0.4, 0.05, 0.5}, mass = 1.7;
  const Vector3 com(0.2, -0.4, 0.6), w(1.0, -0.5, 2.0), v(0.3, 0.2, 0.1), dw(0.7, 0.1, -0.4), dv(-1.0, 0.5, 0.3);
  const Rotation<TypeParam> rotation{F::make(r.col(0)), F::make(r.col(1)), F::make(r.col(2))};
  const Moment<TypeParam> turned = turned_moment(rotation, packed);
  const Matrix3 world = r * moment * r.transpose();
  EXPECT_LT((F::get(turned * F::make(w)) - world * w).norm(), 1e-14);
  const SpatialInertia<TypeParam> inertia = about_common_point(turned, F::make(com), mass);
  const SpatialVector<TypeParam> motion{F::make(w), F::make(v)}, rate{F::make(dw), F::make(dv)};
  const SpatialVector<TypeParam> momentum = inertia * motion;
  const Vector3 linear = mass * (v + w.cross(com));
  EXPECT_LT((F::get(momentum.linear) - linear).norm(), 1e-14);
  EXPECT_LT((F::get(momentum.angular) - (world * w + com.cross(linear))).norm(), 1e-14);
  // force_of_motion = I a + v ×* I v.
  const SpatialVector<TypeParam> force = force_of_motion(turned, F::make(com), mass, motion, rate);
  const SpatialVector<TypeParam> expected = inertia * rate + cross_force(motion, momentum);
  EXPECT_LT((F::get(force.linear) - F::get(expected.linear)).norm(), 1e-13);
  EXPECT_LT((F::get(force.angular) - F::get(expected.angular)).norm(), 1e-13);
  const SpatialVector<TypeParam> twice = (inertia + inertia) * motion;
  EXPECT_LT((F::get(twice.angular) - 2.0 * F::get(momentum.angular)).norm(), 1e-14);
}

TEST(Rotation, of_a_quaternion) {
  const Quaternion q = Quaternion(0.3, -0.5, 0.7, 0.1).normalized();
  const Rotation<double> r = rotation_of_quaternion(q.x(), q.y(), q.z(), q.w());
  const Vector3 a(0.3, 2.0, -1.0);
  EXPECT_LT((to_eigen(r * to_vec3(a)) - q * a).norm(), 1e-15);
  EXPECT_LT((to_eigen(turn(r, a.data())) - q * a).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction
