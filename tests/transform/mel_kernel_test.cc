#include "transform/mel_kernel.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/each_simd_level.h"
#include "transform/test_program.h"

namespace sheaf::internal {
namespace {

class MelKernels : public EachSimdLevel {};

// Tests each kind of energy and spectrum, with and without cosines.
TEST_P(MelKernels, MatchTheBaseline) {
  const struct {
    std::int64_t size;
    std::int64_t fft_size;
  } sizes[] = {{2, 4}, {3, 4}, {7, 8}, {8, 8}, {100, 128}, {400, 512}, {400, 400}, {33, 33}};
  for (const auto& each : sizes) {
    TestProgram test(each.size, 5, each.fft_size, 1);
    std::vector<double> cosines = {0.25, -2};
    for (int variant = 0; variant < 24; ++variant) {
      test.program.energy = static_cast<EnergyKind>(variant % 3);
      test.program.takes_power = variant / 3 % 2 == 0;
      test.program.removes_dc_offset = variant / 6 % 2 == 0;
      test.program.takes_log = variant / 6 % 2 == 1;
      test.program.cosines = variant / 12 == 0 ? nullptr : cosines.data();
      test.program.row_count = variant / 12 == 0 ? 1 : 2;
      const SimdLevel level = simd_level();
      ASSERT_TRUE(set_simd_level(SimdLevel::baseline));
      const auto expected = test.frames(mel_kernel(), 19, 1);
      ASSERT_TRUE(set_simd_level(level));
      for (std::int64_t at_once = 1; at_once <= mel_kernel().lanes; ++at_once) {
        EXPECT_EQ(test.frames(mel_kernel(), 19, at_once), expected)
            << each.size << " " << each.fft_size << " " << variant << " " << at_once;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, MelKernels,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

}  // namespace
}  // namespace sheaf::internal
