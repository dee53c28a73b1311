// Finds the kinds of columns in the data.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "format/csv/csv_header.h"
#include "format/csv/csv_options.h"
#include "format/text/scan_notes.h"

namespace sheaf::csv {

/// The kind of a column's cells.
struct FoundColumn {
  enum class Kind : std::uint8_t { nothing, whole, number, text };

  Kind kind = Kind::nothing;
  bool has_missing = false;
};

/// Returns the options that affect the result, as text.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options,
                                    const ReadOptions& read);

/// Examines the rows that begin in the first inference_size_bytes, and all rows for classes. The
/// result has an entry for each column, and then an entry for each class.
///
/// Throws: IoError.
[[nodiscard]] internal::FoundStreams find_columns(const ByteSource& source,
                                                  const FormatOptions& options,
                                                  const ReadOptions& read,
                                                  const Beginning& beginning);

/// Returns whether the result can belong to a file with this number of columns.
[[nodiscard]] bool fits(const internal::FoundStreams& found, std::int64_t column_count);

/// Returns the kind of a column. If `takes_first_form`, a column that begins with numbers counts as
/// a column of numbers.
[[nodiscard]] FoundColumn found_column(const internal::FoundStreams& found, std::int64_t column,
                                       bool takes_first_form);

/// Returns the classes found in a column, in the order of their numbers.
[[nodiscard]] std::vector<std::string> found_classes(const internal::FoundStreams& found,
                                                     std::int64_t column);

/// Returns a warning about a column of texts that begins with numbers, or nothing for any other
/// column.
[[nodiscard]] std::optional<Diagnostic> mixed_warning(const internal::FoundStreams& found,
                                                      std::int64_t column);

}  // namespace sheaf::csv
