#include "reader/fetch/chunk_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/types.h"

namespace sheaf::internal {
namespace {

TEST(HeldBytes, CountKeyTexts) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
  std::vector<Column> columns(1);
  columns[0].values.push_back(1.F);
  Chunk chunk(streams, 1, std::move(columns));
  const std::int64_t without = held_bytes(chunk);
  chunk.set_key_texts({std::string(1000, 'k')});
  EXPECT_GE(held_bytes(chunk), without + 1000);
}

TEST(HeldBytes, CountBorrowedBytes) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(400);
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
  std::vector<Column> columns(1);
  columns[0].values = Buffer::borrow(*bytes, bytes);
  const Chunk chunk(streams, 100, std::move(columns));
  EXPECT_EQ(chunk.memory_bytes(), 0);
  EXPECT_EQ(held_bytes(chunk), 400);
}

TEST(HeldBytes, CountSharedBytesOnce) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(400);
  const std::vector<Stream> streams = {
      {.name = "x", .sample_shape = {1}, .storage = Storage::sparse}};
  std::vector<Column> columns(1);
  columns[0].values = Buffer::borrow(*bytes, bytes);
  columns[0].indices = Buffer::borrow(*bytes, bytes);
  for (const std::int64_t offset : {0, 50}) columns[0].sample_offsets.push_back(offset);
  columns[0].value_byte_offsets.push_back(std::int64_t{0});
  columns[0].index_byte_offsets.push_back(std::int64_t{200});
  const Chunk chunk(streams, 1, std::move(columns));
  EXPECT_EQ(held_bytes(chunk), 400 + chunk.columns()[0].sample_offsets.capacity_bytes() +
                                   chunk.columns()[0].value_byte_offsets.capacity_bytes() +
                                   chunk.columns()[0].index_byte_offsets.capacity_bytes());
}

}  // namespace
}  // namespace sheaf::internal
