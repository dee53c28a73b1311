// Tests kernels at each of their internal sizes: fields one byte shorter than, as long as and one
// byte longer than a block, a piece and two pieces. A field is filled with one token, with each
// kind of end.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "base/each_simd_level.h"
#include "format/text/field_kernel_laws.h"
#include "format/text/field_kernels.h"

namespace sheaf::internal {
namespace {

class FieldKernelsBoundsTest : public EachSimdLevel {};

/// The sizes of one and two blocks of 64 bytes, and of one and two pieces of 4096 bytes.
constexpr std::array<std::size_t, 4> kSizes = {64, 128, 4096, 8192};

/// Tokens, and other strings.
constexpr std::array<std::string_view, 46> kTokens = {
    ":",         "1",           " ",      "\t",          "|",
    "-",         "+",           ".",      "e",           "x",
    "#",         "0",           "\x7F",   "\xFF",        "::",
    "1:",        ":1",          "1 ",     "1\t",         "12 ",
    "1: ",       ":1 ",         ": ",     " :",          "1:1 ",
    "1:1: ",     "1:1",         "-1 ",    ".5 ",         "-.5 ",
    "1e5",       "1e5 ",        "255 ",   "1234 ",       "0.125 ",
    "12345678 ", "-1234567.5 ", "7:0.5 ", "12345678:1 ", "1234567890123456 ",
    ",",         "1,",          "1, ",    "-1.5,",       "1e5 ,",
    "]"};

constexpr std::array<std::string_view, 8> kEnds = {"",     " ",    ":",    "1",
                                                   "|y 2", " 3:4", " 5 6", "\x01"};

std::string filled(std::string_view token, std::size_t size) {
  std::string text(token);
  while (text.size() < size) text += text;
  text.resize(size);
  return text;
}

std::string broken_with_room(const std::string& field) {
  const auto room = static_cast<std::int64_t>(field.size() / 2 + 1);
  return broken_law({.field = field, .limit = room, .dim = 100'000'000});
}

TEST_P(FieldKernelsBoundsTest, HoldForFieldsOfOneTokenAtEverySize) {
  for (const std::string_view token : kTokens) {
    for (const std::size_t size : kSizes) {
      for (const std::size_t exact : {size - 1, size, size + 1}) {
        const std::string text = filled(token, exact);
        for (const std::string_view end : kEnds) {
          ASSERT_EQ(broken_with_room(text + std::string(end)), "")
              << exact << " bytes of \"" << token << "\", then \"" << end << '"';
        }
      }
    }
  }
}

// A block or a piece may begin anywhere in a token.
TEST_P(FieldKernelsBoundsTest, HoldForTokensAcrossTheEndOfAPiece) {
  for (const std::string_view token : kTokens) {
    for (const std::string_view other : {":", "1 ", "1:1 ", "1,"}) {
      for (std::size_t before = 4096 - 12; before <= 4096 + 1; ++before) {
        const std::string text = filled(other, before) + filled(token, 2 * token.size());
        ASSERT_EQ(broken_with_room(text + " 8:1 9"), "")
            << before << " bytes of \"" << other << "\", then \"" << token << '"';
      }
    }
  }
}

TEST_P(FieldKernelsBoundsTest, HoldForALimitAtEverySize) {
  for (const std::string_view token : {"1 ", "12 ", "-0.25 ", "1:1 ", "1,"}) {
    const std::string text = filled(token, 8200);
    for (const std::int64_t size : {0, 8, 32, 64, 1024, 2048, 4096}) {
      for (const std::int64_t limit : {size - 1, size, size + 1}) {
        if (limit < 0) continue;
        ASSERT_EQ(broken_law({.field = text, .limit = limit, .dim = 2}), "")
            << "at most " << limit << " of \"" << token << '"';
      }
    }
  }
}

// Long tokens fill whole blocks, with or without small numbers before them.
TEST_P(FieldKernelsBoundsTest, HoldForTokensOfManyBlocks) {
  for (const std::string_view before : {"", "1 ", "255 ", "1:1 "}) {
    for (const std::string_view digit : {"0", "1", "."}) {
      for (const std::size_t size :
           {60U, 64U, 127U, 128U, 129U, 191U, 192U, 193U, 300U, 4094U, 4095U, 4096U, 4097U}) {
        const std::string token = "1" + filled(digit, size);
        for (const std::string_view whole : {" ", " 2:", "."}) {
          const std::string field = filled(before, before.size() * 40) + std::string(whole) + token;
          ASSERT_EQ(broken_with_room(field + " 1 2 3"), "")
              << "\"" << before << "\", then " << size << " of \"" << digit << '"';
        }
      }
    }
  }
}

// The bytes beside the field do not matter.
TEST_P(FieldKernelsBoundsTest, HoldForAnyBytesAroundTheField) {
  for (const char around : {'\0', ' ', ':', '1', '|', '.', '-', '\n', '\xFF'}) {
    for (const std::string_view token : kTokens) {
      const std::string text = filled(token, 70);
      ASSERT_EQ(broken_law({.field = text, .limit = 40, .dim = 1000, .around = around}), "")
          << "70 bytes of \"" << token << "\" between bytes " << static_cast<int>(around);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllLevels, FieldKernelsBoundsTest,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

}  // namespace
}  // namespace sheaf::internal
