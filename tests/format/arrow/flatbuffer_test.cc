#include "format/arrow/flatbuffer.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/flat_builder.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;

class Flatbuffer : public ::testing::Test {
 protected:
  FlatBytes flat(const std::string& bytes) const {
    return {.file = file_.get(), .offset = 100, .bytes = std::as_bytes(std::span(bytes))};
  }

  const std::shared_ptr<const ByteSource> file_ = memory_source("", "t");
};

FlatDraft small_table(std::int16_t number) {
  FlatDraft table;
  table.number<std::int16_t>(1, number);
  return table;
}

std::string small_bytes() {
  FlatDraft root;
  root.number<std::int32_t>(0, -5);
  root.text(1, "text");
  root.number<std::uint8_t>(3, 200);
  root.number<std::int64_t>(4, std::int64_t{1} << 40);
  root.table(5, small_table(7));
  root.tables(6, {small_table(8), small_table(9)});
  root.vector(7, std::string("\1\0\2\0\3\0", 6), 3, 2);
  return flat_bytes(root);
}

TEST_F(Flatbuffer, FieldsOfAllKindsAreRead) {
  const std::string bytes = small_bytes();
  const FlatTable root = flat_root(flat(bytes));
  EXPECT_EQ(root.number<std::int32_t>(0), -5);
  EXPECT_EQ(root.text(1), "text");
  EXPECT_EQ(root.number<std::uint8_t>(3), 200);
  EXPECT_EQ(root.number<std::int64_t>(4), std::int64_t{1} << 40);
  EXPECT_EQ(root.table(5)->number<std::int16_t>(1), 7);
  const FlatVector tables = root.vector(6, 4);
  ASSERT_EQ(tables.size(), 2);
  EXPECT_EQ(tables.table(1).number<std::int16_t>(1), 9);
  const FlatVector numbers = root.vector(7, 2);
  ASSERT_EQ(numbers.size(), 3);
  EXPECT_EQ(numbers.number<std::int16_t>(2), 3);
  EXPECT_EQ(numbers.location(1) - numbers.location(0), 2);
}

TEST_F(Flatbuffer, AbsentFieldsHaveTheDefault) {
  const std::string bytes = small_bytes();
  const FlatTable root = flat_root(flat(bytes));
  EXPECT_EQ(root.number<std::int32_t>(2, 12), 12);   // an absent field between others
  EXPECT_EQ(root.number<std::int32_t>(99, 13), 13);  // after the end of the list
  EXPECT_EQ(root.text(99), "");
  EXPECT_FALSE(root.table(99).has_value());
  EXPECT_EQ(root.vector(99, 8).size(), 0);
}

TEST_F(Flatbuffer, ARootBeyondTheBytesIsRefusedWithItsOffset) {
  const std::string bytes("\x10\0\0\0", 4);
  EXPECT_EQ(error_of([&] { (void)flat_root(flat(bytes)); }),
            "t: byte 100: error: expected metadata as a flatbuffer, found 4 bytes at 16, where the "
            "metadata have 4 [arrow-metadata]");
  const std::string nothing(8, '\0');
  EXPECT_EQ(error_of([&] { (void)flat_root(flat(nothing)); }),
            "t: byte 100: error: expected metadata as a flatbuffer, found an offset of 0 "
            "[arrow-metadata]");
}

TEST_F(Flatbuffer, AFieldBeyondItsTableIsRefused) {
  FlatDraft draft;
  draft.number<std::int32_t>(0, 1);
  const std::string bytes = flat_bytes(draft);
  const FlatTable root = flat_root(flat(bytes));
  EXPECT_EQ(root.number<std::int32_t>(0), 1);
  EXPECT_THROW((void)root.number<std::int64_t>(0), DataError);
}

TEST_F(Flatbuffer, AVectorOneElementTooLongIsRefused) {
  FlatDraft draft;
  draft.vector(0, std::string(8, 'x'), 2, 4);
  const std::string bytes = flat_bytes(draft);
  const FlatTable root = flat_root(flat(bytes));
  EXPECT_EQ(root.vector(0, 4).size(), 2);
  EXPECT_THROW((void)root.vector(0, 8), DataError);
}

TEST_F(Flatbuffer, AnyWrongByteStaysWithinBounds) {
  std::string bytes = small_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      try {
        const FlatTable root = flat_root(flat(bytes));
        (void)root.number<std::int64_t>(4);
        (void)root.text(1);
        (void)root.vector(7, 2);
        if (const auto table = root.table(5)) (void)table->number<std::int16_t>(1);
        const FlatVector tables = root.vector(6, 4);
        if (tables.size() > 1) (void)tables.table(1).number<std::int16_t>(1);
      } catch (const DataError& error) {
        EXPECT_EQ(error.diagnostics().back().code, "arrow-metadata");
      }
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
    }
  }
}

}  // namespace
}  // namespace sheaf::arrow
