// Assembles the columns of a chunk from decoded blocks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sheaf/extend/chunk.h"

#include "format/sheaf/block_decoder.h"

namespace sheaf::container {

/// Consecutive sequences of one block to deliver.
struct BlockSlice {
  const ReadBlock* block = nullptr;
  DecodedBlock* decoded = nullptr;  // the assembler may take its buffers
  std::int64_t first = 0;           // first sequence in the block
  std::int64_t count = 0;
  std::int64_t number = 0;  // number of the first sequence in the new chunk
};

/// The data for the columns of a chunk.
struct AssemblyPlan {
  std::vector<BlockSlice> slices = {};
  std::int64_t sequence_count = 0;  // sequences between slices are holes

  /// The bytes that were read, if columns may refer to them; otherwise null.
  std::shared_ptr<const Buffer> bytes = nullptr;
};

/// One stream in the file.
struct AssembledStream {
  std::size_t column = 0;  // number in ReadBlock::columns
  const Stream* stream = nullptr;

  // Whether values and indices are delivered unchanged. Values to be converted later are copied
  // back to back.
  bool keeps_values = true;
  bool keeps_indices = true;
};

/// Returns one stream of all slices.
[[nodiscard]] Column assemble(const AssemblyPlan& plan, const AssembledStream& stream);

}  // namespace sheaf::container
