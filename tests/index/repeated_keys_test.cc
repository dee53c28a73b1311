#include "index/repeated_keys.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "index/made_up_tables.h"

namespace sheaf::internal {
namespace {

SequenceTable table_with(std::uint64_t first, std::int64_t count, std::uint64_t step) {
  std::vector<SequenceInfo> sequences;
  for (std::int64_t i = 0; i < count; ++i) {
    sequences.push_back({.key = {.low = first + static_cast<std::uint64_t>(i) * step}});
  }
  return table_of(sequences);
}

TEST(RepeatedKeys, AreNotSearchedIfKeysAreKnownToDiffer) {
  RepeatedKeys keys;
  EXPECT_TRUE(keys.add(table_with(5, 2, 0)).value().empty());
  EXPECT_EQ(keys.memory_bytes(), 0);
  EXPECT_TRUE(keys.finish().empty());
}

TEST(RepeatedKeys, AreKnownImmediatelyIfKeysFit) {
  const std::vector<SequenceTable> tables = {table_with(9, 3, 1), table_with(8, 3, 1)};
  RepeatedKeys keys(0, [&](std::int64_t chunk) {
    return std::make_shared<const SequenceTable>(tables[static_cast<std::size_t>(chunk)]);
  });
  EXPECT_EQ(keys.add(tables[0]), RepeatedKeys::Repeated{});
  EXPECT_EQ(keys.add(tables[1]), (RepeatedKeys::Repeated{1, 2}));
  EXPECT_GT(keys.memory_bytes(), 0);
  EXPECT_FALSE(keys.first_late());
  EXPECT_TRUE(keys.finish().empty());
  EXPECT_EQ(keys.memory_bytes(), 0);
}

TEST(RepeatedKeys, AreKnownAtTheEndOnceKeysDoNotFit) {
  constexpr std::uint64_t kDown = ~std::uint64_t{0};  // a step of -1
  const std::vector<SequenceTable> tables = {table_with(10'000'000, 5, 1),
                                             table_with(9'000'000, 100'000, kDown),
                                             table_with(10'000'003, 4, 1)};
  RepeatedKeys keys(1, [&](std::int64_t chunk) {
    return std::make_shared<const SequenceTable>(tables[static_cast<std::size_t>(chunk)]);
  });
  EXPECT_TRUE(keys.add(tables[0]));
  EXPECT_FALSE(keys.first_late());
  EXPECT_FALSE(keys.add(tables[1]));
  EXPECT_FALSE(keys.add(tables[2]));
  EXPECT_EQ(keys.first_late(), 1);
  EXPECT_EQ(keys.finish(), (std::vector<RepeatedKeys::Repeated>{{}, {0, 1}}));
}

}  // namespace
}  // namespace sheaf::internal
