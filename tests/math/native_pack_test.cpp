#include "stiction/math/native_pack.h"

#include <gtest/gtest.h>

#include <vector>

namespace stiction {
namespace {

TEST(NativePack, LoadsAndStoresAtAnyAddress) {
  double from[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, to[10] = {};
  store_native(to + 1, 2.0 * load_native(from + 1));
  for (int k = 1; k <= native_lanes; ++k) EXPECT_EQ(to[k], 2.0 * k);
  EXPECT_EQ(to[0], 0.0);
  EXPECT_EQ(to[native_lanes + 1], 0.0);
}

TEST(NativePack, KeepsLanesFromANumberOn) {
  const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (int n = -3; n <= native_lanes + 1; ++n) {
    double kept[8];
    store_native(kept, keep_lanes_from(load_native(ones), n));
    for (int k = 0; k < native_lanes; ++k) EXPECT_EQ(kept[k], k >= n ? 1.0 : 0.0) << "lane " << k << " from " << n;
  }
}

// Every pack once, in order, and never more at a time than asked for.
template <int Most>
void expect_all_packs() {
  for (int first = 0; first < 3; ++first) {
    for (int end = first; end < 14; ++end) {
      std::vector<int> seen;
      for_packs<Most>(first, end, [&](auto packs, int begin) {
        EXPECT_LE(packs(), Most);
        for (int p = 0; p < packs(); ++p) seen.push_back(begin + p);
      });
      ASSERT_EQ(static_cast<int>(seen.size()), end - first);
      for (int k = first; k < end; ++k) EXPECT_EQ(seen[k - first], k);
    }
  }
}

TEST(NativePack, VisitsEveryPackOnce) {
  expect_all_packs<1>();
  expect_all_packs<2>();
  expect_all_packs<3>();
  expect_all_packs<4>();
}

}  // namespace
}  // namespace stiction
