// An open container.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/sheaf/container_layout.h"

namespace sheaf::container {

struct ContainerFile {
  std::shared_ptr<const ByteSource> source;
  Directory directory;
};

/// Reads head, foot and directory.
///
/// Throws: DataError if they are damaged; IoError.
[[nodiscard]] ContainerFile open_container(std::shared_ptr<const ByteSource> source);

/// Reads the table of a chunk.
///
/// Throws: DataError if the table is damaged; IoError.
[[nodiscard]] ChunkTable read_table(const ContainerFile& file, std::int64_t chunk);

}  // namespace sheaf::container
