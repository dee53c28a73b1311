#include "index/packed_records.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/allocated_memory.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kRecordsOfBlock = PackedRecords::kBlockSize;

/// Returns record i of about i bytes. Some records are empty, and some need a varint of two bytes
/// for their size.
std::string record_of(std::int64_t i) {
  return std::string(static_cast<std::size_t>(i % 7 == 0 ? 200 : i % 5), static_cast<char>(i));
}

std::string text_at(const PackedRecords& records, std::int64_t i) {
  const std::span<const std::byte> bytes = records[i];
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

PackedRecords records_of(std::int64_t count) {
  PackedRecords records;
  for (std::int64_t i = 0; i < count; ++i) records.push_back(record_of(i));
  return records;
}

TEST(PackedRecords, AreKeptAroundTheSizeOfABlock) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, kRecordsOfBlock - 1,
                                   kRecordsOfBlock, kRecordsOfBlock + 1, 3 * kRecordsOfBlock + 1}) {
    const PackedRecords records = records_of(count);
    ASSERT_EQ(records.size(), count);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(text_at(records, i), record_of(i)) << i;
  }
}

TEST(PackedRecords, TheLastOnesCanBeRemoved) {
  const std::int64_t size = 2 * kRecordsOfBlock + 3;
  for (std::int64_t count = 0; count <= size; ++count) {
    PackedRecords records = records_of(size);
    records.truncate(count);
    ASSERT_EQ(records.size(), count);
    records.push_back("new");
    ASSERT_EQ(text_at(records, count), "new");
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(text_at(records, i), record_of(i)) << i;
  }
}

TEST(PackedRecords, ReportTheirMemory) {
  const std::int64_t before = testing::allocated_memory();
  if (before == 0) GTEST_SKIP() << "the allocator does not count";
  PackedRecords records;
  for (int i = 0; i < 20'000; ++i) records.push_back("twenty bytes or less");
  const std::int64_t taken = testing::allocated_memory() - before;
  testing::expect_about(records.memory_bytes(), taken);
  EXPECT_LT(taken, 20'000 * 27);
}

}  // namespace
}  // namespace sheaf::internal
