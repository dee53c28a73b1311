#include "format/arrow/flat_builder.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/unaligned.h"

namespace sheaf::arrow {
namespace {

// The expected bytes were made by hand, with the rules of https://flatbuffers.dev/internals/.
TEST(FlatBuilder, ATableIsWrittenByteByByte) {
  FlatDraft draft;
  draft.number<std::int16_t>(1, 0x0203);
  const std::string expected(
      "\x10\0\0\0"  // the offset of the table
      "\0\0\0\0"
      "\x08\0\x06\0\0\0\x04\0"  // the list: its size, the size of the table, no field 0, field 1 at
                                // 4
      "\x08\0\0\0\x03\x02"      // the distance back to the list, and the number
      "\0\0",                   // padding to a multiple of 8
      24);
  EXPECT_EQ(flat_bytes(draft), expected);
}

TEST(FlatBuilder, ATextEndsWithAnUncountedZero) {
  FlatDraft draft;
  draft.text(0, "abcd");
  const std::string bytes = flat_bytes(draft);
  const std::size_t at = bytes.find("abcd");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(at % 4, 0U);
  EXPECT_EQ(bytes.substr(at - 4, 4), std::string("\4\0\0\0", 4));
  EXPECT_EQ(bytes.at(at + 4), '\0');
  EXPECT_EQ(bytes.size() % 8, 0U);
}

TEST(FlatBuilder, WideNumbersAndElementsOfVectorsAreAligned) {
  FlatDraft draft;
  draft.number<std::uint8_t>(0, 1);
  draft.number<std::int64_t>(1, 0x1122334455667788);
  draft.vector(2, "ABCDEFGH", 1, 8);
  const std::string bytes = flat_bytes(draft);
  EXPECT_EQ(bytes.find("\x88\x77\x66\x55") % 8, 0U);
  EXPECT_EQ(bytes.find("ABCDEFGH") % 8, 0U);
}

}  // namespace
}  // namespace sheaf::arrow
