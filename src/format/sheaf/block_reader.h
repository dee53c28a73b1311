// Reads blocks of a chunk, opens their columns and compares the hashes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/buffer.h"

#include "core/error_kind.h"
#include "format/sheaf/column_decoder.h"
#include "format/sheaf/container_file.h"
#include "format/sheaf/container_schema.h"

namespace sheaf::container {

/// The damage of a column, which makes its block unusable.
struct BlockDamage {
  const internal::ErrorKind* kind = nullptr;
  std::string found = {};
  std::int64_t byte_offset = 0;  // start of the column in the file
  std::int64_t stream = -1;      // the delivered stream; -1 for the keys
};

/// One block.
struct ReadBlock {
  std::int64_t first = 0;  // first sequence in the chunk
  std::int64_t count = 0;
  std::vector<std::int64_t> offsets = {};  // of the wanted columns, in the file
  std::vector<BlockColumn> columns = {};   // the wanted columns, in file order
  std::optional<BlockDamage> damage = {};
};

/// The blocks that hold a range of sequences.
struct ReadBlocks {
  std::vector<ReadBlock> blocks = {};
  std::shared_ptr<const Buffer> bytes = nullptr;  // the bytes that all columns refer to
};

/// Reads the wanted columns of all blocks that hold sequences of [first, first + count), and checks
/// their hashes.
///
/// Throws: IoError.
[[nodiscard]] ReadBlocks read_blocks(const ContainerFile& file, const ContainerSchema& schema,
                                     std::int64_t chunk, const ChunkTable& table,
                                     std::int64_t first, std::int64_t count);

/// Returns the entry of a column in a block.
[[nodiscard]] const StoredColumn& stored_column(const ChunkTable& table, std::int64_t block,
                                                std::int64_t column) noexcept;

}  // namespace sheaf::container
