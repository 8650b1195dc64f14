#include "stiction/solvers/linear_algebra/block6.h"

#include <gtest/gtest.h>

#include "stiction/math/types.h"

namespace stiction {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

// Integers, so that sums and products are exact in any order.
Matrix6 make_matrix(int seed) {
  Matrix6 m;
  for (int k = 0; k < 36; ++k) m.data()[k] = (seed * 31 + k * 17) % 23 - 11;
  return m;
}

Block6 to_block(const Matrix6& m) {
  Block6 block;
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) block(r, c) = m(r, c);
  }
  return block;
}

Matrix6 to_matrix(const Block6& block) {
  Matrix6 m;
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) m(r, c) = block(r, c);
  }
  return m;
}

TEST(Block6, HoldsEveryEntryOnce) {
  EXPECT_EQ(to_matrix(to_block(make_matrix(1))), make_matrix(1));
  EXPECT_EQ(sizeof(Block6), 36 * sizeof(double));
}

TEST(Block6, ReadsAndWritesColumns) {
  const Block6 block = to_block(make_matrix(1));
  Block6 copy;
  copy.set_zero();
  for (int p = 0; p < 3; ++p) {
    const Pack8 first = block.column<0>(p), second = block.column<1>(p);
    for (int r = 0; r < 6; ++r) {
      EXPECT_EQ(first[r], block(r, 2 * p));
      EXPECT_EQ(second[r], block(r, 2 * p + 1));
    }
    EXPECT_EQ(first[6], 0.0);
    EXPECT_EQ(second[7], 0.0);
    copy.set_pair(p, first, second);
  }
  EXPECT_EQ(to_matrix(copy), make_matrix(1));
}

TEST(Block6, MultipliesMatrices) {
  const Matrix6 a = make_matrix(1), b = make_matrix(2), c = make_matrix(3);
  EXPECT_EQ(to_matrix(Left6(to_block(a)) * to_block(b)), a * b);
  Block6 target = to_block(c);
  subtract_product(Left6(to_block(a)), to_block(b), target);
  EXPECT_EQ(to_matrix(target), c - a * b);
  target += to_block(b);
  EXPECT_EQ(to_matrix(target), c - a * b + b);
}

TEST(Block6, SumsProductsWithVectors) {
  const Matrix6 a = make_matrix(1), b = make_matrix(2);
  const Pack8 v{1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 70.0, 80.0}, w{2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 70.0, 80.0};
  const Vector6 v6(reinterpret_cast<const double*>(&v)), w6(reinterpret_cast<const double*>(&w));
  Sum6 sum;
  sum.add_product(to_block(a), v);
  sum.add_product(to_block(b), w);
  const Vector6 expected = a * v6 + b * w6;
  for (int k = 0; k < 6; ++k) EXPECT_EQ(sum.value()[k], expected[k]) << k;
  EXPECT_EQ(sum.value()[6], 0.0);  // what lies beyond six lanes takes no part
  EXPECT_EQ(sum.value()[7], 0.0);
}

TEST(Block6, AddsOuterProducts) {
  const Pack8 column{1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 70.0, 80.0};
  const double row[] = {2.0, 3.0, 5.0, 7.0, 11.0, 13.0};
  Block6 sum = to_block(make_matrix(1));
  add_outer(Column6(column), [&](int pair) { return load2_twice(row + 2 * pair); }, sum);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) EXPECT_EQ(sum(r, c), make_matrix(1)(r, c) + column[r] * row[c]) << r << ' ' << c;
  }
}

}  // namespace
}  // namespace stiction
