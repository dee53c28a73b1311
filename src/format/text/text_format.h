// What formats of text share: the options that they have in common, and how a file begins.

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

/// Check the sizes among the options.
///
/// Throws: ConfigError that names the option.
void check_text_options(const FormatOptions& options);

/// Whether a stream's dim, or all streams, have to be found in the data.
[[nodiscard]] bool needs_inference(const FormatOptions& options);

/// What was found in the file when the file was opened before, if a request says so.
[[nodiscard]] std::optional<FoundStreams> found_earlier(const OpenRequest& request);

/// What the file calls a stream.
[[nodiscard]] const std::string& file_name_of(const StreamOptions& stream) noexcept;

/// The streams of the options, with every dim.
struct CheckedStreams {
  std::vector<Stream> streams;
  std::vector<std::string> file_names;  // what the file calls them
  std::int64_t defining_stream = -1;    // the one that defines the minibatch size, or -1
};

/// Check the streams: of numbers (f32 where nothing is said), of fixed shape, each with a name of
/// its own for the program and for the file. `check_name` throws where no file of the format has
/// such a name.
///
/// Throws: ConfigError that names the stream; `format` is what messages call the format.
[[nodiscard]] CheckedStreams check_streams(
    const FormatOptions& options, std::string_view format,
    const std::function<void(const StreamOptions&, std::string_view file_name)>& check_name);

/// Where text begins: behind a UTF-8 byte order mark, if there is one.
///
/// Throws: DataError of the kind `utf16` where the file is UTF-16.
[[nodiscard]] std::int64_t skip_byte_order_mark(const ByteSource& source, const ErrorKind& utf16);

/// The rows that begin in [begin, end) of a file, read as the options say.
[[nodiscard]] RowPart text_part(const FormatOptions& options, std::int64_t begin, std::int64_t end);

/// What to do about a whole number, at the front of `text`, that a stream's type does not have.
[[nodiscard]] std::string inexact_hint(std::string_view text, ElementType type);

/// What to do about a number, at the front of `text`, that a whole type does not have, or that is
/// out of the range of another; empty where no type has it.
[[nodiscard]] std::string other_type_hint(std::string_view text, ElementType type);

/// What a value of a type is in messages: "a whole number" or "a number".
[[nodiscard]] constexpr std::string_view number_word(bool is_whole) noexcept {
  return is_whole ? "a whole number" : "a number";
}

/// Describe what is wrong at `place` of a row; a row of no text but a line will do.
[[nodiscard]] Diagnostic diagnostic_at(const ByteSource& source, const Row& row, const char* place,
                                       const ErrorKind& kind, std::string found, std::string hint);

/// Refuse a file for what is at `place` of a row; a row of no text but a line will do.
[[noreturn]] void throw_data_error(const ByteSource& source, const Row& row, const char* place,
                                   const ErrorKind& kind, std::string found, std::string hint);

}  // namespace sheaf::internal
