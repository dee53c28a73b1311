// Expands short inputs to long texts. An input may mark a part for repetition, so that a few bytes
// exceed the sizes inside the library: kernel pieces, reads, buffers and blocks.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::fuzz {

/// These two bytes enclose a repeated part. The byte after kPartEnd gives the size of the
/// repetitions. Parts may be nested.
inline constexpr char kPartBegin = '\x1D';
inline constexpr char kPartEnd = '\x1F';

/// The maximum size of an expanded text: a little more than 64 KiB, the largest input of the
/// fuzzer.
inline constexpr std::size_t kExpandedSizeMax = std::size_t{80} << 10;

/// Returns the approximate size of the repetitions of a part in bytes. The high half of `control`
/// chooses a power of two from 64 to 65536. The low half adds -8 to 7 bytes.
inline std::size_t repeated_size(std::uint8_t control) {
  return (std::size_t{64} << ((control >> 4U) % 11U)) + (control & 0x0FU) - 8;
}

/// Returns `input` with its parts repeated. Repeats a whole part as often as it fits into its
/// repeated size, and at least once.
///
/// Cost: linear in the sum of both sizes.
inline std::string expand(std::string_view input) {
  std::string text;
  std::vector<std::size_t> begins;  // begins of the open parts in `text`
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] == kPartBegin) {
      begins.push_back(text.size());
    } else if (input[i] == kPartEnd && i + 1 < input.size()) {
      const std::size_t size_wanted = repeated_size(static_cast<std::uint8_t>(input[++i]));
      if (begins.empty()) continue;
      const std::string part = text.substr(begins.back());
      begins.pop_back();
      if (part.empty()) continue;
      const std::size_t room = kExpandedSizeMax - std::min(kExpandedSizeMax, text.size());
      const std::size_t wanted = size_wanted / part.size();
      const std::size_t more =
          std::min(wanted - std::min<std::size_t>(wanted, 1), room / part.size());
      for (std::size_t n = 0; n < more; ++n) text += part;
    } else {
      text += input[i];
    }
  }
  return text;
}

}  // namespace sheaf::fuzz
