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

/// The values of one column of a block: bytes that were read, or a buffer that they were decoded
/// into.
struct DecodedArray {
  std::span<const std::byte> bytes = {};
  Buffer own = {};  // empty where `bytes` were read

  [[nodiscard]] bool is_own() const noexcept { return !own.empty(); }
};

struct DecodedColumn {
  DecodedArray values = {};
  DecodedArray indices = {};
};

/// All columns of a block, in the order of ReadBlock::columns.
using DecodedBlock = std::vector<DecodedColumn>;

/// Decodes the values of a block and checks all that hashes of stored bytes do not say: the hash of
/// the content, indices, keys, and lengths against the table. Where something is wrong, the block
/// gets a damage. Columns from the damaged one on are not decoded.
[[nodiscard]] DecodedBlock decode_block(const ContainerFile& file, const ContainerSchema& schema,
                                        const ChunkTable& table, std::int64_t number,
                                        ReadBlock& block);

}  // namespace sheaf::container
