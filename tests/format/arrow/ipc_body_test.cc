#include "format/arrow/ipc_body.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/damaged_batch.h"
#include "format/arrow/ipc_test_files.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using testing::DamagedBatch;
using testing::read_text;

std::string error_in(const DamagedBatch& batch, std::string_view column) {
  return error_of<DataError>([&] { (void)read_text(*batch.open(), column); });
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(IpcBody, AColumnHasAsManyValuesAsTheBatchHasRows) {
  for (const std::int64_t length : {11, 13}) {
    DamagedBatch batch("nested.stream");
    const std::int64_t location = batch.node("list").location;
    batch.set<std::int64_t>(location, length);
    EXPECT_EQ(error_in(batch, "list"),
              "t.arrow: byte " + std::to_string(location) +
                  ": error: expected the length and the null count of an array, found " +
                  std::to_string(length) +
                  " values in \"list\", where the batch has 12 rows [arrow-node]");
    EXPECT_EQ(error_in(batch, "flags"), "");  // other columns can be read
  }
}

TEST(IpcBody, LengthsAndNullCountsBelowZeroAreRefused) {
  DamagedBatch batch("nested.stream");
  batch.set<std::int64_t>(batch.node("list").location, -1);
  EXPECT_TRUE(has(error_in(batch, "list"), "[arrow-node]"));
  DamagedBatch nulls("nested.stream");
  nulls.set<std::int64_t>(nulls.node("list").location + 8, 13);
  EXPECT_TRUE(has(error_in(nulls, "list"), "[arrow-node]"));
  DamagedBatch most("nested.stream");
  most.set<std::int64_t>(most.node("list").location + 8, 12);
  EXPECT_EQ(error_in(most, "list"), "");
}

TEST(IpcBody, ChildrenHaveTheValuesThatTheirParentsNeed) {
  for (const std::string_view child : {"struct.a", "fixed_list.item", "sparse.0"}) {
    const std::string column(child.substr(0, child.find('.')));
    DamagedBatch batch("nested.stream");
    const IpcPair node = batch.node(child);
    batch.set<std::int64_t>(node.location, node.first - 1);
    batch.set<std::int64_t>(node.location + 8, 0);
    EXPECT_TRUE(has(error_in(batch, column), "are needed [arrow-node]")) << child;
  }
}

TEST(IpcBody, OverflowingLengthsAreRefused) {
  DamagedBatch batch("nested.stream");
  batch.set<std::int64_t>(batch.node("list.item").location, INT64_MAX);
  EXPECT_TRUE(has(error_in(batch, "list"), "[arrow-buffer]"));
  DamagedBatch lists("nested.stream");
  lists.set<std::int64_t>(lists.node("struct.b").location, INT64_MAX);
  EXPECT_EQ(error_in(lists, "flags"), "");
  EXPECT_TRUE(has(error_in(lists, "struct"), "[arrow-buffer]"));
}

TEST(IpcBody, BuffersLieWithinTheBodyAndAreLargeEnough) {
  const auto error_with = [](std::int64_t offset_change, std::int64_t size_change) {
    DamagedBatch batch("nested.stream");
    const IpcPair buffer = batch.buffer("list.item", 1);
    batch.set<std::int64_t>(buffer.location, buffer.first + offset_change);
    batch.set<std::int64_t>(buffer.location + 8, buffer.second + size_change);
    return error_in(batch, "list");
  };
  EXPECT_EQ(error_with(0, 0), "");
  const std::int64_t values = DamagedBatch("nested.stream").node("list.item").first;
  const std::int64_t size = DamagedBatch("nested.stream").buffer("list.item", 1).second;
  EXPECT_EQ(error_with(0, values * 4 - size), "");
  EXPECT_TRUE(has(error_with(0, values * 4 - size - 1), "[arrow-buffer]"));
  EXPECT_TRUE(has(error_with(INT64_MAX / 2, 0), "in a body of"));
  EXPECT_TRUE(has(error_with(-100'000, 0), "in a body of"));
  EXPECT_TRUE(has(error_with(0, INT64_MAX / 2), "in a body of"));
}

TEST(IpcBody, MisalignedBuffersAreRead) {
  // The values begin one byte later, so the highest byte of the third value is the lowest of the
  // fourth.
  DamagedBatch batch("nested.stream");
  const IpcPair buffer = batch.buffer("struct.a", 1);
  batch.set<std::int64_t>(buffer.location, buffer.first + 1);
  batch.set<std::int64_t>(buffer.location + 8, 96);
  const auto array = testing::read_column(*batch.open(), "struct");
  const void* const values = array->children[0]->children[0]->buffers[1];
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values) % 8, 0U);
  EXPECT_EQ(static_cast<const std::int64_t*>(values)[2], std::int64_t{3} << 56);
}

TEST(IpcBody, NullsNeedAValidityBuffer) {
  DamagedBatch batch("nested.stream");
  const IpcPair buffer = batch.buffer("list", 0);
  batch.set<std::int64_t>(buffer.location + 8, 0);
  EXPECT_TRUE(has(error_in(batch, "list"), "0 bytes, where the array needs 2 [arrow-buffer]"));
  batch.set<std::int64_t>(batch.node("list").location + 8, 0);
  EXPECT_EQ(error_in(batch, "list"), "");
}

}  // namespace
}  // namespace sheaf::arrow
