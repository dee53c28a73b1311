// Finds the first row of data in a CSV file, and the names of its columns.

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

/// The facts about a file that are known at its first row with data.
struct Beginning {
  std::int64_t offset = 0;  // offset of that row
  std::int64_t line = 1;
  std::vector<std::string> columns;  // names, in the order of the file
  Diagnostic names;                  // location of the names, or of the first row

  /// Returns the number of the column, or -1.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept;
};

/// Reads a file up to its first row with data.
///
/// Throws: DataError if there is no such row, if names are empty or equal, if the first row is a
///         single cell but has another delimiter, or if the file is UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options,
                                       const ReadOptions& read);

/// Throws: DataError at the first row. It lists the names in the file and suggests the nearest one.
///         `where` is the option or stream that names the column.
[[noreturn]] void refuse_name(const Beginning& beginning, std::string_view where,
                              std::string_view name);

}  // namespace sheaf::csv
