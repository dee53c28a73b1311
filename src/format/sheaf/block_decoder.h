// Decodes the values of a block and checks the block against its table.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/buffer.h"

#include "format/sheaf/block_reader.h"
#include "format/sheaf/container_schema.h"

namespace sheaf::container {

/// The values of one column of a block: bytes of the file, or a buffer with the decoded values.
struct DecodedArray {
  std::span<const std::byte> bytes = {};
  Buffer own = {};  // empty if `bytes` are bytes of the file

  [[nodiscard]] bool is_own() const noexcept { return !own.empty(); }
};

struct DecodedColumn {
  DecodedArray values = {};
  DecodedArray indices = {};
};

/// All columns of a block, in the order of ReadBlock::columns.
using DecodedBlock = std::vector<DecodedColumn>;

/// Decodes the values of a block. Checks what the hashes of stored bytes do not cover: the hash of
/// the content, indices, keys, and the lengths in the table. Notes an error as the damage of the
/// block. Does not decode columns from the damaged one on.
[[nodiscard]] DecodedBlock decode_block(const ContainerFile& file, const ContainerSchema& schema,
                                        const ChunkTable& table, std::int64_t number,
                                        ReadBlock& block);

}  // namespace sheaf::container
