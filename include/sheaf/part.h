/// \file
/// Parts of data, for dividing work over processes or machines.
///
///     const sheaf::DataPart part = sheaf::parse_part("3/8");
///     std::cout << part.number << " of " << part.count << '\n';

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf {

/// One of several parts of data: consecutive chunks. Part i of n has the chunks from i * chunks / n
/// up to, but not including, (i + 1) * chunks / n, both rounded down. So each chunk is in exactly
/// one part, and the parts follow each other in the order of the data. If there are more parts than
/// chunks, some parts have no chunks.
struct DataPart {
  std::int64_t number = 0;  // from 0
  std::int64_t count = 1;

  /// Returns the number of the part's first chunk, for data with `chunk_count` chunks.
  ///
  /// Pre: 0 <= number < count and chunk_count >= 0, here and below.
  [[nodiscard]] std::int64_t first_chunk(std::int64_t chunk_count) const noexcept;

  /// Returns the number after the part's last chunk.
  [[nodiscard]] std::int64_t end_chunk(std::int64_t chunk_count) const noexcept;

  /// Returns whether the part is the last one.
  [[nodiscard]] bool is_last() const noexcept { return number == count - 1; }

  friend bool operator==(const DataPart&, const DataPart&) = default;
};

/// Parses a part such as "3/8": part number 3, counted from 0, of 8 parts.
///
/// Throws: ConfigError that says what is wrong.
[[nodiscard]] DataPart parse_part(std::string_view text);

/// Throws: ConfigError unless count is at least 1 and 0 <= number < count.
void check_part(const DataPart& part);

/// Returns "3/8".
[[nodiscard]] std::string to_string(const DataPart& part);

}  // namespace sheaf
