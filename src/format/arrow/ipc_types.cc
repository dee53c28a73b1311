#include "format/arrow/ipc_types.h"

#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/ipc_numbers.h"

namespace sheaf::arrow {
namespace {

// Codes of the union Type. The gaps are types without parameters.
constexpr std::uint8_t kTypeInt = 2;
constexpr std::uint8_t kTypeFloat = 3;
constexpr std::uint8_t kTypeDecimal = 7;
constexpr std::uint8_t kTypeDate = 8;
constexpr std::uint8_t kTypeTime = 9;
constexpr std::uint8_t kTypeTimestamp = 10;
constexpr std::uint8_t kTypeInterval = 11;
constexpr std::uint8_t kTypeUnion = 14;
constexpr std::uint8_t kTypeFixedBinary = 15;
constexpr std::uint8_t kTypeFixedList = 16;
constexpr std::uint8_t kTypeDuration = 18;

struct PlainType {
  std::uint8_t code;
  std::string_view format;
};

constexpr PlainType kPlainTypes[] = {
    {1, "n"},     // Null
    {4, "z"},     // Binary
    {5, "u"},     // Utf8
    {6, "b"},     // Bool
    {12, "+l"},   // List
    {13, "+s"},   // Struct_
    {17, "+m"},   // Map
    {19, "Z"},    // LargeBinary
    {20, "U"},    // LargeUtf8
    {21, "+L"},   // LargeList
    {22, "+r"},   // RunEndEncoded
    {23, "vz"},   // BinaryView
    {24, "vu"},   // Utf8View
    {25, "+vl"},  // ListView
    {26, "+vL"},  // LargeListView
};

[[noreturn]] void fail_type(const FlatTable& type, std::string found) {
  fail(*type.bytes().file, kType, type.location(), std::move(found));
}

// Returns the format that a field of the type's table selects by number.
std::string chosen(const FlatTable& type, std::string_view name, std::int16_t number,
                   std::span<const std::string_view> formats) {
  if (number < 0 || number >= std::ssize(formats)) {
    fail_type(type, formatted("{} number {}", name, number));
  }
  return std::string(formats[static_cast<std::size_t>(number)]);
}

std::int16_t unit_of(const FlatTable& type, std::int16_t otherwise) {
  return type.number<std::int16_t>(0, otherwise);
}

constexpr std::int16_t kMilliseconds = 1;

std::string decimal_format(const FlatTable& type) {
  const auto precision = type.number<std::int32_t>(0);
  const auto scale = type.number<std::int32_t>(1);
  const auto bits = type.number<std::int32_t>(2, 128);
  if (bits == 128) return formatted("d:{},{}", precision, scale);
  if (bits == 32 || bits == 64 || bits == 256) {
    return formatted("d:{},{},{}", precision, scale, bits);
  }
  fail_type(type, formatted("a decimal number of {} bits", bits));
}

std::string time_format(const FlatTable& type) {
  static constexpr std::string_view kFormats[] = {"tts", "ttm", "ttu", "ttn"};
  const std::int16_t unit = unit_of(type, kMilliseconds);
  const auto bits = type.number<std::int32_t>(1, 32);
  if (bits != (unit <= kMilliseconds ? 32 : 64)) {
    fail_type(type, formatted("a time of unit {} and {} bits", unit, bits));
  }
  return chosen(type, "unit of times", unit, kFormats);
}

std::string width_format(const FlatTable& type, std::string_view prefix) {
  const auto width = type.number<std::int32_t>(0);
  if (width < 0) fail_type(type, formatted("a width of {}", width));
  return formatted("{}{}", prefix, width);
}

std::string union_format(const FlatTable& type, std::int64_t children) {
  static constexpr std::string_view kFormats[] = {"+us:", "+ud:"};
  std::string format = chosen(type, "mode of unions", unit_of(type, 0), kFormats);
  const FlatVector ids = type.vector(1, 4);
  if (ids.size() != 0 && ids.size() != children) {
    fail_type(type, formatted("a union of {} children and {} ids", children, ids.size()));
  }
  for (std::int64_t child = 0; child < children; ++child) {
    const std::int64_t id = ids.size() == 0 ? child : ids.number<std::int32_t>(child);
    if (id < 0 || id > 127) fail_type(type, formatted("a union with the id {}", id));
    if (child > 0) format += ',';
    format += formatted("{}", id);
  }
  return format;
}

std::string format_with_parameters(std::uint8_t code, const FlatTable& type,
                                   std::int64_t children) {
  static constexpr std::string_view kFloats[] = {"e", "f", "g"};
  static constexpr std::string_view kDates[] = {"tdD", "tdm"};
  static constexpr std::string_view kTimestamps[] = {"tss:", "tsm:", "tsu:", "tsn:"};
  static constexpr std::string_view kIntervals[] = {"tiM", "tiD", "tin"};
  static constexpr std::string_view kDurations[] = {"tDs", "tDm", "tDu", "tDn"};
  switch (code) {
    case kTypeInt:
      return format_of_int(type);
    case kTypeFloat:
      return chosen(type, "precision", unit_of(type, 0), kFloats);
    case kTypeDecimal:
      return decimal_format(type);
    case kTypeDate:
      return chosen(type, "unit of dates", unit_of(type, kMilliseconds), kDates);
    case kTypeTime:
      return time_format(type);
    case kTypeTimestamp:
      return chosen(type, "unit of timestamps", unit_of(type, 0), kTimestamps).append(type.text(1));
    case kTypeInterval:
      return chosen(type, "unit of intervals", unit_of(type, 0), kIntervals);
    case kTypeUnion:
      return union_format(type, children);
    case kTypeFixedBinary:
      return width_format(type, "w:");
    case kTypeFixedList:
      return width_format(type, "+w:");
    case kTypeDuration:
      return chosen(type, "unit of durations", unit_of(type, kMilliseconds), kDurations);
    default:
      fail_type(type, formatted("the code {}", code));
  }
}

}  // namespace

std::string format_of_int(const FlatTable& type) {
  const auto bits = type.number<std::int32_t>(0);
  const bool is_signed = type.number<std::uint8_t>(1) != 0;
  switch (bits) {
    case 8:
      return is_signed ? "c" : "C";
    case 16:
      return is_signed ? "s" : "S";
    case 32:
      return is_signed ? "i" : "I";
    case 64:
      return is_signed ? "l" : "L";
    default:
      fail_type(type, formatted("integers of {} bits", bits));
  }
}

std::string format_of_field(const FlatTable& field, std::int64_t children) {
  const auto code = field.number<std::uint8_t>(kFieldTypeCode);
  for (const PlainType& plain : kPlainTypes) {
    if (plain.code == code) return std::string(plain.format);
  }
  const std::optional<FlatTable> type = field.table(kFieldType);
  if (!type) fail_type(field, formatted("the code {} alone", code));
  return format_with_parameters(code, *type, children);
}

}  // namespace sheaf::arrow
