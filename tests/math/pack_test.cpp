#include "stiction/math/pack.h"

#include <gtest/gtest.h>

#include <limits>

#include "stiction/math/pack_bits.h"

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

// The same text with and without a register for eight: lanes, scalars, both halves.
TEST(Pack, EightLanesByNumber) {
  const Pack8 a{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0};
  const Pack8 b = 2.0 * a - 1.0 + a / broadcast8(2.0);
  Pack8 c{};
  for (int lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(b[lane], 2.5 * a[lane] - 1.0) << lane;
    c[lane] = a[lane];
    const Pack8 changed = with_lane(a, lane, broadcast8(-3.0));
    for (int k = 0; k < 8; ++k) EXPECT_EQ(changed[k], k == lane ? -3.0 : a[k]) << lane << ' ' << k;
  }
  EXPECT_EQ(sum(c - a), 0.0);
  EXPECT_EQ(sum(-c), -255.0);
  c += a;
  c *= a;
  c -= a;
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(c[lane], 2.0 * a[lane] * a[lane] - a[lane]) << lane;
}

TEST(Pack, PaddedSizes) {
  EXPECT_EQ(padded4(0), 0);
  EXPECT_EQ(padded4(1), 4);
  EXPECT_EQ(padded4(4), 4);
  EXPECT_EQ(padded8(8), 8);
  EXPECT_EQ(padded8(9), 16);
}

TEST(Pack, BitsOfAComparison) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (unsigned wanted = 0; wanted < 16; ++wanted) {
    Pack4 a{};
    for (int lane = 0; lane < 4; ++lane) a[lane] = (wanted >> lane & 1u) != 0 ? -1.0 : lane % 2 == 0 ? 1.0 : nan;
    EXPECT_EQ(lane_bits(a < Pack4{}), wanted);
  }
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
