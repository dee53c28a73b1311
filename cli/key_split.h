/// \file
/// Data divided by their keys, into train and test say.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::cli {

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

}  // namespace sheaf::cli
