// The streams of a CBF file that are read, and their types.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/cbf/cbf_file.h"

namespace sheaf::cbf {

/// The options, combined with the header of the file.
struct Schema {
  std::vector<Stream> streams;             // as delivered
  std::vector<std::int64_t> file_streams;  // number of each stream in the file
  bool allows_missing = false;
  bool trusts_lengths = false;
  std::vector<Diagnostic> warnings;  // about missing streams and converted values

  /// Returns whether the values of stream i have another type than in the file.
  [[nodiscard]] bool converts_values(std::int64_t i, std::span<const FileStream> file) const {
    const auto n = static_cast<std::size_t>(i);
    return streams[n].element_type != file[static_cast<std::size_t>(file_streams[n])].element_type;
  }

  /// Returns whether the indices of stream i have another type than in the file.
  [[nodiscard]] bool converts_indices(std::int64_t i) const {
    const Stream& stream = streams[static_cast<std::size_t>(i)];
    return stream.storage == Storage::sparse && stream.index_type == ElementType::i64;
  }
};

/// Checks the options that do not depend on a file.
///
/// Throws: ConfigError for options that CBF does not support.
void check_options(const FormatOptions& options);

/// Returns whether the lengths of sequences count if they differ from the chunk table
/// (cbf.lengths).
[[nodiscard]] bool trusts_lengths(const FormatOptions& options);

/// Returns the streams that the options select. Warnings point to the stream headers of the file.
///
/// Throws: ConfigError if the options contradict themselves or the file.
[[nodiscard]] Schema make_schema(const FormatOptions& options, const ByteSource& source,
                                 std::span<const FileStream> file,
                                 std::int64_t stream_table_offset);

}  // namespace sheaf::cbf
