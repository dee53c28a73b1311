// What a LibSVM file is read as: the options, checked, in the form that indexing and reading need.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/libsvm/libsvm_rows.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::libsvm {

/// What the file calls its streams.
inline constexpr std::string_view kLabelName = "label";
inline constexpr std::string_view kFeaturesName = "features";

struct Schema : internal::TextSchema {
  std::int64_t label = -1;     // number of the stream that has the labels; -1: nobody asked for it
  std::int64_t features = -1;  // and the pairs
  std::int64_t base = 1;       // the first index there is
  bool skips_qids = false;     // each row is a sequence, whatever its qid
};

/// The first index that the options say there is.
///
/// Throws: ConfigError where they say something else.
[[nodiscard]] std::int64_t base_of(const FormatOptions& options);

/// Check what does not depend on the data.
///
/// Throws: ConfigError that names the option or stream.
void check_options(const FormatOptions& options);

/// Check the options with all their streams.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options);

/// Where the rows of a file begin, and what makes them sequences.
struct Beginning {
  std::int64_t offset = 0;  // behind the byte order mark, if there is one
  KeyMode mode = KeyMode::rows;
};

/// Look at a file as far as its first row with data.
///
/// Throws: DataError where there is none, where that is no row of this format, or where the file is
///         UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options);

}  // namespace sheaf::libsvm
