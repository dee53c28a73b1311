// kaldi_compressed_test.cc compares the values with those of other instruction sets.

#include "format/kaldi/kaldi_column_kernel.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {
namespace {

class KaldiColumnKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::count(simd_levels(), SimdLevel::avx512) == 0) {
      GTEST_SKIP() << "this machine has no such instructions";
    }
  }

  /// Decodes three columns of 20 rows into rows of four values, of which the last stays.
  bool decode(const KaldiPercentiles& second) {
    std::vector<std::byte> bytes(60);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(4 * i);
    const std::vector<KaldiPercentiles> percentiles = {{0, 64, 192, 255}, second, {-1, 0, 1, 2}};
    return decode_columns_avx512({.percentiles = percentiles,
                                  .bytes = bytes.data(),
                                  .column_size_bytes = 20,
                                  .row_count = 20,
                                  .to = values.data(),
                                  .stride = 4});
  }

  static constexpr float kUntouched = 0.125F;
  std::vector<float> values = std::vector<float>(80, kUntouched);
};

TEST_F(KaldiColumnKernel, WritesTheColumnsAndNothingElse) {
  ASSERT_TRUE(decode({0, 64, 192, 255}));
  for (std::size_t row = 0; row < 20; ++row) {
    EXPECT_EQ(values[4 * row], static_cast<float>(4 * row));
    EXPECT_EQ(values[4 * row + 1], static_cast<float>(4 * (row + 20)));
    EXPECT_EQ(values[4 * row + 3], kUntouched);
  }
  EXPECT_EQ(values[2], (160 - 64) / 128.0F);  // the first byte of the third column
}

TEST_F(KaldiColumnKernel, RefusesColumnsThatFloatsCouldRoundOtherwise) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<KaldiPercentiles> cases = {
      {0, 0x1p-120F, 1, 2},                                // a tiny first part
      {1e-40F, 2e-40F, 1, 2},                              // numbers without all their bits
      {-0x1p126F, 0x1p126F, 0x1p126F, 0x1p127F},           // a huge first part
      {0, 1, 0x1p120F, 0x1p121F},                          // a huge second part
      {0, 1, 2, kInfinity},                                // no finite number
      {std::numeric_limits<float>::quiet_NaN(), 0, 1, 2},  // no number
  };
  for (const KaldiPercentiles& second : cases) {
    EXPECT_FALSE(decode(second)) << second.p0 << ' ' << second.p25 << ' ' << second.p75;
    EXPECT_EQ(std::ranges::count(values, kUntouched), std::ssize(values));
  }
}

TEST_F(KaldiColumnKernel, TakesPartsWithoutSize) {
  ASSERT_TRUE(decode({3, 3, 3, 3}));
  for (std::size_t row = 0; row < 20; ++row) EXPECT_EQ(values[4 * row + 1], 3);
}

}  // namespace
}  // namespace sheaf::internal

#endif
