#include "format/arrow/ipc_types.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/flat_builder.h"

namespace sheaf::arrow {
namespace {

// Returns the format string of a field with this type.
std::string format_with(std::uint8_t code, const FlatDraft& type, std::int64_t children = 0) {
  FlatDraft field;
  field.number<std::uint8_t>(2, code);
  field.table(3, type);
  const std::string bytes = flat_bytes(field);
  const auto file = memory_source("", "t");
  return format_of_field(flat_root({.file = file.get(), .bytes = std::as_bytes(std::span(bytes))}),
                         children);
}

FlatDraft unit(std::int16_t number) {
  FlatDraft type;
  type.number<std::int16_t>(0, number);
  return type;
}

FlatDraft numbers(std::int32_t first, std::int32_t second, std::int32_t third = 128) {
  FlatDraft type;
  type.number<std::int32_t>(0, first);
  type.number<std::int32_t>(1, second);
  type.number<std::int32_t>(2, third);
  return type;
}

FlatDraft integer(std::int32_t bits) {
  FlatDraft type;
  type.number<std::int32_t>(0, bits);
  type.number<std::uint8_t>(1, 1);
  return type;
}

FlatDraft time(std::int16_t number, std::int32_t bits) {
  FlatDraft type = unit(number);
  type.number<std::int32_t>(1, bits);
  return type;
}

TEST(IpcTypes, AbsentParametersHaveTheDefaultsOfTheFormat) {
  EXPECT_EQ(format_with(7, {}), "d:0,0");
  EXPECT_EQ(format_with(8, {}), "tdm");  // milliseconds
  EXPECT_EQ(format_with(9, {}), "ttm");
  EXPECT_EQ(format_with(10, {}), "tss:");
  EXPECT_EQ(format_with(11, {}), "tiM");
  EXPECT_EQ(format_with(18, {}), "tDm");
}

TEST(IpcTypes, IntervalsThatPyarrowDoesNotWriteAreKnown) {
  EXPECT_EQ(format_with(11, unit(0)), "tiM");
  EXPECT_EQ(format_with(11, unit(1)), "tiD");
}

TEST(IpcTypes, NumbersBeyondTheirListsAreRefused) {
  EXPECT_EQ(format_with(3, unit(2)), "g");
  EXPECT_THROW(format_with(3, unit(3)), DataError);
  EXPECT_THROW(format_with(3, unit(-1)), DataError);
  EXPECT_EQ(format_with(8, unit(1)), "tdm");
  EXPECT_THROW(format_with(8, unit(2)), DataError);
  EXPECT_EQ(format_with(9, time(3, 64)), "ttn");
  EXPECT_THROW(format_with(9, time(3, 32)), DataError);
  EXPECT_THROW(format_with(9, time(0, 64)), DataError);
  EXPECT_THROW(format_with(9, time(4, 64)), DataError);
  EXPECT_THROW(format_with(10, unit(4)), DataError);
  EXPECT_THROW(format_with(11, unit(3)), DataError);
  EXPECT_THROW(format_with(14, unit(2)), DataError);
  EXPECT_THROW(format_with(18, unit(4)), DataError);
  EXPECT_EQ(format_with(7, numbers(9, -2, 256)), "d:9,-2,256");
  EXPECT_THROW(format_with(7, numbers(9, 2, 129)), DataError);
  EXPECT_THROW(format_with(15, numbers(-1, 0)), DataError);
  EXPECT_THROW(format_with(16, numbers(-1, 0)), DataError);
  EXPECT_EQ(format_with(16, numbers(0, 0)), "+w:0");
}

TEST(IpcTypes, IntegersHaveFourWidths) {
  for (const std::int32_t bits : {0, 1, 7, 9, 24, 65, 128, -8}) {
    EXPECT_THROW(format_with(2, integer(bits)), DataError) << bits;
  }
  EXPECT_EQ(format_with(2, integer(64)), "l");
}

TEST(IpcTypes, TypesOfLaterVersionsAreRefused) {
  EXPECT_EQ(format_with(26, {}), "+vL");
  EXPECT_THROW(format_with(27, {}), DataError);
  EXPECT_THROW(format_with(0, {}), DataError);
}

TEST(IpcTypes, UnionsHaveAnIdForEachChild) {
  FlatDraft dense = unit(1);
  dense.vector(1, std::string("\5\0\0\0\x7f\0\0\0", 8), 2, 4);
  EXPECT_EQ(format_with(14, dense, 2), "+ud:5,127");
  EXPECT_THROW(format_with(14, dense, 3), DataError);
  EXPECT_EQ(format_with(14, unit(0), 3), "+us:0,1,2");
  EXPECT_EQ(format_with(14, unit(0), 0), "+us:");
  EXPECT_THROW(format_with(14, unit(0), 129), DataError);
  FlatDraft large = unit(1);
  large.vector(1, std::string("\x80\0\0\0", 4), 1, 4);
  EXPECT_THROW(format_with(14, large, 1), DataError);
}

}  // namespace
}  // namespace sheaf::arrow
