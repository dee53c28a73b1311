#include "format/arrow/offset_checks.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "format/arrow/arrow_layout.h"

namespace sheaf::arrow {
namespace {

template <typename T>
const std::byte* raw(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

template <typename T>
void expect_wrong(const std::vector<T>& offsets, std::int64_t limit, std::int64_t wrong) {
  EXPECT_EQ(first_wrong_offset(raw(offsets), sizeof(T), std::ssize(offsets) - 1, limit), wrong);
}

template <typename T>
void expect_checks() {
  expect_wrong<T>({0, 2, 2, 5}, 5, -1);  // at the limit
  expect_wrong<T>({0, 2, 2, 5}, 4, 3);   // one above
  expect_wrong<T>({-1, 2, 2, 5}, 5, 0);  // below 0
  expect_wrong<T>({0, 3, 2, 5}, 5, 2);   // falling
  expect_wrong<T>({3, 9, 9, 5}, 5, 1);   // above the limit in the middle
  expect_wrong<T>({4}, 5, -1);           // no list
  expect_wrong<T>({6}, 5, 0);
}

TEST(OffsetChecks, WrongOffsetsAreFound) {
  expect_checks<std::int32_t>();
  expect_checks<std::int64_t>();
}

TEST(OffsetChecks, OffsetsAreRebased) {
  const std::vector<std::int32_t> narrow = {7, 8, 10};
  std::vector<std::int32_t> moved(3);
  move_offsets(raw(narrow), 4, 3, 7, reinterpret_cast<std::byte*>(moved.data()));
  EXPECT_EQ(moved, (std::vector<std::int32_t>{0, 1, 3}));
  const std::vector<std::int64_t> wide = {7, 8, 10};
  std::vector<std::int64_t> moved_wide(3);
  move_offsets(raw(wide), 8, 3, 7, reinterpret_cast<std::byte*>(moved_wide.data()));
  EXPECT_EQ(moved_wide, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(offset_at(raw(narrow), 4, 2), 10);
  EXPECT_EQ(offset_at(raw(wide), 8, 1), 8);
}

TEST(OffsetChecks, ListViewsNeedTheRangeOfTheirValidLists) {
  const std::vector<std::int32_t> offsets = {5, 3, 0, 9, 6, -1};
  const std::vector<std::int32_t> sizes = {2, 1, 0, 2, 5, 1};
  // There are 10 values. The fourth, fifth and sixth list go beyond.
  const ValueRange range = range_of_list_views(raw(offsets), raw(sizes), 4, 6, 10);
  EXPECT_EQ(range.begin, 3);
  EXPECT_EQ(range.end, 7);
  std::vector<std::int32_t> moved(6);
  move_list_views(raw(offsets), raw(sizes), 4, 6, 10, 3,
                  reinterpret_cast<std::byte*>(moved.data()));
  EXPECT_EQ(moved, (std::vector<std::int32_t>{2, 0, 0, 9, 6, -1}));
  EXPECT_EQ(range_of_list_views(raw(offsets), raw(sizes), 4, 0, 10).size(), 0);
  EXPECT_EQ(range_of_list_views(raw(offsets), raw(sizes), 4, 6, 11).end,
            11);  // with two more values, all
                  // lists are right
}

std::vector<std::int32_t> view(std::int32_t size, std::int32_t buffer, std::int32_t offset) {
  return {size, 0, buffer, offset};
}

TEST(OffsetChecks, ViewsNeedTheBytesOfLongTexts) {
  std::vector<std::int32_t> views;
  for (const auto& each : {view(13, 0, 7), view(12, 9, 9), view(20, 1, 0), view(15, 0, 5),
                           view(13, 2, 0), view(13, 0, 8), view(-1, 0, 0), view(13, 0, -1)}) {
    views.insert(views.end(), each.begin(), each.end());
  }
  // The second view is short. The fifth names no buffer. The sixth exceeds its buffer by one.
  const std::vector<std::int64_t> limits = {20, 20};
  const std::vector<ValueRange> ranges = ranges_of_views(raw(views), 8, limits);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].begin, 5);
  EXPECT_EQ(ranges[0].end, 20);
  EXPECT_EQ(ranges[1].begin, 0);
  EXPECT_EQ(ranges[1].end, 20);
  std::vector<std::int32_t> moved(views.size());
  move_views(raw(views), 8, limits, ranges, reinterpret_cast<std::byte*>(moved.data()));
  std::vector<std::int32_t> expected = views;
  expected[3] = 2;
  expected[15] = 0;
  EXPECT_EQ(moved, expected);
}

}  // namespace
}  // namespace sheaf::arrow
