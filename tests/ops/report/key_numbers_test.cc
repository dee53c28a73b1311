#include "ops/report/key_numbers.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

KeyNumbers keys_of_numbers(const std::vector<std::uint64_t>& numbers) {
  KeyNumbers keys;
  for (const std::uint64_t each : numbers) keys.add(SequenceKey{each});
  return keys;
}

TEST(KeyNumbers, MeasuresGapsAndOrder) {
  const KeyNumbers keys = keys_of_numbers({3, 4, 7, 8, 20});
  EXPECT_EQ(keys.count, 5);
  EXPECT_TRUE(keys.rises);
  EXPECT_EQ(keys.gaps, 2);
  EXPECT_FALSE(keys_of_numbers({1, 1}).rises);
  EXPECT_FALSE(keys_of_numbers({2, 1}).rises);
}

TEST(KeyNumbers, PartsCombineToTheWhole) {
  const std::vector<std::uint64_t> numbers = {3, 4, 7, 8, 20, 19, 18};
  const KeyNumbers whole = keys_of_numbers(numbers);
  for (std::size_t cut = 0; cut <= numbers.size(); ++cut) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(cut);
    KeyNumbers keys = keys_of_numbers({numbers.begin(), middle});
    keys.add(keys_of_numbers({middle, numbers.end()}));
    EXPECT_EQ(keys.count, whole.count);
    EXPECT_EQ(keys.rises, whole.rises);
    EXPECT_EQ(keys.gaps, whole.gaps);
    EXPECT_EQ(keys.first, whole.first);
    EXPECT_EQ(keys.last, whole.last);
  }
}

TEST(KeyNumbers, CountsRepeatedKeysOfAllChunks) {
  MemoryIndex index;
  for (const std::vector<std::uint64_t>& numbers :
       {std::vector<std::uint64_t>{1, 2, 3}, {3, 1, 1}, {9}}) {
    SequenceTable::Builder table;
    for (const std::uint64_t each : numbers) table.push_back({.key = {each}, .sample_count = 1});
    index.add({}, table.finish());
  }
  EXPECT_EQ(key_repeats(index, ChunkIndex{3}).looked_at, 7);
  EXPECT_EQ(key_repeats(index, ChunkIndex{3}).repeats, 3);
  EXPECT_EQ(key_repeats(index, ChunkIndex{1}).repeats, 0);
  EXPECT_EQ(keys_of(*index.sequences(ChunkIndex{1}), 1, 2).count, 2);
}

}  // namespace
}  // namespace sheaf::internal
