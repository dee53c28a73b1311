// The checked options of a LibSVM file, in the form that indexing and reading need.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/libsvm/libsvm_rows.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::libsvm {

/// The names of the streams in a file.
inline constexpr std::string_view kLabelName = "label";
inline constexpr std::string_view kFeaturesName = "features";

struct Schema : internal::TextSchema {
  std::int64_t label = -1;     // number of the stream with the labels; -1 if they are not read
  std::int64_t features = -1;  // number of the stream with the pairs; -1 if they are not read
  std::int64_t base = 1;       // the smallest index
  bool skips_qids = false;     // each row is a sequence, despite its qid
};

/// Returns the smallest index according to the options.
///
/// Throws: ConfigError for any other value.
[[nodiscard]] std::int64_t base_of(const FormatOptions& options);

/// Checks the options that do not depend on the data.
///
/// Throws: ConfigError that names the option or stream.
void check_options(const FormatOptions& options);

/// Checks the options with all their streams.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options);

/// Where the rows of a file begin, and how they form sequences.
struct Beginning {
  std::int64_t offset = 0;  // after the byte order mark, if there is one
  KeyMode mode = KeyMode::rows;
};

/// Reads a file up to its first row with data.
///
/// Throws: DataError if there is no such row, if it is not a row of this format, or if the file is
///         UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options);

}  // namespace sheaf::libsvm
