#include "format/htk/htk_header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "format/htk/htk_test_file.h"

namespace sheaf::htk {
namespace {

using testing::file;
using testing::header;

std::variant<Header, HeaderFault> parse_bytes(const std::string& bytes,
                                              std::int64_t file_size = -1) {
  const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
  const auto head = all.first(std::min<std::size_t>(all.size(), kHeadSize));
  return parse_header(head, file_size < 0 ? std::ssize(bytes) : file_size);
}

std::string fault(const std::string& bytes) {
  const auto result = parse_bytes(bytes);
  const auto* const wrong = std::get_if<HeaderFault>(&result);
  if (wrong == nullptr) return "";
  return std::string(wrong->kind->code) + " at " + std::to_string(wrong->byte_offset) + ": " +
         wrong->found;
}

TEST(HtkHeader, IsReadInBothByteOrders) {
  for (const bool is_big : {true, false}) {
    const auto result =
        parse_bytes(file({1, 2, 3, 4, 5, 6}, 3, {.kind = 0506, .is_big_endian = is_big}));
    const Header& got = std::get<Header>(result);
    EXPECT_EQ(got.frame_count, 2);
    EXPECT_EQ(got.period, 100'000U);
    EXPECT_EQ(got.dim, 3);
    EXPECT_EQ(got.data_offset, 12);
    EXPECT_EQ(got.kind, "MFCC_E_D");
    EXPECT_EQ(got.is_big_endian, is_big);
  }
}

TEST(HtkHeader, TheFileSizeResolvesAnAmbiguousByteOrder) {
  for (const std::uint64_t period : {std::uint64_t{0}, std::uint64_t{0x01020201}}) {
    for (const bool is_big : {true, false}) {
      const auto result =
          parse_bytes(file({1, 2, 3}, 1, {.period = period, .is_big_endian = is_big}));
      EXPECT_EQ(std::get<Header>(result).is_big_endian, is_big) << period;
    }
  }
  const std::string longer = file({1, 2, 3}, 1, {.period = 0}) + "x";
  EXPECT_TRUE(std::holds_alternative<HeaderFault>(parse_bytes(longer)))
      << "little-endian comes first";
}

TEST(HtkHeader, ScalesCountAsFourFrames) {
  const std::string bytes = header({.samples = 6, .frame_size = 4, .kind = 9 | 02000});
  const Header got = std::get<Header>(parse_bytes(bytes, 12 + 16 + 8));
  EXPECT_EQ(got.frame_count, 2);
  EXPECT_EQ(got.dim, 2);
  EXPECT_EQ(got.data_offset, 12 + 16);
  EXPECT_TRUE(got.is_compressed);
}

TEST(HtkHeader, ThePrintableKindSkipsTheLayout) {
  const auto kind_of = [](std::uint64_t kind) {
    const auto result = parse_bytes(header({.samples = 8, .kind = kind}) + std::string(60, 'a'));
    return std::get<Header>(result).kind;
  };
  EXPECT_EQ(kind_of(6 | 0100 | 0200 | 0400 | 01000 | 04000 | 020000 | 0100000),
            "MFCC_E_D_N_A_T_Z_0");
  EXPECT_EQ(kind_of(9 | 02000 | 010000), "USER");
  EXPECT_EQ(kind_of(12 | 0100), "USER_E");
  EXPECT_EQ(kind_of(12), "USER;guid=61616161616161616161616161616161");
}

TEST(HtkHeader, ErrorsHaveACodeAnOffsetAndAFinding) {
  EXPECT_EQ(fault("short"), "htk-header at 5: a file of 5 bytes");
  for (const std::uint64_t kind : {0U, 5U, 10U, 13U, 63U}) {
    EXPECT_EQ(fault(header({.kind = kind})), "htk-kind at 10: " + std::to_string(kind));
  }
  EXPECT_EQ(fault(header({.kind = 9 | 040000})), "htk-kind at 10: 9_V");
  EXPECT_EQ(fault(header({.frame_size = 6})), "htk-frame-size at 8: 6 bytes");
  EXPECT_EQ(fault(header({.frame_size = 0})), "htk-frame-size at 8: 0 bytes");
  EXPECT_EQ(fault(header({.frame_size = 3, .kind = 9 | 02000})), "htk-frame-size at 8: 3 bytes");
  EXPECT_EQ(fault(header({.samples = 0})), "htk-frame-count at 0: a count of 0");
  EXPECT_EQ(fault(header({.samples = 0xFFFFFFFF})), "htk-frame-count at 0: a count of -1");
  EXPECT_EQ(fault(header({.samples = 4, .kind = 9 | 02000})), "htk-frame-count at 0: a count of 4");
  EXPECT_EQ(fault(header({.kind = 12}) + "guid"), "htk-header at 16: a file of 16 bytes");
  EXPECT_EQ(fault(header({.samples = 9, .kind = 9 | 02000})),
            "htk-header at 12: a file of 12 bytes");
}

}  // namespace
}  // namespace sheaf::htk
