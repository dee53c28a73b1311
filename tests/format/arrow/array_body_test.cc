#include "format/arrow/array_body.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::arrow {
namespace {

constexpr std::int32_t kOffsets[] = {5, 6, 6, 9};
constexpr std::int16_t kValues[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr std::uint8_t kBits[] = {0b101};

// Returns lists of int16: [5], null, [6, 7, 8].
ArrowNode lists() {
  return {.format = "+l",
          .length = 3,
          .null_count = -1,
          .buffers = {kBits, kOffsets},
          .children = {{.format = "s", .length = 10, .buffers = {nullptr, kValues}}}};
}

ArrowNode rows_with(ArrowNode column) {
  const std::int64_t length = column.length;
  return {.format = "+s", .length = length, .children = {std::move(column)}};
}

template <typename T>
std::vector<T> values_in(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(ArrayBody, ListsWriteOnlyTheirOwnValues) {
  const ArrowNode rows = rows_with(lists());
  const ArrayBody body(rows);
  const auto buffers = body.buffers();
  ASSERT_EQ(buffers.size(), 4U);  // two buffers of the lists, and two of the values
  EXPECT_EQ(values_in<std::uint8_t>(buffers[0]), std::vector<std::uint8_t>{0b101});
  EXPECT_EQ(values_in<std::int32_t>(buffers[1]), (std::vector<std::int32_t>{0, 1, 1, 4}));
  EXPECT_TRUE(buffers[2].empty());
  EXPECT_EQ(values_in<std::int16_t>(buffers[3]), (std::vector<std::int16_t>{5, 6, 7, 8}));
  EXPECT_EQ(body.size_bytes(), 64 * 3);
}

TEST(ArrayBody, APartOfTheRowsIsWritten) {
  ArrowNode rows = rows_with(lists());
  rows.offset = 2;
  rows.length = 1;
  const ArrayBody body(rows);
  EXPECT_TRUE(body.buffers()[0].empty());  // no nulls
  EXPECT_EQ(values_in<std::int32_t>(body.buffers()[1]), (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(values_in<std::int16_t>(body.buffers()[3]), (std::vector<std::int16_t>{6, 7, 8}));
}

TEST(ArrayBody, AnArrayWithoutValuesHasOneOffset) {
  ArrowNode none = lists();
  none.length = 0;
  none.buffers = {nullptr, nullptr};
  none.children[0].length = 0;
  const ArrowNode rows = rows_with(none);
  const ArrayBody body(rows);
  EXPECT_EQ(values_in<std::int32_t>(body.buffers()[1]), std::vector<std::int32_t>{0});
  EXPECT_TRUE(body.buffers()[3].empty());
}

TEST(ArrayBody, TypesThatAreNotWrittenAreRefused) {
  const ArrowNode rows = rows_with({.format = "+r", .length = 1});
  EXPECT_THROW((void)ArrayBody(rows), InternalError);
}

}  // namespace
}  // namespace sheaf::arrow
