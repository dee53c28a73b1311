// What columns hold, found in the data.

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

/// What the cells of a column are.
struct FoundColumn {
  enum class Kind : std::uint8_t { nothing, whole, number, text };

  Kind kind = Kind::nothing;
  bool has_missing = false;
};

/// The options, as text, that make a difference to what is found.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options,
                                    const ReadOptions& read);

/// Looks at the rows that begin in the first inference_size_bytes, and at all rows for classes. The
/// result has an entry for each column, and behind them one for each class.
///
/// Throws: IoError.
[[nodiscard]] internal::FoundStreams find_columns(const ByteSource& source,
                                                  const FormatOptions& options,
                                                  const ReadOptions& read,
                                                  const Beginning& beginning);

/// Whether this can have been found in a file with so many columns.
[[nodiscard]] bool fits(const internal::FoundStreams& found, std::int64_t column_count);

/// What was found of a column. Where `takes_first_form`, a column that begins with numbers is one
/// of numbers.
[[nodiscard]] FoundColumn found_column(const internal::FoundStreams& found, std::int64_t column,
                                       bool takes_first_form);

/// The classes that were found in a column, in the order of their numbers.
[[nodiscard]] std::vector<std::string> found_classes(const internal::FoundStreams& found,
                                                     std::int64_t column);

/// A warning about a column of texts that begins with numbers; nothing where the column is another
/// one.
[[nodiscard]] std::optional<Diagnostic> mixed_warning(const internal::FoundStreams& found,
                                                      std::int64_t column);

}  // namespace sheaf::csv
