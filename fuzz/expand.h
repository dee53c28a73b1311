// Short inputs that stand for long texts. A part of an input may say how often it is repeated, so
// that an input of a few bytes crosses the sizes inside the library: a piece of a kernel, a read, a
// buffer, a block.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::fuzz {

/// A repeated part stands between these two bytes; the byte behind the second one says how often it
/// is repeated. Parts may contain parts.
inline constexpr char kPartBegin = '\x1D';
inline constexpr char kPartEnd = '\x1F';

/// No text becomes longer than this by repeating its parts: somewhat longer than 64 KiB, the
/// longest input that the fuzzer makes.
inline constexpr std::size_t kExpandedSizeMax = std::size_t{80} << 10;

/// Returns about how many bytes the repetitions of a part take: a power of two from 64 to 65536,
/// chosen by the high half of `control`, and up to eight bytes more or less, chosen by the low
/// half.
inline std::size_t repeated_size(std::uint8_t control) {
  return (std::size_t{64} << ((control >> 4U) % 11U)) + (control & 0x0FU) - 8;
}

/// Returns `input` with its parts repeated. A part is repeated as a whole, as often as it fits into
/// its repeated size, and at least once.
///
/// Cost: linear in the sum of both sizes.
inline std::string expand(std::string_view input) {
  std::string text;
  std::vector<std::size_t> begins;  // of the parts that are open, in `text`
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
