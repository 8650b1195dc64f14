#include "stiction/solvers/admm/anderson.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "../support/allocation_guard.h"

namespace stiction {
namespace {

// T(u) = A u + b with slow modes: the plain iteration contracts by 0.99.
struct LinearMap {
  MatrixX a = Vector3(0.99, -0.9, 0.5).asDiagonal();
  VectorX b = Vector3(1.0, 2.0, 3.0);
  VectorX operator()(const VectorX& u) const { return a * u + b; }
  VectorX fixed_point() const { return (MatrixX::Identity(3, 3) - a).inverse() * b; }
};

TEST(Anderson, SolvesALinearMapInAsManyStepsAsItHasModes) {
  const LinearMap map;
  Anderson anderson;
  anderson.resize(3, 5);
  VectorX u = VectorX::Zero(3);
  for (int k = 0; k < 6; ++k) anderson.advance(u, map(u));
  EXPECT_LE((u - map.fixed_point()).norm(), 1e-6 * map.fixed_point().norm());
}

TEST(Anderson, MemoryZeroIsThePlainIteration) {
  const LinearMap map;
  Anderson anderson;
  anderson.resize(3, 0);
  VectorX u = VectorX::Zero(3), plain = u;
  for (int k = 0; k < 20; ++k) {
    anderson.advance(u, map(u));
    plain = map(plain);
  }
  EXPECT_EQ(u, plain);
}

// A nonexpansive map with kinks: where the extrapolation goes wrong, the safeguard must bring it back.
TEST(Anderson, ConvergesOnANonsmoothMapWithTheHelpOfItsSafeguard) {
  const auto map = [](const VectorX& u) {
    VectorX out(4);
    for (int r = 0; r < 4; ++r) {
      const double x = 0.999 * u[(r + 1) % 4] + (r == 0 ? 0.01 : -0.002);
      out[r] = std::clamp(x, -0.5, 0.1 * (r + 1));
    }
    return out;
  };
  Anderson anderson;
  anderson.resize(4, 3);
  VectorX u = VectorX::Constant(4, 5.0);
  for (int k = 0; k < 2000; ++k) anderson.advance(u, map(u));
  VectorX plain = VectorX::Constant(4, 5.0);
  for (int k = 0; k < 20000; ++k) plain = map(plain);
  EXPECT_LE((u - plain).norm(), 1e-8);
}

TEST(Anderson, ThrowsAwayAnExtrapolationThatIncreasesTheResidual) {
  // r(0) = 1/2 and r(1/2) = 1/3 suggest a root at 3/2, beyond the point where the residual jumps to −5.
  const auto map = [](const VectorX& u) {
    VectorX out(1);
    out[0] = u[0] < 1.0 ? u[0] + 0.5 / (1.0 + u[0]) : u[0] - 5.0;
    return out;
  };
  Anderson anderson;
  anderson.resize(1, 2);
  VectorX u = VectorX::Zero(1);
  anderson.advance(u, map(u));
  const VectorX safe = map(u);
  anderson.advance(u, safe);
  EXPECT_NEAR(u[0], 1.5, 1e-6);
  anderson.advance(u, map(u));
  EXPECT_EQ(anderson.rejected(), 1);
  EXPECT_EQ(u, safe);
  // Then it waits: plain steps only.
  for (int k = 0; k < 5; ++k) {
    const VectorX image = map(u);
    anderson.advance(u, image);
    EXPECT_EQ(u, image);
  }
}

TEST(Anderson, SecondUseOfASizeAllocatesNothing) {
  const LinearMap map;
  Anderson anderson;
  anderson.resize(3, 5);
  VectorX u = VectorX::Zero(3), image = u;
  const testing::AllocationGuard guard;
  anderson.resize(3, 5);
  for (int k = 0; k < 10; ++k) {
    image.noalias() = map.b;
    image.noalias() += map.a.lazyProduct(u);
    anderson.advance(u, image);
  }
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace stiction
