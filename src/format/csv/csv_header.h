// Where the rows of a CSV file begin, and what its columns are called.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "format/csv/csv_options.h"

namespace sheaf::csv {

/// What is known of a file when its first row with data was found.
struct Beginning {
  std::int64_t offset = 0;  // of that row
  std::int64_t line = 1;
  std::vector<std::string> columns;  // names, in the order of the file
  Diagnostic names;                  // where the names are, or the first row

  /// The number of the column, or -1.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept;
};

/// Reads a file as far as its first row with data.
///
/// Throws: DataError where there is none, where names are empty or equal, where all of the first
/// row
///         is one cell and another delimiter stands in it, or where the file is UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options,
                                       const ReadOptions& read);

/// Throws: DataError at the first row, which says the names there are and the nearest one. `where`
/// is
///         the option or stream that names the column.
[[noreturn]] void refuse_name(const Beginning& beginning, std::string_view where,
                              std::string_view name);

}  // namespace sheaf::csv
