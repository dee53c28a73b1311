/// \file
/// Parts of data, for work that is divided over processes or machines.
///
///     const sheaf::DataPart part = sheaf::parse_part("3/8");
///     std::cout << part.number << " of " << part.count << '\n';

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf {

/// One of several parts of data: consecutive chunks. Part i of n has the chunks from
/// i * chunks / n up to (i + 1) * chunks / n, both rounded down. So each chunk is in one part, and
/// the parts follow each other in the order of the data. Where there are more parts than chunks,
/// some parts have no chunk.
struct DataPart {
  std::int64_t number = 0;  // from 0
  std::int64_t count = 1;

  /// Returns the number of the first chunk of the part, of data with so many chunks.
  ///
  /// Pre: the part is possible, and chunk_count >= 0, here and below.
  [[nodiscard]] std::int64_t first_chunk(std::int64_t chunk_count) const noexcept;

  /// Returns the number behind the last chunk of the part.
  [[nodiscard]] std::int64_t end_chunk(std::int64_t chunk_count) const noexcept;

  /// Returns whether the part is the last one.
  [[nodiscard]] bool is_last() const noexcept { return number == count - 1; }

  friend bool operator==(const DataPart&, const DataPart&) = default;
};

/// Parses a part, such as "3/8": its number, from 0 to 7, and how many parts there are.
///
/// Throws: ConfigError that says what is wrong.
[[nodiscard]] DataPart parse_part(std::string_view text);

/// Throws: ConfigError where there is no part, or the number is not one of the parts.
void check_part(const DataPart& part);

/// Returns "3/8".
[[nodiscard]] std::string to_string(const DataPart& part);

}  // namespace sheaf
