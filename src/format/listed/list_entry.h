// The record of a line in a scan of a list.

#pragma once

#include <cstdint>
#include <limits>

#include "sheaf/types.h"

namespace sheaf::internal {

/// One line of a list: a sequence, and its location in another file.
struct ListEntry {
  static constexpr std::uint32_t kUnknownCount = std::numeric_limits<std::uint32_t>::max();

  SequenceKey key{};
  std::int64_t offset = 0;  // of the line
  std::int64_t location =
      0;  // location of the sequence in the file, in the format's unit of measure
  std::int64_t stored_bytes = 0;        // of the sequence, for formats that keep its size
  std::uint32_t size = 0;               // of the line
  std::uint32_t line = 0;               // counted from 0
  std::uint32_t count = kUnknownCount;  // number of samples
  std::uint32_t source = 0;             // number of the run of lines with the same file
  bool is_good = false;
};

}  // namespace sheaf::internal
