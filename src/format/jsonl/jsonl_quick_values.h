// Reads values of the usual forms directly from the text into columns.

#pragma once

#include "sheaf/types.h"

#include "core/column_writer.h"
#include "format/text/field_kernels.h"

namespace sheaf::jsonl {

/// Moves over the spaces that lines usually have.
[[nodiscard]] inline const char* skip_usual_space(const char* p) noexcept {
  while (*p == ' ' || *p == '\t') ++p;
  return p;
}

/// The value to read, and its context.
struct QuickRequest {
  const char* begin;  // of the value
  const char* end;    // of the row
  const Stream& stream;
  const internal::FieldKernels& kernels;
};

/// Reads a value to the end of a column. Returns the end of the value. Returns null if the value is
/// wrong, or has a form that only Line and value_reader() know; samples may have been added then.
/// A value that is not null is right by the rules of JSON, and its samples are those of
/// value_reader().
using ReadQuickly = const char* (*)(const QuickRequest& request, internal::ColumnWriter& column);

/// Returns the function that reads values of a stream.
[[nodiscard]] ReadQuickly quick_reader(const Stream& stream);

/// Moves over a number, a word, or a text of UTF-8 without escapes. Returns null if there is
/// something else.
[[nodiscard]] const char* skip_quickly(const char* p, const char* row_end) noexcept;

}  // namespace sheaf::jsonl
