#include "reader/plan/use_numbers.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/index.h"

namespace sheaf::internal {
namespace {

/// Forty cuts of the same chunk.
class UseNumbersTest : public ::testing::Test {
 protected:
  UseNumbersTest() {
    SequenceTable::Builder table;
    table.push_back({.key = {1}, .sample_count = 1});
    index_.add({.decoded_size_bytes = 1}, table.finish());
    for (int i = 0; i < 40; ++i) cuts_.emplace_back(index_, ChunkRange{});
  }

  /// Adds units of all cuts, each twice, and checks their numbers. Returns how many there were.
  std::int64_t add_all(std::int64_t units_each, std::size_t expected_units = 0) {
    numbers_.begin_plan(expected_units);
    std::map<std::pair<const RangeCut*, std::int64_t>, std::int64_t> expected;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t unit = 0; unit < units_each; ++unit) {
        for (const RangeCut& cut : cuts_) {
          UseNumbers::Use& use = numbers_.find_or_add(cut, unit);
          EXPECT_EQ(use.number < 0, pass == 0);
          if (use.number < 0) use = {.number = std::ssize(expected), .end = unit + 1};
          EXPECT_EQ(use.number, expected.try_emplace({&cut, unit}, use.number).first->second);
          EXPECT_EQ(use.end, unit + 1);
        }
      }
    }
    return std::ssize(expected);
  }

  MemoryIndex index_;
  std::vector<RangeCut> cuts_;
  UseNumbers numbers_;
};

// The table has 64 entries at first, and grows when more than half of them are taken.
TEST_F(UseNumbersTest, EachUnitHasItsNumberAtEachSizeOfTheTable) {
  cuts_.resize(1, cuts_.front());
  for (const std::int64_t units : {1, 31, 32, 33, 63, 64, 65, 1000}) {
    EXPECT_EQ(add_all(units), units);
  }
}

TEST_F(UseNumbersTest, APlanOfTheExpectedSizeTakesNoMoreMemory) {
  for (const std::int64_t units_each : {1, 2, 25, 26, 100}) {
    const std::int64_t units = 40 * units_each;
    numbers_.begin_plan(static_cast<std::size_t>(units));
    const std::int64_t bytes = numbers_.memory_bytes();
    EXPECT_EQ(add_all(units_each, static_cast<std::size_t>(units)), units);
    EXPECT_EQ(numbers_.memory_bytes(), bytes);
  }
}

TEST_F(UseNumbersTest, UnitsOfDifferentCutsDiffer) { EXPECT_EQ(add_all(100), 4000); }

TEST_F(UseNumbersTest, APlanForgetsTheNumbersOfThePlanBefore) {
  EXPECT_EQ(add_all(3), 120);
  const std::int64_t bytes = numbers_.memory_bytes();
  for (int plan = 0; plan < 100; ++plan) EXPECT_EQ(add_all(3), 120);
  EXPECT_EQ(numbers_.memory_bytes(), bytes) << "each plan uses the memory again";
}

}  // namespace
}  // namespace sheaf::internal
