// The options that text formats share, and the beginning of a text file.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/text/row_blocks.h"
#include "format/text/row_reader.h"
#include "format/text/scan_notes.h"

namespace sheaf::internal {

/// Checks the options that are sizes.
///
/// Throws: ConfigError that names the option.
void check_text_options(const FormatOptions& options);

/// Returns whether a stream's dim, or all streams, must be found in the data.
[[nodiscard]] bool needs_inference(const FormatOptions& options);

/// Returns the streams found when the file was opened before, if the request has them.
[[nodiscard]] std::optional<FoundStreams> found_earlier(const OpenRequest& request);

/// Returns the name of a stream in the file.
[[nodiscard]] const std::string& file_name_of(const StreamOptions& stream) noexcept;

/// The streams of the options, each with its dim.
struct CheckedStreams {
  std::vector<Stream> streams;
  std::vector<std::string> file_names;  // the names of the streams in the file
  std::int64_t defining_stream = -1;    // the stream that defines the minibatch size, or -1
};

/// Checks that each stream has numbers (f32 by default), a fixed shape, and a unique name in the
/// program and in the file. `check_name` throws if files of the format cannot have the name.
///
/// Throws: ConfigError that names the stream. `format` is the name of the format in messages.
[[nodiscard]] CheckedStreams check_streams(
    const FormatOptions& options, std::string_view format,
    const std::function<void(const StreamOptions&, std::string_view file_name)>& check_name);

/// Returns where the text begins, after a UTF-8 byte order mark if there is one.
///
/// Throws: DataError of the kind `utf16` if the file is UTF-16.
[[nodiscard]] std::int64_t skip_byte_order_mark(const ByteSource& source, const ErrorKind& utf16);

/// Returns the rows that begin in [begin, end) of a file, to be read with the options.
[[nodiscard]] RowPart text_part(const FormatOptions& options, std::int64_t begin, std::int64_t end);

/// Suggests what to do about a whole number at the front of `text` that the stream's type cannot
/// represent.
[[nodiscard]] std::string inexact_hint(std::string_view text, ElementType type);

/// Suggests another type for a number at the front of `text` that is not a whole number or is out
/// of range. Returns an empty text if no type can represent it.
[[nodiscard]] std::string other_type_hint(std::string_view text, ElementType type);

/// Returns the word for a value in messages: "a whole number" or "a number".
[[nodiscard]] constexpr std::string_view number_word(bool is_whole) noexcept {
  return is_whole ? "a whole number" : "a number";
}

/// Returns a diagnostic at `location` of a row. A row with a line but no text will do.
[[nodiscard]] Diagnostic diagnostic_at(const ByteSource& source, const Row& row,
                                       const char* location, const ErrorKind& kind,
                                       std::string found, std::string hint);

/// Throws a DataError at `location` of a row. A row with a line but no text will do.
[[noreturn]] void throw_data_error(const ByteSource& source, const Row& row, const char* location,
                                   const ErrorKind& kind, std::string found, std::string hint);

}  // namespace sheaf::internal
