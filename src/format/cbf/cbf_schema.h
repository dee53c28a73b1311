// Which streams of a CBF file are read, and as what.

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

/// The options with what the file says.
struct Schema {
  std::vector<Stream> streams;             // as they are delivered
  std::vector<std::int64_t> file_streams;  // the number of each in the file
  bool allows_missing = false;
  bool trusts_lengths = false;
  std::vector<Diagnostic> warnings;  // streams that are not there, values that are converted

  /// Whether values of stream i have another type than in the file.
  [[nodiscard]] bool converts_values(std::int64_t i, std::span<const FileStream> file) const {
    const auto n = static_cast<std::size_t>(i);
    return streams[n].element_type != file[static_cast<std::size_t>(file_streams[n])].element_type;
  }

  /// Whether indices of stream i have another type than in the file.
  [[nodiscard]] bool converts_indices(std::int64_t i) const {
    const Stream& stream = streams[static_cast<std::size_t>(i)];
    return stream.storage == Storage::sparse && stream.index_type == ElementType::i64;
  }
};

/// What can be checked without a file.
///
/// Throws: ConfigError for what CBF cannot do.
void check_options(const FormatOptions& options);

/// Whether the lengths of sequences count where the chunk table says otherwise (cbf.lengths).
[[nodiscard]] bool trusts_lengths(const FormatOptions& options);

/// Streams as the options want them. Warnings name the place of the file's stream headers.
///
/// Throws: ConfigError where the options contradict themselves or the file.
[[nodiscard]] Schema make_schema(const FormatOptions& options, const ByteSource& source,
                                 std::span<const FileStream> file,
                                 std::int64_t stream_table_offset);

}  // namespace sheaf::cbf
