// From decoded blocks to the columns of a chunk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sheaf/extend/chunk.h"

#include "format/sheaf/block_decoder.h"

namespace sheaf::container {

/// Sequences of one block that are delivered.
struct BlockSlice {
  const ReadBlock* block = nullptr;
  DecodedBlock* decoded = nullptr;  // its buffers may be taken
  std::int64_t first = 0;           // sequence of the block
  std::int64_t count = 0;
  std::int64_t number = 0;  // of the first one in the chunk that is made
};

/// What columns are made of.
struct AssemblyPlan {
  std::vector<BlockSlice> slices = {};
  std::int64_t sequence_count = 0;  // those between slices are holes

  /// The bytes that were read, where columns may refer to them; else null.
  std::shared_ptr<const Buffer> bytes = nullptr;
};

/// One stream, as the file has it.
struct AssembledStream {
  std::size_t column = 0;  // number in ReadBlock::columns
  const Stream* stream = nullptr;

  // Whether values and indices are delivered as they are. What is converted later is copied, and
  // lies back to back.
  bool keeps_values = true;
  bool keeps_indices = true;
};

/// Returns one stream of all slices.
[[nodiscard]] Column assemble(const AssemblyPlan& plan, const AssembledStream& stream);

}  // namespace sheaf::container
