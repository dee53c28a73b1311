// Each character of a group of four has a table of its own. The table holds the bits of the
// character at their position in the three bytes of the group, so a group is decoded by joining
// four words. A wrong character sets a bit above the bytes.

#include "base/base64.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace sheaf::internal {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the first byte of a group is its lowest");

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kWrong = 1U << 31;
constexpr std::size_t kGroup = 4;

using Table = std::array<std::uint32_t, 256>;

constexpr std::array<Table, kGroup> kTables = [] {
  std::array<Table, kGroup> tables{};
  for (Table& table : tables) table.fill(kWrong);
  for (std::uint32_t bits = 0; bits < kAlphabet.size(); ++bits) {
    const auto character = static_cast<unsigned char>(kAlphabet[bits]);
    tables[0][character] = bits << 2;
    tables[1][character] = bits >> 4 | (bits & 15) << 12;
    tables[2][character] = bits >> 2 << 8 | (bits & 3) << 22;
    tables[3][character] = bits << 16;
  }
  return tables;
}();

std::uint32_t word_of(std::size_t index, char character) noexcept {
  return kTables[index][static_cast<unsigned char>(character)];
}

std::uint32_t word_of(const char* group) noexcept {
  return word_of(0, group[0]) | word_of(1, group[1]) | word_of(2, group[2]) | word_of(3, group[3]);
}

bool is_digit_of_base64(char character) noexcept { return (word_of(0, character) & kWrong) == 0; }

}  // namespace

bool is_base64(char character) noexcept {
  return character == '=' || is_digit_of_base64(character);
}

DecodedBase64 decode_base64(std::string_view text, std::byte* to) noexcept {
  const std::byte* const begin = to;
  const std::size_t plain_size = text.empty() ? 0 : (text.size() - 1) / kGroup * kGroup;
  for (std::size_t i = 0; i < plain_size; i += kGroup) {
    const std::uint32_t word = word_of(text.data() + i);
    if ((word & kWrong) != 0) {
      const auto* const wrong =
          std::find_if_not(text.begin() + i, text.begin() + i + kGroup, is_digit_of_base64);
      return {.wrong_at = wrong - text.begin()};
    }
    std::memcpy(to, &word, 3);
    to += 3;
  }
  if (text.empty()) return {};

  // The last group may have padding.
  const std::string_view last = text.substr(plain_size);
  const auto digits = static_cast<std::size_t>(
      std::find_if_not(last.begin(), last.end(), is_digit_of_base64) - last.begin());
  std::size_t end = digits;
  while (digits >= 2 && end < last.size() && last[end] == '=') ++end;
  if (end < kGroup) return {.wrong_at = static_cast<std::int64_t>(plain_size + end)};
  std::uint32_t word = 0;
  for (std::size_t index = 0; index < digits; ++index) word |= word_of(index, last[index]);
  std::memcpy(to, &word, digits - 1);
  to += digits - 1;
  return {.size_bytes = to - begin};
}

void append_base64(std::span<const std::byte> bytes, std::string& text) {
  const std::size_t groups = (bytes.size() + 2) / 3;
  const std::size_t before = text.size();
  text.resize(before + groups * kGroup, '=');
  char* to = text.data() + before;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k <= count; ++k) to[k] = kAlphabet[bits >> (18 - 6 * k) & 63];
    to += kGroup;
  }
}

}  // namespace sheaf::internal
