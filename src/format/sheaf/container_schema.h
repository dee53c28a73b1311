// Which streams of a container are read, and as what.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/sheaf/container_note.h"

namespace sheaf::container {

struct ContainerSchema {
  std::vector<Stream> streams = {};                // as they are delivered
  std::vector<std::int64_t> columns = {};          // of each stream, in a block
  std::vector<std::int64_t> columns_in_file = {};  // all wanted ones, the keys among them
  bool makes_texts = false;                        // of keys that are numbers in the file
  std::vector<Diagnostic> warnings = {};

  /// Returns the stream that a column gives; -1 for the column of the keys.
  [[nodiscard]] std::int64_t stream_of(std::int64_t column) const noexcept;
};

/// Throws: ConfigError where the options ask for what the file does not have.
[[nodiscard]] ContainerSchema schema_of(const ContainerNote& note, const FormatOptions& options,
                                        const ByteSource& source);

}  // namespace sheaf::container
