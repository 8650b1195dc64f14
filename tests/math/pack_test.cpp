#include "stiction/math/pack.h"

#include <gtest/gtest.h>

namespace stiction {
namespace {

TEST(Pack, BroadcastAndSum) {
  const Pack4 four{1.0, 2.0, 4.0, 8.0};
  EXPECT_EQ(sum(four), 15.0);
  EXPECT_EQ(sum(broadcast4(0.5)), 2.0);
  const Pack8 eight{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0};
  EXPECT_EQ(sum(eight), 255.0);
  EXPECT_EQ(sum(broadcast8(0.5)), 4.0);
  EXPECT_EQ(sum(eight * broadcast8(2.0) + broadcast8(1.0)), 518.0);
}

TEST(Pack, SumsInAFixedOrder) {
  // With these numbers another order gives other bits: (1e16 + 1) + (−1e16 + 1) loses both ones.
  EXPECT_EQ(sum(Pack4{1e16, 1.0, -1e16, 1.0}), (1e16 + 1.0) + (-1e16 + 1.0));
  EXPECT_EQ(sum(Pack8{1e16, 1.0, -1e16, 1.0, 0, 0, 0, 3.0}), ((1e16 + 1.0) + (-1e16 + 1.0)) + 3.0);
}

TEST(Pack, PaddedSizes) {
  EXPECT_EQ(padded4(0), 0);
  EXPECT_EQ(padded4(1), 4);
  EXPECT_EQ(padded4(4), 4);
  EXPECT_EQ(padded8(8), 8);
  EXPECT_EQ(padded8(9), 16);
}

// As the largest register that holds them or a part of them: GCC aligns no type more than that.
TEST(Pack, AlignedAsRegisters) {
#if defined(__AVX512F__)
  EXPECT_EQ(alignof(Pack8), 64u);
#elif defined(__AVX__)
  EXPECT_GE(alignof(Pack8), 32u);
  EXPECT_EQ(alignof(Pack4), 32u);
#endif
}

}  // namespace
}  // namespace stiction
