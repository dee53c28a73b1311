#include "dataset/join_index.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/sheaf/container_data.h"
#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using testing::ctf;
using testing::dense;
using testing::with_streams;

std::vector<NamedData> two_orders(std::int64_t count) {
  std::string first;
  std::string second;
  for (std::int64_t i = 0; i < count; ++i) {
    first += std::to_string(i) + " |x 1\n";
    second += std::to_string((i * 7 + 3) % count) + " |y 1\n";
  }
  return {ctf("a", first, with_streams({dense("x")}, 100)),
          ctf("b", second, with_streams({dense("y")}, 70))};
}

TEST(JoinIndex, DoesNotDependOnTheMemoryLimit) {
  const std::vector<NamedData> members = two_orders(500);
  JoinOptions options;
  const JoinIndex all(members, options, -1);
  options.memory_limit_bytes = 2000;
  const JoinIndex few(members, options, -1);
  std::int64_t chunks = 0;
  for (int round = 0; round < 2; ++round) {
    for (ChunkIndex c{}; const auto info = all.chunk(c); c = next(c), ++chunks) {
      EXPECT_EQ(info, few.chunk(c));
      const auto expected = all.rows(c);
      const auto actual = few.rows(c);
      for (std::int64_t i = 0; i < info->sequence_count; ++i) {
        EXPECT_EQ(expected->table.key(i), actual->table.key(i));
        EXPECT_EQ(expected->table.offset_bytes(i), actual->table.offset_bytes(i));
        EXPECT_EQ(expected->table.first_line(i), actual->table.first_line(i));
        EXPECT_EQ(expected->table.sample_count(i), actual->table.sample_count(i));
        for (const std::size_t m : {0U, 1U}) {
          EXPECT_EQ(expected->numbers[m][i], actual->numbers[m][i]);
        }
      }
    }
  }
  EXPECT_GT(chunks, 50);
  EXPECT_LT(few.memory_bytes(), all.memory_bytes());
}

TEST(JoinIndex, MatchesSequencesByKey) {
  const std::vector<NamedData> members = {
      ctf("a", "3 |x 1\n1 |x 1\n2 |x 1\n", with_streams({dense("x")})),
      ctf("b", "1 |y 1\n1 |y 2\n2 |y 1\n9 |y 1\n", with_streams({dense("y")}))};
  const JoinIndex index(members, {}, -1);
  const auto info = index.chunk(ChunkIndex{0});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->sequence_count, 2);
  EXPECT_EQ(info->sample_count, 3);
  EXPECT_EQ(info->first_line, 1);
  EXPECT_EQ(info->offset_bytes, 0);
  EXPECT_EQ(info->size_bytes, 5 * 7) << "two rows of a, three of b";
  EXPECT_FALSE(index.chunk(ChunkIndex{1}));
  const auto rows = index.rows(ChunkIndex{0});
  EXPECT_EQ(rows->numbers[0][0], 1);
  EXPECT_EQ(rows->numbers[0][1], 2);
  EXPECT_EQ(rows->numbers[1][0], 0);
  EXPECT_EQ(rows->numbers[1][1], 1);
  EXPECT_EQ(rows->table.first_line(0), 1);
  EXPECT_EQ(rows->table.offset_bytes(1), 21);
}

TEST(JoinIndex, ChunksShareTheBytesOfTheFiles) {
  std::vector<NamedData> members = two_orders(500);
  const auto stored_of = [](const Index& index) {
    std::int64_t sum = 0;
    for (ChunkIndex c{}; index.chunk(c); c = next(c)) sum += index.stored_size_bytes(c);
    return sum;
  };
  const std::int64_t first = stored_of(members[0].data->index());
  const std::int64_t second = stored_of(members[1].data->index());
  EXPECT_EQ(stored_of(JoinIndex(members, {}, -1)), first + second);
  const std::string container = testing::container_of(*members[1].data);
  members[1].data = testing::open_container_bytes(container);
  EXPECT_LT(std::ssize(container), members[1].data->index().chunk(ChunkIndex{})->size_bytes);
  const JoinIndex index(members, {}, -1);
  std::int64_t chunks = 0;
  while (index.chunk(ChunkIndex{chunks})) ++chunks;
  EXPECT_NEAR(static_cast<double>(stored_of(index)),
              static_cast<double>(first + std::ssize(container)), static_cast<double>(chunks));
}

}  // namespace
}  // namespace sheaf::internal
