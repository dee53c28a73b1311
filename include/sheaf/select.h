/// \file
/// Selects sequences by key, length or share, and divides data by key, such as into train and test.
///
///     const sheaf::Selection short_tenth{.max_length = 100, .share = sheaf::parse_share("0.1")};
///     std::cout << short_tenth.share << " of " << sheaf::kWholeShare << '\n';

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

namespace sheaf {

/// The share of all sequences.
inline constexpr std::int64_t kWholeShare = 1'000'000'000;

/// Selects the sequences that meet every condition.
struct Selection {
  /// The keys of the selected sequences, as the data write them; by default all keys.
  std::optional<std::vector<std::string>> keys = {};

  /// Lengths are in samples of the longest stream, or of the stream that defines the minibatch
  /// size.
  std::int64_t min_length = 0;
  std::int64_t max_length = std::numeric_limits<std::int64_t>::max();

  /// The share of all keys, in billionths: the keys with billionth_of() below `share`. A larger
  /// share has all sequences of a smaller share.
  std::int64_t share = kWholeShare;

  /// Returns whether every sequence is taken.
  [[nodiscard]] bool is_all() const noexcept {
    return !keys && min_length <= 0 && max_length == std::numeric_limits<std::int64_t>::max() &&
           share == kWholeShare;
  }
};

/// Parses a share: "0.1", a decimal number above 0, up to 1, of at most nine decimals. Exact.
///
/// Throws: ConfigError that says what is wrong.
[[nodiscard]] std::int64_t parse_share(std::string_view text);

/// Returns the keys that a text lists, one a line. Blanks around a key, and lines without a key, do
/// not count.
[[nodiscard]] std::vector<std::string> parse_keys(std::string_view text);

/// One part of the data.
struct SplitPart {
  std::string name;
  std::int64_t billionths = 0;  // its share

  friend bool operator==(const SplitPart&, const SplitPart&) = default;
};

/// Parse "train=0.9,test=0.1": names of letters, digits, '_' and '-', shares of at most nine
/// decimals that add up to 1.
///
/// Throws: ConfigError that says what is wrong.
[[nodiscard]] std::vector<SplitPart> parse_split(std::string_view text);

/// Where a key lies among 0 .. 999'999'999, evenly: the XXH3-64 of its 16 bytes (low, then high,
/// each little endian), times 10^9, divided by 2^64 and rounded down. It never changes.
[[nodiscard]] std::int64_t billionth_of(const SequenceKey& key) noexcept;

/// The number of the part that has a key: parts lie one behind the other in 0 .. 999'999'999. So it
/// depends on the key and the shares alone.
///
/// Pre: the shares add up to 1.
[[nodiscard]] std::size_t part_of(const SequenceKey& key,
                                  std::span<const SplitPart> parts) noexcept;

}  // namespace sheaf
