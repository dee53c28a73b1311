// The streams of a container that are read, and their types.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/sheaf/container_note.h"

namespace sheaf::container {

struct ContainerSchema {
  std::vector<Stream> streams = {};                // as delivered
  std::vector<std::int64_t> columns = {};          // the column of each stream, in a block
  std::vector<std::int64_t> columns_in_file = {};  // all wanted columns, including the keys
  bool makes_texts = false;  // converts keys that are numbers in the file to texts
  std::vector<Diagnostic> warnings = {};

  /// Returns the stream of a column, or -1 for the column of the keys.
  [[nodiscard]] std::int64_t stream_of(std::int64_t column) const noexcept;
};

/// Throws: ConfigError if the options ask for data that the file does not have.
[[nodiscard]] ContainerSchema schema_of(const ContainerNote& note, const FormatOptions& options,
                                        const ByteSource& source);

}  // namespace sheaf::container
