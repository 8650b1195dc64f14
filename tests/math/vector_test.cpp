#include <gtest/gtest.h>

#include <numeric>

#include "stiction/math/types.h"
#include "tests/support/allocation_guard.h"

namespace stiction {
namespace {

TEST(VectorX, IsAnEigenVector) {
  VectorX a = VectorX::LinSpaced(5, 1.0, 5.0), b(5);
  b = 2.0 * a + VectorX::Ones(5);
  EXPECT_EQ(b[4], 11.0);
  EXPECT_EQ(a.dot(b), 3.0 + 10.0 + 21.0 + 36.0 + 55.0);
  a = a + b;  // itself in the expression
  EXPECT_EQ(a[0], 4.0);
  const MatrixX m = MatrixX::Identity(5, 5) * 3.0;
  a = m * a;  // a product with itself
  EXPECT_EQ(a[0], 12.0);
  VectorX c;
  c.noalias() = m.topRows(2) * b;  // takes the size of the expression
  ASSERT_EQ(c.size(), 2);
  EXPECT_EQ(c[1], 15.0);
  const VectorView view = a;
  EXPECT_EQ(view.data(), a.data());
  const Eigen::VectorXd plain = a;
  EXPECT_EQ(plain, a);
}

TEST(VectorX, CopiesMovesAndSwaps) {
  VectorX a = VectorX::Constant(3, 1.0), b = VectorX::Constant(2, 2.0);
  VectorX copy = a;
  copy[0] = 9.0;
  EXPECT_EQ(a[0], 1.0);
  a.swap(b);
  EXPECT_EQ(a.size(), 2);
  EXPECT_EQ(b[2], 1.0);
  const double* memory = b.data();
  const VectorX moved = std::move(b);
  EXPECT_EQ(moved.data(), memory);
  copy = moved;
  EXPECT_NE(copy.data(), moved.data());
  copy.conservativeResize(5);
  EXPECT_EQ(copy[2], 1.0);
  copy.setZero(0);
  EXPECT_EQ(copy.size(), 0);
}

TEST(VectorX, SmallerSizesKeepTheMemory) {
  VectorX a(100);
  const testing::AllocationGuard guard;
  for (const int size : {3, 70, 1, 100, 0, 42}) {
    a.resize(size);
    a.setConstant(size, 7.0);
    a = VectorX::Ones(size) * 2.0;
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(a.size(), 42);
}

}  // namespace
}  // namespace stiction
