// Streams found in a file.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"

#include "format/jsonl/jsonl_schema.h"
#include "format/text/scan_notes.h"

namespace sheaf::jsonl {

/// Returns those options, as text, that make a difference to what is found.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Looks what the fields of a file are, but for that of the key.
///
/// Threads: reads the file on `executor`, if there is one.
/// Throws:  IoError; ConfigError for a file with more names than there is memory for.
[[nodiscard]] internal::FoundStreams find_streams(const ByteSource& source,
                                                  const FormatOptions& options,
                                                  const Beginning& beginning,
                                                  Executor* executor = nullptr);

/// Returns the streams of the options with every type and dim; where the options have none, the
/// fields that can be streams, in the order in which they appear.
///
/// Throws: DataError where the values of a field contradict each other; ConfigError where a stream
///         is not found.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const internal::FoundStreams& found,
                                                       const FormatOptions& options,
                                                       std::string_view file);

/// Throws: NoStreamFound, with the place of the first line.
[[noreturn]] void throw_no_stream(const ByteSource& source, const FormatOptions& options,
                                  const Beginning& beginning);

}  // namespace sheaf::jsonl
