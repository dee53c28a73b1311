#include "format/arrow/table_rows.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "format/arrow/ipc_test_files.h"

namespace sheaf::arrow {
namespace {

std::string shown_rows(const ArrowNode& node) {
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_schema(node, *schema);
  export_array(node, nullptr, *array);
  return testing::text_of(*schema, *array);
}

SequenceView view_of(const std::vector<std::int32_t>& values, bool is_present = true) {
  return {.values = reinterpret_cast<const std::byte*>(values.data()),
          .sample_count = std::ssize(values),
          .value_count = std::ssize(values),
          .is_present = is_present};
}

TEST(StreamRows, KeepNullsAndEmptyRowsApart) {
  const Stream stream{.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{1}};
  StreamRows rows(stream);
  EXPECT_EQ(rows.add(view_of({1, 2})), 2 * 4 + 8);
  EXPECT_EQ(rows.add(view_of({})), 8);
  EXPECT_EQ(rows.add(view_of({}, /*is_present=*/false)), 8);
  EXPECT_EQ(shown_rows(rows.node(stream)), "[[1, 2], [], null]");
  StreamRows part(stream);
  part.add(rows, 1, 2);
  part.add(rows, 0, 1);
  EXPECT_EQ(shown_rows(part.node(stream)), "[[], null, [1, 2]]");
  part.clear();
  EXPECT_EQ(shown_rows(part.node(stream)), "[]");
}

// Presence bits are copied across byte borders.
TEST(StreamRows, SlicesKeepTheirPresence) {
  const Stream stream{.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{1}};
  StreamRows rows(stream);
  for (std::int32_t i = 0; i < 20; ++i) rows.add(view_of({i}, i % 3 != 0));
  for (const std::int64_t first : {0, 1, 7, 8, 9}) {
    for (const std::int64_t count : {1, 7, 8, 9, 11}) {
      StreamRows part(stream);
      part.add(rows, first, count);
      std::string expected;
      for (std::int64_t i = first; i < first + count; ++i) {
        expected += expected.empty() ? "[" : ", ";
        expected += i % 3 != 0 ? "[" + std::to_string(i) + "]" : "null";
      }
      EXPECT_EQ(shown_rows(part.node(stream)), expected + "]");
    }
  }
}

TEST(StreamRows, SamplesOfSeveralAxesAreListsInLists) {
  const Stream stream{.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{2, 3}};
  StreamRows rows(stream);
  const std::vector<std::int32_t> values = {1, 2, 3, 4, 5, 6};
  SequenceView view = view_of(values);
  view.sample_count = 1;
  rows.add(view);
  EXPECT_EQ(shown_rows(rows.node(stream)), "[[[[1, 2, 3], [4, 5, 6]]]]");
}

TEST(KeyRows, HoldNumbersOrTexts) {
  KeyRows numbers;
  numbers.numbers = {7, 8, 9};
  KeyRows part;
  part.add(numbers, 1, 2);
  EXPECT_EQ(shown_rows(part.node(/*are_texts=*/false)), "[8, 9]");
  KeyRows texts;
  texts.texts = "abc";
  texts.text_ends = {0, 1, 1, 3};
  KeyRows behind;
  behind.add(texts, 2, 1);
  behind.add(texts, 0, 2);
  EXPECT_EQ(shown_rows(behind.node(/*are_texts=*/true)), "['bc', 'a', '']");
  behind.add(KeyRows(), 0, 1);  // rows without keys
  EXPECT_EQ(shown_rows(behind.node(/*are_texts=*/true)), "['bc', 'a', '']");
}

}  // namespace
}  // namespace sheaf::arrow
