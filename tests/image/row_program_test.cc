#include "image/row_program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

/// Returns sources of `count` values with `channels` channels, `step` pixels apart.
std::vector<SourcePair> made_sources(std::int64_t count, std::int32_t channels, double step) {
  std::vector<SourcePair> sources;
  for (std::int64_t value = 0; value < count; ++value) {
    const auto pixel = static_cast<std::int32_t>(static_cast<double>(value / channels) * step);
    const auto first = static_cast<std::int32_t>(pixel * channels + value % channels);
    sources.push_back({first, first + channels});
  }
  return sources;
}

/// Runs a program over bytes 1, 2, 3 ..., and checks that each value gets its sources.
void check(const std::vector<SourcePair>& sources, std::int64_t row_bytes, std::int64_t reach) {
  RowProgram program;
  make_row_program(sources, row_bytes, reach, program);
  ASSERT_EQ(program.groups.size() % 2, 0U);
  ASSERT_EQ(program.tail_group % 2, 0);
  const auto byte_at = [&](std::int64_t at) {
    return at < row_bytes ? static_cast<int>(at % 255) + 1 : 0;
  };
  std::int64_t values = 0;
  for (std::int64_t number = 0; number < std::ssize(program.groups); ++number) {
    const RowProgram::Group& group = program.groups[static_cast<std::size_t>(number)];
    const bool is_tail = number >= program.tail_group;
    for (const std::int32_t base : group.bases) {
      ASSERT_GE(base, 0);
      ASSERT_LE(base + reach + 16, is_tail ? program.tail_room : row_bytes);
    }
    for (std::int64_t lane = 0; lane < 8; ++lane) {
      const std::int64_t value = program.value_at(number, lane);
      const bool is_second = lane >= 4 && !program.has_one_window;
      const auto& shuffle = is_second ? group.second_shuffle : group.first_shuffle;
      for (std::size_t tap = 0; tap < 2; ++tap) {
        const std::uint8_t offset = shuffle[2 * static_cast<std::size_t>(lane) + tap];
        if (value == RowProgram::kNone) {
          ASSERT_EQ(offset, RowProgram::kNoByte);
          continue;
        }
        ASSERT_LT(offset, 16);
        const std::int64_t at = group.bases[is_second ? 1 : 0] + offset;
        const std::int64_t in_row = at + (is_tail ? program.tail_first : 0);
        EXPECT_EQ(byte_at(in_row), byte_at(sources[static_cast<std::size_t>(value)][tap]));
      }
      if (value != RowProgram::kNone) ++values;
    }
  }
  EXPECT_EQ(values, std::ssize(sources));
}

TEST(RowProgram, EachLaneGetsItsSources) {
  for (const std::int32_t channels : {1, 2, 3, 4}) {
    for (const double step : {0.1, 0.5, 0.99, 1.0, 1.3, 2.0, 3.0, 3.5, 4.7, 8.0, 40.0}) {
      for (std::int64_t width = 1; width <= 40; ++width) {
        const auto sources = made_sources(width * channels, channels, step);
        const std::int64_t row_bytes = sources.back()[0] + 1;  // the last source is the last byte
                                                               // of the row
        for (const std::int64_t reach : {0, 2 * channels, 10 * channels}) {
          SCOPED_TRACE(testing::Message() << channels << " " << step << " " << width);
          check(sources, row_bytes, reach);
          check(sources, row_bytes + 1000, reach);  // without a tail
        }
      }
    }
  }
}

TEST(RowProgram, DistantSourcesLeaveLanesEmpty) {
  RowProgram program;
  make_row_program(made_sources(30, 3, 0.5), 100, 0, program);
  EXPECT_EQ(program.half_values, 4);
  EXPECT_TRUE(program.has_one_window);
  make_row_program(made_sources(30, 3, 2), 100, 0, program);
  EXPECT_EQ(program.half_values, 4);
  EXPECT_FALSE(program.has_one_window);
  make_row_program(made_sources(30, 3, 9), 1000, 0, program);
  EXPECT_EQ(program.half_values, 3);
  make_row_program(made_sources(30, 1, 9), 1000, 0, program);
  EXPECT_EQ(program.half_values, 2);
  make_row_program(made_sources(30, 1, 16), 1000, 0, program);
  EXPECT_EQ(program.half_values, 1);
}

TEST(RowProgram, ARowWithPaddingNeedsNoTail) {
  RowProgram program;
  make_row_program(made_sources(16, 1, 1), 8 + 16, 0, program);
  EXPECT_EQ(program.tail_group, 2);
  EXPECT_EQ(program.tail_room, 0);
  make_row_program(made_sources(16, 1, 1), 8 + 15, 0, program);
  EXPECT_EQ(program.tail_group, 0);
  EXPECT_EQ(program.tail_bytes, 23);
  EXPECT_EQ(program.tail_room, 24);
}

TEST(RowProgram, AnEmptyRowNeedsNoGroup) {
  RowProgram program;
  make_row_program({}, 10, 0, program);
  EXPECT_TRUE(program.groups.empty());
  EXPECT_EQ(program.tail_room, 0);
}

}  // namespace
}  // namespace sheaf::internal
