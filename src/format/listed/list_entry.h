// What a scan of a list keeps of a line.

#pragma once

#include <cstdint>
#include <limits>

#include "sheaf/types.h"

namespace sheaf::internal {

/// One line of a list: a sequence, and the place of the sequence in another file.
struct ListEntry {
  static constexpr std::uint32_t kUnknownCount = std::numeric_limits<std::uint32_t>::max();

  SequenceKey key{};
  std::int64_t offset = 0;              // of the line
  std::int64_t place = 0;               // of the sequence in the file, in units of the format
  std::int64_t stored_bytes = 0;        // of the sequence, for formats that keep the size
  std::uint32_t size = 0;               // of the line
  std::uint32_t line = 0;               // from 0
  std::uint32_t count = kUnknownCount;  // samples
  std::uint32_t source = 0;             // of a run of lines with the same file
  bool is_good = false;
};

}  // namespace sheaf::internal
