// Wrong offsets and views.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/damaged_batch.h"
#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_test_files.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using testing::DamagedBatch;
using testing::read_column;
using testing::read_text;

std::string expected_error(std::int64_t location, std::string_view found) {
  return "t.arrow: byte " + std::to_string(location) +
         ": error: expected rising offsets within the values, found " + std::string(found) +
         " [arrow-offsets]";
}

// Each offset has 4 bytes. The lists have 12 values, and end at 1, 1, 1, 3, 4, 6, 7, 10, 10, 11,
// 11, 12.
TEST(IpcBodyTake, FallingOffsetsAreRefusedIfTheirRowsAreRead) {
  DamagedBatch batch("nested.stream");
  const std::int64_t location = batch.body_location("list", 1);
  batch.set<std::int32_t>(location + 20, 2);
  const auto table = batch.open();
  const std::string expected =
      expected_error(location + 20, "2 as offset 5 in \"list\", with 12 values");
  EXPECT_EQ(error_of([&] { (void)read_text(*table, "list"); }), expected);
  EXPECT_EQ(error_of([&] { (void)read_text(*table, "list", {.first = 4, .count = 1}); }), expected);
  EXPECT_EQ(error_of([&] { (void)read_text(*table, "list", {.first = 2, .count = 3}); }), expected);
  EXPECT_EQ(read_text(*table, "list", {.first = 0, .count = 4}), "[[1], null, [], [2, 3]]");
  EXPECT_EQ(read_text(*table, "list", {.first = 6, .count = 1}), "[[6]]");
}

TEST(IpcBodyTake, OffsetsBeyondTheValuesAreRefused) {
  for (const std::int32_t wrong : {13, -1}) {
    DamagedBatch batch("nested.stream");
    const std::int64_t location = batch.body_location("list", 1);
    batch.set<std::int32_t>(location + 48, wrong);
    const auto table = batch.open();
    const std::string expected = expected_error(
        location + 48, std::to_string(wrong) + " as offset 12 in \"list\", with 12 values");
    EXPECT_EQ(error_of([&] { (void)read_text(*table, "list"); }), expected);
    EXPECT_EQ(error_of([&] { (void)read_text(*table, "list", {.first = 11, .count = 1}); }),
              expected);
    EXPECT_EQ(read_text(*table, "list", {.first = 9, .count = 2}), "[[10], []]");
  }
}

TEST(IpcBodyTake, OffsetsOfTextsEndWithTheirBytes) {
  DamagedBatch batch("nested.stream");
  const std::int64_t location = batch.body_location("sparse.1", 1);
  const std::int64_t bytes = batch.buffer("sparse.1", 2).second;
  batch.set<std::int32_t>(location + 48, static_cast<std::int32_t>(bytes));
  EXPECT_NO_THROW((void)read_column(*batch.open(), "sparse"));
  batch.set<std::int32_t>(location + 48, static_cast<std::int32_t>(bytes + 1));
  EXPECT_EQ(error_of([&] { (void)read_column(*batch.open(), "sparse"); }),
            expected_error(location + 48, std::to_string(bytes + 1) +
                                              " as offset 12 in \"sparse.1\", with " +
                                              std::to_string(bytes) + " values"));
  // Lengths are checked even if they are read alone.
  EXPECT_THROW((void)read_column(*batch.open(), "sparse", {}, true), DataError);
}

TEST(IpcBodyTake, WrongViewsAreFoundInEveryPart) {
  DamagedBatch batch("nested.stream");
  const std::int64_t location = batch.body_location("text_view", 1);
  for (const std::int32_t offset : {100'000, -1}) {
    batch.set<std::int32_t>(location + 76, offset);  // the fifth view
    const auto table = batch.open();
    for (const std::int64_t first : {0, 1, 4}) {
      EXPECT_THROW((void)read_text(*table, "text_view", {.first = first}), std::out_of_range);
    }
    EXPECT_EQ(read_text(*table, "text_view", {.first = 7, .count = 1}), "['text number 7']");
  }
}

TEST(IpcBodyTake, WrongListViewsAreFoundInEveryPart) {
  DamagedBatch batch("nested.stream");
  const std::int64_t location = batch.body_location("list_view", 1);
  batch.set<std::int32_t>(location + 16, 6);  // one more than the last, with two values
  const auto table = batch.open();
  for (const std::int64_t first : {0, 1, 4}) {
    EXPECT_THROW((void)read_text(*table, "list_view", {.first = first}), std::out_of_range);
  }
  EXPECT_EQ(read_text(*table, "list_view", {.first = 5, .count = 2}), "[[11], [10, 11, 12, 13]]");
}

TEST(IpcBodyTake, PartsOfViewsReadOnlyTheBytesOfTheirRows) {
  const auto table = open_ipc(testing::source_of("nested.stream"));
  const auto array = read_column(*table, "text_view", {.first = 7, .count = 1});
  const ArrowArray& views = *array->children[0];
  const auto* const sizes = static_cast<const std::int64_t*>(views.buffers[views.n_buffers - 1]);
  EXPECT_EQ(sizes[0], std::ssize(std::string_view("text number 7")));
}

}  // namespace
}  // namespace sheaf::arrow
