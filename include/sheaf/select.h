/// \file
/// Selects sequences by key, length or share, and divides data by key, for example into train and
/// test.
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

/// The share that takes every sequence. Shares are counted in billionths.
inline constexpr std::int64_t kWholeShare = 1'000'000'000;

/// Selects the sequences that meet every condition.
struct Selection {
  /// The keys of the selected sequences, as written in the data. No value means every key.
  std::optional<std::vector<std::string>> keys = {};

  /// The limits of the length, in samples of the longest stream, or of the stream that defines the
  /// minibatch size.
  std::int64_t min_length = 0;
  std::int64_t max_length = std::numeric_limits<std::int64_t>::max();

  /// The share of all keys, in billionths: selects the keys whose billionth_of() is below `share`.
  /// A larger share includes all sequences of a smaller share.
  std::int64_t share = kWholeShare;

  /// Returns whether every sequence is selected.
  [[nodiscard]] bool is_all() const noexcept {
    return !keys && min_length <= 0 && max_length == std::numeric_limits<std::int64_t>::max() &&
           share == kWholeShare;
  }
};

/// Parses a share, such as "0.1": a decimal number above 0 and at most 1, with at most nine
/// decimals. Returns the share in billionths, without rounding.
///
/// Throws: ConfigError that says what is wrong.
[[nodiscard]] std::int64_t parse_share(std::string_view text);

/// Returns the keys listed in a text, one key a line. Skips blanks around keys, and empty lines.
[[nodiscard]] std::vector<std::string> parse_keys(std::string_view text);

/// One part of divided data.
struct SplitPart {
  std::string name;             // the name in the file's name: "train.test.cbf" for "test"
  std::int64_t billionths = 0;  // the share of the part

  friend bool operator==(const SplitPart&, const SplitPart&) = default;
};

/// Parses parts, such as "train=0.9,test=0.1". Names have letters, digits, '_' and '-'. Shares have
/// at most nine decimals and add up to 1.
///
/// Throws: ConfigError that says what is wrong.
[[nodiscard]] std::vector<SplitPart> parse_split(std::string_view text);

/// Returns a number in [0, 1'000'000'000) for a key. Keys are spread evenly over the numbers. This
/// function will never change: the result is the XXH3-64 of the 16 bytes of the key (`low`, then
/// `high`, each little endian), times 10^9, divided by 2^64 and rounded down.
[[nodiscard]] std::int64_t billionth_of(const SequenceKey& key) noexcept;

/// Returns the index of the part that has a key. The parts divide the range of billionth_of() in
/// the order of `parts`, so the key and the shares alone decide the part.
///
/// Pre: the shares add up to kWholeShare.
[[nodiscard]] std::size_t part_of(const SequenceKey& key,
                                  std::span<const SplitPart> parts) noexcept;

}  // namespace sheaf
