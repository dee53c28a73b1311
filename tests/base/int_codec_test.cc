#include "base/int_codec.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sheaf::internal {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

PackedInts pack(const Ints& values) {
  PackedInts::Builder builder;
  for (const std::int64_t value : values) builder.push_back(value);
  return builder.finish();
}

std::string encode(const Ints& values) {
  std::string bytes;
  append_ints(pack(values), bytes);
  return bytes;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Returns the values, or nothing if the text is not a list or has extra bytes.
std::optional<Ints> decode(std::string_view text, std::int64_t size) {
  std::span<const std::byte> bytes = bytes_of(text);
  const std::optional<PackedInts> packed = take_ints(bytes, size);
  if (!packed || !bytes.empty()) return std::nullopt;
  EXPECT_EQ(packed->size(), size);
  Ints values;
  for (std::int64_t i = 0; i < packed->size(); ++i) values.push_back((*packed)[i]);
  return values;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15], ' '};
  }
  if (!text.empty()) text.pop_back();
  return text;
}

struct Golden {
  Ints values;
  const char* bytes;
};

TEST(AppendInts, WritesTheBytesThatTheFormatSays) {
  const Golden cases[] = {
      {{}, ""},                                              // an empty list
      {{0}, "00 00 00"},                                     // a line: first, step
      {{-1, -1, -1}, "00 01 00"},                            // negative numbers are odd
      {{100, 120, 140}, "00 c8 01 28"},                      //
      {{5, 7, 6, 5}, "01 02 0a 18"},                         // 2 bits each over 5: 0 2 1 0
      {{0, 100, 205, 300}, "01 83 00 c8 01 40 01"},          // 3 each over 0 100 ..: 0 0 5 0
      {{0, 900, 1805, 2700, 3595}, "02 00 04 fe 0d a5 00"},  // distances, over 895: 5 10 0 0
      {{0, 0, kMax, -1, -1},                                 // distances, 64 bits each: as they are
       "02 00 40 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff 7f 00 00 00 00 00 00 00 80 "
       "00 00 00 00 00 00 00 00"}};
  for (const Golden& golden : cases) {
    EXPECT_EQ(hex(encode(golden.values)), golden.bytes);
    EXPECT_EQ(decode(encode(golden.values), std::ssize(golden.values)), golden.values);
  }
}

TEST(TakeInts, GivesBackAnyList) {
  const bool holds = rc::check(
      [](const Ints& values) { RC_ASSERT(decode(encode(values), std::ssize(values)) == values); });
  EXPECT_TRUE(holds);
}

TEST(TakeInts, GivesBackNumbersOfAnyWidth) {
  const bool holds = rc::check([] {
    const auto width = *rc::gen::inRange(0, 65);
    const auto count = *rc::gen::inRange<std::size_t>(0, 200);
    const auto mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
    const auto first = *rc::gen::arbitrary<std::uint64_t>();
    const auto step = *rc::gen::element<std::uint64_t>(0, 20, ~std::uint64_t{0}, 1ULL << 62);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    Ints values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<std::int64_t>(first + i * step + (random() & mask)));
    }
    RC_ASSERT(decode(encode(values), std::ssize(values)) == values);
  });
  EXPECT_TRUE(holds);
}

TEST(TakeInts, GivesBackExtremes) {
  const Ints cases[] = {
      {kMin},
      {kMax},
      {kMin, kMax},
      {kMax, kMin, 0, -1, kMax},
      {0, kMax, kMin, kMin, kMax, 1},
      Ints(130, kMin),
  };
  for (const Ints& values : cases) {
    EXPECT_EQ(decode(encode(values), std::ssize(values)), values);
  }
}

TEST(TakeInts, TakesItsOwnBytesAlone) {
  std::string text = encode({1, 2, 4}) + encode({7, 7}) + "rest";
  std::span<const std::byte> bytes = bytes_of(text);
  const std::optional<PackedInts> first = take_ints(bytes, 3);
  const std::optional<PackedInts> second = take_ints(bytes, 2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)[2], 4);
  EXPECT_EQ(second->constant(), 7);
  EXPECT_EQ(bytes.size(), 4U);
}

TEST(TakeInts, ALineOfAnyLengthTakesNoMemory) {
  std::string text;
  append_ints(PackedInts({.first = 3, .step = 5}, kMax), text);
  std::span<const std::byte> bytes = bytes_of(text);
  const std::optional<PackedInts> line = take_ints(bytes, kMax);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->size(), kMax);
  EXPECT_LE(line->size_bytes(), 32);
  EXPECT_EQ((*line)[1000], 5003);
}

TEST(TakeInts, ListsCutShortAreNone) {
  std::mt19937_64 random(1);
  for (const unsigned shift : {0U, 5U, 40U, 62U}) {
    Ints values;
    for (int i = 0; i < 150; ++i) values.push_back(static_cast<std::int64_t>(random() >> shift));
    const std::string bytes = encode(values);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(decode(std::string_view(bytes).substr(0, size), std::ssize(values)), std::nullopt);
    }
  }
}

TEST(TakeInts, AnyBytesAreAListOrNone) {
  const bool holds = rc::check([](std::string text, std::uint16_t size) {
    if (!text.empty() && size % 4 != 0) text[0] = static_cast<char>(size % 4 - 1);
    std::span<const std::byte> bytes = bytes_of(text);
    const std::optional<PackedInts> values = take_ints(bytes, size);
    if (values) RC_ASSERT(values->size() == size);
  });
  EXPECT_TRUE(holds);
}

TEST(TakeInts, SomeBytesAreNone) {
  const std::string_view cases[] = {
      std::string_view("\x03\x00\x00", 3),                              // no such layout
      std::string_view("\x01\x41\x00", 3),                              // 65 bits
      std::string_view("\x01\xC0\x00\x00\x00\x00\x00\x00\x00\x00", 10)  // 64 bits above a line
  };
  for (const std::string_view text : cases) EXPECT_EQ(decode(text, 1), std::nullopt) << hex(text);
  std::span<const std::byte> bytes;
  EXPECT_FALSE(take_ints(bytes, -1));
}

TEST(AppendInts, OffsetsOfUnevenRowsTakeTheBitsOfTheirUnevenness) {
  std::mt19937_64 random(2);
  Ints offsets = {0};
  constexpr std::int64_t kCount = 64'000;
  while (std::ssize(offsets) < kCount) {
    offsets.push_back(offsets.back() + 18 + static_cast<std::int64_t>(random() % 5));
  }
  // 3 bits for 5 lengths, and 2 bytes for each 64 lengths.
  EXPECT_LE(std::ssize(encode(offsets)), kCount * 3 / 8 + kCount * 2 / 64 + 10);
}

TEST(AppendInts, RandomNumbersTakeTheirOwnSize) {
  std::mt19937_64 random(3);
  Ints values;
  for (int i = 0; i < 6400; ++i) values.push_back(static_cast<std::int64_t>(random()));
  EXPECT_LE(std::ssize(encode(values)), 6400 * 8 + 6400 / 64 + 10);
}

TEST(Words, GiveBackAnyNumber) {
  std::string text;
  append_word(0x0102030405060708, text);
  EXPECT_EQ(hex(text), "08 07 06 05 04 03 02 01");
  const bool holds = rc::check([](std::uint64_t value) {
    std::string bytes = "x";
    append_word(value, bytes);
    std::span<const std::byte> rest = bytes_of(bytes).subspan(1);
    RC_ASSERT(take_word(rest) == value);
    RC_ASSERT(rest.empty());
    RC_ASSERT(take_word(rest) == std::nullopt);
  });
  EXPECT_TRUE(holds);
}

TEST(Varints, GiveBackAnyNumber) {
  const bool holds = rc::check([](std::uint64_t value) {
    value >>= *rc::gen::inRange(0, 64);
    std::string text;
    append_varint(value, text);
    const auto bits = std::max(static_cast<std::size_t>(std::bit_width(value)), std::size_t{1});
    RC_ASSERT(text.size() == (bits + 6) / 7);
    std::span<const std::byte> bytes = bytes_of(text);
    RC_ASSERT(take_varint(bytes) == value);
    RC_ASSERT(bytes.empty());
  });
  EXPECT_TRUE(holds);
}

TEST(Varints, SomeBytesAreNone) {
  const std::string_view cases[] = {
      "",                                              // no bytes
      "\x80\x80",                                      // no end
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02",      // 65 bits
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",  // 11 bytes
  };
  for (const std::string_view text : cases) {
    std::span<const std::byte> bytes = bytes_of(text);
    EXPECT_EQ(take_varint(bytes), std::nullopt) << hex(text);
    EXPECT_EQ(bytes.size(), text.size());
  }
}

}  // namespace
}  // namespace sheaf::internal
