#include "sheaf/select.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sheaf/error.h"

#include "base/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf {
namespace {

constexpr std::size_t kDecimalsMax = 9;

[[noreturn]] void refuse_split(std::string_view split, const std::string& why) {
  throw ConfigError(
      formatted("split {}: {}; a split is NAME=SHARE,..., as train=0.9,test=0.1", split, why));
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_name(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
}

// Parses a decimal number from 0 to 1 and returns it in billionths, or -1 if the text is not such a
// number. Integers are exact, unlike binary fractions.
std::int64_t billionths_of(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  const bool is_number = whole.size() + decimals.size() > 0 &&
                         std::ranges::all_of(whole, is_digit) &&
                         std::ranges::all_of(decimals, is_digit);
  if (!is_number || whole.size() > 1 || decimals.size() > kDecimalsMax) return -1;
  std::int64_t share = whole.empty() ? 0 : whole[0] - '0';
  for (std::size_t i = 0; i < kDecimalsMax; ++i) {
    share = 10 * share + (i < decimals.size() ? decimals[i] - '0' : 0);
  }
  return share <= kWholeShare ? share : -1;
}

SplitPart parse_part(std::string_view split, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    refuse_split(split, formatted("\"{}\" has no share", text));
  }
  SplitPart part{std::string(text.substr(0, equals)), billionths_of(text.substr(equals + 1))};
  if (!is_name(part.name)) {
    refuse_split(split,
                 formatted("a name has letters, digits, _ and - alone, got \"{}\"", part.name));
  }
  if (part.billionths <= 0) {
    refuse_split(split, formatted("a share is a decimal number above 0, up to 1, of at most {} "
                                  "decimals, got \"{}\"",
                                  kDecimalsMax, text.substr(equals + 1)));
  }
  return part;
}

}  // namespace

std::int64_t parse_share(std::string_view text) {
  const std::int64_t share = billionths_of(text);
  if (share > 0) return share;
  throw ConfigError(
      formatted("share {}: a share is a decimal number above 0, up to 1, of at most {} decimals",
                text, kDecimalsMax));
}

std::vector<std::string> parse_keys(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> keys;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
    if (!line.empty()) keys.emplace_back(line);
  }
  return keys;
}

std::vector<SplitPart> parse_split(std::string_view text) {
  std::vector<SplitPart> parts;
  std::int64_t sum = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    SplitPart part = parse_part(text, text.substr(begin, end - begin));
    if (std::ranges::find(parts, part.name, &SplitPart::name) != parts.end()) {
      refuse_split(text, formatted("there are two parts \"{}\"", part.name));
    }
    sum += part.billionths;
    parts.push_back(std::move(part));
    begin = end + 1;
  }
  if (sum != kWholeShare) {
    refuse_split(text, formatted("shares add up to 1, these to {}.{:09}", sum / kWholeShare,
                                 sum % kWholeShare));
  }
  return parts;
}

std::int64_t billionth_of(const SequenceKey& key) noexcept {
  std::array<unsigned char, 16> bytes{};
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(key.low >> (8 * i));
    bytes[i + 8] = static_cast<unsigned char>(key.high >> (8 * i));
  }
  const std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>((Wide{hash} * static_cast<std::uint64_t>(kWholeShare)) >> 64U);
}

std::size_t part_of(const SequenceKey& key, std::span<const SplitPart> parts) noexcept {
  const std::int64_t billionth = billionth_of(key);
  std::int64_t end = 0;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    end += parts[i].billionths;
    if (billionth < end) return i;
  }
  return parts.size() - 1;
}

}  // namespace sheaf
