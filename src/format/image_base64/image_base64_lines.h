// Splits lines into columns. Indexing and reading share this code, so both find the same sequences
// with the same keys.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/text/row_reader.h"

namespace sheaf::image_base64 {

using internal::Row;
using internal::RowReader;

/// The properties that all lines of a file share.
struct LineForm {
  /// The kind of keys: numbers of lines, or the first column as a number or as a text.
  enum class Keys : std::uint8_t { lines, numbers, texts };

  std::int64_t begin = 0;       // start of the first line, after a byte order mark
  std::int64_t first_line = 0;  // start of the first line that is not blank
  Keys keys = Keys::lines;
  bool is_cntk = false;

  [[nodiscard]] bool has_keys() const noexcept { return keys != Keys::lines; }
};

/// Examines the first line that is not blank. If it has at least three columns, lines have keys.
///
/// Throws: DataError for UTF-16, and if all lines are blank; ConfigError if keys are requested as
///         texts but lines have none.
[[nodiscard]] LineForm form_of(const ByteSource& source, const FormatOptions& options);

/// One line.
///
/// Lifetime: that of the text of the row.
struct Line {
  bool is_blank = false;           // a blank line is not a sequence
  SequenceKey key = {};            // for a wrong key: 2^64-1, or the hash of the empty text
  std::string_view key_text = {};  // the column; empty if lines have no keys
  const internal::ErrorKind* wrong_key = nullptr;

  bool has_columns = false;  // whether all columns are there; if so, the next two are set
  std::string_view label = {};
  std::string_view image = {};  // without the text after the last character of base64
};

/// Returns whether a line has only blanks.
[[nodiscard]] bool is_blank_row(const Row& row) noexcept;

[[nodiscard]] Line split_line(const Row& row, const LineForm& form);

}  // namespace sheaf::image_base64
